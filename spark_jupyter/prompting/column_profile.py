"""Profile of a column's texts: dates, numbers, flags, samples, prompt words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MOST_VALUES = 6
"""Of the prompt's words, that a column may be said to have."""
_ENOUGH = 0.6
"""Share of the texts that must be numbers: the others stand for missing numbers."""
_LONGEST = 4
"""Words of a value."""

_ISO = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?")
_ISO_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_DAYS = re.compile(r"(\d{1,2})([./-])(\d{1,2})[./-]\d{4}(?: \d{1,2}:\d{2}(?::\d{2})?)?")
_DAY = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2\d{4}")
_NUMBER = re.compile(r"[^\w\s-]?\s*-?\s*[^\w\s-]?\s*\d[\d,.' ]*(?:[eE][+-]?\d+)?\s*(?:%|[^\w\s]|[A-Za-z]{1,4})?")
_LAST_FIRST = re.compile(r"[^\W\d_][^\W\d_' -]*, ?[^\W\d_][^\W\d_.' -]*")
_COMMA = re.compile(r"\D*\d+(?:\.\d{3})*,\d{1,2}\D*")
_POINT = re.compile(r"\D*\d[\d,]*\.\d+\D*|\D*\d{1,3}(?:,\d{3})+\D*")
_BETWEEN = re.compile(r"\s*[;,|]\s*")
_LISTS = 0.3
"""The part of the texts that have to be lists: others list one thing."""
_PLAIN = re.compile(r"[\w .&/+@-]{1,40}")
_WORD = re.compile(r"[\w&/+@.-]*\w")
_NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")
"""A word that may stand in a value: the "Orwell" of "George Orwell"."""
PAST = {
    "sold": "sell",
    "bought": "buy",
    "paid": "pay",
    "lent": "lend",
    "won": "win",
    "lost": "lose",
    "sent": "send",
    "given": "give",
}
"""Spellings of values that a prompt has as verbs of the past."""
_YES, _NO = frozenset(["yes", "y", "true", "t"]), frozenset(["no", "n", "false", "f"])
_SMALL = frozenset(
    "a an the of in on at to for from by and or is are was it its no not all any who that this me us my i we as be so do "
    "up".split()
)
"""Words that are a value only where they are spelt as it is: "IT", not "it"."""


def words_found(texts: Sequence[str], said: frozenset[str]) -> str:
    """The prompt's words (see :func:`phrases`) that are values of a column with these texts, as the table spells them: ``has 'casual'``;
    or that stand in some: ``in it 'Orwell'``. Empty where there are none."""
    if not said or kind_of_texts(texts):
        return ""
    if listed := _listed(texts, said):
        return f"in it {', '.join(map(repr, listed[:MOST_VALUES]))}"
    found = [value for value in dict.fromkeys(texts) if _PLAIN.fullmatch(value.strip()) and _meant(value, said)]
    if found:
        return f"has {', '.join(repr(value) for value in found[:MOST_VALUES])}"
    names = sorted(one for one in said if _NAME.fullmatch(one) and one.lower() in said)
    standing = frozenset(word for text in texts for word in _NAME.findall(text)) if names else frozenset()
    inside = [one for one in names if one in standing]
    return f"in it {', '.join(map(repr, inside[:MOST_VALUES]))}" if inside else ""


_LONGEST_SAMPLE = 40
"""Characters of a value that is told."""


def quoted(text: str) -> str:
    """A value as Python writes it, cut where it is long."""
    return repr(text if len(text) <= _LONGEST_SAMPLE else f"{text[: _LONGEST_SAMPLE - 1]}…")


