"""What people say around a request: greetings, politeness, short forms, and explanations that change nothing. Words alone. Pure."""

from __future__ import annotations

import re

_GREETING = (
    r"hey+|hi+|hello|hallo|ok(?:ay)?|so|well|um+|hmm+|alright|quick (?:q|question|one)|question|q|sorry|thanks|thx|pls|plz|please|"
    r"just wondering|wondering|btw|by the way|(?:good )?morning|for (?:my|the|our) (?:boss|report|teacher|team|class|homework|"
    r"presentation|meeting|thesis|slides)|(?:one )?last (?:one|thing)|next"
)
_LEAD = re.compile(
    rf"^\W*(?:(?:{_GREETING})\b(?!\s+(?:row|rows|one|line|column|week|month|year|day)\b)[\s,:;.!?-]*)+", re.IGNORECASE
)
_SHOW = r"(?:(?:tell|show|give|get|find|help|let)\s+(?:me|us)(?:\s+(?:know|see|have))?\s+)?"
_WANT = re.compile(
    r"^(?:(?:can|could|would|will)\s+(?:you|u|someone|somebody|we)\s+(?:(?:please|pls|plz|kindly|maybe|quickly|just)\s+)*"
    + _SHOW
    + r"|"
    r"i(?:'d|\s+would)?\s+(?:(?:really|just|also)\s+)*(?:like|love|need|want|wanna)(?:\s+you)?(?:\s+to\s+(?:know|see|find\s+out|find|get|"
    r"have|look\s+at)|\s+to)?\s+|"
    r"is\s+(?:there\s+a\s+way|it\s+possible)\s+to\s+(?:see\s+|get\s+)?|do\s+you\s+know\s+|any\s+idea\s+|"
    r"what\s+i\s+(?:need|want)\s+is\s+|i'?m\s+(?:looking\s+for|interested\s+in|trying\s+to\s+(?:find|see|get))\s+|"
    r"let\s+me\s+(?:see|have)\s+|let'?s\s+(?:see|have)\s+)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,.;-]*\b(?:please|pls|plz|thanks(?:\s+a\s+lot)?|thank\s+you|thx|ty|asap|if\s+(?:possible|you\s+can|that'?s\s+possible)|"
    r"would\s+be\s+(?:nice|great)|for\s+(?:my|the|our)\s+(?:boss|report|teacher|team|homework|presentation|meeting|thesis|slides))[\s.!]*$",
    re.IGNORECASE,
)
_SHORT = {
    "nr": "number", "cnt": "count", "yr": "year", "yrs": "years", "wk": "week", "wks": "weeks", "mth": "month", "mths": "months",
    "freq": "frequency", "corr": "correlation", "diff": "difference", "perc": "percent", "pct": "percent", "col": "column",
    "cols": "columns", "tbl": "table", "hrs": "hours", "mins": "minutes", "ppl": "people", "avrg": "average", "med": "median",
    "asc": "ascending", "desc": "descending", "gt": "above", "lt": "below", "btw": "between", "betw": "between", "biz": "business",
    "u": "you", "r": "are", "wich": "which", "whats": "what is", "whos": "who is", "wheres": "where is", "whens": "when is",
    "thats": "that is", "theres": "there is", "gimme": "give me", "wanna": "want to", "tho": "", "lol": "", "cuz": "because",
}  # fmt: skip
"""Short forms, but for those that are words of the user's own names."""
_SUMMARY = re.compile(
    r"\b(?:avg|average|mean|median|sum|total|totals|max|min|maximum|minimum|highest|lowest)\b", re.IGNORECASE
)
_SUM = re.compile(r"\b(?:sum|total|totals|sums)\b", re.IGNORECASE)
_FORMAT = r"(?:day[/ .-]month[/ .-]year|dd?[./-]mm?[./-]yy(?:yy)?|d/m/y|day[- ]first)"
_WHERE = r"(?:(?<=[\w\])])\s*[,;:.?!-]\s*|\s*\(\s*)(?:note:?\s+|and\s+|but\s+|because\s+|attention:?\s+)?"
_EXPLAINED: tuple[tuple[re.Pattern[str], str, re.Pattern[str] | None], ...] = tuple(
    (re.compile(said, re.IGNORECASE), plain, only)
    for said, plain, only in (
        ((rf"{_WHERE}(?:the\s+)?(?:\w+\s+)?(?:(?:is|are|come|written)\s+)?(?:(?:in|as)\s+)?(?:the\s+)?"
         rf"(?:format\s+)?{_FORMAT}(?:\s+format)?\s*\)?(?=$|\W)"), "", None),
        ((rf"{_WHERE}(?:ignor\w+|skip\w*|exclud\w+|not counting|leav\w+ out|disregard\w*|without)\s+(?:the\s+|any\s+|all\s+)?"
         r"(?:missing|nans?|na|empty|nulls?|blanks?)(?:\s+(?:values?|ones?|entries|rows|cells))?\s*\)?(?=$|\W)"), "", _SUMMARY),
        ((rf"{_WHERE}(?:a\s+|the\s+)?(?:missing|empty|nan)(?:\s+(?:values?|ones?|entries))?\s+(?:counts?|are|is|as)(?:\s+counted)?"
         r"(?:\s+as)?\s+(?:0|zero|nothing)\s*\)?(?=$|\W)"), "", _SUM),
        ((rf"{_WHERE}(?:(?:the\s+)?(?:column|values?|numbers?|they|it|amounts?)\s+)?(?:has|have|contains?|there\s+are|are\s+written\s+with|with)\s+"
         r"(?:an?\s+)?(?:commas?|(?:dollar|euro|pound|percent|currency|%|\$|€|£)\s*(?:signs?|symbols?)|thousands?\s+separators?|units)"
          r"(?:\s*(?:and|or|,)\s*(?:commas?|(?:\$|€|£|%)?\s*signs?|spaces|points))*"
         r"(?:\s+in\s+(?:it|them))?\s*\)?(?=$|\W)"), "", None),
        ((r"[\s,(]*\b(?:(?:in\s+)?(?:upper|lower)(?:\s*case)?\s+or\s+(?:upper|lower)(?:\s*case)?|in\s+any\s+case|any\s+case|"
         r"case\s+does\s*n[o']?t\s+matter|(?:no\s+)?matter\s+the\s+case|whatever\s+the\s+case)\b\s*\)?"), " ignoring case ", None),
        (r"[\s,(]*\b(?:without|no|not)\s+(?:the\s+)?(?:row\s*(?:numbers?|labels?|names?)|line\s*numbers?|index(?:\s+column)?)\b\s*\)?",
         " without the index ", re.compile(r"\b(?:save|write|export|store|dump)\b", re.IGNORECASE)),
        ((rf"{_WHERE}(?:it'?s|it\s+is|they\s+are|values\s+are|either|as)\s+"
          r"(?:y\s+or\s+n|yes\s+or\s+no|y/n|yes/no|true\s+or\s+false|0\s+or\s+1)\s*\)?(?=$|\W)"), "", None),
        (r"\b(?:best|worst|top|fastest|slowest)\s*\(\s*(lowest|highest|smallest|largest|least|most|min|max)\s*\)", r"\1", None),
    )
)  # fmt: skip
"""An explanation, what it becomes, and of what prompts alone."""
_ON_TOP = re.compile(
    r"\b(?:the\s+|with\s+the\s+)*(?P<way>most|least|fewest|best|worst|newest|latest|oldest|cheapest|\w{3,}est)(?:\s+(?:\w+ed|ones?|recent|"
    r"expensive|values?|common|frequent|popular))?\s+(?:on\s+top|at\s+the\s+top|to\s+the\s+top|up\s+top|come\s+first|comes\s+first)\b",
    re.IGNORECASE,
)
_MOST_DONE = re.compile(r"(?<=,)\s*(?:the\s+)?(?P<way>most|least)\s+\w+ed\s+first\b", re.IGNORECASE)


