"""Deleting what is chosen in a home folder is no deletion of everything, and what leaves out a few is."""

from __future__ import annotations

import ast
import itertools
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
    "its name by itself": "name = f.name\nif name.startswith('tmp'):\n    f.unlink()",
    "its name in small letters": "name = f.name.lower()\nif name.endswith('.tmp'):\n    f.unlink()",
    "the last part of its name": "stem, end = os.path.splitext(f)\nif end == '.tmp':\n    os.remove(f)",
    "a condition with a name": "junk = f.suffix == '.tmp'\nif junk:\n    f.unlink()",
    "a constant with a name": "JUNK = ('.tmp', '.pyc')\nif f.suffix in JUNK:\n    f.unlink()",
    "a pattern": "if re.fullmatch(r'.*\\.tmp$', f.name) is not None:\n    f.unlink()",
    "any of some endings": "if any(f.name.endswith(end) for end in ('.tmp', '.pyc')):\n    f.unlink()",
    "a backup of an editor": "if f.name.endswith('~'):\n    f.unlink()",
    "a part of its name": "if f.name.split('.')[-1] == 'tmp':\n    f.unlink()",
    "a case": "match f.suffix:\n    case '.tmp':\n        f.unlink()",
    "a case on one line": "match f.suffix:\n    case '.tmp' | '.pyc': f.unlink()",
    "a case with a condition": "match f:\n    case g if g.suffix == '.tmp':\n        g.unlink()",
    "the other case": "match f.suffix:\n    case '.tmp':\n        pass\n    case _:\n        continue\nf.unlink()",
    "the other clause": "if f.suffix != '.tmp':\n    print(f)\nelse:\n    f.unlink()",
    "one more clause": "if f.is_dir():\n    print(f)\nelif f.suffix == '.tmp':\n    f.unlink()",
    "the choice of an expression": "f.unlink() if f.suffix == '.tmp' else print(f)",
    "a text of it": "path = str(f)\nif path.endswith('.tmp'):\n    f.unlink()",
    "its copy": "g = f\nif g.suffix == '.tmp':\n    f.unlink()",
}
OWN = {
    "an expression": "def is_junk(p):\n    return p.suffix == '.tmp'",
    "with a name in it": "def is_junk(p):\n    name = p.name.lower()\n    return name.startswith('tmp') or name.endswith('.tmp')",
    "by blocks": "def is_junk(p):\n    if p.suffix == '.tmp':\n        return True\n    return False",
    "by what is left": "def is_junk(p):\n    if p.suffix != '.tmp':\n        return False\n    return True",
    "a lambda": "is_junk = lambda p: p.suffix == '.tmp'",
    "by another": "def ends(p, end):\n    return p.suffix == end\ndef is_junk(p):\n    return ends(p, '.tmp')",
}
OWN_OF_EVERYTHING = {
    "any": "def is_junk(p):\n    return True",
    "all but one": "def is_junk(p):\n    return p.name != 'keep.txt'",
    "the others": "def is_junk(p):\n    if p.suffix == '.tmp':\n        return False\n    return True",
    "of something else": "def is_junk(p, end='.tmp'):\n    return end == '.tmp'",
    "one of them": "def is_junk(p):\n    if p.suffix == '.tmp':\n        return True\n    return p.is_file()",
    "several things": "def is_junk(p):\n    if p.suffix == '.tmp':\n        return p.name\n    return p.exists()",
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
    "its owner agrees": "import click\nif click.confirm(f'Delete {f}?'):\n    f.unlink()",
    "its owner answers": "if input(f'Delete {f}?') == 'y':\n    f.unlink()",
    "its content": "digest = hash(f.read_bytes())\nif digest in seen:\n    f.unlink()",
    "its age by itself": "age = time.time() - f.stat().st_mtime\nif age > 30 * 86400:\n    f.unlink()",
    "a case": "match f.suffix:\n    case '.pdf':\n        f.unlink()",
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
    "another name": "name = f.name\nname = 'tmp'\nif name.startswith('tmp'):\n    f.unlink()",
    "another path": "name = f.name\nf = Path.home()\nif name.startswith('tmp'):\n    f.unlink()",
    "any case": "match f.suffix:\n    case '.tmp':\n        print(f)\n    case _:\n        f.unlink()",
    "every case": "match f.suffix:\n    case end:\n        f.unlink()",
    "the case that is skipped": "match f.suffix:\n    case '.tmp':\n        continue\nf.unlink()",
    "behind an inner block": "if verbose:\n    if f.suffix != '.tmp':\n        continue\nf.unlink()",
    "behind the choice of an expression": "end = 1 if f.suffix == '.tmp' else 2\nf.unlink()",
    "the other clause": "if f.is_dir():\n    print(f)\nelif f.name != 'keep.txt':\n    f.unlink()",
    "behind a loop": "while f.suffix == '.tmp':\n    break\nf.unlink()",
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


def places(source: str) -> list[str]:
    """Severities of what is found of the places in a text."""
    return [one.severity for one in check(source) if one.rule in ("destructive-command", "startup-file")]


@pytest.mark.parametrize("body", CHOSEN.values(), ids=CHOSEN.keys())
def test_a_file_that_is_chosen_may_be_deleted(body: str) -> None:
    assert severities(f"import os, re\n{EACH}" + textwrap.indent(body, "    ")) == []


@pytest.mark.parametrize("body", OF_PEOPLE.values(), ids=OF_PEOPLE.keys())
def test_people_are_warned_where_what_is_chosen_may_be_theirs(body: str) -> None:
    assert severities(f"import os\n{EACH}" + textwrap.indent(body, "    ")) == ["warn"]


@pytest.mark.parametrize("function", OWN.values(), ids=OWN.keys())
def test_a_function_of_the_notebook_chooses_as_its_body_does(function: str) -> None:
    assert severities(f"{function}\n{EACH}    if is_junk(f):\n        f.unlink()") == []
    assert severities(f"{function}\n{EACH}    if not is_junk(f):\n        continue\n    f.unlink()") == []
    assert severities(f"{function}\n{EACH}    if not is_junk(f):\n        f.unlink()") == ["block"]


@pytest.mark.parametrize("function", OWN_OF_EVERYTHING.values(), ids=OWN_OF_EVERYTHING.keys())
def test_a_function_of_the_notebook_that_chooses_nothing_is_no_choice(function: str) -> None:
    assert severities(f"{function}\n{EACH}    if is_junk(f):\n        f.unlink()") == ["block"]


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


@pytest.mark.parametrize(
    "form",
    [
        EACH + "{made}    if {last}.endswith('x'):\n        f.unlink()",
        "def is_junk(f):\n{made}    return {last}.endswith('x')\n" + EACH + "    if is_junk(f):\n        f.unlink()",
    ],
)
def test_names_made_from_names_cost_no_power_of_their_depth(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    visit, count = ast.NodeVisitor.visit, 0

    def counted(*args: object) -> object:
        nonlocal count
        count += 1
        return visit(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ast.NodeVisitor, "visit", counted)
    made = "".join(f"    {new} = g({', '.join([old] * 15)})\n" for old, new in itertools.pairwise("fabcd"))
    check(form.format(made=made, last="d"))
    assert 0 < count < 20_000


@pytest.mark.parametrize("depth", [100, 200, 300])
def test_a_function_is_judged_whatever_the_depth_of_its_conditions(depth: int) -> None:
    name = "p.name" + ".replace('a', 'b')" * depth
    function = f"def clean(p):\n    name = {name}\n    if name.endswith('x'):\n        return\n    p.unlink()\n"
    assert places(f"{function}{EACH}    clean(f)\nhome = Path.home()\nhome.rmdir()") == ["block", "block"]


CALLED_WITH_A_HOME = {
    "a tree": ("def clean(d):\n    shutil.rmtree(d)", "clean(Path.home())"),
    "on one line": ("def clean(d): shutil.rmtree(d)", "clean(Path.home())"),
    "a lambda": ("clean = lambda d: shutil.rmtree(d)", "clean(Path.home())"),
    "each file": ("def clean(d):\n    for n in os.listdir(d):\n        os.remove(os.path.join(d, n))", "clean(os.path.expanduser('~'))"),
    "a default": ("def clean(d=Path.home()):\n    shutil.rmtree(d)", ""),
    "a text as a default": ("def clean(d='/home/ann'):\n    shutil.rmtree(d)", ""),
    "by another": ("def rm(p):\n    p.unlink()\ndef clean(d):\n    for p in d.iterdir():\n        rm(p)", "clean(Path.home())"),
    "a command": ("def clean(text):\n    os.system(text)", "clean('rm -rf ~')"),
    "parts of a command": ("def clean(*parts):\n    os.system(' '.join(parts))", "clean('rm', '-rf', '/')"),
    "a startup file": ("def clean(p):\n    open(p, 'a').write('x')", "clean('/home/ann/.ipython/profile_default/startup/a.py')"),
}  # fmt: skip


@pytest.mark.parametrize(("function", "call"), CALLED_WITH_A_HOME.values(), ids=CALLED_WITH_A_HOME.keys())
def test_a_function_of_the_notebook_is_judged_with_what_it_is_given(function: str, call: str) -> None:
    source = f"import os, shutil\nfrom pathlib import Path\n{function}\n"
    assert places(source + call) == ["block"]
    assert (
        not call
        or places(f"{source}clean('build')\nclean(Path('build'))\nclean(Path.home() / 'project' / 'build')") == []
    )


def test_a_function_deletes_what_it_chooses_itself() -> None:
    function = "def clean(p):\n    if p.suffix != '{}':\n        return\n    p.unlink()\n"
    each = f"{EACH}    clean(f)"
    assert severities(function.format(".tmp") + each) == []
    assert severities(function.format(".pdf") + each) == ["warn"]


@pytest.mark.parametrize(
    "cell",
    [
        "%%writefile tests/sitecustomize.py\nx = 1",
        "%%writefile dotfiles/.bashrc\nx = 1",
        "open('skeleton/.bashrc', 'w')",
        "from pathlib import Path\n(Path('tests') / 'sitecustomize.py').write_text(x)",
        "import os\nopen(os.path.join('tests', 'sitecustomize.py'), 'w')",
    ],
)
def test_what_lies_in_a_folder_of_the_project_does_not_start_by_itself(cell: str) -> None:
    assert severities(cell) == []


@pytest.mark.parametrize(
    "path",
    [
        "sitecustomize.py",
        "venv/lib/python3.12/site-packages/sitecustomize.py",
        "x/../sitecustomize.py",
        "~/x/sitecustomize.py",
    ],
)
def test_what_is_looked_for_at_the_start_does(path: str) -> None:
    assert severities(f"%%writefile {path}\nx = 1") == ["block"]
