"""What is asked of each group: where its highest is, its changes from row to row, its first and last, its ranks and shares. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_PRICES = re.compile(r"close|price|value|level|rate|index|quote", re.IGNORECASE)


def _measured(said: Said, group: str = "v") -> str:
    """The column of numbers or dates, as source of its name."""
    column = said.column(group)
    if column.kind == "date" or column.holds.startswith("dates"):
        said.date(column)
        return quoted(column.name)
    return said.ready(group)


def _where_first(said: Said) -> str:
    """The rows in which each group has its highest."""
    wanted = said.columns("x")
    groups = said.columns("g")
    value = _measured(said)
    if any(one in groups or quoted(one.name) == value for one in wanted):
        raise UnknownError
    rows = said.table
    kept = f"{rows}.dropna(subset=[{value}])" if said.column("v").kind != "number" or said.column("v").gaps else rows
    shown = ", ".join(dict.fromkeys([*(quoted(one.name) for one in (*groups, *wanted)), value]))
    return f"{rows}.loc[{kept}.groupby({said.keys('g')})[{value}].idx{said.first('m')}(), [{shown}]]"


def _period_first(said: Said) -> str:
    """The month, day … in which each group has most: of the sums, where rows are not one for each."""
    how = "sum" if said.word("m").lower() in ("most", "top") else said.first("m")
    dates = said.date(said.dates())
    period = {"day": "D", "date": "D", "week": "W", "month": "M", "quarter": "Q", "year": "Y"}[said.word("p").lower()]
    by = ", ".join(
        [*(f"{said.table}[{quoted(one.name)}]" for one in said.columns("g")), f'{dates}.dt.to_period("{period}")']
    )
    name = said.free("per_period")
    keys = said.keys("g")
    said.before.append(f"{name} = {said.table}.groupby([{by}])[{said.ready('v')}].{how}().reset_index()")
    return f"{name}.loc[{name}.groupby({keys})[{said.ready('v')}].idx{said.first('m')}()]"


def _ordered(said: Said) -> None:
    """The rows in the order of their dates, where there is one column of dates."""
    try:
        column = said.dates()
    except UnknownError:
        return
    if column.holds != "index":
        said.date(column)
        said.first_do(f"{said.table} = {said.table}.sort_values({quoted(column.name)})")


_STEPS = {
    "cumulative": ("cumsum()", "cumulative"), "cumulated": ("cumsum()", "cumulative"), "running": ("cumsum()", "cumulative"),
    "change": ("diff()", "change"), "difference": ("diff()", "change"), "diff": ("diff()", "change"),
    "returns": ("pct_change()", "return"), "return": ("pct_change()", "return"), "percent change": ("pct_change()", "return"),
    "percentage change": ("pct_change()", "return"), "relative change": ("pct_change()", "return"), "growth": ("pct_change()", "return"),
    "growth rate": ("pct_change()", "return"), "change in percent": ("pct_change()", "return"), "pct change": ("pct_change()", "return"),
}  # fmt: skip


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
    value, keys = _priced(said), said.keys("g")
    _ordered(said)
    percent = "100 * " if said.has("percent") and call.startswith("pct") else ""
    name = said.new(f"{value[1:-1]}_{usual}")
    said.before.append(f"{said.table}[{quoted(name)}] = {percent}{said.table}.groupby({keys})[{value}].{call}")
    return said.table


def _shifted(said: Said) -> str:
    """The value of the row before, or behind."""
    value = _priced(said)
    behind = re.search(r"next|following|after|later", said.found["side"], re.IGNORECASE) is not None
    shift = f"shift({'-1' if behind else ''})"
    _ordered(said)
    name = said.new(f"{'next' if behind else 'previous'}_{value[1:-1]}")
    rows = f"{said.table}.groupby({said.keys('g')})" if said.has("g") else said.table
    said.before.append(f"{said.table}[{quoted(name)}] = {rows}[{value}].{shift}")
    return said.table


def _rolled(said: Said) -> str:
    """A moving mean for each group, or of the rows of one."""
    value, window = said.ready("v"), said.number("n")
    how = {
        "average": "mean",
        "avg": "mean",
        "total": "sum",
        "standard deviation": "std",
        "maximum": "max",
        "minimum": "min",
    }.get(said.word("how").lower(), said.word("how").lower())
    if not window.isdigit() or int(window) < 2:
        raise UnknownError
    _ordered(said)
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
    value, keys = _priced(said), said.keys("g")
    _ordered(said)
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
    _ordered(said)
    how = {"standard deviation": "std", "std": "std", "volatility": "std", "average": "mean", "mean": "mean"}[
        said.word("how").lower()
    ]
    changes = said.free("changes")
    said.before.append(f"{changes} = {said.table}.groupby({keys})[{value}].pct_change()")
    listed = said.columns("g")
    by = ", ".join(f"{said.table}[{quoted(one.name)}]" for one in listed)
    return f"{changes}.groupby({by if len(listed) == 1 else f'[{by}]'}).{how}()"


def _based(said: Said) -> str:
    value, keys = said.ready("v"), said.keys("g")
    _ordered(said)
    name = said.new(f"{value[1:-1]}_indexed")
    first = f'{said.table}.groupby({keys})[{value}].transform("first")'
    said.before.append(f"{said.table}[{quoted(name)}] = {said.number('n')} * {said.table}[{value}] / {first}")
    return said.table


def _share(said: Said) -> str:
    """Each row's part of its group's sum."""
    value = said.ready("v")
    if said.has("w") and said.column("w") != said.column("v"):
        raise UnknownError
    groups = said.columns("g")
    if said.has("who") and (said.column("who") in groups or said.column("who").kind != "text"):
        raise UnknownError
    name = said.new(f"{value[1:-1]}_share")
    percent = "100 * " if re.search(r"percent|%", f"{said.found['how']} {said.word('percent')}", re.IGNORECASE) else ""
    whole = f'{said.table}.groupby({said.keys("g")})[{value}].transform("sum")'
    said.before.append(f"{said.table}[{quoted(name)}] = {percent}{said.table}[{value}] / {whole}")
    return said.table


def _ranked(said: Said) -> str:
    value, keys = _measured(said), said.keys("g")
    rising = said.has("rising")
    name = said.new(f"{value[1:-1]}_rank")
    call = f'rank(ascending={rising}, method="min")'
    said.before.append(f"{said.table}[{quoted(name)}] = {said.table}.groupby({keys})[{value}].{call}")
    if not rising and not said.has("falling"):
        said.says.append("1 is the highest.")
    return said.table


_SIGNS = {"more": ">", "above": ">", "over": ">", "higher": ">", "greater": ">", "larger": ">", "longer": ">", "better": ">",
          "bigger": ">", "exceeding": ">", "less": "<", "below": "<", "under": "<", "lower": "<", "smaller": "<", "fewer": "<",
          "shorter": "<", "worse": "<"}  # fmt: skip


def _beside_own(said: Said) -> str:
    """The rows above the mean of their own group."""
    value, keys = said.ready("v"), said.keys("g")
    how = {"average": "mean", "mean": "mean", "median": "median", "avg": "mean"}[said.word("how").lower()]
    own = f'{said.table}.groupby({keys})[{value}].transform("{how}")'
    return f"{said.table}[{said.table}[{value}] {_SIGNS[said.word('sign').lower()]} {own}]"


def _earning(said: Said) -> str:
    """ "players who earn more than …": of the only column of pay."""
    if said.has("v"):
        return _beside_own(said)
    found = [
        one for one in said.by_name.values() if re.search(r"salar|wage|income|\bpay|earn", one.name, re.IGNORECASE)
    ]
    if len(found) != 1:
        raise UnknownError
    value, keys = quoted(found[0].name), said.keys("g")
    if found[0].holds.startswith("numbers"):
        said.first_do(f"{said.table}[{value}] = {said.of(found[0])}")
    elif found[0].kind != "number":
        raise UnknownError
    how = {"average": "mean", "mean": "mean", "median": "median", "avg": "mean"}[said.word("how").lower()]
    own = f'{said.table}.groupby({keys})[{value}].transform("{how}")'
    return f"{said.table}[{said.table}[{value}] {_SIGNS[said.word('sign').lower()]} {own}]"


def _rate(said: Said) -> str:
    """For how many in a hundred of each group's rows a condition holds."""
    mask, groups = said.condition("cond"), said.columns("g")
    said.keys("g")
    by = ", ".join(f"{said.table}[{quoted(one.name)}]" for one in groups)
    hundred = "" if said.word("how").lower() in ("share", "fraction", "proportion") else "100 * "
    return f"{hundred}({mask}).groupby({by if len(groups) == 1 else f'[{by}]'}).mean()"


