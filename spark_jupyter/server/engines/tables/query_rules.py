"""Grammar rules for rows, measures, groups, order and pictures.

Each entry has the name of a rule or an alias in tables.lark and takes the meanings of its parts. It gives a value, a list of several,
or None where the parts do not fit together, as in a mean of texts. What only the whole prompt tells, such as the table, is left open.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spark_jupyter.server.engines.tables.condition_rules import among
from spark_jupyter.server.engines.tables.rule_helpers import (
    ANY_DATE,
    Pair,
    is_amount,
    is_date,
    is_flag,
    is_number,
    together,
)
from spark_jupyter.server.engines.tables.table_plan import Expression, Limit, Measure, Order, Plan, Ref, Test

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.tables.rule_helpers import Names

_COUNT = Plan(measures=(Measure("count"),))


def query_rules(names: Names, prompt: str) -> dict[str, Callable[..., Any]]:
    """The rules for questions, with the ``names`` of columns, and the ``prompt`` for what is taken from it as it stands."""
    return {
        "query": together,
        "save": lambda plan, path, *index: together(plan, Plan(path=path), *index),
        "without_index": lambda: _style("index", "no"),
        "changed": together,
        "nothing": Plan,
        "rows": lambda *plans: together(*plans, Plan(look="rows")),
        "found": lambda tests: Plan(tests=tests, look="found"),
        "table": lambda name: Plan(table=name),
        "someone": lambda name: Plan(table=name.table),
        "count_someone": lambda *parts: together(  # one may have several rows
            *(_of(one, "nunique") if isinstance(one, Ref) else one for one in parts)
        ),
        "any_rows": Plan,
        "adjectives": _adjectives,
        "scored": lambda ref, _noun: ref if is_number(ref) else None,
        "owned": lambda ref, owner: ref if ref == owner else None,  # "age of customers" is "customer age"
        "columns": lambda *refs: (
            refs if len({ref.table for ref in refs}) == 1 and len(set(refs)) == len(refs) else None
        ),
        "column_range": partial(_column_range, names),
        "selection": lambda columns, *tests: together(Plan(columns=columns), *tests),
        "look": _look,
        "of_rows": lambda rows: Plan(table=rows.table, tests=rows.tests),
        "measures": together,
        "measure": _measure,
        "functions": lambda *functions: functions,
        "function": lambda how: how,
        "operands": lambda *expressions: expressions,
        "operand": lambda *parts: parts[-1],  # behind a word that the formula defines
        "table_column": lambda table, column: column if column.table == table else None,
        "column_table": lambda column, table: column if column.table == table else None,
        "count": lambda *plans: together(*plans, _COUNT),
        "count_tests": lambda tests: Plan(tests=tests, measures=_COUNT.measures),
        "count_column": partial(_count_column, names),
        "total": lambda column: _of(column, "sum") if is_amount(column) else None,
        "count_distinct": lambda column: _of(column, "nunique"),
        "counts": lambda columns: together(Plan(groups=columns), _COUNT),
        "which": _which,
        "which_total": lambda extreme, column, of: (
            _extreme_group(column, extreme, _of(of, _summed(of))) if is_number(of) else None
        ),
        "which_most": lambda extreme, column, *plans: _extreme_group(column, extreme, together(*plans, _COUNT)),
        "most_common": lambda *parts: _extreme_group(parts[-1], "largest", _COUNT, int(parts[0]) if parts[1:] else 1),
        "having": _having,
        "extreme_rows": _extreme_rows_of,
        "who_has": partial(_who_has, names),
        "top": _top,
        "top_measure": lambda number, of, functions, by: (
            None if isinstance(of, Plan) else _extreme_group(of, "largest", _measure(functions, (by,)), int(number))
        ),
        "top_counted": lambda number, column, measure=_COUNT: (
            _extreme_group(column, "largest", measure, int(number)) if column.column.kind != "number" else None
        ),
        "degree": lambda which: tuple(which.split("_")),
        "degree_rows": partial(_degree_rows, names),
        "degree_by": lambda *parts: _extreme_rows_of(*parts[:-3], parts[-2], parts[-3][0], parts[-1]),
        "degree_column": lambda *parts: _degree_rows(names, *parts[:-1], Plan(table=parts[-1].table, look="rows")),
        "dated_rows": lambda *parts: _extreme_rows_of(*parts[:-2], parts[-1], parts[-2], Ref("", ANY_DATE)),
        "end_rows": _end_rows,
        "limit": lambda end, number: Plan(limit=Limit(int(number), end)) if number >= 1 else None,
        "number": float,
        "share": lambda *plans: together(*plans, _COUNT, Plan(percent=True)),
        "share_per": lambda groups: together(Plan(groups=groups, percent=True), _COUNT),
        "share_of_values": lambda rows, pairs: _share_of(rows, among(pairs)),
        "share_of_adjectives": lambda pairs, *rows: _share_of(*rows, among(pairs)),
        "share_of_test": _share_of,
        "correlation": lambda columns: (
            Plan(look="correlation", columns=columns) if len(columns) > 1 and all(map(is_number, columns)) else None
        ),
        "crosstab": lambda rows, columns: Plan(look="crosstab", groups=(rows, columns)) if rows != columns else None,
        "pivot": lambda *measures: together(*measures, Plan(look="pivot")),
        "axes": lambda rows, columns: Plan(groups=(rows, columns)) if rows != columns else None,
        "grouped": lambda keys: Plan(groups=keys),
        "regularly": lambda part: Plan(groups=(Ref("", ANY_DATE, part),)),
        "keys": lambda *refs: (
            refs if len({ref.table for ref in refs if ref.table}) < 2 and len(set(refs)) == len(refs) else None
        ),
        "key_part": lambda part: Ref("", ANY_DATE, part),
        "key_part_of": lambda part, ref: Ref(ref.table, ref.column, part) if is_date(ref) else None,
        "sorted_rows": lambda rows, *parts: together(rows, _order(names, *parts)),
        "order": partial(_order, names),
        "in_order": lambda: Plan(order=Order()),
        "order_result": lambda direction: Plan(order=Order((), direction is True)),
        "order_dates": lambda direction: Plan(order=Order((Ref("", ANY_DATE),), direction == "descending")),
        "direction": lambda which: which if which == "oldest" else which == "descending",
        "rounding": lambda number=0: Plan(decimals=int(number)),
        "percent": lambda: Plan(percent=True),
        "drawn": _drawn,
        "scatter": _scatter,
        "scatter_turned": lambda y, x: _scatter(x, y),
        "line_over": _line_over,
        "line_in_time": lambda columns: _line_over(columns, Ref(columns[0].table, ANY_DATE)),
        "plotted": partial(_plotted, names),
        "style": _style,
        "bins": lambda number: _style("bins", int(number)) if 1 <= number <= 1000 else None,
        "unquoted_title": lambda *places: _style("title", prompt[places[0][0] : places[-1][1]].strip("\"'“”")),
        "followup": _followup,
        "same": lambda what: what if isinstance(what, Plan) else Plan(columns=what, look="instead"),
        "columns_instead": lambda columns: Plan(columns=columns, look="instead"),
        "count_them": lambda: _COUNT,
    }


def _share_of(*parts: Any) -> Plan | None:
    return together(*parts[:-1], Plan(measures=(Measure("share", parts[-1]),)))


def _some(*plans: Plan | None) -> list[Plan]:
    return [one for one in plans if one is not None]


def _of(column: Ref, how: str) -> Plan:
    return Plan(measures=(Measure(how, column),))


def _style(name: str, value: str | int | Ref = "yes") -> Plan:
    return Plan(styles=((name, value),))


def _adjectives(*pairs: Pair) -> Plan | None:
    one_each = len({ref for ref, _ in pairs}) == len(pairs)
    return Plan(tests=tuple(Test(ref, "in", (value,)) for ref, value in pairs)) if one_each else None


def _look(kind: str, *of: Plan | tuple[Ref, ...]) -> Plan | None:
    plan = together(Plan(look=kind), *(one if isinstance(one, Plan) else Plan(columns=one) for one in of))
    return None if plan is None or (kind == "unique" and len(plan.columns) != 1) else plan


def _measure(*parts: Any) -> Any:
    """Each function of each operand; a count is a plan already."""
    if len(parts) == 1:
        return parts[0]
    functions, operands = parts
    made = tuple(Measure(_summed(one) if how == "sum" else how, one) for one in operands for how in functions)
    return Plan(measures=made) if all(map(_measurable, made)) else None


def _summed(of: Expression) -> str:
    """How a total is taken: orders that are known by their numbers are counted."""
    return "nunique" if isinstance(of, Ref) and is_number(of) and not is_amount(of) else "sum"


def _measurable(measure: Measure) -> bool:
    """True if the measure can be taken of its operand."""
    ref = measure.of
    if not isinstance(ref, Ref) or measure.how == "mode":
        return not isinstance(ref, float)
    if measure.how in ("min", "max"):
        return is_number(ref) or is_date(ref)  # of texts it would be the alphabet's
    return is_amount(ref) or measure.how == "nunique" or (ref.column.kind == "bool" and measure.how in ("sum", "mean"))


def _count_column(names: Names, column: Ref) -> Plan | list[Plan] | None:
    """How many: the sum of what is added up, else distinct values or rows; the same person counts once."""
    if is_flag(column):
        return None  # the rows where it is true are counted
    if is_amount(column) and names.has_word(column, "ADDED"):
        return _of(column, "sum")
    distinct, rows = _of(column, "nunique"), Plan(table=column.table, measures=_COUNT.measures)
    return rows if is_date(column) else distinct if names.has_word(column, "_PERSON") else [distinct, rows]


def _column_range(names: Names, first: Ref, last: Ref) -> tuple[Ref, ...] | None:
    """The columns from one to another, in the order of their table."""
    every = [Ref(first.table, one) for one in names.schema.tables[first.table].columns]
    known = first in every and last in every
    return tuple(every[every.index(first) : every.index(last) + 1]) or None if known else None


def _which(column: Ref, extreme: str, what: Plan | Expression) -> Any:
    """The group of the largest measure; of a bare column the group of the largest total, or the row of the largest value."""
    if isinstance(what, Plan):
        return _extreme_group(column, extreme, what) if len(what.measures) == 1 else None
    if isinstance(what, Ref) and not is_number(what):
        return None
    if column.part:
        return _extreme_group(column, extreme, Plan(columns=(what,))) if isinstance(what, Ref) else None
    total = _extreme_group(column, extreme, Plan(measures=(Measure("sum", what),)))
    return _some(_extreme_rows_of(Plan(table=column.table), extreme, what), total)


def _who_has(names: Names, extreme: str, what: Ref) -> list[Plan]:
    """The row of the largest value, or who has the largest total where somebody has several rows."""
    people = names.people(what.table) if is_amount(what) else []
    return _some(_extreme_rows_of(extreme, what), *(_extreme_group(one, extreme, _of(what, "sum")) for one in people))


def _extreme_group(column: Ref, extreme: str, plan: Plan | None, count: int = 1) -> Plan | None:
    """The groups of the largest or smallest measure."""
    return together(Plan(groups=(column,), order=Order((), extreme == "largest"), limit=Limit(count, "first")), plan)


def _extreme_rows_of(*parts: Any) -> Plan | None:
    """The rows of the largest or smallest value; how many, and of which rows, may stand before."""
    extreme, by = parts[-2:]
    count = next((int(one) for one in parts[:-2] if isinstance(one, float)), 1)
    rows = next((one for one in parts[:-2] if isinstance(one, Plan)), Plan())
    if count < 1 or (isinstance(by, Ref) and not (is_number(by) or is_date(by))):
        return None
    return together(rows, Plan(order=Order((by,), extreme == "largest"), limit=Limit(count, "first"), look="rows"))


def _degree_rows(names: Names, *parts: Any) -> list[Plan]:
    """The rows of the largest or smallest of what a degree such as "oldest" is about; of which rows may stand behind."""
    *before, degree, rows = parts if isinstance(parts[-1], Plan) else (*parts, Plan(look="rows"))
    return _some(*(_extreme_rows_of(*before, rows, degree[0], ref) for ref in names.numbers(degree[1])))


def _top(extreme: str, number: float, of: Plan | Ref, by: Expression) -> Any:
    if isinstance(of, Plan):
        return _extreme_rows_of(number, of, extreme, by)
    if isinstance(by, Ref) and not is_number(by):
        return None
    hows = ("sum", "mean") if _summed(by) == "sum" else ("nunique",)
    return _some(*(_extreme_group(of, extreme, Plan(measures=(Measure(how, by),)), int(number)) for how in hows))


def _having(column: Ref, op: str, number: float, *nouns: Plan) -> Plan | None:
    fits = all(one.table in ("", column.table) for one in nouns)
    return together(Plan(table=column.table, groups=(column,), having=(op, number)), *nouns, _COUNT) if fits else None


def _end_rows(end: str, *parts: Any) -> Plan | None:
    number = next((int(one) for one in parts if isinstance(one, float)), 5)
    plans = [one for one in parts if isinstance(one, Plan)]
    return together(*plans, Plan(limit=Limit(number, end), look="rows")) if number >= 1 else None


def _order(names: Names, *parts: Any) -> Plan:
    """The order by columns; the oldest have the earliest date, but the greatest age."""
    keys = tuple(one for one in parts if not isinstance(one, bool | str))
    aged = parts[-1] == "oldest" and isinstance(keys[0], Ref) and names.has_word(keys[0], "AGE")
    return Plan(order=Order(keys, parts[-1] is True or aged))


def _drawn(kind: str, columns: tuple[Ref, ...] = ()) -> Plan | None:
    if kind == "stacked":
        return Plan(picture="bar", styles=(("stacked", "yes"),))
    return Plan(picture=kind, columns=columns) if all(map(is_number, columns)) else None


def _scatter(x: Ref, y: Ref) -> Plan | None:
    fits = x.table == y.table and x != y and is_number(x) and is_number(y)
    return Plan(picture="scatter", columns=(x, y)) if fits else None


def _line_over(columns: tuple[Ref, ...], x: Ref) -> Plan | None:
    numbers = all(is_number(one) and one.table == x.table for one in columns) and x not in columns
    if numbers and (is_date(x) or is_number(x)):
        return Plan(picture="line", columns=columns, groups=(x,), look="raw")
    return None


def _plotted(names: Names, columns: tuple[Ref, ...], x: Ref) -> Plan | None:
    """A line over time or of several columns, else points."""
    timed = is_date(x) or any(names.has_word(x, part) for part in ("_DAY", "_WEEK", "_MONTH", "_YEAR"))
    return _line_over(columns, x) if timed or columns[1:] else _scatter(x, columns[0])


def _followup(*parts: Any) -> tuple[Plan, str] | None:
    ends = [one for one in parts if isinstance(one, str)]
    merged = together(*(one for one in parts if isinstance(one, Plan)))
    return (merged, ends[0] if ends else "") if merged is not None else None
