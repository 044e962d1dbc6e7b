"""How often there is each value: whatever its case, of a question that is answered, and which are there more than once. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape

_CASE = re.compile(
    r"^(?:(?:upper|lower|case|cases|/|or|and|spaces?|whitespaces?|blanks?|capitals?|capitali[sz]ation|letters?|capital|small|"
    r"leading|trailing|extra"
    r"|surrounding|differences?|in|of|spelling|the|stray|insensitive|-) )+$",
    re.IGNORECASE,
)
_COMES = frozenset(
    ("came", "come", "comes", "in", "were", "was", "are", "is", "appear", "appears", "occur", "occurs", "occurred", "there", "show",
     "shows", "up", "have", "has", "had", "been", "listed", "back", "appeared", "that", "do", "did", "turn", "turned", "recorded", "we",
     "entered", "mentioned")
)  # fmt: skip
"""How it may be said that there is a row of something."""


def _ignoring_case(said: Said) -> str:
    column = said.column("x")
    how = f"{said.found['how'].strip()} " if said.has("how") else "case "
    if not said.has("how") and not said.has("told") and not said.marked.ignores_case:
        raise UnknownError  # a plain count
    if column.kind != "text" or column.holds.startswith(("dates", "numbers")) or not _CASE.match(how):
        raise UnknownError
    return f"{said.table}[{column.source}].str.strip().str.lower().value_counts()"


def _repeatedly(said: Said) -> str:
    """The values that there are more than once, with how often."""
    column = said.column("x")
    verb = said.found["verb"].lower().split() if said.has("verb") else []
    own = words.stem(said.table.removesuffix("s"))[:5]
    if column.dtype.startswith("float") or any(
        one not in _COMES and not words.stem(one).startswith(own) for one in verb
    ):
        raise UnknownError
    least = said.found["least"].strip().lower()
    if said.has("n"):
        sign = ">=" if least.startswith("at least") else ">"
        limit = said.number("n")
    else:
        sign, limit = {
            "more than once": (">", "1"), "several times": (">", "1"), "multiple times": (">", "1"), "repeatedly": (">", "1"),
            "many times": (">", "1"), "twice or more": (">=", "2"), "at least twice": (">=", "2"), "more than twice": (">", "2"),
            "exactly twice": ("==", "2"), "twice": ("==", "2"), "only once": ("==", "1"), "exactly once": ("==", "1"), "once": ("==", "1"),
        }[least]  # fmt: skip
    said.before.append(f"times = {said.table}[{column.source}].value_counts()")
    found = f"times[times {sign} {limit}]"
    return f"len({found})" if said.has("count") else found


def _answers(said: Said) -> str:
    """How often each answer was given, in the order of the answers where they are numbers."""
    column = said.column("x")
    if (
        column.dtype.startswith("float")
        and not column.flag
        and said.found["what"].strip().lower() in ("value", "values", "")
    ):
        raise UnknownError
    ordered = ".sort_index()" if column.kind in ("number", "bool") else ""
    counts = f"{said.table}[{column.source}].value_counts(){ordered}"
    if not said.has("what") and not column.dtype.startswith(("int", "uint", "Int")):
        raise UnknownError  # a picture of texts or of amounts
    if not said.has("plot"):
        return counts
    kind = (
        "pie"
        if "pie" in said.found["plot"].lower()
        else "barh"
        if "horizontal" in said.found["plot"].lower()
        else "bar"
    )
    said.before.append(f"{counts}.plot.{kind}()")
    return "plt.show()"


_COUNT = (
    "(count|counts of|value counts of|value_counts of|value_counts|number of|frequency of|frequencies of|tally|tally of|number of times|"
    "number per|count per|count number of|number of {t:t} per|number of rows per|count {t:t} per|count {t:t} by|number of {t:t} by|"
    "count number per|counts per|frequency per|number of per|count of|number of does each|how often does each|number of is each|"
    "number of each|count per kind of|number of each kind of)"
)
_IGNORE = (
    "(ignore|ignoring|regardless of|irrespective of|no matter|without regard to|disregarding|disregard|not minding|"
    "whatever|don't mind|independent of)"
)
_TIMES = (
    "(more than once|several times|multiple times|repeatedly|many times|twice or more|at least twice|more than twice|exactly "
    "twice|only once|"
    "exactly once|(more than|at least) {num:n} times:LEAST)"
)
_ANSWER = (
    "(answer|answers|response|responses|option|options|choice|choices|rating|ratings|category|categories|score|value|"
    "values|level|levels:WHAT)"
)
_GIVEN = (
    "[(was|is|were|are|been)] [given|chosen|picked|selected|there|ticked|occurring|used|occurs|appears|appear|comes up]"
)
_AS = (
    "(and|then|as|in) [(plot|show|draw|display|make)] [it|them|that|counts] [as|in|with] [a] (bars|bar chart|bar plot|horizontal "
    "bars|horizontal bar chart|"
    "bar|barplot|pie|pie chart:PLOT)"
)
_DRAWN = "(bar chart|bar plot|bars|pie chart|horizontal bar chart:PLOT)"

SHAPES = (
    Shape((
        f"{_COUNT} {{c:x}} [values|names|entries|value_counts|there are|is there|are there] {_IGNORE} {{rest:how}}",
        f"{_COUNT} {{c:x}} [values|names|entries|occur|occurs|there are|is there] [and [leading|trailing|extra] (spaces|whitespace)]",
        f"{_IGNORE} {{rest:how}} {_COUNT} {{c:x}}",
    ), _ignoring_case),
    Shape((
        f"(which|what|list|all|show|find) {{c:x}} [names|numbers] {{rest:verb}} {_TIMES} [in {{t:t}}]",
        f"(number of:COUNT) [different] {{c:x}} {{rest:verb}} {_TIMES} [in {{t:t}}]",
        f"{{c:x}} (that|who|which) {{rest:verb}} {_TIMES} [in {{t:t}}]",
    ), _repeatedly),
    Shape((
        ("[count] (number per|number of each|number of times each|number of times per|number of|how often was each|counts of|"
            "count of|count each|count per|"
        f"frequency of each|frequencies of) [single|different] {_ANSWER} {_GIVEN} (in|to|for|of) {{c:x}} [{_AS}]"),
        (f"(number of per|number of was each|number of was per|number of is each|count number per|number of is per) {_ANSWER} "
            f"{_GIVEN} (in|to|for|of) {{c:x}} [{_AS}]"),
        f"count {_ANSWER} {_GIVEN} (in|to|for|of) {{c:x}} [{_AS}]",
        f"[number] (per|each|of each) {_ANSWER} {_GIVEN} (in|to|for|of) {{c:x}} [{_AS}]",
        (f"{_DRAWN} (of|with|for|showing) [counts of|count of|number of|frequency of|number per] [each|per|all] {_ANSWER} {_GIVEN} "
            f"(in|to|for|of) {{c:x}}"),
        f"{_DRAWN} of {{c:x}}", f"{{c:x}} as [a] {_DRAWN}",
    ), _answers),
)  # fmt: skip
"""What is asked of how often something is there."""
