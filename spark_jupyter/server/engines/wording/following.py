"""Follow-ups as requests of their own: "same for the sells", "and how many are that", "call it x". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Column

_SO = r"^\W*(?:(?:and|now|so|ok|okay|please|then|but|no|also|do|show|give me|what about|how about)\b[\s,]*)*"
_COUNT = re.compile(
    rf"{_SO}(?:how\s+many|count)(?:\s+(?:of\s+(?:them|those|these)|rows?|entries|are|is|was|were|does|that|those|these|they|there|"
    r"them|left|it|"
    r"make|altogether|in\s+total))*[\s?.!]*$",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"^\W*(?:(?:can|could) you\s+)?(?:show(?:\s+me)?|list|find|give\s+me|get|which|what|all|only|the)\s+(?:all\s+|the\s+)*",
    re.IGNORECASE,
)
_GROUPED = re.compile(
    r"\b(?:per|by each|for each|each|every|number of|how many|total|average|mean|sum)\b", re.IGNORECASE
)
_CALL = re.compile(
    rf"{_SO}(?:call|name|rename)\s+(?:it|that|this|the\s+(?:new\s+)?column)\s+(?:to\s+|as\s+)?[\"']?(?P<new>[A-Za-z_]\w*)[\"']?"
    r"(?:\s+(?:instead|rather|please))*\W*$",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?P<led>new\s+column|column|called|named|name\s+it|call\s+it)\s+(?P<old>[A-Za-z_]\w*)\b(?!\s+(?:with|for|from|of|that)\b)",
    re.IGNORECASE,
)
_SAME = re.compile(
    rf"{_SO}(?:(?:the\s+)?same(?:\s+thing)?\s+(?:for|with|by|of|in)|for|what\s+about|how\s+about|and)?\s*"
    r"(?:the\s+)?(?P<what>[\w. -]+?)(?:\s+(?:ones|side|only|instead))?[\s?.!]*$",
    re.IGNORECASE,
)
_TOP = re.compile(
    rf"{_SO}(?:only\s+|just\s+)?(?:the\s+)?(?:top|first)\s+(?P<n>\d+|three|five|ten|two)(?:\s+only)?[\s?.!]*$",
    re.IGNORECASE,
)


_PLOT = re.compile(
    rf"{_SO}(?:plot|draw|chart|graph)\s+(?:it|that|this|them|those)(?:\s+as)?(?:\s+an?)?"
    r"(?:\s+(?P<kind>line|bar|pie|horizontal bar|area|box))?"
    r"(?:\s*(?:chart|plot|graph))?[\s?.!]*$",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"{_SO}(?:only\s+|just\s+)?(?:the\s+)?(?:ones\s+(?:that\s+are\s+)?)?(?:un|non-?|not\s+)(?P<what>[a-z]{{3,}}?)(?:\s+ones)?[\s?.!]*$",
    re.IGNORECASE,
)
_SO_MANY = re.compile(
    rf"{_SO}(?:make\s+(?:that|it)|rather|no,?)?\s*(?P<n>\d+)(?:\s+(?:instead|rather|please))*[\s?.!]*$", re.IGNORECASE
)
_SAME_PER = re.compile(
    rf"{_SO}(?:the\s+)?same(?:\s+thing)?,?\s+(?:but\s+)?(?:per|by|for\s+(?:each|every))\s+(?:the\s+)?(?P<key>\w+)[\s?.!]*$",
    re.IGNORECASE,
)
_HOW = r"average|mean|median|sum|total|maximum|max|minimum|min|highest|lowest|largest|smallest"
_HOWS = re.compile(rf"\b(?:{_HOW})\b", re.IGNORECASE)
_ALSO = re.compile(
    rf"{_SO}(?:(?:add|show|give\s+me|with|plus)\s+)?(?:the\s+)?(?:(?P<how>{_HOW})|(?P<many>(?:number|count)\s+of\s+[\w ]+?))"
    r"(?:\s+(?:too|as\s+well|also))*[\s?.!]*$",
    re.IGNORECASE,
)
_SAVED = re.compile(
    rf"{_SO}(?:save|write|export|store|put)\s+(?:it|that|this|them|these|those|the\s+(?:result|table|list|chart|plot|figure)s?)\s+"
    r"(?:as|to|in|into)\s+(?:an?\s+)?(?:(?:csv|excel|json|text|png)\s+)?(?:file\s+)?"
    r"(?:called\s+|named\s+)?[\"']?(?P<file>[\w./-]+\.\w{2,7})"
    r"[\"']?[\s.!]*$",
    re.IGNORECASE,
)
_WHICH = re.compile(
    rf"{_SO}(?:which|what|who)\s+(?:one\s+|of\s+(?:them|those|these)\s+)?(?:is|was|has|had|comes)\s+(?:the\s+)?"
    r"(?P<end>highest|lowest|largest|smallest|biggest|most|least|best|worst|first|last)(?:\s+one)?[\s?.!]*$",
    re.IGNORECASE,
)
_THEIR = re.compile(
    rf"{_SO}(?:what(?:'s|\s+is)?\s+)?(?:(?:their|its)\s+(?P<how>{_HOW})|(?:the\s+)?(?P<of>{_HOW})\s+(?:of\s+)?their)"
    r"\s+(?P<what>[\w ]+?)[\s?.!]*$",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    rf"{_SO}(?:split|broken\s+down|break\s+(?:it|that)\s+down|separated?|also)\s+(?:it\s+|that\s+)?by\s+(?:the\s+)?"
    r"(?P<key>[\w ]+?)(?:\s+too)?[\s?.!]*$",
    re.IGNORECASE,
)
_REMOVED = re.compile(
    rf"{_SO}(?:remove|exclude|leave\s+out|drop)\s+(?:the\s+)?(?P<what>[\w' -]+?)[\s?.!]*$", re.IGNORECASE
)
_COUNT_TOO = re.compile(
    rf"{_SO}(?:add|show|with|plus|include)\s+(?:the\s+|a\s+)?(?:counts?|numbers?)(?:\s+(?:too|as\s+well))?[\s?.!]*$",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(
    rf"{_SO}(?:only|just|for|in|from|of)?\s*(?:for|in|from|of)?\s*(?P<year>(?:19|20)\d\d)[\s?.!]*$", re.IGNORECASE
)
_FIRST = re.compile(
    rf"{_SO}(?:(?:show|give|keep|take)\s+(?:me\s+)?)?(?:only|just)\s+(?:the\s+)?(?P<end>top|first)\s+(?P<n>\w+)"
    r"(?:\s+(?:rows?|ones))?[\s?.!]*$",
    re.IGNORECASE,
)
_PLAINLY_PLOT = re.compile(
    rf"{_SO}(?:(?:plot|draw|chart|graph|visuali[sz]e)\s+(?:it|that|this|them|those)|as\s+an?\s+(?:plot|chart|graph))[\s?.!]*$",
    re.IGNORECASE,
)
_ONE = re.compile(rf"{_SO}(?:the\s+)?(?P<end>most\s+\w+|least\s+\w+|[a-z]+est)(?:\s+one)?[\s?.!]*$", re.IGNORECASE)
_ENDS = re.compile(
    r"\b(?:most\s+(?!of\b|common)\w+|least\s+\w+|(?!(?:test|rest|latest|request|interest)\b)[a-z]{3,}est)\b",
    re.IGNORECASE,
)
_PER = re.compile(r"\b(?P<per>per|by|for\s+(?:each|every))\s+(?:the\s+)?(?P<key>\w+)", re.IGNORECASE)


def together(said: str, further: str, columns: Sequence[Column]) -> list[str]:
    """What a request and the follow-up to it may ask together, likeliest first; empty where it is none of these follow-ups."""
    if _COUNT.match(further):
        rows = _SHOWN.sub("", said)
        return [] if _GROUPED.search(said) else [f"number of {rows}", f"how many {rows}", f"{said}, number of rows"]
    if found := _CALL.match(further):
        renamed = _CALLED.sub(rf"\g<led> {found['new']}", said, count=1)
        return [renamed] if renamed != said else [f"{said}, call it {found['new']}"]
    if found := _TOP.match(further):
        return [f"{said}, only the top {found['n']}", f"top {found['n']} {said}"]
    if (found := _PLOT.match(further)) and found["kind"]:
        return [f"{found['kind']} chart of {said}", f"{said} as a {found['kind']} chart"]
    if found := _NOT.match(further):
        stated = re.compile(rf"\b{re.escape(found['what'])}\b", re.IGNORECASE)
        return [stated.sub(f"not {found['what']}", said)] if stated.search(said) else []
    if found := _SO_MANY.match(further):
        return [re.sub(r"\b\d+\b", found["n"], said)] if len(re.findall(r"\b\d+\b", said)) == 1 else []
    if found := _SAME_PER.match(further):
        regrouped = _PER.sub(rf"\g<per> {found['key']}", said)
        return [regrouped] if len(_PER.findall(said)) == 1 else []
    if further_asks := _of_answer(said, further):
        return further_asks
    found = _SAME.match(further)
    return _swapped(said, found["what"].strip().lower(), columns) if found else []


def _of_answer(said: str, further: str) -> list[str]:
    """What a follow-up asks of the answer itself: to be saved, drawn, the first of it, another summary beside it."""
    if found := _SAVED.match(further):
        return [f"{said} and save it as {found['file']}", f"save {said} as {found['file']}"]
    if _PLAINLY_PLOT.match(further):
        kind = "line" if _PERIODS.search(said) else "bar"
        return [f"{kind} chart of {said}"]
    if found := _FIRST.match(further):
        return [f"{said}, only the {found['end']} {found['n']}"]
    if (found := _SPLIT.match(further)) and _PER.search(said):
        return [f"{said} and {found['key']}"]
    if found := _IN_YEAR.match(further):
        return [f"{said} in {found['year']}"]
    if found := _THEIR.match(further):
        return (
            []
            if _GROUPED.search(said)
            else [f"{found['how'] or found['of']} {found['what']} of {_SHOWN.sub('', said)}"]
        )
    if found := _WHICH.match(further):
        way = "lowest" if found["end"].lower() in ("lowest", "smallest", "least", "worst", "last") else "highest"
        return [f"{said}, {way} first, only the first 1"] if _PER.search(said) else []
    if (found := _REMOVED.match(further)) and _GROUPED.search(said):
        return [f"{said} without {found['what']}"]
    if _COUNT_TOO.match(further):
        return [f"{said} and number of rows"] if _PER.search(said) else []
    if found := _ALSO.match(further):
        both = (
            f"{said} and {found['many']}" if found["many"] else _HOWS.sub(rf"\g<0> and {found['how']}", said, count=1)
        )
        return [both] if both != said and _adds(further) else []
    if (found := _ONE.match(further)) and len(_ENDS.findall(said)) == 1:
        return [_ENDS.sub(found["end"], said)]
    return []


def _adds(further: str) -> bool:
    return re.search(r"\b(?:and|also|add|too|plus|as well)\b", further, re.IGNORECASE) is not None


_PERIODS = re.compile(
    r"\b(?:per|by|each|every|over)\s+(?:the\s+)?(?:day|date|week|month|quarter|year|hour)s?\b|\b(?:dai|week|month|year)ly\b",
    re.I,
)


def _swapped(said: str, what: str, columns: Sequence[Column]) -> list[str]:
    """The request with another value of the column of which it has one, or with another column named alike: "home" and "away"."""
    for one in columns:
        new = next((value for value in one.values if what in _plurals(value)), None)
        old = next(
            (value for value in one.values if value != new and re.search(_as_said(value), said, re.IGNORECASE)), None
        )
        if new is not None and old is not None:
            return [re.sub(_as_said(old), rf"{new}\g<s>", said, flags=re.IGNORECASE)]
    split = [tuple(names.spaced(one.name).split()) for one in columns]
    for own in split:
        for other in split:
            unlike = [(a, b) for a, b in zip(own, other, strict=False) if a != b]
            if len(own) == len(other) > 1 and len(unlike) == 1 and unlike[0][1] == what:
                old = unlike[0][0]
                if re.search(rf"\b{re.escape(old)}", said, re.IGNORECASE):
                    return [re.sub(rf"\b{re.escape(old)}(?=\b|_)", what, said, flags=re.IGNORECASE)]
    return []


def _plurals(value: str) -> tuple[str, ...]:
    return (value.lower(), f"{value.lower()}s", f"{value.lower()}es")


def _as_said(value: str) -> str:
    return rf"(?<!\w){re.escape(value)}(?P<s>(?:e?s)?)(?!\w)"


_MADE = re.compile(r'^\w+\["(?P<column>[^"\]]+)"\] = ', re.MULTILINE)
_BEFORE_IT = (
    r"of|for|by|on|plot|draw|show|round|sort|order|describe|summari[sz]e|drop|fill|bin|normali[sz]e|scale|compare|"
    r"correlate|average|with|between|does|is"
)
_BEHIND_IT = (
    r"(?=\s*(?:[,.?!;]|$)|\s+(?:by|per|for|in|as|to|over|across|within|and|descending|ascending|with|against|vs|versus|grouped|"
    r"from|into|differ|"
    r"correlate|depend|different|higher|lower|on)\b)"
)
_POINTS = re.compile(
    rf"\b(?:(?P<led>{_BEFORE_IT})\s+)?(?:(?:the|that|this)\s+(?:new\s+)?column|(?<=\s)(?:that|it|this)){_BEHIND_IT}",
    re.IGNORECASE,
)
_ITS = re.compile(
    (
        r"\bits\s+(?P<what>mean|average|median|sum|total|max|maximum|min|minimum|std|standard deviation|distribution|histogram|range|"
        r"values?)\b"
    ),
    re.IGNORECASE,
)
_MEASURED = re.compile(
    (
        r"\b(?:mean|average|median|sum|total|max|maximum|min|minimum|std|standard deviation|distribution|histogram|boxplot|box plot) "
        r"(?:of|for) "
    ),
    re.IGNORECASE,
)
_OF_THE_CELL = re.compile(
    r"\b(?:call|name|rename|save|store|export|undo|explain|why|again|right|code|cell|error|fix|make|turn|put)\b",
    re.IGNORECASE,
)


def pointing(text: str) -> bool:
    """Whether a follow-up speaks of something that was answered before as "that", "it" or "its …"."""
    led = _POINTS.search(text)
    return _ITS.search(text) is not None or (led is not None and led["led"] is not None)


def resolved(text: str, said: str, source: str, columns: Sequence[Column]) -> str:
    """The follow-up with the column in place of "that" or "its": the one that the cell before it has made, or, where a number is asked of
    it, the only one that the request before named. Itself where there is none."""
    if not pointing(text) or _OF_THE_CELL.search(text):
        return text
    made = list(dict.fromkeys(found["column"] for found in _MADE.finditer(source)))
    known = {one.name for one in columns}
    if made:
        name = made[-1] if len(made) == 1 and made[0] in known else ""
    else:
        named = [
            one.name
            for one in columns
            if one.kind == "number" and re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", said, re.IGNORECASE)
        ]
        name = named[0] if len(named) == 1 and (_ITS.search(text) or _MEASURED.search(text)) else ""
    if not name:
        return text
    text = _ITS.sub(lambda found: f"{found['what']} of {name}", text)
    return _POINTS.sub(lambda found: f"{found['led']} {name}" if found["led"] else found[0], text)