def sample(counts: Mapping[str, int], most: int) -> list[str]:
    """Values that show how a column is written: the first of each form, in which digits and letters are alike."""
    forms: dict[str, str] = {}
    for text in counts:
        forms.setdefault(re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", text[:_LONGEST_SAMPLE])), text)
    chosen = [*forms.values()][:most]
    return [*chosen, *[text for text in counts if text not in chosen][: most - len(chosen)]]


def _listed(texts: Sequence[str], said: frozenset[str]) -> list[str]:
    """The prompt's words that are things which texts list ("golf; tennis"); none where most texts are no lists."""
    split = [[part.strip().lower() for part in _BETWEEN.split(text)] for text in texts if text.strip()]
    lists = [one for one in split if len(one) > 1 and all(part.count(" ") < 2 for part in one)]
    if not lists or len(lists) < _LISTS * len(split) or len({len(one) for one in split}) == 1:
        return []  # all of two parts: rather names, "Doe, Jane"
    things = {part for one in split for part in one if len(part) > 2}
    if len(things) >= sum(map(len, lists)):  # each stands once
        return []
    return sorted(one for one in said if one.lower() in things)


def phrases(prompt: str) -> frozenset[str]:
    """Runs of up to four words of the prompt, as they are spelt and in small letters, in the plural and in the singular."""
    text = prompt.replace("'s", "")
    matches = list(_WORD.finditer(text))
    words = [match[0] for match in matches]
    found = {match[0] for match in matches if not _is_capital_by_grammar(match, text)}
    for length in range(1, _LONGEST + 1):
        for at in range(len(words) - length + 1):
            run = " ".join(words[at : at + length])
            if run.lower() not in _SMALL:
                found |= {run, run.lower(), *_singular(run.lower())}
    return frozenset(found)


def _is_capital_by_grammar(match: re.Match[str], text: str) -> bool:
    """True of "A plot" at the beginning of a sentence, and of "I", that are not quoted: no value is meant by them."""
    word, before = match[0], text[: match.start()]
    if word.lower() not in _SMALL or word != word.capitalize() or before.endswith(("'", '"', "`")):
        return False
    before = before.rstrip(" \t*-")
    return word == "I" or not before or before[-1] in ".!?:;\n"


def _singular(run: str) -> tuple[str, ...]:
    if run in PAST:
        return (PAST[run],)
    if len(run) > 5 and run.endswith("ed"):
        return (run[:-2],)
    if len(run) > 3 and run.endswith("s") and not run.endswith("ss"):
        return (run[:-1], run[:-2]) if run.endswith("es") else (run[:-1],)
    return ()


def _meant(value: str, said: frozenset[str]) -> bool:
    plain = " ".join(value.split())
    return plain in said or (plain.lower() not in _SMALL and plain.lower() in said)


def _truth(known: Sequence[str]) -> str:
    """``truth 'Y' 'N'`` of a column that says only yes and no, as it spells them; ``truth 'Yes' 'y' or 'no'`` where in several ways."""
    yes, no = (sorted({one for one in known if one.strip().lower() in said}) for said in (_YES, _NO))
    if not yes or not no or len(yes) + len(no) < len(set(known)):
        return ""
    between = " " if len(yes) == len(no) == 1 else " or "
    return f"truth {' '.join(map(repr, yes))}{between}{' '.join(map(repr, no))}"


def _mixed_dates(known: Sequence[str]) -> str:
    """``mixed dates: %Y-%m-%d, %d.%m.%Y`` of days in several formats, each of which says whether the day or the month comes first."""
    orders: dict[str, set[bool]] = {}
    for text in known:
        found = _DAY.fullmatch(text)
        if found is None and not _ISO_DAY.fullmatch(text):
            return ""
        mark, first, second = (found[2], int(found[1]), int(found[3])) if found else ("", 0, 13)
        if first > 12 or second > 12 or mark == ".":
            orders.setdefault(mark, set()).add(first > 12 or mark == ".")
        else:
            orders.setdefault(mark, set())
    if len(orders) < 2 or any(len(one) != 1 for one in orders.values()):
        return ""
    formats = (f"%d{mark}%m{mark}%Y" if True in one else f"%m{mark}%d{mark}%Y" for mark, one in orders.items() if mark)
    return f"mixed dates: {', '.join([*(['%Y-%m-%d'] if '' in orders else []), *formats])}"


def kind_of_texts(texts: Sequence[str]) -> str:
    """The kind of a column's texts: ``dates, day first``, ``mixed dates: …``, ``numbers, decimal comma``, ``truth 'Y' 'N'``,
    ``names, last first``; empty where they are just texts."""
    known = [text.strip() for text in texts if text.strip()]
    if not known:
        return ""
    if all(_ISO.fullmatch(text) for text in known):
        return "dates"
    days = [_DAYS.fullmatch(text) for text in known]
    if all(days):
        parts = [(int(found[1]), found[2], int(found[3])) for found in days if found]
        day_first = any(first > 12 for first, _, _ in parts) or all(mark == "." for _, mark, _ in parts)
        month_first = not day_first and any(second > 12 for _, _, second in parts)
        return "dates, day first" if day_first else "dates, month first" if month_first else "dates"
    if mixed := _mixed_dates(known):
        return mixed
    if truth := _truth([text for text in texts if text.strip()]):
        return truth
    if all(map(_LAST_FIRST.fullmatch, known)):
        return "names, last first"
    numbers = [text for text in known if _NUMBER.fullmatch(text)]
    units = {found[0].lower() for text in numbers if (found := re.search(r"[A-Za-z]+$", text))}
    if len(numbers) < _ENOUGH * len(known) or len(units) > 1:  # "10 A", "11 B": no numbers of one unit
        return ""
    comma = any(map(_COMMA.fullmatch, numbers)) and not any(map(_POINT.fullmatch, numbers))
    return "numbers, decimal comma" if comma else "numbers"
