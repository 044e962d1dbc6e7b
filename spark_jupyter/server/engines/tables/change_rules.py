"""Grammar rules for changes of columns, values and types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines.columns import is_identifier
from spark_jupyter.server.engines.tables.rule_helpers import ANY_DATE, MISSING, Amount, is_date, is_number, together
from spark_jupyter.server.engines.tables.table_plan import Change, Expression, Formula, Plan, Ref, Test

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.tables.rule_helpers import Names

_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_UNNAMED = {"+": "sum", "-": "difference", "*": "product", "/": "ratio", "days": "days"}
_FILLING = frozenset({"mean", "median", "min", "max"})
_PLACES = "previous|next|last|first|forward|backward|above|below|before|after"
_NO_VALUE = re.compile(rf"(?:{_PLACES}|[fb]fill|zeros?|nothing)\Z|nearest|neighbo|interpol")


def change_rules(names: Names) -> dict[str, Callable[..., Any]]:
    """The rules for changes, with the ``names`` of columns."""

    def arithmetic(name: str, left: Expression, right: Expression) -> Formula | None:
        refs = [one for one in (left, right) if isinstance(one, Ref)]
        if name == "days":
            return Formula("days", right, left) if all(map(is_date, refs)) and left != right else None
        shares = {names.has_word(one, "RATIO") for one in refs}
        unlike = name in ("add", "subtract") and len(shares) > 1  # a price plus a rate
        counts = all(is_number(one) and not is_identifier(one.column) for one in refs)
        return Formula(_SIGNS[name], left, right) if counts and not unlike else None

    return {
        "new_name": lambda name: (
            None if any(names.is_word(name, kind) for kind in ("_DEFINED", "_NEW_COLUMN")) else name
        ),
        "new_column": lambda name, formula: _change("new", names=(name,), value=formula),
        "new_unnamed": lambda formula: _change("new", names=(_UNNAMED[formula.op],), value=formula),
        "new_flag": lambda name, tests: _change("new", names=(name,), value=tests),
        "new_rowwise": _new_rowwise,
        "new_part": _new_part,
        "arithmetic": arithmetic,
        "as_percent": lambda formula: Formula("*", formula, 100.0),
        "factor_percent": lambda number: number / 100,
        "pair": lambda ref, name: (ref, name),
        "rename": _rename,
        "drop_columns": lambda columns: _change("drop", columns=columns),
        "drop_rows": _drop_rows,
        "drop_missing": lambda columns=(): _change("dropna", columns=columns),
        "drop_duplicates": lambda *parts: together(
            _change("unique", columns=next((one for one in parts if isinstance(one, tuple)), ())), *_plans(parts)
        ),
        "fill": _fill,
        "fill_literal": _fill_literal,
        "fill_word": lambda word: None if _NO_VALUE.match(word.lower()) else _filler("word", value=word),
        "fill_unknown": lambda: _filler("word", value="unknown"),
        "fill_function": lambda function, *of: (
            _filler(function, columns=of) if function in (*_FILLING, "mode") else None
        ),
        "convert": _convert,
        "convert_day_first": lambda columns, how: _convert(columns, "date day first") if how == "date" else None,
        "replace": _replace,
        "replace_in": lambda columns, *values: _replace(*values, columns),
        "scaled": _scaled,
        "nothing_there": lambda: MISSING,
        "clean_names": lambda *parts: together(
            _change("names", how=" ".join(one for one in parts if isinstance(one, str))), *_plans(parts)
        ),
        "underscores": lambda: "_",
        "join": _join,
        "bring": _bring,
        "unmatched": lambda rows, other: (
            Plan(table=rows.table, look="rows", change=Change(kind="unmatched", other=other.table))
            if rows.table and other.table and rows.table != other.table
            else None
        ),
    }


def _change(kind: str, **values: Any) -> Plan:
    return Plan(change=Change(kind=kind, **values))


def _filler(how: str, **values: Any) -> Change:
    return Change(kind="fill", how=how, **values)


def _plans(parts: tuple[Any, ...]) -> list[Plan]:
    return [one for one in parts if isinstance(one, Plan)]


def _new_rowwise(*parts: Any) -> Plan | None:
    *names, functions, columns = parts
    several = len(columns) > (2 if functions == ("sum",) else 1)  # the sum of two is arithmetic
    fits = len(functions) == 1 and several and all(one.column.kind == "number" for one in columns)
    return _change("rowwise", names=(*names, *functions)[:1], columns=columns, how=functions[0]) if fits else None


def _new_part(*parts: Any) -> Plan | None:
    """A part of a date, named so where nothing else is said."""
    texts = [one for one in parts if isinstance(one, str)]
    ref = next((one for one in parts if isinstance(one, Ref)), Ref("", ANY_DATE))
    value = Ref(ref.table, ref.column, texts[-1])
    return together(_change("new", names=(texts[0],), value=value), *_plans(parts)) if is_date(ref) else None


def _rename(*pairs: tuple[Ref, str]) -> Plan | None:
    columns, names = zip(*pairs, strict=True)
    is_plain = len(set(columns)) == len(pairs) == len(set(names))
    return _change("rename", columns=columns, names=names) if is_plain else None


def _drop_rows(*plans: Plan) -> Plan | None:
    plan = together(*plans, _change("filter"))
    if plan is None or not plan.tests:
        return None
    test, *others = plan.tests
    if not others and isinstance(test, Test) and test.op == "missing" and not test.negated:
        return together(Plan(table=plan.table), _change("dropna", columns=(test.left,)))
    return plan


def _fill(*parts: Any) -> Plan | None:
    columns = next((one for one in parts if isinstance(one, tuple)), ())
    filler: Change = parts[-1]
    # "The mean of the subject" is that of each.
    by = filler.columns[0] if filler.columns and filler.columns != columns else None
    numbers = filler.how in _FILLING or isinstance(filler.value, float)
    fits = is_number if numbers else lambda one: one.column.kind == "text" and not is_number(one)
    if (numbers or filler.how == "word") and not (columns and all(map(fits, columns))):
        return None
    return _change("fill", columns=columns, value=filler.value, how=filler.how.replace("word", ""), by=by)


def _fill_literal(literal: Any) -> Change | None:
    if not isinstance(literal, Amount):
        return _filler("", value=literal)
    return _filler("", value=literal.value) if isinstance(literal.value, float) and not literal.unit else None


def _convert(columns: tuple[Ref, ...], how: str) -> Plan | None:
    dates = how.startswith("date") and any(ref.column.kind != "text" for ref in columns)
    return None if dates else _change("convert", columns=columns, how=how)


def _replace(old: Any, *parts: Any) -> Plan | None:
    columns = next((one for one in parts if isinstance(one, tuple)), ())
    new = next(one for one in parts if not isinstance(one, tuple))
    if isinstance(old, tuple):  # a value, with its column
        old, columns = old[1], columns or (old[0],)
    old, new = (one.value if isinstance(one, Amount) else one for one in (old, new))
    fits = all(map(is_number, columns)) is isinstance(old, float) if columns else new == MISSING
    return _change("replace", columns=columns, value=old, new=new) if fits else None


def _scaled(way: str, columns: tuple[Ref, ...], percent: float) -> Plan | None:
    factor = round(1 + percent / 100 * (1 if way == "up" else -1), 10)
    fits = all(one.column.kind == "number" for one in columns)
    return _change("scale", columns=columns, value=factor) if fits else None


def _join(*parts: Any) -> Plan | None:
    how = next((one for one in parts if isinstance(one, str)), "inner")
    left, right = (one.table for one in _plans(parts))
    key = tuple(one.column.name for one in parts if isinstance(one, Ref))
    made = Change(kind="join", other=right, names=key, how=how)
    return Plan(table=left, change=made) if left and right and left != right else None


def _bring(columns: tuple[Ref, ...], source: Plan, target: Plan, *key: Ref) -> Plan | None:
    if not target.table or source.table != columns[0].table or source.table == target.table:
        return None
    names = tuple(ref.column.name for ref in columns)
    made = Change(kind="bring", other=source.table, names=names, value=key[0].column.name if key else None)
    return Plan(table=target.table, change=made)
