"""Parser of refactoring prompts, such as "rename df to sales".

It imports no parser of Python. A prompt that names one thing of the notebook and what is to become of it is
understood; everything else is a model's.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

_NAME: Final = r"[^\W\d]\w*"
_TICKED: Final = rf"`?(?P<{{}}>{_NAME})`?"
_CELL: Final = r"(?:(?P<this>this(?: cell| code)?|the cell|it)|(?:the )?cell (?P<cell>\d{1,4}))"
_END: Final = r"[.!]?\s*$"
_A_FUNCTION: Final = r"(?:a |the )?(?:new )?function(?:,?(?: called| named)?"
_EVERYWHERE: Final = (
    r"(?P<everywhere>\s+(?:everywhere|in (?:all|every) cells?|in the (?:whole |entire )?notebook|in this notebook))?"
)
_LINES: Final = r"lines? (?P<first>\d{1,5})(?:\s*(?:-|–|to|and)\s*(?P<last>\d{1,5}))?"


class RenameVariable(Struct, frozen=True):
    """Rename a variable, function, class or import."""

    old: str
    new: str


class RenameColumn(Struct, frozen=True):
    """Rename a column. ``table`` is empty where it was not said; ``sure``: it can be meant no other way."""

    table: str
    old: str
    new: str
    sure: bool = True


class ExtractVariable(Struct, frozen=True):
    """Give an expression a name. ``cell`` is the number that was said, None: this one."""

    expression: str
    name: str
    cell: int | None = None


class MakeFunction(Struct, frozen=True):
    """Make a function of a cell, or of some of its lines. ``name`` is empty where it was not said."""

    name: str = ""
    cell: int | None = None
    lines: tuple[int, int] | None = None


class Inline(Struct, frozen=True):
    """Replace a variable by its expression."""

    name: str


class MoveToModule(Struct, frozen=True):
    """Move definitions to a file."""

    names: tuple[str, ...]
    module: str


class Reword(Struct, frozen=True):
    """Replace a word in the Markdown cells."""

    old: str
    new: str


class Refine(Struct, frozen=True):
    """Make a cell faster. ``cell`` is its number; None: this one."""

    cell: int | None


Wish = Refine | RenameVariable | RenameColumn | ExtractVariable | MakeFunction | Inline | MoveToModule | Reword

_RENAME: Final = re.compile(
    rf"(?:please )?rename (?:the )?(?P<kind>variable |function |class |table |data ?frame |import |column )?"
    rf"`?(?:(?P<table>{_NAME})(?:\.(?P<attribute>{_NAME})|\[(?P<q>[\"'])(?P<item>[^\"'\n]{{1,200}})(?P=q)\])"
    rf"|(?P<old>{_NAME})|(?P<quote>[\"'])(?P<text>[^\"'\n]{{1,200}})(?P=quote))`?"
    rf"(?: (?:of|in) (?:the )?(?:table )?`?(?P<of>(?!all|every|the)(?!this\b){_NAME})`?)?"
    rf" (?:to|into|as) `?(?P<new>{_NAME}|[\"'][^\"'\n]{{1,200}}[\"'])`?{_EVERYWHERE}{_END}",
    re.IGNORECASE,
)
_EXTRACT_LINES: Final = re.compile(
    rf"(?:extract|move|make|turn|put) {_LINES}(?: (?:of|in|from) {_CELL})? (?:as|into|to|in)?\s*"
    rf"{_A_FUNCTION} {_TICKED.format('name')})?{_END}",
    re.IGNORECASE,
)
_EXTRACT: Final = re.compile(
    rf"extract (?:the expression )?(?:`(?P<ticked>[^`\n]{{1,500}})`|(?P<plain>[^\n]{{1,500}}?))(?: (?:of|in|from) {_CELL})? (?:as|into|to)"
    rf" (?:a )?(?:new )?(?:variable )?(?:called |named )?{_TICKED.format('name')}{_END}",
    re.IGNORECASE,
)
_FUNCTION: Final = re.compile(
    rf"(?:make|turn|move|put|extract) {_CELL} (?:into |to |in )?{_A_FUNCTION} {_TICKED.format('name')})?{_END}",
    re.IGNORECASE,
)
_INLINE: Final = re.compile(
    rf"inline (?:the )?(?:variable )?{_TICKED.format('name')}{_EVERYWHERE}{_END}", re.IGNORECASE
)
_MOVE: Final = re.compile(
    rf"move (?:the )?(?:functions? |class(?:es)? )?(?P<names>`?{_NAME}`?(?:(?:\s*,\s*|,? and | )`?{_NAME}`?){{0,20}})"
    rf" (?:in)?to (?:a |the )?(?:module |file )?(?:called |named )?`?(?P<module>[\w./-]+\.py)`?{_END}",
    re.IGNORECASE,
)
_REFINE: Final = re.compile(rf"refine {_CELL}{_END}", re.IGNORECASE)
_REWORD: Final = re.compile(
    rf"write {_TICKED.format('new')} for {_TICKED.format('old')} in the (?:text|markdown)(?: cells)?{_END}",
    re.IGNORECASE,
)


def read(text: str) -> Wish | None:
    """Parse a prompt for a refactoring; None if it asks for something else."""
    said = " ".join(text.split()) if "`" not in text else text.strip()
    if len(said) > 1000 or "\n" in said:
        return None
    for pattern, make in _READERS:
        if found := pattern.match(said):
            return make(found)
    return None


def in_words(verb: str, rest: str) -> str | None:
    """Rewrite a short form of ``%spark rename`` and the like as a prompt for :func:`read`; None if it is none."""
    for pattern, words in _SHORT.get(verb, ()):
        if found := re.fullmatch(pattern, rest.strip()):
            said = words.format(**{key: value or "" for key, value in found.groupdict().items()})
            return said if read(said) is not None else None
    return None


_COLUMN: Final = rf"{_NAME}(?:\.{_NAME}|\[[\"'][^\"']+[\"']\])?"
_ARTICLE: Final = r"(?:the|this|that|it|all|my|an?|every|each|columns?|files?)\b"
_SHORT: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "rename": ((rf"(?P<old>(?!{_ARTICLE}){_COLUMN}) (?P<new>{_NAME}|[\"'][^\"']+[\"'])", "rename {old} to {new}"),),
    "refine": ((r"", "refine this"), (r"(?P<where>cell \d{1,4})", "refine {where}")),
    "inline": ((rf"(?P<name>(?!{_ARTICLE}){_NAME})", "inline {name}"),),
    "function": (
        (rf"(?P<name>{_NAME})?", "make this a function {name}"),
        (rf"(?P<name>{_NAME}) (?P<where>cell \d{{1,4}})", "make {where} a function {name}"),
        (
            rf"(?P<name>{_NAME}) (?P<lines>lines? [\d–-]+)(?P<where>(?: (?:of |in )?cell \d{{1,4}})?)",
            "extract {lines}{where} as a function {name}",
        ),
    ),
    "move": (
        (rf"(?P<names>{_NAME}(?:[ ,]+(?!to ){_NAME})*) (?:to )?(?P<module>[\w./-]+\.py)", "move {names} to {module}"),
    ),
}
"""Arguments of the magics' short forms."""


