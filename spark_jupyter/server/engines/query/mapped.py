"""What is asked of dictionaries: "sort stock by value", "mean points of every pupil", "who has most". Pure.

Each rule is a pattern and a function of its match, as in ``arrays.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.arrays import sign
from spark_jupyter.server.engines.query.marked import N
from spark_jupyter.server.engines.query.naming import kind, of_lists, of_numbers
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.arrays import Maker
    from spark_jupyter.server.engines.query.naming import Named

X = r"(?P<x>⟨t\d+⟩)"
_THE = (
    r"(?:\b(?:the|a|an|of|for|in|from|all|every|each|only|just|keep|get|show|give|me|list|what|which|are|i"
    r"s|those|with|do|does|i|have|we|my)\s+)*"
)
_HOW = "|".join(sorted(lexicon.AGGREGATES, key=len, reverse=True))
_FALLING = (
    r"(?:descending|desc|(?:largest|biggest|highest|most|longest|best|oldest)\s+first|(?:from\s+)?(?:best|"
    r"high\w*|large\w*)\s+to\s+(?:worst|low\w*|small\w*)|reversed)"
)
_RISING = (
    r"(?:ascending|asc|(?:smallest|lowest|least|shortest|worst|youngest)\s+first|(?:from\s+)?(?:worst|low"
    r"\w*|small\w*)\s+to\s+(?:best|high\w*|large\w*))"
)
_ORDER = rf"(?:[\s,]*(?:in\s+)?(?:(?P<falls>{_FALLING})|(?P<rises>{_RISING})))"
_SUMS = {"sum": "sum({v})", "max": "max({v})", "min": "min({v})", "mean": "sum({v}) / len({v})",
         "median": "statistics.median({v})", "std": "statistics.stdev({v})", "size": "len({v})"}  # fmt: skip
_DRAW = (
    r"(?:\b(?:plot|draw|chart|graph|show|make|turn|convert|a|an|the|of|as|in|into|with|line|bar|chart|grap"
    r"h|plot|markers?|dots|bars)\s+)*"
)


def _each_key(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    how = lexicon.AGGREGATES.get(found["how"].lower(), "")
    if not of_lists(one) or how not in _SUMS:
        return None
    return f"{{name: {_SUMS[how].format(v='values')} for name, values in {one.name}.items()}}"


def _dearest(found: re.Match[str], named: Named) -> str | None:
    """ "the most expensive thing in prices"."""
    one = named.of(found)
    if not of_numbers(one):
        return None
    way = "min" if re.match(r"least|cheap|low|small|few", found["way"], re.IGNORECASE) else "max"
    return f"{way}({one.name}.items(), key=lambda item: item[1])"


def _swapped(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    return f"{{value: key for key, value in {one.name}.items()}}" if kind(one) == "dict" else None


def _rows_of(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) != "dict":
        return None
    if of_lists(one):
        return f'pd.DataFrame.from_dict({one.name}, orient="index")'
    return f'pd.DataFrame({one.name}.items(), columns=["key", "value"])'


def _framed(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    names = [part.strip() for part in re.split(r",|\band\b", found["names"]) if part.strip()]
    labels = ", ".join(quoted(named.marked.value(name)) for name in names)
    if kind(one) not in ("list", "dict", "texts", "numbers") or not all(
        re.fullmatch(r"[\w⟨⟩]+", name) for name in names
    ):
        return None
    return f"pd.DataFrame({one.name}{'.items()' if kind(one) == 'dict' else ''}, columns=[{labels}])"


def _bars(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not of_numbers(one):
        return None
    groups = found.re.groupindex
    falls, rises = ("falls" in groups and found["falls"]), ("rises" in groups and found["rises"])
    items = f"{one.name}.items()"
    if falls or rises:
        items = f"sorted({items}, key=lambda item: item[1]{', reverse=True' if falls else ''})"
    draw = "pie" if "pie" in found[0].lower() else "bar"
    line = "plt.pie(heights, labels=names)" if draw == "pie" else "plt.bar(names, heights)"
    return f"names, heights = zip(*{items})\n{line}\nplt.title({quoted(one.name)})\nplt.show()"


def _best_of(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not of_numbers(one):
        return None
    way = "min" if re.fullmatch(lexicon.FEW, found["way"], re.IGNORECASE) else "max"
    return f"{way}({one.name}, key={one.name}.get)"


def _valued(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not of_numbers(one):
        return None
    test = f"value {sign(found['op'].lower())} {named.value(found, 'n')}"
    return f"{{key: value for key, value in {one.name}.items() if {test}}}"


def _sorted_dict(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not of_numbers(one):
        return None
    return f"dict(sorted({one.name}.items(), key=lambda item: item[1]{', reverse=True' if found['falls'] else ''}))"


def _total(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    how = lexicon.AGGREGATES.get(found["how"].lower(), "")
    if not of_numbers(one) or how not in _SUMS:
        return None
    return _SUMS[how].format(v=f"{one.name}.values()")


RULES: tuple[tuple[str, Maker], ...] = (
    ((rf"{_THE}(?P<way>most\s+expensive|least\s+expensive|cheapest|dearest|most\s+popular)\s+(?:thing|item|one|product|entry|article|key)?\s*"
            rf"(?:in|of|from)\s+(?:the\s+)?{X}"), _dearest),
    (
        rf"{_THE}(?P<how>{_HOW})\s+(?:of\s+)?{X}\s+(?:of|per|for|by)\s+(?:every\s+|each\s+|the\s+|all\s+)*(?!⟨)[a-z]+",
        _each_key,
    ),
    (rf"{_THE}(?P<how>{_HOW})\s+(?:of\s+)?(?:per|of|for)\s+(?:the\s+)?(?:key|name|person|entry)\s+(?:of|in)\s+{X}", _each_key),
    (rf"\b(?:swap|invert|exchange|flip)\s+(?:the\s+)?keys?\s+and\s+(?:the\s+)?values?\s+(?:of|in)\s+{X}", _swapped),
    (rf"\binvert\s+(?:the\s+)?{X}", _swapped),
    (
        (rf"(?:\b(?:turn|convert|make|get|a|an|pandas)\s+)*{X}\s+(?:in\s*to|to|as)\s+(?:an?\s+)?(?:pandas\s+)?table\s+with\s+(?:the\s+)?"
        rf"columns\s+(?P<names>[\w⟨⟩]+(?:(?:\s*,\s*|\s+and\s+)[\w⟨⟩]+)*)"),
        _framed,
    ),
    (
        (rf"(?:\b(?:turn|convert|make|get|a|an|pandas)\s+)*{X}\s+(?:in\s*to|to|as)\s+(?:an?\s+)?(?:pandas\s+)?table"
        rf"(?:\s+with\s+(?:a|one)\s+row\s+(?:per|for\s+each)\s+[a-z]+|\s+(?:per|one\s+row\s+per)\s+[a-z]+)?"),
        _rows_of,
    ),
    (rf"{_DRAW}(?:bar|pie)\s+(?:chart|plot|graph)\s+(?:of|for|from|with)\s+(?:the\s+)?{X}{_ORDER}?", _bars),
    ((rf"\b(?:turn|plot|draw|show|make|convert)\s+(?:the\s+)?{X}\s+(?:in\s*to|as|to)\s+(?:a\s+)?(?:bar|pie)\s"
            rf"+(?:chart|plot|graph){_ORDER}?"), _bars),
    (
        (rf"(?:\b(?:who|what|which|name|key|person|the|one|item|thing|entry|has|have|is|do|does|i|we|there|with|of|in|a|got|had)\s+)*"
        rf"(?P<way>{lexicon.MANY}|{lexicon.FEW})(?:\s+(?:value|amount|number|count|of|in|the))*\s+{X}"),
        _best_of,
    ),
    (
        (rf"{_THE}{X}\s+(?:(?:that|which|who|are|is|with|where|have|value|values|a)\s+)*(?P<op>>=|<=|>|<|(?:grea"
            rf"ter|larger|higher|more|less|lower"
        rf"|smaller|fewer) than|above|over|below|under|at least|at most)\s*(?P<n>{N})(?:\s*(?:kg|g|cm|m|km|€|eu"
            rf"ros?|dollars?|points?|units?))?"),
        _valued,
    ),
    (
        (rf"(?:\b(?:who|which|what|names?|keys?|has|have|had|got|with|are|is|the|of)\s+)*(?P<op>(?:more|less|few"
            rf"er) than|above|over|below|under|at least|at most)\s*"
        rf"(?P<n>{N})\s+(?:in|of)\s+{X}"),
        _valued,
    ),
    (rf"\b(?:sort|order|rank)\s+(?:the\s+)?{X}(?:\s+by\s+(?:its\s+|their\s+|the\s+)?values?)?{_ORDER}", _sorted_dict),
    (rf"{_THE}(?P<how>{_HOW})\s+(?:of\s+|in\s+|all\s+|the\s+)*{X}", _total),
)  # fmt: skip
