"""Whole questions in everyday words: "how far did i run in total", "who directed Fable", "when was the usage highest". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.wording.speech import any_of, dates_of

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.wording.speech import Speech

_FAR = re.compile(
    r"^\W*how\s+(?P<how>far|long|much)\s+(?:did|do|does|have|has|was|were)\s+(?:\w+\s+){1,3}?(?P<verb>\w+)\s+(?:in\s+total|altogether|overall|in\s+all)(?P<rest>.*)$",
    re.IGNORECASE,
)
_HIGHEST = re.compile(
    r"^\W*(?:when|on\s+(?:which|what)\s+(?:day|date)|at\s+(?:which|what)\s+time)\s+(?:was|is|were|did)\s+(?:the\s+|my\s+|our\s+)?"
    r"(?P<what>[\w ]+?)\s+(?:the\s+|at\s+its\s+|reach\s+(?:its|the)\s+)?(?P<way>highest|lowest|largest|"
    r"smallest|biggest|maximum|minimum)(?P<rest>(?:\s+(?:for|in|of)\b.*)?)[\s?.!]*$",
    re.IGNORECASE,
)
_WHO_HIGHEST = re.compile(
    r"^\W*who\s+(?:has|had|have|got|gets|paid|pays|scored|made|earned|received|reached|achieved|ran|set|did)\s+(?:the\s+)?(?P<way>highest|lowest|most|least|longest|shortest|"
    r"biggest|largest|smallest|fewest)\s+(?P<what>[\w ]+?)(?P<rest>(?:\s+(?:in|of|for|at|among)\b.*)?)[\s?.!]*$",
    re.IGNORECASE,
)
_MOST = frozenset(("highest", "largest", "biggest", "maximum", "most", "longest"))


def _number(said: str, speech: Speech) -> Column | None:
    """The one column of numbers that is called so, or of whose name it is a part."""
    wanted = {words.stem(part) for part in re.findall(r"[a-z]+", said.lower())}
    for table in speech.likely[:1]:
        listed = [one for one in table.columns if one.kind == "number" or one.holds.startswith("numbers")]
        exact = [one for one in listed if names.spaced(one.name) == said.lower().strip()]
        near = exact or [
            one for one in listed if wanted and wanted <= {words.stem(part) for part in names.spaced(one.name).split()}
        ]
        if len(near) == 1:
            return near[0]
    return None


def amounted(text: str, speech: Speech) -> str:
    """ "how far did i run in total", "who paid the highest rate", "when was the usage highest"."""
    if found := _FAR.match(text):
        data = next((data for said, data in any_of("verbs")[1].items() if said == found["verb"].lower()), "")
        far = "distance km miles dist" if found["how"].lower() == "far" else ""
        aim = speech.aim(far or data) if far or data else None
        return f"total {aim.column.name} {found['rest']}".strip(" ?.!") if aim is not None else text
    found = _HIGHEST.match(text) or _WHO_HIGHEST.match(text)
    if found is None:
        return text
    column = _number(found["what"], speech)
    if column is None or (_WHO_HIGHEST.match(text) and speech.chosen is not None and _repeats(speech)):
        return text
    return (
        f"row with the {'highest' if found['way'].lower() in _MOST else 'lowest'} {column.name} {found['rest']}".strip()
    )


def _repeats(speech: Speech) -> bool:
    """Whether a person may have several rows, so that "the most" is a sum."""
    return re.search(r"\b(?:most|fewest|least)\b", speech.text, re.IGNORECASE) is not None


_VALUE_IN = re.compile(
    r"(?<!\w)(?:(?!(?:is|are|of|per|by|in|the|from)\b)[a-z]\w*\s+)\((?P<value>[^()⟦⟧]{1,30})\)", re.IGNORECASE
)


def valued(text: str, speech: Speech) -> str:
    """ "guests from norway (NO)", "when it rained" of a value "rain", "who directed Fable"."""
    listed = [(one, value) for table in speech.likely for one in table.columns for value in one.values]

    def value_in(found: re.Match[str]) -> str:
        return f"{found['value']}" if any(value == found["value"].strip() for _, value in listed) else found[0]

    text = _VALUE_IN.sub(value_in, text)
    for column, value in listed:
        if re.fullmatch(r"[a-z]{3,}", value) and not re.search(rf"\b{value}(?:e?s)?\b", text, re.IGNORECASE):
            said = rf"\b(?:(?:when|where|while|if|that|which)\s+)?(?:it\s+)?(?:was\s+|were\s+|is\s+)?{value}(?:{value[-1]})?(?:ed|ing|y)\b"
            text = re.sub(said, f"where {column.name} is {value}", text, count=1, flags=re.IGNORECASE)
    found = re.match(r"^\W*who\s+(?P<verb>[a-z]{4,})\s+(?:the\s+\w+\s+)?(?P<what>.+?)[\s?.!]*$", text, re.IGNORECASE)
    if found is not None:
        stem = re.sub(r"(?:ed|t|s)$", "", found["verb"].lower())
        for table in speech.likely if len(stem) > 3 else ():
            held = [
                (one.name, value)
                for one in table.columns
                for value in one.values
                if value.lower() == found["what"].lower()
            ]
            by = [one.name for one in table.columns if one.kind == "text" and one.name.lower().startswith(stem)]
            if len(held) == 1 and len(by) == 1 and by[0] != held[0][0]:
                return f"{by[0]} where {held[0][0]} is {held[0][1]}"
    return text


_FORMULA = re.compile(
    r"^(?P<led>\W*(?P<word>[a-z]+)\s+(?P<per>of|for|per|by)\s+(?:(?:each|every|all|the)\s+)*(?P<noun>\w+))\s*\(\s*(?P<first>[\w ]+?)\s*"
    r"(?P<sign>\btimes\b|\bx\b|\*|\bplus\b|\+|\bminus\b|-|\bdivided by\b|\bper\b|/|\bover\b)\s*(?P<second>[\w ]+?)\s*\)(?P<rest>.*)$",
    re.IGNORECASE,
)
_SIGNS = {"times": "*", "x": "*", "plus": "+", "minus": "-", "divided by": "/", "per": "/", "over": "/"}


def formulated(text: str, speech: Speech) -> str:
    """ "profit of every film (gross minus budget)": a column, of each row; "takings per cinema (seats x price)": a sum, of each group."""
    found = _FORMULA.match(text)
    if found is None or speech.chosen is None or speech.has(found["word"]):
        return text
    pair = [_number(found[part], speech) for part in ("first", "second")]
    if pair[0] is None or pair[1] is None:
        return text
    formula = f"{pair[0].name} {_SIGNS.get(found['sign'].lower(), found['sign'])} {pair[1].name}"
    if words.stem(found["noun"].lower()) == words.stem(speech.chosen.name.lower()):
        way = re.search(r"\b(?:biggest|highest|largest|most|best)\s+first\b", found["rest"], re.IGNORECASE)
        order = f" sorted by {found['word']} descending" if way else found["rest"]
        return f"new column {found['word']} = {formula}{order}"
    summed = speech.has(found["noun"]) and "/" not in formula and found["word"].lower() not in ("average", "mean")
    return f"total {formula} {found['per']} {found['noun']} {found['rest']}".strip() if summed else text


_AMOUNT_WORDS = r"(?:scores?|ratings?|values?|points|levels?|amounts?|figures?|numbers?|readings?|measurements?|count)"
_EXTREMES = {
    "cheapest": "lowest", "dearest": "highest", "priciest": "highest", "longest": "highest", "shortest": "lowest", "hottest": "highest",
    "coldest": "lowest", "warmest": "highest", "heaviest": "highest", "lightest": "lowest", "smallest": "lowest", "biggest": "highest",
}  # fmt: skip


def counted(text: str, speech: Speech) -> str:
    """ "how many oscars did Korean films win", "avg imdb score", "won no oscar", "the cheapest rate"."""
    table = speech.chosen
    if table is None:
        return text
    for one in table.columns:
        if one.kind != "number":
            continue
        said = r"[\s_]+".join(map(re.escape, re.split(r"[\s_]+", one.name)))
        single = rf"{said.removesuffix('s')}s?"
        text = re.sub(
            rf"^\W*(?:how\s+many|number\s+of)\s+{said}\s+(?:did|do|does|have|has)\s+(?:the\s+|all\s+)*(?P<who>.+?)\s+(?:win|won|get|got|score|scored|have|had|make|made|collect|"
            r"receive|received)(?P<rest>\s+.*)?[\s?.!]*$",
            rf"total {one.name} of \g<who> \g<rest>", text, flags=re.IGNORECASE,
        )  # fmt: skip
        if not any(re.search(rf"\b{_AMOUNT_WORDS}\b", names.spaced(other.name)) for other in table.columns):
            text = re.sub(rf"\b({said})\s+{_AMOUNT_WORDS}\b(?!\s+of)", r"\1", text, flags=re.IGNORECASE)
        text = re.sub(
            rf"\b(?:that\s+|which\s+|who\s+)?(?:won|got|made|scored|win)\s+no\s+{single}\b(?!\w)",
            f"where {one.name} is 0",
            text,
            flags=re.IGNORECASE,
        )
        text = re.sub(
            rf"\b(?P<way>{'|'.join(_EXTREMES)})\s+(?={said}\b)",
            lambda found: f"{_EXTREMES[found['way'].lower()]} ",
            text,
            flags=re.IGNORECASE,
        )
    sold = [one for one in table.columns if one.kind == "number" and re.search(r"\bsold\b", names.spaced(one.name))]
    if len(sold) == 1:
        text = re.sub(
            r"^\W*(?:how\s+many|number\s+of)\s+\w+\s+(?:were|was|have\s+been|has\s+been|did\s+\w+)\s+(?:sold|sell)\b",
            f"total {sold[0].name}",
            text,
            flags=re.IGNORECASE,
        )
    return text


_ONCE = re.compile(
    r"^\W*(?:list|show|which|what|the|all|each|every|different|give|me|of|\s)*(?P<what>[a-z]\w*?)s?(?:,\s*|\s+)(?:only\s+once|(?:each\s+)?once\s+each|each\s+once|once|"
    r"(?:without|no|with\s+no)\s+(?:duplicates|repeats|doubles))[\s?.!]*$",
    re.IGNORECASE,
)
_CORRELATED = re.compile(
    r"^\W*(?:do|does|is|are)\s+(?:a\s+|the\s+)?(?:bigger|higher|larger|longer|more|older|lower)\s+(?P<a>[\w ]+?)\s+"
    r"(?:mean|means|lead\s+to|go\s+with|give|get|have|come\s+with)\s+(?:a\s+)?"
    r"(?:bigger|higher|larger|longer|more|better|lower)\s+(?P<b>[\w ]+?)\s*[?,.;]\s*(?:show\s+(?:me\s+)?the\s+)?correlation[\s?.!]*$",
    re.IGNORECASE,
)
_AREA = re.compile(
    r"\b(?:(?:is|are|that)\s+)*(?P<cmp>(?:bigger|larger|more|smaller|less|over|above|under|below|at\s+least|at\s+most)(?:\s+than)?)\s+(?P<n>\d[\d.]*)\s*"
    r"(?:square\s+(?:met(?:er|re)s?|feet|foot)|sqm|m2|m²|sq\s*m|sqft)",
    re.IGNORECASE,
)
_FROM_YEAR = re.compile(
    r"\b(?:from|since)\s+(?P<year>1[89]\d\d|20\d\d)(?:\s+(?P<on>on|onwards?|and\s+later|or\s+later))?(?!\w|-)",
    re.IGNORECASE,
)
_TIMELY = re.compile(r",?\s*\b(?P<way>newest|latest|most\s+recent|oldest|earliest)\s+first\b", re.IGNORECASE)


def listed_once(text: str, speech: Speech) -> str:
    """ "list every country only once", "does a bigger budget mean a higher gross? correlation"."""
    if (found := _CORRELATED.match(text)) and speech.has(found["a"].split()[-1]) and speech.has(found["b"].split()[-1]):
        return f"correlation between {found['a']} and {found['b']}"
    if (found := _ONCE.match(text)) and any(
        names.spaced(one.name).rstrip("s") == found["what"].lower().rstrip("s")
        for table in speech.likely
        for one in table.columns
    ):
        return f"unique {found['what']}"
    return text


def measured(text: str, speech: Speech) -> str:
    """ "bigger than 25 square meters", "from 2010 on, oldest first" of a column of years."""
    if speech.chosen is None:
        return text
    areas = [
        one
        for one in speech.chosen.columns
        if re.search(r"sqm|m2|sqft|area", one.name.lower()) and one.kind == "number"
    ]
    if len(areas) == 1:
        text = _AREA.sub(lambda found: f"with {areas[0].name} {_sign(found['cmp'])} {found['n']}", text)
    years = [
        one
        for one in speech.chosen.columns
        if one.kind == "number" and re.search(r"year|released|published|founded|built", one.name.lower())
    ]
    if len(years) != 1 or dates_of(speech.chosen):
        return text
    text = _FROM_YEAR.sub(
        lambda found: (
            f"with {years[0].name} {'>=' if found['on'] or found[0].lower().startswith('since') else '='} {found['year']}"
        ),
        text,
    )
    if re.search(r"\b(?:sort|sorted|order|ordered)\b", text, re.IGNORECASE):
        return text
    return _TIMELY.sub(
        lambda found: (
            f" sorted by {years[0].name} {'ascending' if found['way'].lower() in ('oldest', 'earliest') else 'descending'}"
        ),
        text,
    )


def _sign(said: str) -> str:
    said = said.lower()
    return (
        "at least"
        if "least" in said
        else "at most"
        if "most" in said
        else "below"
        if said.split()[0] in ("smaller", "less", "under", "below")
        else "above"
    )
