"""Rules of the grammar for conditions: comparisons, values, texts and times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines.tables.rule_helpers import ANY_DATE, Amount, Pair, is_date, is_flag, is_number, period
from spark_jupyter.server.engines.tables.table_plan import AnyOf, Plan, Ref, Statistic, Test, Unmatched, refs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_jupyter.server.engines.tables.rule_helpers import Names

_OPS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=="}
Tests = tuple[Test | AnyOf | Unmatched, ...]


class ConditionRules:
    """The rules for conditions, with the ``names`` of columns."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def tests(self, *tests: Test) -> Tests | None:
        return tests if len({ref.table for ref in refs(tests) if ref.table}) < 2 else None

    def any_tests(self, *tests: Test) -> Tests | None:
        return (AnyOf(tests),) if self.tests(*tests) else None

    def where(self, tests: Tests) -> Plan:
        return Plan(tests=tests)

    def unless(self, test: Test) -> Plan:
        return Plan(tests=(_negated(test),))

    # values

    def values(self, *pairs: Pair) -> tuple[Pair, ...] | None:
        return pairs if len({ref for ref, _ in pairs}) == 1 else None

    def where_values(self, *given: Any) -> Plan | None:
        named = [one for one in given if isinstance(one, Ref)]  # "the red team", "in team red"
        values = [one for one in given if not isinstance(one, Ref)]
        pairs = self.values(*(values[0] if isinstance(values[0][0], tuple) else values))
        return Plan(tests=(_among(pairs),)) if pairs and all(ref == pairs[0][0] for ref in named) else None

    def unless_values(self, given: Any) -> Any:
        if not isinstance(given, Plan):
            return Plan(tests=(_negated(_among(given)),))
        return Plan(table=given.table, tests=(_negated(given.tests[0]),)) if len(given.tests) == 1 else None

    def column_is(self, ref: Ref, pairs: tuple[Pair, ...]) -> Test | None:
        return _among(pairs) if all(one == ref for one, _ in pairs) else None

    def column_is_not(self, ref: Ref, pairs: tuple[Pair, ...]) -> Any:
        return _negated(self.column_is(ref, pairs))

    def literals(self, *literals: Any) -> tuple[Any, ...]:
        return literals

    def equals(self, ref: Ref, literals: tuple[Any, ...]) -> Test | None:
        values = tuple(self._literal(ref, one) for one in literals)
        if None in values:
            return None
        if isinstance(values[0], Test):
            return values[0] if len(values) == 1 else None
        return Test(ref, "in", tuple(one for one in values if isinstance(one, float | str)))

    def differs(self, ref: Ref, literals: tuple[Any, ...]) -> Any:
        return _negated(self.equals(ref, literals))

    def _literal(self, ref: Ref, literal: Any) -> float | str | Test | None:
        if isinstance(literal, Amount):
            return (
                self._number(ref, literal)
                if not isinstance(literal.value, str)
                else self._dated(ref, "==", literal.value)
            )
        if is_date(ref):
            return None
        return literal if ref.column.kind == "text" else None

    def value_text(self, pair: Pair) -> str:
        return pair[1]

    # comparisons

    def comparison(self, op: str) -> str:
        return _OPS[op]

    def compare(self, ref: Ref, op: str, amount: Amount) -> Test | None:
        if isinstance(amount.value, str):
            return self._dated(ref, op, amount.value)
        value = self._number(ref, amount)
        return Test(ref, op, (value,)) if value is not None else None

    def compare_turned(self, op: str, ref: Ref, amount: Amount) -> Test | None:
        return self.compare(ref, _OPS[op], amount)

    def compare_before(self, op: str, amount: Amount, ref: Ref) -> Test | None:
        return self.compare(ref, op, amount)

    def compare_last(self, op: str, amount: Amount, ref: Ref) -> Test | None:
        return self.compare(ref, _OPS[op], amount)

    def either(self, ref: Ref, op: str, amount: Amount, other_op: str, other: Amount) -> AnyOf | None:
        tests = self.compare(ref, op, amount), self.compare(ref, other_op, other)
        return AnyOf(tests) if None not in tests else None  # type: ignore[arg-type]

    def degree_than(self, which: str) -> tuple[str, str]:
        op, _, kind = which.partition("_")
        return _OPS[op], kind

    def compare_degree(self, degree: tuple[str, str], amount: Amount) -> list[Test]:
        op, kind = degree
        return [test for ref in self._names.numbers(kind) if (test := self.compare(ref, op, amount)) is not None]

    def compare_columns(self, ref: Ref, op: str, other: Ref) -> Test | None:
        same = (is_number(ref) and is_number(other)) or (is_date(ref) and is_date(other))
        return Test(ref, op, (other,)) if same and ref.table == other.table and ref != other else None

    def same_columns(self, ref: Ref, other: Ref) -> Test | None:
        fits = ref.table == other.table and ref != other and ref.column.kind == other.column.kind
        return Test(ref, "==", (other,)) if fits else None

    def different_columns(self, ref: Ref, other: Ref) -> Any:
        return _negated(self.same_columns(ref, other))

    def compare_average(self, ref: Ref, op: str) -> Test | None:
        return Test(ref, op, (Statistic("mean", ref),)) if is_number(ref) else None

    def between(self, ref: Ref, low: Amount, high: Amount) -> Test | None:
        if isinstance(low.value, str) and isinstance(high.value, str):
            return _range(ref, low.value, high.value)
        values = self._number(ref, low), self._number(ref, high)
        if values[0] is None or values[1] is None or values[0] > values[1]:
            return None
        return Test(ref, "between", (values[0], values[1]))

    def _number(self, ref: Ref, amount: Amount) -> float | None:
        """An amount as the column has it; None where the column has no numbers, or others."""
        if not is_number(ref) or isinstance(amount.value, str):
            return None
        if amount.unit == "%":
            return amount.value / 100 if ref.column.fraction else amount.value
        return amount.value if not amount.unit or self._names.has_word(ref, amount.unit) else None

    def _dated(self, ref: Ref, op: str, date: str) -> Test | None:
        if not is_date(ref):
            year = date.isdecimal() and is_number(ref) and self._names.has_word(ref, "YEARS")
            return Test(ref, op, (float(date),)) if year else None
        start, end = period(date)
        if op == "==":
            return Test(ref, "between", (start, end))
        return Test(ref, ">=" if op in (">", ">=") else "<", (end if op in (">", "<=") else start,))

    # missing values, flags and texts

    def missing(self, ref: Ref) -> Test:
        return Test(ref, "missing")

    def lacking(self, ref: Ref) -> Test:
        return self.flag_unset(ref) or self.missing(ref)

    def present(self, ref: Ref) -> Test:
        return Test(ref, "missing", negated=True)

    def flag(self, ref: Ref) -> Test | None:
        return Test(ref, "true") if is_flag(ref) else None

    def flag_unset(self, ref: Ref) -> Any:
        return _negated(self.flag(ref))

    def text_test(self, op: str, ref: Ref, text: str) -> Test | None:
        fits = ref.column.kind == "text" and not ref.column.holds.startswith(("dates", "numbers"))
        return Test(ref, op, (text.lower() if op == "contains" else text,)) if fits and text else None

    def contained(self, text: str, ref: Ref) -> Test | None:
        return self.text_test("contains", ref, text)

    def lacks(self, ref: Ref, text: str) -> Any:
        return _negated(self.text_test("contains", ref, text))

    # amounts and dates

    def amount(self, value: float, unit: str = "") -> Amount:
        return Amount(value, unit)

    def no_unit(self, _name: str) -> None:
        return None

    def amount_before(self, unit: str, value: float) -> Amount:
        return Amount(value, unit)

    def amount_percent(self, value: float) -> Amount:
        return Amount(value, "%")

    def amount_negative(self, value: float) -> Amount:
        return Amount(-value)

    def amount_date(self, date: str) -> Amount:
        return Amount(date)  # type: ignore[arg-type]

    def iso(self, date: str) -> str | None:
        try:
            period(date)
        except ValueError:
            return None
        return date

    def year(self, year: int) -> str:
        return str(year)

    def month_of_year(self, month: int, year: int) -> str:
        return f"{year}-{month:02}"

    def month_day_year(self, month: int, day: float, year: int) -> str | None:
        return self.iso(f"{year}-{month:02}-{int(day):02}")

    def day_month_year(self, day: float, month: int, year: int) -> str | None:
        return self.month_day_year(month, day, year)

    def in_period(self, time: str | int, ref: Ref | None = None) -> Plan | None:
        ref = ref or Ref("", ANY_DATE)
        if isinstance(time, int):
            return Plan(tests=(Test(Ref(ref.table, ref.column, "month"), "in", (time,)),)) if is_date(ref) else None
        return _when(self._dated(ref, "==", time))

    def column_in_period(self, ref: Ref, time: str | int) -> Plan | None:
        return self.in_period(time, ref)

    def when(self, op: str, *parts: Any) -> Plan | None:
        return _when(self._dated(parts[0] if len(parts) == 2 else Ref("", ANY_DATE), _OPS[op], parts[-1]))

    def between_dates(self, *parts: Any) -> Plan | None:
        return _when(_range(parts[0] if len(parts) == 3 else Ref("", ANY_DATE), *parts[-2:]))

    def on_weekdays(self, *parts: Any) -> Plan | None:
        ref, days = (parts[0], parts[1:]) if isinstance(parts[0], Ref) else (Ref("", ANY_DATE), parts)
        return Plan(tests=(Test(Ref(ref.table, ref.column, "dayofweek"), "in", tuple(days)),)) if is_date(ref) else None

    def on_weekends(self) -> Plan | None:
        return self.on_weekdays(5, 6)

    def on_workdays(self) -> Plan | None:
        return self.on_weekdays(0, 1, 2, 3, 4)


def _when(test: Test | None) -> Plan | None:
    return Plan(tests=(test,)) if test else None


def _range(ref: Ref, low: str, high: str) -> Test | None:
    return Test(ref, "between", (period(low)[0], period(high)[1])) if is_date(ref) and low <= high else None


def _among(pairs: Iterable[Pair]) -> Test:
    columns, values = zip(*pairs, strict=True)
    return Test(columns[0], "in", tuple(dict.fromkeys(values)))


def _negated(test: Any) -> Any:
    return Test(test.left, test.op, test.right, not test.negated) if isinstance(test, Test) else None
