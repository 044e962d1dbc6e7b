"""Amounts and conditions in everyday words: "how many shares did we buy", "more than 20k people", "not back yet", "who failed". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.wording.speech import DATA, any_of, dates_of, is_value, named_so

if TYPE_CHECKING:
    from spark_jupyter.server.engines.wording.speech import Speech


_QUANTITY = re.compile(r"\b(?:qty|quantity|quantities|units|pieces|pcs|amount sold|sold|shares)\b")


_PRICE = re.compile(r"\bprice\b")


_DONE = r"(?:did|do|does|have|has|had|was|were|are|is)"


_SOLD = r"(?:sell|sold|buy|bought|order|ordered|make|made|ship|shipped)"


def sums(text: str, speech: Speech) -> str:
    """ "how many shares did we buy", "total qty sold by barista", "biggest trade by value"."""
    table = speech.chosen
    if table is None:
        return text
    quantities = [one for one in table.columns if one.kind == "number" and _QUANTITY.search(names.spaced(one.name))]
    for one in quantities:
        held = {value.lower() for column in table.columns for value in column.values}
        for base, past in (("sell", "sold"), ("buy", "bought")):
            asked = (
                rf"(?P<what>\b{re.escape(one.name)})\s+(?:did|do|have|has)\s+(?:we|i|you|they)\s+(?:{base}|{past})\b"
            )
            text = re.sub(asked, rf"\g<what>{f' where {base}' if base in held else ''}", text, flags=re.IGNORECASE)
        text = re.sub(
            rf"\b(?:how\s+many|number\s+of)\s+(?:{re.escape(one.name)})\b(?=\s+{_DONE}\b|\s+(?:of|in|per|for|by|where)\b|\s*[?.]?$)",
            f"total {one.name}", text, flags=re.IGNORECASE,
        )  # fmt: skip
        if not any(
            words.stem(value.lower()) in ("sell", "sold", "buy", "bought")
            for column in table.columns
            for value in column.values
        ):
            text = re.sub(rf"\b({re.escape(one.name)})\s+{_SOLD}\b", r"\1", text, flags=re.IGNORECASE)
    if len(quantities) == 1:
        text = re.sub(
            rf"^\W*(?:how\s+many|number\s+of)\s+(?P<what>\w+)\s+(?:did|has|have)\s+(?:the\s+)?(?P<who>\w+(?:\s\w+)?)\s+{_SOLD}\b",
            lambda found: f"total {quantities[0].name} where {found['what']} and {found['who']}"
            if is_value(found["who"].lower(), speech) and not speech.has(found["what"]) else found[0],
            text, flags=re.IGNORECASE,
        )  # fmt: skip
    prices = [
        one
        for one in table.columns
        if one.kind == "number" and _PRICE.search(names.spaced(one.name)) and one not in quantities
    ]
    if len(quantities) == len(prices) == 1 and not any(map(speech.has, ("value", "worth", "total"))):
        text = re.sub(
            r"\b(?:by|with\s+the\s+highest)\s+(?:total\s+)?value\b|(?<=total )value\b",
            lambda found: re.sub(
                r"(?:total\s+)?value$", f"{quantities[0].name} * {prices[0].name}", found[0], flags=re.IGNORECASE
            ),
            text,
            flags=re.IGNORECASE,
        )
    return text


def in_total(text: str, speech: Speech) -> str:
    """ "home goals in total per team"."""
    if speech.chosen is None or re.search(
        r"\b(?:total|sum)\b(?<!in total)(?!$)", re.sub(r"in total", "", text), re.IGNORECASE
    ):
        return text
    for one in speech.chosen.columns:
        said = "[\\s_]+".join(map(re.escape, re.split(r"[\s_]+", one.name)))
        text = (
            re.sub(
                rf"^\W*({said})\s+(?:in\s+(?:total|sum)|altogether)\b", f"total {one.name}", text, flags=re.IGNORECASE
            )
            if one.kind == "number"
            else text
        )
    return text


_YEAR = r"(?:19|20)\d\d"


def years(text: str, speech: Speech) -> str:
    """ "people that started after 2020", "Start Date in 2019 or later": the year of the date that the verb speaks of."""
    if speech.chosen is None:
        return text
    dated = [one for one in speech.chosen.columns if one.kind == "date" or one.holds.startswith("dates")]

    def of_year(found: re.Match[str]) -> str:
        stem = words.stem(found["verb"].lower())
        alike = [one for one in dated if stem in {words.stem(part) for part in names.plain(one.name).split()}]
        meant = alike or (dated if len(dated) == 1 and stem in _DATED_VERBS else [])
        if len(meant) != 1:
            return found[0]
        sign = {"after": ">", "since": ">=", "before": "<", "until": "<=", "in": "="}[found["sign"].lower()]
        sign = ">=" if found["on"] else sign
        return f"{found['lead'] or ''}with year of {meant[0].name} {sign} {found['year']}"

    return re.sub(
        rf"\b(?P<lead>(?:who|that|which|were|was|have|has)\s+)*(?P<verb>[a-z]+ed|began|born)\s+(?P<sign>after|since|before|until|in)\s+(?P<year>{_YEAR})"
        r"(?![\w-])(?P<on>\s+or\s+(?:later|after)|\s+onwards?)?",
        of_year, text, flags=re.IGNORECASE,
    )  # fmt: skip


_DATED_VERBS = frozenset(
    map(
        words.stem,
        (
            "started",
            "joined",
            "hired",
            "registered",
            "founded",
            "opened",
            "made",
            "placed",
            "published",
            "released",
            "sold",
            "bought",
            "ordered",
            "posted",
            "recorded",
            "created",
        ),
    )
)


_PEOPLE = re.compile(
    r"\b(?P<cmp>more\s+than|over|above|at\s+least|less\s+than|fewer\s+than|under|below|at\s+most)\s+(?P<n>\d[\d.,]*k?)\s+"
    r"(?:people|spectators|fans|viewers|visitors|persons|guests|supporters)\b",
    re.IGNORECASE,
)


_TURNED = re.compile(
    r"\b(?:(?:who|that|which)\s+(?:is|are|was|were|did)\s+)?(?P<how>better|worse|higher|lower|more|less|faster|slower)\s+in\s+(?P<a>\w+)\s+than\s+"
    r"(?:in\s+)?(?P<b>\w+)\b",
    re.IGNORECASE,
)


def compared(text: str, speech: Speech) -> str:
    """ "more than 20k people", "better in english than in maths"."""
    crowd = speech.aim(DATA["nouns"]["crowd|crowds|spectators|audience"])
    if crowd is not None and crowd.table == (speech.chosen.name if speech.chosen else ""):
        text = _PEOPLE.sub(lambda found: f"{crowd.column.name} {found['cmp']} {found['n']}", text)

    def turned(found: re.Match[str]) -> str:
        if not (speech.has(found["a"]) and speech.has(found["b"])):
            return found[0]
        sign = "<" if found["how"].lower() in ("worse", "lower", "less") else ">"
        return f"where {found['a']} {sign} {found['b']}"

    return _TURNED.sub(turned, text) if not re.search(r"faster|slower", text) else text


_AVERAGED = re.compile(
    r"^\W*how\s+(?:long|much|far|old|tall|heavy|big|high|many\s+\w+)\s+(?:do|does|did|is|are|was|were)\s+(?:the\s+|a\s+)?(?P<noun>\w+)\s*(?:have\s+to\s+)?"
    r"(?P<verb>[a-z]+)?\s+(?:on|in)\s+average(?P<rest>.*)$|"
    r"^\W*on\s+average,?\s+how\s+(?:long|much|far|old|tall|heavy|big|high)\s+(?:do|does|did|is|are|was|were)\s+(?:the\s+|a\s+)?(?P<noun2>\w+)\s*"
    r"(?:have\s+to\s+)?(?P<verb2>[a-z]+)?(?P<rest2>(?:\s+(?:in|per|by|for|at)\b.*)?)$",
    re.IGNORECASE,
)


_ADJECTIVES = {
    "old": "age",
    "tall": "height",
    "heavy": "weight mass",
    "far": "distance dist",
    "long": "duration length minutes",
    "big": "size area",
}


_SPENT = re.compile(
    r"^\W*how\s+much\s+(?:money\s+)?(?:did|do|does|has|have)\s+(?P<each>(?:each|every|all(?:\s+the)?)\s+)?(?:the\s+)?"
    r"(?P<who>\w+(?: \w+)?)\s+"
    r"(?P<verb>spend|spent|pay|paid|earn|earned|make|made|sell|sold|bring\s+in|brought\s+in|take\s+in|cost|owe|owed)\b"
    r"(?P<how>,?\s+(?:in\s+total|altogether|overall|in\s+all|on\s+average))?(?P<rest>.*)$",
    re.IGNORECASE,
)


def spent(text: str, speech: Speech) -> str:
    """ "how much did each customer spend in total", "how much did Bea pay in may"."""
    found = _SPENT.match(text)
    earns = found is not None and re.match(r"earn", found["verb"], re.IGNORECASE)
    aim = speech.aim("salary wage pay income earnings" if earns else _MONEY) if found is not None else None
    if found is None or aim is None or not (speech.has(found["who"]) or is_value(found["who"].lower(), speech)):
        return text
    how = "average" if "average" in (found["how"] or "").lower() else "total"
    rest = found["rest"].strip(" ?.!")
    if not found["each"]:
        return f"{how} {aim.column.name} where {found['who']} {rest}".strip() if not speech.has(found["who"]) else text
    return f"{how} {aim.column.name} per {found['who']} {rest}".strip()


_MONEY = "amount | revenue | total | sales | spent spend | price | cost | fare | fee"
"""What is paid, by the names of its column, likeliest first."""


def averaged(text: str, speech: Speech) -> str:
    """ "how long do people wait on average in each dept"."""
    found = _AVERAGED.match(text)
    if found is None:
        return text
    verb = (found["verb"] or found["verb2"] or "").lower()
    adjective = re.search(r"\bhow\s+(\w+)", text, re.IGNORECASE)
    data = next((data for said, data in any_of("verbs")[1].items() if verb and said == verb), "")
    data = data or (_ADJECTIVES.get(adjective[1].lower(), "") if adjective and not verb else "")
    aim = speech.aim(data) if data else None
    rest = (found["rest"] or found["rest2"] or "").strip(" ?.!")
    return f"average {aim.column.name} {rest}".strip() if aim is not None else text


_OPPOSITES = {
    "failed": "passed pass", "absent": "present", "died": "survived alive", "lost": "won", "inactive": "active", "unpaid": "paid",
    "closed": "open", "unsubscribed": "subscribed", "nonsmokers": "smoker", "non-smokers": "smoker", "passed": "failed", "survived": "died",
}  # fmt: skip


_OPPOSITE = re.compile(
    r"\b(?:who|that|which|have|has|had|were|was|are|is)\s+(?:(?:has|have|had|is|are|was|were)\s+)?"
    rf"(?P<said>{'|'.join(map(re.escape, _OPPOSITES))})\b|"
    r"(?<!\bnot )(?<!\band )(?<!\bor )(?<!\bvs )(?<!\bvs\. )(?<!\bversus )\b(?P<un>(?:un|non-?)[a-z]{3,})\b",
    re.IGNORECASE,
)


def opposites(text: str, speech: Speech) -> str:
    """ "who failed" of a column ``passed`` of yes and no."""

    def turned(found: re.Match[str]) -> str:
        said = (found["said"] or found["un"]).lower()
        listed = [
            one
            for one in (speech.likely[0].columns if speech.likely else ())
            if one.kind == "bool" or one.truth or one.flag
        ]
        base = re.sub(r"^(?:un|non-?)", "", said)
        meant = named_so(listed, _OPPOSITES.get(said, base).split())
        return (
            f"where {meant[0].name} is no"
            if len(meant) == 1 and not speech.has(said) and not is_value(said, speech)
            else found[0]
        )

    return _OPPOSITE.sub(turned, text)


_GONE = r"(?:back|returned|brought\s+back|given\s+back|come\s+back|came\s+back|handed\s+back)"


_OPEN = re.compile(
    rf"\b(?:(?:that|which|who)\s+)?(?:(?:have|has|had|are|is|were|was)\s*(?:not|n't)|haven't|hasn't|aren't|isn't|not)\s+(?:yet\s+)?(?:been\s+)?{_GONE}(?:\s+yet)?\b|"
    r"\b(?:(?:that|which)\s+(?:are|is)\s+)?still\s+(?:out|away|on\s+loan|not\s+back)\b|\bnever\s+(?:came\s+back|returned|been\s+returned)\b",
    re.IGNORECASE,
)


def unreturned(text: str, speech: Speech) -> str:
    """ "loans that have not come back yet": without a date of their return."""
    back = [
        one
        for table in speech.likely[:1]
        for one in table.columns
        if one in dates_of(table) and re.search(r"return|back", one.name.lower())
    ]
    return _OPEN.sub(f"where {back[0].name} is missing", text, count=1) if len(back) == 1 else text


_SPANNED = re.compile(
    r"\b(?:how\s+(?:long|many\s+days)\s+(?:was|were|is|are)\s+(?:each|every|the|a)\s+\w+\s+(?:out|away|gone|borrowed|rented|on\s+loan|kept|lent)\b"
    r"|(?P<of>(?:number\s+of\s+)?days)\s+(?:an?|each|every|the)\s+\w+\s+(?:was|were|is|are)\s+(?:out|away|gone|borrowed|rented|on\s+loan|kept|lent)\b)"
    r"(?P<unit>,?\s*in\s+days\b)?",
    re.IGNORECASE,
)


def spanned(text: str, speech: Speech) -> str:
    """ "how long was each book out": from the one date to the other."""
    dates = next((dates for table in speech.likely if len(dates := dates_of(table)) == 2), [])
    back = [one for one in dates if re.search(r"return|back|end|until|checkout", names.spaced(one.name).lower())]
    if len(back) != 1:
        return text
    start = next(one for one in dates if one is not back[0])
    return _SPANNED.sub(f"days between {start.name} and {back[0].name}", text, count=1)