def _commonest(said: Said) -> str:
    column = said.column("x")
    if column.kind == "number" and column.dtype.startswith("float"):
        raise UnknownError
    keys = said.keys("g")
    return f"{said.table}.groupby({keys})[{quoted(column.name)}].agg(lambda group: group.mode().iloc[0])"


def _gaps(said: Said) -> str:
    listed = said.columns("g")
    by = ", ".join(f"{said.table}[{quoted(one.name)}]" for one in listed)
    left = f"drop(columns={said.keys('g')})"
    return f"{said.table}.{left}.isna().groupby({by if len(listed) == 1 else f'[{by}]'}).sum()"


def _filled(said: Said) -> str:
    """Gaps filled within each group."""
    value, keys = said.column("v"), said.keys("g")
    name = f"{said.table}[{quoted(value.name)}]"
    how = said.found["how"].lower()
    if re.search(r"previous|last|before|forward|ffill", how):
        call = "ffill()"
    elif re.search(r"next|following|after|later|backward|bfill", how):
        call = "bfill()"
    else:
        raise UnknownError
    _ordered(said)
    said.before.append(f"{name} = {said.table}.groupby({keys})[{quoted(value.name)}].{call}")
    return said.table


_ON = "[on|in|at|what is|what was|which is|find|and|for]"
_WHICH = "(which|what)"
_STEP = (
    "(cumulative|cumulated|running|change|difference|diff|returns|return|percent change|percentage change|relative change|"
    "growth|growth rate|pct change|change in percent:HOW)"
)
_DAILY = "[daily|weekly|monthly|yearly|annual|simple|day to day|day-to-day|day over day|month over month|year over year|row to row]"
_PERCENT = "[in percent|in %|as percent|as percentage|in percentages|as %:PERCENT]"
_OF = "[(of|in|for|from) {c:v}]"
_MEAN = "(average|mean|median|avg:HOW)"
_SIGN = f"({'|'.join(_SIGNS)}:SIGN)"
_ROLL = "(average|avg|mean|sum|total|median|std|standard deviation|max|min|maximum|minimum:HOW)"
_PERIOD = "(day|date|week|month|quarter|year:P)"

