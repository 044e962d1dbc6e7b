"""What is asked of each group: where its highest is, its ranks and shares, what is above its mean, its gaps. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.along import ordered
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_SIGNS = {"more": ">", "above": ">", "over": ">", "higher": ">", "greater": ">", "larger": ">", "longer": ">", "better": ">",
          "bigger": ">", "exceeding": ">", "less": "<", "below": "<", "under": "<", "lower": "<", "smaller": "<", "fewer": "<",
          "shorter": "<", "worse": "<"}  # fmt: skip
_ON = "[on|in|at|what is|what was|which is|find|and|for]"
_WHICH = "(which|what)"
_PERCENT = "[in percent|in %|as percent|as percentage|in percentages|as %:PERCENT]"
_MEAN = "(average|mean|median|avg:HOW)"
_SIGN = f"({'|'.join(_SIGNS)}:SIGN)"
_PERIOD = "(day|date|week|month|quarter|year:P)"
_V = "{c:v} [value|values|level|mark|marks|score|amount|figure|reading]"


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


def _beside_own(said: Said) -> str:
    """The rows above the mean of their own group."""
    return _beside(said, said.ready("v"))


def _beside(said: Said, value: str) -> str:
    own = f'{said.table}.groupby({said.keys("g")})[{value}].transform("{said.how()}")'
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
    value = quoted(found[0].name)
    if found[0].holds.startswith("numbers"):
        said.first_do(f"{said.table}[{value}] = {said.of(found[0])}")
    elif found[0].kind != "number":
        raise UnknownError
    return _beside(said, value)


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
    ordered(said)
    said.before.append(f"{name} = {said.table}.groupby({keys})[{quoted(value.name)}].{call}")
    return said.table


SHAPES = (
    Shape((
        f"{_ON} {_WHICH} {{cs:x}} (did|does|do|has|have|had) {{by:g}} (have|has|had|reach|get|record|see|with|) {{sup:m}} {_V}",
        f"{_ON} {_WHICH} {{cs:x}} (did|does|do|has|have|had|is|was) {{sup:m}} {_V} {{by:g}}",
        (f"{_ON} [{_WHICH}] {{cs:x}} (had|has|with|having|of|who has|who had|that has|that had|on which) [had|has] {{sup:m}} "
         f"{_V} {{by:g}}"),
        f"{{by:g}} [{_WHICH}|show|get|find] {{cs:x}} (with|having|of|that has|who has|has|had) {{sup:m}} {_V}",
        "{sup:m} {c:v} {by:g} (and|with|together with|and on) [on] [which|what] {cs:x} [it was|it is|that was|it happened]",
        f"{_ON} {_WHICH} {{cs:x}} was {_V} {{sup:m}} {{by:g}}",
    ), _where_first),
    Shape((
        f"{_ON} [{_WHICH}] {_PERIOD} (with|having|of|that has|has|had|did|does|was) [have] {{sup:m}} {{c:v}} {{by:g}}",
        f"{_ON} {_WHICH} {_PERIOD} (did|does|do|has|had) {{by:g}} (have|has|had|reach|get|record|see) {{sup:m}} {{c:v}}",
        f"{{by:g}} [{_WHICH}] {_PERIOD} (with|having|of) {{sup:m}} {{c:v}}",
    ), _period_first),
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
