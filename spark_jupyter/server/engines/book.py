"""Reader of recipe books, which are notebooks of headings, phrasings and cells.

The format is made to be typed by a teacher in Jupyter::

    ## Histogram of a column                    an entry is one Markdown cell that begins so …
    Counts how many rows fall in each bin.      (told to the user)
    - plot a histogram of {x}                   the phrasings
    Replace:
    - `df` = DataFrame                          what may be replaced, and what it is
    - `"mass"` = {x} number column

and the cells below it up to the next ``## ``: code cells whose first line is ``# setup`` make the example's data, those
with ``# check`` are for tests, Markdown cells ``### Variant: log scale`` begin a variant, the others are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from rapidfuzz import process

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.server.engines import rewrite
from spark_jupyter.source.python_parser import parse_python
from spark_jupyter.typed_decoders import json_decoder

VARIABLE_KINDS = {kind: kind for kind in ("DataFrame", "Series", "array", "list", "dict", "set", "function")}
VARIABLE_KINDS |= {
    "number list": "list",
    "text list": "list",
    "text variable": "str",
    "number variable": "number",
    "variable": "",
}
COLUMN_KINDS = ("column", *(f"{one} column" for one in ("number", "category", "text", "date", "date text", "bool")))
COLUMN_LISTS = ("columns", "number columns")
VALUE_KINDS = ("new column", *COLUMN_LISTS, "file", "new file", "number", "text", "value", "one of")
NAME_KINDS = ("function name", "class name", "new name")
KINDS = (*VARIABLE_KINDS, *COLUMN_KINDS, *VALUE_KINDS, *NAME_KINDS)

_BULLET = re.compile(r"^\s*[-*+]\s+(.*\S)\s*$")
_REPLACE = re.compile(r"^\W*replace\W*$", re.IGNORECASE)
_DECLARATION = re.compile(r"^`(?P<token>[^`]+)`\s*[=:]\s*(?:\{(?P<slot>\w+)\}\s*)?(?P<kind>.+)$")
_KEYWORD = re.compile(r"^(?P<keyword>[A-Za-z_]\w*)\s*=\s*(?P<literal>[^=].*)$", re.DOTALL)
_CHOICE = re.compile(r"\s*(?P<value>[^,(]+?)\s*(?:\((?P<words>[^)]*)\))?\s*(?:,|$)")
_VARIANT = re.compile(r"\A###\s+variant\s*:\s*(?P<title>.+)$", re.IGNORECASE | re.MULTILINE)
_ENTRY = re.compile(r"\A##\s+(?P<title>\S.*)$", re.MULTILINE)
_MARK = re.compile(r"^#\s*(?P<mark>setup|check|add)\s*\n?", re.IGNORECASE)


class Choice(Struct, frozen=True):
    """One value that a ``one of`` may take (Python source), and the words that ask for it."""

    value: str
    words: tuple[str, ...] = ()


class Replacement(Struct, frozen=True, kw_only=True):
    """Something in an entry's code that gives way to the user's own. ``token`` and the choices are Python source."""

    token: str
    kind: str
    slot: str
    keyword: str | None = None
    labels: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def role(self) -> rewrite.Role:
        """The kind of place in code where the token is looked for."""
        if self.kind in VARIABLE_KINDS or self.kind in NAME_KINDS:
            return "name"
        if self.kind in COLUMN_KINDS or self.kind == "new column":
            return "column"
        return {"columns": "list", "number columns": "list", "one of": "choice"}.get(self.kind, "literal")  # type: ignore[return-value]

    def by(self, new: str) -> rewrite.Change:
        """The change that puts the source ``new`` in its place."""
        return rewrite.Change(token=self.token, new=new, role=self.role, keyword=self.keyword)


class BookCell(Struct, frozen=True):
    source: str
    cell_type: Literal["code", "markdown"] = "code"


class Variant(Struct, frozen=True, kw_only=True):
    """Another way to do what an entry does. ``cells`` take the place of the entry's, ``added`` come after them."""

    title: str
    phrases: tuple[str, ...]
    cells: tuple[BookCell, ...] = ()
    added: tuple[BookCell, ...] = ()
    setup: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


class Entry(Struct, frozen=True, kw_only=True):
    title: str
    book: str
    phrasings: tuple[str, ...]
    notes: str = ""
    replacements: tuple[Replacement, ...] = ()
    setup: tuple[str, ...] = ()
    cells: tuple[BookCell, ...] = ()
    checks: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()


class Book(Struct, frozen=True, kw_only=True):
    title: str
    path: Path
    entries: tuple[Entry, ...]


class _Cell(Struct):
    cell_type: str
    source: str | list[str] = ""

    @property
    def text(self) -> str:
        return self.source if isinstance(self.source, str) else "".join(self.source)


class _Notebook(Struct):
    cells: list[_Cell]


_notebook = json_decoder(_Notebook)


