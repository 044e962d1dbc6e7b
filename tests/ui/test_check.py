"""``spark-jupyter check``, as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import nbformat
import pytest

from spark_jupyter import guardrail
from spark_jupyter.prompting.corrections import correction
from tests.nursery import commands

BAD = "import os\nos.system(input())\n"
FINE = "print('fine')\n"
WARNS = "import hashlib\nhashlib.md5(b'x')\n"


def check(*arguments, stdin=""):
    return subprocess.run(
        commands().spark("check", *arguments), input=stdin, capture_output=True, text=True, timeout=60
    )


@pytest.fixture
def files(tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "fine.py").write_text(FINE)
    cells = [
        nbformat.v4.new_markdown_cell("# Use\n\n```python\nimport os\nos.system(input())\n```"),
        nbformat.v4.new_code_cell("%matplotlib inline\nname = input()"),
        nbformat.v4.new_code_cell("import os\n\nos.system('ls ' + name)"),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "book.ipynb")
    return tmp_path


def test_a_line_break_in_the_name_of_a_file_begins_no_line_of_ours(files):
    name = "a\n::error file=x::forged.py"
    (files / name).write_text(BAD)
    done = check(files / name)
    assert done.returncode == 1
    assert not any(line.startswith("::error") for line in done.stdout.splitlines())


def test_a_script_that_is_fine_exits_0_and_says_nothing(files):
    done = check(files / "fine.py")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_script_with_a_blocking_finding_exits_1_and_says_where_why_and_what_to_do(files):
    done = check(files / "bad.py")
    assert done.returncode == 1
    assert "bad.py:2:1: block [command-injection CWE-78]" in done.stdout
    assert "subprocess.run" in done.stdout


def test_of_a_folder_its_scripts_and_notebooks_are_checked_and_not_what_others_wrote(files):
    for place in ("deep/er", ".hidden", "node_modules/x", "own-venv/lib/site-packages"):
        (files / place).mkdir(parents=True)
        (files / place / "bad.py").write_text(BAD)
    (files / "deep" / "er" / "pyvenv.cfg").write_text("")  # anybody can put one anywhere
    (files / "deep" / "notes.txt").write_text(BAD)
    (files / "deep" / "again").symlink_to(files)
    done = check(files)
    assert done.returncode == 1
    found = [line.partition(":")[0] for line in done.stdout.splitlines()]
    names = [str(Path(one).relative_to(files)) for one in found]
    assert list(dict.fromkeys(names)) == ["bad.py", "book.ipynb", "deep/er/bad.py"]


def test_what_only_warns_exits_0():
    done = check("-", stdin=WARNS)
    assert "warn" in done.stdout
    assert done.returncode == 0


def test_a_notebook_is_judged_over_its_cells_and_markdown_only_warns(files):
    done = check(files / "book.ipynb", "--json")
    found = json.loads(done.stdout)["findings"]
    assert [(one["cell"], one["line"], one["severity"]) for one in found if one["rule"] == "command-injection"] == [
        ("cell 1", 5, "warn"),
        ("cell 3", 3, "block"),
    ]
    assert done.returncode == 1


def test_stdin_is_a_file_named_by_a_dash():
    done = check("-", "--json", stdin=BAD)
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["path"], finding["rule"], finding["cwe"], finding["line"]) == ("stdin", "command-injection", 78, 2)


def test_a_notebook_may_come_by_stdin_too(files):
    done = check("-", "--json", stdin=(files / "book.ipynb").read_text())
    found = json.loads(done.stdout)["findings"]
    assert [(one["cell"], one["line"]) for one in found if one["severity"] == "block"] == [("cell 3", 3)]
    assert done.returncode == 1


def test_a_notebook_can_not_lower_what_is_said_about_it(files):
    book = nbformat.read(files / "book.ipynb", as_version=4)
    book.metadata["spark"] = {"severities": {"all": "warn"}, "guardrail": False}
    book.cells[2].metadata["spark"] = {"severities": {"command-injection": "warn"}}
    book.cells.insert(0, nbformat.v4.new_code_cell("%config SparkMagics.severities = {'command-injection': 'warn'}"))
    nbformat.write(book, files / "book.ipynb")
    assert check(files / "book.ipynb").returncode == 1


def test_several_files_are_checked_and_one_bad_one_decides(files):
    done = check(files / "fine.py", files / "bad.py", files / "book.ipynb")
    assert done.returncode == 1
    assert "bad.py:2" in done.stdout
    assert "book.ipynb:3 (cell 3)" in done.stdout


def test_sarif_has_rules_results_levels_and_places(files):
    done = check(files / "bad.py", "--sarif")
    log = json.loads(done.stdout)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["command-injection"]
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("command-injection", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("bad.py")
    assert place["region"]["startLine"] == 2
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["help"]["markdown"].strip() == check("--explain", "command-injection").stdout.strip()


def test_stream_reports_each_findings_delay_and_the_cost(files):
    done = check(files / "bad.py", "--stream", "--json")
    (report,) = json.loads(done.stdout)["stream"]
    assert report["tokens"] > 5
    assert report["findings"][0]["delay"] <= 1
    assert report["mean_us"] > 0


def test_fix_prompt_is_what_a_model_would_be_told(files):
    done = check(files / "bad.py", "--fix-prompt")
    told = correction([finding for finding in guardrail.check(BAD) if finding.allowed is None], "")
    assert done.stdout == told + "\n"
    assert "nothing to fix" in check(files / "fine.py", "--fix-prompt").stdout


def test_an_allowed_line_is_shown_and_does_not_count():
    done = check("-", stdin=BAD.replace("())", "())  # spark: allow command-injection a lesson"))
    assert "allowed: a lesson" in done.stdout
    assert done.returncode == 0


def test_one_file_that_can_not_be_read_does_not_hide_what_the_others_hold(files):
    done = check("nowhere.py", files / "bad.py")
    assert done.returncode == 2
    assert "command-injection" in done.stdout
    assert "nowhere.py: No such file" in done.stderr


def test_what_is_no_python_is_not_passed_as_checked(tmp_path):
    (tmp_path / "picture.py").write_bytes(b"\x89PNG\0\0\xff")
    done = check(tmp_path / "picture.py")
    assert done.returncode == 2
    assert "not a text" in done.stderr
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "eval(parse(text = readline()))"}
    book = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "ir", "language": "R"}},
        "cells": [cell],
    }
    (tmp_path / "r.ipynb").write_text(json.dumps(book))
    done = check(tmp_path / "r.ipynb")
    assert done.returncode == 0, "a repository may hold both"
    assert done.stdout == ""
    assert "a notebook for R, which was not checked" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is the disk that is full")
def test_a_full_disk_is_said_in_a_sentence(files):
    command = f"'{sys.executable}' -m spark_jupyter.ui.cli.main check"
    done = subprocess.run(
        ["sh", "-c", f"{command} '{files}/bad.py' >/dev/full"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr == "spark-jupyter: The output can't be written: No space left on device.\n"


@pytest.mark.parametrize("content", [None, "this is no notebook"])
def test_a_file_that_can_not_be_read_exits_2_with_a_sentence(tmp_path, content):
    path = tmp_path / "x.ipynb"
    if content is not None:
        path.write_text(content)
    done = check(path)
    assert done.returncode == 2
    assert "x.ipynb" in done.stderr
    assert "Traceback" not in done.stderr


def test_two_forms_at_once_are_refused(files):
    done = check(files / "bad.py", "--json", "--sarif")
    assert done.returncode == 2
    assert "Give one of" in done.stderr


def test_the_users_own_file_lowers_a_rule_and_a_broken_one_is_said(files, own_home):
    folder = Path(os.environ["JUPYTER_CONFIG_DIR"], "spark_jupyter")
    folder.mkdir(parents=True)
    (folder / "guardrail.toml").write_text('[severities]\ncommand-injection = "warn"\n')
    done = check(files / "bad.py")
    assert done.returncode == 0
    assert "warn [command-injection" in done.stdout
    (folder / "guardrail.toml").write_text('[severities]\ncommand-injection = "off"\n')
    done = check(files / "bad.py")
    assert done.returncode == 1
    assert "guardrail.toml" in done.stderr


def test_the_pre_commit_hook_names_a_command_that_exists():
    yaml = pytest.importorskip("yaml")
    (hook,) = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())
    assert {"id", "name", "entry", "language"} <= set(hook)
    program, command = hook["entry"].split()
    (script,) = entry_points(group="console_scripts", name=program)
    assert command in script.load().commands


def test_an_escape_in_the_name_of_a_file_does_not_reach_the_terminal(tmp_path):
    path = tmp_path / "a\x1b]0;owned\x07\u202eb.py"
    path.write_text("import os\nos.system(input())\n")
    done = check(path)
    assert "command-injection" in done.stdout
    assert not set("\x1b\x07\u202e") & set(done.stdout + done.stderr)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_devices_and_what_lies_elsewhere_are_no_files_of_a_folder(files, tmp_path):
    """Whoever made the folder may have put there what never ends, or a link to a file of the user's for --fix to mend."""
    elsewhere = tmp_path / "elsewhere.py"
    elsewhere.write_text("import yaml\nyaml.load(open('a'))\n")
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "fine.py").write_text("x = 1\n")
    (folder / "endless.py").symlink_to("/dev/zero")
    (folder / "mended.py").symlink_to(elsewhere)
    os.mkfifo(folder / "silent.py")
    done = check(folder, "--fix")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "yaml.load(" in elsewhere.read_text()
    for name in ("silent.py", "endless.py"):
        done = check(folder / name)
        assert done.returncode == 2
        assert "is a pipe or a device, not a file" in done.stderr


