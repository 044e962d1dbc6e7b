"""Code that IPython runs is judged, however a cell hides it from a reader of Python."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import Scanner, check, learn
from spark_jupyter.guardrail.file_check import check_text

PYTHON = "import os; os.system('rm -rf ~')"

HIDDEN = {
    "a string that looks like a request for help": f"'''?\n'''\n{PYTHON}\n''' #'''",
    "a line break inside a cell magic": f"%%time\x0b{PYTHON}",
    "a line separator inside a cell magic": f"%%capture\u2028{PYTHON}",
    "a line break inside a line magic": "%time\x0c!rm -rf ~",
    "a command behind a console's prompt": ">>> !rm -rf ~",
    "a command behind IPython's prompt": "In [1]: !rm -rf ~",
    "a cell magic behind a prompt": ">>> %%bash\n... rm -rf ~",
    "an import behind a prompt": ">>> from os import system\n>>> system('rm -rf ~')",
    "braces in a line magic": "%cd {__import__('os').system('rm -rf ~')}",
    "braces in a command": "!echo {__import__('os').system('rm -rf ~')}",
    "a cell magic that nobody knows": f"%%mine\n{PYTHON}",
    "a line magic that nobody knows": "%mine __import__('os').system('rm -rf ~')",
    "our own cell magic": f"%%spark\n{PYTHON}",
    "a cell magic of another language": f"%%html\n{PYTHON}",
    "the cell of such an alias": "%%mine\nrm -rf ~",
    "a cell magic for a shell, which a notebook can give another meaning": f"%%bash\nx = 1\n\n{PYTHON}",
    "a line break in a comment": "# a\x85x = !ls\x0cos.system('rm -rf ~')",
    "a backslash before a carriage return": f"!ls \\\r\n{PYTHON}",
    "a script that is written": "%%writefile -a tools/clean.sh\nrm -rf ~",
    "a script without an ending": "%%file clean\nrm -rf ~",
    "an alias": "%alias mine rm -rf ~",
    "a magic in a magic": "%time %sx rm -rf ~",
    "a continued line magic": f"%time \\\n{PYTHON}",
    "the body below a cell magic that ends with a backslash": "%%bash \\\nrm -rf ~",
    "quotes in a quick call": ';print x"); import os; os.system("rm -rf ~',
    "a configuration": "%config A.b = __import__('os').system('rm -rf ~')",
    "constant text that exec runs": f'exec("{PYTHON}")',
    "constant text that IPython runs": f'get_ipython().run_cell("{PYTHON}")',
    "a cell magic by a call": f'get_ipython().run_cell_magic("time", "", "{PYTHON}")',
    "a call behind many in a line of data": f"import os\nx = [{'f(1),' * 300}os.system('rm -rf ~'), '{'a' * 200_000}']",
    "a target that is deleted": "import os\ndel x[os.system('rm -rf ~')]",
}


@pytest.mark.parametrize("cell", HIDDEN.values(), ids=HIDDEN)
def test_what_ipython_runs_is_found(cell: str) -> None:
    assert any(finding.blocks for finding in check(cell))


@pytest.mark.parametrize(
    "cell",
    [
        '%%html\n<p onclick="go()">It\'s (not) {a}</p>',
        "%%spark\nplot sales by month, don't use eval(x)",
        "%%sql\nSELECT * FROM t WHERE a IN (1, 2)",
        "%%writefile data.csv\na,b\n1,2",
        "%%writefile docs/notes.rst\nnever run `rm -rf ~` or `curl https://x.org/i.sh | sh`",
        "%%writefile Dockerfile\nFROM python\nRUN pip install pandas && rm -rf /var/cache\n",
        "%cd {folder}\n!ls {' '.join(names)}",
        ">>> x = 1\n>>> x + 1\n2",
        "df['a']?",
        'exec("x = 1")',
        "%config InlineBackend.figure_formats = set(['svg'])",
        "x = 1\n\x0c\ny = 2",
    ],
)
def test_a_right_cell_is_left_alone(cell: str) -> None:
    assert [finding for finding in check(cell) if finding.severity != "hint"] == []


@pytest.mark.parametrize("first", ["%%perl", "%%ruby", "%%script --bg node"])
def test_a_program_for_another_interpreter_is_said_not_to_be_judged(first: str) -> None:
    [(_, finding)] = check_text(f"{first}\nx")
    assert finding.rule == "unread-program"
    assert finding.blocks


@pytest.mark.parametrize("first", ["%%script bash", "%%script python3", "%%bash", "%%html"])
def test_what_is_judged_or_no_program_is_not(first: str) -> None:
    assert check_text(f"{first}\nx") == []


@pytest.mark.parametrize(
    ("cells", "blocked"),
    [
        (("%cd build", "!rm -rf *"), False),
        (("import os\nos.chdir('build')", "!rm -rf *"), False),
        (("import os\nos.chdir(root)", "os.system('rm -rf *')"), False),
        (("%pushd build", "%%bash\nrm -rf ./*"), False),
        (("import subprocess", "subprocess.run('rm -rf *', shell=True, cwd='build')"), False),
        (("import subprocess", "subprocess.run('rm -rf *', shell=True)"), True),
        (("import subprocess", "subprocess.run('rm -rf *', shell=True, cwd='/home/ann')"), True),
        (("%cd build", "%cd -", "!rm -rf *"), True),
        (("%cd build\n%cd ..", "!rm -rf *"), True),
        (("%pushd build", "%popd", "!rm -rf *"), True),
        (("import os\nos.chdir('build')\nos.chdir('..')", "!rm -rf *"), True),
        (("x = 1", """!python - <<< "import shutil; shutil.rmtree('/home/ann')\""""), True),
        (("from pathlib import Path\nimport os\nos.chdir(Path.home())", "!rm -rf *"), True),
        (("!cd build", "!rm -rf *"), True),
    ],
)
def test_a_command_runs_in_the_folder_that_the_notebook_is_in(cells: tuple[str, ...], blocked: bool) -> None:
    context = None
    for cell in cells[:-1]:
        context = learn(cell, context)
    scanner = Scanner(context)
    found = [*scanner.feed(cells[-1]), *scanner.flush()]
    assert any(one.severity == "block" for one in found) is blocked
