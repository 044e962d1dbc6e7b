"""Files of the working folder with the names of modules that this package, or a library on its behalf, imports later: none runs."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import nbformat
import pytest

from spark_jupyter.protocol.completion_messages import Complete, Completed
from tests.kernel.conftest import FrontEnd, Kernel, Started

OPTIONAL = {
    *(
        "socksio",
        "python_socks",
        "h2",
        "hpack",
        "brotli",
        "brotlicffi",
        "zstandard",
        "trio",
        "curio",
        "sniffio",
        "truststore",
        "uvloop",
    ),
    *(
        "spark_jupyter",
        "sitecustomize",
        "usercustomize",
        "openai",
        "xllamacpp",
        "polars",
        "pyarrow",
        "openpyxl",
        "duckdb",
        "matplotlib",
    ),
    *("stringprep", "keyring", "orjson", "simplejson", "chardet", "gmpy2", "winloop", "msvcrt", "_winapi"),
}
"""Beside what is found: modules that libraries ask for by name."""
IMPORTED = re.compile(r"^[ \t]+(?:from|import) (\w+)", re.MULTILINE)
PLANTED = "with open({ran!r}, 'a') as file:\n    file.write(__name__ + '\\n')\nraise ImportError(__name__)\n"
CELL = "```python\nimport own_module\ntotal = own_module.VALUE + 1\nprint(total)\n```\n"


def imported_later(name: str = "spark-jupyter") -> set[str]:
    """Top-level modules that this distribution, and all that it needs, import elsewhere than at the top of a file."""
    todo, seen, found = [name], set[str](), set[str]()
    while todo:
        one = re.sub(r"[_.]", "-", todo.pop()).lower()
        if one in seen:
            continue
        seen.add(one)
        try:
            this = distribution(one)
        except PackageNotFoundError:
            continue
        todo += [
            match[0] for text in this.requires or () if "extra ==" not in text and (match := re.match(r"[\w.-]+", text))
        ]
        files = [Path(str(file.locate())) for file in this.files or () if file.suffix == ".py"]
        for file in files:
            found.update(IMPORTED.findall(file.read_text(encoding="utf-8")))
    for file in Path(sys.modules["spark_jupyter"].__path__[0]).rglob("*.py"):
        found.update(IMPORTED.findall(file.read_text(encoding="utf-8")))
    return found


def plant(folder: Path, ran: Path, there: set[str]) -> set[str]:
    """Write a file for every module but those that are imported already, and return their names."""
    names = (imported_later() | OPTIONAL) - there - set(sys.builtin_module_names) - {"own_module", "spark_jupyter"}
    for name in names:
        (folder / f"{name}.py").write_text(PLANTED.format(ran=str(ran)))
    return names


@pytest.fixture
def planted(script_environment, tmp_path, monkeypatch):
    """A kernel in a folder with a file for every module that it has not imported yet; and what of them ran."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    answers = [{"match": "## Request\ngo", "answer": CELL, "repeat": True}, {"answer": "value", "repeat": True}]
    script_environment(answers)
    kernel = Kernel(Started())
    ran = tmp_path / "ran.txt"
    ran.touch()
    kernel.run("import sys, pandas; frame = pandas.DataFrame({'a': [1]}); frame")
    kernel.complete("fra")
    there = set(kernel.run("print(*sys.modules)").split())
    names = plant(folder, ran, there)
    (folder / "own_module.py").write_text("import own_other\nVALUE = own_other.VALUE\n")
    (folder / "own_other.py").write_text("VALUE = 1\n")
    assert {"h2", "trio", "brotli", "zstandard", "rich", "bandit", "detect_secrets"} <= names
    yield kernel, ran
    kernel.close()


def test_nothing_that_lies_in_the_working_folder_runs_unasked(planted):
    kernel, ran = planted
    kernel.run("%load_ext spark_jupyter")
    kernel.run("%spark --wait go")
    assert "2" in kernel.run("%spark try"), "what the cell itself imports is found in the folder"
    for line in (
        "status",
        "diff",
        "models",
        "provider",
        "keys",
        "explain total",
        "review --run",
        "rename total sum_",
        "suggestions",
    ):
        kernel.reply(kernel.start(f"%spark {line}"))
    kernel.complete("%spark go @fr")
    front = FrontEnd(kernel)
    front.say(Complete(completion_id="c1", cell_id="cell-1", before="frame.", asked=True))
    kernel.until(lambda: any(isinstance(event, Completed) and event.done for event in front.said))
    kernel.run("%spark accept")
    kernel.run("import own_module; assert own_module.VALUE == 1")
    assert sorted(set(ran.read_text().split())) == []


def test_what_the_user_imports_is_found_in_the_working_folder_as_ever(planted):
    kernel, ran = planted
    kernel.run("%load_ext spark_jupyter\n%spark status")
    kernel.run("try:\n    import h2\nexcept ImportError:\n    pass")
    kernel.run("import importlib.util\nassert importlib.util.find_spec('trio').origin.endswith('work/trio.py')")
    assert ran.read_text() == "h2\n"


def test_a_command_imports_nothing_from_the_folder_in_which_it_is_given(tmp_path, script_environment):
    script_environment([{"answer": "```python\nprint(1)\n```\n", "repeat": True}])
    begin = "import sys; from spark_jupyter.ui.cli.main import main; "
    there = set(
        subprocess.run(
            [sys.executable, "-c", f"{begin}print(*sys.modules)"], capture_output=True, text=True, check=True
        ).stdout.split()
    )
    folder, ran = tmp_path / "work", tmp_path / "ran.txt"
    folder.mkdir()
    ran.touch()
    plant(folder, ran, there)
    subprocess.run([sys.executable, "-c", f"{begin}pass"], cwd=folder, check=True)
    before = set(ran.read_text().split())  # that any program started by -c would import at its begin
    (folder / "a.py").write_text("import os\nkey = 'x'\nos.system(input())\n")
    (folder / "a.ipynb").write_text(
        nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(1)")]))
    )
    for arguments in (
        ["check", "a.py"],
        ["review", "a.ipynb"],
        ["ask", "go", "--try", "--notebook", "a.ipynb"],
        ["doctor"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", f"{begin}main()", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
    assert set(ran.read_text().split()) == before
