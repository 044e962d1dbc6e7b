"""Columns that are nearly named: "closing price of NVX", "crowd", "days of", "books by Orwell", "(value is shares times price)". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines.wording.speech import any_of, is_value, named_so, plain

if TYPE_CHECKING:
    from spark_jupyter.server.engines.wording.speech import Speech


_SIGNS = {
    "times": "*",
    "x": "*",
    "*": "*",
    "plus": "+",
    "+": "+",
    "minus": "-",
    "-": "-",
    "divided by": "/",
    "/": "/",
    "over": "/",
}


_DEFINED = re.compile(
    r"[\s,;(:.-]+(?:where\s+|the\s+)*(?P<word>[a-z]\w*)\s+(?:is|=|means|meaning|being)\s+(?:the\s+)?(?P<first>\w+(?: \w+)?)\s*"
    r"(?P<sign>\btimes\b|\bx\b|\*|\bplus\b|\+|\bminus\b|-|\bdivided by\b|/|\bover\b)\s*(?:the\s+)?(?P<second>\w+(?: \w+)?)\s*\)?\s*[.!?]?$",
    re.IGNORECASE,
)


def defined(text: str, speech: Speech) -> str:
    """ "total value per symbol (value is shares times price)"."""
    found = _DEFINED.search(text)
    if found is None or speech.chosen is None or re.search(r"\b(?:column|call|named|add|new)\b", text, re.IGNORECASE):
        return text
    own = {names.plain(one.name): one.name for one in speech.chosen.columns}
    pair = [own.get(names.plain(found[part])) for part in ("first", "second")]
    rest = text[: found.start()]
    word = re.compile(rf"(?<!\w){re.escape(found['word'])}(?!\w)", re.IGNORECASE)
    if None in pair or speech.has(found["word"]) or not word.search(rest):
        return text
    return word.sub(f"{pair[0]} {_SIGNS[found['sign'].lower()]} {pair[1]}", rest)


_OF = re.compile(r"(?<!\w)(?P<what>[a-z]+)\s+(?:of|for|in)\s+(?:the\s+)?(?P<whose>[a-z]\w*)(?!\w)", re.IGNORECASE)


def swapped(text: str, speech: Speech) -> str:
    """ "close of NVX" where there is a column ``NVX_close``."""
    own = {
        " ".join(re.findall(r"[^\W_]+", one.name.lower())): one.name
        for table in speech.likely
        for one in table.columns
        if "_" in one.name
    }
    said = nouns(text, speech, only=frozenset(("closing price", "opening price", "closing prices"))) if own else text

    def swapped(found: re.Match[str]) -> str:
        both = [found["what"].lower(), found["whose"].lower()]
        return own.get(f"{both[1]} {both[0]}") or own.get(f"{both[0]} {both[1]}") or found[0]

    made = _OF.sub(swapped, said) if own else text
    return made if made != said else text


def mistyped(text: str, speech: Speech) -> str:
    """ "days of per dept" where there is a column "Days Off": names of several words with one mistake."""
    said = " ".join(re.findall(r"\w+", text.lower()))
    for column in (one for table in speech.likely for one in table.columns):
        parts = [part.lower() for part in re.findall(r"[^\W_]+", column.name)]
        plain = " ".join(parts)
        if len(parts) < 2 or len(plain) < 6 or f" {plain} " in f" {said} ":
            continue
        for found in re.finditer(r"(?=\b(" + r"[\s_]+".join([r"[^\W_]+"] * len(parts)) + r")\b)", text):
            near = " ".join(re.findall(r"[^\W_]+", found[1].lower()))
            if re.match(r"\s+(?:the|each|every|an?|my|this|that|our)\b", text[found.end(1) :], re.IGNORECASE):
                continue  # "room on each floor" of a column ``room_no``
            if (
                len(near) >= 6
                and re.findall(r"\d", near) == re.findall(r"\d", plain)  # "quiz 1" is no slip for "quiz 2"
                and OSA.distance(near, plain, score_cutoff=1) == 1
                and all(len(part) > 2 or part in near.split() for part in parts)  # "period vs" is no ``period_s``
                and names.plain(near) != names.plain(plain)
            ):
                return text[: found.start()] + column.name + text[found.end(1) :]
    return text


def nouns(text: str, speech: Speech, only: frozenset[str] | None = None) -> str:
    """ "crowd" of ``attendance``, "wage" of ``salary``."""
    pattern, data = any_of("nouns")

    def named(found: re.Match[str]) -> str:
        said = plain(found[0])
        if only is not None:
            return data[said] if said in only else found[0]
        if speech.has(said) or is_value(said, speech):
            return found[0]
        parts = data[said].split()
        found_in = [(table, one) for table in speech.likely[:2] for one in named_so(table.columns, parts)]
        return found_in[0][1].name if len({one.name for _, one in found_in}) == 1 else found[0]

    return pattern.sub(named, text)


_DOES = (
    r"(?:(?:that|which|who)\s+)?(?:can\s+|do\s+|does\s+)?(?:play|grow|speak|use|own|like|know|sell|eat|take|practise|practice|choose|chose|select|offer"
    r"|have|do|list|mention|need|want|study|teach)(?:s|es|ed)?\s+(?:in\s+)?"
)
"""What somebody does with a thing that a text lists."""
_LED = (
    r"(?:(?:(?:that|which|who|whose)\s+)?(?:(?:is|are|was|were)\s+)?(?:written\s+|made\s+|called\s+|named\s+)?"
    r"(?:by|of|from|in|with|for|called|named|at)\s+)"
)


def partly(text: str, speech: Speech) -> str:
    """ "books by Orwell" where there is a "George Orwell"."""
    listed = [one for table in speech.likely for one in table.columns]
    for column in listed:
        for word in column.parts:
            if len([one for one in listed if word in one.parts]) == 1:
                said = f'where {column.name} contains "{word}"'
                text = re.sub(rf"\b(?:{_DOES}|{_LED})?{re.escape(word)}\b", said, text, count=1)
    return text


_DOMAIN = re.compile(
    r"(?<![\w@.\"'⟦])@?(?P<domain>[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|org|net|de|uk|edu|io|eu|fr|ch|at|info))(?![\w.]*[\w(])",
    re.IGNORECASE,
)


def domains(text: str, speech: Speech) -> str:
    """ "with mail at corp.org"."""
    found = _DOMAIN.search(text)
    if found is None:
        return text
    mails = [one for table in speech.likely[:1] for one in table.columns if re.search("mail", one.name.lower())]
    text = f'{text[: found.start()]}"{found["domain"]}"{text[found.end() :]}'
    if len(mails) != 1:
        return text
    said = rf"(?:{re.escape(mails[0].name)}|e-?mails?|mails?)(?:\s+(?:address(?:es)?|is|are))?\s+(?:at|from|on|in)"
    led = r"(?:\b(?:with|have|has|having|whose|an?|the|their)\s+)*\b"
    return re.sub(rf'{led}{said}\s+(?=")', f"where {mails[0].name} contains ", text, flags=re.IGNORECASE)


_RANGED = re.compile(
    r"(?<![\w.])(?P<first>(?P<stem>[A-Za-z]\w*?)[ _]?(?P<low>\d{1,2}))\s*(?:to|through|thru|until|till|up to|-|–|\.\.+)\s*"
    r"(?P<last>(?:(?P=stem))?[ _]?(?P<high>\d{1,2}))(?![\w.]|\s*(?:%|or\b))",
    re.IGNORECASE,
)
_ALL_OF = re.compile(
    r"\b(?P<all>all(?:\s+of)?|both|every|each|the)\s+(?:the\s+|of\s+the\s+)?(?:\w+\s+)??(?P<stem>[A-Za-z]\w*?)\s*[-_*]?\s+"
    r"(?:columns|questions|items|variables)\b(?!\s+names?\b)",
    re.IGNORECASE,
)


def ranged(text: str, speech: Speech) -> str:
    """ "q1 to q4", or "all q columns", as "q1, q2, q3 and q4": the columns that a table has of one name with numbers."""
    listed = [column for table in (speech.named or speech.likely[:1]) for column in table.columns]
    numbered = {}
    for one in listed:
        found = re.fullmatch(r"(?P<stem>\D+?)[ _]?(?P<n>\d{1,2})", re.sub(r"\s*\([^()]*\)\s*$", "", one.name))
        if found:
            numbered[found["stem"].strip().lower(), int(found["n"])] = one.name

    def between(found: re.Match[str]) -> str:
        low, high = int(found["low"]), int(found["high"])
        meant = [numbered.get((found["stem"].strip().lower(), number)) for number in range(low, high + 1)]
        told = [one for one in meant if one is not None]
        return _listed(told) if len(told) > 1 and meant[0] and meant[-1] else found[0]

    def every(found: re.Match[str]) -> str:
        told = [name for (stem, _), name in numbered.items() if stem == found["stem"].lower()]
        return _listed(told) if len(told) > 1 and (found["all"].lower() != "both" or len(told) == 2) else found[0]

    return _ALL_OF.sub(every, _RANGED.sub(between, text))


def _listed(told: list[str]) -> str:
    return f"{', '.join(told[:-1])} and {told[-1]}"
