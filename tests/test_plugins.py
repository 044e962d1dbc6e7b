"""Plug-ins of other packages: the example of each kind, installed by pip, and such that are broken."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOADS_ALL = """
import json
from spark_jupyter import plugins
from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.rules import RULES
from spark_jupyter.providers import dialects
from spark_jupyter.providers.profiles import Settings, choose, load_profiles
from spark_jupyter.sandbox.surprises.rules import RULES as SURPRISES
from spark_jupyter.server.engines import engines
from spark_jupyter.ui.magics.verbs import VERBS
from spark_jupyter.ui.plugin_commands import slash_commands
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package, installed by pip."""
    folder = tmp_path_factory.mktemp("plugins")
    copy = shutil.copytree(ROOT / "examples" / "spark-example", folder / "source")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]
    offline = ["--no-deps", "--no-build-isolation", "--target", str(folder / "installed")]
    subprocess.run([*pip, *offline, str(copy)], check=True, timeout=240, cwd=folder)
    return folder / "installed"


def python(program: str, *folders: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A program in a process that finds the packages in these folders, too."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*folders, ROOT)))}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environ, cwd=cwd, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


def write_plugin(folder: Path, entry_points: str, **modules: str) -> Path:
    """A package with these entry points, as pip would leave it."""
    info = folder / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return folder


def test_the_example_adds_one_of_each_kind(example, tmp_path):
    program = f"""{LOADS_ALL}
choice = choose(profiles=load_profiles(), settings=Settings(profile="example"), environ={{}})
found = check("import institute\\ninstitute.upload(df)")
print(json.dumps({{
    "dialect": [choice.dialect, dialects.dialect(choice.dialect).path, choice.base_url],
    "rules": [[one.rule, one.severity, one.page] for one in found],
    "surprises": "example-doubled" in SURPRISES,
    "engines": list(engines()),
    "commands": list(slash_commands()),
    "verb": VERBS["greet"].what,
    "faults": list(map(str, plugins.plugin_faults())),
    "installed": plugins.installed_plugins(),
}}))"""
    said = json.loads(python(program, example, cwd=tmp_path).stdout)
    assert said["dialect"] == ["example-chat", "/converse", "https://llm.example.org/v1"]
    assert said["rules"] == [["example-upload", "block", ""]]
    assert said["surprises"]
    assert said["engines"][-1] == "example"
    assert said["commands"] == ["house-style"]
    assert said["verb"] == "say which model answers here"
    assert said["faults"] == []
    assert len(said["installed"]) == 7


def test_the_example_in_a_shell(example, tmp_path):
    """The verb answers, the slash command's instructions go along, and the surprise rule sees a table that was doubled in a copy."""
    program = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "spark_jupyter")
shell.run_line_magic("spark", "greet Ada")
from pathlib import Path
from spark_jupyter.ui.rule_files import project_rules, skill_for
print([skill.name for skill in project_rules(Path.cwd()).skills], skill_for("/house-style plot it", Path.cwd())[:30])
shell.run_cell("import pandas as pd\\ndf = pd.DataFrame({'a': range(10)})")
from spark_jupyter.sandbox import KernelTrials
from spark_jupyter.sandbox.surprises.cell_change import CellRun, Change, Moment
from spark_jupyter.sandbox.surprises.detection import look
from spark_jupyter.sandbox.surprises.rules import RULES
before = Moment(shell.user_ns)
cell = "df = pd.concat([df, df])"
shell.run_cell(cell)
seen = look(Change(before, shell.user_ns, changed={"df"}, run=CellRun(cell)))
print([RULES[one.rule].says(one) for one in seen if one.rule == "example-doubled"])
"""
    said = python(program, example, cwd=tmp_path).stdout
    assert "Hello Ada" in said
    assert "['house-style'] /house-style\nName tables" in said
    assert "`df` has exactly twice its rows (20)." in said


def test_the_engine_of_the_example_answers(example, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(example), str(ROOT)]))
    command = [sys.executable, "-m", "spark_jupyter.ui.cli.main"]
    server = subprocess.Popen(
        [*command, "serve", "--engine", "example", "--idle", "60"], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    try:
        assert server.stdout is not None
        served = json.loads(server.stdout.readline())
        monkeypatch.setenv("SPARK_BASE_URL", served["url"])
        monkeypatch.setenv("SPARK_API_KEY", served["token"])
        monkeypatch.setenv("SPARK_MODEL", "any")
        asked = subprocess.run(
            [*command, "ask", "answer me"], capture_output=True, text=True, cwd=tmp_path, timeout=240, check=True
        )
        assert "answer = 42" in asked.stdout
    finally:
        server.terminate()
        server.wait(timeout=60)
    refused = subprocess.run(
        [*command, "serve", "--engine", "nobody"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert refused.returncode == 2
    assert "'nobody' is not one of 'recipes'" in refused.stderr
    assert "'example'" in refused.stderr


BROKEN = """
[spark_jupyter.dialects]
nothing = broken_parts:nothing
[spark_jupyter.profiles]
openai = broken_parts:NO_TOML
other = broken_parts:NO_TOML
[spark_jupyter.rules]
raises = broken_import:RULE
ends = broken_exit:RULE
fails-later = broken_parts:RULE
ssrf = broken_parts:RULE
[spark_jupyter.surprises]
text = broken_parts:NO_TOML
[spark_jupyter.engines]
missing = broken_parts:missing
[spark_jupyter.commands]
Not-A-Name = broken_parts:NO_TOML
plain = broken_parts:NO_TOML
"""
PARTS = """
from spark_jupyter.guardrail.rule import Rule, on

