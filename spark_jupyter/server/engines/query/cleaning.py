"""Cleaning of columns: signs off numbers, texts trimmed and cased, gaps filled within groups, yes and no as truth. Pure.

Rules as in ``spans.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import CS, VALUE, C, N, Q
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.making import Makers
    from spark_jupyter.server.engines.query.spans import Maker

_SIGN = (
    r"(?:[$€£%¥]|⟨q\d+⟩|(?:dollar|euro|pound|percent|currency|unit|thousands?)(?:[- ](?:signs?|symbols?|se"
    r"parators?|commas?))?|signs?|symbols?|units?)"
)
_OFF = (
    rf"(?:[\s,]*(?:and\s+|but\s+)?(?:without|strip(?:ping)?|remov(?:e|ing)|drop(?:ping)?)\s+(?:the\s+|any\s"
    rf"+|all\s+)*{_SIGN}(?:\s+(?:signs?|symbols?|first|before|from\s+it))*)?"
    rf"(?:[\s,;(]*\b(?:it|they|which|that|because\s+it|since\s+it|as\s+it)\s+(?:has|have|contains?|got|is\s+with)\s+"
    rf"(?:(?:the|a|an|some|and|,|also)\s*)*{_SIGN}(?:[\s,]*(?:and|or)?\s*(?:{_SIGN}|commas?))*\)?)?"
)
_NUMBER = r"(?:an?\s+|real\s+|proper\s+|plain\s+|actual\s+)*(?:numbers?|numeric|floats?|integers?|ints?|decimals?)"
_DATE = r"(?:an?\s+|real\s+|proper\s+|actual\s+)*(?:dates?(?:\s?times?)?|timestamps?)"
_DO = r"(?:\b(?:please|make|convert|turn|change|parse|cast|need|i|want|read|get|transform|the|column|as|have)\s+)*"
_CASES = (
    r"(?:upper\s?case|lower\s?case|title\s?case|capitali[sz]ed?|capitals|every\s+word\s+capitali[sz]ed|sma"
    r"ll\s+letters|capital\s+letters)"
)
_TRIM = (
    r"\b(?:(?:strip|trim|remove|no|without|drop|delete|clean|cut)\s+)?(?:the\s+|any\s+|all\s+|extra\s+|leadi"
    r"ng\s+|trailing\s+|surrounding\s+|outer\s+|and\s+)*"
    r"(?:white\s?spaces?|spaces|blanks)(?:\s+(?:around|at\s+the\s+ends?|on\s+both\s+sides|from|of|in)(?:\s+(?:it|them|the\s+ends?))?)?"
)
_STEPS = ((r"space|blank|trim|strip", "strip"), (r"upper|capitals\b|capital letters", "upper"), (r"lower|small letters", "lower"),
          (r"title|every\s+word", "title"), (r"capitali[sz]e", "capitalize"))  # fmt: skip


def _as_number(found: re.Match[str], makers: Makers) -> Change | None:
    name = makers.marked.value(found["c"])
    column = makers.columns[name]
    to = "int" if re.search(r"\bint", found[0], re.IGNORECASE) else "float"
    source = f"{{t}}[{quoted(name)}]"
    if column.kind == "number" and not column.holds:
        return makers.column(name, f"{source}.astype({to})")
    return makers.column(name, number_of(source, comma=column.holds == "numbers, decimal comma"), imports=("pd",))


def _as_fraction(found: re.Match[str], makers: Makers) -> Change | None:
    """ "10%" as 0.1."""
    name = makers.marked.value(found["c"])
    if not makers.columns[name].holds.startswith("numbers"):
        return None
    source = number_of(f"{{t}}[{quoted(name)}]", comma=makers.columns[name].holds == "numbers, decimal comma")
    return makers.column(name, f"{source} / 100", imports=("pd",))


def _emptied(found: re.Match[str], makers: Makers) -> Change | None:
    """A text that stands for a missing value becomes one, and the column one of numbers where that is asked."""
    name, column = makers.marked.value(found["c"]), f"{{t}}[{quoted(makers.marked.value(found['c']))}]"
    said = quoted(makers.marked.value(found["v"]))
    if found["number"]:
        return makers.column(name, f"pd.to_numeric({column}.replace({said}, None))", imports=("pd",))
    return makers.column(name, f"{column}.replace({said}, None)")


def _tidied(found: re.Match[str], makers: Makers) -> Change | None:
    """ "clean up the names, some have spaces and different case": without spaces around, spelt alike."""
    name = makers.marked.value(found["c"])
    if makers.columns[name].kind != "text" or makers.columns[name].holds:
        return None
    cased = re.search(r"\bcas(?:e|es|ing)\b|capital", found["why"], re.IGNORECASE)
    calls = '.str.strip().str.replace(r"\\s+", " ", regex=True)' + (".str.title()" if cased else "")
    return makers.column(
        name, f"{{t}}[{quoted(name)}]{calls}", says="All are spelt with capitals now." if cased else ""
    )


def _parts_of_a_name(found: re.Match[str], makers: Makers) -> Change | None:
    name = makers.marked.value(found["c"])
    new = ["first_name", "last_name"]
    if makers.columns[name].kind != "text" or makers.columns[name].holds.startswith(("dates", "numbers")):
        return None
    last_first = makers.columns[name].holds == "names, last first"
    parts = f"{{t}}[{quoted(name)}].str.split({chr(34) + ', *' + chr(34) + ', regex=True, ' if last_first else ''}n=1, expand=True)"
    order = new[::-1] if last_first else new
    return Change(lines=(f"{{t}}[[{', '.join(map(quoted, order))}]] = {parts}",), columns=tuple(new))


def _as_date(found: re.Match[str], makers: Makers) -> Change | None:
    name = makers.marked.value(found["c"])
    return makers.column(name, f"pd.to_datetime({{t}}[{quoted(name)}]{makers.day_first(name)})", imports=("pd",))


def _sign_off(found: re.Match[str], makers: Makers) -> Change | None:
    """ "strip the $": of the column that is named, else of the one that the rest of the prompt is about."""
    names = makers.marked.names(found["c"]) if found["c"] else []
    held = [one.name for one in makers.columns.values() if one.holds.startswith("numbers") or makers.told(one.name)]
    names = names or [one for one in held if one in makers.marked.names(makers.marked.text)] or held
    if len(names) != 1:
        return None
    comma = makers.columns[names[0]].holds == "numbers, decimal comma"
    return makers.column(names[0], number_of(f"{{t}}[{quoted(names[0])}]", comma=comma), imports=("pd",))


def _texts(found: re.Match[str], makers: Makers) -> Change | None:
    name, said = makers.marked.value(found["c"]), found[0].lower()
    if makers.columns[name].kind != "text":
        return None
    calls = [call for word, call in _STEPS if re.search(word, said)]
    calls = [one for one in calls if one != "capitalize" or "title" not in calls]
    return makers.column(name, f"{{t}}[{quoted(name)}]" + "".join(f".str.{one}()" for one in calls)) if calls else None


def _distinct_texts(found: re.Match[str], makers: Makers) -> Change | None:
    name, said = makers.marked.value(found["c"]), found[0].lower()
    calls = [
        *([".str.strip()"] if re.search("space|blank", said) else []),
        *([".str.lower()"] if "case" in said else []),
    ]
    if not calls or makers.columns[name].kind != "text":
        return None
    return Change(lines=(), shows=f"{{t}}[{quoted(name)}]{''.join(calls)}.nunique()", asks=True)


def _fill_within(found: re.Match[str], makers: Makers) -> Change | None:
    name, by = makers.marked.value(found["c"]), makers.marked.value(found["by"])
    how = lexicon.summary(found["how"])
    column = f"{{t}}[{quoted(name)}]"
    return makers.column(name, f'{column}.fillna({{t}}.groupby({quoted(by)})[{quoted(name)}].transform("{how}"))')


def _fill_words(found: re.Match[str], makers: Makers) -> Change | None:
    """What is filled in may be several words."""
    name, said = makers.marked.value(found["c"]), found["text"].strip()
    if makers.columns[name].kind != "text" or "⟨" in said:
        return None
    return makers.column(name, f"{{t}}[{quoted(name)}].fillna({quoted(said)})")


def _filled(found: re.Match[str], makers: Makers) -> Change | None:
    name, said = makers.marked.value(found["c"]), makers.marked.value(found["v"])
    number = re.fullmatch(r"-?\d+(?:\.\d+)?", said) and makers.columns[name].kind == "number"
    how = {"mean": "mean", "average": "mean", "median": "median"}.get(said.lower())
    column = f"{{t}}[{quoted(name)}]"
    return makers.column(name, f"{column}.fillna({f'{column}.{how}()' if how else said if number else quoted(said)})")


def _truth(found: re.Match[str], makers: Makers) -> Change | None:
    name, yes = makers.marked.value(found["c"]), makers.marked.value(found["yes"])
    if makers.columns[name].kind != "text" or found["a"].lower() not in ("true", "1"):
        return None
    return makers.column(name, f"{{t}}[{quoted(name)}] == {quoted(yes)}")


_COUNTED = r"[\s,]*\b(?:and|then)\s+(?:show\s+|the\s+|give\s+)*counts?(?:\s+(?:them|each|rows|it))?$"


def _banded(found: re.Match[str], makers: Makers) -> Change | None:
    """ "bin weight into light, medium and heavy": so many bins of equal width, with these names."""
    name = makers.marked.value(found["c"])
    said = re.sub(_COUNTED, "", found["labels"].strip(), flags=re.IGNORECASE)
    labels = [part.strip() for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+", said) if part.strip()]
    if makers.columns[name].kind != "number" or len(labels) < 2 or any("⟨" in one for one in labels):
        return None
    equal = re.search(
        r"\bequal(?:ly)?\s+(?:sized|many|large|big)|quantile|tercile|quartile", found.string, re.IGNORECASE
    )
    cut = "qcut" if equal else "cut"
    says = "Each has as many rows." if equal else "The bins are equally wide; say where to cut if you want others."
    source = f"pd.{cut}({{t}}[{quoted(name)}], {len(labels)}, labels=[{', '.join(map(quoted, labels))}])"
    made = makers.column(f"{name}_group", source, says=says, imports=("pd",))
    counted = said != found["labels"].strip() or re.search(r"\bhow\s+many\b|\bnumber\s+of\b", found.string)
    return structs.replace(made, shows=f"{{t}}[{quoted(f'{name}_group')}].value_counts()") if counted else made


def _counted_bins(found: re.Match[str], makers: Makers) -> Change | None:
    name, count = makers.marked.value(found["c"]), makers.marked.value(found["n"])
    if makers.columns[name].kind != "number":
        return None
    return makers.column(f"{name}_group", f"pd.cut({{t}}[{quoted(name)}], {count})", imports=("pd",))


def _melted(found: re.Match[str], makers: Makers) -> Change | None:
    names = makers.marked.names(found["c"])
    others = [name for name in makers.columns if name not in names]
    listed = ", ".join(map(quoted, names))
    ids = ", ".join(map(quoted, others))
    return Change(lines=(f"long = {{t}}.melt(id_vars=[{ids}], value_vars=[{listed}])",), shows="long", asks=True)


def _scaled(found: re.Match[str], makers: Makers) -> Change | None:
    """ "speed m/s in km/h", "temp in fahrenheit as temp_f": the unit that a column is in stands in its name."""
    name, unit = makers.marked.value(found["c"]), re.sub(r"\s+", "", makers.marked.value(found["unit"])).lower()
    groups = found.re.groupindex
    told = next(
        (
            one
            for one in _FACTORS
            if re.search(rf"(?<![a-z]){re.escape(one[0])}(?![a-z/])", name.lower()) and one[1] == unit
        ),
        None,
    )
    told = told or next((one for one in _ASSUMED if one[1] == unit), None)
    if told is None or makers.columns[name].kind != "number":
        return None
    new = (found["new"] if "new" in groups and found["new"] else None) or re.sub(r"\W+", "_", f"{name}_{unit}").strip(
        "_"
    ).lower()
    says = "" if told in _FACTORS else f"I took `{name}` to be in {told[0]}."
    return makers.column(new, told[2].format(v=f"{{t}}[{quoted(name)}]"), says=says)


_FACTORS = (
    ("m/s", "km/h", "{v} * 3.6"),
    ("km/h", "m/s", "{v} / 3.6"),
    ("km/h", "mph", "{v} / 1.609344"),
    ("mph", "km/h", "{v} * 1.609344"),
    ("°c", "fahrenheit", "{v} * 9 / 5 + 32"),
    ("°f", "celsius", "({v} - 32) * 5 / 9"),
    ("°c", "kelvin", "{v} + 273.15"),
    ("c", "fahrenheit", "{v} * 9 / 5 + 32"),
    ("kg", "g", "{v} * 1000"),
    ("kg", "grams", "{v} * 1000"),
    ("g", "kg", "{v} / 1000"),
    ("kg", "pounds", "{v} / 0.45359237"),
    ("kg", "tons", "{v} / 1000"),
    ("kg", "tonnes", "{v} / 1000"),
    ("m", "cm", "{v} * 100"),
    ("cm", "m", "{v} / 100"),
    ("km", "miles", "{v} / 1.609344"),
    ("m", "feet", "{v} / 0.3048"),
    ("minutes", "hours", "{v} / 60"),
    ("min", "hours", "{v} / 60"),
    ("seconds", "minutes", "{v} / 60"),
    ("s", "minutes", "{v} / 60"),
    ("hours", "minutes", "{v} * 60"),
    ("ms", "seconds", "{v} / 1000"),
    ("kw", "mw", "{v} / 1000"),
    ("wh", "kwh", "{v} / 1000"),
    ("mg", "g", "{v} / 1000"),
    ("seconds", "hours", "{v} / 3600"),
    ("minutes", "seconds", "{v} * 60"),
)
"""A unit in a column's name, one that is asked for, and the way from the one to the other."""
_ASSUMED = (
    ("degrees Celsius", "fahrenheit", "{v} * 9 / 5 + 32"),
    ("degrees Fahrenheit", "celsius", "({v} - 32) * 5 / 9"),
)