def _rename(found: re.Match[str]) -> Wish:
    new, column = found["new"].strip("\"'"), found["attribute"] or found["item"] or found["text"]
    if column or (found["kind"] or "").strip().lower() == "column":
        table = found["table"] or found["of"] or ""
        sure = bool(table and not found["of"]) or bool(found["everywhere"])
        return RenameColumn(table, column or found["old"], new, sure)
    if found["of"]:
        return RenameColumn(found["of"], found["old"], new, sure=bool(found["everywhere"]))
    return RenameVariable(found["old"], new)


def _number(found: re.Match[str]) -> int | None:
    return int(found["cell"]) if found["cell"] else None


def _of_lines(found: re.Match[str]) -> Wish:
    first = int(found["first"])
    return MakeFunction(found["name"] or "", _number(found), (first, int(found["last"] or first)))


_READERS: Final = (
    (_RENAME, _rename),
    (_EXTRACT_LINES, _of_lines),
    (_FUNCTION, lambda found: MakeFunction(found["name"] or "", _number(found))),
    (
        _EXTRACT,
        lambda found: ExtractVariable((found["ticked"] or found["plain"]).strip(), found["name"], _number(found)),
    ),
    (_INLINE, lambda found: Inline(found["name"])),
    (
        _MOVE,
        lambda found: MoveToModule(tuple(re.findall(_NAME, re.sub(r"\band\b", ",", found["names"]))), found["module"]),
    ),
    (_REFINE, lambda found: Refine(_number(found))),
    (_REWORD, lambda found: Reword(found["old"], found["new"])),
)
