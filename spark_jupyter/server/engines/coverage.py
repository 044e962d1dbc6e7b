"""Whether an answer covers its prompt, or is one to another question: the one place where that is decided, whatever made it. Pure.

An answer says what of the prompt it does nothing about (its ``doubts``). Where that is a value, a column, an operation or any word
about the user's own data, the rest of the sentence is not what was asked: it becomes a No that says what was not understood, with
what can be done to click. A single strange word is passed over where nothing of the user's is concerned.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.offers import offer
from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import scope, steer, unused, words
from spark_jupyter.server.engines.book import without_magics
from spark_jupyter.server.engines.compose import EXAMPLE
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.rewrite import quoted
from spark_jupyter.server.engines.wording import following

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.compose import Answer
    from spark_jupyter.server.engines.request import Request

_SAYS_WHAT_IT_DOES = re.compile(r"^The change is made in the whole table|^`\w+` has no \w+ column")
_TAKEN = re.compile(r"[“`]([^”`]+)[”`]")


_REFERS = re.compile(r"\b(?:it|that|them|those|these|they)\b", re.IGNORECASE)


def left(answer: Answer, asked: Request) -> tuple[str, ...]:
    """What the answer does nothing about and that makes it one to another question; empty where it covers the prompt."""
    if asked.steers or (asked.edit is not None and answer.edit) or not answer.cells:
        return ()
    code = "\n".join(cell.source for cell in answer.cells)
    if asked.before and EXAMPLE in code and asked.namespace.variables and _REFERS.search(asked.text):
        return (asked.text,)  # what was answered before is meant, and not an example
    if answer.notes.startswith("From the recipe") and (_unlike(asked, code) or _of_another(asked, code)):
        return (asked.text,)
    own = _about_own(asked, code)
    found: list[str] = []
    strange: list[str] = []
    for doubt in answer.doubts:
        if doubt == steer.STANDS or _SAYS_WHAT_IT_DOES.match(doubt):
            continue
        said = unused.words_left(doubt)
        (strange if said and not own else found).extend(said or _TAKEN.findall(doubt) or [doubt])
    data = any(one.type not in ("module", "function", "type", "class") for one in asked.namespace.variables)
    if len(strange) > 1 or data or any(words.canonical(one) in words.ACTIONS for one in strange):
        found += strange
    found += _half_named(asked, code)
    found += _unused_columns(asked, answer.notes, code)
    found += _of_no_example(asked, code)
    return tuple(dict.fromkeys(found))


_QUESTION = re.compile(r"^\W*(?:is|are|was|were|does|do|did|has|have)\b(?!\s+(?:you|it possible))", re.IGNORECASE)
_COMPARED = re.compile(
    r"\w\[[\"'](?P<column>[^\"']+)[\"']\](?: == |\.isin\(\[|\.replace\(\{)[\"'](?P<value>[^\"']+)[\"']"
)


def _unlike(asked: Request, code: str) -> bool:
    """Whether a recipe compares a column of the user's with a value of its example, or changes one where something is only asked."""
    own = {one.name for table in asked.namespace.of_kind("DataFrame") for one in table.columns}
    compared = [found for found in _COMPARED.finditer(code) if found["column"] in own]
    if any(found["value"].lower() not in asked.text.lower() for found in compared):
        return True
    changed = re.findall(r"^\w+\[[\"']([^\"']+)[\"']\] = ", code, re.MULTILINE)
    return _QUESTION.match(asked.text) is not None and any(name in own for name in changed)


def _of_another(asked: Request, code: str) -> bool:
    """Whether a recipe takes a column that nobody named where the prompt says "that" of something which was answered before."""
    if not asked.before or not following.pointing(asked.text):
        return False
    said = " ".join(names.plain(text) for text in (asked.text, *asked.before))
    own = {one.name for table in asked.namespace.of_kind("DataFrame") for one in table.columns}
    return any(quoted(name) in code and not set(names.plain(name).split()) & set(said.split()) for name in own)


def _half_named(asked: Request, code: str) -> list[str]:
    """Words that are a part of several columns' names, where the code has some of them and not all: "goals" of home and away goals."""
    said = {words.stem(word) for word in re.findall(r"[a-zà-ÿ]{4,}", asked.text.lower())}
    found = []
    for table in asked.namespace.of_kind("DataFrame"):
        if not re.search(rf"(?<![\w.]){re.escape(table.name)}(?!\w)", code):
            continue
        split = {one.name: {words.stem(part) for part in names.plain(one.name).split()} for one in table.columns}
        for word in said:
            alike = [name for name, parts in split.items() if word in parts and len(parts) > 1]
            used = [name for name in alike if quoted(name) in code]
            if (
                len(alike) > 1
                and 0 < len(used) < len(alike)
                and not any((split[name] - {word}) & said for name in used)
            ):
                found.append(word)
    return found


def _unused_columns(asked: Request, notes: str, code: str) -> list[str]:
    """Words that speak of one column of a table of which a recipe uses others: "cost" of ``cost_eur``."""
    if not notes.startswith("From the recipe"):
        return []
    said = [word for word in re.findall(r"[a-zà-ÿ]{4,}", asked.text.lower()) if word not in lexicon.NOISE]
    found = []
    for table in asked.namespace.of_kind("DataFrame"):
        if not re.search(rf"(?<![\w.]){re.escape(table.name)}(?!\w)", code):
            continue
        columns = [one.name for one in table.columns]
        for word in said:
            meant = lexicon.parts_of(word, columns)
            left_out = len(meant) == 1 and re.search(rf"[\"']{re.escape(meant[0])}[\"']", code) is None
            found += [word] if left_out else []
    return found


def _of_no_example(asked: Request, code: str) -> list[str]:
    """Columns of the user's, or keys of records, that the prompt names and that an answer on example data can't be about."""
    if EXAMPLE not in code:
        return []
    said = {words.stem(word) for word in words.split(asked.text)}
    listed = [one.name for variable in asked.namespace.variables for one in variable.columns]
    named = [one for one in listed if len(one) > 2 and {words.stem(part) for part in names.plain(one).split()} <= said]
    return named if len(set(named)) > 1 else []


def _about_own(asked: Request, code: str) -> bool:
    """Whether the prompt or the code is about variables of the user's."""
    try:
        read = set(scope.names(without_magics(code)).needed)
    except SyntaxError:
        read = set()
    return any(
        one.name in read or (len(one.name) > 2 and re.search(rf"(?<![\w.]){re.escape(one.name)}(?!\w)", asked.text))
        for one in asked.namespace.variables
    )


def refused(missing: Sequence[str], offers: Sequence[str], connect: str) -> str:
    """The notes of a No: what was not understood, and what can be done instead."""
    listed = ", ".join(f"“{one}”" for one in missing)
    said = (
        f"{REFUSAL} of what you ask I have nothing for {listed}; an answer to the rest would be one to another question. "
        "I am a recipe book, not a language model."
    )
    notes = [said]
    if offers:
        notes += ["What I can do:", "\n".join(dict.fromkeys(map(offer, offers)))]
    return "\n\n".join([*notes, connect])


def without(prompt: str, missing: Sequence[str]) -> str:
    """The prompt without these words."""
    for one in missing:
        prompt = re.sub(
            rf"(?<!\w)(?:(?:and|of|the|with|by|in|for)\s+)?{re.escape(one)}(?!\w)",
            " ",
            prompt,
            count=1,
            flags=re.IGNORECASE,
        )
    return " ".join(prompt.split()).strip(" ,;")
