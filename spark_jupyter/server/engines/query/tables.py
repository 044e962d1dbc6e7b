"""Which of the user's tables a prompt is about. A wrong table is worse than a question. Pure.

What is named comes first, then what has the columns that are named; leftovers of loops and copies come last, and of equals
the youngest is taken. Where columns of two tables are named, they are joined by what they share.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.protocol.offers import offer
from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import marks, words
from spark_jupyter.server.engines.namespace import Column
from spark_jupyter.server.engines.query import lexicon, meant
from spark_jupyter.server.engines.query.marked import Marked, V

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Namespace, Variable

_LEFTOVER = re.compile(
    r"^_|^chosen(?:_\d+)?$|^(?:part|chunk|sub|subset|tmp|temp|g|grp|group|piece|x|d|row|one)$|(?:^|_)(?:copy|backup|bak|old"
    r"|orig|original|tmp|temp)\d*$"
)
_TABLE_FILE = re.compile(r"\.(?:csv|tsv|xlsx?|parquet|feather)$", re.IGNORECASE)
_SEXES = re.compile(r"\b(?:wom[ae]n|men|females?|males?|girls?|boys?)\b", re.IGNORECASE)
_KEY = re.compile(r"(?:^|_)(?:id|key|code|nr|no|name)$|^id")


class Source(Struct, frozen=True, kw_only=True):
    """Where the rows come from: the table ``name``, joined with ``other`` on the columns ``on``, or read from ``file``.
    ``names`` are all tables that may be spoken of."""

    name: str
    columns: tuple[Column, ...]
    names: tuple[str, ...] = ()
    other: str = ""
    on: tuple[str, ...] = ()
    file: str = ""
    absent: bool = False
    polars: bool = False
    brings: bool = False
    records: bool = False
    own: int = 0
    """How many of the columns are the table's own, where it is joined; those behind are the other's."""


class Choice(Struct, frozen=True, kw_only=True):
    """The source that was taken, and the ``others`` that it could have been as well."""

    source: Source
    others: tuple[str, ...] = ()


def choose(prompt: str, namespace: Namespace) -> Choice | None:
    """The source that the prompt is about; None where there is no table at all."""
    if (file := _file(prompt)) is not None and not any(
        mentioned(prompt, one.name) for one in namespace.of_kind("DataFrame")
    ):
        return Choice(source=_from_file(prompt, file, namespace))
    tables = ranked(prompt, namespace)
    if not tables:
        return None
    best = tables[0]
    told = named_in(prompt, tables)
    named = [one for one in tables if one.name in told]
    spoken_of = tuple(one.name for one in tables if one.name in told or not mentioned(prompt, one.name))
    source = _joined(prompt, best, named, tables, spoken_of)
    if source is not None:
        return Choice(source=source)
    covered = len(columns_in(prompt, best))
    keyed = _keyed(prompt, best)
    others = [
        one.name
        for one in tables[1:]
        if (_keyed(prompt, one) or not keyed)
        and len(columns_in(prompt, one)) >= covered
        and not is_leftover(one, tables)
    ]
    return Choice(
        source=Source(
            name=best.name,
            columns=(*best.columns, *best.index),
            names=spoken_of,
            polars=best.polars,
            records=best.type == "list",
        ),
        others=() if named else tuple(others[:3]),
    )


def alternatives(prompt: str, choice: Choice) -> str:
    """What was taken without being sure, and the same prompt about the others, to be asked; empty where it is sure."""
    if not choice.others:
        return ""
    names_ = " and ".join(f"`{name}`" for name in choice.others)
    would = "would do as well" if len(choice.others) == 1 else "would each do as well"
    offers = "\n".join(offer(f"{prompt}, from {name}") for name in choice.others)
    return f"I took the table `{choice.source.name}`; {names_} {would}.\n\n{offers}"


def ranked(prompt: str, namespace: Namespace) -> list[Variable]:
    """The user's tables, the likeliest first."""
    tables = [
        *namespace.of_kind("DataFrame"),
        *(
            one
            for one in namespace.of_kind("list")
            if one.columns and (mentioned(prompt, one.name) or len(columns_in(prompt, one)) > 1)
        ),
    ]
    named = named_in(prompt, tables)
    numeric = re.search(r"\b(?:numeric|numbers?|correlation|correlated)\b", prompt, re.IGNORECASE) is not None

    def key(table: Variable) -> tuple[bool, int, bool, bool, bool, bool, int]:
        leftover = table.name in namespace.fleeting or is_leftover(table, tables)
        looked_up = any(names.plain(one.name) == names.plain(table.name) for one in table.columns)  # one row for each
        rows = table.name not in named and not _keyed(prompt, table)
        poor = numeric and not any(one.kind == "number" for one in table.columns)
        return (
            table.name not in named,
            -len(columns_in(prompt, table))
            - (meant.meant(prompt, table.columns, [one.name for one in tables]) is not None),
            rows,
            poor,
            leftover,
            looked_up,
            tables.index(table),
        )

    return sorted(tables, key=key)


