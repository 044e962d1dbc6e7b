"""New columns of what stands in others: ages, parts of texts and dates, what goes across a row, limits, signs. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.phrases.shapes.template import SUPERLATIVES
from spark_jupyter.server.engines.query.dates import iso
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column

_BORN = re.compile(r"born|birth|dob", re.IGNORECASE)
_BEGUN = re.compile(r"hire|start|join|since|entry|member|employ|begin|began", re.IGNORECASE)


def _one(said: Said, pattern: re.Pattern[str], kind: str = "") -> Column:
    """The only column whose name is like the pattern. Raises :class:`UnknownError`."""
    found = [one for one in said.by_name.values() if pattern.search(one.name) and kind in ("", one.kind, one.holds[:5])]
    if len(found) != 1:
        raise UnknownError
    return found[0]


def _age(said: Said) -> str:
    """Full years from a date to today, or to the day that is said."""
    since = said.column("d") if said.has("d") else _one(said, _BEGUN if said.has("begun") else _BORN)
    dates = said.date(since)
    if said.word("on").startswith("--"):  # of no year
        raise UnknownError
    day = f'pd.Timestamp("{iso(said.word("on"))}")' if said.has("on") else "pd.Timestamp.today()"
    name = said.new("years" if said.has("begun") else "age")
    today = said.free("day")
    said.before += [
        f"{today} = {day}",
        f"not_yet = ({dates}.dt.month * 100 + {dates}.dt.day) > ({today}.month * 100 + {today}.day)",
        f"{said.table}[{quoted(name)}] = {today}.year - {dates}.dt.year - not_yet",
    ]
    return said.table


def _text(said: Said, group: str = "x") -> str:
    """A column of texts as source. Raises :class:`UnknownError` where it is none."""
    column = said.column(group)
    if column.kind != "text" or column.holds.startswith(("dates", "truth", "numbers")):
        raise UnknownError
    return f"{said.table}[{quoted(column.name)}]"


def _added(said: Said, name: str, made: str) -> str:
    said.before.append(f"{said.table}[{quoted(said.new(name))}] = {made}")
    return said.table


def _domain(said: Said) -> str:
    name = _text(said)
    if not re.search(r"mail", name, re.IGNORECASE):
        raise UnknownError
    made = f'{name}.str.extract(r"@([\\w.-]+)", expand=False)'
    return f"{made}.value_counts()" if said.has("counts") else _added(said, "domain", made)


_SEPARATORS = {"dash": "-", "hyphen": "-", "minus": "-", "underscore": "_", "slash": "/", "comma": ",", "space": " ", "colon": ":",
               "dot": ".", "period": ".", "point": ".", "semicolon": ";", "at sign": "@", "@": "@", "-": "-", "_": "_", "/": "/", "#": "#",
               "hash": "#", "pipe": "|", "bracket": "(", "parenthesis": "("}  # fmt: skip


def _beside(said: Said) -> str:
    """What stands before a sign, or behind it."""
    name = _text(said)
    sign = said.marked.value(said.found["q"].strip()) if said.has("q") else _SEPARATORS[said.word("sep").lower()]
    last = said.has("last")
    if said.found["side"].strip().lower() == "before":
        made = f"{name}.str.{'rsplit' if last else 'split'}({quoted(sign)}, n=1).str[0].str.strip()"
    else:
        made = f"{name}.str.{'rsplit' if last else 'split'}({quoted(sign)}, n=1).str[1].str.strip()"
    return _added(said, f"{said.column('x').name}_part", made)


def _letters(said: Said) -> str:
    name, number = _text(said), said.number("n") if said.has("n") else "1"
    part = f"[:{number}]" if said.found["end"].strip().lower() == "first" else f"[-{number}:]"
    return _added(said, f"{said.column('x').name}_{said.word('end').lower()}", f"{name}.str{part}")


def _digits(said: Said) -> str:
    name = _text(said)
    return _added(
        said, f"{said.column('x').name}_number", f'pd.to_numeric({name}.str.extract(r"(\\d+)", expand=False))'
    )


def _named(said: Said) -> str:
    """The first or last name out of a whole one."""
    if not said.has("x"):
        whole = _one(said, re.compile(r"^(?:full.?)?name$", re.IGNORECASE), "text")
        name = f"{said.table}[{quoted(whole.name)}]"
    else:
        name = _text(said)
    if not re.search(r"name|person|author|student|employee|customer|patient|player", name, re.IGNORECASE):
        raise UnknownError
    end = said.word("end").lower()
    return _added(said, f"{end}_name", f"{name}.str.strip().str.split().str[{'0' if end == 'first' else '-1'}]")


def _across(said: Said) -> str:
    """What goes across the columns of each row."""
    found = said.columns("cs")
    if len(found) < 2 or any(one.kind != "number" for one in found):
        raise UnknownError
    how = said.how()
    how = {"best": "max", "worst": "min"}.get(how, how)
    return _added(said, how, f"{said.table}[{listed([one.name for one in found])}].{how}(axis=1)")


_HEAT = {"warmest": "max", "hottest": "max", "coldest": "min", "coolest": "min", "wettest": "max", "driest": "min"}


def _which_column(said: Said) -> str:
    """The column in which each row has its highest."""
    found = said.columns("cs") if said.has("cs") else [one for one in said.by_name.values() if one.kind == "number"]
    if len(found) < 2 or any(one.kind != "number" for one in found):
        raise UnknownError
    names = listed([one.name for one in found])
    first = {**SUPERLATIVES, **_HEAT}[said.word("m").lower()]
    if said.has("add") or said.has("new"):
        return _added(said, "highest" if first == "max" else "lowest", f"{said.table}[{names}].idx{first}(axis=1)")
    key = said.columns("g") if said.has("g") else []
    rows = f"{said.table}.set_index({said.keys('g')})" if key else said.table
    if len(key) > 1 or (not said.has("cs") and any(one.kind == "number" for one in key)):
        raise UnknownError
    return f"{rows}[{names}].idx{first}(axis=1)"


def _clipped(said: Said) -> str:
    value = f"{said.table}[{said.ready('v')}]"
    low, high = said.word("low"), said.word("high")
    if said.has("n"):
        number = said.word("n")
        below = said.word("how").lower() in ("cap", "limit") or (
            said.word("side").lower() in ("max", "maximum", "above")
        )
        if not said.has("side") and said.word("how").lower() == "clip" and number != "0":
            raise UnknownError
        low, high = ("", number) if below else (number, "")
    bounds = ", ".join([*([f"lower={low}"] if low else []), *([f"upper={high}"] if high else [])])
    said.before.append(f"{value} = {value}.clip({bounds})")
    return said.table


_DATED = {"month name": "month_name()", "name of month": "month_name()", "weekday": "day_name()", "weekday name": "day_name()",
          "name of weekday": "day_name()", "day name": "day_name()", "day of week": "day_name()", "year": "year", "month": "month",
          "month number": "month", "day": "day", "day of month": "day", "hour": "hour", "quarter": "quarter", "week": "isocalendar().week",
          "week number": "isocalendar().week", "calendar week": "isocalendar().week", "minute": "minute"}  # fmt: skip


def _dated(said: Said) -> str:
    said_so = " ".join(said.found["part"].lower().split())
    dates = said.date(said.column("d") if said.has("d") else said.dates())
    return _added(said, said_so.replace(" ", "_"), f"{dates}.dt.{_DATED[said_so]}")


def _per(said: Said) -> str:
    """ "goals per 90 minutes"."""
    above, below = said.ready("a"), said.ready("b")
    digits = said.number("digits") if said.has("digits") else ""
    made = f"{said.table}[{above}] / {said.table}[{below}] * {said.number('n')}"
    name = said.new(f"{above[1:-1]}_per_{said.number('n')}")
    said.before.append(f"{said.table}[{quoted(name)}] = " + (f"({made}).round({digits})" if digits else made))
    return said.table


def _ratio(said: Said) -> str:
    """One column as a part of another."""
    above, below = said.ready("a"), said.ready("b")
    if above == below:
        raise UnknownError
    percent = "100 * " if re.search(r"percent|%", said.found[0], re.IGNORECASE) else ""
    return _added(said, f"{above[1:-1]}_share", f"{percent}{said.table}[{above}] / {said.table}[{below}]")


def _signed(said: Said) -> str:
    mask, value = said.condition("cond"), said.ready("v")
    column = f"{said.table}[{value}]"
    signed = f"{column}.where(~({mask}), -{column})"
    if said.has("g"):
        groups = said.columns("g")
        by = ", ".join(f"{said.table}[{quoted(one.name)}]" for one in groups)
        return f"{signed}.groupby({by if len(groups) == 1 else f'[{by}]'}).sum()"
    return _added(said, f"signed_{value[1:-1]}", signed)


_HOME = re.compile(r"home|^h(?=[a-z]{1,2}$|_)", re.IGNORECASE)
_AWAY = re.compile(r"away|visitors?|guests?|^a(?=[a-z]{1,2}$|_)", re.IGNORECASE)


def _pair(said: Said) -> tuple[str, str]:
    """The columns of numbers of the home side and of the other. Raises :class:`UnknownError` where there is no one such pair."""
    numeric = [one.name for one in said.by_name.values() if one.kind == "number"]
    found = [
        (home, away)
        for home in numeric
        for away in numeric
        if re.search(r"home", home, re.IGNORECASE)
        and re.sub("home", "", home, flags=re.IGNORECASE)
        == re.sub("away|visitors?|guests?", "", away, flags=re.IGNORECASE)
        and home != away
    ]
    if len(found) != 1:
        raise UnknownError
    first, second = found[0]
    return f"{said.table}[{quoted(first)}]", f"{said.table}[{quoted(second)}]"


def _won(said: Said) -> str:
    """How many matches, or what part of them, one side has won."""
    home, away = _pair(said)
    sign = "==" if said.has("draw") else ">" if said.has("home") == (not said.has("lose")) else "<"
    test = f"({home} {sign} {away})"
    how = said.found["how"].lower()
    if re.search(r"percent|%", how):
        return f"100 * {test}.mean()"
    return f"{test}.mean()" if re.search(r"share|fraction|proportion", how) else f"{test}.sum()"


def _goals(said: Said) -> str:
    home, away = _pair(said)
    word = said.word("w").lower().rstrip("s")
    if word not in home.lower():
        raise UnknownError
    if said.has("difference"):
        return _added(said, f"{word}_difference", f"{home} - {away}")
    return _added(said, f"total_{word}s", f"{home} + {away}")


_SEP = (
    "(dash|hyphen|minus|underscore|slash|comma|space|colon|dot|period|point|semicolon|at sign|@|-|_|/|#|hash|pipe|bracket|"
    "parenthesis:SEP)"
)
_PART = f"({'|'.join(sorted(_DATED, key=len, reverse=True))}:PART)"
_TOP = f"({'|'.join([*SUPERLATIVES, *_HEAT])}:M)"
_HOW = "(mean|average|avg|sum|total|max|min|maximum|minimum|median|highest|lowest|largest|smallest|best|worst|std|standard deviation:HOW)"
_UNITS = "[{c:unit} [%]|score|points|marks|value|mark|result|rating|grade|amount|answer|answers]"
_ROWS = (
    "((per|for|of|in) [each|every] (person|student|pupil|respondent|employee|participant|child|row|line|{t:each}|{c:each})|per row|"
    "row wise|row-wise|rowwise|for every row|across columns|across row|of every row|in every row|across)"
)
_MATCH = "[match|matches|game|games|{t:t}]"

SHAPES = (
    Shape((
        ("[{add:add}] (age|ages) [of [each|every|all] ({t:t}|{c:who}|person|people|everyone)|per ({t:t}|{c:who}|person|row)] "
         "[in] [whole|full|completed|complete] [years] [from {c:d}] [(today|now|as of today|on {d:on}|at {d:on}|as of {d:on})] "
         "[{new:new}]"),
        "how old (is|are) (each|every|per|they|people|everyone|{t:t}|{c:who}) [{c:who}|person|{t:t}] [today|now|on {d:on}]",
        ("[{add:add}] [number of] [full|whole|completed] (years|{c:unit}) (at company|with company|with us|in company|at firm|"
         "of service|in service|of employment|employed|of membership|as member:BEGUN) [until|by|as of|on|up to] [today|now|"
         "{d:on}] [{new:new}]"),
    ), _age),
    Shape((
        "[{add:add}] [mail|email|e-mail] (domain|provider) (of|from|in|out of) {c:x} [address|addresses] [{new:new}]",
        "[{add:add}] {c:x} (domain|domains|provider) [{new:new}]",
        "(number of|count|count of:COUNTS) [rows|people|{t:t}|{w:noun}] (per|by|have same|with same|with each) {c:x} (domain|provider)",
    ), _domain),
    Shape((
        (f"[{{add:add}}] (part|text|bit|piece|letters|characters|string|everything|what is|what comes|whatever is|all) [of|from|"
         f"in] {{c:x}} (before|after|behind:SIDE) [first|(last:LAST)] ({_SEP}|{{q:q}}) [{{new:new}}]"),
        (f"[{{add:add}}] (part|text|bit|piece|letters|characters|everything|what is|what comes|whatever is|all) [that is|that "
         f"comes] (before|after|behind:SIDE) [first|(last:LAST)] ({_SEP}|{{q:q}}) (of|in|from) {{c:x}} [{{new:new}}]"),
        (f"(extract|take|get|pull|keep) [part|text|everything|only part] (before|after|behind:SIDE) [first|(last:LAST)] ({_SEP}|"
         f"{{q:q}}) (of|in|from) {{c:x}} [{{new:new}}]"),
    ), _beside),
    Shape((
        ("[{add:add}] [extract|take|get] (first|last:END) {num:n} (letters|characters|chars|digits|letter|character) (of|in|"
         "from) {c:x} [{new:new}]"),
        "[{add:add}] [extract|take|get] (first|last:END) (letter|character|char|digit) (of|in|from) {c:x} [{new:new}]",
    ), _letters),
    Shape((
        "[{add:add}] (extract|take|get|pull|parse) [only|just] (number|digits|numbers) [part] (of|in|from|out of) {c:x} [{new:new}]",
        "[{add:add}] (digits|numeric part|number part) (of|in|from) {c:x} [{new:new}]",
    ), _digits),
    Shape((
        "[{add:add}] (first|last:END) ({c:x}|name) {new:new}",
        "{add:add} (first|last:END) (name|word) [of|from] {c:x}",
        "[{add:add}] (first|last:END) (name|word) (of|from|in) {c:x} {new:new}",
        "[{add:add}] (extract|get|take) (first|last:END) (name|word) (of|from|in) {c:x} [{new:new}]",
    ), _named),
    Shape((
        f"[{{add:add}}] row [wise|-wise] {_HOW} {_UNITS} (of|over|from|across|for|in) {{cs:cs}} [{{new:new}}]",
        f"[{{add:add}}] {_HOW} {_UNITS} (of|over|from|across|for|in) {{cs:cs}} {_ROWS} [{{new:new}}]",
        f"[{{add:add}}] {_HOW} {_UNITS} (of|over|from|across|for|in) {{cs:cs}} {{new:new}}",
        f"{{add:add}} {_HOW} {_UNITS} (of|over|from|across|for|in) {{cs:cs}}",
    ), _across),
    Shape((
        f"[{{add:add}}] which (of|one of) {{cs:cs}} is {_TOP} [per row|{{by:g}}] [{{new:new}}]",
        f"which [month|column|year|day|quarter|subject] (is|has|was|had) {_TOP} [value] {{by:g}} [in {{t:t}}]",
        f"which [month|column|year|day|quarter|subject] (is|has|was|had) {_TOP} [value] (per|in every|in each) row [in {{t:t}}]",
    ), _which_column),
    Shape((
        "(clip|limit|restrict|cap:HOW) {c:v} [values] (to|between|from|into|at) [range] {n:low} (and|to|-|..) {n:high}",
        "(clip|cap|limit:HOW) {c:v} [values] (at|to) [(max|maximum|min|minimum:SIDE)] [of] {n:n}",
        "(clip|cap|limit:HOW) {c:v} [values] (below|above:SIDE) [at] {n:n}",
    ), _clipped),
    Shape((
        (f"[{{add:add}}] {_PART} [of [each|every|per] ({{c:d}}|{{t:t}}|match|game|row|order|date)|per ({{t:t}}|match|game|row|"
         f"order|visit|sale)|from ({{c:d}}|date)] {{new:new}}"),
        f"{{add:add}} {_PART} [of|from] [{{c:d}}]", f"{{add:add}} {{c:d}} {_PART} [{{new:new}}]",
        f"(extract|get|take|pull) {_PART} (of|from|out of) {{c:d}} [{{new:new}}]",
    ), _dated),
    Shape((
        ("[{add:add}] {c:a} per {n:n} {c:b} [per ({c:who}|{t:t}|row)] [rounded to {num:digits} [decimals|digits|places|decimal "
         "places]] [{new:new}]"),
    ), _per),
    Shape((
        ("[{add:add}] (share|percentage|percent|proportion|fraction|ratio) of {c:a} (in|of|to|on|from) [total] {c:b} "
         "[in percent|as percent|in %] {new:new}"),
        ("{add:add} (share|percentage|percent|proportion|fraction|ratio) of {c:a} (in|of|to|on|from) [total] {c:b} [in percent|"
         "as percent|in %]"),
        "[{add:add}] {c:a} (as|in) (percent|percentage|%|share|fraction) of [total] {c:b} {new:new}",
    ), _ratio),
    Shape((
        "[{add:add}] signed {c:name} (minus|negative|- |as minus) {c:v} (if|where|when|for) {rest:cond} [{new:new}]",
        "[{add:add}] [signed] {c:v} (negative|minus|with minus sign) (if|where|when|for) {rest:cond} [{new:new}]",
        "make {c:v} negative (if|where|when|for) {rest:cond} [{new:new}]",
        "net {c:v} {by:g} (where|with|if|when) {rest:cond} (count|counts|counted|counting|as|are|is) [as] negative",
    ), _signed),
    Shape((
        (f"[what|which|in what] (percentage of|percent of|share of|proportion of|fraction of|number of|count:HOW) {_MATCH} (did|"
         f"does|were|was|are|have been|that|had|has) [({{c:home}}|home)] [team|side|{{t:side}}|teams] (win|won|wins|wins at home|"
         f"won by ({{c:home}}|home) [team|side])"),
        (f"[what|which] (percentage of|percent of|share of|proportion of|fraction of|number of|count:HOW) {_MATCH} (ended|end|"
         "ending|finished|were|was|that ended|which ended) [in|as|with] (draw|draws|tie|ties|drawn:DRAW)"),
        ("[what|which] (percentage of|percent of|share of|proportion of|fraction of|number of|count:HOW) (draws|ties|drawn "
         "matches|drawn games:DRAW)"),
    ), _won),
    Shape((
        "[{add:add}] total [of] [({w:w})] [scored] (per|in each|of each|in|for) [match|game|{t:t}] {new:new}",
        "[{add:add}] (goal|point|score:W) (difference:DIFFERENCE) [per|in each|of each] [match|game|{t:t}] [{new:new}]",
    ), _goals),
)  # fmt: skip
"""What is made into a column."""
