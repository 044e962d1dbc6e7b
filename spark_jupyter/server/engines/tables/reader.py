"""Meanings of the grammar's rules: parts of a prompt become plans.

A method has the name of a rule or an alias in tables.lark and takes the meanings of its parts. It gives a value, a list of several, or None
where the parts do not fit together: a mean of texts, a date compared with a number. What only the whole prompt tells, such as the table, is
left open; see resolution.py.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from spark_jupyter.server.engines.namespace import Column
from spark_jupyter.server.engines.tables.lexicon import name_words
from spark_jupyter.server.engines.tables.table_plan import (
    AnyOf,
    Change,
    Expression,
    Formula,
    Limit,
    Measure,
    Order,
    Plan,
    Ref,
    Statistic,
    Test,
    Unmatched,
    merge,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_jupyter.server.engines.tables.lexicon import Phrases, Schema

ANY_DATE = Column("", "date")
"""The column of dates that a prompt means without naming it."""
OPS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "eq": "=="}
NUMERIC = frozenset({"mean", "sum", "median", "std", "var", "quantile"})
PARTS_WITH_YEARS = frozenset({"month", "week", "quarter", "day"})
Pair = tuple[Ref, str]
Tests = tuple[Test | AnyOf | Unmatched, ...]


class Amount(Struct, frozen=True):
    """A number with what stands beside it: a unit's terminal, or ``%``."""

    value: float
    unit: str = ""


def is_date(ref: Ref) -> bool:
    """Whether a column has dates, also as texts."""
    return ref.column.kind == "date" or ref.column.holds.startswith("dates")


def is_number(ref: Ref) -> bool:
    """Whether a column has numbers, also as texts; a part of a date is none."""
    return not ref.part and (ref.column.kind == "number" or ref.column.holds.startswith("numbers"))


def is_flag(ref: Ref) -> bool:
    """Whether a column says yes and no."""
    return ref.column.kind == "bool" or ref.column.flag or ref.column.truth is not None


