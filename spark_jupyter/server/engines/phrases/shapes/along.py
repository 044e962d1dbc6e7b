"""What goes from row to row along the dates, of each group or of one: changes, moving means, first and last. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.cursor import NUMBERED
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_PRICES = re.compile(r"close|price|value|level|rate|index|quote", re.IGNORECASE)
_STEPS = {
    "cumulative": ("cumsum()", "cumulative"), "cumulated": ("cumsum()", "cumulative"), "running": ("cumsum()", "cumulative"),
    "change": ("diff()", "change"), "difference": ("diff()", "change"), "diff": ("diff()", "change"),
    "returns": ("pct_change()", "return"), "return": ("pct_change()", "return"), "percent change": ("pct_change()", "return"),
    "percentage change": ("pct_change()", "return"), "relative change": ("pct_change()", "return"), "growth": ("pct_change()", "return"),
    "growth rate": ("pct_change()", "return"), "change in percent": ("pct_change()", "return"), "pct change": ("pct_change()", "return"),
}  # fmt: skip
_STEP = (
    "(cumulative|cumulated|running|change|difference|diff|returns|return|percent change|percentage change|relative change|"
    "growth|growth rate|pct change|change in percent:HOW)"
)
_DAILY = "[daily|simple|day to day|day-to-day|day over day|row to row]"
"""From one row to the next; from month to month the rows of each would have to be put together first."""
_PERCENT = "[in percent|in %|as percent|as percentage|in percentages|as %:PERCENT]"
_OF = "[(of|in|for|from) {c:v}]"
_ROLL = "(average|avg|mean|sum|total|median|std|standard deviation|max|min|maximum|minimum:HOW)"


def ordered(said: Said) -> None:
    """The rows in the order of their dates, where there is one column of dates."""
    try:
        column = said.dates()
    except UnknownError:
        return
    if column.holds != "index":
        said.date(column)
        said.first_do(f"{said.table} = {said.table}.sort_values({quoted(column.name)})")


def _priced(said: Said) -> str:
    """The column that is said, else the only one that is a price."""
    if said.has("v"):
        return said.ready("v")
    found = [one for one in said.by_name.values() if one.kind == "number" and _PRICES.search(one.name)]
    if len(found) != 1:
        raise UnknownError
    return quoted(found[0].name)


def _stepped(said: Said) -> str:
    call, usual = _STEPS[" ".join(said.found["how"].lower().split())]
    if not said.has("v") and any(one.kind == "number" for one in said.columns("g")):
        raise UnknownError  # "growth of quantity": that is no group
    value, keys = _priced(said), said.keys("g")
    ordered(said)
    percent = "100 * " if said.has("percent") and call.startswith("pct") else ""
    name = said.new(f"{value[1:-1]}_{usual}")
    said.before.append(f"{said.table}[{quoted(name)}] = {percent}{said.table}.groupby({keys})[{value}].{call}")
    return said.table


def _shifted(said: Said) -> str:
    """The value of the row before, or behind."""
    value = _priced(said)
    behind = re.search(r"next|following|after|later", said.found["side"], re.IGNORECASE) is not None
    shift = f"shift({'-1' if behind else ''})"
    ordered(said)
    name = said.new(f"{'next' if behind else 'previous'}_{value[1:-1]}")
    rows = f"{said.table}.groupby({said.keys('g')})" if said.has("g") else said.table
    said.before.append(f"{said.table}[{quoted(name)}] = {rows}[{value}].{shift}")
    return said.table


def _rolled(said: Said) -> str:
    """A moving mean for each group, or of the rows of one."""
    value, window = said.ready("v"), said.number("n")
    how = said.how()
    if not window.isdigit() or int(window) < 2:
        raise UnknownError
    ordered(said)
    if said.has("g"):
        name = said.new(f"{value[1:-1]}_{how}_{window}")
        made = (
            f"{said.table}.groupby({said.keys('g')})[{value}].transform(lambda group: group.rolling({window}).{how}())"
        )
        said.before.append(f"{said.table}[{quoted(name)}] = {made}")
        return said.table
    rows = said.rows("cond")
    shown = [quoted(said.dates().name)] if any(one.kind == "date" for one in said.by_name.values()) else []
    if rows == said.table:
        raise UnknownError
    return f"{rows}{f'.set_index({shown[0]})' if shown else ''}[{value}].rolling({window}).{how}()"


def _ends(said: Said) -> str:
    """The first and the last of each group, or how much it has changed between them."""
    if said.has("v") and NUMBERED.search(said.column("v").name):
        raise UnknownError  # "the last rental of each customer" is a row
    value, keys = _priced(said), said.keys("g")
    ordered(said)
    groups = f"{said.table}.groupby({keys})[{value}]"
    if said.has("only"):
        return f"{groups}.{said.word('only').lower().replace('latest', 'last').replace('earliest', 'first')}()"
    if not said.has("change"):
        return f'{groups}.agg(["first", "last"])'
    ends = said.free("ends")
    said.before.append(f'{ends} = {groups}.agg(["first", "last"])')
    if said.has("percent") or "return" in said.found["change"].lower():
        return f'100 * ({ends}["last"] / {ends}["first"] - 1)'
    return f'{ends}["last"] - {ends}["first"]'


def _spread(said: Said) -> str:
    """How changes from row to row spread in each group."""
    value, keys = _priced(said), said.keys("g")
    ordered(said)
    how = "std" if said.word("how").lower() == "volatility" else said.how()
    changes = said.free("changes")
    said.before.append(f"{changes} = {said.table}.groupby({keys})[{value}].pct_change()")
    listed = said.columns("g")
    by = ", ".join(f"{said.table}[{quoted(one.name)}]" for one in listed)
    return f"{changes}.groupby({by if len(listed) == 1 else f'[{by}]'}).{how}()"


def _based(said: Said) -> str:
    value, keys = said.ready("v"), said.keys("g")
    ordered(said)
    name = said.new(f"{value[1:-1]}_indexed")
    first = f'{said.table}.groupby({keys})[{value}].transform("first")'
    said.before.append(f"{said.table}[{quoted(name)}] = {said.number('n')} * {said.table}[{value}] / {first}")
    return said.table


def _since(said: Said) -> str:
    """How long after the row before of its group each row is."""
    dates, keys = said.dates(), said.keys("g")
    said.date(dates)
    said.first_do(f"{said.table} = {said.table}.sort_values({dates.source})")
    unit = said.word("unit").lower().rstrip("s")
    seconds = {"second": "", "minute": " / 60", "hour": " / 3600", "day": " / 86400"}[unit]
    name = said.new(f"{unit}s_since_previous")
    made = f"{said.table}.groupby({keys})[{dates.source}].diff().dt.total_seconds(){seconds}"
    said.before.append(f"{said.table}[{quoted(name)}] = {made}")
    return said.table


def _every_day(said: Said) -> str:
    """Rows of each day, 0 where there are none."""
    dates = said.dates()
    if dates.holds == "index":
        raise UnknownError
    said.date(dates)
    rule = {"day": "D", "week": "W", "month": "ME", "hour": "h"}[said.word("p").lower()]
    return f'{said.table}.set_index({dates.source}).resample("{rule}").size()'


SHAPES = (
    Shape((
        f"[{{add:add}}] {_DAILY} {_STEP} [sum|total] {_OF} {_PERCENT} {{by:g}} {_PERCENT} [{{new:new}}]",
        f"[{{add:add}}] {_DAILY} {{c:v}} {_STEP} {_PERCENT} {{by:g}} {_PERCENT} [{{new:new}}]",
        f"[{{add:add}}] {{by:g}} {_DAILY} {_STEP} [sum|total] {_OF} {_PERCENT} [{{new:new}}]",
    ), _stepped),
    Shape((
        "[{add:add}] {c:v} (of|from|on) {span:u} (before|after|earlier|later:SIDE) [{new:new}] [{by:g}] [{new:newer}]",
        "[{add:add}] {c:v} (of|from|on) (previous|next|following|last|preceding:SIDE) {span:u} [{new:new}] [{by:g}]",
        ("[{add:add}] (previous|next|following|preceding|prior:SIDE) [day|days|day's|row|rows|month's|week's] {c:v} [{new:new}] "
         "{by:g} [{new:newer}]"),
        "[{add:add}] {by:g} (previous|next|following|preceding|prior:SIDE) [day|days|day's|row|rows|month's] {c:v} [{new:new}]",
    ), _shifted),
    Shape((
        (f"[{{add:add}}] {{num:n}} [-] [{{span:u}}] (moving|rolling|running) {_ROLL} [of|for] {{c:v}} [{{new:new}}] {{by:g}} "
         f"[{{new:newer}}]"),
        (f"[{{add:add}}] (moving|rolling|running) {_ROLL} of {{c:v}} over {{num:n}} (days|rows|weeks|months|games|matches|points|"
         f"periods|years) {{by:g}} [{{new:new}}]"),
        f"{{num:n}} [-] [{{span:u}}] (moving|rolling|running) {_ROLL} [of|for] {{c:v}} {{rest:cond}}",
    ), _rolled),
    Shape((
        ("[{add:add}] (seconds|minutes|hours|days:UNIT) (since|to|from|between|after) (previous|last|prior) [{t:t}|{w:w}] "
         "{by:g} [{new:new}]"),
    ), _since),
    Shape((
        ("[number of] {t:t} per (day|week|month|hour:P) (also|including|with|even) [days|ones|weeks|months|hours] (without|with "
         "no) [any] [{t:t}|rows] [as 0|as zero|as {n:zero}]"),
        ("[number of] {t:t} per (day|week|month|hour:P) (days|weeks|months|hours) (without|with no) [any] [{t:t}|rows] (as|"
         "count as|are) [0|zero|{n:zero}]"),
    ), _every_day),
    Shape((
        "first and last {c:v} {by:g}", "{by:g} first and last {c:v}",
        "(first|last|latest|earliest:ONLY) {c:v} {by:g}",
        (f"[total|overall] (change|difference|growth|return:CHANGE) [of|in] [{{c:v}}] {_PERCENT} {{by:g}} [from|between] first "
         f"[{{span:u}}] (to|and) last [{{span:u}}] {_PERCENT}"),
        f"(total|overall) (change|growth|return:CHANGE) [(of|in) {{c:v}}] {_PERCENT} {{by:g}} {_PERCENT}",
        "by how many percent did {c:v} (change|grow|rise) {by:g} [from first to last {span:u}]",
    ), _ends),
    Shape((
        f"(standard deviation|std|volatility|average|mean:HOW) of {_DAILY} (returns|return|percent changes|percent change) {_OF} {{by:g}}",
    ), _spread),
    Shape((
        "(normalise|normalize|index|rebase|scale) {c:v} so that [{by:g}] (starts|begins|start) (at|with) {n:n} [{by:g2}] [{new:new}]",
        "(normalise|normalize|index|rebase|scale) {c:v} so {by:g} (starts|begins|start) (at|with) {n:n} [{new:new}]",
        "(normalise|normalize|index|rebase|scale) {c:v} to {n:n} (at|on) (start|first day|first row) {by:g} [{new:new}]",
    ), _based),
)  # fmt: skip
"""What is asked along the rows."""
