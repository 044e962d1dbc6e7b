"""Commands and calls that delete data for good."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.marked_paths import CACHES, is_here, is_whole
from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.rules._commands import methods_where, where
from spark_jupyter.guardrail.shell_reader import ShellReader
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Fact, Value, words
from spark_jupyter.protocol.values import Severity

_FLAGS: Final = r"(?:-[\w-]{0,40}\s+){0,9}"
_PLACE: Final = (
    r"[\"']?(?:/|~|\$HOME|\$\{HOME\}|/\*|\*|\.|\.\.|/(?:home|etc|usr|var|opt|root)(?:/[\w*]*)?|~\0(?:/~\0)*)"
    r"[\"']?(?:/\*?)?[\"']?(?=\s|$|;|&|\|)"
)
_HOME_OF: Final = r"[\"']?(?:~|\$HOME|\$\{HOME\}|/home/[\w.-]+)"
_REMOVE: Final = re.compile(
    rf"(?:^|[;&|]\s*)rm\s+{_FLAGS}(?:-\w{{0,20}}[rR]\w{{0,20}}|--recursive)\s+{_FLAGS}"
    rf"(?:[^\s;&|#-][^\s;&|]*\s+){{0,9}}{_PLACE}|"
    rf"(?:^|[;&|]\s*)(?:rm|mv)\s+{_FLAGS}{_HOME_OF}[\"']?/?(?:(?<=/)\*)?[\"']?(?=\s|$|;|&|\|)"
)
_MIRRORED: Final = re.compile(
    rf"\brsync\s(?=[^\n;&|]{{0,400}}\s--del)[^\n;&|]{{0,400}}\s{_HOME_OF}[\"']?/?[\"']?\s*(?:$|;|&|\|)"
)
_FOUND: Final = re.compile(
    rf"(?:^|[;&|]\s*)(?:find|ls)\s+(?:-\w{{1,9}}\s+){{0,3}}(?![\"']?[.*]){_PLACE}"
    r"(?P<tests>(?:[^\n;&|\\]|\\.|>&){0,400}?)(?:\s-delete\b|\s-exec(?:dir)?\s+(?:sudo\s+)?(?:\S{0,80}/)?rm\b|"
    r"(?P<stages>(?:\|(?:[^\n;&|]|>&){0,80}){0,6}?)\|\s*(?:xargs|parallel)\s+(?:-\S+\s+(?:[\d{}%]+\s+)?){0,4}(?:sudo\s+)?(?:\S{0,80}/)?rm\b)"
)
_NAMED: Final = words("-name -iname -path -ipath -wholename -iwholename -regex -iregex")
_AGED: Final = words("-mtime -atime -ctime -mmin -amin -cmin -newer -newermt -size -empty -user -uid")
_OR: Final = re.compile(r"\s-(?:o|or)(?=\s|$)")
_COMMA: Final = re.compile(r"\s,(?=\s|$)")
_ANY: Final = re.compile(r"[*?.^$/]*")
_PICKS: Final = re.compile(
    r"\b(?:[efz]?grep|rg)\s+(?!(?:-\S+\s+){0,9}-(?:\w{0,9}[vL]|-invert|-files-without))(?:-\S+\s+){0,9}[\"']?[*?.^$/]*[^\s*?.^$/\"'-]"
)
"""A stage of a pipe that lets only what has a chosen name through; what leaves out a few chooses nothing."""
_DEVICE: Final = re.compile(
    r"\bmkfs(?:\.\w+)?\s|\bdd\b.*\bof=/dev/|>\s*/dev/(?:sd|nvme|hd)|:\(\)\s*\{.*\};:|\bshred\s+.*/dev/|"
    r"\bformat\s+[cC]:|\bdel\s+/[sS]\s+/[qQ]\s+[cC]:"
)
_DELETES: Final = words("rmtree remove unlink rmdir")
_HERE: Final = words(". .. * /*")
_HOME: Final = re.compile(r"(?:[A-Za-z]:)?[\\/](?:home|Users)[\\/](?:\0|~\0)[\\/]*")
_NO_FILE: Final = re.compile(r"/dev/(?:sd|nvme|hd|vd|mem|mapper)|/etc/(?:passwd|shadow|sudoers|group|fstab)$|/boot/")


def _command(event: Command, state: State) -> Hit | None:
    severity = "block" if _DEVICE.search(event.text) else _destroys(event.said)
    return Hit(event.node, severity=severity) if severity else None


def _calls(text: str, folder: str) -> Severity | None:
    return "block" if _DEVICE.search(text) else _destroys(ShellReader(folder=folder).read(text))


def _destroys(text: str) -> Severity | None:
    if _REMOVE.search(text):
        return "block"
    if _MIRRORED.search(text):
        return "warn"
    found = {_found(match["tests"], match["stages"] or "") for match in _FOUND.finditer(text)}
    return "block" if "block" in found else "warn" if "warn" in found else None


def _found(tests: str, stages: str) -> Severity | None:
    """A search that deletes its results: everything, files chosen by name or age, or only files that can be made again."""
    chosen = [_chosen(alternative.split()) for alternative in _OR.split(_COMMA.split(tests)[-1])]
    if not all(chosen):
        return "warn" if _PICKS.search(stages) else "block"
    return "warn" if any(not CACHES.fullmatch(name) for names in chosen for name in names[:1]) else None


def _chosen(tests: list[str]) -> list[str]:
    """Names that a search asks for, or the option by which it asks for an age or a size."""
    chosen = []
    for before, option, given in zip(["", *tests], tests, [*tests[1:], ""], strict=False):
        name = given.strip("\"'")
        if before in ("!", "\\!", "-not"):
            continue
        if option in _AGED or (option in _NAMED and not _ANY.fullmatch(name)):
            chosen.append(option if option in _AGED else name)
    return sorted(chosen, key=lambda name: CACHES.fullmatch(name) is None)


def _tree(call: Call, state: State) -> Hit | None:
    path = call.argument(0, "path")
    here = path.known_text in _HERE or is_here(path) or path.fact is Fact.HERE
    home = _HOME.fullmatch(path.text or "")
    return Hit(call.node) if here or home or is_whole(path) else _of_chosen(call, path)


def _of_chosen(call: Call, path: Value) -> Hit | None:
    """True for deleting files of a home folder that are chosen by name or age, as ``find -name`` does."""
    return Hit(call.node, severity="warn") if path.fact is Fact.CHOSEN and call.tail in _DELETES else None


def _each(call: Call, state: State) -> Hit | None:
    """``os.remove(path)`` for every file below a home folder."""
    path = call.argument(0, "path", "src")
    if path.fact is Fact.HERE:
        return Hit(call.node) if call.tail in ("remove", "unlink") else None
    return Hit(call.node) if is_whole(path) or _NO_FILE.match(path.known_text or "") else _of_chosen(call, path)


def _of_each(call: Call, state: State) -> Hit | None:
    if call.receiver.fact is Fact.HERE:
        return Hit(call.node) if call.tail == "unlink" else None
    text = call.tail == "replace" and len(call.args) != 1  # of a string
    return Hit(call.node) if call.receiver.fact is Fact.WHOLE and not text else _of_chosen(call, call.receiver)


def _emptied(call: Call, state: State) -> Hit | None:
    return _each(call, state) if "w" in (call.argument(1, "mode").known_text or "") else None


RULE: Final = Rule(
    id="destructive-command",
    cwe=73,
    severity="block",
    message="This deletes everything below a place that matters, and can't be undone.",
    remedy="Name the one folder that you mean, and look at what is in it first.",
    bad=(
        "!rm -rf /",
        "!sudo rm -rf ~/*",
        "%%bash\nrm -rf *",
        "from pathlib import Path\nfor path in Path.home().rglob('*'):\n    path.unlink()",
    ),
    good=(
        "!rm -rf build",
        "!rm data.csv",
        'import shutil\nshutil.rmtree("build")',
        "from pathlib import Path\nfor path in (Path.home() / 'runs').rglob('*.tmp'):\n    path.unlink()",
    ),
    calls={
        **where(_calls),
        **on("shutil.rmtree distutils.dir_util.remove_tree", _tree),
        **on("os.remove os.unlink os.rmdir os.truncate os.rename os.replace shutil.move", _each),
        "open": _emptied,
    },
    methods=methods_where(_calls) | on("unlink rmdir write_text write_bytes rename replace", _of_each),
    command=_command,
)
