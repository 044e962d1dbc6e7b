"""Rules of the grammar for changes: columns, missing values, types, and two tables."""

from __future__ import annotations

from typing import Any

from spark_jupyter.server.engines.tables.rule_helpers import (
    ANY_DATE,
    MISSING,
    Amount,
    Names,
    is_date,
    is_number,
    together,
)
from spark_jupyter.server.engines.tables.table_plan import Change, Expression, Formula, Plan, Ref, Test

_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_FILLING = frozenset({"mean", "median", "min", "max"})


class ChangeRules:
    """The rules for changes, with the ``names`` of columns."""

    def __init__(self, names: Names) -> None:
        self._names = names

    # new columns

    def new_name(self, name: str) -> str | None:
        return None if self._names.is_word(name, "_DEFINED") else name

    def new_column(self, *parts: Any) -> Plan | None:
        return _change("new", names=(parts[0],), value=parts[1]) if len(parts) == 2 else None

    def new_flag(self, name: str, tests: tuple[Test, ...]) -> Plan:
        return _change("new", names=(name,), value=tests)

    def new_rowwise(self, name: str, functions: Any, columns: tuple[Ref, ...]) -> Plan | None:
        fits = len(functions) == 1 and len(columns) > 1 and all(one.column.kind == "number" for one in columns)
        return _change("rowwise", names=(name,), columns=columns, how=functions[0][0]) if fits else None

    def new_part(self, *parts: Any) -> Plan | None:
        texts = [one for one in parts if isinstance(one, str)]
        ref = next((one for one in parts if isinstance(one, Ref)), Ref("", ANY_DATE))
        plans = [one for one in parts if isinstance(one, Plan)]
        value = Ref(ref.table, ref.column, texts[-1])
        return together(_change("new", names=(texts[0],), value=value), *plans) if is_date(ref) else None

    def arithmetic(self, name: str, left: Expression, right: Expression) -> Formula | None:
        refs = [one for one in (left, right) if isinstance(one, Ref)]
        if name == "days":
            return Formula("days", right, left) if all(map(is_date, refs)) and left != right else None
        shares = {self._names.has_word(one, "RATIO") for one in refs}
        unlike = name in ("add", "subtract") and len(shares) > 1  # a price plus a rate
        return Formula(_SIGNS[name], left, right) if all(map(is_number, refs)) and not unlike else None

    def as_percent(self, formula: Expression) -> Formula | None:
        return self.arithmetic("multiply", formula, 100.0)

    def factor_percent(self, number: float) -> float:
        return number / 100

    # columns and rows

    def pair(self, ref: Ref, name: str) -> tuple[Ref, str]:
        return ref, name

    def rename(self, *pairs: tuple[Ref, str]) -> Plan | None:
        columns, names = zip(*pairs, strict=True)
        return (
            _change("rename", columns=columns, names=names)
            if len(set(columns)) == len(pairs) == len(set(names))
            else None
        )

    def drop_columns(self, columns: tuple[Ref, ...]) -> Plan:
        return _change("drop", columns=columns)

    def drop_rows(self, *plans: Plan) -> Plan | None:
        plan = together(*plans, _change("filter"))
        if plan is None or not plan.tests:
            return None
        (test, *others) = plan.tests
        if not others and isinstance(test, Test) and test.op == "missing" and not test.negated:
            return together(Plan(table=plan.table), _change("dropna", columns=(test.left,)))
        return plan

    def drop_missing(self, *parts: Any) -> Plan | None:
        return self._of_columns("dropna", *parts)

    def drop_duplicates(self, *parts: Any) -> Plan | None:
        return self._of_columns("unique", *parts)

    def _of_columns(self, kind: str, *parts: Any) -> Plan | None:
        columns = next((one for one in parts if isinstance(one, tuple)), ())
        return together(_change(kind, columns=columns), *(one for one in parts if isinstance(one, Plan)))

    # values

    def fill(self, *parts: Any) -> Plan | None:
        columns = next((one for one in parts if isinstance(one, tuple)), ())
        filler: Change = parts[-1]
        by = filler.by
        if filler.columns and filler.columns != columns:  # "the mean of the subject" is that of each subject
            by = filler.columns[0]
        if (filler.how in _FILLING or isinstance(filler.value, float)) and not (
            columns and all(map(is_number, columns))
        ):
            return None
        plan = _change("fill", columns=columns, value=filler.value, how=filler.how, by=by)
        return together(plan, *(one for one in parts if isinstance(one, Plan)))

    def fill_literal(self, literal: Any) -> Change | None:
        if not isinstance(literal, Amount):
            return Change(kind="fill", value=literal)
        return (
            Change(kind="fill", value=literal.value) if isinstance(literal.value, float) and not literal.unit else None
        )

    def fill_function(self, function: tuple[str, float], *of: Ref) -> Change | None:
        return Change(kind="fill", how=function[0], columns=of) if function[0] in (*_FILLING, "mode") else None

    def fill_group(self, function: tuple[str, float], *refs: Ref) -> Change | None:
        return Change(kind="fill", how=function[0], by=refs[-1]) if function[0] in _FILLING else None

    def filler(self, how: str) -> Change:
        return Change(kind="fill", how=how)

    def convert(self, columns: tuple[Ref, ...], how: str) -> Plan | None:
        return (
            None
            if how == "date" and any(ref.column.kind != "text" for ref in columns)
            else _change("convert", columns=columns, how=how)
        )

    def convert_day_first(self, columns: tuple[Ref, ...], how: str) -> Plan | None:
        return self.convert(columns, "date day first") if how == "date" else None

    def replace(self, old: Any, *parts: Any) -> Plan | None:
        columns = next((one for one in parts if isinstance(one, tuple)), ())
        new = next(one for one in parts if not isinstance(one, tuple))
        if isinstance(old, tuple):  # a value, with its column
            old, columns = old[1], columns if columns and columns != (old[0],) else (old[0],)
        old, new = (one.value if isinstance(one, Amount) else one for one in (old, new))
        fits = bool(columns) and all(map(is_number, columns)) is isinstance(old, float)
        return _change("replace", columns=columns, value=old, new=new) if fits else None

    def nothing_there(self) -> str:
        return MISSING

    def recase(self, *parts: Any) -> Plan | None:
        columns = next(one for one in parts if isinstance(one, tuple))
        how = next((one for one in parts if isinstance(one, str)), "strip")
        return _change("text", columns=columns, how=how) if all(ref.column.kind == "text" for ref in columns) else None

    def round_columns(self, columns: tuple[Ref, ...], number: float) -> Plan | None:
        return (
            _change("round", columns=columns, value=number)
            if all(ref.column.kind == "number" for ref in columns)
            else None
        )

    def clean_names(self, *parts: Any) -> Plan | None:
        how = " ".join(one for one in parts if isinstance(one, str))
        return together(_change("names", how=how), *(one for one in parts if isinstance(one, Plan)))

    def underscores(self) -> str:
        return "_"

    # two tables

    def join(self, *parts: Any) -> Plan | None:
        how = next((one for one in parts if isinstance(one, str)), "inner")
        left, right = (one.table for one in parts if isinstance(one, Plan))
        key = tuple(one.column.name for one in parts if isinstance(one, Ref))
        made = Change(kind="join", other=right, names=key, how=how)
        return Plan(table=left, change=made) if left and right and left != right else None

    def bring(self, columns: tuple[Ref, ...], source: Plan, target: Plan, *key: Ref) -> Plan | None:
        if not target.table or source.table != columns[0].table or source.table == target.table:
            return None
        names = tuple(ref.column.name for ref in columns)
        made = Change(kind="bring", other=source.table, names=names, value=key[0].column.name if key else None)
        return Plan(table=target.table, change=made)

    def unmatched(self, rows: Plan, other: Plan) -> Plan | None:
        made = Plan(table=rows.table, look="rows", change=Change(kind="unmatched", other=other.table))
        return made if rows.table and other.table and rows.table != other.table else None


def _change(kind: str, **values: Any) -> Plan:
    return Plan(change=Change(kind=kind, **values))