NO_TOML = "[other"
nothing = 1


def fail(call, state):
    raise RuntimeError("a fault of the plug-in")


RULE = Rule(id="fails-later", cwe=1, severity="block", message="m", remedy="r", bad=(), good=(), calls=on("frob", fail))
"""


def test_a_broken_plug_in_says_its_name_and_reason_and_harms_nothing(tmp_path):
    modules = {"broken_import": "raise KeyError('no')", "broken_exit": "raise SystemExit(3)", "broken_parts": PARTS}
    folder = write_plugin(tmp_path / "site", BROKEN, **modules)
    program = f"""{LOADS_ALL}
load_profiles(), engines()
print(json.dumps({{
    "found": [one.rule for one in check("frob(1)\\nfrob(2)\\nimport os\\nos.system(input())")],
    "openai": load_profiles()["openai"].base_url,
    "ssrf": RULES.by_id["ssrf"].message,
    "faults": [[one.group, one.name, one.package, one.reason] for one in plugins.plugin_faults()],
}}))"""
    (tmp_path / "work").mkdir()
    done = python(program, folder, cwd=tmp_path / "work")
    said = json.loads(done.stdout)
    assert said["found"] == ["command-injection"]
    assert "api.openai.com" in said["openai"]
    assert said["ssrf"] != "m"
    faults = {(group, name): reason for group, name, package, reason in said["faults"] if package == "broken"}
    assert faults.pop(("rules", "fails-later")) == "RuntimeError: a fault of the plug-in"
    assert {name for _, name in faults} == {
        *("nothing", "openai", "other", "raises", "ends", "ssrf", "text", "missing", "Not-A-Name", "plain")
    }
    assert "SystemExit" in faults["rules", "ends"]
    assert "there is one of that name already" in faults["rules", "ssrf"]
    lines = done.stderr.splitlines()
    assert len(lines) == len(faults) + 1
    assert "The plug-in raises of broken (spark_jupyter.rules) was left out: KeyError: 'no'" in lines


def test_a_package_in_the_working_folder_is_no_plug_in(tmp_path):
    write_plugin(tmp_path, "[spark_jupyter.rules]\nraises = evil:RULE\n", evil="print('ran')")
    program = (
        f"import sys\nsys.path.insert(0, '')\n{LOADS_ALL}print(plugins.installed_plugins(), plugins.plugin_faults())"
    )
    assert python(program, cwd=tmp_path).stdout == "() ()\n"


def test_loading_the_extension_looks_for_no_plug_in(tmp_path):
    program = """
from IPython.core.interactiveshell import InteractiveShell

InteractiveShell.instance().run_line_magic("load_ext", "spark_jupyter")
import sys
plugins = sys.modules.get("spark_jupyter.plugins")
print("looked" if plugins and plugins._entry_points.cache_info().currsize else "not looked")
"""
    assert "not looked" in python(program, cwd=tmp_path).stdout
