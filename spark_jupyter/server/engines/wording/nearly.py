"""Columns that are said with more words than their names, or with others: "trip duration", "reaction times" of ``rt_ms``, "started at
each station" of ``start_station``, "art mark" of ``art``, "men and women" of ``gender``. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.query.tables import singular
from spark_jupyter.server.engines.wording.speech import is_value

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column
    from spark_jupyter.server.engines.wording.speech import Speech


def _columns(speech: Speech) -> list[Column]:
    """Those of the tables that are likely meant: the named ones, else all."""
    return [one for table in (speech.named or speech.likely) for one in table.columns]


def _parts(column: Column) -> list[str]:
    """The words of its name, in lower case."""
    return names.spaced(column.name).split()


def of_rows(text: str, speech: Speech) -> str:
    """ "trip duration" of a table ``trips``: whose it is needs no word."""
    spaced = {" ".join(_parts(one)) for one in _columns(speech)}
    for table in speech.likely:
        own = singular(table.name.lower().replace("_", " ").split()[-1])
        numbered = [" ".join(_parts(one)[:-1]) for one in table.columns if _parts(one)[-1:] == ["id"]]
        for row in dict.fromkeys((own, *numbered)):
            if len(row) < 3 or row in spaced or is_value(row, speech):
                continue

            def bare(found: re.Match[str], row: str = row, columns: tuple[Column, ...] = table.columns) -> str:
                said = found["what"].lower()
                owned = any(f"{row} {said}" in one for one in spaced)
                held = any(words.stem(said) in map(words.stem, _parts(one)) for one in columns if one.kind != "text")
                return found["what"] if held and not owned else found[0]

            text = re.sub(rf"\b{re.escape(row)}(?:'s|s')?\s+(?P<what>[a-z]{{3,}})\b", bare, text, flags=re.IGNORECASE)
    return text


_SMALL = frozenset(
    (
        "and",
        "the",
        "for",
        "per",
        "with",
        "from",
        "each",
        "all",
        "are",
        "has",
        "how",
        "many",
        "what",
        "which",
        *words.NUMERALS,
    )
)


def by_initials(text: str, speech: Speech) -> str:
    """ "reaction times" of ``rt_ms``, "grade point average" of ``gpa``."""
    short = {
        part: one.name
        for one in _columns(speech)
        for part in re.findall(r"[a-z]+", names.spaced(one.name))
        if 2 <= len(part) <= 4
    }
    for part, name in short.items():
        run = r"[\s-]+".join(rf"{letter}[a-z]{{2,}}" for letter in part)
        for found in re.finditer(rf"(?=\b({run})\b)", text, re.IGNORECASE):
            said = re.findall(r"[a-z]+", found[1].lower())
            if any(one in _SMALL or speech.has(one) or is_value(one, speech) for one in said):
                continue
            if words.canonical(said[0]) in words.ACTIONS:
                continue
            return text[: found.start(1)] + name + text[found.end(1) :]
    return text


def spelt(text: str, speech: Speech) -> str:
    """ "top 3 start stations" of ``start_station``, where there is a table of stations."""
    tables = {words.stem(one.name.lower()) for one in speech.tables}
    for one in (one for table in speech.likely for one in table.columns):
        parts = _parts(one)
        if len(parts) > 1 and words.stem(parts[-1]) in tables:
            said = r"[\s_]+".join((*map(re.escape, parts[:-1]), rf"{re.escape(singular(parts[-1]))}(?:e?s)?"))
            text = re.sub(rf"\b{said}\b", one.name, text, flags=re.IGNORECASE)
    return text


_DONE = r"(?:was|were|is|are|that|which|has|have|been|do|does|did|\s)*"


def done_at(text: str, speech: Speech) -> str:
    """ "trips started at each station" of ``start_station``; "the start and end station" of that and ``end_station``."""
    pairs = [(parts, one.name) for one in _columns(speech) if len(parts := _parts(one)) == 2]
    for (first, noun), name in pairs:
        others = [parts[0] for parts, _ in pairs if parts[1] == noun and parts[0] != first]
        if not others or len(first) < 3:
            continue
        for other in others:
            both = next(one for parts, one in pairs if parts == [other, noun])
            text = re.sub(
                rf"\b{first}\s+and\s+(?:the\s+)?{other}\s+{noun}s?\b", f"{name} and {both}", text, flags=re.IGNORECASE
            )
        verb = rf"{first}(?:{first[-1]})?(?:s|ed|ing)?"
        ways = {"each": "per", "every": "per"}
        told = rf"\b{_DONE}\b{verb}\s+(?:at|in|from|on|with)\s+(?P<each>each|every|the|a|which)\s+{noun}s?\b"
        found = re.search(told, text, re.IGNORECASE)
        if found is not None:
            way = ways.get(found["each"].lower(), "of")
            text = f"{text[: found.start()].rstrip()} {way} {name}{text[found.end() :]}"
    return text


_SCORE = r"(?:marks?|grades?|scores?|points|results?|values?|entry|entries|answers?|readings?)"


def of_marks(text: str, speech: Speech) -> str:
    """ "pupils with no art mark", "the maths marks": the column itself, where no other has that word."""
    tables = {singular(one.name.lower()) for one in speech.tables}
    if any(re.search(rf"\b{_SCORE}\b", names.spaced(one.name)) for one in _columns(speech)):
        return text
    for one in _columns(speech):
        if one.kind == "number" and len(one.name) > 1:
            said = r"[\s_]+".join(map(re.escape, _parts(one)))
            text = re.sub(rf"\b({said})\s+{_SCORE}\b", one.name, text, flags=re.IGNORECASE)
            if said in tables or not one.gaps:
                continue  # "agents without a ticket", of which there is a table
            none = rf"\b(?:with(?:out| no)|(?:have|has|had|got)\s+no)\s+(?:an?\s+|any\s+)?{said}(?=\s*(?:[?.!,]|$))"
            text = re.sub(none, f"where {one.name} is missing", text, flags=re.IGNORECASE)
    return text


_SEXES = re.compile(
    r"\b(?:how\s+many|number\s+of)\s+(?:women|men|boys|girls|males?|females?)\s*(?:,|and|vs\.?|versus|or|/)\s*(?:and\s+)?"
    r"(?:women|men|boys|girls|males?|females?)\b(?:\s+(?:are|were|do we have|is|there|work))*",
    re.IGNORECASE,
)


def both_sexes(text: str, speech: Speech) -> str:
    """ "how many women and men are in each group"."""
    found = [one for one in _columns(speech) if one.name.lower() in ("sex", "gender")]
    if not found or len({one.name for one in found}) != 1:
        return text
    return _SEXES.sub(f"how many rows of each {found[0].name}", text)


_TAKES = r"(?:takes?|uses?|has|have|own|owns|get|gets|plays?|rides?|wants?|needs?|goes? by|come by|with)"


def doing_so(text: str, speech: Speech) -> str:
    """ "who take the bus" of a column ``bus`` of yes and no."""
    for one in _columns(speech):
        if one.kind == "bool" or one.truth or one.flag:
            said = r"[\s_]+".join(map(re.escape, _parts(one)))
            way = rf"\b(?:(?:who|that|which)\s+)?{_TAKES}\s+(?:the\s+|an?\s+)?{said}\b(?!\s+(?:is|=|or|and|above|below|missing))"
            refused = r"(?:do(?:es)?\s*(?:n't|not)|don't|doesn't|never|without)"
            way_not = rf"\b(?:(?:who|that|which)\s+)?{refused}\s+(?:{_TAKES}\s+)?(?:the\s+|an?\s+)?{said}\b"
            text = re.sub(way_not, f"where {one.name} is no", text, flags=re.IGNORECASE)
            text = re.sub(way, f"where {one.name} is yes", text, flags=re.IGNORECASE)
    return text


_ACCURACY = re.compile(r"\b(?P<what>accuracy|error rate|hit rate|success rate)\b", re.IGNORECASE)


def accurate(text: str, speech: Speech) -> str:
    """ "accuracy per condition" of a column ``correct`` that holds 0 and 1."""
    flags = [
        one
        for one in _columns(speech)
        if (one.flag or one.kind == "bool") and set(_parts(one)) & {"correct", "accurate", "right", "hit", "success"}
    ]
    found = _ACCURACY.search(text)
    if (
        len(flags) != 1
        or found is None
        or speech.has(found["what"])
        or re.search(r"\b(?:test|train|model|forest|predict\w*|classif\w*|regression)\b", text)
    ):
        return text
    if "error" in found["what"].lower():
        return text
    text = re.sub(r"\b(?:average|mean|avg)\s+(?=accuracy|hit rate|success rate)", "", text, flags=re.IGNORECASE)
    percent = re.search(r",?\s*\b(?:in|as)\s+(?:percent|%|a percentage|percentages?)(?!\w)", text, re.IGNORECASE)
    text = text.replace(percent[0], "", 1) if percent else text
    text = _ACCURACY.sub(f"{'percent' if percent else 'mean'} {flags[0].name}", text, count=1)
    return re.sub(rf"({re.escape(flags[0].name)})\s+(?:of|for)\s+(?=each|every)", r"\1 per ", text)


_COMMON = re.compile(
    rf"\b(?:the\s+)?(?:top\s+)?(?P<n>\d+|{'|'.join(words.NUMERALS[1:])})\s+(?:most\s+(?:common|frequent|popular|used)|commonest)\s+(?P<noun>\w+)"
    rf"|\b(?:the\s+)?most\s+(?:common|frequent|popular|used)\s+(?P<m>\d+|{'|'.join(words.NUMERALS[1:])})\s+(?P<what>\w+)",
    re.IGNORECASE,
)


def commonest(text: str, speech: Speech) -> str:
    """ "3 most common bikes": the values that most rows have."""

    def top(found: re.Match[str]) -> str:
        said = found["noun"] or found["what"]
        stem = words.stem(said.lower())
        listed = [one for table in speech.likely[:1] for one in table.columns]
        held = any(one.name.lower() == said.lower() or stem in map(words.stem, _parts(one)) for one in listed)
        return f"top {found['n'] or found['m']} {said}" if held else found[0]

    return _COMMON.sub(top, text)


_MANY = rf"(?P<n>\d+|{'|'.join(words.NUMERALS[1:])})"
_LED = r"\b(?:(?:pick|draw|choose|take|select|give me|show|get)\s+(?:me\s+)?)?"
_RANDOM = re.compile(
    rf"{_LED}{_MANY}\s+random\s+(?P<noun>[a-z]+)\b|{_LED}{_MANY.replace('<n>', '<m>')}\s+(?P<who>[a-z]+)\s+(?:at random|randomly)\b",
    re.IGNORECASE,
)


def drawn(text: str, speech: Speech) -> str:
    """ "3 random pupils", "pick 3 pupils at random": rows of the table that is called so, or whose rows are."""

    def rows(found: re.Match[str]) -> str:
        said = found["noun"] or found["who"]
        stem = words.stem(said.lower())
        table = next((one for one in speech.likely if words.stem(singular(one.name.lower())) == stem), None)
        if (
            table is None
            and speech.chosen is not None
            and stem in {words.stem(one.name.lower()) for one in speech.chosen.columns}
        ):
            table = speech.chosen
        if table is None or said.lower() in speech.variables - {table.name.lower()}:
            return found[0]
        return f"{found['n'] or found['m']} random rows of {table.name}"

    return _RANDOM.sub(rows, text)


_PARTICIPLE = (
    "missed|taken|spent|earned|played|made|sold|used|given|collected|scored|driven|walked|cycled|worked|ordered|bought|received|recorded|"
    "reported|needed|lost|read|done|flown"
)


def of_done(text: str, speech: Speech) -> str:
    """ "total lessons missed per student": what was done with what a column counts needs no word."""
    for one in _columns(speech):
        if one.kind == "number":
            said = r"[\s_]+".join(map(re.escape, _parts(one)))
            for found in re.finditer(
                rf"\b{said}\s+(?P<done>{_PARTICIPLE})(?=\s+(?:per|by|for|in|each)\b)", text, re.IGNORECASE
            ):
                if not speech.has(found["done"]) and not is_value(found["done"].lower(), speech):
                    return text[: found.start("done")].rstrip() + text[found.end("done") :]
    return text


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_WEEK = re.compile(
    rf"[\s,(]*(?:from\s+)?\b(?P<first>{_DAY})\s*(?:to|-|–|through|thru|until|till)\s*(?P<last>{_DAY})\b\s*\)?",
    re.IGNORECASE,
)
_IN_ORDER = re.compile(
    r"[\s,(]*\b(?:in|by)\s+(?:the\s+)?(?:right\s+|week\s*day\s+|day\s+|calendar\s+)+(?:order|sequence)\b\s*\)?",
    re.IGNORECASE,
)


def of_week(text: str, speech: Speech) -> str:
    """ "per weekday, Monday to Sunday", which is their order; "Monday to Friday", which are five."""
    grouped = re.search(r"\b(?:weekdays?|days? of (?:the )?week|day names?)\b", text, re.IGNORECASE) is not None
    if grouped:
        text = _IN_ORDER.sub("", text)

    def days(found: re.Match[str]) -> str:
        first, last = (
            next((n for n, day in enumerate(_DAYS) if day.startswith(found[one].lower()[:3])), -1)
            for one in ("first", "last")
        )
        if (first, last) == (0, 6) and grouped:
            return ""
        if last <= first or any(is_value(found[one].lower(), speech) for one in ("first", "last")):
            return found[0]
        if (first, last) == (0, 4):
            return " on weekdays"
        listed = [day.capitalize() for day in _DAYS[first : last + 1]]
        return f" on {', '.join(listed[:-1])} or {listed[-1]}"

    return _WEEK.sub(days, text)
