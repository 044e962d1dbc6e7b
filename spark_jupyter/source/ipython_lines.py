"""IPython's own lines: magics, shell commands, help, quick calls.

The grammar is that of IPython's input transformer (``IPython.core.inputtransformer2``, version 9), read from a line's beginning; the
options are those that the magics' own documentation gives.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from spark_jupyter.source.strings import read

EscapeKind = Literal["shell", "magic", "help", "call"]
Body = Literal["here", "python", "shell", "other"]
"""Content of a cell: Python for this kernel, Python for another interpreter or a file, shell commands, or something else."""

_ESCAPES: Final[dict[str, EscapeKind]] = {
    "!": "shell",
    "%": "magic",
    "?": "help",
    ",": "call",
    ";": "call",
    "/": "call",
}
_HELP: Final = re.compile(r"\s*%{0,2}(?!\d)[\w*](?:[\w.*]|\[-?\d+\])*\?{1,2}\s*$")
_ASSIGNED: Final = re.compile(r"\s*([A-Za-z_][\w.,\s]*+(?:\[[^\[\]=]*\]\s*)?)=\s*([!%])(?=[A-Za-z_.~/$!{(\"'\s])")
_CELL: Final = re.compile(r"\s*%%\s*(!|\w+)(?!\w*\?)[ \t]*(.*)", re.DOTALL)
_LINE: Final = re.compile(r"\s*%{1,2}(\w+)[ \t]+(.*)", re.DOTALL)
_NAMED: Final = re.compile(r"%%?\s*([\w.]*)\s*(.*)", re.DOTALL)
_OPTION: Final = re.compile(r"(--?)([A-Za-z][\w-]*)?(?:=\S*)?(?:\s+|$)")
_PYTHON: Final = re.compile(r"(?:^|[\s/])(?:python|pypy)[\d.]*(?:\s|$)")
_CALL: Final = re.compile(r"\s*([,;/])([\w.]+)[ \t]*(.*)", re.DOTALL)
_PROMPT: Final = re.compile(r"\s*(?:>>>|\.\.\.(?!\.))[ \t]?|(?: |\[nav\] |\[ins\] )?In \[\d+\]: |\s*\.{3,}: ?")
LINE_BREAKS: Final = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
"""Characters that begin a line of IPython's (``str.splitlines``), and none of Python's or an editor's."""

_OWN: Final = re.compile(r"\s*%%?(?:spark|pair)(?!\w)")
_LOADS_US: Final = re.compile(r"\s*%(?:re)?load_ext\s+spark_jupyter\s*$")