def find(places: Iterable[Path | str]) -> list[Path]:
    """The book files named by ``places``: notebooks, or folders that hold some.

    Raises :class:`ConfigurationError` for a place that is not there or holds no notebook.
    """
    found: list[Path] = []
    for place in map(Path, places):
        if place.is_dir():
            inside = sorted(path for path in place.glob("*.ipynb") if path.is_file() and path.name[0] != ".")
            if not inside:
                raise ConfigurationError(
                    f"The folder {place} holds no notebook.", remedy="Give a folder of .ipynb recipe books."
                )
            found.extend(inside)
        elif place.is_file():
            found.append(place)
        else:
            raise ConfigurationError(
                f"There is no recipe book {place}.", remedy="Give a notebook, or a folder that holds some."
            )
    return found


def load(path: Path | str, *, check: bool = True) -> Book:
    """The book in the notebook ``path``.

    With ``check`` the code of every entry is parsed (a millisecond each) and every declared token looked for in it. Raises
    :class:`ConfigurationError` that names the file, the entry and what to do.
    """
    path = Path(path)
    cells = _read(path)
    title = _book_title(path, cells)
    entries: list[Entry] = []
    for group in _groups(cells):
        entry = _entry(path, title, group)
        if check:
            _check(path, entry)
        entries.append(entry)
    if not entries:
        raise _wrong(path, "", "has no entry", "Begin a Markdown cell with '## Title' and a list of phrasings.")
    _check_unique(path, entries)
    return Book(title=title, path=path, entries=tuple(entries))


def _wrong(path: Path, entry: str, message: str, remedy: str) -> ConfigurationError:
    where = f"In the recipe book {path}, the entry '{entry}'" if entry else f"The recipe book {path}"
    return ConfigurationError(f"{where} {message}.", remedy=remedy)


