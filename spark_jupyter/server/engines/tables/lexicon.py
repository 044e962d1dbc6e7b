"""Tokens of a prompt: grammar words, names and values."""

from __future__ import annotations

import calendar
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs
from rapidfuzz.distance import OSA

from spark_jupyter.server.engines.columns import is_identifier
from spark_jupyter.server.engines.namespace import Namespace, Variable
from spark_jupyter.server.engines.tables.table_plan import Ref

_TOKEN = re.compile(
    r"""(?P<string>"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<!\w)'[^']*'(?!\w))
    |(?P<path>[\w./~-]*\w\.(?:csv|tsv|xlsx|json|parquet)\b)
    |(?P<date>\d{4}-\d{1,2}(?:-\d{1,2})?\b|\d{1,2}\.\d{1,2}\.\d{4}\b)
    |(?P<number>\d+(?:,\d{3})*(?:\.\d+)?(?![\w]))(?P<percent>\ ?%)?
    |(?P<word>\w+(?:['’-]\w+)*)
    |(?P<sign>>=|<=|==|!=|<>|[^\w\s])""",
    re.VERBOSE,
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[^\W\d_A-Z]+\d*|\d+|[^\w\s]")
_NAME_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
_LONGEST = 8
_SHORTEST_TYPO = 6
_PLURALS = (
    ("ies", "y"), ("(?<=[sxz])es|(?<=[cs]h)es", ""), ("(?<!s)s", ""),
    ("(?<![aeiou])y", "ies"), ("(?<=[sxz])|(?<=[cs]h)", "es"), ("", "s"),
)  # fmt: skip
"""The end of a word, and of its plural or singular."""
_CONNECTIVES = frozenset({"_AND", "_OR", "_PER", "_BY", "_IS", "_TO", "_TIMES", "_WHERE", "_SORTED"})
_NOUNS = frozenset({"TABLE", "_ROWS", "KEY", "COLUMN", "SOMEONE"})
_ENDS, _PLACES = frozenset({"_TOP", "_BOTTOM"}), frozenset({"_FIRST", "_LAST", "_RANDOM"})
_LONGEST_PROMPT = 400
_PLAIN_NAME = re.compile(r"-?\d+(?:\.\d+)?|\(.*\)|\d{4}-\d\d-\d\d.*")
"""A label that may be no text: a number, a tuple, a date."""


class Kinds:
    """The terminals that a word belongs to. Equal to the name of each: this is how Lark's scanner asks."""

    __slots__ = ("names",)

    def __init__(self, names: Mapping[str, tuple[object, ...]]) -> None:
        self.names = names

    def __eq__(self, other: object) -> bool:
        return other in self.names

    def __hash__(self) -> int:
        return id(self)


class Token:
    """A word or phrase of the prompt, with what each of its terminals would stand for."""

    __slots__ = ("mask", "text", "type")

    def __init__(self, text: str, kinds: Mapping[str, tuple[object, ...]], mask: int = 0) -> None:
        self.text = text
        self.type = Kinds(kinds)
        self.mask = mask


class Piece(Struct, frozen=True):
    """A word as it is written, the terminals that its shape gives it, and its place in the prompt."""

    text: str
    key: str
    kinds: dict[str, tuple[object, ...]]
    start: int = 0
    end: int = 0


Phrases = dict[tuple[str, ...], dict[str, tuple[object, ...]]]


def pieces(text: str) -> list[Piece]:
    """The words, numbers, strings and signs of a prompt."""
    found: list[Piece] = []
    for match in _TOKEN.finditer(text):
        found.extend(structs.replace(one, start=match.start(), end=match.end()) for one in _pieces(match))
    return found


def _pieces(match: re.Match[str]) -> Iterator[Piece]:
    text = match[0]
    if match["string"]:
        yield Piece(text, text, {"STRING": (text[1:-1],)})
    elif match["path"]:
        yield Piece(text, text, {"PATH": (text,)})
    elif match["date"]:
        yield Piece(text, text, {"DATE": (_iso(text),)})
    elif match["number"]:
        yield _number(match["number"], "PERCENT" if match["percent"] else "NUMBER")
    else:
        word = text.replace("’", "'").removesuffix("'s")
        yield Piece(word, word.lower(), {"WORD": (word,)} if match["word"] and word.isidentifier() else {})


def _number(text: str, kind: str) -> Piece:
    value = float(text.replace(",", ""))
    kinds: dict[str, tuple[object, ...]] = {kind: (value,)}
    if kind == "NUMBER" and re.fullmatch(r"(?:19|20)\d\d", text):
        kinds["YEAR"] = (int(value),)
    return Piece(text, text, kinds)


def _iso(text: str) -> str:
    if "." in text:
        day, month, year = text.split(".")
        text = f"{year}-{month}-{day}"
    return "-".join(part.zfill(2) for part in text.split("-"))


def vocabulary(terminals: Iterable[tuple[str, str]]) -> Phrases:
    """The phrases of the grammar's terminals, from their names and regular expressions: alternatives of plain text."""
    found: Phrases = {}
    for name, pattern in terminals:
        for phrase in re.split(r"(?<!\\)\|", re.sub(r"^\(\?:(.*)\)$", r"\1", pattern)):
            plain = re.sub(r"\\(.)", r"\1", phrase)
            key = tuple(piece.key for piece in pieces(plain))
            found.setdefault(key, {})[name] = (_meaning(name, plain),)
    return found


def _meaning(name: str, phrase: str) -> object:
    """The value of a word: months are numbers, as the calendar counts them."""
    if name == "MONTH":
        return [one.lower() for one in calendar.month_abbr].index(phrase[:3])
    return phrase if name.startswith("COLOUR") else name


def _forms(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """A name as it may be written: as it is, in the plural and in the singular."""
    *first, last = words
    yield (*first, last)
    if not last.isalpha() or len(last) < 3:
        return
    for ending, other in _PLURALS:
        if re.search(f"(?:{ending})$", last):
            yield (*first, re.sub(f"(?:{ending})$", other, last, count=1))
            break


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name: ``unit_price``, ``unitPrice`` and ``Unit Price`` have two."""
    return tuple(part.lower() for part in _PARTS.findall(name.replace("_", " ")))


def _mean(phrases: Phrases, form: tuple[str, ...], kind: str, meaning: object) -> None:
    kinds = phrases.setdefault(form, {})
    if meaning not in kinds.get(kind, ()):
        kinds[kind] = (*kinds.get(kind, ()), meaning)


@functools.lru_cache(maxsize=4096)
def _column_forms(name: str) -> tuple[frozenset[tuple[str, ...]], ...]:
    """The spellings of a column: as it is named, inflected, and by a part of its name."""
    words = name_words(name)
    plain = tuple(word for word in words if word.isalnum())
    named = {form for form in (tuple(one.lower() for one in _NAME_TOKEN.findall(name)), words, plain) if form}
    cuts = ((start, end) for start in range(len(plain)) for end in range(start + 1, len(plain) + 1))
    parts = {
        plain[start:end]
        for start, end in cuts
        if end - start < len(plain) and any(len(one) > 1 for one in plain[start:end])
    }
    inflected = {form for one in named for form in _forms(one)} - named
    return frozenset(named), frozenset(inflected), frozenset(form for one in parts for form in _forms(one))


def _may_name(form: tuple[str, ...], ref: Ref) -> bool:
    """Whether a part of a column's name may mean it: "orders" are rows, and no ``order_date``."""
    words = name_words(ref.column.name)
    dated = ref.column.holds.startswith("dates") or words[-1] in ("date", "day", "time")
    return not dated or form[-1] in words or form[-1][:-1] == words[-1]


class Schema:
    """The phrases that name the tables, columns and values of a namespace; copies of a table are meant where ``text`` has their name."""

    def __init__(self, namespace: Namespace, text: str = "") -> None:
        passing = namespace.fleeting - {*re.findall(r"\w+", text)}
        self.tables = {
            one.name: one for one in namespace.variables if one.type == "DataFrame" and one.name not in passing
        }
        every = (Ref(name, column) for name, one in self.tables.items() for column in one.columns)
        self.names_of_people = tuple(ref for ref in every if ref.column.name.lower() == "name")
        self.phrases: Phrases = {}
        self.inflected: Phrases = {}
        self.loose: Phrases = {}
        for table in self.tables.values():
            self._add_table(table)

    def _add_table(self, table: Variable) -> None:
        taken = {name_words(one.name) for each in self.tables.values() for one in each.columns}
        for words in ((table.name.lower(),), name_words(table.name), *({name_words(table.file)} - taken)):
            self._add(words, "TABLE", table.name)
        for column in table.columns[:1]:  # one that numbers all rows says what a row is: "order" by ``order_id``
            words = name_words(column.name)[:-1]
            if column.own and is_identifier(column) and words not in taken:
                self._add(words, "TABLE", table.name)
                self._add(words, "NUMBERED", Ref(table.name, column))
        for column in (*table.columns, *table.index):
            if _PLAIN_NAME.fullmatch(column.name) or not column.name.strip() or column.holds == "index":
                continue
            ref = Ref(table.name, column)
            for phrases, forms in zip(
                (self.phrases, self.inflected, self.loose), _column_forms(column.name), strict=True
            ):
                for form in forms:
                    if phrases is not self.loose or _may_name(form, ref):
                        _mean(phrases, form, "COLUMN", ref)
                    else:
                        _mean(phrases, form, "_ROWS", "_ROWS")
            for value in dict.fromkeys((*column.values, *(text for texts in column.spellings for text in texts))):
                self._add(tuple(piece.key for piece in pieces(value)), "VALUE", (ref, value))

    def _add(self, words: tuple[str, ...], kind: str, meaning: object) -> None:
        """A name in all its forms; one that is written as it is comes before an inflected one."""
        for form in _forms(words) if words else ():
            _mean(self.phrases if form == words else self.inflected, form, kind, meaning)

    def find(self, key: tuple[str, ...], *, known: bool) -> dict[str, tuple[object, ...]]:
        """The tables, columns and values of a phrase. A part of a name counts where no name is whole and the grammar lacks the phrase."""
        exact, inflected = self.phrases.get(key, {}), self.inflected.get(key, {})
        if "TABLE" in exact or ("TABLE" in inflected and not exact):  # a column of a table's name is one to group by
            columns = (*exact.get("COLUMN", ()), *inflected.get("COLUMN", ()))
            found = {name: meanings for name, meanings in {**inflected, **exact}.items() if name != "COLUMN"}
            return {**found, "KEY": columns} if columns else found
        return exact or inflected or ({} if known else self.loose.get(key, {}))

    def quoted(self, text: str) -> dict[str, tuple[object, ...]]:
        """The columns of a name in quotation marks."""
        refs = tuple(Ref(one.name, column) for one in self.tables.values() if (column := one.column(text)) is not None)
        return {"COLUMN": refs} if refs else {}


def tokens(text: str, schema: Schema, phrases: Phrases, noise: frozenset[tuple[str, ...]]) -> list[Token]:
    """The prompt as tokens, each the longest phrase that begins where the one before ends; none for what is too long, or no words."""
    every = pieces(text)
    if len(every) > _LONGEST_PROMPT:
        return []
    words = _without_noise(_spelt(every, schema, phrases), schema, phrases, noise)
    found, at = [], 0
    while at < len(words):
        length, token = _longest(words, at, schema, phrases)
        found.append(token)
        at += length
    return [one for at, token in enumerate(found) for one in _with_one(token, found[at + 1 : at + 3])]


def _with_one(token: Token, following: Sequence[Token]) -> Iterator[Token]:
    """The token, and a number behind a "first" or "best" before a noun in the singular: there one is meant."""
    yield token
    kinds = [one.type.names.keys() for one in (token, *following)]
    last = following[0].text.lower().split()[-1] if following else "s"
    if re.search(r"(?<!s)s$", last) or not _NOUNS & kinds[1]:
        return
    ranked = len(kinds) > 2 and _ENDS & kinds[0] and {"_BY", "_IN"} & kinds[2]
    if ranked or (_PLACES & kinds[0] and {"TABLE", "_ROWS"} & kinds[1]):
        yield Token("1", {"NUMBER": (1.0,)})


def _spelt(words: list[Piece], schema: Schema, phrases: Phrases) -> list[Piece]:
    """The words with a letter too much, too few, wrong or exchanged put right, where one known word is so near."""
    lexis = {part for key in phrases for part in key}
    lexis.update(part for names in (schema.phrases, schema.inflected, schema.loose) for key in names for part in key)
    return [_corrected(word, lexis) if "WORD" in word.kinds and word.key not in lexis else word for word in words]


def _corrected(word: Piece, lexis: set[str]) -> Piece:
    near = [one for one in lexis if min(len(one), len(word.key)) >= _SHORTEST_TYPO - 1 and one[0] == word.key[0]]
    found = [one for one in near if OSA.distance(one, word.key, score_cutoff=1) == 1]
    return structs.replace(word, key=found[0]) if len(found) == 1 and len(word.key) >= _SHORTEST_TYPO else word


def _without_noise(
    words: list[Piece], schema: Schema, phrases: Phrases, noise: frozenset[tuple[str, ...]]
) -> list[Piece]:
    """The words without articles and politeness. One that is a column's name stays where an article can't stand: "sum of a and b"."""
    kept: list[Piece] = []
    at = 0
    while at < len(words):
        length = next((n for n in range(4, 0, -1) if tuple(one.key for one in words[at : at + n]) in noise), 0)
        named = words[at].text in schema.tables or "COLUMN" in schema.phrases.get((words[at].key,), {})
        if length == 1 and named and _ends_noun(words[at + 1 : at + 2], phrases):
            length = 0
        if not length:
            kept.append(words[at])
        at += length or 1
    return kept


def _ends_noun(following: list[Piece], phrases: Phrases) -> bool:
    """True if no noun can follow."""
    if not following or not following[0].key[0].isalnum():
        return True
    return not phrases.get((following[0].key,), {}).keys().isdisjoint(_CONNECTIVES)


def _longest(words: Sequence[Piece], at: int, schema: Schema, phrases: Phrases) -> tuple[int, Token]:
    """The longest phrase that begins at a word: its length and its token."""
    for length in range(min(_LONGEST, len(words) - at), 0, -1):
        span = words[at : at + length]
        key = tuple(piece.key for piece in span)
        known = phrases.get(key, {})
        kinds = {**known, **schema.find(key, known=any(name.startswith("_") and name != "_PERSON" for name in known))}
        if kinds or length == 1:
            break
    if length == 1:
        kinds = {**span[0].kinds, **kinds}
        if "STRING" in kinds:
            kinds |= schema.quoted(str(kinds["STRING"][0]))
        if "_PERSON" in kinds and span[0].key != "one" and not {"COLUMN", "KEY", "TABLE"} & kinds.keys():
            kinds["SOMEONE"] = schema.names_of_people
        if span[0].text in schema.tables:  # "data" is the table of that name, and no word for any
            kinds = {name: meanings for name, meanings in kinds.items() if name not in ("_ROWS", "_TABLE")}
        if "COLUMN" in kinds:
            kinds.pop("SCORE", None)
        if kinds.keys() == {"WORD"}:
            kinds["UNKNOWN"] = kinds["WORD"]
    kinds["TEXT"] = ((span[0].start, span[-1].end),)
    return length, Token(" ".join(piece.text for piece in span), kinds)