_HERE: Final = "capture debug heat ipytest lprun manim memit mprun prun pyinstrument scalene snakeviz time timeit"
_SHELLS: Final = "! bash cmd powershell script sh sx system zsh"
_BODIES: Final[dict[str, Body]] = {
    **dict.fromkeys(_HERE.split(), "here"),
    **dict.fromkeys(["px", "pypy", "python", "python2", "python3"], "python"),
    **dict.fromkeys(_SHELLS.split(), "shell"),
}
_WITH_VALUE: Final = {
    "time": "",
    "timeit": "nrp",
    "prun": "lsTD",
    "memit": "rt",
    "mprun": "fT",
    "lprun": "fmTDuz",
    "debug": "b",
}
"""Magics whose line is Python, with their options that take a value."""
COMMANDS: Final = frozenset({*_SHELLS.split(), "sc"})
"""Magics whose line is a shell command."""
_DOCUMENTS: Final = frozenset(["html", "HTML", "svg", "SVG", "latex", "markdown", "javascript", "js", "sql"])
"""Cell magics whose body is no program for this machine."""
_COMMAND_FILES: Final = frozenset(["sh", "bash", "zsh", "fish", "bat", "cmd", "ps1"])
_TEXT_FILES: Final = frozenset(
    ["dockerfile", "containerfile", "makefile", "procfile", "readme", "license", "notice", "changelog"]
)
_PROGRAMS: Final = frozenset(["perl", "ruby", "script"])
_GIVE_NAMES: Final = frozenset(
    ["run", "pylab", "load", "loadpy", "store", "rerun", "rep", "macro", "recall", "capture", "edit", "ed", "sc", "tb"]
)
_GIVE_NONE: Final = frozenset(
    (
        f"{_HERE} {_SHELLS} "
        "alias alias_magic autoawait autocall automagic autoreload autosave bookmark cat cd clear cls colors conda config "
        "connect_info cp ddir dhist dirs doctest_mode dotenv echo env file gui hist history html HTML javascript js killbgscripts "
        "latex ldir less lf lk ll load_ext logoff logon logstart logstate logstop ls lsmagic lx magic mamba man markdown "
        "matplotlib micromamba mkdir more mv notebook page pair pastebin pdb pdef pdoc perl pfile pinfo pinfo2 pip popd pprint "
        "precision psearch psource pushd pwd pycat pypy python python2 python3 qtconsole quickref rehashx reload_ext reset "
        "reset_selective rm rmdir ruby save set_env spark svg SVG tensorboard unalias unload_ext uv watermark who who_ls whos "
        "writefile xdel xmode"
    ).split()
)
"""IPython's own magics that define no names, ours, and some that are common. Those of other extensions may define any."""
_OUTPUT: Final = re.compile(r"\s--(?:out|err|proc)[=\s]")
_BRING_MODULES: Final = COMMANDS | {"pip", "conda", "mamba", "micromamba", "uv", "cd", "pushd", "popd", "run"}
_TYPED_BARE: Final = "ls ll pwd cd who whos history hist time env pip conda clear cls ldir man more mkdir cat cp mv rm"
AUTOMAGICS: Final = frozenset(_TYPED_BARE.split())
"""Magics and aliases of IPython that people type without a ``%``, unless the name is a variable."""
_INSTALL: Final = re.compile(
    r"(?:sudo\s+)?(?:\S+\s+-m\s+)?(?:uv\s+)?(?:pip3?|conda|mamba|uv)\s+(?:install|add)\s+(.*)", re.DOTALL
)


class Escape(NamedTuple):
    """An IPython line: what kind, where its own text begins, and the names that it is assigned to."""

    kind: EscapeKind
    start: int
    targets: str = ""


class CellMagic(NamedTuple):
    """First line of a cell with a cell magic."""

    name: str
    rest: str
    body: Body


def escape(line: str) -> Escape | None:
    """Parse a line that IPython rewrites; None if it is Python."""
    stripped = line.lstrip()
    if "?" in line and _HELP.match(line):
        return Escape("help", len(line) - len(stripped))
    kind = _ESCAPES.get(stripped[:1])
    if kind is not None:
        return Escape(kind, len(line) - len(stripped))
    if ("!" in line or "%" in line) and "=" in line and (found := _ASSIGNED.match(line)):
        return Escape("shell" if found[2] == "!" else "magic", found.start(2), found[1].strip())
    return None


def cell_magic(line: str) -> CellMagic | None:
    """Cell magic on the first line of a cell that is not blank."""
    found = _CELL.match(line)
    if found is None:
        return None
    name, rest = found[1], found[2].strip()
    body = _BODIES.get(name, "other")
    if (name == "script" and _PYTHON.search(rest)) or (name in ("writefile", "file") and rest.endswith(".py")):
        body = "python"
    return CellMagic(name, rest, body)


def without_prompt(line: str) -> str:
    """Remove the prompt of a console, as IPython does."""
    found = _PROMPT.match(line)
    return line[found.end() :] if found else line


def has_prompt(line: str) -> bool:
    """True if a line begins with a console's first prompt, after which those of its other lines are removed too."""
    return line.lstrip().startswith((">>>", "In [", "[nav] In [", "[ins] In [")) and _PROMPT.match(line) is not None


def unread_program(source: str) -> str:
    """Language of a cell that is a program for another interpreter of this machine, which nobody judges; else empty."""
    magic = cell_magic(source.lstrip().split("\n", 1)[0])
    if magic is None or magic.name not in _PROGRAMS or magic.body == "python":
        return ""
    words = [word for word in magic.rest.split() if not word.startswith("-")]
    program = words[0].rpartition("/")[2] if magic.name == "script" and words else magic.name
    return "" if program in _SHELLS.split() else program


