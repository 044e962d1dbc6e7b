"""From wide to long and back. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column


def _molten(said: Said) -> str:
    """One row for each value: the columns that are named stay, or those that are no numbers."""
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError
    named: list[Column] = said.columns("keep") if said.has("keep") else []
    own = [one for one in said.by_name.values() if one.holds != "index"]
    keep = named or [one for one in own if one.kind != "number"]
    values = said.columns("melt") if said.has("melt") else [one for one in own if one not in keep]
    if len(values) < 2 or not keep or any(one in keep for one in values):
        raise UnknownError
    if named and any(one.kind == "text" and not one.holds.startswith("numbers") for one in values):
        raise UnknownError
    names = [said.word(one) if said.has(one) else usual for one, usual in (("var", "variable"), ("val", "value"))]
    if names[0].lower() == names[1].lower():
        raise UnknownError
    ids = f"id_vars={listed([one.name for one in keep])}"
    more = f"value_vars={listed([one.name for one in values])}"
    return f"{said.table}.melt({ids}, {more}, var_name={quoted(names[0])}, value_name={quoted(names[1])})"


def _wide(said: Said) -> str:
    rows, across = said.column("i"), said.column("k")
    value = said.numeric("x") if said.has("x") else None
    if value is None:
        left = [one for one in said.by_name.values() if one not in (rows, across) and one.kind == "number"]
        if len(left) != 1:
            raise UnknownError
        value = left[0]
    if len({rows, across, value}) < 3:
        raise UnknownError
    said.says.append("Where there are several rows for a place, their sum stands there.")
    return f'{said.table}.pivot_table(index={quoted(rows.name)}, columns={quoted(across.name)}, values={quoted(value.name)}, aggfunc="sum")'


def _transposed(said: Said) -> str:
    return f"{said.table}.set_index({quoted(said.column('i').name)}).T"


_TURN = "(melt|unpivot|reshape|bring|turn|convert|transform|make|put|change|pivot|gather|stack)"
_LONG = "(in|into|to|from wide to) [a] (long|tidy) [format|form|table|shape|data]"
_NEW = "[and] {w:var} [and] {w:val}"
_WIDE = "(in|into|to|from long to) wide [format|form|table|shape]"

SHAPES = (
    Shape((
        f"[{_TURN}] {{t:t}} {_LONG}",
        f"[{_TURN}] {{t:t}} {_LONG} [with] [columns] {{cs:keep}} {_NEW}",
        f"{_TURN} {{t:t}} [{_LONG}] [so that] (with|keep|keeping) {{cs:keep}} [as id|as ids|as identifier|as identifiers|fixed]",
        (f"{_TURN} {{t:t}} [{_LONG}] [so that] (with|keep|keeping) {{cs:keep}} [as id|as ids] [and] (call|name|"
         f"calling) other columns {_NEW}"),
        f"{_TURN} {{cs:melt}} [of {{t:t}}] [{_LONG}] [with columns|into columns|as] {_NEW}",
        "long [format|form|table|version] (of|for) {t:t} [with [columns] {cs:keep} " + _NEW + "]",
        "[make] [long table] one row (per|for each|for every) {cs:keep} and {w:var} [with {w:val}]",
    ), _molten),
    Shape((
        (f"[{_TURN}] {{t:t}} {_WIDE} [with|so that] [one] (row|line|rows) (per|for each|for every) {{c:i}} "
         "[and|with] [one] (column|columns) "
        "(per|for each|for every) {c:k} [(with|showing|filled with|values are|containing) {c:x} [as values|in cells]]"),
        f"[{_TURN}] {{t:t}} {_WIDE} [with] {{c:i}} (as rows|as index|down) [and] {{c:k}} (as columns|across) [and] [{{c:x}}] [as values]",
        ("one row (per|for each|for every) {c:i} and [one] column (per|for each|for every) {c:k} [(with|"
         "showing|filled with) {c:x} [as values]]"),
        "pivot {t:t} so that (each|every) {c:k} (is|becomes|gets) [own] column [with] [one row per {c:i}] [(with|showing) {c:x}]",
    ), _wide),
    Shape((
        "(transpose|flip) {t:t} with {c:i} (as columns|as column names|as header|on top)",
    ), _transposed),
)  # fmt: skip
"""What is asked of the form of a table."""
