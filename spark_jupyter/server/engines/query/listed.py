"""What is asked of lists, dictionaries and texts: "valid emails", "split menu at the commas", "mean of every pupil". Pure.

Each rule is a pattern and a function of its match, as in ``arrays.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import VALUE, N
from spark_jupyter.server.engines.query.naming import flat, kind, size
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Variable
    from spark_jupyter.server.engines.query.arrays import Maker
    from spark_jupyter.server.engines.query.naming import Named

X, Y = r"(?P<x>⟨t\d+⟩)", r"(?P<y>⟨t\d+⟩)"
_THE = (
    r"(?:\b(?:the|a|an|of|for|in|from|all|every|each|only|just|keep|get|show|give|me|list|what|which|are|i"
    r"s|those|with|do|does|i|have|we|my)\s+)*"
)
_MARKS = {"comma": ",", "commas": ",", "semicolon": ";", "semicolons": ";", "space": " ", "spaces": " ", "dash": "-", "dashes": "-",
          "colon": ":", "colons": ":", "slash": "/", "slashes": "/", "dot": ".", "dots": ".", "tab": "\t", "tabs": "\t"}  # fmt: skip
_UNITS = {
    "fahrenheit": ("{v} * 9 / 5 + 32", "degrees Celsius"), "celsius": ("({v} - 32) * 5 / 9", "degrees Fahrenheit"),
    "kelvin": ("{v} + 273.15", "degrees Celsius"), "cm": ("{v} * 100", "metres"), "mm": ("{v} * 1000", "metres"),
    "km": ("{v} / 1000", "metres"), "miles": ("{v} / 1.609344", "kilometres"), "feet": ("{v} / 0.3048", "metres"),
    "inches": ("{v} / 2.54", "centimetres"), "hours": ("{v} / 60", "minutes"), "minutes": ("{v} / 60", "seconds"),
    "grams": ("{v} * 1000", "kilograms"), "kg": ("{v} / 1000", "grams"), "pounds": ("{v} / 0.45359237", "kilograms"),
}  # fmt: skip
"""A unit, the formula that leads to it and the unit that is taken for what the values are in."""


def _over(one: Variable, formula: str) -> str:
    return formula.format(v=one.name) if kind(one) == "array" else f"[{formula.format(v='x')} for x in {one.name}]"


def _in_unit(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) not in ("numbers", "array"):
        return None
    formula, unit = _UNITS[found["unit"].lower()]
    new = f"{one.name}_{found['unit'].lower()}"
    return f"{new} = {_over(one, formula)}  # taken to be in {unit}\n{new}"


def _valid(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) != "texts" or "mail" not in one.name.lower():
        return None
    return f'[x for x in {one.name} if re.fullmatch(r"[^@\\s]+@[^@\\s]+\\.[^@\\s]+", x)]'


def _domains(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) != "texts":
        return None
    return f'Counter(x.split("@")[1] for x in {one.name} if "@" in x)'


def _numbers_in(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) == "str":
        return f'[float(number) for number in re.findall(r"-?\\d+(?:\\.\\d+)?", {one.name})]'
    if kind(one) != "texts":
        return None
    return (
        f'[float(number[0]) if "." in number[0] else int(number[0]) for x in {one.name} if (number := re.searc'
        f'h(r"\\d+(?:\\.\\d+)?", x))]'
    )


def _split(found: re.Match[str], named: Named) -> str | None:
    one, said = named.of(found), found["what"].lower()
    if kind(one) != "str":
        return None
    if said.startswith("sentence"):
        return f'[sentence for sentence in re.split(r"(?<=[.!?])\\s+", {one.name}.strip()) if sentence]'
    if said.startswith("word"):
        return f're.findall(r"\\w+", {one.name})'
    if said.startswith("line"):
        return f"{one.name}.splitlines()"
    return f"list({one.name})"


def _split_at(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    at = _MARKS.get(found["at"].lower().strip()) or named.marked.value(found["at"])
    if kind(one) != "str" or not at:
        return None
    cut = f"{one.name}.split({quoted(at)})"
    return f"[part.strip() for part in {cut}]" if found["strip"] else cut


def _how_often(found: re.Match[str], named: Named) -> str | None:
    one, word = named.of(found), named.marked.value(found["w"])
    if re.fullmatch(
        r"(?:words?|lines?|letters?|characters?|sentences?|items?|elements?|values?|numbers?)", word.lower()
    ):
        return None
    if kind(one) == "str":
        letter = len(word) == 1 and "letter" in found[0].lower()
        return (
            f"{one.name}.lower().count({quoted(word.lower())})"
            if letter
            else f'len(re.findall(r"\\b{re.escape(word)}\\b", {one.name}, re.IGNORECASE))'
        )
    if kind(one) in ("texts", "list"):
        return f"{one.name}.count({quoted(word)})"
    return f"{one.name}.count({word})" if kind(one) == "numbers" else None


def _letters(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) != "str":
        return None
    source = f"{one.name}.lower()" if found["case"] else one.name
    if "word" in found[0].lower():
        if not re.search(r"\b(?:each|every|often|frequenc)", found[0], re.IGNORECASE):
            return None
        return f'Counter(re.findall(r"\\w+", {one.name}.lower()))'
    return f"Counter(letter for letter in {source} if letter.isalpha())"


def _frequent(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    several = re.search(r"\b(?:words|values|items|elements|numbers|entries|ones)\b", found[0], re.IGNORECASE)
    count = named.value(found, "n") if found["n"] else "10" if several else "1"
    if kind(one) == "str":
        return f'Counter(re.findall(r"\\w+", {one.name}.lower())).most_common({count})'
    return f"Counter({one.name}).most_common({count})" if kind(one) in ("texts", "numbers", "list") else None


def _sorted_alike(found: re.Match[str], named: Named) -> str | None:
    """ "sort names ignoring case and remove the duplicates": of those spelt alike but for the case the first one stays, as it is spelt."""
    one = named.of(found)
    if kind(one) != "texts":
        return None
    single = re.search(r"duplicat|unique|distinct", found.string, re.IGNORECASE)
    loud = named.marked.ignores_case
    falls = ", reverse=True" if re.search(r"\bdesc|reverse|z\s*(?:-|to)\s*a\b", found.string, re.IGNORECASE) else ""
    source = f"dict.fromkeys({one.name})" if single else one.name
    return f"sorted({source}, key=str.lower{falls})" if loud else f"sorted({source}{falls})"


def _unique_sorted(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    return f"sorted(set({one.name}))" if kind(one) in ("texts", "numbers") else None


def _in_both(found: re.Match[str], named: Named) -> str | None:
    a, b = named.of(found), named.of(found, "y")
    if "dict" in (kind(a), kind(b)) or "" in (kind(a), kind(b)):
        return None
    test = "not in" if re.search(r"\bnot\b|\bmissing\b", found[0], re.IGNORECASE) else "in"
    return f"[x for x in {a.name} if x {test} {b.name}]"


def _zipped(found: re.Match[str], named: Named) -> str | None:
    a, b = named.of(found), named.of(found, "y")
    return f"dict(zip({a.name}, {b.name}, strict=True))" if {kind(a), kind(b)} <= {"texts", "numbers", "list"} else None


def _companion(found: re.Match[str], named: Named) -> str | None:
    """ "which day was the warmest" of the lists ``days`` and ``temps``: two of the same length."""
    stem = words.stem(found["k"].lower())
    labels = [one for one in named.variables.values() if kind(one) == "texts" and words.stem(one.name.lower()) == stem]
    if len(labels) != 1:
        return None
    same = [one for one in named.variables.values() if kind(one) == "numbers" and size(one) == size(labels[0])]
    way = found["way"].lower()
    hinted = lexicon.hinted(way, [one.name for one in same])
    chosen = [one for one in same if one.name == hinted] or same
    if len(chosen) != 1 or (hinted is None and not re.fullmatch(f"{lexicon.MANY}|{lexicon.FEW}", way)):
        return None
    least = re.fullmatch(lexicon.FEW, way) or re.match(r"cold|cheap|young|low|small|short|light|slow", way)
    return f"{labels[0].name}[{chosen[0].name}.index({'min' if least else 'max'}({chosen[0].name}))]"


def _drawn_by(found: re.Match[str], named: Named) -> str | None:
    a, b = named.of(found), named.of(found, "y")
    lists = {"numbers", "texts", "array"}
    if kind(a) not in lists or kind(b) not in lists or (kind(a) == "array" and not flat(a)):
        return None
    along, up = (a, b) if kind(a) == "texts" else (b, a)
    said = found[0].lower()
    more = ', marker="o"' if "marker" in said or "dots" in said else ""
    call = (
        f"plt.bar({along.name}, {up.name})"
        if re.search(r"\bbars?\b", said)
        else f"plt.plot({along.name}, {up.name}{more})"
    )
    return f"{call}\nplt.xlabel({quoted(along.name)})\nplt.ylabel({quoted(up.name)})\nplt.show()"


def _cased(found: re.Match[str], named: Named) -> str | None:
    one, how = named.of(found), re.sub(r"\W|case", "", found["how"].lower())
    if kind(one) == "texts":
        return f"[x.{how}() for x in {one.name}]"
    return f"{one.name}.{how}()" if kind(one) == "str" else None


def _long_words(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    more = ">" if re.match("longer|more|over", found["op"].lower()) else "<"
    if kind(one) != "str":
        return None
    return f'[word for word in re.findall(r"\\w+", {one.name}) if len(word) {more} {named.value(found, "n")}]'


def _joined(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    at = _MARKS.get(found["at"].lower().strip()) or named.marked.value(found["at"])
    between = f"{at} " if at in (",", ";") else at
    if kind(one) == "numbers":
        return f"{quoted(between)}.join(map(str, {one.name}))"
    return f"{quoted(between)}.join({one.name})" if kind(one) == "texts" else None


def _reckoned(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    sign, number = {"multiply": "*", "divide": "/"}[found["do"].lower()], named.value(found, "n")
    if kind(one) == "array":
        return f"{one.name} {sign} {number}"
    return f"[x {sign} {number} for x in {one.name}]" if kind(one) == "numbers" else None


def _parity(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    left = 0 if found["which"].lower() == "even" else 1
    if kind(one) == "array":
        return f"{one.name}[{one.name} % 2 == {left}]"
    return f"[x for x in {one.name} if x % 2 == {left}]" if kind(one) == "numbers" else None


def _histogram(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) not in ("numbers", "array"):
        return None
    values = f"{one.name}.ravel()" if kind(one) == "array" and not flat(one) else one.name
    return f"plt.hist({values})\nplt.xlabel({quoted(one.name)})\nplt.show()"


_ALIKE = r"(?:ignor\w+\s+(?:the\s+)?case|case[- ]?insensitive(?:ly)?|regardless\s+of\s+case|alphabetically|descending|in\s+reverse)"
_ONCE = r"(?:(?:remove|drop|delete|without|no)\s+(?:the\s+|any\s+|all\s+)?duplicates?|unique(?:\s+only)?)"
RULES: tuple[tuple[str, Maker], ...] = (
    (rf"\bsort\s+(?:the\s+)?{X}(?:[\s,]*(?:and|but|then)?\s*(?:{_ALIKE}|{_ONCE}))+", _sorted_alike),
    ((rf"\b(?:remove|drop|delete)\s+(?:the\s+)?duplicates?\s+(?:from|in|of)\s+{X}\s+"
            rf"(?:and\s+)?(?:then\s+)?sort(?:\s+(?:it|them))?(?:[\s,]*{_ALIKE})?"), _sorted_alike),
    ((rf"(?:\b(?:make|turn|convert|put|all|the|of)\s+)*{X}\s+(?:(?:in|to|into|all)\s+)*(?P<how>upper\s?case|l"
            rf"ower\s?case|title\s?case)"), _cased),
    (
        (rf"{_THE}words\s+(?:in|of|from)\s+{X}\s+(?:(?:that|which|are|have|with)\s+)*(?P<op>longer\s+than|more\s"
            rf"+than|over|shorter\s+than|fewer\s+than|less\s+than)\s+"
        rf"(?P<n>{N})(?:\s+(?:letters|characters))?"),
        _long_words,
    ),
    (rf"\bjoin\s+(?:the\s+)?{X}\s+(?:with|by|using)\s+(?:an?\s+)?(?P<at>{'|'.join(_MARKS)}|⟨q\d+⟩)(?:\s+(?:in\s+)?between)?", _joined),
    (rf"\b(?P<do>multiply|divide)\s+(?:all\s+|every\s+|each\s+|the\s+|values?\s+|of\s+|in\s+)*{X}\s+by\s+(?P<n>{N})", _reckoned),
    (rf"{_THE}(?P<which>even|odd)\s+(?:numbers|values|ones)\s+(?:of|in|from)\s+{X}", _parity),
    (rf"\b(?:plot|draw|show)\s+(?:the\s+)?{X}\s+as\s+(?:an?\s+)?histogram", _histogram),
    (rf"{_THE}{X}\s+(?:in|to|as)\s+(?:degrees\s+)?(?P<unit>{'|'.join(_UNITS)})\b", _in_unit),
    (
        (rf"(?:\b(?:plot|draw|graph|chart|line|bar|plot\s+of|of|a|the)\s+)+{X}\s+(?:over|against|by|vs\.?|versus"
            rf"|per|for|and)\s+(?:the\s+)?{Y}"
        r"(?:\s+(?:as|with|in)\s+(?:an?\s+)?(?:line|bars?|bar\s+chart|line\s+chart|markers?|dots|line\s+with\s+markers?))*"),
        _drawn_by,
    ),
    (rf"{_THE}\bvalid\s+{X}", _valid),
    (rf"{_THE}\b(?:valid|correct)\s+(?:ones|addresses|entries|values)\s+(?:of|in|from)\s+{X}", _valid),
    (rf"{_THE}\b(?:number\s+of|count)\s+(?:the\s+)?{X}\s+(?:per|by)\s+domain", _domains),
    (rf"{_THE}\b(?:number\s+of|count)\s+(?:the\s+)?domains?\s+(?:of|in|from)\s+{X}", _domains),
    ((rf"(?:\b(?:a|regex|that|which|to|gets?|finds?|extracts?)\s+)*{_THE}(?:numbers?|digits|amounts?)\s+(?:ou"
            rf"t\s+of|from|in|of)\s+{_THE}{X}"), _numbers_in),
    ((rf"\b(?:split|cut|divide|break)\s+(?:the\s+)?{X}\s+(?:in\s*to|in|to|by)\s+(?:its\s+|the\s+|single\s+)?("
            rf"?P<what>sentences|words|lines|letters|characters)"), _split),
    (
        (rf"\b(?:split|cut|divide|break)\s+(?:the\s+)?{X}\s+(?:at|by|on|along)\s+(?:the\s+|every\s+|each\s+)?(?P"
            rf"<at>{'|'.join(_MARKS)}|⟨q\d+⟩)"
        r"(?P<strip>\s*,?\s*(?:and|then)\s+(?:strip|trim|remove)(?:\s+(?:the|all|surrounding|white\s?spaces?|s"
            r"paces|whitespace|them|around|from|it|each|every|part|parts))*)?"),
        _split_at,
    ),
    (
        (rf"\b(?:number\s+of|count)\s+(?:times\s+)?(?:does\s+|do\s+|is\s+)?(?:how\s+often\s+)?(?:the\s+)?(?:word"
            rf"\s+|letter\s+|value\s+|number\s+)?(?P<w>{VALUE})\s+"
        rf"(?:(?:appears?|occurs?|comes?|is|are|there|found|used|up)\s+)*(?:in|of)\s+(?:the\s+)?{X}"),
        _how_often,
    ),
    (
        (rf"\b(?:number\s+of|count|frequency\s+of|frequencies\s+of)\s+(?:times\s+)?(?:(?:does|do|is|each|every|t"
            rf"he|all|different|per)\s+)*(?:letters?|characters?|words?)\s*"
        rf"(?:(?:appears?|occurs?|comes?|is|are|there|up)\s+)*(?:in|of)\s+(?:the\s+)?{X}(?P<case>[\s,]*(?:and\s"
            rf"+)?ignor\w+\s+(?:the\s+)?case)?"),
        _letters,
    ),
    (
        (rf"{_THE}(?P<n>{N})?\s*most\s+(?:common|frequent|used)\s+(?:words?|values?|items?|elements?|numbers?|en"
            rf"tries|entry|ones?)\s+(?:of|in|from)\s+{X}"),
        _frequent,
    ),
    (
        rf"{_THE}{X}\s+without\s+(?:the\s+)?duplicates[\s,]*(?:and\s+)?(?:sorted|in\s+order)?(?:\s+alphabetically)?",
        _unique_sorted,
    ),
    (rf"{_THE}\b(?:unique|distinct)\s+{X}[\s,]*(?:and\s+)?sorted(?:\s+alphabetically)?", _unique_sorted),
    (
        (rf"{_THE}(?:elements?|items?|values?|entries|words?|names?|ones)?\s*(?:of\s+)?(?:that\s+are\s+|which\s+are\s+)?(?:in\s+)?{X}\s+"
        rf"(?:(?:that|which|but|and|are|also)\s+)*(?:not|missing)\s+(?:in|from)\s+{Y}"),
        _in_both,
    ),
    ((rf"{_THE}(?:common\s+)?(?:elements?|items?|values?|entries|words?|names?)\s+(?:that\s+are\s+)?(?:in\s+)"
            rf"?(?:of\s+)?both\s+{X}\s+and\s+{Y}"), _in_both),
    (rf"{_THE}common\s+(?:elements?|items?|values?|entries|words?|names?)\s+(?:of|in|between)\s+{X}\s+and\s+{Y}", _in_both),
    (
        (rf"(?:\b(?:make|build|create|a|an|combine|zip|turn|get)\s+)*(?:dict|dictionary)\s+(?:from|of|out\s+of|w"
            rf"ith)\s+(?:the\s+)?{X}\s+(?:and|to|as\s+keys\s+and)\s+(?:the\s+)?{Y}(?:\s+as\s+values)?"),
        _zipped,
    ),
    (
        (rf"\b(?:combine|zip|turn|make|join)\s+(?:the\s+)?{X}\s+(?:and|with)\s+(?:the\s+)?{Y}\s+(?:in\s*to|to|as"
            rf")\s+(?:a\s+)?(?:dict|dictionary)"),
        _zipped,
    ),
)  # fmt: skip
COMPANIONS = (
    rf"\b(?:which|what|on\s+which)\s+(?P<k>[a-z]+)\s+(?:(?:was|is|were|has|had|are|with|have|it)\s+)*(?:the"
    rf"\s+)?(?P<way>\w+est|{lexicon.MANY}|{lexicon.FEW})(?:\s+(?:value|number))?"
)
"""A question that names only one of two lists, and that in the singular."""
companion = _companion
