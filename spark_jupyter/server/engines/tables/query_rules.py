"""Rules of the grammar for what is asked: rows, measures, groups, order and pictures.

A method has the name of a rule or an alias in tables.lark and takes the meanings of its parts. It gives a value, a list of several,
or None where the parts do not fit together, as in a mean of texts. What only the whole prompt tells, such as the table, is left open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines.tables.rule_helpers import ANY_DATE, Pair, is_date, is_number, together
from spark_jupyter.server.engines.tables.table_plan import Change, Expression, Limit, Measure, Order, Plan, Ref, Test

if TYPE_CHECKING:
    from spark_jupyter.server.engines.tables.rule_helpers import Names

_COUNT = Plan(measures=(Measure("count"),))
Functions = tuple[tuple[str, float], ...]


class QueryRules:
    """The rules for questions, with the ``names`` of columns and the ``prompt`` for what is taken from it word by word."""

    def __init__(self, names: Names, prompt: str) -> None:
        self._names = names
        self._prompt = prompt

    def query(self, *plans: Plan) -> Plan | None:
        return together(*plans)

    def save(self, plan: Plan, path: str, *index: Plan) -> Plan | None:
        return together(plan, Plan(path=path), *index)

    def without_index(self) -> Plan:
        return Plan(styles=(("index", 0),))

    def changed(self, plan: Plan, *of: Plan) -> Plan | None:
        return together(plan, *of)

    def nothing(self) -> Plan:
        return Plan()

    # rows and columns

    def rows(self, *plans: Plan) -> Plan | None:
        return together(*plans, Plan(look="rows"))

    def found(self, tests: tuple[Test, ...]) -> Plan:
        return Plan(tests=tests, look="found")

    def table(self, name: str) -> Plan:
        return Plan(table=name)

    def any_rows(self) -> Plan:
        return Plan()

    def adjectives(self, *pairs: Pair) -> Plan | None:
        one_each = len({ref for ref, _ in pairs}) == len(pairs)
        return Plan(tests=tuple(Test(ref, "in", (value,)) for ref, value in pairs)) if one_each else None

    def columns(self, *refs: Ref) -> tuple[Ref, ...] | None:
        return refs if len({ref.table for ref in refs}) == 1 and len(set(refs)) == len(refs) else None

    def column_range(self, first: Ref, last: Ref) -> tuple[Ref, ...] | None:
        return self._names.between(first, last) or None

    def selection(self, columns: tuple[Ref, ...]) -> Plan:
        return Plan(columns=columns)

    def look(self, kind: str, *of: Plan | tuple[Ref, ...]) -> Plan | None:
        named = [one if isinstance(one, Plan) else Plan(columns=one) for one in of]
        plan = together(Plan(look=kind), *named)
        return None if plan is None or (kind == "unique" and len(plan.columns) != 1) else plan

    def of_table(self, noun: Plan) -> Plan:
        return noun

    def of_rows(self, rows: Plan) -> Plan:
        return Plan(table=rows.table, tests=rows.tests)

    # measures

    def measures(self, *plans: Plan) -> Plan | None:
        return together(*plans)

    def also(self, plan: Plan) -> Plan:
        return plan

    def measure(self, *parts: Any) -> Any:
        if len(parts) == 1:
            return parts[0]
        functions, operands = parts
        made = tuple(Measure(how, one, at) for one in operands for how, at in functions)
        return Plan(measures=made) if all(map(_measurable, made)) else None

    def functions(self, *functions: tuple[str, float]) -> Functions:
        return functions

    def function(self, how: str) -> tuple[str, float]:
        return how, 0.0

    def percentile(self, number: float) -> tuple[str, float] | None:
        return ("quantile", number / 100) if number <= 100 else None

    def operands(self, *expressions: Expression) -> tuple[Expression, ...]:
        return expressions

    def operand(self, *parts: Any) -> Expression:
        return parts[-1]  # type: ignore[no-any-return]  # behind a word that the formula defines

    def table_column(self, table: str, column: Ref) -> Ref | None:
        return column if column.table == table else None

    def column_table(self, column: Ref, table: str) -> Ref | None:
        return self.table_column(table, column)

    def count(self, *plans: Plan) -> Plan | None:
        return together(*plans, _COUNT)

    def count_column(self, column: Ref) -> list[Plan]:
        return [self.count_distinct(column), Plan(table=column.table, measures=(Measure("count"),))]

    def count_distinct(self, column: Ref) -> Plan:
        return Plan(measures=(Measure("nunique", column),))

    def count_missing(self, column: Ref) -> Plan:
        return Plan(measures=(Measure("missing", column),))

    def counts(self, columns: tuple[Ref, ...]) -> Plan | None:
        return together(Plan(groups=columns), _COUNT)

    # the largest and the smallest

    def extreme(self, which: str) -> str:
        return which

    def which(self, column: Ref, extreme: str, what: Plan | Expression) -> Any:
        if isinstance(what, Plan):
            return _extreme_group(column, extreme, what) if len(what.measures) == 1 else None
        if isinstance(what, Ref) and not is_number(what):
            return None
        total = _extreme_group(column, extreme, Plan(measures=(Measure("sum", what),)))
        return _some(_extreme_rows(Plan(table=column.table), extreme, what, 1), total)

    def which_most(self, extreme: str, column: Ref, *plans: Plan) -> Plan | None:
        return _extreme_group(column, extreme, together(*plans, _COUNT))

    def which_part(self, part: str, *noun: Plan) -> Plan | None:
        return self.which_most("largest", Ref("", ANY_DATE, part), *noun)

    def most_common(self, *parts: Any) -> Plan | None:
        return _extreme_group(parts[-1], "largest", _COUNT, int(parts[0]) if len(parts) > 1 else 1)

    def having(self, column: Ref, op: str, number: float, *nouns: Plan) -> Plan | None:
        if any(one.table not in ("", column.table) for one in nouns):
            return None
        return together(Plan(table=column.table, groups=(column,), having=(op, number)), *nouns, _COUNT)

    def extreme_rows(self, *parts: Any) -> Plan | None:
        number = next((int(one) for one in parts if isinstance(one, float)), 1)
        rows = next((one for one in parts if isinstance(one, Plan)), Plan())
        extreme, by = parts[-2:]
        return _extreme_rows(rows, extreme, by, number)

    def extreme_values(self, *parts: Any) -> Plan | None:
        (number,), (extreme,) = ([one for one in parts if isinstance(one, kind)] for kind in (float, str))
        return _extreme_rows(Plan(columns=parts[-1:]), str(extreme), parts[-1], int(number))

    def top(self, extreme: str, number: float, of: Plan | Ref, by: Expression) -> Any:
        if isinstance(of, Plan):
            return _extreme_rows(of, extreme, by, int(number))
        if isinstance(by, Ref) and not is_number(by):
            return None
        return _some(
            *(_extreme_group(of, extreme, Plan(measures=(Measure(how, by),)), int(number)) for how in ("sum", "mean"))
        )

    def top_measure(self, number: float, of: Plan | Ref, functions: Functions, by: Expression) -> Plan | None:
        return (
            None if isinstance(of, Plan) else _extreme_group(of, "largest", self.measure(functions, (by,)), int(number))
        )

    def top_counted(self, number: float, column: Ref, measure: Plan = _COUNT) -> Plan | None:
        return _extreme_group(column, "largest", measure, int(number)) if column.column.kind != "number" else None

    def degree(self, which: str) -> tuple[str, str]:
        extreme, _, kind = which.partition("_")
        return extreme, kind

    def degree_rows(self, *parts: Any) -> list[Plan]:
        (extreme, kind), rows = parts[-2:]
        number = int(parts[0]) if len(parts) == 3 else 1
        return _some(*(_extreme_rows(rows, extreme, ref, number) for ref in self._names.numbers(kind)))

    def end_rows(self, end: str, *parts: Any) -> Plan | None:
        number = next((int(one) for one in parts if isinstance(one, float)), 5)
        return together(*(one for one in parts if isinstance(one, Plan)), self.limit(end, number), Plan(look="rows"))

    def limit(self, end: str, number: float) -> Plan | None:
        return Plan(limit=Limit(int(number), end)) if number >= 1 else None

    def number(self, number: float | str) -> float:
        return float(number)

    # shares and relations

    def share(self, *plans: Plan) -> Plan | None:
        return together(*plans, _COUNT, Plan(percent=True))

    def share_of_column(self, column: Ref) -> Plan | None:
        return self.share(Plan(groups=(column,)))

    def share_of_test(self, *parts: Any) -> Plan | None:
        return together(*parts[:-1], Plan(look="share", change=Change(kind="test", value=parts[-1:])))

    def correlation(self, columns: tuple[Ref, ...]) -> Plan | None:
        return Plan(look="correlation", columns=columns) if len(columns) > 1 and all(map(is_number, columns)) else None

    def crosstab(self, rows: Ref, columns: Ref) -> Plan | None:
        return Plan(look="crosstab", groups=(rows, columns)) if rows != columns else None

    def pivot(self, *measures: Plan) -> Plan | None:
        return together(*measures, Plan(look="pivot"))

    def axes(self, rows: Ref, columns: Ref) -> Plan | None:
        return Plan(groups=(rows, columns)) if rows != columns else None

    def axes_turned(self, columns: Ref, rows: Ref) -> Plan | None:
        return self.axes(rows, columns)

    # groups and order

    def grouped(self, keys: tuple[Ref, ...]) -> Plan:
        return Plan(groups=keys)

    def regularly(self, part: str) -> Plan:
        return Plan(groups=(Ref("", ANY_DATE, part),))

    def keys(self, *refs: Ref) -> tuple[Ref, ...] | None:
        return refs if len({ref.table for ref in refs if ref.table}) < 2 and len(set(refs)) == len(refs) else None

    def part(self, part: str) -> str:
        return part

    def key_part(self, part: str) -> Ref | None:
        return None if self._names.is_column(part) else Ref("", ANY_DATE, part)

    def key_part_of(self, part: str, ref: Ref) -> Ref | None:
        return Ref(ref.table, ref.column, part) if is_date(ref) else None

    def key_column_part(self, ref: Ref, part: str) -> Ref | None:
        return self.key_part_of(part, ref)

    def order(self, *parts: Any) -> Plan:
        keys = tuple(one for one in parts if not isinstance(one, bool))
        return Plan(order=Order(keys, parts[-1] is True))

    def sorted_rows(self, rows: Plan, *parts: Any) -> Plan | None:
        return together(rows, self.order(*parts))

    def order_result(self, descending: bool) -> Plan:
        return Plan(order=Order((), descending))

    def order_dates(self, direction: str) -> Plan:
        return Plan(order=Order((Ref("", ANY_DATE),), direction == "descending"))

    def direction(self, which: str) -> bool:
        return which == "descending"

    def rounding(self, number: float = 0) -> Plan:
        return Plan(decimals=int(number))

    def percent(self) -> Plan:
        return Plan(percent=True)

    # pictures

    def drawn(self, kind: str, columns: tuple[Ref, ...] = ()) -> Plan | None:
        if kind == "stacked":
            return Plan(picture="bar", styles=(("stacked", 1),))
        return Plan(picture=kind, columns=columns) if all(map(is_number, columns)) else None

    def scatter(self, x: Ref, y: Ref) -> Plan | None:
        fits = x.table == y.table and x != y and is_number(x) and is_number(y)
        return Plan(picture="scatter", columns=(x, y)) if fits else None

    def scatter_turned(self, y: Ref, x: Ref) -> Plan | None:
        return self.scatter(x, y)

    def line_over(self, columns: tuple[Ref, ...], x: Ref) -> Plan | None:
        numbers = all(is_number(one) and one.table == x.table for one in columns) and x not in columns
        return (
            Plan(picture="line", columns=columns, groups=(x,), look="raw")
            if numbers and (is_date(x) or is_number(x))
            else None
        )

    def style(self, name: str, value: str | Ref = "yes") -> Plan:
        return Plan(styles=((name, value),))

    def bins(self, number: float) -> Plan | None:
        return Plan(styles=(("bins", int(number)),)) if 1 <= number <= 1000 else None

    def unquoted_title(self, *places: tuple[int, int]) -> Plan:
        return self.style("title", self._prompt[places[0][0] : places[-1][1]].strip("\"'“”"))

    # follow-ups

    def followup(self, *parts: Any) -> tuple[Plan, str] | None:
        ends = [one for one in parts if isinstance(one, str)]
        merged = together(*(one for one in parts if isinstance(one, Plan)))
        return (merged, ends[0] if ends else "") if merged is not None else None

    def same(self, what: Plan | tuple[Ref, ...]) -> Plan:
        return what if isinstance(what, Plan) else self.columns_instead(what)

    def columns_instead(self, columns: tuple[Ref, ...]) -> Plan:
        return Plan(columns=columns, look="instead")

    def functions_instead(self, functions: Functions) -> Plan:
        return Plan(measures=tuple(Measure(how, None, at) for how, at in functions))

    def count_them(self) -> Plan:
        return _COUNT


def _some(*plans: Plan | None) -> list[Plan]:
    return [one for one in plans if one is not None]


def _measurable(measure: Measure) -> bool:
    """Whether a measure can be taken of what it is of."""
    ref = measure.of
    if not isinstance(ref, Ref) or measure.how == "mode":
        return not isinstance(ref, float)
    if measure.how in ("min", "max"):
        return is_number(ref) or is_date(ref) or not ref.column.holds
    return is_number(ref) or (ref.column.kind == "bool" and measure.how in ("sum", "mean"))


def _extreme_group(column: Ref, extreme: str, plan: Plan | None, count: int = 1) -> Plan | None:
    """The groups of the largest or smallest measure."""
    return together(Plan(groups=(column,), order=Order((), extreme == "largest"), limit=Limit(count, "first")), plan)


def _extreme_rows(rows: Plan, extreme: str, by: Expression, count: int) -> Plan | None:
    """The rows of the largest or smallest value."""
    if count < 1 or (isinstance(by, Ref) and not (is_number(by) or is_date(by))):
        return None
    return together(rows, Plan(order=Order((by,), extreme == "largest"), limit=Limit(count, "first"), look="rows"))
