"""Rules of the grammar for conditions: comparisons, values, texts and times."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines.tables.rule_helpers import ANY_DATE, Amount, Pair, is_date, is_flag, is_number, period
from spark_jupyter.server.engines.tables.table_plan import AnyOf, Plan, Ref, Test, Unmatched, refs

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.tables.rule_helpers import Names

_OPS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=="}
Tests = tuple[Test | AnyOf | Unmatched, ...]


def condition_rules(names: Names) -> dict[str, Callable[..., Any]]:
    """The rules for conditions, with the ``names`` of columns."""
    return {
        "tests": _tests,
        "any_tests": lambda *tests: (AnyOf(tests),) if _tests(*tests) else None,
        "where": lambda tests: Plan(tests=tests),
        "unless": lambda test: _where(_negated(test)),
        "values": lambda *pairs: pairs if len({ref for ref, _ in pairs}) == 1 else None,
        "where_values": _where_values,
        "unless_values": _unless_values,
        "column_is": lambda ref, pairs: among(pairs) if pairs[0][0] == ref else None,
        "column_is_not": lambda ref, pairs: _negated(among(pairs)) if pairs[0][0] == ref else None,
        "literals": lambda *literals: literals,
        "equals": partial(_equals, names),
        "differs": lambda ref, literals: _negated(_equals(names, ref, literals)),
        "value_text": lambda pair: pair[1],
        "comparison": _OPS.get,
        "compare": partial(_compare, names),
        "compare_turned": lambda op, ref, amount: _compare(names, ref, _OPS[op], amount),
        "compare_before": lambda op, amount, ref: _compare(names, ref, op, amount),
        "compare_last": lambda op, amount, ref: _compare(names, ref, _OPS[op], amount),
        "degree_than": lambda which: tuple(which.split("_")),
        "compare_degree": lambda degree, amount: [
            *filter(None, (_compare(names, ref, _OPS[degree[0]], amount) for ref in names.numbers(degree[1])))
        ],
        "between": partial(_between, names),
        "between_before": lambda low, high, ref: _between(names, ref, low, high),
        "missing": lambda ref: Test(ref, "missing"),
        "lacking": lambda ref: _negated(_flag(ref)) or Test(ref, "missing"),
        "present": lambda ref: Test(ref, "missing", negated=True),
        "flag": _flag,
        "flag_unset": lambda ref: _negated(_flag(ref)),
        "text_test": _text_test,
        "contained": lambda text, ref: _text_test("contains", ref, text),
        "lacks": lambda ref, text: _negated(_text_test("contains", ref, text)),
        "amount": Amount,
        "no_unit": lambda _name: None,
        "amount_before": lambda unit, value: Amount(value, unit),
        "amount_percent": lambda value: Amount(value, "%"),
        "amount_negative": lambda value: Amount(-value),
        "iso": _iso,
        "year": str,
        "month_of_year": lambda month, year: f"{year}-{month:02}",
        "month_day_year": lambda month, day, year: _iso(f"{year}-{month:02}-{int(day):02}"),
        "day_month_year": lambda day, month, year: _iso(f"{year}-{month:02}-{int(day):02}"),
        "in_period": partial(_in_period, names),
        "column_in_period": lambda ref, time: _in_period(names, time, ref),
        "when": partial(_when, names),
        "between_dates": lambda *parts: _where(_range(parts[0] if parts[2:] else _DATE, *parts[-2:])),
    }


_DATE = Ref("", ANY_DATE)


def _compare(names: Names, ref: Ref, op: str, amount: Amount) -> Test | None:
    if isinstance(amount.value, str):
        return _dated(names, ref, op, amount.value)
    value = _number(names, ref, amount)
    return Test(ref, op, (value,)) if value is not None else None


def _number(names: Names, ref: Ref, amount: Amount) -> float | None:
    """An amount as the column has it; None where the column has no numbers, or others."""
    if not is_number(ref) or isinstance(amount.value, str):
        return None
    if amount.unit == "%":
        return amount.value / 100 if ref.column.fraction else amount.value
    return amount.value if not amount.unit or names.has_word(ref, amount.unit) else None


def _dated(names: Names, ref: Ref, op: str, date: str) -> Test | None:
    if not is_date(ref):
        year = date.isdecimal() and is_number(ref) and names.has_word(ref, "YEARS")
        return Test(ref, op, (float(date),)) if year else None
    start, end = period(date)
    if op == "==":
        return Test(ref, "between", (start, end))
    return Test(ref, ">=" if op in (">", ">=") else "<", (end if op in (">", "<=") else start,))


def _when(names: Names, op: str, *parts: Any) -> list[Plan]:
    """A time before or after a date, of the column that is named, or else of any with dates or years."""
    *given, date = parts
    tests = (_dated(names, ref, _OPS[op], date) for ref in given or (_DATE, *names.numbers("YEARS")))
    return [plan for test in tests if (plan := _where(test)) is not None]


def _between(names: Names, ref: Ref, low: Amount, high: Amount) -> Test | None:
    if isinstance(low.value, str) and isinstance(high.value, str):
        return _range(ref, low.value, high.value)
    one, other = _number(names, ref, low), _number(names, ref, high)
    return Test(ref, "between", (one, other)) if one is not None and other is not None and one <= other else None


def _equals(names: Names, ref: Ref, literals: tuple[Any, ...]) -> Test | None:
    values = tuple(_literal(names, ref, one) for one in literals)
    if isinstance(values[0], Test):
        return values[0] if len(values) == 1 else None
    return Test(ref, "in", tuple(one for one in values if isinstance(one, float | str))) if None not in values else None


def _literal(names: Names, ref: Ref, value: str | Amount) -> float | str | Test | None:
    if isinstance(value, Amount):
        return _dated(names, ref, "==", value.value) if isinstance(value.value, str) else _number(names, ref, value)
    return value if ref.column.kind == "text" and not is_date(ref) else None


def _in_period(names: Names, time: str | int, ref: Ref = _DATE) -> Plan | None:
    if isinstance(time, int):
        return _where(Test(Ref(ref.table, ref.column, "month"), "in", (time,))) if is_date(ref) else None
    return _where(_dated(names, ref, "==", time))


def _where(test: Test | None) -> Plan | None:
    return Plan(tests=(test,)) if test else None


def _tests(*tests: Test) -> Tests | None:
    return tests if len({ref.table for ref in refs(tests) if ref.table}) < 2 else None


def _where_values(*given: Any) -> Plan | None:
    """Values, with their column beside them or without: "from Nord", "the red team"."""
    named = [one for one in given if isinstance(one, Ref)]
    values = [one for one in given if not isinstance(one, Ref)]
    pairs: tuple[Pair, ...] = values[0] if isinstance(values[0][0], tuple) else tuple(values)
    return _where(among(pairs)) if {*named, *(ref for ref, _ in pairs)} == {pairs[0][0]} else None


def _unless_values(given: Any) -> Plan | None:
    if not isinstance(given, Plan):
        return _where(_negated(among(given)))
    return Plan(table=given.table, tests=(_negated(given.tests[0]),)) if len(given.tests) == 1 else None


def among(pairs: tuple[Pair, ...]) -> Test:
    """The condition that a column has one of these values."""
    return Test(pairs[0][0], "in", tuple(dict.fromkeys(value for _, value in pairs)))


def _negated(test: Any) -> Any:
    return Test(test.left, test.op, test.right, not test.negated) if isinstance(test, Test) else None


def _flag(ref: Ref) -> Test | None:
    return Test(ref, "true") if is_flag(ref) else None


def _text_test(op: str, ref: Ref, text: str) -> Test | None:
    fits = ref.column.kind == "text" and not ref.column.holds.startswith(("dates", "numbers"))
    return Test(ref, op, (text.lower() if op == "contains" else text,)) if fits and text else None


def _iso(date: str) -> str | None:
    try:
        period(date)
    except ValueError:
        return None
    return date


def _range(ref: Ref, low: str, high: str) -> Test | None:
    return Test(ref, "between", (period(low)[0], period(high)[1])) if is_date(ref) and low <= high else None