def _keyed(prompt: str, table: Variable) -> bool:
    """Whether the prompt speaks of what the table has one row of each: "orders", of a table with an ``order_id``."""
    said = {words.stem(word) for word in re.findall(r"[a-z]{4,}", prompt.lower())}
    first = names.plain(table.columns[0].name).split() if table.columns else []
    return len(first) > 1 and first[-1] in ("id", "no", "nr", "number", "code", "name") and words.stem(first[0]) in said


def named_in(prompt: str, tables: Sequence[Variable]) -> list[str]:
    """The tables that the prompt names. "customers" is rather a column ``customer`` of another table, if there is one and
    nothing says that the table is meant."""
    found = []
    for table in tables:
        plain = names.plain(table.name)
        doubtful = any(
            names.plain(column.name) == plain
            for one in tables
            if one is not table and not is_leftover(one, tables)
            for column in one.columns
        )
        as_table = re.search(
            rf"(?:\b(?:from|in|join|merge|table|with|and)\s+(?:the\s+)?{re.escape(table.name)}\b|"
            rf"\b{re.escape(table.name)}\s+table\b|\b{re.escape(table.name)}\s+"
            r"(?:(?:that|who|which|have|has|had|did|were|was|do|are)\s+)*(?:never|without|with\s+no|no|not)\b)",
            prompt,
            re.IGNORECASE,
        )
        if (mentioned(prompt, table.name) and (as_table or not doubtful)) or _one_of(prompt, table, tables):
            found.append(table.name)
    return found


def _one_of(prompt: str, table: Variable, tables: Sequence[Variable]) -> bool:
    """ "is there a donation above 500", of ``donations``, where no column is called so."""
    single = singular(table.name)
    if single == table.name or re.search(rf"\b(?:an?|any)\s+{re.escape(single)}\b", prompt, re.IGNORECASE) is None:
        return False
    return not any(single.lower() in names.plain(column.name).split() for one in tables for column in one.columns)


def mentioned(prompt: str, name: str) -> bool:
    """Whether the prompt has the name as a word."""
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", prompt, re.IGNORECASE if len(name) > 2 else 0) is not None


