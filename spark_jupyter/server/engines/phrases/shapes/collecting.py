"""Lists of which something is made: squares of the even ones, the three largest, joined; dates in lists; letters left out. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind, of_numbers
from spark_jupyter.server.engines.rewrite import quoted
from spark_jupyter.server.engines.words import digits

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Variable

_NUMBERS = {"square": "one**2", "cube": "one**3", "double": "2 * one", "half": "one / 2", "square root": "one**0.5"}
_TEXTS = {"length": "len(one)", "first letter": "one[0]", "last letter": "one[-1]", "initial": "one[0]"}
_WHICH = {"even": "one % 2 == 0", "odd": "one % 2 == 1", "positive": "one > 0", "negative": "one < 0"}
_BETWEEN = {"comma": ", ", "space": " ", "semicolon": "; ", "dash": "-", "hyphen": "-"}
_LEFT_OUT = {
    "vowel": "(?i)[aeiou]",
    "space": r"\s",
    "whitespace": r"\s",
    "punctuation": r"[^\w\s]",
    "digit": r"\d",
    "number": r"\d",
}


def _of_kind(said: Said, *kinds: str) -> Variable:
    found = said.variable("x")
    if kind(found) not in kinds:
        raise UnknownError
    return found


def _mapped(said: Said) -> str:
    """Something of each element, maybe only of some."""
    how = re.sub(r"s$", "", said.found["how"].strip().lower().replace("halves", "half"))
    own = _of_kind(said, "numbers" if how in _NUMBERS else "texts")
    if said.has("w") and said.word("w") != own.name:
        raise UnknownError
    which = said.found["which"].strip().lower()
    if which and kind(own) != "numbers":
        raise UnknownError
    test = f" if {_WHICH[which]}" if which else ""
    return f"[{(_NUMBERS | _TEXTS)[how]} for one in {own.name}{test}]"


def _first(said: Said) -> str:
    """The largest, or smallest, numbers."""
    falls = said.found["end"].strip().lower() in (
        "",
        "largest",
        "biggest",
        "highest",
        "heaviest",
        "greatest",
        "top",
        "best",
    )
    own, number = (
        said.variable("x"),
        digits(said.found["n"].strip()) if said.found["n"].strip().isalpha() else said.number("n"),
    )
    if not number.isdigit():
        raise UnknownError
    more = ", reverse=True" if falls else ""
    if of_numbers(own):
        return f"sorted({own.name}.items(), key=lambda item: item[1]{more})[:{number}]"
    return f"sorted({_of_kind(said, 'numbers').name}{more})[:{number}]"


def _appended(said: Said) -> str:
    name = _of_kind(said, "texts").name
    return f"{name}.append({quoted(said.word('v'))})\n{name}"


def _rounded(said: Said) -> str:
    own, number = said.variable("x"), f", {said.number('n')}" if said.has("n") else ""
    if of_numbers(own):
        return f"{{key: round(value{number}) for key, value in {own.name}.items()}}"
    return f"[round(one{number}) for one in {_of_kind(said, 'numbers').name}]"


def _both_printed(said: Said) -> str:
    """Keys and values, by the names that the prompt has for them."""
    first, second = (said.word(one).lower() for one in "ab")
    own = _of_kind(said, "dict").name
    if (
        not (first.isidentifier() and second.isidentifier())
        or first == second
        or {first, second} & said.namespace.names
    ):
        raise UnknownError
    return f"for {first}, {second} in {own}.items():\n    print({first}, {second})"


def _counted(said: Said) -> str:
    own = _of_kind(said, "texts", "numbers")
    number = said.found["v"].startswith("⟨n")
    if number != (kind(own) == "numbers"):
        raise UnknownError
    return f"{own.name}.count({said.word('v') if number else quoted(said.word('v'))})"


def _dates(said: Said) -> Variable:
    found = said.variable("x")
    if found.type not in ("list", "tuple") or not re.search(r" of (?:date|datetime|Timestamp)$", found.details):
        raise UnknownError
    return found


def _end_of_dates(said: Said) -> str:
    least = said.found["end"].strip().lower() in ("earliest", "oldest", "first")
    return f"{'min' if least else 'max'}({_dates(said).name})"


def _dates_of(said: Said) -> str:
    name, year = _dates(said).name, said.number("n")
    if not re.fullmatch(r"(?:19|20)\d\d", year):
        raise UnknownError
    taken = f"[one for one in {name} if one.year == {year}]"
    return f"len({taken})" if said.has("count") else taken


def _days_spanned(said: Said) -> str:
    name = _dates(said).name
    return f"(max({name}) - min({name})).days"


def _without(said: Said) -> str:
    own, sign = _of_kind(said, "str", "texts"), _LEFT_OUT[re.sub(r"s$", "", said.found["what"].strip().lower())]
    if kind(own) == "str":
        return f're.sub(r"{sign}", "", {own.name})'
    return f'[re.sub(r"{sign}", "", one) for one in {own.name}]'


def _joined(said: Said) -> str:
    sign = {"comma": ", ", "space": " ", "semicolon": "; ", "dash": "-", "hyphen": "-"}[
        re.sub(r"s$", "", said.found["sign"].strip().lower())
    ]
    return f"{quoted(sign)}.join({_of_kind(said, 'texts').name})"


def _with_lengths(said: Said) -> str:
    return f"{{one: len(one) for one in {_of_kind(said, 'texts').name}}}"


def _beside_mean(said: Said) -> str:
    """The numbers above the average, or the entries of a dictionary whose number is."""
    sign, own = (
        ">" if said.found["way"].strip().lower() in ("above", "over", "greater than", "higher than") else "<",
        said.variable("x"),
    )
    if of_numbers(own):
        said.before.append(f"average = sum({own.name}.values()) / len({own.name})")
        return f"{{key: value for key, value in {own.name}.items() if value {sign} average}}"
    name = _of_kind(said, "numbers").name
    said.before.append(f"average = sum({name}) / len({name})")
    return f"[one for one in {name} if one {sign} average]"


def _tallied(said: Said) -> str:
    return f"Counter({_of_kind(said, 'numbers', 'texts').name}).most_common()"


def _spread(said: Said) -> str:
    own = said.variable("x")
    name = f"{own.name}.values()" if of_numbers(own) else _of_kind(said, "numbers").name
    return f"max({name}) - min({name})" if said.has("between") else f"max({name}), min({name})"


_LIST = "[(list comprehension|comprehension|list)] [that (gives|returns|makes)|with|of|for] [list of]"
_ITEMS = "[numbers|number|words|word|values|value|names|name|elements|element|items|item|strings|string|{t:w}]"
_ALL = "[all|each|every|per] [of]"
_END = "(largest|biggest|highest|heaviest|greatest|top|best|smallest|lowest|lightest|cheapest)"
_SIGN = "(comma|commas|space|spaces|semicolon|semicolons|dash|dashes|hyphen|hyphens:SIGN)"

SHAPES = (
    Shape((
        (f"{_LIST} (squares|square|cubes|cube|doubles|double|halves|half|square roots|square root|lengths|length|first letters|first letter"
         f"|last letters|last letter|initials|initial:HOW) [of] {_ALL} [(even|odd|positive|negative:WHICH)] {_ITEMS} [in|of|from] {{t:x}}"),
    ), _mapped, "things"),
    Shape((f"{{num:n}} ({_END[1:-1]}:END) {_ITEMS} [in|of|from] {{t:x}}", f"top {{num:n}} [({_END[1:-1]}:END)] (in|of|from) {{t:x}}",
           f"({_END[1:-1]}:END) {{num:n}} {_ITEMS} [in|of|from] {{t:x}}"), _first, "things"),
    Shape(("(add|append|insert) {any:v} (to|at end of) {t:x}", "(add|append) {any:v} [to] [end of] {t:x}"), _appended, "things"),
    Shape((f"round {_ALL} {_ITEMS} [in|of] {{t:x}} [to {{n:n}} [decimals|decimal places|digits|places|decimal]]",), _rounded, "things"),
    Shape((
        "(loop|go|iterate) (over|through) {t:x} and print {w:a} and {w:b}",
        "(loop|go|iterate) (over|through) {t:x} and print [each|every|per] {w:a} (with|and) [its|own] {w:b}",
    ), _both_printed, "things"),
    Shape((
        "count [number of|how often] [times] {any:v} (is|appears|occurs|comes up) in {t:x}",
        "count [all|every] {any:v} (in) {t:x}",
        "number of {any:v} (are|is|are there) in {t:x}",
    ), _counted, "things"),
    Shape(("(earliest|latest|oldest|newest|first|last|most recent:END) [date|day|one] (in|of|from) {t:x}",
           "(earliest|latest|oldest|newest:END) {t:x}"), _end_of_dates, "things"),
    Shape(("[which|all|(number of:COUNT)] [of] {t:x} [that|which] (are|is|lie|fall) in {n:n}",
           "[all] {t:x} (in|from|of) {n:n}"), _dates_of, "things"),
    Shape((
        ("[number of] days [are|lie] between (first and [last|latest]|earliest and latest|oldest and newest) [date|day|one|{t:w}] "
         "[of|in] {t:x}"),
        "[number of] days between (first and last|earliest and latest|oldest and newest) {t:x}",
    ), _days_spanned, "things"),
    Shape(("(remove|delete|strip|drop) [all|every] (vowels|spaces|whitespace|punctuation|digits|numbers:WHAT) (from|in|of) {t:x}",
           "{t:x} without [all] (vowels|spaces|whitespace|punctuation|digits:WHAT)"), _without, "things"),
    Shape((
        (f"(join|combine|put|merge|make|turn) [all] {{t:x}} [together] (in|into|to) [one|single] (string|text|line) "
         f"[separated|divided|joined] (by|with) {_SIGN}"),
        f"{{t:x}} as [one] [{_SIGN} [-] separated] (string|text)",
    ), _joined, "things"),
    Shape((
        "[make|create|build] (dict|dictionary) (of|from|with) [each] {t:x} (- >|to|and) [its|their] (length|lengths|number of letters)",
    ), _with_lengths, "things"),
    Shape((
        ("[which|all] [numbers|values|{t:w}] [in|of] {t:x} [that] [are|is] "
         "(above|over|greater than|higher than|below|under|lower than:WAY) average"),
    ), _beside_mean, "things"),
    Shape(("number of [times] (does|do|is|did) (per|each|every) {t:x} (occur|appear|come up|there|used)",), _tallied, "things"),
    Shape((
        ("(difference between:BETWEEN) (highest|largest|biggest|maximum|max) [{w:v}] and "
         "(lowest|smallest|minimum|min) [{w:w}] (in|of) {t:x}"),
        "(highest|largest|biggest|maximum|max) and (lowest|smallest|minimum|min) [{w:w}] (in|of) {t:x}",
    ), _spread, "things"),
)  # fmt: skip
"""What is made of lists."""