SHAPES = (
    Shape((
        f"{_ON} {_WHICH} {{cs:x}} (did|does|do|has|have|had) {{by:g}} (have|has|had|reach|get|record|see|with|) {{sup:m}} {{c:v}}",
        f"{_ON} {_WHICH} {{cs:x}} (did|does|do|has|have|had|is|was) {{sup:m}} {{c:v}} {{by:g}}",
        (f"{_ON} [{_WHICH}] {{cs:x}} (had|has|with|having|of|who has|who had|that has|that had|on which) [had|has] {{sup:m}} "
         f"{{c:v}} {{by:g}}"),
        f"{{by:g}} [{_WHICH}|show|get|find] {{cs:x}} (with|having|of|that has|who has|has|had) {{sup:m}} {{c:v}}",
        "{sup:m} {c:v} {by:g} (and|with|together with|and on) [on] [which|what] {cs:x} [it was|it is|that was|it happened]",
        f"{_ON} {_WHICH} {{cs:x}} was {{c:v}} {{sup:m}} {{by:g}}",
    ), _where_first),
    Shape((
        f"{_ON} [{_WHICH}] {_PERIOD} (with|having|of|that has|has|had|did|does|was) [have] {{sup:m}} {{c:v}} {{by:g}}",
        f"{_ON} {_WHICH} {_PERIOD} (did|does|do|has|had) {{by:g}} (have|has|had|reach|get|record|see) {{sup:m}} {{c:v}}",
        f"{{by:g}} [{_WHICH}] {_PERIOD} (with|having|of) {{sup:m}} {{c:v}}",
    ), _period_first),
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
    Shape((
        (f"[{{add:add}}] [{{by:owner}}] (share|percentage|percent|proportion|fraction|part:HOW) (of|in) {{c:g}} total {{c:v}} "
         f"{_PERCENT} [{{new:new}}]"),
        (f"[{{add:add}}] (each|every) {{c:who}} (share|percentage|percent|proportion|fraction|part:HOW) (of|in) {{c:g}} [total] "
         f"{{c:v}} {_PERCENT} [{{new:new}}]"),
        (f"[{{add:add}}] (share|percentage|percent|proportion|fraction:HOW) of {{c:v}} [of {{c:who}}] within {{c:g}} [total] "
         f"{_PERCENT} [{{new:new}}]"),
        (f"[{{add:add}}] {{c:v}} as (share|percentage|percent|proportion|fraction:HOW) of {{c:g}} [total] [{{c:w}}] {_PERCENT} "
         f"[{{new:new}}]"),
    ), _share),
    Shape((
        ("[{add:add}] (rank|ranking|rank of|ranking of) [rows|players|{t:t}|{c:who}] [by|of] {c:v} {by:g} [(descending|highest "
         "first|with highest first|from highest:FALLING)] [(ascending|lowest first:RISING)] [{new:new}]"),
        ("[{add:add}] rank [of] [{c:who}] [by] {c:v} (within|in|inside|per|by) {c:g} [(descending|highest first:FALLING)] "
         "[(ascending|lowest first:RISING)] [{new:new}]"),
    ), _ranked),
    Shape((
        (f"[rows|{{t:t}}|those|which {{t:t}}|who] [with|where|have|has|whose] {{c:v}} [is|are] {_SIGN} [than] {_MEAN} [{{c:w}}] "
         f"(of|in|for|within) [own|same] {{c:g}}"),
        f"[rows|{{t:t}}|those|which {{t:t}}|who] [with|where|have|has|whose] {{c:v}} [is|are] {_SIGN} [than] {{c:g}} {_MEAN}",
        f"[rows|{{t:t}}|those] [with|where|who have|that have] (more|less|fewer:SIGN) {{c:v}} than {{c:g}} {_MEAN}",
        (f"[rows|{{t:t}}|those] [with|where|who have|that have] (more|less|fewer:SIGN) {{c:v}} than {_MEAN} (of|in|for|within) "
         f"[own|same] {{c:g}}"),
    ), _beside_own),
    Shape((
        (f"[which|who|what] [{{t:t}}|{{c:who}}] [who|that] (earn|earns|earning|make|makes|is paid|are paid|{{c:v}}) {_SIGN} than "
         f"[{_MEAN}] (of|in|for) [own|same] {{c:g}} [{_MEAN}]"),
        (f"[which|who|what] [{{t:t}}|{{c:who}}] [who|that] (earn|earns|earning|make|makes|is paid|are paid|{{c:v}}) {_SIGN} than "
         f"{{c:g}} {_MEAN}"),
    ), _earning),
    Shape((
        ("[what|which|in what] (percentage|percent|share|proportion|fraction|%:HOW) of [rows|{t:t}|all|days|months|cases] [with|"
         "where|that have|that are|in which|on which|when|which are|who are|who have] {rest:cond} {by:g}"),
        ("{by:g} [what|which] (percentage|percent|share|proportion|fraction|%:HOW) of [rows|{t:t}|days|months|cases] [with|"
         "where|that have|that are|in which|on which|when] {rest:cond}"),
    ), _rate),
    Shape((
        ("(most frequent|most common|commonest|most popular|most frequently [ordered|bought|used|sold|chosen|visited|rented]|"
         "most often [ordered|bought|used|sold|chosen|visited|rented]|mode of|favourite|favorite|usual) {c:x} {by:g}"),
        "which {c:x} is (most frequent|most common|most popular|commonest) {by:g}",
        "{by:g} (most frequent|most common|commonest|most popular) {c:x}",
    ), _commonest),
    Shape((
        "[number of|count of|count] (missing values|missing|nulls|nans|gaps|nan values) [per column|by column] [and] ({by:g}|{c:g})",
        ("[number of|count of|count] (missing values|missing|nulls|nans|gaps|nan values) {by:g} [and|for] [every|each|per|all] "
         "[column|columns]"),
    ), _gaps),
    Shape((
        ("(fill|replace|impute) [missing|gaps in|missing values in|missing values of|empty|nan in|nans in|missing values for] "
         "{c:v} [gaps|values] (with|by|from|using) (previous [value|one|row|entry]|last [value|one|known value|known|valid "
         "value]|value before|next [value|one|row]|following [value|one]|value after:HOW) {by:g}"),
        "(forward fill|forward-fill|ffill|backward fill|bfill:HOW) {c:v} {by:g}",
        ("(fill|replace|impute) [missing|gaps in|missing values in|missing values of|empty] {c:v} {by:g} (with|by|from|using) "
         "(previous [value|one|row|entry]|last [value|one|known value|known]|next [value|one|row]|following [value|one]:HOW)"),
    ), _filled),
)  # fmt: skip
"""What is asked of each group."""
