"""Columns, arithmetic and conditions as pandas code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.tables.table_plan import AnyOf, Formula, Ref, Test, Unmatched

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.tables.table_plan import Expression, Measure, Order

TEMPLATES: dict[str, dict[str, dict[str, str]]] = tomllib.loads(
    Path(__file__).with_name("templates.toml").read_text("utf-8")
)
"""Code by library, kind and name."""
PARTS = TEMPLATES["pandas"]["parts"]
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "days": 3}


class Unwritable(Exception):
    """A plan asks for what is not written as code here."""


def number(value: float | str | bool) -> str:
    """A number or a text as Python writes it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return text(value) if isinstance(value, str) else repr(value)


def text(value: str) -> str:
    """A text in double quotation marks."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def key(frame: str, ref: Ref) -> str:
    """A column to group by: its name, or a series where the name does not say it."""
    return column(frame, ref) if ref.part or is_texts(ref) or ref.column.doubled else ref.column.source


def labels(refs: tuple[Ref, ...]) -> str:
    """A list of columns."""
    return f"[{', '.join(ref.column.source for ref in refs)}]"


def is_texts(ref: Ref) -> bool:
    """True if dates or numbers are texts that have to be converted."""
    return ref.column.kind == "text" and ref.column.holds.startswith(("dates", "numbers"))


def converted(source: str, holds: str) -> str:
    """The code that makes dates or numbers of texts."""
    if holds.startswith("dates"):
        return f"pd.to_datetime({source}, dayfirst=True)" if "day first" in holds else f"pd.to_datetime({source})"
    if holds.startswith("mixed dates: "):
        every = holds.partition(": ")[2].split(", ")
        first, *others = (f'pd.to_datetime({source}, format="{one}", errors="coerce")' for one in every)
        return "\n".join(["(", f"    {first}", *(f"    .fillna({one})" for one in others), ")"])
    comma = "decimal comma" in holds
    kept, point = (",", '.str.replace(",", ".")') if comma else (".", "")
    return f'pd.to_numeric({source}.str.replace(r"[^\\d{kept}-]", "", regex=True){point}, errors="coerce")'


def column(frame: str, ref: Ref) -> str:
    """A column of a frame as a series of what it means: texts that are dates or numbers are converted."""
    source = f"{frame}[{ref.column.source}]"
    source = converted(source, ref.column.holds) if is_texts(ref) else source
    if not ref.part:
        return source
    if "," in ref.column.dtype and ref.part in ("month", "week", "quarter"):
        source += ".dt.tz_localize(None)"
    return source + PARTS[ref.part]


def expression(frame: str, value: Expression) -> str:
    """Arithmetic over a frame's columns."""
    return arithmetic(value, lambda ref: column(frame, ref), "({} - {}).dt.days")


def arithmetic(value: Expression, name: Callable[[Ref], str], days: str) -> str:
    """A formula with the columns as ``name`` writes them, and ``days`` between two of them; brackets only where they are needed."""
    if isinstance(value, Ref):
        return name(value)
    if not isinstance(value, Formula):
        return number(value)
    sides = []
    for one, loose in ((value.left, 0), (value.right, 1)):
        source = arithmetic(one, name, days)
        bracket = isinstance(one, Formula) and _PRECEDENCE[one.op] < _PRECEDENCE[value.op] + loose
        sides.append(f"({source})" if bracket else source)
    return days.format(*sides) if value.op == "days" else f"{sides[0]} {value.op} {sides[1]}"


def series(frame: str, value: Expression | Test) -> str:
    """An expression, or a condition, to which a method can be appended."""
    if isinstance(value, Test):
        return f"({condition(frame, value)})"
    source = expression(frame, value)
    return f"({source})" if isinstance(value, Formula) else source


