"""Elements of a list or dictionary: which place, how often, joined, replaced, in another list too; two lists as a table. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind, of_numbers, size
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Variable

_PLACES = {"first": "0", "second": "1", "third": "2", "fourth": "3", "fifth": "4", "last": "-1", "second last": "-2"}


def _list(said: Said, group: str = "x", *kinds: str) -> Variable:
    found = said.variable(group)
    if kind(found) not in (kinds or ("numbers", "texts", "list")):
        raise UnknownError
    return found


def _value(said: Said, of: Variable, group: str) -> str:
    """A value that is named, as source: a number in a list of numbers, else a text."""
    word = said.word(group)
    if said.found[group].startswith("⟨n"):
        return word if kind(of) == "numbers" else quoted(word)
    if kind(of) == "numbers":
        raise UnknownError
    return quoted(word)


def _at(said: Said) -> str:
    return f"{_list(said).name}[{_PLACES[said.found['place'].strip().lower()]}]"


def _some(said: Said) -> str:
    name, end = _list(said).name, said.found["end"].strip().lower()
    number = said.number("many")
    return f"{name}[:{number}]" if end == "first" else f"{name}[-{number}:]"


def _every(said: Said) -> str:
    step = {"second": "2", "third": "3", "other": "2"}[said.found["step"].strip().lower()]
    return f"{_list(said).name}[::{step}]"


def _joined(said: Said) -> str:
    sign = {
        "comma": ", ",
        "commas": ", ",
        "space": " ",
        "spaces": " ",
        "semicolon": "; ",
        "semicolons": "; ",
        "dash": "-",
        "dashes": "-",
    }
    between = sign.get(said.found["sign"].strip().lower(), ", ")
    return f"{quoted(between)}.join({_list(said, 'x', 'texts').name})"


def _is_in(said: Said) -> str:
    of = _list(said, "x", "numbers", "texts", "dict")
    return f"{_value(said, of, 'v')} in {of.name}"


def _index(said: Said) -> str:
    of = _list(said, "x", "numbers", "texts")
    return f"{of.name}.index({_value(said, of, 'v')})"


def _times(said: Said) -> str:
    of = _list(said, "x", "numbers", "texts", "str")
    value = _value(said, of, "v")
    if kind(of) != "str":
        return f"{of.name}.count({value})"
    return f're.findall(r"[\\w\']+", {of.name}.lower()).count({value.lower()})'


def _replaced(said: Said) -> str:
    of = _list(said, "x", "texts", "numbers", "str")
    old, new = _value(said, of, "v"), _value(said, of, "w")
    if kind(of) == "str":
        return f"{of.name}.replace({old}, {new})"
    return f"[{new} if one == {old} else one for one in {of.name}]"


def _reckoned(said: Said) -> str:
    of = _list(said, "x", "numbers")
    how = said.found["how"].strip().lower()
    sign = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}[how]
    return f"[one {sign} {said.word('n')} for one in {of.name}]"


def _initials(said: Said) -> str:
    place = "0" if said.found["end"].strip().lower() == "first" else "-1"
    return f"[one[{place}] for one in {_list(said, 'x', 'texts').name}]"


def _extreme(said: Said) -> str:
    how = "max" if said.found["how"].strip().lower() == "longest" else "min"
    return f"{how}({_list(said, 'x', 'texts').name}, key=len)"


def _dearest(said: Said) -> str:
    of = said.variable("x")
    if not of_numbers(of):
        raise UnknownError
    least = said.found["how"].strip().lower() == "cheapest"
    return f"{'min' if least else 'max'}({of.name}.items(), key=lambda item: item[1])"


def _common(said: Said) -> str:
    first, second = _list(said, "x", "numbers", "texts", "dict"), _list(said, "y", "numbers", "texts", "dict")
    if first == second or (said.has("w") and said.word("w") not in (first.name, second.name)):
        raise UnknownError
    return f"[one for one in {first.name} if one in {second.name}]"


def _only_first(said: Said) -> str:
    first, second = _list(said, "x", "numbers", "texts"), _list(said, "y", "numbers", "texts", "dict")
    if first == second:
        raise UnknownError
    return f"[one for one in {first.name} if one not in {second.name}]"


def _summed(said: Said) -> str:
    found = _list(said, "x", "list")
    if "NoneType" not in found.details or "str" in found.details:
        raise UnknownError
    how = said.how()
    return f"{'statistics.mean' if how == 'mean' else how}(one for one in {found.name} if one is not None)"


def _tabled(said: Said) -> str:
    first, second = _list(said, "x", "texts", "numbers", "list"), _list(said, "y", "texts", "numbers", "list")
    if first == second or (size(first) and size(second) and size(first) != size(second)):
        raise UnknownError
    name = said.free("table")
    pairs = f"{quoted(first.name)}: {first.name}, {quoted(second.name)}: {second.name}"
    return f"{name} = pd.DataFrame({{{pairs}}})\n{name}"


def _counted_alike(said: Said) -> str:
    return f"Counter(one.strip().lower() for one in {_list(said, 'x', 'texts').name}).most_common()"


_SIGNS = {
    "vowel": "[aeiou]",
    "digit": r"\d",
    "space": r"\s",
    "capital letter": "[A-Z]",
    "letter": r"[^\W\d_]",
    "number": r"\d+",
}


def _letters(said: Said) -> str:
    of, what = _list(said, "x", "str"), said.found["what"].strip().lower().removesuffix("s")
    low = ".lower()" if what == "vowel" else ""
    return f'len(re.findall(r"{_SIGNS[what]}", {of.name}{low}))'


def _range(said: Said) -> str:
    name = _list(said, "x", "numbers").name
    return f"max({name}) - min({name})"


def _shuffled(said: Said) -> str:
    name, made = _list(said).name, said.free("shuffled")
    return f"import random\n\n{made} = random.sample({name}, len({name}))\n{made}"


def _sampled(said: Said) -> str:
    return f"import random\n\nrandom.sample({_list(said).name}, {said.number('n')})"


def _sorted_by(said: Said) -> str:
    """One list in the order of another one of as many numbers."""
    names, numbers = _list(said, "x", "texts"), _list(said, "y", "numbers")
    if not size(names) or size(names) != size(numbers):
        raise UnknownError
    falls = ", reverse=True" if said.has("falls") else ""
    return f"[name for _, name in sorted(zip({numbers.name}, {names.name}){falls})]"


_ALL = "[all|per|every|each] [names|elements|items|words|strings|numbers|values|entries]"
_OF = "(of|in|from)"

SHAPES = (
    Shape((
        f"(first|second|third|fourth|fifth|last|second last:PLACE) (element|item|entry|value|word|name|number|one) {_OF} {{t:x}}",
    ), _at, "things"),
    Shape((
        "(first|last:END) (two|three|four|five|⟨n0⟩|⟨n1⟩|⟨n2⟩:MANY) [elements|items|entries|values|words|names|numbers] [of|in|from] {t:x}",
    ), _some, "things"),
    Shape(("(every|each|per) (second|third|other:STEP) [element|item|entry|value|one] [of|in|from] {t:x}",), _every, "things"),
    Shape((
        ("(join|concatenate|combine) {t:x} (with|by|using|separated by) (commas|comma|spaces|space|semicolons|semicolon|dashes|dash:SIGN) "
        "[between] [(in|into|to) (one string|string|one text|text)]"),
        "{t:x} as (one string|string|one text|text) (separated by|with) (commas|comma|spaces|space|semicolons|semicolon:SIGN)",
    ), _joined, "things"),
    Shape((
        "(is|does) {any:v} [contained|included|appear|occur] (in|part of) {t:x}",
        "(check|test) (if|whether) {any:v} is in {t:x}",
        "(does|do) {t:x} (contain|include|have) {any:v}",
    ), _is_in, "things"),
    Shape(("(index|position|place) of {any:v} in {t:x}", "(where|at which position|at what index) is {any:v} in {t:x}"), _index, "things"),
    Shape((
        "number of [times] (does|do|is) {any:v} (appear|appears|occur|occurs|come up|there|used|contained) in {t:x}",
        "number of times {any:v} (appears|occurs|comes up|is used|is) in {t:x}",
        "count [number of] (occurrences of|times of) [word] {any:v} in {t:x}",
        "number of [times] (does|do) word {any:v} (appear|occur|come up) in {t:x}",
    ), _times, "things"),
    Shape((
        "(replace|change|swap) [all|every|per] [word] {any:v} (with|by|to|into|for) {any:w} in {t:x}",
        "in {t:x} (replace|change) {any:v} (with|by|to|into) {any:w}",
    ), _replaced, "things"),
    Shape((
        f"(add|subtract:HOW) {{n:n}} (to|from) {_ALL} [of|in] {{t:x}}",
        f"(multiply|divide:HOW) {_ALL} [of|in] {{t:x}} (by|with) {{n:n}}",
    ), _reckoned, "things"),
    Shape(("(first|last:END) (letter|letters|character|characters) of [per|each|every|all] [word in|name in] {t:x}",), _initials, "things"),
    Shape((
        "(longest|shortest:HOW) [word|name|string|text|element|entry] [of|in|from|among] {t:x} [name|word]",
        "(longest|shortest:HOW) {t:x} [name|word]",
    ), _extreme, "things"),
    Shape((
        "[which|what is] [is] (cheapest|most expensive|dearest:HOW) [one|thing|item|product|{w:w}] [of|in|from|according to] {t:x}",
    ), _dearest, "things"),
    Shape((
        "[{t:w}] [that are|which are|what is|elements|values|items|names] (in both|common to|shared by|both in) {t:x} and [in] {t:y}",
        "(common|shared) (elements|values|items|names) (of|in|between) {t:x} and {t:y}",
    ), _common, "things"),
    Shape((
        "[which] {t:x} (that are|are|which are|is) (not in|missing in|missing from|not part of) {t:y}",
        "(elements|values|items|names) (of|in) {t:x} [that are|which are] (not in|missing in|missing from|but not in) {t:y}",
        "[which] {t:x} (have no|has no|with no|without|that have no) [own] {t:y}",
    ), _only_first, "things"),
    Shape((
        ("(total|sum|mean|average|max|maximum|min|minimum:HOW) [of|in] {t:x} (ignoring|without|skipping|leaving out|excluding|but not) "
        "(none|nones|none values|missing|missing values|empty values)"),
    ), _summed, "things"),
    Shape((
        "(number of|count) [all] (vowels|vowel|digits|spaces|capital letters|letters|numbers:WHAT) [are] (in|of) {t:x}",
    ), _letters, "things"),
    Shape((
        "difference between (max and min|min and max|maximum and minimum|largest and smallest|highest and lowest) of {t:x}",
        "range of {t:x}",
    ), _range, "things"),
    Shape(("shuffle {t:x} [randomly]", "{t:x} in random order"), _shuffled, "things"),
    Shape((
        "[pick|choose|draw] [random sample of] {num:n} random {t:x}",
        "random sample of {num:n} [of|from|elements of] {t:x}",
    ), _sampled, "things"),
    Shape((
        "sort {t:x} by [their] {t:y} [(descending|largest first|highest first|biggest first:FALLS)]",
    ), _sorted_by, "things"),
    Shape((
        "[make|build|create] (table|dataframe|data frame|df) (from|of|with|out of) {t:x} (and|with) {t:y} [as columns]",
        "(put|combine|turn|make) {t:x} and {t:y} [together] (in|into|to|as) (table|dataframe|data frame|df)",
    ), _tabled, "things"),
    Shape((
        ("[count] (number of|how often|frequency of) [times] [does] (per|each|every) {t:x} (occurs|occur|appears|appear|comes up|is used) "
        "(ignoring|ignore|regardless of|not care about) (case|upper and lower case|capitals|case and spaces)"),
        ("count [number of] [times] (per|each|every) {t:x} (occurs|appears|comes up|is used) (ignoring|ignore|regardless of) "
        "(case|upper and lower case|capitals|case and spaces)"),
    ), _counted_alike, "things"),
)  # fmt: skip
"""What is asked of elements."""