def test_an_encoding_that_is_none_of_text_is_a_sentence(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("# -*- coding: rot13 -*-\nvzcbeg bf\n")
    done = check(path)
    assert done.returncode == 2
    assert "not a text encoding" in done.stderr
    assert "Traceback" not in done.stderr


def git(folder, *arguments):
    settings = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *settings, *arguments], check=True, capture_output=True)


def test_with_a_revision_only_new_lines_count(files):
    git(files, "init", "-q")
    git(files, "add", "bad.py")
    git(files, "commit", "-qm", "before")
    (files / "bad.py").write_text("# moved\n" + BAD)
    assert check(files / "bad.py", "--diff", "HEAD").returncode == 0
    (files / "bad.py").write_text(BAD + "eval(input())\n")
    done = check(files / "bad.py", files / "book.ipynb", "--diff", "HEAD")
    assert done.returncode == 1
    assert "bad.py:3" in done.stdout
    assert "bad.py:2" not in done.stdout
    assert "book.ipynb" in done.stdout  # which the revision has not
    refused = check(files / "bad.py", "--diff", "--output=x")
    assert refused.returncode == 2
    assert "git has no revision --output=x" in refused.stderr


def test_a_baseline_leaves_out_what_was_known(files):
    known = files / "known.json"
    assert check(files / "bad.py", "--write-baseline", known).returncode == 0
    assert check(files / "bad.py", "--baseline", known).stdout == ""
    (files / "bad.py").write_text(BAD + "eval(input())\n")
    done = check(files / "bad.py", "--baseline", known)
    assert (done.returncode, done.stdout.count("block")) == (1, 1)
    missing = check(files / "bad.py", "--baseline", files / "none.json")
    assert missing.returncode == 2
    assert "--write-baseline" in missing.stderr


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\xff\xfe{\x00}\x00", "line 1 is not UTF-8"),
        (b'{"version": 1,\n "findings": [\xe9]}', "line 2 is not UTF-8"),
        (b"{", "it is not JSON (line 1: "),
        (b"[" * 200_000, "it is nested too deeply."),
        (b" \n", "it is empty."),
        (b"[]", "not a baseline of version"),
    ],
)
def test_what_is_wrong_with_a_baseline_is_told_in_plain_words(files, data, why):
    (files / "known.json").write_bytes(data)
    done = check(files / "bad.py", "--baseline", files / "known.json")
    assert done.returncode == 2
    assert f"known.json can't be read: {why}" in done.stderr
    assert "codec" not in done.stderr