def period(date: str) -> tuple[str, str]:
    """The first day of an ISO year, month or day, and the first one behind it."""
    parts = [int(part) for part in date.split("-")]
    start = dt.date(*([*parts, 1, 1])[:3])
    if len(parts) == 3:
        end = start + dt.timedelta(days=1)
    elif len(parts) == 2:
        end = dt.date(start.year + start.month // 12, start.month % 12 + 1, 1)
    else:
        end = dt.date(start.year + 1, 1, 1)
    return start.isoformat(), end.isoformat()


def together(*plans: Plan) -> Plan | None:
    """All plans merged."""
    found: Plan | None = Plan()
    for one in plans:
        found = merge(found, one) if found is not None else None
    return found


class Reader:
    """The meanings of the rules, for the columns of one ``schema``; ``phrases`` are the grammar's."""

    def __init__(self, schema: Schema, phrases: Phrases) -> None:
        self._schema = schema
        self._phrases = phrases

    # --- whole prompts ---------------------------------------------------------------------------------------------------

    def query(self, *plans: Plan) -> Plan | None:
        return together(*plans)

    def save(self, plan: Plan, path: str, *index: str) -> Plan | None:
        return together(plan, Plan(path=path, styles=(("index", 0),) if index else ()))

    def index(self) -> str:
        return "without"

    # --- heads -----------------------------------------------------------------------------------------------------------

    def rows(self, *plans: Plan) -> Plan | None:
        return together(*plans, Plan(look="rows"))

    def rows_named(self, plan: Plan) -> Plan:
        return plan

    def table(self, name: str) -> Plan:
        return Plan(table=name)

    def any_rows(self) -> Plan:
        return Plan()

    def adjectives(self, *pairs: Pair) -> Plan | None:
        if len({ref for ref, _ in pairs}) < len(pairs):
            return None
        return Plan(tests=tuple(Test(ref, "in", (value,)) for ref, value in pairs))

    def columns(self, *refs: Ref) -> tuple[Ref, ...] | None:
        return refs if len({ref.table for ref in refs}) == 1 else None

    def selection(self, columns: tuple[Ref, ...]) -> Plan:
        return Plan(columns=columns)

    def describe(self, what: Plan | tuple[Ref, ...] = ()) -> Plan | None:
        return self._look("describe", what)

    def column_names(self, *of: Plan) -> Plan | None:
        return self._look("columns", *of)

    def types(self, *of: Plan) -> Plan | None:
        return self._look("types", *of)

    def shape(self, *of: Plan) -> Plan | None:
        return self._look("shape", *of)

    def info(self, *of: Plan) -> Plan | None:
        return self._look("info", *of)

    def missing_counts(self, *of: Plan) -> Plan | None:
        return self._look("missing", *of)

    def unique(self, column: Ref, *of: Plan) -> Plan | None:
        return self._look("unique", (column,), *of)

    def unique_counts(self, *of: Plan) -> Plan | None:
        return self._look("unique counts", *of)

    def counts(self, columns: tuple[Ref, ...]) -> Plan | None:
        return Plan(groups=columns, measures=(Measure("count"),))

    def duplicates(self, *of: Plan) -> Plan | None:
        return self._look("duplicates", *of)

    def duplicate_count(self, *of: Plan) -> Plan | None:
        return self._look("duplicate count", *of)

    def per_column(self) -> Plan:
        return Plan()

    def of_table(self, noun: Plan) -> Plan:
        return noun

    def of_columns(self, noun: Plan | None = None) -> Plan:
        return noun or Plan()

    def _look(self, look: str, *of: Plan | tuple[Ref, ...]) -> Plan | None:
        return together(Plan(look=look), *(one if isinstance(one, Plan) else Plan(columns=one) for one in of))

    def measures(self, *plans: Plan) -> Plan | None:
        return together(*plans)

    def measure(self, *parts: Any) -> Any:
        if len(parts) == 1:
            return parts[0]
        functions, operands = parts
        made = tuple(Measure(how, one, at) for one in operands for how, at in functions)
        return Plan(measures=made) if all(map(self._measurable, made)) else None

    def _measurable(self, measure: Measure) -> bool:
        ref = measure.of
        if not isinstance(ref, Ref) or measure.how in ("count", "nunique", "mode"):
            return True
        if measure.how in ("min", "max"):
            return not ref.part and (is_number(ref) or is_date(ref) or not ref.column.holds)
        return is_number(ref) or (ref.column.kind == "bool" and measure.how in ("sum", "mean"))

    def functions(self, *functions: tuple[str, float]) -> tuple[tuple[str, float], ...]:
        return functions

    def function(self, how: str) -> tuple[str, float]:
        return how, 0.0

    def percentile(self, number: float) -> tuple[str, float] | None:
        return ("quantile", number / 100) if 0 <= number <= 100 else None

    def operands(self, *expressions: Expression) -> tuple[Expression, ...]:
        return expressions

    def table_column(self, table: str, column: Ref) -> Ref | None:
        return column if column.table == table else None

    def count(self, *plans: Plan) -> Plan | None:
        return together(*plans, Plan(measures=(Measure("count"),)))

    def count_column(self, column: Ref) -> list[Plan]:
        return [Plan(measures=(Measure("nunique", column),)), Plan(table=column.table, measures=(Measure("count"),))]

    def count_distinct(self, column: Ref) -> Plan:
        return Plan(measures=(Measure("nunique", column),))

    def extreme(self, which: str) -> str:
        return which

    def which(self, column: Ref, extreme: str, what: Plan | Expression) -> Plan | list[Plan] | None:
        if isinstance(what, Plan):
            return self._extreme_group(column, extreme, what) if len(what.measures) == 1 else None
        if isinstance(what, Ref) and not is_number(what):
            return None
        row = self._extreme_rows(Plan(table=column.table), extreme, what, 1)
        total = self._extreme_group(column, extreme, Plan(measures=(Measure("sum", what),)))
        return [one for one in (row, total) if one is not None]

    def _extreme_group(self, column: Ref, extreme: str, plan: Plan, count: int = 1) -> Plan | None:
        return together(
            Plan(groups=(column,), order=Order((), extreme == "largest"), limit=Limit(count, "first")), plan
        )

    def which_most(self, column: Ref, *plans: Plan) -> Plan | None:
        return self._extreme_group(column, "largest", together(*plans, Plan(measures=(Measure("count"),))) or Plan())

    def which_fewest(self, column: Ref, *plans: Plan) -> Plan | None:
        return self._extreme_group(column, "smallest", together(*plans, Plan(measures=(Measure("count"),))) or Plan())

    def which_part(self, part: str, noun: Plan | None = None) -> Plan | None:
        return self.which_most(Ref("", ANY_DATE, part), *([noun] if noun else []))

    def most_common(self, column: Ref) -> Plan | None:
        return self.most_common_n(1.0, column)

    def most_common_n(self, number: float, column: Ref) -> Plan | None:
        return self._extreme_group(column, "largest", Plan(measures=(Measure("count"),)), int(number))

    def which_rows(self, rows: Plan, extreme: str, column: Ref) -> Plan | None:
        return self._extreme_rows(rows, extreme, column, 1)

    def _extreme_rows(self, rows: Plan, extreme: str, by: Expression, count: float) -> Plan | None:
        if (isinstance(by, Ref) and not (is_number(by) or is_date(by))) or count < 1:
            return None
        return together(
            rows, Plan(order=Order((by,), extreme == "largest"), limit=Limit(int(count), "first"), look="rows")
        )

    def top(self, number: float, of: Plan | Ref, by: Expression) -> Plan | list[Plan] | None:
        return self._top(number, of, by, "largest")

    def bottom(self, number: float, of: Plan | Ref, by: Expression) -> Plan | list[Plan] | None:
        return self._top(number, of, by, "smallest")

    def _top(self, number: float, of: Plan | Ref, by: Expression, extreme: str) -> Plan | list[Plan] | None:
        if isinstance(of, Plan):
            return self._extreme_rows(of, extreme, by, number)
        if isinstance(by, Ref) and not is_number(by):
            return None
        made = (
            self._extreme_group(of, extreme, Plan(measures=(Measure(how, by),)), int(number)) for how in ("sum", "mean")
        )
        return [one for one in made if one is not None]

    def top_measure(self, number: float, of: Plan | Ref, functions: Any, by: Expression) -> Plan | None:
        plan = self.measure(functions, (by,))
        if plan is None or isinstance(of, Plan):
            return None
        return self._extreme_group(of, "largest", plan, int(number))

    def top_counted(self, number: float, column: Ref, count: Plan | None = None) -> Plan | None:
        plan = count or Plan(measures=(Measure("count"),))
        return (
            self._extreme_group(column, "largest", plan, int(number))
            if column.column.kind != "number" or count
            else None
        )

    def degree_rows(self, *parts: Any) -> list[Plan]:
        (extreme, kind), rows = parts[-2:]
        count = parts[0] if len(parts) == 3 else 1
        made = (self._extreme_rows(rows, extreme, ref, count) for ref in self._of_kind(kind))
        return [one for one in made if one is not None]

    def most(self, kind: str) -> tuple[str, str]:
        return "largest", kind

    def least(self, kind: str) -> tuple[str, str]:
        return "smallest", kind

    def extreme_rows(self, number: float, rows: Plan, extreme: str, column: Ref) -> Plan | None:
        return self._extreme_rows(rows, extreme, column, number)

    def extreme_row(self, rows: Plan, extreme: str, column: Ref) -> Plan | None:
        return self._extreme_rows(rows, extreme, column, 1)

    def extreme_values(self, number: float, extreme: str, column: Ref) -> Plan | None:
        return self._extreme_rows(Plan(columns=(column,)), extreme, column, number)

    def first(self, number: float, noun: Plan) -> Plan | None:
        return self._end("first", number, noun)

    def last(self, number: float, noun: Plan) -> Plan | None:
        return self._end("last", number, noun)

    def sample(self, number: float, noun: Plan) -> Plan | None:
        return self._end("random", number, noun)

    def sample_one(self, noun: Plan) -> Plan | None:
        return self._end("random", 5, noun)

    def first_default(self, noun: Plan) -> Plan | None:
        return self._end("first", 5, noun)

    def last_default(self, noun: Plan) -> Plan | None:
        return self._end("last", 5, noun)

    def _end(self, end: str, number: float, noun: Plan) -> Plan | None:
        return together(noun, Plan(limit=Limit(int(number), end), look="rows")) if number >= 1 else None

    def share(self, *plans: Plan) -> Plan | None:
        return together(*plans, Plan(measures=(Measure("count"),), percent=True))

    def share_of_column(self, column: Ref) -> Plan:
        return Plan(groups=(column,), measures=(Measure("count"),), percent=True)

    def share_of_test(self, *parts: Any) -> Plan | None:
        *plans, test = parts
        return together(*plans, Plan(look="share", change=Change(kind="test", value=(test,))))

    def relation(self, columns: tuple[Ref, ...]) -> Plan | None:
        fits = len(set(columns)) > 1 and all(map(is_number, columns))
        return Plan(look="correlation", columns=columns) if fits else None

    def correlation_matrix(self, *of: Plan) -> Plan | None:
        return self._look("correlation", *of)

    def crosstab(self, *parts: Any) -> Plan | None:
        *plans, rows, columns = parts
        return together(*plans, Plan(look="crosstab", groups=(rows, columns))) if rows != columns else None

    # --- conditions ------------------------------------------------------------------------------------------------------

    def of_rows(self, rows: Plan) -> Plan | None:
        return together(Plan(table=rows.table, tests=rows.tests))

    def also(self, plan: Plan) -> Plan:
        return plan

    def rounding(self, number: float = 0) -> Plan:
        return Plan(decimals=int(number))

    def percent(self) -> Plan:
        return Plan(percent=True)

    def tests(self, *tests: Test) -> Tests | None:
        return tests if len({test.left.table for test in tests if test.left.table}) < 2 else None

    def any_tests(self, *tests: Test) -> Tests | None:
        return (AnyOf(tests),) if self.tests(*tests) else None

    def where(self, tests: Tests) -> Plan:
        return Plan(tests=tests)

    def unless(self, test: Test) -> Plan:
        return Plan(tests=(self._negated(test),))

    def values(self, *pairs: Pair) -> tuple[Pair, ...] | None:
        return pairs if len({ref for ref, _ in pairs}) == 1 else None

    def where_values(self, *given: Any) -> Plan | None:
        pairs = given[0] if isinstance(given[0][0], tuple) else given
        pairs = self.values(*pairs)
        return Plan(tests=(self._among(pairs),)) if pairs else None

    def unless_values(self, given: Any) -> Plan | None:
        if isinstance(given, Plan):
            return (
                Plan(table=given.table, tests=tuple(map(self._negated, given.tests))) if len(given.tests) == 1 else None
            )
        return Plan(tests=(self._negated(self._among(given)),))

    def _among(self, pairs: Iterable[Pair]) -> Test:
        pairs = tuple(pairs)
        return Test(pairs[0][0], "in", tuple(dict.fromkeys(value for _, value in pairs)))

    def _negated(self, test: Any) -> Any:
        return Test(test.left, test.op, test.right, not test.negated) if isinstance(test, Test) else test

    def literals(self, *literals: Any) -> tuple[Any, ...]:
        return literals

    def text(self, text: str) -> str:
        return text

    def value_text(self, pair: Pair) -> str:
        return pair[1]

    def word_text(self, word: str) -> str:
        return word

    def comparison(self, op: str) -> str:
        return OPS[op]

    def compare(self, ref: Ref, op: str, amount: Any) -> Test | None:
        return self._compared(ref, op, amount)

    def at_least(self, ref: Ref, amount: Any) -> Test | None:
        return self._compared(ref, ">=", amount)

    def at_most(self, ref: Ref, amount: Any) -> Test | None:
        return self._compared(ref, "<=", amount)

    def compare_number(self, op: str, number: float, ref: Ref) -> Test | None:
        return self._compared(ref, op, Amount(number))

    def at_least_number(self, number: float, ref: Ref) -> Test | None:
        return self._compared(ref, ">=", Amount(number))

    def compare_degree(self, degree: tuple[str, str], amount: Any) -> list[Test]:
        op, kind = degree
        made = (self._compared(ref, op, amount) for ref in self._of_kind(kind))
        return [one for one in made if one is not None]

    def degree(self, *parts: str) -> Any:
        return parts[0] if len(parts) == 1 else (OPS[parts[0]], parts[1])

    def _of_kind(self, kind: str) -> list[Ref]:
        """The columns of numbers whose names have a word of one of the grammar's terminals, such as AGE."""
        every = [Ref(table.name, column) for table in self._schema.tables.values() for column in table.columns]
        return [ref for ref in every if is_number(ref) and self._named(ref, kind.upper())]

    def _named(self, ref: Ref, terminal: str) -> bool:
        return any(terminal in self._phrases.get((word,), {}) for word in name_words(ref.column.name))

    def _compared(self, ref: Ref, op: str, amount: Any) -> Test | None:
        if isinstance(amount, str):
            return self._dated(ref, op, amount)
        value = self._number(ref, amount)
        return Test(ref, op, (value,)) if value is not None else None

    def _number(self, ref: Ref, amount: Any) -> float | None:
        """An amount as the column has it; None where the column has no numbers, or others."""
        if not isinstance(amount, Amount) or not is_number(ref):
            return None
        if amount.unit == "%":
            return amount.value / 100 if ref.column.fraction else amount.value
        return amount.value if not amount.unit or self._named(ref, amount.unit) else None

    def _dated(self, ref: Ref, op: str, date: str) -> Test | None:
        if not is_date(ref):
            year = date.isdecimal() and is_number(ref) and self._named(ref, "YEARS")
            return Test(ref, op, (float(date),)) if year else None
        start, end = period(date)
        if op == "==":
            return Test(ref, "between", (start, end))
        return Test(ref, ">=" if op in (">", ">=") else "<", (end if op in (">", "<=") else start,))

    def between(self, ref: Ref, low: Any, high: Any) -> Test | None:
        if isinstance(low, str) and isinstance(high, str):
            return self._range(ref, low, high)
        values = self._number(ref, low), self._number(ref, high)
        return Test(ref, "between", values) if None not in values and values[0] <= values[1] else None  # type: ignore[arg-type,operator]

    def _range(self, ref: Ref, low: str, high: str) -> Test | None:
        if not is_date(ref) or low > high:
            return None
        return Test(ref, "between", (period(low)[0], period(high)[1]))

    def column_is(self, ref: Ref, pairs: tuple[Pair, ...]) -> Test | None:
        return self._among(pairs) if all(one == ref for one, _ in pairs) else None

    def column_is_not(self, ref: Ref, pairs: tuple[Pair, ...]) -> Test | None:
        test = self.column_is(ref, pairs)
        return self._negated(test) if test else None

    def equals(self, ref: Ref, literals: tuple[Any, ...]) -> Test | None:
        values = tuple(self._literal(ref, one) for one in literals)
        if None in values:
            return None
        if len(values) == 1 and isinstance(values[0], Test):
            return values[0]
        return Test(ref, "in", values) if not any(isinstance(one, Test) for one in values) else None  # type: ignore[arg-type]

    def differs(self, ref: Ref, literals: tuple[Any, ...]) -> Any:
        return self._negated(self.equals(ref, literals))

    def _literal(self, ref: Ref, literal: Any) -> float | str | Test | None:
        if isinstance(literal, Amount):
            return self._number(ref, literal)
        if is_date(ref) or (is_number(ref) and literal.isdecimal()):
            return self._dated(ref, "==", literal) if literal[:4].isdecimal() else None
        return literal if ref.column.kind == "text" and not literal[:4].isdecimal() else None

    def is_missing(self, ref: Ref) -> Test:
        return Test(ref, "missing")

    def is_present(self, ref: Ref) -> Test:
        return Test(ref, "missing", negated=True)

    def contains(self, ref: Ref, text: str) -> Test | None:
        return self._text_test(ref, "contains", text)

    def contains_in(self, text: str, ref: Ref) -> Test | None:
        return self._text_test(ref, "contains", text)

    def lacks(self, ref: Ref, text: str) -> Any:
        return self._negated(self._text_test(ref, "contains", text))

    def starts(self, ref: Ref, text: str) -> Test | None:
        return self._text_test(ref, "starts", text)

    def ends(self, ref: Ref, text: str) -> Test | None:
        return self._text_test(ref, "ends", text)

    def _text_test(self, ref: Ref, op: str, text: str) -> Test | None:
        fits = ref.column.kind == "text" and not ref.column.holds.startswith(("dates", "numbers"))
        return Test(ref, op, (text.lower() if op == "contains" else text,)) if fits and text else None

    def compare_columns(self, ref: Ref, op: str, other: Ref) -> Test | None:
        same = (is_number(ref) and is_number(other)) or (is_date(ref) and is_date(other))
        return Test(ref, op, (other,)) if same and ref.table == other.table and ref != other else None

    def same_columns(self, ref: Ref, other: Ref) -> Test | None:
        fits = ref.table == other.table and ref != other and ref.column.kind == other.column.kind
        return Test(ref, "==", (other,)) if fits else None

    def different_columns(self, ref: Ref, other: Ref) -> Any:
        return self._negated(self.same_columns(ref, other))

    def compare_average(self, ref: Ref, op: str) -> Test | None:
        return Test(ref, op, (Statistic("mean", ref),)) if is_number(ref) else None

    def flag_set(self, ref: Ref) -> Test | None:
        return Test(ref, "true") if is_flag(ref) else None

    def flag(self, ref: Ref) -> Test | None:
        return self.flag_set(ref)

    def flag_unset(self, ref: Ref) -> Test | None:
        return Test(ref, "true", negated=True) if is_flag(ref) else None

    def amount_number(self, number: float) -> Amount:
        return Amount(number)

    def amount_unit(self, number: float, unit: str) -> Amount:
        return Amount(number, unit)

    def amount_percent(self, number: float) -> Amount:
        return Amount(number, "%")

    def amount_negative(self, number: float) -> Amount:
        return Amount(-number)

    def iso(self, date: str) -> str | None:
        try:
            period(date)
        except ValueError:
            return None
        return date

    def month_of_year(self, month: int, year: int) -> str | None:
        return self.iso(f"{year}-{month:02}")

    def day_of_month(self, month: int, day: float, year: int = 0) -> str | None:
        return self.iso(f"{year}-{month:02}-{int(day):02}") if year and 1 <= day <= 31 else None

    def day_month_year(self, day: float, month: int, year: int) -> str | None:
        return self.day_of_month(month, day, year)

    def year(self, year: int) -> str:
        return str(year)

    # --- times -----------------------------------------------------------------------------------------------------------

    def in_period(self, time: str | int, ref: Ref | None = None) -> Plan | None:
        ref = ref or Ref("", ANY_DATE)
        if not is_date(ref):
            return None
        if isinstance(time, int):
            return Plan(tests=(Test(Ref(ref.table, ref.column, "month"), "in", (time,)),))
        return Plan(tests=(Test(ref, "between", period(time)),))

    def column_in_period(self, ref: Ref, time: str | int) -> Plan | None:
        return self.in_period(time, ref)

    def on_date(self, date: str) -> Plan | None:
        return self.in_period(date)

    def after(self, *parts: Any) -> Plan | None:
        return self._when(">", *parts)

    def since(self, *parts: Any) -> Plan | None:
        return self._when(">=", *parts)

    def before(self, *parts: Any) -> Plan | None:
        return self._when("<", *parts)

    def until(self, *parts: Any) -> Plan | None:
        return self._when("<=", *parts)

    def _when(self, op: str, *parts: Any) -> Plan | None:
        ref = parts[0] if len(parts) == 2 else Ref("", ANY_DATE)
        test = self._dated(ref, op, parts[-1]) if is_date(ref) else None
        return Plan(tests=(test,)) if test else None

    def between_dates(self, *parts: Any) -> Plan | None:
        ref = parts[0] if len(parts) == 3 else Ref("", ANY_DATE)
        test = self._range(ref, parts[-2], parts[-1])
        return Plan(tests=(test,)) if test else None

    def on_weekday(self, day: int) -> Plan:
        return self._weekday(">=" if day > 6 else "in", (day,))

    def on_weekend(self) -> Plan:
        return self._weekday("in", (5, 6))

    def on_workday(self) -> Plan:
        return self._weekday("in", (0, 1, 2, 3, 4))

    def _weekday(self, op: str, days: tuple[int, ...]) -> Plan:
        return Plan(tests=(Test(Ref("", ANY_DATE, "dayofweek"), op, days),))

    # --- groups, order, pictures -----------------------------------------------------------------------------------------

    def group(self, keys: tuple[Ref, ...]) -> Plan:
        return Plan(groups=keys)

    def group_regularly(self, part: str) -> Plan:
        return Plan(groups=(Ref("", ANY_DATE, part),))

    def keys(self, *refs: Ref) -> tuple[Ref, ...] | None:
        return refs if len({ref.table for ref in refs if ref.table}) < 2 and len(set(refs)) == len(refs) else None

    def key_part(self, part: str) -> Ref | None:
        named = any(part == column.name.lower() for table in self._schema.tables.values() for column in table.columns)
        return None if named else Ref("", ANY_DATE, part)

    def key_part_of(self, part: str, ref: Ref) -> Ref | None:
        return Ref(ref.table, ref.column, part) if is_date(ref) else None

    def key_column_part(self, ref: Ref, part: str) -> Ref | None:
        return self.key_part_of(part, ref)

    def order(self, key: Expression, descending: bool = False) -> Plan:
        return Plan(order=Order((key,), descending))

    def order_two(self, key: Expression, other: Expression, descending: bool = False) -> Plan:
        return Plan(order=Order((key, other), descending))

    def order_result(self, descending: bool = False) -> Plan:
        return Plan(order=Order((), descending))

    def direction(self, which: str) -> bool:
        return which == "descending"

    def limit_top(self, number: float) -> Plan | None:
        return Plan(limit=Limit(int(number), "largest")) if number >= 1 else None

    def limit_bottom(self, number: float) -> Plan | None:
        return Plan(limit=Limit(int(number), "smallest")) if number >= 1 else None

    def limit_first(self, number: float) -> Plan | None:
        return Plan(limit=Limit(int(number), "first")) if number >= 1 else None

    def limit_last(self, number: float) -> Plan | None:
        return Plan(limit=Limit(int(number), "last")) if number >= 1 else None

    def number(self, number: float | str) -> float:
        return float(number)

    def picture(self, kind: str) -> Plan:
        if kind == "stacked":
            return Plan(picture="bar", styles=(("stacked", 1),))
        return Plan(picture=kind)

    def histogram(self, columns: tuple[Ref, ...]) -> Plan | None:
        return Plan(picture="hist", columns=columns) if all(map(is_number, columns)) else None

    def boxplot(self, columns: tuple[Ref, ...]) -> Plan | None:
        return Plan(picture="box", columns=columns) if all(map(is_number, columns)) else None

    def scatter_xy(self, x: Ref, y: Ref) -> Plan | None:
        fits = x.table == y.table and x != y and not x.part and not y.part
        return Plan(picture="scatter", columns=(x, y)) if fits and is_number(x) and is_number(y) else None

    def scatter_yx(self, y: Ref, x: Ref) -> Plan | None:
        return self.scatter_xy(x, y)

    def scatter_columns(self, columns: tuple[Ref, ...], x: Ref) -> Plan | None:
        return self.scatter_xy(x, columns[0]) if len(columns) == 1 else None

    def line_over(self, columns: tuple[Ref, ...], x: Ref) -> Plan | None:
        fits = all(is_number(one) and one.table == x.table for one in columns) and (is_date(x) or is_number(x))
        return Plan(picture="line", columns=columns, groups=(x,), look="raw") if fits and x not in columns else None

    def count_plot(self, column: Ref) -> Plan | None:
        return together(self.counts((column,)) or Plan(), Plan(picture="bar"))

    def colour(self, name: str) -> Plan:
        return Plan(styles=(("color", name),))

    def title(self, text: str) -> Plan:
        return Plan(styles=(("title", text),))

    def bins(self, number: float) -> Plan | None:
        return Plan(styles=(("bins", int(number)),)) if 1 <= number <= 1000 else None

    def horizontal(self) -> Plan:
        return Plan(styles=(("horizontal", 1),))

    def stacked(self) -> Plan:
        return Plan(styles=(("stacked", 1),))

    def hue(self, ref: Ref) -> Plan:
        return Plan(styles=(("hue", ref),))

    def logarithmic(self) -> Plan:
        return Plan(styles=(("log", 1),))

    # --- changes ---------------------------------------------------------------------------------------------------------

    def new_column(self, *parts: Any) -> Plan | None:
        *names, formula = parts
        return Plan(change=Change(kind="new", names=tuple(names), value=formula)) if names else None

    def new_flag(self, name: str, tests: Tests) -> Plan:
        return Plan(change=Change(kind="new", names=(name,), value=tests))  # type: ignore[arg-type]

    def new_part(self, *parts: Any) -> Plan | None:
        names = (
            parts[:1] if parts and isinstance(parts[0], str) and len(parts) > 1 and isinstance(parts[1], str) else ()
        )
        part, *ref = parts[len(names) :]
        of = ref[0] if ref else Ref("", ANY_DATE)
        if not is_date(of):
            return None
        return Plan(change=Change(kind="new", names=names or (part,), value=Ref(of.table, of.column, part)))

    def new_text(self, text: str) -> str:
        return text

    def rename(self, *pairs: tuple[Ref, str]) -> Plan | None:
        if len({ref for ref, _ in pairs}) < len(pairs):
            return None
        columns, names = tuple(ref for ref, _ in pairs), tuple(name for _, name in pairs)
        return Plan(change=Change(kind="rename", columns=columns, names=names))

    def drop_columns(self, columns: tuple[Ref, ...], *of: Plan) -> Plan | None:
        return together(Plan(change=Change(kind="drop", columns=columns)), *of)

    def drop_rows(self, *plans: Plan) -> Plan | None:
        plan = together(*plans, Plan(change=Change(kind="filter")))
        return plan if plan is not None and plan.tests else None

    def drop_missing(self, *of: Plan) -> Plan | None:
        return together(Plan(change=Change(kind="dropna")), *of)

    def drop_missing_in(self, columns: tuple[Ref, ...] = ()) -> Plan:
        return Plan(change=Change(kind="dropna", columns=columns))

    def drop_duplicates(self, *parts: Any) -> Plan | None:
        columns = next((one for one in parts if isinstance(one, tuple)), ())
        plans = [one for one in parts if isinstance(one, Plan)]
        return together(Plan(change=Change(kind="unique", columns=columns)), *plans)

    def fill(self, *parts: Any) -> Plan | None:
        columns = next((one for one in parts if isinstance(one, tuple)), ())
        plans = [one for one in parts if isinstance(one, Plan)]
        change: Change = parts[-1]
        value = change.value
        if change.how in NUMERIC and not (columns and all(map(is_number, columns))):
            return None
        if isinstance(value, float) and not all(map(is_number, columns)):
            return None
        if change.columns:  # the mean of another column is the mean of each of its groups
            same = change.columns == columns
            by = None if same else change.columns[0]
            change = Change(kind="fill", how=change.how, by=by)
        made = Change(kind="fill", columns=columns, value=change.value, how=change.how, by=change.by)
        return together(Plan(change=made), *plans)

    def fill_literal(self, literal: Any) -> Change | None:
        if isinstance(literal, Amount):
            return Change(kind="fill", value=literal.value) if not literal.unit else None
        return Change(kind="fill", value=literal) if not literal[:4].isdecimal() else None

    def fill_function(self, function: tuple[str, float], *of: Ref) -> Change | None:
        how, _ = function
        return Change(kind="fill", how=how, columns=of) if how not in ("quantile", "std", "var") else None

    def fill_group(self, function: tuple[str, float], *refs: Ref) -> Change | None:
        how, _ = function
        return Change(kind="fill", how=how, by=refs[-1]) if how in ("mean", "median", "min", "max") else None

    def filler(self, how: str) -> Change:
        return Change(kind="fill", how=how)

    def convert(self, columns: tuple[Ref, ...], how: str, *day_first: str) -> Plan | None:
        if how == "date" and any(ref.column.kind != "text" for ref in columns):
            return None
        if day_first and how != "date":
            return None
        return Plan(change=Change(kind="convert", columns=columns, how=f"{how} day first" if day_first else how))

    def day_first(self, yes: str) -> str:
        return yes

    def replace(self, *parts: Any) -> Plan | None:
        columns = next((one for one in parts if isinstance(one, tuple) and one and isinstance(one[0], Ref)), ())
        old, new = [one for one in parts if one is not columns and one != ()]
        old = old.value if isinstance(old, Amount) else old
        new = new.value if isinstance(new, Amount) else new
        if isinstance(old, float) and not all(map(is_number, columns)):
            return None
        return Plan(change=Change(kind="replace", columns=columns, value=old, new=new)) if columns else None

    def replace_value(self, pair: Pair, *parts: Any) -> Plan | None:
        ref, value = pair
        columns = next((one for one in parts if isinstance(one, tuple)), (ref,))
        new = next(one for one in parts if not isinstance(one, tuple))
        if columns != (ref,) or isinstance(new, Amount):
            return None
        return Plan(change=Change(kind="replace", columns=columns, value=value, new=new))

    def replacement(self, literal: Any) -> Any:
        return literal

    def replacement_value(self, pair: Pair) -> str:
        return pair[1]

    def replacement_missing(self) -> str:
        return MISSING

    def replacement_word(self, word: str) -> str:
        return word

    def recase(self, columns: tuple[Ref, ...], how: str) -> Plan | None:
        return self._text_change(columns, how)

    def case_first(self, how: str, columns: tuple[Ref, ...]) -> Plan | None:
        return self._text_change(columns, how)

    def strip(self, columns: tuple[Ref, ...]) -> Plan | None:
        return self._text_change(columns, "strip")

    def _text_change(self, columns: tuple[Ref, ...], how: str) -> Plan | None:
        fits = all(ref.column.kind == "text" for ref in columns)
        return Plan(change=Change(kind="text", columns=columns, how=how)) if fits else None

    def round_columns(self, columns: tuple[Ref, ...], number: float) -> Plan | None:
        fits = all(ref.column.kind == "number" for ref in columns)
        return Plan(change=Change(kind="round", columns=columns, value=number)) if fits else None

    def clean_names(self, *parts: Any) -> Plan | None:
        plans = [one for one in parts if isinstance(one, Plan)]
        how = next(one for one in parts if isinstance(one, str) and one != "_")
        return together(Plan(change=Change(kind="names", how=f"{how} _" if "_" in parts else how)), *plans)

    def underscores(self) -> str:
        return "_"

    def add(self, left: Expression, right: Expression) -> Formula | None:
        return self._formula("+", left, right)

    def subtract(self, left: Expression, right: Expression) -> Formula | None:
        return self._formula("-", left, right)

    def multiply(self, left: Expression, right: Expression) -> Formula | None:
        return self._formula("*", left, right)

    def divide(self, left: Expression, right: Expression) -> Formula | None:
        return self._formula("/", left, right)

    def as_percent(self, formula: Expression) -> Formula | None:
        return self._formula("*", formula, 100.0)

    def _formula(self, op: str, left: Expression, right: Expression) -> Formula | None:
        refs = [one for one in (left, right) if isinstance(one, Ref)]
        return Formula(op, left, right) if all(map(is_number, refs)) else None

    def factor_percent(self, number: float) -> float:
        return number / 100

    # --- two tables ------------------------------------------------------------------------------------------------------

    def join(self, *parts: Any) -> Plan | None:
        how = next((one for one in parts if isinstance(one, str)), "inner")
        left, right = (one.table for one in parts if isinstance(one, Plan))
        key = tuple(one for one in parts if isinstance(one, Ref))
        if not left or not right or left == right:
            return None
        return Plan(
            table=left, change=Change(kind="join", other=right, names=tuple(one.column.name for one in key), how=how)
        )

    def on(self, ref: Ref) -> Ref:
        return ref

    def bring(self, columns: tuple[Ref, ...], source: Plan, target: Plan, *key: Ref) -> Plan | None:
        if not target.table or source.table != columns[0].table or source.table == target.table:
            return None
        names = tuple(one.column.name for one in key)
        brought = tuple(ref.column.name for ref in columns)
        return Plan(
            table=target.table,
            change=Change(kind="bring", other=source.table, names=brought, value=names[0] if names else None),
        )

    def unmatched(self, rows: Plan, other: Plan) -> Plan | None:
        if not rows.table or not other.table or rows.table == other.table:
            return None
        return Plan(table=rows.table, look="rows", change=Change(kind="unmatched", other=other.table))

    # --- follow-ups ------------------------------------------------------------------------------------------------------

    def followup(self, *parts: Any) -> Any:
        ends = [one for one in parts if isinstance(one, str)]
        merged = together(*(one for one in parts if isinstance(one, Plan)))
        return (merged, ends[0] if ends else "") if merged is not None else None

    def end(self, which: str) -> str:
        return which

    def same(self, what: Plan | tuple[Ref, ...]) -> Plan:
        return what if isinstance(what, Plan) else self.columns_instead(what)

    def columns_instead(self, columns: tuple[Ref, ...]) -> Plan:
        return Plan(columns=columns, look="instead")

    def functions_instead(self, functions: tuple[tuple[str, float], ...]) -> Plan:
        return Plan(measures=tuple(Measure(how, None, at) for how, at in functions))

    def count_them(self) -> Plan:
        return Plan(measures=(Measure("count"),))


MISSING = "\0missing"
"""The replacement that stands for a missing value."""
