"""Deleting what is chosen in a home folder is no deletion of everything, and what leaves out a few is."""

from __future__ import annotations

import textwrap

import pytest

from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.taint_interpreter import Interpreter

EACH = "from pathlib import Path\nfor f in Path.home().iterdir():\n"
CHOSEN = {
    "a suffix": "if f.suffix == '.tmp':\n    f.unlink()",
    "one of several": "if f.suffix in {'.tmp', '.pyc'}:\n    f.unlink()",
    "a beginning and a file": "if f.is_file() and f.name.startswith('tmp_'):\n    f.unlink()",
    "the others are skipped": "if not f.name.endswith('.tmp'):\n    continue\nf.unlink()",
    "on one line": "if f.suffix == '.tmp': f.unlink()",
    "the same file under another name": "full = Path.home() / f\nif f.suffix == '.tmp':\n    full.unlink()",
    "a temporary file of an age": "if f.stat().st_mtime < limit:\n    if f.suffix == '.tmp':\n        f.unlink()",
    "files that are moved": "if f.suffix == '.jpg':\n    f.rename(new / f.name)",
    "a folder in a chosen one": "if f.name == 'project':\n    shutil.rmtree(f / 'build')",
}
OF_PEOPLE = {
    "an age": "if f.stat().st_mtime < limit:\n    f.unlink()",
    "their files": "if f.suffix in ('.docx', '.pdf', '.jpg'):\n    f.unlink()",
    "one of them may be needed": "if f.suffix in ('.tmp', '.docx'):\n    f.unlink()",
    "a temporary file or theirs": "if f.suffix == '.tmp' or f.name == 'thesis':\n    f.unlink()",
    "a part of the path": "if '/old/' in str(f):\n    f.unlink()",
    "the others are skipped": "if f.suffix != '.docx':\n    continue\nf.unlink()",
    "the same file under another name": "full = os.path.join(Path.home(), f)\nif full.endswith('.pdf'):\n    os.remove(full)",
    "a path in a text": "full = f'{Path.home()}/{f}'\nif full.endswith('.pdf'):\n    os.remove(full)",
    "made a path afterwards": "if f.suffix == '.pdf':\n    os.remove(os.path.join(Path.home(), str(f)))",
}
HOME = {
    "where it is": "if home.startswith('/home'):\n    shutil.rmtree(home)",
    "what is in its path": "if '/home' in home:\n    shutil.rmtree(home)",
    "the same as another": "if home == os.environ['HOME']:\n    shutil.rmtree(home)",
    "its name": "assert home.endswith('user')\nshutil.rmtree(home)",
    "its name as a path": "home = Path(home)\nassert home.name == 'user'\nshutil.rmtree(home)",
    "any of its folders": "for d in Path(home).iterdir():\n    if str(d).startswith('/home'):\n        shutil.rmtree(d)",
}
PLACES = ("os.path.expanduser('~')", "str(Path.home())", "os.environ['HOME']", "'/home/user'")
EVERYTHING = {
    "no condition": "f.unlink()",
    "any file": "if f.is_file():\n    f.unlink()",
    "all but one": "if f.name != 'keep.txt':\n    f.unlink()",
    "the chosen one is skipped": "if f.suffix == '.tmp':\n    continue\nf.unlink()",
    "the others": "if f.suffix == '.tmp':\n    print(f)\nelse:\n    f.unlink()",
    "behind the block": "if f.suffix == '.tmp':\n    print(f)\nf.unlink()",
    "one or any": "if f.suffix == '.tmp' or f.is_file():\n    f.unlink()",
    "what every name has": "if '.' in f.name:\n    f.unlink()",
    "whatever is older than now": "if f.stat().st_mtime < time.time():\n    f.unlink()",
    "whatever is not empty": "if f.stat().st_size > 0:\n    f.unlink()",
}
SEARCHES = {
    "!find ~ -name __pycache__ -exec rm -r {} +": [],
    "!find ~ \\( -name '*.pyc' -o -name '*.pyo' \\) -delete": [],
    "!find ~ -name '*.csv' -delete": ["warn"],
    "!find ~ -mtime +30 -delete": ["warn"],
    "!find ~ -name a -o -type f -delete": ["block"],
    "!find ~   !   -name keep.txt -delete": ["block"],
    "!find ~ -exec echo {} \\; -delete": ["block"],
    "!find ~ -type f | sort | xargs rm": ["block"],
    "!find ~ -type f -name '*.pyc' -o -delete": ["block"],
    "!find ~ -name '*.pyc' -o -exec rm -rf {} +": ["block"],
    "!find ~ \\( -name '*.pyc' \\) , -delete": ["block"],
    "!find ~ -print , -name '*.pyc' -delete": [],
    "!find / -type f | head -1000 | xargs rm -rf": ["block"],
    "!find ~ -type f | grep -v '.py' | xargs rm -f": ["block"],
    "!find ~ | grep -i --invert-match py | xargs rm": ["block"],
    "!find ~ | grep '.*' | xargs -n 1 rm": ["block"],
    "!find ~ | sed s/a/b/ | xargs -I {} rm {}": ["block"],
    "!find ~ -type f -print0 | shuf -z | xargs -0 rm -f": ["block"],
    "!find ~ | grep -E 'a|b|c' | xargs rm": ["warn"],
    "!find ~ -type f | xargs grep -l old | sort | xargs rm": ["warn"],
    "!find ~ -name '*.tmp' | grep -v keep | xargs rm": [],
    "!find ~ -type f | wc -l && rm -f x": [],
    "!find / -name 'libcu*' 2>/dev/null | grep cuda; rm -f log.txt": [],
    "!find ~ | head; ls *.tmp | xargs rm": [],
}


def severities(source: str) -> list[str]:
    return [finding.severity for finding in check(source)]


@pytest.mark.parametrize("body", CHOSEN.values(), ids=CHOSEN.keys())
def test_a_file_that_is_chosen_may_be_deleted(body: str) -> None:
    assert severities(EACH + textwrap.indent(body, "    ")) == []


@pytest.mark.parametrize("body", OF_PEOPLE.values(), ids=OF_PEOPLE.keys())
def test_people_are_warned_where_what_is_chosen_may_be_theirs(body: str) -> None:
    assert severities(f"import os\n{EACH}" + textwrap.indent(body, "    ")) == ["warn"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("body", HOME.values(), ids=HOME.keys())
def test_no_condition_makes_a_home_folder_a_choice(body: str, place: str) -> None:
    source = f"import os, shutil\nfrom pathlib import Path\nhome = {place}\n{body}"
    assert [one.severity for one in check(source) if one.rule == "destructive-command"] == ["block"]


@pytest.mark.parametrize("body", EVERYTHING.values(), ids=EVERYTHING.keys())
def test_what_chooses_nothing_is_blocked(body: str) -> None:
    assert severities(EACH + textwrap.indent(body, "    ")) == ["block"]


@pytest.mark.parametrize(("command", "found"), SEARCHES.items())
def test_a_search_is_judged_by_what_it_asks_for(command: str, found: list[str]) -> None:
    assert severities(command) == found


@pytest.mark.parametrize("form", ["map(lambda a: {}, xs)", "map({}.f, xs)", "map({}.f, xs).g()"])
def test_functions_given_to_functions_cost_no_power_of_their_depth(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate, counts = Interpreter.evaluate, []

    def counted(*args: object) -> object:
        counts[-1] += 1
        return evaluate(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(Interpreter, "evaluate", counted)
    for depth in (7, 14):
        text = "x"
        for _ in range(depth):
            text = form.format(text)
        counts.append(0)
        check(text)
    assert counts[1] < 4 * counts[0]