def test_a_baseline_may_begin_with_a_byte_order_mark(files):
    known = files / "known.json"
    check(files / "bad.py", "--write-baseline", known)
    known.write_bytes(b"\xef\xbb\xbf" + known.read_bytes())
    assert check(files / "bad.py", "--baseline", known).returncode == 0


def test_fix_mends_scripts_and_notebooks_where_they_stand_and_checks_the_rest(files):
    weak = "import yaml\nyaml.load(open('a.yml'))\n"
    (files / "weak.py").write_text(weak + "eval(input())\n")
    cells = [nbformat.v4.new_code_cell("import yaml"), nbformat.v4.new_code_cell("# é\nyaml.load(open('a.yml'))")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"mine": 1}), files / "weak.ipynb")
    before = json.loads((files / "weak.ipynb").read_text())
    done = check(files / "weak.py", files / "weak.ipynb", files / "fine.py", "--fix")
    assert done.returncode == 1  # for eval
    assert "weak.py:2: mended [unsafe-deserialisation CWE-502]" in done.stderr
    assert "weak.ipynb:2 (cell 2): mended" in done.stderr
    assert "deserialisation" not in done.stdout
    assert (files / "weak.py").read_text() == weak.replace("yaml.load", "yaml.safe_load") + "eval(input())\n"
    after = json.loads((files / "weak.ipynb").read_text())
    assert "".join(after["cells"][1].pop("source")) == "# é\nyaml.safe_load(open('a.yml'))"
    before["cells"][1].pop("source")
    assert after == before
    assert (files / "fine.py").read_text() == FINE


