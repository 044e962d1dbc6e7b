"""What is asked of a list, a dict, an array or a text: "temps above 20", "sort stock by value", "mean of each row of grid". Pure.

Each rule is a pattern over a marked prompt, in which ``⟨t0⟩`` is the variable, and the source that answers it. A prompt of which
more is left over than says nothing was not understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from spark_jupyter.server.engines.query import arrays, lexicon, listed, mapped
from spark_jupyter.server.engines.query.marked import VALUE, Marked, N, T
from spark_jupyter.server.engines.query.naming import Named, flat, kind
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spark_jupyter.server.engines.namespace import Namespace, Variable

_ALL = (
    r"(?:all|the|any|each|every|values?|numbers?|items?|elements?|entries|words?|strings?|ones|of|in|from|that|which|are|is"
    r"|list|array|only|keep|with)"
)
_LEAD = rf"(?:\b{_ALL}\s+)*"
_X = rf"(?P<x>{T})"
_COMPARE = (
    r"(?P<op>>=|<=|>|<|(?:greater|larger|higher|bigger|more|longer) than|above|over|(?:less|lower|smaller|fewer|shorter) than|below"
    r"|under|at least|at most)\s*(?P<n>" + N + ")"
)
_SUMMARIES = {"sum": "sum({x})", "max": "max({x})", "min": "min({x})", "mean": "np.mean({x})", "median": "np.median({x})",
              "std": "np.std({x}, ddof=1)", "var": "np.var({x}, ddof=1)"}  # fmt: skip
_UNITS = {
    ("celsius", "fahrenheit"): "{v} * 9 / 5 + 32",
    ("fahrenheit", "celsius"): "({v} - 32) * 5 / 9",
    ("km", "miles"): "{v} / 1.609344",
    ("miles", "km"): "{v} * 1.609344",
    ("meters", "feet"): "{v} / 0.3048",
    ("metres", "feet"): "{v} / 0.3048",
    ("kg", "pounds"): "{v} / 0.45359237",
    ("minutes", "hours"): "{v} / 60",
    ("hours", "minutes"): "{v} * 60",
    ("celsius", "kelvin"): "{v} + 273.15",
    ("degrees", "radians"): "np.radians({v})",
}


class Plain(Struct, frozen=True, kw_only=True):
    """The source that answers, of which variable, and the words that nothing was made of."""

    source: str
    name: str
    left: tuple[str, ...] = ()


def read(prompt: str, namespace: Namespace) -> Plain | None:
    """What the prompt asks of a variable that it names and that is no table; None where it asks nothing that is known."""
    own = [one for one in namespace.variables if kind(one)]
    prompt = _in_plural(prompt, own)
    named = [one for one in own if _mentioned(prompt, one.name)]
    if not named:
        return _of_companions(prompt, own)
    by_name = {one.name: one for one in named}
    best: Plain | None = None
    for pattern, make in (
        *arrays.RULES,
        *mapped.RULES,
        *listed.RULES,
        *((pattern, _of_one(make)) for pattern, make in _RULES),
    ):
        marked = Marked(prompt, tables=[one.name for one in named], columns=[])
        found = marked.find(pattern)
        if found is None:
            continue
        variable = by_name[marked.value(found["x"])]
        source = make(found, Named(marked, by_name))
        if source is None:
            continue
        marked.take(pattern)
        made = _plain(source, variable.name, marked)
        if not made.left:
            return made
        best = best or made
    return best


def _of_one(make: Callable[[Variable, re.Match[str], Marked], str | None]) -> arrays.Maker:
    """A rule about one variable as one of a match."""
    return lambda found, named: make(named.of(found), found, named.marked)


def _in_plural(prompt: str, own: Sequence[Variable]) -> str:
    """ "average mark" as "average marks", where ``marks`` is the user's."""
    for one in own:
        single = one.name[:-1] if one.name.endswith("s") and len(one.name) > 4 else ""
        if single and kind(one) in ("dict", "numbers") and not _mentioned(prompt, one.name):
            prompt = re.sub(rf"(?<![\w.]){re.escape(single)}(?!\w)", one.name, prompt, flags=re.IGNORECASE)
    return prompt


