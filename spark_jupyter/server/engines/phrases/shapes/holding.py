"""Dictionaries, sets and records: whose number is above a limit, marks for numbers, what two have in common, amounts of records. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind, of_numbers
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.namespace import Variable

_SIGNS = {
    ">": (
        "above",
        "over",
        "more than",
        "greater than",
        "higher than",
        "larger than",
        "bigger than",
        "better than",
        ">",
    ),
    "<": ("below", "under", "less than", "lower than", "smaller than", "fewer than", "worse than", "<"),
    ">=": ("at least", "or more", "from", ">="),
    "<=": ("at most", "up to", "<="),
}
SIGN = "(" + "|".join(one for some in _SIGNS.values() for one in some if one not in ("or more", "from")) + ":SIGN)"
_PEOPLE = (
    "(who|names|name|people|students|pupils|everyone|everybody|keys|items|products|those|persons|players|rows|which|entries"
    "|all|{w:who})"
)


def sign(said: str) -> str:
    """The comparison that words say. Raises :class:`UnknownError` where they say none."""
    for found, some in _SIGNS.items():
        if said.strip().lower() in some:
            return found
    raise UnknownError


def _numbers_of(said: Said) -> Variable:
    one = said.variable("x")
    if not of_numbers(one):
        raise UnknownError
    return one


def _names(said: Said) -> str:
    one = _numbers_of(said)
    if said.has("who") and said.word("who").lower() in (
        "average",
        "mean",
        "sum",
        "total",
        "number",
        "count",
        "highest",
        "lowest",
    ):
        raise UnknownError
    test = f"value {sign(said.found['sign'])} {said.number('n')}"
    taken = f"[name for name, value in {one.name}.items() if {test}]"
    return f"len({taken})" if said.has("count") else taken


_LABEL = r"(?P<label>⟨q\d+⟩|[^\W\d_⟨][\w+-]*)"
_FROM = r"(?P<sign>(?:(?:is|are|for|means|if|when|from|at|above|over|least|starts|>|>=|≥|=) )*)"
_UP = r"(?:(?:% |points? |percent )?(?P<up>(?:and|or) (?:up|more|above|higher|over|better) )?)"
_LIMITS = (
    re.compile(rf"{_LABEL} {_FROM}(?P<n>⟨n\d+⟩) {_UP}", re.IGNORECASE),
    re.compile(rf"{_FROM}(?P<n>⟨n\d+⟩) {_UP}(?:(?:is|gets|=|means|gives|:) )*{_LABEL} ", re.IGNORECASE),
)
_RESTS = (
    re.compile(rf"(?:otherwise|else|rest|everything else|all others|others|everyone else|below that|below|under) "
               rf"(?:(?:is|gets|get|are|that|⟨n\d+⟩) )*{_LABEL} ", re.IGNORECASE),
    re.compile(rf"{_LABEL} (?:otherwise|else|below that|for rest|for everything else|for others|below|under that) ", re.IGNORECASE),
)  # fmt: skip


def bands(text: str, value: Callable[[str], str]) -> tuple[list[tuple[str, str, str]], str] | None:
    """Labels with the comparison and the limit of each, and the label of what is left: "A from 80 B from 60 otherwise C"."""
    limits, rest, left = [], "", f"{text.strip()} "
    while left.strip():
        left = re.sub(r"^(?:(?:and|then|for|it|:|,|;) )+", "", left)
        last = next((found for one in _RESTS if (found := one.match(left))), None)
        found = last or next((found for one in _LIMITS if (found := one.match(left))), None)
        if found is None or (last and rest):
            return None
        if last:
            rest = value(found["label"])
        else:
            above = re.search(r"above|over|>(?!=)", found["sign"]) is not None and not found["up"]
            limits.append((value(found["label"]), ">" if above else ">=", value(found["n"])))
        left = left[found.end() :]
    return (limits, rest) if limits and rest else None


_LEAD = frozenset(
    [
        "per",
        "each",
        "every",
        "student",
        "pupil",
        "person",
        "people",
        "in",
        "of",
        "to",
        "for",
        "everyone",
        "grade",
        "grades",
        "letter",
        "mark",
        "marks",
        "name",
        "all",
        "value",
        "score",
        "as",
        "into",
        "number",
        "rows",
    ]
)


def _graded(said: Said) -> str:
    """A letter for each number, by limits that the prompt tells."""
    one = said.variable("x")
    if said.has("lead") and not set(said.found["lead"].lower().split()) <= _LEAD:
        raise UnknownError
    words = said.found["bands"].split()
    while words and words[0].lower() in _LEAD | {"with", "letters", ":"}:
        words = words[1:]
    found = bands(" ".join(words), said.marked.value)
    if found is None or not (of_numbers(one) or kind(one) == "numbers"):
        raise UnknownError
    limits, rest = found
    order = sorted(limits, key=lambda one: -float(one[2]))
    lines = ["def grade(value):"]
    for label, how, limit in order:
        lines += [f"    if value {how} {limit}:", f"        return {quoted(label)}"]
    lines += [f"    return {quoted(rest)}", "", ""]
    if kind(one) == "numbers":
        return "\n".join([*lines, f"[grade(value) for value in {one.name}]"])
    return "\n".join([*lines, f"{{name: grade(value) for name, value in {one.name}.items()}}"])


def _each_changed(said: Said) -> str:
    one, signs = (
        _numbers_of(said),
        {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "increase": "+", "raise": "+", "reduce": "-"},
    )
    how, number = said.found["how"].strip().lower(), said.number("n")
    if said.has("percent"):
        if how not in ("increase", "raise", "reduce"):
            raise UnknownError
        made = f"value * (1 {signs[how]} {number} / 100)"
    else:
        made = f"value {signs[how]} {number}"
    return f"{{name: {made} for name, value in {one.name}.items()}}"


def _collection(said: Said, group: str) -> tuple[str, str]:
    """As a set, and the name."""
    one = said.variable(group)
    if kind(one) not in ("set", "texts", "numbers", "list", "dict"):
        raise UnknownError
    return (one.name if kind(one) == "set" else f"set({one.name})"), one.name


def _combined(said: Said) -> str:
    """What two sets, or lists, have together."""
    first, second = _collection(said, "x"), _collection(said, "y")
    if first == second:
        raise UnknownError
    ordered = kind(said.variable("x")) in ("texts", "numbers", "list")
    if said.has("both"):
        return f"[one for one in {first[1]} if one in {second[1]}]" if ordered else f"{first[0]} & {second[0]}"
    if said.has("only"):
        return f"[one for one in {first[1]} if one not in {second[1]}]" if ordered else f"{first[0]} - {second[0]}"
    if said.has("either"):
        return f"{first[0]} ^ {second[0]}"
    return f"{first[0]} | {second[0]}"


def _looked_up(said: Said) -> str:
    """The value of a key, which begins with a capital letter or stands in quotes."""
    one, key = said.variable("x"), said.word("v")
    quoted_ = said.found["v"].startswith("⟨q")
    if kind(one) != "dict" or not (quoted_ or (key[:1].isupper() and key.isalpha())):
        raise UnknownError
    return f"{one.name}[{quoted(key)}]"


def _merged(said: Said) -> str:
    first, second = said.variable("x"), said.variable("y")
    if first == second or kind(first) != "dict" or kind(second) != "dict":
        raise UnknownError
    said.says.append(f"Where both have a key, the value is that of `{second.name}`.")
    name = said.free("merged")
    return f"{name} = {{**{first.name}, **{second.name}}}\n{name}"


def _mean_of_each(said: Said) -> str:
    one = said.variable("x")
    if kind(one) != "dict" or not one.details.endswith(("to list", "to tuple")):
        raise UnknownError
    how = {"average": "sum(values) / len(values)", "mean": "sum(values) / len(values)", "sum": "sum(values)", "total": "sum(values)",
           "highest": "max(values)", "maximum": "max(values)", "best": "max(values)", "lowest": "min(values)", "minimum": "min(values)",
           "number": "len(values)"}[said.found["how"].strip().lower()]  # fmt: skip
    return f"{{name: {how} for name, values in {one.name}.items()}}"


def _product(said: Said) -> str:
    """The sum of what two keys of each record give multiplied."""
    one, other = said.numeric("a"), said.numeric("b")
    named = {one.name, other.name} | ({said.word("z")} if said.has("z") else set())
    if one == other or len(named) > 2 or said.source is None:
        raise UnknownError
    product = f"record[{quoted(one.name)}] * record[{quoted(other.name)}]"
    if said.source.records:
        return f"sum({product} for record in {said.table})"
    return f"({said.of(one)} * {said.of(other)}).sum()"


_COST = "(total|total cost|total price|total value|sum|number|cost|value|bill|{c:z})"
_ALL = "[does|do|of|for|is|everything|all|whole|items|things]"
_TIMES = "(times|x|*|multiplied by|by|and|·)"
_EVERY = "(per|each|every|all|all of)"

SHAPES = (
    Shape((
        (f"[(number of|how many|count:COUNT)] [which|all|list] {_PEOPLE} [of|in|from] [all|rows|everyone|everybody|people|those] "
            f"[in|from|of] {{t:x}} "
        f"[that|who|which] [(is|are|has|have|with|scored|got|where|whose)] [value|values|score|number|more] [is] {SIGN} {{n:n}} "
        f"[points|%] [as list]"),
        f"(names|keys:W) (of|in|from) {{t:x}} (with|above|having) [value|values] {SIGN} {{n:n}}",
        f"(who|which {{w:who}}) [has|have|scored|got|is|are] {SIGN} {{n:n}} [points|%] in {{t:x}}",
    ), _names, "things"),
    Shape((
        "(give|assign|turn|convert|map|make|grade|change|put|calculate|get) {rest:lead} {t:x} {rest:bands}",
        "(grade|grades|letter grade|letter grades|marks) (for|of) [per] {t:x} {rest:bands}",
    ), _graded, "things"),
    Shape((
        f"(add|subtract:HOW) {{n:n}} [points|euro|eur|dollars] (to|from) {_EVERY} [value|values|{{w:w}}] [of|in] {{t:x}}",
        f"(multiply|divide:HOW) {_EVERY} [value|values|{{w:w}}] [of|in] {{t:x}} by {{n:n}}",
        "(increase|raise|reduce:HOW) [per|each|every|all] [value|values|{w:w}] [of|in] {t:x} by {n:n} (%|percent:PERCENT)",
        "(increase|raise|reduce:HOW) [per|each|every|all] [value|values|{w:w}] [of|in] {t:x} by {n:n}",
    ), _each_changed, "things"),
    Shape((
        "[what] [do|does] (both:BOTH) [{w:w}] (sell|have|contain|share|like|offer) {t:x} and {t:y}",
        ("[which|items|elements|values|everything|all] [is|are|in|that are|what is|what are] (in both|common to|shared by|common "
            "in|both in|part "
         "of both:BOTH) {t:x} and [in] {t:y}"),
        "(what do|which {w:w} do|do) {t:x} and {t:y} [both] (have in common|share|have both|both have|both contain|contain both:BOTH)",
        "[who|what] [was|is|came|are|were] [there|in] [on|in|at] (both|on both|in both|at both:BOTH) {t:x} and {t:y}",
        "[who|what] [was|is|came|are|were] [there|in] (on|in|at) {t:x} but (not on|not in|not at:ONLY) {t:y}",
        "(intersection|overlap|common elements|common items|common values:BOTH) (of|between) {t:x} (and|with) {t:y}",
        ("[which|items|elements|values|everything|all] [is|are|what is|what are|that are] [only|just] (in) {t:x} [but|and] "
            "[is|are] (not in|not "
         "part of|missing in|missing from:ONLY) {t:y}"),
        ("(what does|which {w:w} does) {t:x} (have|contain|sell) (that|which|but) {t:y} (does not|doesn't|does not have|doesn't "
        "have|lacks:ONLY)"),
        "(difference:ONLY) (of|between) {t:x} and {t:y}",
        "(union|all elements|everything|all items|all values:ALL) (of|in|from) [either] {t:x} (and|or|with) {t:y}",
        "(combine|unite|merge:ALL) {t:x} (and|with) {t:y} [(in|into|to) (one set|single set|set|one)] [(without|with no) duplicates]",
        ("[everything|items|elements] [is|are] (only in one of|in exactly one of|in either but not both of|in one but not both "
        "of:EITHER) {t:x} and {t:y}"),
        "symmetric (difference:EITHER) (of|between) {t:x} and {t:y}",
    ), _combined, "things"),
    Shape((
        "{t:x} [number|value|entry|price|score] (of|for) {any:v}",
        "[number|value|entry|price|score] (of|for) {any:v} (in|from) {t:x}",
        "look up {any:v} in {t:x}",
    ), _looked_up, "things"),
    Shape((
        "(merge|combine|join|unite|update) {t:x} (and|with) {t:y} [(in|into|to) [one|single|new] [dict|dictionary]]",
    ), _merged, "things"),
    Shape((
        f"(average|mean|sum|total|highest|maximum|best|lowest|minimum|number:HOW) [of|for] {_EVERY} [{{w:w}}] [of|in|from] {{t:x}}",
        "(average|mean|sum|total|highest|lowest:HOW) [{w:v}] (per|of per|for per|of each|for each|of every) [{w:w}] (in|of|from) {t:x}",
    ), _mean_of_each, "things"),
    Shape((
        f"{_COST} {_ALL} {_ALL} [of|in|for] {{t:t}} {_ALL} [cost|{{c:w}}|worth] [in total|altogether] [i.e|is] {{c:a}} {_TIMES} {{c:b}}",
        f"{_COST} {_ALL} {_ALL} [of|in|for] {{t:t}} [as|=|is] {{c:a}} {_TIMES} {{c:b}}",
        "(sum|total) of {c:a} (times|x|*|multiplied by) {c:b} [(in|of|for|over) {t:t}]",
    ), _product, "rows"),
)  # fmt: skip
"""What is asked of them."""
