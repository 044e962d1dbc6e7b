"""A small grammar of sentences about one table, or two that are joined: which rows, grouped by what, what is calculated of which
expression, in which order, shown how. What it understands it understands whole; anything else is left to others.

``tokens.py`` cuts a marked prompt up; ``unnamed.py``, ``values.py`` (expressions, keys), ``atoms.py``, ``mentions.py``, ``times.py``,
``moments.py`` and ``preds.py`` (conditions), ``pictures.py``, ``mends.py``, ``filling.py`` and ``cleaning.py``, ``joins.py``,
``questions.py``, ``bands.py``, ``deriving.py``, ``most.py``, ``firsts.py``, ``shares.py``, ``groups.py``, ``summaries.py``,
``having.py``, ``results.py`` and ``ratios.py`` read phrases, each class from the one before it; ``measures.py`` knows
units; ``reader.py`` puts them into a :class:`~.model.Plan`, ``write.py`` with ``summing.py``, ``draw.py`` and ``emit.py`` makes code of
that. Pure.

What a sentence is missing for goes to one place: everyday words for what is understood already into ``wording/`` (beside this folder), a
whole sentence as a template into the file of its matter in ``shapes/``, a phrase that sentences are made of here, with its words in
``words.toml``. The patterns of ``query/`` read what these do not. An operation that an answer may miss has its word and its sign in
``evidence.py``.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.server.engines.columns import plain
from spark_jupyter.server.engines.phrases import models, polars
from spark_jupyter.server.engines.phrases.cursor import LONGEST, NUMBERED, ROWS, LostError
from spark_jupyter.server.engines.phrases.draw import Drawer
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.model import Expr, Plan, col, names
from spark_jupyter.server.engines.phrases.reader import Reader
from spark_jupyter.server.engines.query import lexicon, meant, tables
from spark_jupyter.server.engines.words import stem

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.query.meant import Meant
    from spark_jupyter.server.engines.query.tables import Choice, Source


class Sentence(Struct, frozen=True, kw_only=True):
    """The code that does what a sentence asks, of the tables of a choice, and what is to be said about it."""

    code: str
    choice: Choice
    says: tuple[str, ...] = ()


def understood(prompt: str, namespace: Namespace) -> Sentence | None:
    """What the prompt asks of the user's tables as code; None where any word of it is not understood, or it would take too long."""
    if len(prompt) > LONGEST * 6:
        return None
    choice = tables.choose(prompt, namespace)
    if choice is None:
        return None
    try:
        found = meant.meant(prompt, choice.source.columns, choice.source.names)
        plainly = None if found is not None and found.rate else _read(prompt, choice, namespace)
        return plainly or (_of_what_is_meant(found, choice, namespace) if found is not None else None)
    except LostError:
        return None


_ADDS = (
    r"(?:(?:add|create|make|calculate|compute|insert|give me|show|get|derive)\s+)?"
    r"(?:(?:a|the|new|an|column|with|for|called|of|all|each)\s+)*"
    r"{name}(?:\s+(?:column|for (?:each|every) row|per row|as a (?:new )?column|of (?:each|every) row|to the table))*\W*"
)


def _of_what_is_meant(found: Meant, choice: Choice, namespace: Namespace) -> Sentence | None:
    """The sentence with a column that the table has not, though it has what that is calculated of: "revenue by month"."""
    if choice.source.polars or choice.source.file:
        return None
    source = structs.replace(choice.source, columns=(*choice.source.columns, found.column))
    wider = structs.replace(choice, source=source)
    if found.rate:
        if re.fullmatch(_ADDS.replace("{name}", found.column.name), found.prompt, re.IGNORECASE):
            lines = [one.replace("{t}", source.name) for one in found.change.lines]
            return Sentence(code="\n".join([*lines, source.name]), choice=choice, says=(found.change.says,))
        return _read(found.prompt, wider, namespace, found)
    total = re.sub(rf"\b{found.column.name}\b", f"total {found.column.name}", found.prompt, count=1)
    return _read(found.prompt, wider, namespace, found) or _read(total, wider, namespace, found)


def _read(prompt: str, choice: Choice, namespace: Namespace, extra: Meant | None = None) -> Sentence | None:
    modelled = models.understood(prompt, choice.source, namespace) if extra is None else None
    if modelled is not None:
        return Sentence(code=modelled, choice=choice)
    source = structs.replace(choice.source, columns=tuple(choice.source.columns))
    reader = Reader(prompt, source)
    if len(reader.tokens) > LONGEST:
        return None
    if extra is not None:
        made = Expr("div" if extra.rate else "mul", tuple(map(col, extra.factors)))
        reader.rates = {extra.column.name: made} if extra.rate else {}
    left = reader.read()
    if left or not reader.plan.asks or not _sound(reader) or (extra is not None and reader.plan.steps):
        return None
    if extra is not None:
        if not any(one.how == "ratio" for one in reader.plan.measures):
            reader.plan.derived.insert(0, (extra.column.name, made))
        reader.plan.says.insert(0, extra.change.says)
    try:
        if source.polars:
            code = polars.written(reader.plan, source, reader.dates)
        else:
            drawer = Drawer(reader.plan, source, reader.dates, namespace.names)
            drawer.emit.folds = reader.marked.ignores_case
            code = drawer.source()
        ast.parse(code)
    except (UnknownError, SyntaxError):
        return None
    if source.records and _unheard(prompt, source, code):
        return None
    assumed = [
        f"I took `{name}` for “{word}”."
        for name, word in reader.marked.assumed
        if re.search(rf"\b{re.escape(name)}\b", code)
    ]
    return Sentence(code=code, choice=choice, says=(*reader.plan.says, *assumed))