def test_fix_mends_a_notebook_that_holds_half_a_character(files):
    cells = [
        {
            "cell_type": "code",
            "source": "import yaml\nyaml.load(open('a.yml'))",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        },
        {"cell_type": "markdown", "source": "half \ud800", "metadata": {}},
    ]
    book = files / "half.ipynb"
    book.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    done = check(book, "--fix")
    assert "mended" in done.stderr
    assert "Traceback" not in done.stderr
    after = json.loads(book.read_text())["cells"]
    assert "safe_load" in "".join(after[0]["source"])
    assert after[1]["source"] == "half \ud800"


def test_annotations_for_github(files):
    done = check(files / "bad.py", "--github")
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=")


def test_what_does_not_parse_is_reported():
    done = check("-", stdin="def f(:\n    pass\n")
    assert done.returncode == 1
    assert "stdin:1:1: block [does-not-parse] The script does not parse" in done.stdout


def test_a_rule_is_explained():
    done = check("--explain", "weak-hash")
    assert done.returncode == 0
    assert done.stdout.startswith("# weak-hash")
    assert "There is no rule x." in check("--explain", "x").stderr


UNKNOWN = "import os\n!pip install quantum-magic-helper\n"


def test_a_package_that_is_not_known_is_told_and_is_no_finding():
    done = check("-", stdin=UNKNOWN)
    assert done.returncode == 0
    assert done.stdout.startswith("stdin:2: Unknown package: quantum-magic-helper")
    answer = json.loads(check("--json", "-", stdin=UNKNOWN).stdout)
    assert answer["findings"] == []
    assert [(aside["path"], aside["line"]) for aside in answer["asides"]] == [("stdin", 2)]
    assert json.loads(check("--sarif", "-", stdin=UNKNOWN).stdout)["runs"][0]["results"] == []
    assert check("--github", "-", stdin=UNKNOWN).stdout.startswith(
        "::notice file=stdin,line=2,col=1,title=To know::Unknown"
    )


def test_of_lines_that_are_not_new_nothing_is_told_aside(files):
    def git(*arguments):
        subprocess.run(["git", "-C", files, *arguments], check=True, capture_output=True)

    (files / "a.py").write_text(UNKNOWN)
    git("init", "-q")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b.org", "commit", "-qm", "one")
    assert check("--diff", "HEAD", files / "a.py").stdout == ""
    (files / "a.py").write_text(UNKNOWN + "!pip install other-qzx-helper\n")
    done = check("--diff", "HEAD", files / "a.py")
    assert "other-qzx-helper" in done.stdout
    assert "quantum-magic-helper" not in done.stdout


def test_a_folder_that_is_too_deep_is_named_and_the_rest_is_checked(deep_folder):
    (deep_folder / "bad.py").write_text(BAD)
    done = check(str(deep_folder))
    assert done.returncode == 2, done.stderr
    assert "bad.py" in done.stdout
    assert "d/d/d" in done.stderr
    assert "Traceback" not in done.stderr
