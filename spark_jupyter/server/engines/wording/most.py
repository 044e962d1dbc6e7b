"""What there is the most or the least of: "the oldest patient", "who earns the most", "most borrowed book", "the last match". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.prompting.column_profile import PAST
from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.wording.speech import ROWS, Aim, any_of, dates_of, named_so, plain

if TYPE_CHECKING:
    from spark_jupyter.server.engines.wording.speech import Aim, Speech


_SPANS = frozenset(("week", "month", "quarter", "season", "year", "weekday", "hour"))
"""No row of a table is one of these: "which month was the wettest" is asked of all the rows of each."""
_NUMBERS = "|".join((r"\d+", *words.NUMERALS[1:]))


def superlatives(text: str, speech: Speech) -> str:
    """ "the oldest patient", "3 best paid players", "top scorer"."""
    for group in ("people", "phrases", "superlatives"):
        pattern, data = any_of(group)
        noun = "" if group == "people" else r"(?:\s+(?P<noun>[a-z]+))?"
        whole = re.compile(
            rf"(?:(?P<before>^|\bwho\s+(?:is|was|are|were)\s+|\bwhich\s+(?P<of>\w+)\s+(?:is|was|are|were)\s+|\bwhat\s+(?:is|was|are|were)\s+)?\b(?:the\s+)?)?"
            rf"(?:(?P<n>{_NUMBERS})\s+)?(?P<said>{pattern.pattern}){noun}",
            re.IGNORECASE,
        )
        found = whole.search(text)
        made = _first(found, data, speech, text) if found is not None else None
        if found is not None and made is not None and made != found[0]:
            return text[: found.start()] + made + text[found.end() :]
    return text


def _first(found: re.Match[str], data: dict[str, str], speech: Speech, text: str) -> str:
    said = plain(found["said"])
    noun = (found.groupdict().get("noun") or "").lower()
    if noun in ("first", "on", "to", "at", "and") or re.search(
        r"\bfirst\b|^\s*(?:by|with|according)\b", text[found.end() :]
    ):
        return found[0]
    aim = speech.aim(data[said])
    held = _holder(noun, speech, aim) if aim is not None else None
    if aim is None or not (held or _is_row(noun, speech, aim)) or (found["of"] or "").lower() in _SPANS:
        return found[0]
    if (
        speech.chosen is not None
        and aim.table == speech.chosen.name
        and lexicon.hinted(said, [one.name for one in speech.chosen.columns]) == aim.column.name
        and noun
        and not held
    ):
        return found[0]
    many = found["n"]
    after = f" {noun}" if noun in ("of", "in", "per") else held or ""
    rows = f"{many} rows" if many else "rows" if said.endswith("s") and said.startswith("top") else "row"
    return f" {rows} {aim.first}{after}"


def _holder(noun: str, speech: Speech, aim: Aim) -> str | None:
    """ "shortest comedy", where that is a value: the condition."""
    table = next(one for one in speech.tables if one.name == aim.table)
    held = [
        (one, value) for one in table.columns for value in one.values if noun in (value.lower(), f"{value.lower()}s")
    ]
    return f" where {held[0][0].name} is {held[0][1]}" if noun and len(held) == 1 else None


def _is_row(noun: str, speech: Speech, aim: Aim) -> bool:
    """Whether the noun is what a row of the table is, and no column to group by."""
    if not noun or noun in ROWS:
        return True
    stem = words.stem(noun)
    table = next(one for one in speech.tables if one.name == aim.table)
    if stem == words.stem(aim.table.lower()):
        return True
    keyed = [
        one
        for one in table.columns
        if words.stem(names.plain(one.name).split()[0] if names.plain(one.name) else "") == stem
    ]
    if not keyed:
        return noun.endswith("s") or stem in {
            words.stem(one) for one in ("player", "patient", "student", "employee", "customer", "member")
        }
    return table.columns[0] in keyed


_WHO = r"^\W*(?:who|which\s+(?P<key>\w+)|what\s+(?P<key2>\w+))\s+(?:(?:has|have|had)\s+)?"


def since(text: str, speech: Speech) -> str:
    """ "who has been here the longest", "who joined last"."""
    pattern, data = any_of("since")
    found = re.search(
        rf"{_WHO}(?P<said>{pattern.pattern})\s+(?:the\s+|for\s+the\s+)?(?P<way>longest|shortest)(?:\s+time)?[\s?.!]*$",
        text,
        re.IGNORECASE,
    )
    if found:
        aim = speech.aim(data[plain(found["said"])] + (" <" if found["way"].lower() == "longest" else " >"))
        return f"row {aim.first}" if aim else text
    found = re.search(rf"{_WHO}(?:was\s+|were\s+)?(?P<verb>joined|started|hired|registered|signed\s+up|employed)\s+(?:the\s+)?"
                      r"(?P<way>first|last|earliest|latest|"
                      r"most\s+recently)[\s?.!]*$", text, re.IGNORECASE)  # fmt: skip
    if found:
        aim = speech.aim(
            "joined start started hired hire registered since "
            + ("<" if found["way"].lower() in ("first", "earliest") else ">")
        )
        return f"row {aim.first}" if aim else text
    return text


def verbs(text: str, speech: Speech) -> str:
    """ "who earns the most", "which club pays the most in total"."""
    pattern, data = any_of("verbs")
    found = re.search(
        rf"{_WHO}(?:is\s+|was\s+)?(?P<said>{pattern.pattern})\s+(?:the\s+)?(?P<way>most|least|longest|shortest|highest|lowest|furthest)(?:\s+money)?(?P<rest>[\s?.!].*)?$",
        text, re.IGNORECASE,
    )  # fmt: skip
    if found is None:
        return text
    rest = (found["rest"] or "").strip(" ?.!")
    way = ">" if found["way"].lower() in ("most", "longest", "highest", "furthest") else "<"
    if re.match(r"\w", rest) and not re.match(r"(?:in|of|on|at|from|overall|altogether|per|for|by)\b", rest):
        return text  # "who sold the most shares"
    aim = speech.aim(f"{data[plain(found['said'])]} {way}")
    key = found["key"] or found["key2"]
    if aim is None:
        return text
    if key is None or not speech.has(key):
        return f"row {aim.first} {rest}".strip()
    total = re.match(r"(?:in\s+total|overall|altogether)\b", rest, re.IGNORECASE)
    means = re.match(r"on\s+average\b", rest, re.IGNORECASE)
    how = "total " if total else "average " if means else ""
    rest = rest[(total or means).end() :] if total or means else rest  # type: ignore[union-attr]
    return f"{key} with the {'highest' if aim.most else 'lowest'} {how}{aim.column.name} {rest}".strip()


_WHEN = re.compile(
    r"^\W*(?:when|on\s+(?:what|which)\s+(?:day|date))\s+(?:was|is|were|did)\s+(?:(?:the|my|our|their)\s+)?(?P<way>last|first|latest|earliest|most\s+recent|newest|oldest)\s+"
    r"(?P<noun>\w+)(?:\s+(?P<rest>(?:of|for|by|in|at|with|where)\b.*?))?[\s?.!]*$",
    re.IGNORECASE,
)


_EXTREME_DATE = re.compile(
    r"\b(?P<way>last|first|latest|earliest|most\s+recent|newest|oldest)\s+(?P<col>[a-z]\w*)\b(?!\s+first)",
    re.IGNORECASE,
)


_MOST_DONE = re.compile(
    r"\b(?:the\s+)?(?P<way>most|least)\s+(?P<verb>[a-z]{3,}ed|sold|bought|read|seen|lent)\s+(?P<noun>[a-z]\w*)\b(?!\s+first)",
    re.IGNORECASE,
)


_THINGS = {
    "book": "title book", "books": "title book", "film": "title film movie", "movie": "title movie film",
    "song": "title song track", "game": "title game", "product": "product item article name", "item": "item product article",
    "article": "article item product", "customer": "customer client name", "person": "name person",
}  # fmt: skip


def when(text: str, speech: Speech) -> str:
    """ "when was the last match", "latest date": the date alone."""
    dates = dates_of(speech.chosen)
    found = _WHEN.match(text)
    if found is not None and len(dates) == 1 and not speech.has(found["noun"]):
        how = "minimum" if found["way"].lower() in ("first", "earliest", "oldest") else "maximum"
        rest = re.sub(r"^(?:of|by)\s+", "for ", found["rest"] or "")
        return f"{how} of {dates[0].name} {rest}".strip()

    def extreme(one: re.Match[str]) -> str:
        if one["col"].lower() not in {date.name.lower() for date in dates} or (
            one["way"].lower() in ("last", "first") and one["col"].lower() != "date"
        ):
            return one[0]
        return f"{'minimum' if one['way'].lower() in ('first', 'earliest', 'oldest') else 'maximum'} of {one['col']}"

    return _EXTREME_DATE.sub(extreme, text)


def most_done(text: str, speech: Speech) -> str:
    """ "the most borrowed book": of which there are the most rows, or of which the most was sold."""

    def counted(found: re.Match[str]) -> str:
        noun = found["noun"].lower()
        keys = [
            one
            for table in speech.likely
            for one in named_so(table.columns, _THINGS.get(noun, noun).split())
            if one.kind == "text"
        ]
        if len(keys) != 1 or (speech.has(found["verb"]) and not _dates_like(found["verb"], speech)):
            return found[0]
        sold = found["verb"].lower() in ("sold", "bought", "ordered") and found["way"].lower() == "most"
        return f"{'best selling' if sold else 'most common' if found['way'].lower() == 'most' else 'least common'} {keys[0].name}"

    return _MOST_DONE.sub(counted, text)


def _dates_like(verb: str, speech: Speech) -> bool:
    stem = words.stem(verb.lower())
    split = [set(names.plain(one.name).split()) for one in dates_of(speech.chosen)]
    if speech.chosen is not None:  # such as ``prescribed_on``, whatever its texts look like
        split += [
            own
            for one in speech.chosen.columns
            if (own := set(names.plain(one.name).split())) & {"on", "at", "date", "day", "time"}
        ]
    return any(stem in {words.stem(part) for part in own} for own in split)


_PERSONS = re.compile(
    r"trader|player|customer|member|employee|person|student|user|driver|seller|salesperson|rep|barista|patient|doctor|worker|athlete|runner|teacher|"
    r"agent|clerk|cashier|rider|guest|client|buyer|waiter|author|artist|name"
)


def done_most(text: str, speech: Speech) -> str:
    """ "who sold the most shares", where "sell" is a value; "shares bought" of "buy"."""
    table = speech.chosen
    if table is None:
        return text
    for past, base in PAST.items():
        held = [(one, value) for one in table.columns for value in one.values if value.lower() == base]
        if len(held) != 1 or not re.search(rf"\b{past}\b", text, re.IGNORECASE):
            continue
        where = f"where {held[0][0].name} is {held[0][1]}"
        people = [
            one.name for one in table.columns if one.kind == "text" and _PERSONS.fullmatch(names.spaced(one.name))
        ]
        numbers = "|".join(re.escape(one.name) for one in table.columns if one.kind == "number")
        asked = rf"^\W*who\s+{past}\s+(?:the\s+)?(?P<way>most|least|fewest)\s+(?P<what>{numbers})\b"
        found = re.match(asked, text, re.IGNORECASE) if len(people) == 1 else None
        if found is not None:
            way = "highest" if found["way"].lower() == "most" else "lowest"
            text = f"{people[0]} with the {way} total {found['what']} {where}{text[found.end() :]}"
            continue
        text = re.sub(rf"\b(?P<what>{numbers})\s+{past}\b(?!\s+minus)", rf"\g<what> {where}", text, flags=re.IGNORECASE)
    return text