def _unheard(prompt: str, source: Source, code: str) -> bool:
    """Whether a plural of which nothing is known is nowhere in the code: "names of the keepers of cats", where no value is told."""
    own = {
        stem(part) for one in (source.name, *(column.name for column in source.columns)) for part in plain(one).split()
    }
    told = re.findall(r"\bof\s+(?:the\s+|all\s+|our\s+)*([a-z]{4,})", prompt.lower())
    return any(
        stem(word) not in own and word not in ROWS | lexicon.VOCABULARY and word not in code.lower() for word in told
    )


def _sound(reader: Reader) -> bool:
    """Whether the parts of a plan go together, so that nothing of it would be dropped when it is written."""
    plan = reader.plan
    if plan.picture is not None and not reader.kinds:
        return False  # a detail of a picture that is not asked for
    if reader.absent and not reader.absent_read:
        return False
    return not (_dropped(plan) or _unlike(plan) or (reader.strange_rows and not plan.where)) and _measurable(reader)


def _dropped(plan: Plan) -> bool:
    """Whether a part would not be written, for want of another or beside another."""
    drawn = plan.picture is not None
    summed = bool(plan.measures or plan.part)
    return any(
        (
            plan.columns and (summed or plan.step) and not drawn,
            plan.keys and not (summed or plan.each or plan.step or drawn),
            plan.limit and plan.measures and not plan.keys,
            plan.then and not plan.keys,
            plan.part and (not plan.where or plan.measures or plan.share),
            plan.keys and not plan.then and any(".pct_change()" in one for one in plan.steps),
            plan.each and (plan.measures or len(plan.order) != 1),
            any(one.what is None for one in plan.order) and not (summed or drawn),
            any(one.what is not None and one.what.op == "lit" for one in plan.order),  # "who ordered product 100"
            plan.ask and (summed or plan.keys or plan.columns or plan.order or plan.step or plan.share),
        )
    )


def _unlike(plan: Plan) -> bool:
    """Whether parts do not go together."""
    stacked = plan.picture is not None and plan.picture.options.get("stacked")
    return any(
        (
            plan.share
            and not (plan.measures and plan.keys and all(one.how in ("sum", "size") for one in plan.measures)),
            plan.having and len(plan.measures) != 1,
            len(plan.measures) > 1 and plan.keys and any("([" in one.how for one in plan.measures),
            any(one.what is not None and one.what in plan.keys for one in plan.measures),  # "the average receipt"
            stacked and plan.picture is not None and len(plan.keys) + bool(plan.picture.x) < 2,
            plan.picture is not None and any(one.op == "eq" and one.args[0] in _groups(plan) for one in plan.where),
        )
    )


def _groups(plan: Plan) -> list[Expr]:
    """What a picture tells apart: of those, none is chosen alone."""
    colours = [plan.picture.colour] if plan.picture is not None and plan.picture.colour else []
    return [*plan.keys, *map(col, [*plan.columns, *colours])]


def _measurable(reader: Reader) -> bool:
    """Whether what is summed up are numbers, and what rows are grouped by are none with fractions."""
    plan = reader.plan
    floats = {one.name for one in reader.columns.values() if one.dtype.startswith("float")}
    if plan.picture is None and any(one.op == "col" and one.args[0] in floats for one in plan.keys):
        return False
    numbers = {
        one.name for one in reader.columns.values() if one.kind in ("number", "bool") or one.holds.startswith("numbers")
    } | {name for name, _ in plan.derived}
    full = {name for mark, name in reader.marked.values.items() if _whole_name(reader.marked.said.get(mark, ""), name)}
    if any(
        one.what is not None
        and one.how not in ("size", "nunique", "count")
        and any(NUMBERED.search(name) and name not in full for name in names(one.what))
        for one in plan.measures
    ):
        return False
    return all(
        one.how in ("size", "nunique")
        or one.what is None
        or one.what.op != "col"
        or one.what.args[0] in numbers
        or one.how in ("min", "max")
        for one in plan.measures
    )


def _whole_name(said: str, name: str) -> bool:
    return re.sub(r"\W|_", "", said.lower()) == re.sub(r"\W|_", "", name.lower())
