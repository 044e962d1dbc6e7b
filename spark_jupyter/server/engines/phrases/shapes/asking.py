"""Questions why something does not work or looks odd, that what is known of the variables answers: with a sentence, and code that shows
it and does it right. Pure."""

from __future__ import annotations

import difflib

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind
from spark_jupyter.server.engines.rewrite import quoted

_HOWS = {"sum": "sum({x})", "max": "max({x})", "min": "min({x})", "sorted": "sorted({x})", "len": "len({x})"}


def _subtracted(said: Said) -> str:
    """Dates that are text: they have to be made dates first."""
    first, second = said.column("x"), said.column("y")
    if first == second or any(not one.holds.startswith("dates") for one in (first, second)):
        raise UnknownError
    more = ", dayfirst=True" if "day first" in first.holds else ""
    sides = [f"pd.to_datetime({said.table}[{quoted(one.name)}]{more})" for one in (first, second)]
    said.says.append(
        f"Because `{first.name}` and `{second.name}` hold text that looks like dates: text can't be "
        "subtracted. Made dates first, it works."
    )
    return f"{sides[0]} - {sides[1]}"


def _not_a_number(said: Said) -> str:
    column = said.column("x")
    if not column.holds.startswith("numbers"):
        raise UnknownError
    said.says.append(f"Because `{column.name}` holds text that looks like numbers. Made numbers first, it works.")
    return f"{said.of(column)}.{said.how()}()"


def _several(said: Said) -> str:
    """Values that look alike, and differ by spaces or case."""
    column = said.column("x")
    if column.kind != "text":
        raise UnknownError
    name = f"{said.table}[{quoted(column.name)}]"
    said.says.append(
        "Values that differ by a space or by upper and lower case count as different ones: here they are as they stand in the table."
    )
    said.before.append(f"print({name}.unique().tolist())")
    return f"{name}.str.strip().str.upper().value_counts()"


def _none_inside(said: Said) -> str:
    one = said.variable("x")
    how = said.found["how"].strip().lower()
    if kind(one) != "list" or "NoneType" not in one.details or how == "len":
        raise UnknownError
    said.says.append(f"Because `{one.name}` has `None` in it, with which Python can't reckon. Without it:")
    return f"known = [one for one in {one.name} if one is not None]\n{_HOWS[how].replace('{x}', 'known')}"


def _no_such_column(said: Said) -> str:
    """A label that is no column's, but for its case or a letter."""
    key = said.word("key")
    near = difflib.get_close_matches(key.lower(), [one.lower() for one in said.by_name], n=1)
    if key in said.by_name or not near or said.word("t") != said.table:
        raise UnknownError
    name = next(one for one in said.by_name if one.lower() == near[0])
    said.says.append(
        f"Because `{said.table}` has no column “{key}”: it is called `{name}`, and labels count to the letter."
    )
    return f"{said.table}[{quoted(name)}]"


_WHY = (
    "(why|how come|what is reason) ["
    "(does|do|can|can't|cant|cannot|can not|is|are|doesn't|don't|did|didn't)] [i] [not] [just|simply]"
)
_FAILS = (
    "[(not work|so strange|strange|so odd|odd|so weird|weird|"
    "give something odd|look wrong|fail|fails|give error|gives error|raise error|crash|crashes|give me error|give typeerror|"
    "throw error|throws error|error|work|"
    "not working|wrong|give wrong result|raise typeerror)]"
)
_DO = "[do|calculate|compute|subtract|use|call|take|get|write]"

SHAPES = (
    Shape((
        f"{_WHY} {_DO} {{c:x}} - {{c:y}} {_FAILS}",
        f"{_WHY} {_DO} {{t:t}} {{c:x}} - {{t:u}} {{c:y}} {_FAILS}",
        f"{_WHY} subtract {{c:y}} from {{c:x}} {_FAILS}",
    ), _subtracted),
    Shape((
        f"{_WHY} {_DO} (mean|average|sum|median|max|min|total:HOW) [of] {{c:x}} {_FAILS}",
        f"{_WHY} {_DO} [{{t:t}}] {{c:x}} (mean|sum|median|max|min:HOW) {_FAILS}",
    ), _not_a_number),
    Shape((
        ("(why|how come) (do i get|is there|does it give|am i getting) (keyerror|key error|error) "
         "(for|with|from|in|when i use|on) {t:t} {q:key}"),
        "(why|how come) (does|is) {t:t} {q:key} (give keyerror|raise keyerror|fail|not work|keyerror|give error)",
    ), _no_such_column),
    Shape((
        ("(why|how come) (does|do|is|are) ({v:a}|{w:b}) (appear|appears|there|listed|come up|show up|counted|occur) "
        "(more than once|twice|several times|multiple times|so often|many times|three times) [in|in counts "
        "of] [{t:t}] {c:x} [names|values] "
        "[value_counts|counts|unique|. value_counts|. unique]"),
        ("(why|how come) (does|do|is|are) [{t:t}] {c:x} [. value_counts|value_counts|. unique|unique] (show|"
         "list|have|give|has) ({v:a}|{w:b}) "
        "(more than once|twice|several times|multiple times)"),
    ), _several),
    Shape((
        f"{_WHY} (sum|max|min|sorted:HOW) [of] {{t:x}} {_FAILS}",
        f"{_WHY} {_DO} (sum|max|min|sorted:HOW) [of] {{t:x}} {_FAILS}",
        "(what's|what is|whats) wrong with (sum|max|min|sorted:HOW) [of] {t:x}",
    ), _none_inside, "things"),
)  # fmt: skip
"""Questions with why."""
