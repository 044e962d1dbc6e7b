"""From wide to long and back. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column


_NO_NAME = frozenset("to as in into of numbers numeric number dates date columns column rows text format form".split())  # noqa: SIM905


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
    if names[0].lower() == names[1].lower() or not _NO_NAME.isdisjoint(map(str.lower, names)):
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


def _spread(said: Said) -> str:
    """One column along each side; rows may be periods of the dates, cells counts."""
    across = said.column("k")
    if said.has("same") and said.column("same") != across:
        raise UnknownError
    if said.has("period"):
        name = said.word("period").lower().rstrip("s")
        dates = said.dates()
        if name in ("date", "day"):
            rows, index = "", quoted(dates.name)
            said.date(dates)
        else:
            period = {"week": "W", "month": "M", "quarter": "Q", "year": "Y"}[name]
            rows, index = f'{said.date(dates)}.dt.to_period("{period}")', ""
    else:
        rows, index = "", quoted(said.column("i").name)
    if said.has("counts"):
        return f"pd.crosstab({rows or f'{said.table}[{index}]'}, {said.table}[{quoted(across.name)}])"
    if said.has("x"):
        value = said.ready("x")
    else:
        left = [
            one
            for one in said.by_name.values()
            if one.kind == "number" and one.name not in (across.name, index.strip('"'))
        ]
        prices = [one for one in left if one.name.lower() in ("close", "price", "value", "amount")]
        if len(left) != 1 and len(prices) != 1:
            raise UnknownError
        value = quoted((left if len(left) == 1 else prices)[0].name)
        said.says.append(f"In the cells stands {value[1:-1]}.")
    how = said.how()
    if not how:
        how = "sum"
        said.says.append("Where there are several rows for a place, their sum stands there.")
    return f'{said.table}.pivot_table(index={rows or index}, columns={quoted(across.name)}, values={value}, aggfunc="{how}")'


def _crossed(said: Said) -> str:
    """How often the values of two columns come together, with totals or in percent."""
    first, second = (f"{said.table}[{quoted(said.column(one).name)}]" for one in ("i", "k"))
    more = ", margins=True" if said.has("totals") else ""
    if said.has("percent"):
        more += (
            ', normalize="index"'
            if said.word("percent").lower().startswith("row")
            else ', normalize="columns"'
            if said.word("percent").lower().startswith("col")
            else ', normalize="all"'
        )
        return f"100 * pd.crosstab({first}, {second}{more})"
    return f"pd.crosstab({first}, {second}{more})"


def _transposed(said: Said) -> str:
    return f"{said.table}.set_index({quoted(said.column('i').name)}).T"


_TURN = "(melt|unpivot|reshape|bring|turn|convert|transform|make|put|change|pivot|gather|stack)"
_LONG = "(in|into|to|from wide to) [a] (long|tidy) [format|form|table|shape|data]"
_NEW = "[and] {w:var} [and] {w:val}"
_WIDE = "(in|into|to|from long to) wide [format|form|table|shape]"

_ROWS_OF = "({c:i}|(dates|date|days|day|months|month|weeks|week|quarters|quarter|years|year:PERIOD))"
_CELLS = (
    "(with|and|values|value|showing|filled with|values are|containing|in cells|cells are) "
    "[(total|sum|mean|average|max|min:HOW)] [of] {c:x} [as values|in cells|as value|inside]|"
    "[(total|sum|mean|average|max|min:HOW)] {c:x} (as values|in cells|as value)"
)
_EACH = "(total|sum|mean|average|avg|median|max|min|highest|lowest:HOW) [of] {c:x}"
_GIVE = "make|create|show|give me"
_PER = "(per|by|for each|for every|of each|of every)"
_TOTALS = "(with|including|and|plus) (totals|total|margins|row and column totals|sums:TOTALS)"
_PERCENT = "(in|as|with) (percent|percentages|%|row percent|row percentages|column percent|column percentages:PERCENT) [of rows|of total]"

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
        (f"[{_TURN}] [{{t:t}}] [so that|so|with] (every|each|per) {{c:k}} (is|becomes|gets|as) [own|one] column and [{_ROWS_OF}] "
         f"(are|is|as|in) rows [{_CELLS}]"),
        (f"{_TURN} [{{t:t}}] [so that|so] [with] {{c:k}} (are|as|is|become|in) columns [and] {_ROWS_OF} (are|as|is|in) (rows|"
         f"index) [and] [{_CELLS}]"),
        (f"{_TURN} [{{t:t}}] [so that|so] [with] {_ROWS_OF} (are|as|is|in|down) (rows|index) [and] {{c:k}} (are|as|is|in|become) "
         f"columns [and] [{_CELLS}]"),
        (f"[{_TURN}|table|matrix] [(of|with) {{c:x}}] [with] {_ROWS_OF} (are|as|in) (rows|index) [and] {{c:k}} (are|as|in) "
         f"columns [and] [{_CELLS}]"),
        (f"[table|matrix] [of] [(total|sum|mean|average|max|min:HOW)] {{c:x}} [with] {_ROWS_OF} (as|in|down) rows [and] {{c:k}} "
         "(as|in) columns"),
        f"[{_GIVE}] [table] [with] [one|a] row {_PER} {{c:i}} (and|with) [the] {_EACH} {_PER} {{c:k}} (as|in) [separate] columns",
        f"[{_GIVE}] [table] [of|with] [the] {_EACH} {_PER} {{c:i}} (with|and|,) [the] {{c:k}} (as|in|across) [the] columns",
        f"[{_GIVE}] [table] [of|with] [the] {_EACH} {_PER} {{c:i}} and {{c:same}} [with|and|,] {{c:k}} (as|in|across) [the] columns",
        (f"[table] [with] {_ROWS_OF} (as|in) rows [and] {{c:k}} (as|in) columns [and] (counting|counts|counts of|number of|count "
         f"of|how many:COUNTS) [{{t:t}}|rows|in cells|as values]"),
    ), _spread),
    Shape((
        (f"(number of|count|counts of|how many) [{{t:t}}|rows] (per|by|for each) {{c:i}} and {{c:k}} as [cross] table "
         f"[{_TOTALS}] [{_PERCENT}]"),
        (f"(cross table|crosstab|cross tab|cross-table|contingency table|two way table) (of|for|with) {{c:i}} (and|by|x|vs|"
         f"against) {{c:k}} [{_TOTALS}] [{_PERCENT}] [{_TOTALS}]"),
        f"(crosstab|cross tabulate) {{c:i}} (and|by|x|vs|against|with) {{c:k}} [{_TOTALS}] [{_PERCENT}]",
    ), _crossed),
    Shape((
        "(transpose|flip) {t:t} with {c:i} (as columns|as column names|as header|on top)",
    ), _transposed),
)  # fmt: skip
"""What is asked of the form of a table."""