def name_and_rest(text: str) -> tuple[str, str]:
    """Name and arguments of a magic, of a line or of a cell; both empty if the text begins with none."""
    found = _NAMED.match(text.strip())
    return (found[1], found[2]) if found else ("", "")


def gives_names(text: str) -> bool:
    """True if a magic may define names that its text does not show: ``%run``, ``%%capture out``, those of other extensions."""
    name, rest = name_and_rest(text)
    return name in _GIVE_NAMES or (bool(name) and name not in _GIVE_NONE) or bool(_OUTPUT.search(f" {rest} "))


def brings_modules(text: str) -> bool:
    """True if an IPython line may install or write modules, or change where they are looked for: shell commands, ``%pip``, ``%cd``."""
    found = escape(text)
    if found is None:
        return False
    return found.kind == "shell" or name_and_rest(text[found.start :])[0] in _BRING_MODULES


def is_document(magic: str, rest: str) -> bool:
    """True if the body of a cell magic runs nowhere on this machine: markup, a query, a file that is no script.

    >>> is_document("writefile", "notes.txt"), is_document("writefile", "setup.sh")
    (True, False)
    """
    if magic not in ("writefile", "file"):
        return magic in _DOCUMENTS
    name = re.split(r"[\s/\\]", rest.strip().lower().strip("\"'"))[-1]
    _, dot, ending = name.rpartition(".")
    return ending not in _COMMAND_FILES if dot else name in _TEXT_FILES


def installs(text: str) -> str:
    """Arguments of a command that installs packages, options included; empty if it installs nothing.

    >>> installs("!{sys.executable} -m pip install -q pandas")
    '-q pandas'
    """
    found = _INSTALL.match(text.lstrip("%! \t\n"))
    return found[1] if found else ""


def asks_spark(source: str) -> bool:
    """True if a cell begins with one of our magics: it is a prompt, and no part of the notebook's code."""
    return _OWN.match(source) is not None


def is_ours(source: str) -> bool:
    """True if a cell holds only prompts to us and lines that load us."""
    return asks_spark(source) or bool(source.strip() and not without_own(source).strip())


def without_own(source: str) -> str:
    """Remove the lines with magics of ours or that load us; lines inside a string stay."""
    kept, string = [], ""
    for line in source.split("\n"):
        if string or not (_OWN.match(line) or _LOADS_US.match(line)):
            kept.append(line)
            string = read(line, string).carried
    return "\n".join(kept)


def code_of(source: str) -> str:
    """The code of a cell that runs where our magics do nothing: none of a prompt (``%%spark``), else the lines but those with a magic of
    ours, which are empty."""
    if asks_spark(source) and source.lstrip().startswith("%%"):
        return ""
    kept, string, goes_on = [], "", False
    for line in source.split("\n"):
        own = not string and (goes_on or _OWN.match(line) is not None)
        goes_on = own and line.rstrip().endswith("\\")
        kept.append("" if own else line)
        string = "" if own else read(line, string).carried
    return "\n".join(kept)


def held_python(text: str) -> str:
    """Python inside an IPython line: the statement of ``%time x = f()``, the call that ``;f a b`` is; else empty."""
    text = text.replace("\\\n", " ")
    if found := _LINE.match(text):
        options = _WITH_VALUE.get(found[1])
        return "" if options is None else _without_options(found[2], options)
    if found := _CALL.match(text):
        mark, function, rest = found[1], found[2], found[3].strip()
        if mark == "/":
            return f"{function}({', '.join(rest.split())})"
        quoted = rest if mark == ";" else '", "'.join(rest.split())
        return f'{function}("{quoted}")'  # IPython escapes nothing either
    return ""


def _without_options(text: str, with_value: str) -> str:
    while option := _OPTION.match(text):
        text = text[option.end() :]
        dashes, name = option[1], option[2] or ""
        if not name:
            break
        letters = name if dashes == "-" else ""
        takes = next((letter for letter in letters if letter in with_value), "")
        if takes and letters.endswith(takes):
            text = "".join(text.split(None, 1)[1:])
    return text
