"""Sentences of one shape each, of the classes that are no plain filter, group or order: statistics, cleaning, what is asked of each group,
labels and new columns, reshaping, describing, lists and texts, pictures of lists, functions.
``template.py`` says what a template is, ``shape.py`` how a sentence becomes code; the others have the ``SHAPES`` of a class. Pure.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.cursor import LONGEST
from spark_jupyter.server.engines.phrases.shapes import (
    along,
    amounts,
    answering,
    asking,
    between,
    cleaning,
    collecting,
    columns,
    comparing,
    curves,
    describing,
    drawing,
    elements,
    exercises,
    faults,
    files,
    fits,
    functions,
    grids,
    grouped,
    headers,
    holding,
    labels,
    lengths,
    listing,
    looking,
    lookups,
    matrices,
    mending,
    modelling,
    panels,
    parts,
    preparing,
    reading,
    recoding,
    reshaping,
    scales,
    series,
    several,
    signs,
    tallies,
    teams,
    testing,
    texts,
    vectors,
)
from spark_jupyter.server.engines.phrases.shapes.functions import formula
from spark_jupyter.server.engines.phrases.shapes.shape import Made, fitting
from spark_jupyter.server.engines.query import tables
from spark_jupyter.server.engines.query.marked import Marked
from spark_jupyter.server.engines.query.naming import kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Namespace

_ALL = tuple(
    shape
    for module in (
        several, grouped, along, labels, columns, between, lookups, headers, signs, lengths, recoding, mending, scales, tallies, parts,
        reading, series,
        asking, answering, faults, testing, panels, curves, preparing, modelling, cleaning, describing, looking, reshaping, listing, teams,
        vectors, fits, elements, collecting, drawing, holding, texts, amounts, comparing, matrices, grids, exercises, files,
    )
    for shape in module.SHAPES
)  # fmt: skip
_OF = {
    name: tuple(one for one in _ALL if one.kinds == name)
    for name in ("things", "loose", "rows", "tables", "stored", "series")
}
_OF["table"] = tuple(one for one in _ALL if one.kinds in ("table", "rows"))


_MANY = 8
"""Of so many tables two are looked for that a sentence joins."""


def understood(prompt: str, namespace: Namespace) -> Made | None:
    """The code for a prompt that has one of the shapes; None where it has none."""
    if len(prompt) > LONGEST * 4:
        return None
    found = (
        functions.understood(prompt, namespace)
        or formula.understood(prompt)
        or _of_table(prompt, namespace)
        or _of_tables(prompt, namespace)
        or _of_things(prompt, namespace)
    )
    found = found or _stored(prompt, namespace)
    found = found or fitting(_OF["loose"], Marked(prompt, tables=[], columns=[]), namespace, None)
    if found is None:
        return None
    try:
        ast.parse(found.code)
    except SyntaxError:
        return None
    return found


def _of_table(prompt: str, namespace: Namespace) -> Made | None:
    choice = tables.choose(prompt, namespace)
    if choice is None or choice.source.file:
        return None
    source = choice.source
    if source.polars:
        frames = [one.name for one in namespace.of_kind("DataFrame") if not one.polars]
        return None if tables.mentioned(prompt, source.name) else _of_the_only(prompt, namespace, frames)
    if source.other and not source.records:  # columns of two tables: a shape is about one
        return _of_one(prompt, namespace, [source.name, source.other])
    marked = Marked(prompt, tables=source.names, columns=source.columns)
    made = fitting(_OF["rows" if source.records else "table"], marked, namespace, source)
    if made is None:
        frames = [one.name for one in namespace.of_kind("DataFrame") if one.name != source.name]
        spoken = [name for name in frames if _spoken_of(prompt, name)]
        named = len(tables.columns_in(prompt, held)) if (held := namespace.get(source.name)) else 0
        rest = [one for one in namespace.of_kind("DataFrame") if one.name in frames]
        frames = [one.name for one in rest if len(tables.columns_in(prompt, one)) >= named]
        return _of_one(prompt, namespace, spoken) or _of_the_only(prompt, namespace, frames)
    others = tables.alternatives(prompt, choice)
    return Made(made.code, (f"With your `{source.name}`.", *made.says, *([others] if others else [])))


def _spoken_of(prompt: str, name: str) -> bool:
    """ "the age of each patient", of ``patients`` beside visits with a column ``patient``."""
    return tables.mentioned(prompt, name) or tables.mentioned(prompt, tables.singular(name))


def _of_the_only(prompt: str, namespace: Namespace, names: Sequence[str]) -> Made | None:
    """Of the only one of the tables of which it says something, where it names none."""
    if len(names) > _MANY or any(tables.mentioned(prompt, one.name) for one in namespace.of_kind("DataFrame")):
        return None
    made = [found for name in names if (found := _of_one(prompt, namespace, [name])) is not None]
    return made[0] if len(made) == 1 else None


def _of_one(prompt: str, namespace: Namespace, names: Sequence[str]) -> Made | None:
    """Of the first of the tables of which it says something with its own columns alone."""
    frames = [one for one in namespace.of_kind("DataFrame") if not one.polars]
    for table in sorted((one for one in frames if one.name in names), key=lambda one: names.index(one.name)):
        columns = (*table.columns, *table.index)
        marked = Marked(prompt, tables=[one.name for one in frames], columns=columns)
        made = fitting(_OF["table"], marked, namespace, tables.Source(name=table.name, columns=columns))
        if made is not None:
            return Made(made.code, (f"With your `{table.name}`.", *made.says))
    return None


def _of_tables(prompt: str, namespace: Namespace) -> Made | None:
    """Of two tables: a column that several have is marked as the same."""
    frames = [one for one in namespace.of_kind("DataFrame") if not one.polars]
    if not 2 <= len(frames) <= _MANY:
        return None
    columns = {column.name: column for one in reversed(frames) for column in one.columns}
    marked = Marked(prompt, tables=[one.name for one in frames], columns=tuple(columns.values()), assume=False)
    made = fitting(_OF["tables"], marked, namespace, None)
    if made is None:
        return None
    used = [one.name for one in frames if re.search(rf"(?<![\w.]){one.name}(?!\w)", made.code)]
    return Made(made.code, (f"With your {' and '.join(f'`{name}`' for name in used)}.", *made.says))


def _stored(prompt: str, namespace: Namespace) -> Made | None:
    """Of files, and the tables that they are read into or made of."""
    frames = [one.name for one in namespace.of_kind("DataFrame")]
    return fitting(_OF["stored"], Marked(prompt, tables=frames, columns=[]), namespace, None)


def _of_things(prompt: str, namespace: Namespace) -> Made | None:
    series = [one.name for one in namespace.variables if one.type == "Series"]
    if (
        series
        and (made := fitting(_OF["series"], Marked(prompt, tables=series, columns=[]), namespace, None)) is not None
    ):
        return made
    own = [one.name for one in namespace.variables if kind(one)]
    if not own:
        return None
    for name in own:  # "print every pupil" of a list ``pupils``
        single = name[:-1] if name.endswith("s") and len(name) > 3 and name[:-1] not in own else ""
        if single and not tables.mentioned(prompt, name):
            prompt = re.sub(rf"(?<![\w.]){re.escape(single)}(?!\w)", name, prompt, flags=re.IGNORECASE)
    return fitting(_OF["things"], Marked(prompt, tables=own, columns=[]), namespace, None)
