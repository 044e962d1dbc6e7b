"""What is asked of a series: gaps, what moves along it, where it is highest, which of its values. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.phrases.shapes.template import SUPERLATIVES

_RULES = {"day": "D", "daily": "D", "week": "W", "weekly": "W", "month": "ME", "monthly": "ME", "quarter": "QE", "quarterly": "QE",
          "year": "YE", "yearly": "YE", "annual": "YE", "hour": "h", "hourly": "h"}  # fmt: skip


def _series(said: Said) -> str:
    variable = said.variable("t")
    if variable.type != "Series":
        raise UnknownError
    return variable.name


def _filled(said: Said) -> str:
    name, how = _series(said), said.found["how"].lower().strip()
    if how.startswith("interpol") or said.has("lines"):
        made = f"{name}.interpolate()"
    elif re.search(r"previous|last|before|forward", how):
        made = f"{name}.ffill()"
    elif re.search(r"next|following|backward", how):
        made = f"{name}.bfill()"
    elif how in ("mean", "average", "median"):
        made = f"{name}.fillna({name}.{said.how()}())"
    elif said.has("n"):
        made = f"{name}.fillna({said.word('n')})"
    else:
        raise UnknownError
    said.before.append(f"{name} = {made}")
    return name


def _rolled(said: Said) -> str:
    name, number = _series(said), said.number("n")
    if not number.isdigit() or int(number) < 2:
        raise UnknownError
    rolling = f"{name}.rolling({number})"
    return f"{rolling}.max() - {rolling}.min()" if said.has("range") else f"{rolling}.{said.how()}()"


def _where(said: Said) -> str:
    return f"{_series(said)}.idx{SUPERLATIVES[said.word('m').lower()]}()"


def _first(said: Said) -> str:
    largest = SUPERLATIVES[said.word("m").lower()] == "max"
    return f"{_series(said)}.{'nlargest' if largest else 'nsmallest'}({said.number('n')})"


def _summed(said: Said) -> str:
    return f"{_series(said)}.{said.how()}()"


def _resampled(said: Said) -> str:
    rule = _RULES[said.word("rule").lower()]
    return f'{_series(said)}.resample("{rule}").{said.how()}()'


def _stepped(said: Said) -> str:
    call = {"difference": "diff()", "change": "diff()", "cumulative": "cumsum()", "running": "cumsum()", "percent": "pct_change()",
            "percentage": "pct_change()", "relative": "pct_change()", "daily": "diff()"}[said.found["how"].split()[0].lower()]  # fmt: skip
    return f"{'100 * ' if call.startswith('pct') else ''}{_series(said)}.{call}"


_SIGNS = {"above": ">", "over": ">", "more than": ">", "greater than": ">", "higher than": ">", ">": ">", "below": "<", "under": "<",
          "less than": "<", "lower than": "<", "<": "<", "at least": ">=", "at most": "<="}  # fmt: skip


def _chosen(said: Said) -> str:
    name = _series(said)
    test = f"{name} {_SIGNS[said.word('sign').lower()]} {said.word('n')}"
    return f"({test}).sum()" if said.has("count") else f"{name}[{test}]"


def _gaps(said: Said) -> str:
    name = _series(said)
    return f"{name}.isna().sum()" if said.has("count") else f"{name}[{name}.isna()]"


_HOW = "(mean|average|avg|sum|total|median|max|maximum|highest|min|minimum|lowest|std|standard deviation:HOW)"
_RULE = f"({'|'.join(_RULES)}:RULE)"
_SIGN = f"({'|'.join(_SIGNS)}:SIGN)"
_WITH = (
    "(interpolation|interpolating|previous value|previous|last value|last known value|next value|following value|mean|average|median"
    "|{n:n}:HOW)"
)
_STEP = (
    "(difference to day before|difference to previous|difference to previous day|difference to previous value|change from day to day"
    "|change to previous day|daily change|daily changes|difference|cumulative sum|running total|percent change|percentage change"
    "|relative change:HOW)"
)
_UNIT = "[-] [day|days|hour|hours|week|weeks|month|months|point|points|value|values|row|rows|period|periods]"

SHAPES = (
    Shape((
        "(interpolate:HOW) [gaps in|gaps of|missing values in|missing values of|missing in|nans in] {t:t} [linearly]",
        ("(fill|replace|close) [gaps in|gaps of|missing values in|missing values of|missing in|missing|nans in|holes in] {t:t} "
         f"(with|by|using|through) {_WITH}"),
        f"(fill|replace|close) (gaps|missing values|nans|holes) in {{t:t}} (with|by|using) {_WITH}",
    ), _filled, "series"),
    Shape((
        f"{{num:n}} {_UNIT} (rolling|moving|running) {_HOW} [of|for] {{t:t}}",
        f"(rolling|moving|running) {_HOW} of {{t:t}} (over|with|of) [window of] {{num:n}} {_UNIT}",
        f"{{num:n}} {_UNIT} [rolling|moving] (range|spread:RANGE) [of] {{t:t}} [(max|maximum|highest) minus (min|minimum|lowest)]",
    ), _rolled, "series"),
    Shape((
        "[on|at|in] (which|what) (date|day|time|index|place|month|hour|moment) (was|is|were|had|has) {t:t} {sup:m}",
        "(when|where) (was|is|were) {t:t} {sup:m}", "(date|day|time) of {sup:m} {t:t}",
    ), _where, "series"),
    Shape((
        "{num:n} {sup:m} [values|days|entries|readings] (of|in) {t:t}", "{sup:m} {num:n} [values|days|entries|readings] (of|in) {t:t}",
    ), _first, "series"),
    Shape((f"{_HOW} [value] (of|in) {{t:t}}", f"{_HOW} {{t:t}}", f"{{t:t}} {_HOW}"), _summed, "series"),
    Shape((
        f"{_RULE} {_HOW} (of|for) {{t:t}}", f"{_HOW} [of|value of] {{t:t}} (per|by|for each) {_RULE}",
        f"resample {{t:t}} (to|by|per) {_RULE} {_HOW}",
    ), _resampled, "series"),
    Shape((
        f"{_STEP} (of|in|for) {{t:t}}",
    ), _stepped, "series"),
    Shape((
        ("[on|show|which|list] [days|values|dates|entries|readings|hours|times] [of|in] [when|where|which|that|on which] "
         f"{{t:t}} [that] [is|are|was|were] {_SIGN} {{n:n}}"),
        (f"(number of|count:COUNT) [days|values|dates|entries|readings|hours|times] [of|in] [when|where|was|were|is] {{t:t}} "
         f"[that] [is|are|was|were] {_SIGN} {{n:n}}"),
        f"(number of|count:COUNT) [days|values|dates|entries|readings|hours|times] (of|in) {{t:t}} (are|is|were|was) {_SIGN} {{n:n}}",
    ), _chosen, "series"),
    Shape((
        "(number of|count:COUNT) (missing values|gaps|nans|missing) [are|are there|is] (in|of) {t:t}",
        "(missing values|gaps|nans) (in|of) {t:t}", "when is {t:t} missing", "on which days is {t:t} missing",
    ), _gaps, "series"),
)  # fmt: skip
"""What is asked of a series."""