def _of_companions(prompt: str, own: Sequence[Variable]) -> Plain | None:
    marked = Marked(prompt, tables=[], columns=[])
    found = marked.find(listed.COMPANIONS)
    source = listed.companion(found, Named(marked, {one.name: one for one in own})) if found else None
    if found is None or source is None:
        return None
    marked.take(listed.COMPANIONS)
    return _plain(source, source.partition("[")[0], marked)


def _plain(source: str, name: str, marked: Marked) -> Plain:
    unread = [one for one in map(marked.value, re.findall(T, marked.text)) if one != name]
    return Plain(source=with_imports(source), name=name, left=(*marked.left(), *unread))


def with_imports(source: str) -> str:
    """The source below the imports of what it uses."""
    imports = [line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}\b[.(]", source)]
    return "\n".join([*imports, *([""] if imports else []), source])


_IMPORTS = {
    "re": "import re",
    "statistics": "import statistics",
    "Counter": "from collections import Counter",
    "Path": "from pathlib import Path",
    "plt": "import matplotlib.pyplot as plt",
    "np": "import numpy as np",
    "pd": "import pandas as pd",
}


def _mentioned(prompt: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", prompt, re.IGNORECASE if len(name) > 3 else 0) is not None


def _numeric(one: Variable) -> bool:
    return kind(one) in ("numbers", "array")


def _sign(said: str) -> str:
    plain = {"at least": ">=", "at most": "<=", "above": ">", "over": ">", "below": "<", "under": "<"}
    return plain.get(said) or (said if said[0] in "<>" else "<" if re.match("less|low|small|few|short", said) else ">")


def _filtered(one: Variable, found: re.Match[str], marked: Marked) -> str | None:
    sign, number = _sign(found["op"].lower()), marked.value(found["n"])
    counted = re.search(r"\b(?:number of|count)\b", found.string) is not None
    if kind(one) == "array":
        mask = f"{one.name} {sign} {number}"
        return f"({mask}).sum()" if counted else f"{one.name}[{mask}]"
    if kind(one) == "dict":
        return f"{{key: value for key, value in {one.name}.items() if value {sign} {number}}}"
    measure = "x" if kind(one) == "numbers" else "len(x)" if kind(one) == "texts" else ""
    if not measure or (measure == "len(x)" and not re.search("long|short|letters|characters", found.string)):
        return None
    chosen = f"[x for x in {one.name} if {measure} {sign} {number}]"
    return f"len({chosen})" if counted else f"chosen = {chosen}\nchosen"


def _summed(one: Variable, found: re.Match[str], _: Marked) -> str | None:
    how = lexicon.AGGREGATES.get(found["how"].lower(), "")
    if kind(one) == "dict" and how in ("sum", "max", "min", "mean"):
        return _SUMMARIES[how].format(x=f"{one.name}.values()" if how != "mean" else f"list({one.name}.values())")
    if how not in _SUMMARIES or not _numeric(one):
        return None
    if kind(one) == "array":
        return (
            f"{one.name}.{how}({'ddof=1' if how in ('std', 'var') else ''})"
            if how != "median"
            else f"np.median({one.name})"
        )
    return _SUMMARIES[how].format(x=one.name)


def _along(one: Variable, found: re.Match[str], _: Marked) -> str | None:
    how = lexicon.AGGREGATES.get(found["how"].lower(), "")
    if kind(one) != "array" or flat(one) or how not in _SUMMARIES:
        return None
    axis = 1 if found["axis"].lower().startswith("row") else 0
    return f"np.median({one.name}, axis={axis})" if how == "median" else f"{one.name}.{how}(axis={axis})"


def _sorted(one: Variable, found: re.Match[str], _: Marked) -> str | None:
    falling = re.search(
        r"\b(?:desc|descending|(?:biggest|largest|highest|most|longest) first|reversed?)\b", found.string, re.IGNORECASE
    )
    more = ", reverse=True" if falling else ""
    by = (found["by"] or "").lower()
    if kind(one) == "dict":
        number = {"key": 0, "name": 0, "value": 1}.get(by.removesuffix("s"))
        return (
            f"dict(sorted({one.name}.items(), key=lambda item: item[{number}]{more}))" if number is not None else None
        )
    if by.startswith("len"):
        return f"sorted({one.name}, key=len{more})"
    if by:
        return None
    if kind(one) == "array":
        return f"np.sort({one.name}){'[::-1]' if falling else ''}" if flat(one) else None
    return f"sorted({one.name}{more})" if kind(one) != "str" else None


def _converted(one: Variable, found: re.Match[str], _: Marked) -> str | None:
    formula = _UNITS.get((found["a"].lower(), found["b"].lower()))
    if formula is None or not _numeric(one):
        return None
    new = f"{one.name}_{found['b'].lower()}"
    made = formula.format(v=one.name) if kind(one) == "array" else f"[{formula.format(v='x')} for x in {one.name}]"
    return f"{new} = {made}\n{new}"


def _texts_that(one: Variable, found: re.Match[str], marked: Marked) -> str | None:
    value, how = quoted(marked.value(found["v"])), found["how"].lower()
    lines = kind(one) == "str" and "line" in found.string.lower()
    if not lines and kind(one) != "texts":
        return None
    name = "line" if lines else "x"
    begins, ends = f"{name}.startswith({value})", f"{name}.endswith({value})"
    test = begins if how.startswith(("start", "begin")) else ends if how.startswith("end") else f"{value} in {name}"
    return f"[{name} for {name} in {f'{one.name}.splitlines()' if lines else one.name} if {test}]"


def _drawn(one: Variable, found: re.Match[str], marked: Marked) -> str | None:
    over = marked.value(found["over"]) if found["over"] else None
    if not _numeric(one) or (kind(one) == "array" and not flat(one)):
        return None
    drawn = "scatter" if re.search(r"\bscatter\b", found.string, re.IGNORECASE) and over else "plot"
    lines = [f"plt.{drawn}({f'{over}, ' if over else ''}{one.name})", f"plt.ylabel({quoted(one.name)})"]
    if over:
        lines.append(f"plt.xlabel({quoted(over)})")
    return "\n".join([*lines, "plt.show()"])


def _histogram(one: Variable, _: re.Match[str], __: Marked) -> str | None:
    values = f"{one.name}.ravel()" if kind(one) == "array" and not flat(one) else one.name
    return f"plt.hist({values})\nplt.xlabel({quoted(one.name)})\nplt.show()" if _numeric(one) else None


def _best_key(one: Variable, found: re.Match[str], _: Marked) -> str | None:
    way = "min" if re.fullmatch(lexicon.FEW, found["way"], re.IGNORECASE) else "max"
    return f"{way}({one.name}, key={one.name}.get)" if kind(one) == "dict" else None


def _simple(source: str, *kinds: str, single: bool = False) -> Callable[[Variable, re.Match[str], Marked], str | None]:
    def make(one: Variable, found: re.Match[str], marked: Marked) -> str | None:
        if kind(one) not in kinds or (single and kind(one) == "array" and not flat(one)):
            return None
        numbers = [marked.value(key) for key in re.findall(N, found[0])]
        return source.format(x=one.name, n=numbers[0] if numbers else "")

    return make


_HOW = "|".join(sorted(lexicon.AGGREGATES, key=len, reverse=True))
_LISTS = ("numbers", "texts", "list")
_RULES: tuple[tuple[str, Callable[[Variable, re.Match[str], Marked], str | None]], ...] = (
    (rf"\bconvert\s+(?:the\s+)?{_X}\s+(?:from\s+)?(?P<a>\w+)\s+(?:in\s*to|to)\s+(?P<b>\w+)", _converted),
    (rf"\b(?P<how>{_HOW})\s+(?:of\s+|for\s+|per\s+|each\s+|every\s+|the\s+)+(?P<axis>rows?|columns?)\s+(?:of|in)\s+{_X}", _along),
    (rf"\b(?P<how>{_HOW})\s+(?:each\s+|every\s+|the\s+)*(?P<axis>rows?|columns?)\s+(?:of|in)\s+{_X}", _along),
    (rf"{_X}\s+(?P<how>{_HOW})\s+per\s+(?P<axis>rows?|columns?)", _along),
    (rf"\b(?:number of|count)\b\s*{_LEAD}{_X}\s*{_LEAD}{_COMPARE}", _filtered),
    ((rf"{_LEAD}{_X}\s+{_LEAD}{_COMPARE}(?:\s*(?:letters|characters|chars))?(?:\s+(?:as|in|into)\s+(?:a\s+)?(?:new"
    rf"\s+)?(?:list|array|dict))?"), _filtered),
    (rf"{_LEAD}{_COMPARE}(?:\s*(?:letters|characters|chars))?\s+(?:in|of|from)\s+{_X}", _filtered),
    ((rf"\b(?:number of|count|frequency of|frequencies of)\s+(?:times\s+)?(?:does\s+|do\s+|is\s+)?(?:each|every|the"
    rf"|different|distinct|all|per|\s)*"
     rf"(?:word|item|value|element|number|entry|name)?s?\s*(?:occurs?|appears?|comes?|there|is|are|in|of|"
     rf"\s)*\s*{_X}"), _simple("Counter({x})", *_LISTS)),
    (rf"\b(?:number of|count)\s+(?:the\s+)?words\s+(?:in|of)\s+{_X}", _simple("len({x}.split())", "str")),
    (rf"\b(?:number of|count)\s+(?:the\s+)?lines\s+(?:(?:are|has|does|there|in|of)\s+)*{_X}(?:\s+have)?",
     _simple("len({x}.splitlines())", "str")),
    (rf"\b(?:length|size|shape)\s+of\s+{_X}", _simple("{x}.shape", "array")),
    (rf"\b(?:length|size)\s+of\s+{_X}", _simple("len({x})", *_LISTS, "dict", "str")),
    ((rf"\b(?:key|item|entry|which|what)\b[^;⟨]*\b(?P<way>{lexicon.MANY}|{lexicon.FEW})(?:\s+(?:value|count|number"
    rf"|amount))?\s+(?:in|of)\s+{_X}"), _best_key),
    (rf"\b(?P<how>{_HOW})(?:\s+value)?\s+(?:of|in|from)\s+(?:the\s+)?(?:all\s+)?(?:values\s+(?:of|in)\s+)?{_X}", _summed),
    (rf"{_X}\s+(?P<how>mean|average|median|sum|total|maximum|minimum)\b", _summed),
    ((rf"\b(?:sort|order)\s+(?:the\s+)?{_X}(?:\s+by\s+(?:its\s+|their\s+|the\s+)?(?P<by>values?|keys?|len(?:gth)?s?|\w+))?"
     r"(?:[\s,]*(?:in\s+)?(?:descending|desc|ascending|asc|reversed?|(?:biggest|largest|highest|most|longest"
     r"|smallest|lowest) first|alphabetically))?"), _sorted),
    ((rf"\b(?:remove|drop|delete)\s+(?:the\s+|all\s+)?(?:duplicates?|duplicated?\s+\w+|repeated\s+\w+)\s+(?:from|in"
    rf"|of)\s+{_X}(?:[\s,]*(?:but|and)?\s*(?:keep(?:ing)?)\s+(?:the\s+)?(?:original\s+)?order)?"),
     _simple("list(dict.fromkeys({x}))", *_LISTS)),
    ((rf"\b(?:unique|distinct|different)\s+(?:values|items|words|elements|numbers|entries)\s+(?:of|in"
    rf"|from)\s+{_X}"), _simple("list(dict.fromkeys({x}))", *_LISTS)),
    (rf"\b(?:unique|distinct|different)\s+(?:values|items|elements|numbers)\s+(?:of|in|from)\s+{_X}", _simple("np.unique({x})", "array")),
    (rf"\breverse\s+(?:the\s+)?(?:order\s+of\s+)?{_X}", _simple("{x}[::-1]", *_LISTS, "str")),
    ((rf"\b(?:the\s+)?first\s+{N}\s+(?:values|items|elements|entries|words|numbers)?\s*(?:of|in"
    rf"|from)?\s*{_X}"), _simple("{x}[:{n}]", *_LISTS, "array")),
    ((rf"\b(?:the\s+)?last\s+{N}\s+(?:values|items|elements|entries|words|numbers)?\s*(?:of|in"
    rf"|from)?\s*{_X}"), _simple("{x}[-{n}:]", *_LISTS, "array")),
    (rf"\blongest\s+(?:word|text|string|name|item|entry)\s+(?:in|of)\s+{_X}", _simple("max({x}, key=len)", "texts")),
    (rf"\bshortest\s+(?:word|text|string|name|item|entry)\s+(?:in|of)\s+{_X}", _simple("min({x}, key=len)", "texts")),
    ((rf"(?:{_LEAD}|lines\s+)*{_X}\s*{_LEAD}(?P<how>starts?|starting|begins?|beginning|ends?|ending|contains?"
    rf"|containing)\s+(?:with\s+|in\s+)?(?:the\s+letters?\s+)?(?P<v>{VALUE})"),
     _texts_that),
    ((rf"\bnormali[sz]e\s+(?:the\s+)?{_X}\s+(?:so\s+that|such\s+that|to\s+make)\s+(?:each|every|the|all|per|"
    rf"\s)*columns?\s+sums?\s+(?:up\s+)?to\s+{N}"), _simple("{x} / {x}.sum(axis=0)", "array")),
    ((rf"\bnormali[sz]e\s+(?:the\s+)?{_X}\s+(?:so\s+that|such\s+that|to\s+make)\s+(?:each|every|the|all|per|\s)*rows?"
    rf"\s+sums?\s+(?:up\s+)?to\s+{N}"), _simple("{x} / {x}.sum(axis=1, keepdims=True)", "array")),
    ((rf"\b(?:normali[sz]e|scale|rescale)\s+(?:the\s+)?{_X}(?:\s+(?:to|between)\s+{N}\s*(?:and|to"
    rf"|-)\s*{N})?"), _simple("({x} - {x}.min()) / ({x}.max() - {x}.min())", "array")),
    (rf"\bstandardi[sz]e\s+(?:the\s+)?{_X}", _simple("({x} - {x}.mean()) / {x}.std()", "array", single=True)),
    (rf"\btranspose\s+(?:the\s+)?{_X}", _simple("{x}.T", "array")),
    (rf"\bwhere\s+(?:does\s+)?{_X}\s+(?:cross(?:es)?|changes?)\s+(?:the\s+)?(?:zero|sign|axis)", _simple("crossings ="
    " np.flatnonzero(np.diff(np.sign({x})))\ncrossings", "array", single=True)),
    (rf"\b(?:zero)\s+crossings?\s+(?:of|in)\s+{_X}", _simple("crossings = np.flatnonzero(np.diff(np.sign({x})))"
    "\ncrossings", "array", single=True)),
    (rf"\b(?:power\s+|frequency\s+)?(?:spectrum|fft|fourier\s+transform)\s+(?:of|for)\s+{_X}",
     _simple("spectrum = np.abs(np.fft.rfft({x} - {x}.mean())) ** 2\nfrequencies = np.fft.rfftfreq(len({x}))  # per"
     " step; divide by the seconds of a step for Hz\n"
             'plt.plot(frequencies, spectrum)\nplt.xlabel("frequency per step")\nplt.ylabel("power")\nplt.show()', "array", single=True)),
    (rf"\bhistogram\s+(?:of|for)\s+(?:the\s+)?{_X}", _histogram),
    ((rf"\b(?:scatter\s+plot|line\s+chart|plot|draw|graph)\s+(?:of\s+|the\s+)*{_X}(?:\s+(?:over|against|vs\.?|versus"
    rf"|as\s+a\s+function\s+of|by)\s+(?:the\s+)?(?P<over>{T}))?"
     r"(?:\s+with\s+(?:axis\s+)?(?:labels?|a\s+grid))?"), _drawn),
    ((rf"\b(?:make|create|build|get|convert|turn)?\s*(?:an?\s+)?(?:pandas\s+)?table\s+(?:from|of|out\s+of|with)\s+"
    rf"(?:the\s+)?{_X}"), _simple("pd.DataFrame({x})", *_LISTS, "array")),
    (rf"\b(?:convert|turn|make)\s+{_X}\s+(?:in\s*to|to)\s+(?:an?\s+)?(?:numpy\s+|np\s+)?array", _simple("np.array({x})", *_LISTS)),
    (rf"\b(?:convert|turn|make)\s+{_X}\s+(?:in\s*to|to)\s+(?:an?\s+)?(?:pandas\s+)?table", _simple("pd.DataFrame({x})", *_LISTS, "array")),
)  # fmt: skip
