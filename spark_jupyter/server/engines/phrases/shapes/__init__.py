"""Sentences of one shape each, of the classes that are no filter, group or order: statistics, cleaning, reshaping, describing, lists and
texts, pictures of lists, functions. ``shape.py`` is how a template is read; each other file has the ``SHAPES`` of a class. Pure.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.cursor import LONGEST
from spark_jupyter.server.engines.phrases.shapes import (
    amounts,
    asking,
    cleaning,
    describing,
    drawing,
    elements,
    exercises,
    files,
    functions,
    holding,
    listing,
    matrices,
    modelling,
    reshaping,
    testing,
    texts,
)
from spark_jupyter.server.engines.phrases.shapes.shape import Made, fitting
from spark_jupyter.server.engines.query import tables
from spark_jupyter.server.engines.query.marked import Marked
from spark_jupyter.server.engines.query.naming import kind

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace

_ALL = tuple(
    shape
    for module in (
        asking, testing, modelling, cleaning, describing, reshaping, listing, elements, drawing, holding, texts, amounts, matrices,
        functions, exercises, files,
    )
    for shape in module.SHAPES
)  # fmt: skip
_OF = {name: tuple(one for one in _ALL if one.kinds == name) for name in ("things", "loose", "rows")}
_OF["table"] = tuple(one for one in _ALL if one.kinds in ("table", "rows"))


def understood(prompt: str, namespace: Namespace) -> Made | None:
    """The code for a prompt that has one of the shapes; None where it has none."""
    if len(prompt) > LONGEST * 4:
        return None
    found = _of_table(prompt, namespace) or _of_things(prompt, namespace)
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
    if choice is None or choice.source.polars or choice.source.file:
        return None
    source = choice.source
    marked = Marked(prompt, tables=source.names, columns=source.columns)
    made = fitting(_OF["rows" if source.records else "table"], marked, namespace, source)
    if made is None:
        return None
    others = tables.alternatives(prompt, choice)
    return Made(made.code, (f"With your `{source.name}`.", *made.says, *([others] if others else [])))


def _of_things(prompt: str, namespace: Namespace) -> Made | None:
    own = [one.name for one in namespace.variables if kind(one)]
    if not own:
        return None
    for name in own:  # "print every pupil" of a list ``pupils``
        single = name[:-1] if name.endswith("s") and len(name) > 3 and name[:-1] not in own else ""
        if single and not tables.mentioned(prompt, name):
            prompt = re.sub(rf"(?<![\w.]){re.escape(single)}(?!\w)", name, prompt, flags=re.IGNORECASE)
    return fitting(_OF["things"], Marked(prompt, tables=own, columns=[]), namespace, None)