def factor(name: str, unit: str) -> str:
    """What leads from the unit in a column's name to another, such as `` / 60``; empty where that is not known."""
    formula = next(
        (
            way
            for told, to, way in _FACTORS
            if to == unit and re.search(rf"(?<![a-z]){re.escape(told)}(?![a-z/])", name.lower())
        ),
        "",
    )
    return formula.removeprefix("{v}") if formula.count(" ") == 2 else ""


_NEW = r"(?:\s+(?:as|in|into)\s+(?:an?\s+)?(?:new\s+)?columns?(?:\s+(?:called|named))?(?:\s+(?P<new>(?!and\b|with\b)[A-Za-z_]\w*))?)?"
_FILL = r"\b(?:fill|replace|impute|substitute)\s+(?:(?:in|the|all|missing|empty|nan|null|values?|nas?|gaps|of)\s+)*"
_GAPS = r"(?:\s+(?:values?|gaps|entries))?"
_MISSING = r"(?:nans?|nulls?|none|missing(?:\s+values?)?|empty|na|n/a)"
RULES: tuple[tuple[str, Maker], ...] = (
    ((rf"{_DO}(?P<c>{C})\s+(?:column\s+)?(?:(?:in\s*to|to|as|be|is|a|an)\s+)*(?:fractions?|proportions?|decimals?)(?:\s+numbers?)?"
            rf"(?:\s+(?:between|from)\s+{N}\s+(?:and|to)\s+{N})?(?!\s+of\b)"), _as_fraction),
    ((rf"\b(?:replace|change|turn|set)\s+(?:the\s+|all\s+)*(?P<v>{VALUE})\s+(?:in|of|from)\s+(?:the\s+)?(?P<c>{C})\s+(?:with|by|to|into|as)\s+(?:an?\s+)?"
            rf"{_MISSING}(?P<number>[\s,]*(?:and\s+)?(?:then\s+)?(?:make|convert|turn)\s+(?:it|them|the\s+column|{C})\s+(?:(?:in\s*to|to|a)\s+)*"
            rf"(?:numeric|numbers?|floats?|integers?))?"), _emptied),
    ((rf"\b(?:clean|tidy|fix|normali[sz]e|unify)\s*(?:up\s+)?(?:the\s+)?(?P<c>{C})s?\s*[:,;(-]*\s*(?P<why>(?:some|they|many|a\s+few|which|there)\s+"
            rf"(?:of\s+them\s+)?(?:have|has|with|are|contain)\s+(?:(?:leading|trailing|extra|stray|different|mixed|wrong|inconsistent|upper|lower|and|or|,)\s*)*"
            rf"(?:white\s?spaces?|spaces|blanks|cas(?:e|es|ing)|capitals?|capitali[sz]ation)"
            rf"(?:[\s,]*(?:and|or)?\s*(?:(?:different|mixed|wrong|inconsistent|upper|lower|extra)\s+)*(?:white\s?spaces?|spaces|cas(?:e|es|ing)|capitals?|capitali[sz]ation))*)"),
        _tidied),
    ((rf"\b(?:split|separate|divide)\s+(?:the\s+)?(?P<c>{C})\s+(?:column\s+)?(?:in\s*to|in|to)\s+(?:(?:the|a|columns?|separate)\s+)*first(?:\s*(?:{C}|names?))?"
            rf"\s*(?:and|,|&)\s*(?:the\s+)?last(?:\s*(?:{C}|names?))?(?:\s+columns?)?"), _parts_of_a_name),
    (rf"{_DO}(?P<c>{C})\s+(?:(?:in\s*to|to|as|is|a)\s+)+{_NUMBER}{_OFF}", _as_number),
    (rf"\b(?:make|turn|convert|get)\s+(?:the\s+)?(?P<c>{C})\s+{_NUMBER}\b{_OFF}", _as_number),
    ((rf"(?P<c>{C})\s+(?:is|are)\s+(?:text|strings?|objects?)\b[^;⟨]*?\b(?:real|proper|actual|want|need|make|"
            rf"convert|turn)\b[^;⟨]*?\bdates?\b(?:\s+of\s+it)?"), _as_date),
    (rf"{_DO}(?P<c>{C})\s+(?:(?:in\s*to|to|as)\s+)+{_DATE}", _as_date),
    ((rf"\b(?:strip|remove|drop|delete|take\s+off|cut)\s+(?:the\s+|any\s+|all\s+)*{_SIGN}(?:\s+(?:signs?|symb"
            rf"ols?))?(?:\s+(?:from|in|of|off)\s+(?:the\s+)?(?P<c>{C}))?(?:\s+first\b)?"), _sign_off),
    (
        (rf"\b(?:clean|tidy|normali[sz]e|fix)\s*(?:up\s+)?(?:the\s+)?(?P<c>{C})\s*[:,;]?\s*(?:(?:{_TRIM}|"
            rf"{_CASES})(?:[\s,]+(?:and|then|use|in|to|make\s+it|with)\b)*[\s,]*)+"),
        _texts,
    ),
    ((rf"{_TRIM}\s+(?:in|from|of|for|off)\s+(?:the\s+)?(?:column\s+)?(?P<c>{C})(?:[\s,]*(?:and|then)\s+(?:mak"
            rf"e\s+it\s+|use\s+|to\s+|in\s+)*{_CASES})?"), _texts),
    (rf"(?P<c>{C})\s+(?:in|to|all|as)\s+{_CASES}", _texts),
    (
        (rf"\b(?:number\s+of\s+)(?:(?:different|distinct|unique|are|there|the)\s+)*(?P<c>{C})s?\s*(?:(?:are|is|t"
            rf"here|do|we|have)\s+)*(?:[\s,]*(?:if|when|and|with|,)?\s*(?:case|spaces|upper|lower|and|or|are|is|ign"
            rf"ored|ignoring|disregarded|the|white\s?space)\b)+"),
        _distinct_texts,
    ),
    (
        (rf"{_FILL}(?P<c>{C}){_GAPS}\s+(?:with|by|using|from)\s+(?:the\s+|its\s+)?(?P<how>mean|average|median|ma"
            rf"x|min)\s+(?:value\s+)?(?:{C}\s+)?(?:of|in|for|within|per|by)\s+(?:(?:the|its|their|that|same|own|res"
            rf"pective|each)\s+)*(?P<by>{C})"),
        _fill_within,
    ),
    ((rf"\b(?:fill|set)\s+(?:the\s+)?(?P<c>{C})\s+(?:with|to|by)\s+(?P<v>{N}|{Q}|mean|median|average)\s+(?:wh"
            rf"ere|when|if)\s+(?:it|they|this|there|value)?\s*(?:is|are)?\s*(?:missing|empty|nan|null|unknown)"), _filled),
    ((rf"{_FILL}(?P<c>{C}){_GAPS}\s+(?:with|by)\s+(?:the\s+words?\s+|the\s+text\s+)?(?P<text>(?!the\b|mean\b|"
            rf"median\b|average\b)[A-Za-z][\w-]*(?:\s+(?!per\b|by\b|of\b|and\b|in\b|for\b|values?\b)[A-Za-z][\w-]*)"
            rf"+)(?=\s*(?:;|$|[.,!?]))"), _fill_words),
    (
        (rf"\b(?:replace|change|convert|map|turn|recode)\s+(?:the\s+)?(?P<yes>{VALUE})\s+(?:by|to|with|into|as)"
            rf"\s+(?P<a>true|⟨n\d+⟩|1)\s*(?:,|and)\s+(?:{VALUE})\s+(?:by|to|with|into|as)\s+(?:false|⟨n\d+⟩|0)\s+(?"
            rf":in|of)\s+(?:the\s+)?(?P<c>{C})"),
        _truth,
    ),
    (
        (rf"\b(?:bin|cut|divide|split|group|classify|bucket|categori[sz]e)\s+(?:the\s+)?(?P<c>{C})\s+(?:in\s*to|"
            rf"in|to|as)\s+(?:(?:the|equal|equally|sized|bins?|groups?|classes|categories|large|many|{N})\s+)*(?P<l"
            rf"abels>(?!⟨)[a-z][\w-]*(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+)(?!⟨)[a-z][\w-]*)+)"),
        _banded,
    ),
    ((rf"\b(?:bin|cut|divide|split|group|bucket)\s+(?:the\s+)?(?P<c>{C})\s+(?:in\s*to|in|to)\s+(?P<n>{N})\s+("
            rf"?:equal(?:ly\s+wide)?\s+)?(?:bins?|groups?|classes|intervals|buckets)"), _counted_bins),
    ((rf"(?:\b(?:wide|to|from|long|format|make|turn|it|reshape|into|the)\b[\s:,]*)*\b(?:melt|unpivot)\s+(?:th"
            rf"e\s+)?(?:columns\s+)?(?P<c>{CS})(?:\s+(?:columns|(?:in\s*to|to)\s+(?:a\s+)?(?:long|rows|one)(?:\s+(?"
            rf":format|table|column))?))?"), _melted),
    ((rf"(?P<c>{C})\s+(?:in|to|as)\s+(?:degrees\s+)?(?P<unit>km\s?/\s?h|m\s?/\s?s|mph|fahrenheit|celsius|kelv"
            rf"in|grams?|kg|g|pounds|tons|tonnes|cm|m|miles|feet|hours|minutes|seconds|kwh|mw)(?![\w/]){_NEW}"), _scaled),
)  # fmt: skip