_AIM = re.compile(
    r"^\W*(?:calculate|compute|find|determine|get|estimate|work out|check)\s+(?:the|a|an|my|our)\s+[a-z]+(?:\s+[a-z]+){0,2}\s*:\s+"
    r"(?=\w+\s+\w+\s+\w+)",
    re.IGNORECASE,
)
"""What it is for: "calculate the spring constant: linear fit of forces over length"."""


def plain(text: str, own: frozenset[str]) -> str:
    """The text without what is only said around it; words of ``own`` names are no short forms."""
    shorter = _TAIL.sub("", _LEAD.sub("", text))
    while (further := _TAIL.sub("", _WANT.sub("", shorter))) != shorter and further.strip():
        shorter = further
    text = shorter if shorter.strip() else text
    text = re.sub(
        r"\b(?:nrs?|no|num|nbr|cnt)\.?\s+of\b(?!\s+the\s+above)|#\s*of\b", "number of", text, flags=re.IGNORECASE
    )
    text = re.sub(r"(?<![\w.'-])[A-Za-z]+(?![\w'-])", lambda found: _long(found[0], own), text)
    text = _AIM.sub("", text)
    text = re.sub(r"^\W*(?:add|sum|tot)\s+up\s+(?:all\s+)?(?:the\s+)?", "total ", text, flags=re.IGNORECASE)
    for said, instead, only in _EXPLAINED:
        if only is None or only.search(said.sub("", text)):
            text = said.sub(instead, text)
    text = re.sub(r"\b(?:come|comes|came|coming)\s+from\b", "from", text, flags=re.IGNORECASE)
    text = _ON_TOP.sub(lambda found: f"{found['way']} first", text)
    return _MOST_DONE.sub(lambda found: f" {found['way']} first", text)


def _long(word: str, own: frozenset[str]) -> str:
    return word if word.lower() in own or word.isupper() else _SHORT.get(word.lower(), word)
