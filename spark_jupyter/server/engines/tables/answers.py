"""Answers to table questions: code, or a question back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.protocol.prompt_offers import offer
from spark_jupyter.server.engines.answer import Answer
from spark_jupyter.server.engines.book import BookCell
from spark_jupyter.server.engines.tables import forest, lexicon, pandas_code, polars_code
from spark_jupyter.server.engines.tables.change_rules import change_rules
from spark_jupyter.server.engines.tables.condition_rules import condition_rules
from spark_jupyter.server.engines.tables.pandas_terms import Unwritable
from spark_jupyter.server.engines.tables.query_rules import query_rules
from spark_jupyter.server.engines.tables.resolution import amended, by_days, complete
from spark_jupyter.server.engines.tables.rule_helpers import Names
from spark_jupyter.server.engines.tables.table_plan import Ref, refs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.tables.table_plan import Plan

MOST_CHOICES = 4
MOST_WORDS = 15
_FUNCTIONS = {"sum": "total", "mean": "average"}
_IMPORTS = (
    (r"\bcalendar\.", "calendar", "import calendar"),
    (r"\bplt\.", "plt", "import matplotlib.pyplot as plt"),
    (r"\bpd\.", "pd", "import pandas as pd"),
    (r"\bpl\.", "pl", "import polars as pl"),
)


def answer(text: str, namespace: Namespace) -> Answer | None:
    """The answer to a prompt; None where the grammar can't read all of it."""
    schema = lexicon.Schema(namespace, text)
    return _answered(_plans(text, schema), schema, namespace, text) if schema.tables else None


def amend(before: str | Sequence[str], text: str, namespace: Namespace) -> Answer | None:
    """The answer to ``before`` as ``text`` changes it; ``before`` may be a prompt and what followed it, oldest first."""
    first, *later = (before,) if isinstance(before, str) else before
    schema = lexicon.Schema(namespace, " ".join((first, *later, text)))
    if not schema.tables:
        return None
    plans = _plans(first, schema)
    for step in (*later, text):
        if len(plans) != 1:
            return None
        plans = _amended(plans[0], step, schema)
    return _answered(plans, schema, namespace)


def _plans(text: str, schema: lexicon.Schema) -> list[Plan]:
    """The plans that a prompt may mean."""
    return _read(text, "start", schema, complete)


def _amended(before: Plan, text: str, schema: lexicon.Schema) -> list[Plan]:
    found = _read(text, "followup", schema, lambda meaning, names: amended(before, meaning[0], meaning[1], names))
    return [plan for plan in found if plan != before]


def _read(text: str, start: str, schema: lexicon.Schema, plans: Callable[..., Iterable[Plan]]) -> list[Plan]:
    grammar = forest.grammar()
    names = Names(schema, grammar.phrases)
    rules = query_rules(names, text) | condition_rules(names) | change_rules(names)
    try:
        tokens = lexicon.tokens(text, schema, grammar.phrases, grammar.noise)
        found = dict.fromkeys(plan for one in grammar.meanings(tokens, start, rules) for plan in plans(one, names))
        return [plan for plan in found if (days := by_days(plan)) == plan or days not in found]
    except forest.TooMany:
        return []


def _answered(plans: list[Plan], schema: lexicon.Schema, namespace: Namespace, text: str = "") -> Answer | None:
    """The code of the plans, where it is one; else the question which is meant, for the prompt ``text``."""
    written = [(plan, code) for plan in plans if (code := _code(plan, schema, namespace)) is not None]
    first = {code: plan for plan, code in reversed(written)}
    by_code = {code: first[code] for code in sorted(first)}  # the parser's sets order them by hash
    if len(by_code) == 1:
        ((code, plan),) = by_code.items()
        return Answer(notes=f"Offline recipe · uses `{plan.table}`", cells=(BookCell(code),))
    if not by_code or len(by_code) > MOST_CHOICES:
        return None
    choices = [said for plan in by_code.values() if (said := _clearer(text, plan, schema)) is not None]
    if len(choices) < len(by_code):
        lines = ([line for line in code.splitlines() if line and not line.startswith("import ")] for code in by_code)
        ways = "\n".join(f"- `{main}`" for main, *_ in lines)
        says = f"This can be read in {len(by_code)} ways. Name the table and the column, and say what of it you want:\n\n{ways}"
        return Answer(notes=says) if text else None
    offers = "\n".join(map(offer, choices))
    return Answer(notes=f"This can be read in {len(choices)} ways. Choose the one that you mean:\n\n{offers}")


def _clearer(text: str, plan: Plan, schema: lexicon.Schema) -> str | None:
    """The prompt with a word put in or the table behind it, so that it means this plan alone."""
    said = text.strip().rstrip(".!?").split()
    if len(said) > MOST_WORDS:
        return None
    made = [
        f"{' '.join(said)} in {plan.table}",
        re.sub(r"\b(the |my |this )?(table|data)\b", plan.table, " ".join(said)),
    ]
    if plan.limit is not None and plan.order is not None and plan.order.keys and isinstance(plan.order.keys[0], Ref):
        end = "top" if plan.order.descending else "bottom"
        made.append(f"{end} {plan.limit.count} {plan.table} by `{plan.order.keys[0].column.name}`")
    words = [_FUNCTIONS[one.how] for one in plan.measures if one.how in _FUNCTIONS]
    if plan.limit is not None and plan.order is not None and len(plan.groups) == len(plan.measures) == 1 and words:
        end, group, of = "highest" if plan.order.descending else "lowest", plan.groups[0], plan.measures[0].of
        made += (
            [f"which `{group.column.name}` has the {end} {words[0]} `{of.column.name}`"] if isinstance(of, Ref) else []
        )
    for word in (*words, *(f"`{ref.column.name}`" for ref in refs(plan.tests))):
        clearer = [" ".join((*said[:at], word, *said[at:])) for at in range(len(said), -1, -1)]
        made += [*clearer, *(f"{one} in {plan.table}" for one in clearer)]
    return next((one for one in made if _plans(one, schema) == [plan]), None)


def _code(plan: Plan, schema: lexicon.Schema, namespace: Namespace) -> str | None:
    """The cell of a plan; None where it can't be written."""

    def free(name: str) -> str:
        number, made = 1, name
        while made in namespace.names:
            number += 1
            made = f"{name}_{number}"
        return made

    try:
        lines = (polars_code if schema.tables[plan.table].polars else pandas_code).write(plan, free)
    except Unwritable:
        return None
    code = "\n".join(lines)
    modules = {one.name for one in namespace.variables if one.type == "module"}
    needed = [line for pattern, name, line in _IMPORTS if re.search(pattern, code) and name not in modules]
    return "\n".join([*needed, *([""] if needed else []), code])