def singular(name: str) -> str:
    """One of several, as far as the ending tells."""
    for ending, single in (
        ("ies", "y"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("sses", "ss"),
        ("ss", "ss"),
        ("s", ""),
    ):
        if name.lower().endswith(ending) and len(name) > 3:
            return name[: -len(ending)] + single
    return name


def is_leftover(table: Variable, tables: Sequence[Variable]) -> bool:
    """Whether it looks like what a loop or a copy left behind, or is another's of an earlier year: by its name, or as a small
    part of another table."""
    dated = re.fullmatch(r"(\w+?)_?(?:19|20)\d\d", table.name)
    if dated and any(one.name == dated[1] for one in tables):
        return True
    if _LEFTOVER.search(table.name.lower()) and len(tables) > 1:
        return True
    rows = table.rows
    shape = [(column.name, column.dtype) for column in table.columns]
    alike = [
        one for one in tables if one is not table and [(column.name, column.dtype) for column in one.columns] == shape
    ]
    return rows is not None and any(
        one.rows is not None and rows < one.rows / 2 and not table.name.startswith(one.name) for one in alike
    )


def as_meant(column: Column) -> Column:
    """The column as one of numbers, where its texts are numbers: it is converted before it is used."""
    return structs.replace(column, dtype="float64") if column.holds.startswith("numbers") else column


def _spoken_of(prompt: str, table: Variable, best: Variable) -> list[str]:
    """The table's columns that common words of the prompt speak of, and none of the best table's."""
    own = [column.name for column in best.columns]
    found = Marked(prompt, tables=[], columns=table.columns).assumed
    return [
        name for name, word in found if not lexicon.parts_of(word, own) and not lexicon.spoken_of(word, best.columns)
    ]


def columns_in(prompt: str, table: Variable) -> list[str]:
    """The table's columns that the prompt names, itself or by a value."""
    return list(_columns_in(prompt, table.columns))


@lru_cache(maxsize=256)
def _columns_in(prompt: str, columns: tuple[Column, ...]) -> tuple[str, ...]:
    marked = Marked(prompt, tables=[], columns=columns, assume=False)
    told = [name for key in re.findall(V, marked.text) for name in marked.holders[key][:1]]
    if _SEXES.search(prompt):
        told += [one.name for one in columns if one.name.lower() in ("sex", "gender", "geschlecht")]
    return tuple(dict.fromkeys((*marked.names(marked.text), *told)))


def shared(one: Variable, other: Variable) -> tuple[str, ...]:
    """The columns by which two tables can be joined: those that both have, of several those that look like keys."""
    both = [column.name for column in one.columns if other.column(column.name) is not None]
    keys = [name for name in both if _KEY.search(name.lower())]
    return tuple(keys or both)


def _joined(
    prompt: str, best: Variable, named: Sequence[Variable], tables: Sequence[Variable], spoken_of: tuple[str, ...]
) -> Source | None:
    """The best table with the one that has what it lacks, if the prompt asks for both."""
    whole = [table for table in tables if not is_leftover(table, tables)]
    lacking = {name for table in whole for name in columns_in(prompt, table) if best.column(name) is None}
    if not lacking:
        lacking = {name for one in whole if one is not best for name in _spoken_of(prompt, one, best)}
    unquoted = marks.QUOTED.sub(" ", prompt)
    absent = (
        re.search(r"\b(?:never|without|nobody|no one|no|not in|not|missing from)\b", unquoted, re.IGNORECASE)
        is not None
    )
    asked = re.search(r"\b(?:join|merge|combine|connect|link)\b", prompt, re.IGNORECASE) is not None
    singular = [
        one
        for one in tables
        if one not in named and one.name.lower().endswith("s") and mentioned(prompt, one.name[:-1])
    ]
    spoken = [*named, *singular]
    if re.search(r"\b(?:nobody|no one|never)\b", unquoted, re.IGNORECASE) and spoken == [best]:
        uses = [one for one in whole if one is not best and shared(best, one)]  # "bikes that nobody used": in trips
        spoken += uses if len(uses) == 1 else []
    brought = re.search(
        r"\b(?:add|put|bring|attach)\b.*\b(?:to|into|onto)\s+(?:each|every|all|the)?\s*(?:the\s+)?(?P<to>\w+)",
        prompt,
        re.IGNORECASE,
    )
    if brought:
        target = next((one for one in tables if names.plain(one.name) == names.plain(brought["to"])), None)
        source = next(
            (
                one
                for one in whole
                if target
                and one is not target
                and shared(target, one)
                and set(columns_in(prompt, one)) - set(shared(target, one))
            ),
            None,
        )
        if target is not None and source is not None:
            more = tuple(column for column in source.columns if target.column(column.name) is None)
            return Source(
                name=target.name, columns=(*target.columns, *more), names=spoken_of, other=source.name,
                on=shared(target, source), brings=True, own=len(target.columns),
            )  # fmt: skip
    for other in tables:
        keys = shared(best, other) if other is not best else ()
        helps = bool(lacking & {column.name for column in other.columns})
        both = other in spoken and best in spoken and (asked or absent)
        if not keys or not (helps or both) or (is_leftover(other, tables) and other not in named):
            continue
        if both and absent and not asked:
            first, second = sorted(
                (best, other),
                key=lambda one: prompt.lower().find(one.name.lower().removesuffix("s")) % 10_000,  # not: last
            )
            return Source(
                name=first.name, columns=first.columns, names=spoken_of, other=second.name, on=keys[:1], absent=True
            )
        if (
            asked
            and {best.name, other.name} <= {one.name for one in named}
            and prompt.find(other.name) < prompt.find(best.name)
        ):
            best, other = other, best
        also = [column for column in other.columns if best.column(column.name) is None]
        said = [key for key in keys if key in columns_in(prompt, best)] if asked else []
        return Source(
            name=best.name,
            columns=(*best.columns, *also),
            names=spoken_of,
            other=other.name,
            on=tuple(said) or keys,
            own=len(best.columns),
        )
    return None


def _file(prompt: str) -> str | None:
    found = [one[0] for one in marks.FILE.finditer(prompt) if _TABLE_FILE.search(one[0])]
    reads = re.search(r"\b(?:read|load|open|import|from|in|of|use|with|lies|lade|öffne)\b", prompt, re.IGNORECASE)
    writes = re.search(r"\b(?:save|write|export|store|dump|to)\b", prompt, re.IGNORECASE)
    return (
        found[0]
        if found and reads and (not writes or len(found) > 1 or reads.start() < writes.start()) and "*" not in found[0]
        else None
    )


def _from_file(prompt: str, file: str, namespace: Namespace) -> Source:
    """A table of which only the file is known: its columns are the words that stand where columns stand."""
    stem = re.sub(r"\W+", "_", re.split(r"[\\/]", file)[-1].rpartition(".")[0]).strip("_").lower()
    name = (
        "df"
        if "df" not in namespace.names
        else stem
        if stem.isidentifier() and stem not in namespace.names
        else "table"
    )
    text = marks.FILE.sub(" ", lexicon.translated(prompt))
    columns: dict[str, Column] = {}
    place = re.compile(
        rf"\b(?:(?P<key>per|by|over|for each|against|vs)|(?P<value>{'|'.join(lexicon.AGGREGATES)}|of|plot"
        r"|histogram|sort|where|whose|and|with))\s+(?:the\s+)?(?P<word>[A-Za-z_]\w+)",
        re.IGNORECASE,
    )
    measured = re.search(r"(?P<word>[A-Za-z_]\w+)\s+(?:per|by|over)\b", text)
    if measured and measured["word"].lower() not in {*lexicon.NOISE, *lexicon.VOCABULARY}:
        columns[measured["word"]] = Column(measured["word"], "float64")
    for found in place.finditer(text):
        word = found["word"]
        if (
            word.lower() in lexicon.NOISE
            or (word.lower() in lexicon.VOCABULARY and not found["key"])
            or words.is_stop(word.lower())
        ):
            continue
        dated = re.search(r"date|day|time|month", word.lower()) is not None
        columns.setdefault(word, Column(word, "str" if dated or found["key"] else "float64"))
    return Source(name=name, columns=tuple(columns.values()), names=(name,), file=file)