def _read(path: Path) -> list[_Cell]:
    try:
        return _notebook.decode(path.read_bytes()).cells
    except OSError as error:
        raise _wrong(path, "", f"can't be read ({error.strerror})", "Check the name and the permissions.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _wrong(path, "", f"is not a notebook ({error})", "Save it from Jupyter as .ipynb (format 4).") from None


def _book_title(path: Path, cells: Sequence[_Cell]) -> str:
    first = cells[0].text.lstrip() if cells and cells[0].cell_type == "markdown" else ""
    match = re.match(r"#\s+(\S.*)", first)
    if not match:
        raise _wrong(path, "", "has no title", "Make its first cell a Markdown cell that begins with '# Title'.")
    return match[1].strip()


def _groups(cells: Sequence[_Cell]) -> Iterable[list[_Cell]]:
    group: list[_Cell] = []
    for cell in cells:
        if cell.cell_type == "markdown" and _ENTRY.match(cell.text.lstrip()):
            if group:
                yield group
            group = [cell]
        elif group:
            group.append(cell)
    if group:
        yield group


def _entry(path: Path, book: str, group: list[_Cell]) -> Entry:
    lines = group[0].text.strip().splitlines()
    match = _ENTRY.match(lines[0])
    assert match is not None  # _groups begins a group only there
    title = match["title"].strip()
    phrasings, declarations, notes = _parts(lines[1:])
    if not phrasings:
        raise _wrong(path, title, "has no phrasings", "Below its title, list the ways people ask for it: '- plot a …'.")
    replacements = tuple(_replacement(path, title, line) for line in declarations)
    parts: list[list[_Cell]] = [[]]
    for cell in group[1:]:
        if cell.cell_type == "markdown" and _VARIANT.match(cell.text.lstrip()):
            parts.append([cell])
        elif cell.text.strip():
            parts[-1].append(cell)
    sorted_cells = _sort_cells(parts[0])
    if not any(cell.cell_type == "code" for cell in sorted_cells.cells):
        raise _wrong(path, title, "has no code", "Put a code cell below it that is not '# setup' or '# check'.")
    return Entry(
        title=title,
        book=book,
        phrasings=phrasings,
        notes=notes,
        replacements=replacements,
        setup=sorted_cells.setup,
        cells=sorted_cells.cells,
        checks=sorted_cells.checks,
        variants=tuple(_variant(path, title, part) for part in parts[1:]),
    )


def _parts(lines: Sequence[str]) -> tuple[tuple[str, ...], list[str], str]:
    """Phrasings, declarations and notes of an entry's Markdown below its title."""
    phrasings: list[str] = []
    declarations: list[str] = []
    notes: list[str] = []
    current = phrasings
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet:
            current.append(bullet[1])
        elif _REPLACE.match(line) and line.strip():
            current = declarations
        else:
            notes.append(line)
    return tuple(phrasings), declarations, "\n".join(notes).strip()


def _sort_cells(cells: Iterable[_Cell]) -> Variant:
    """The cells by their marks, in a Variant without a name."""
    marked: dict[str, list[str]] = {"setup": [], "check": []}
    answer: list[BookCell] = []
    added: list[BookCell] = []
    for cell in cells:
        text = cell.text.strip("\n")
        if cell.cell_type == "markdown":
            answer.append(BookCell(text, "markdown"))
        elif cell.cell_type == "code":
            match = _MARK.match(text)
            mark, body = (match["mark"].lower(), text[match.end() :].strip("\n")) if match else ("", text)
            if mark == "add":
                added.append(BookCell(body))
            elif mark:
                marked[mark].append(body)
            else:
                answer.append(BookCell(body))
    return Variant(
        title="",
        phrases=(),
        cells=tuple(answer),
        added=tuple(added),
        setup=tuple(marked["setup"]),
        checks=tuple(marked["check"]),
    )


def _variant(path: Path, entry: str, group: list[_Cell]) -> Variant:
    lines = group[0].text.strip().splitlines()
    match = _VARIANT.match(lines[0])
    assert match is not None  # _entry begins a variant only there
    title = match["title"].strip()
    phrases, _, _ = _parts(lines[1:])
    variant = _sort_cells(group[1:])
    if not phrases or not (variant.cells or variant.added):
        remedy = "Give it a list of phrases ('- log scale') and a code cell."
        raise _wrong(path, entry, f"has a variant '{title}' without phrases or without code", remedy)
    return msgspec.structs.replace(variant, title=title, phrases=phrases)


def _replacement(path: Path, entry: str, line: str) -> Replacement:
    match = _DECLARATION.match(line)
    if not match:
        remedy = "Write it as - `token` = {slot} kind, for instance: - `df` = DataFrame."
        raise _wrong(path, entry, f"declares '{line}', which can't be read", remedy)
    token, keyword = match["token"].strip(), None
    assignment = _KEYWORD.match(token)
    if assignment:
        keyword, token = assignment["keyword"], assignment["literal"].strip()
    kind, _, rest = match["kind"].strip().rstrip(".").partition(" of ")
    kind = _kind(path, entry, kind.strip())
    slot = match["slot"] or keyword or (token if token.isidentifier() else kind.split()[-1])
    choices = tuple(_choices(rest)) if kind == "one of" else ()
    if kind == "one of" and len(choices) < 2:
        raise _wrong(path, entry, f"gives no choices for `{token}`", "List them: one of mean (average), sum (total).")
    labels = () if choices else tuple(label.strip().lower() for label in rest.split(",") if label.strip())
    return Replacement(token=token, kind=kind, slot=slot, keyword=keyword, labels=labels, choices=choices)


def _kind(path: Path, entry: str, text: str) -> str:
    text = re.sub(r"^(an?|the)\s+", "", text)
    by_lower = {kind.lower(): kind for kind in KINDS}
    if text == "one":  # "one of …", cut at "of"
        return "one of"
    kind = by_lower.get(text.lower())
    if kind is None:
        near = process.extractOne(text.lower(), by_lower, score_cutoff=60)
        hint = f"Did you mean '{by_lower[near[0]] if near[0] in by_lower else near[0]}'? " if near else ""
        raise _wrong(path, entry, f"declares the unknown kind '{text}'", f"{hint}The kinds are: {', '.join(KINDS)}.")
    return kind


def _choices(text: str) -> Iterable[Choice]:
    for match in _CHOICE.finditer(text):
        words = tuple(word.strip().lower() for word in (match["words"] or "").split(",") if word.strip())
        yield Choice(match["value"].strip().strip("`"), words)


# --- Checks ----------------------------------------------------------------------------------------------------


def _check(path: Path, entry: Entry) -> None:
    answers = [*entry.cells, *(cell for variant in entry.variants for cell in (*variant.cells, *variant.added))]
    codes = [cell.source for cell in answers if cell.cell_type == "code"]
    others = [*entry.setup, *entry.checks]
    others += [source for variant in entry.variants for source in (*variant.setup, *variant.checks)]
    for source in [*codes, *others]:
        _check_code(path, entry, source)
    plain = [without_magics(source) for source in codes]
    for replacement in entry.replacements:
        if not any(rewrite.spans(source, replacement.by(replacement.token)) for source in plain):
            token = f"{replacement.keyword}={replacement.token}" if replacement.keyword else replacement.token
            remedy = "Use it in the code as it is declared, or take the declaration out."
            raise _wrong(path, entry.title, f"declares `{token}`, which its code does not use", remedy)


def _check_code(path: Path, entry: Entry, source: str) -> None:
    try:
        parse_python(without_magics(source))
    except SyntaxError as error:
        message = f"has code that is not Python (line {error.lineno} of a cell: {error.msg})"
        raise _wrong(path, entry.title, message, "Run the cell in Jupyter and correct it.") from None


def without_magics(source: str) -> str:
    """``source`` with lines such as ``%pip install x`` as comments, each line as long as it was, so that it parses."""
    return re.sub(r"(?m)^%", "#", source)


def _check_unique(path: Path, entries: Sequence[Entry]) -> None:
    titles: set[str] = set()
    phrasings: dict[str, str] = {}
    for entry in entries:
        if entry.title.lower() in titles:
            raise _wrong(path, entry.title, "is there twice", "Give each entry its own title.")
        titles.add(entry.title.lower())
        for phrasing in entry.phrasings:
            other = phrasings.setdefault(" ".join(phrasing.lower().split()), entry.title)
            if other != entry.title:
                message = f"has the phrasing '{phrasing}' of '{other}'"
                raise _wrong(path, entry.title, message, "Keep it where it belongs.")