def condition(frame: str, test: Test | AnyOf | Unmatched) -> str:
    """The conditions on the rows, as a mask."""
    if isinstance(test, AnyOf):
        return " | ".join(f"({condition(frame, one)})" for one in test.tests)
    if isinstance(test, Unmatched):
        return f"~{column(frame, test.key)}.isin({column(test.other.table, test.other)})"
    return _negated_mask(frame, test) if test.negated else _mask(frame, test)


def conditions(frame: str, tests: tuple[Test | AnyOf | Unmatched, ...]) -> str:
    """All conditions on the rows."""
    if len(tests) == 1:
        return condition(frame, tests[0])
    return " & ".join(f"({condition(frame, test)})" for test in tests)


def _mask(frame: str, test: Test) -> str:
    left, right = column(frame, test.left), test.right
    if test.op == "true":
        return _flag(left, test.left, yes=True)
    if test.op == "missing":
        return f"{frame}[{test.left.column.source}].isna()"
    if test.op in ("contains", "starts", "ends"):
        return _text_mask(left, test.op, str(right[0]))
    if test.left.part == "month":
        left = left.replace(PARTS["month"], ".dt.month")
    if test.op == "in":
        return f"{left} == {number(right[0])}" if len(right) == 1 else f"{left}.isin([{', '.join(map(number, right))}])"
    if test.op == "between":
        half_open = ', inclusive="left"' if isinstance(right[0], str) else ""
        return f"{left}.between({number(right[0])}, {number(right[1])}{half_open})"
    return f"{left} {test.op} {number(right[0])}"


def _negated_mask(frame: str, test: Test) -> str:
    left = column(frame, test.left)
    if test.op == "true":
        return _flag(left, test.left, yes=False)
    if test.op == "missing":
        return f"{frame}[{test.left.column.source}].notna()"
    positive = _mask(frame, Test(test.left, test.op, test.right))
    if test.op in ("in", "==") and " == " in positive:
        return positive.replace(" == ", " != ", 1)
    simple = re.fullmatch(r"[\w\[\]\".]+\(.*\)", positive)
    return f"~{positive}" if simple else f"~({positive})"


def _flag(left: str, ref: Ref, *, yes: bool) -> str:
    if ref.column.kind == "bool":
        return left if yes else f"~{left}"
    if ref.column.flag:
        return f"{left} == {int(yes)}"
    spellings = ref.column.spellings[0 if yes else 1]
    several = f"{left}.isin([{', '.join(map(text, spellings))}])"
    return f"{left} == {text(spellings[0])}" if len(spellings) == 1 else several


def _text_mask(left: str, op: str, value: str) -> str:
    if op == "contains":
        plain = "" if re.escape(value) == value.replace(" ", "\\ ") else ", regex=False"
        return f"{left}.str.contains({text(value)}, case=False, na=False{plain})"
    return f"{left}.str.{op}with({text(value)}, na=False)"


def selected(frame: str, tests: tuple[Test | AnyOf | Unmatched, ...]) -> str:
    """The rows of a frame that fulfil all tests."""
    return f"{frame}[{conditions(frame, tests)}]" if tests else frame


def aggregated(source: str, measure: Measure) -> str:
    """A series or grouped series with the method of a measure."""
    if measure.how == "missing":
        return f"{source}.isna().sum()"
    return f"{source}.mean() * 100" if measure.how == "share" else f"{source}.{measure.how}()"


def sort_arguments(order: Order) -> str:
    """The arguments of ``sort_values`` for columns."""
    keys = tuple(key for key in order.keys if isinstance(key, Ref) and not key.part and not key.column.doubled)
    if len(keys) < len(order.keys):
        raise Unwritable
    by = keys[0].column.source if len(keys) == 1 else labels(keys)
    ascending = ", ascending=False" if order.descending else ""
    texts = [key for key in keys if is_texts(key)]
    if not texts:
        return f"{by}{ascending}"
    if len(keys) > 1:
        raise Unwritable
    return f"{by}{ascending}, key=lambda column: {converted('column', texts[0].column.holds)}"
