"""Answers that are put together from what a sentence asks of the user's variables: conditions, groups, summaries, order, changes of
columns, pictures. Nothing of it comes from a book, so nothing of it is an example.

``tables.py`` chooses the table, ``marked.py`` marks names and values in the prompt, ``read.py`` (with ``conditions.py``,
``changes.py``, ``draw.py``) takes out of it what is understood, ``write.py`` (with ``rows.py`` and ``picture.py``) makes the code. Pure.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.protocol.offers import offer
from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import evidence, further, phrases, steer, unused, wording, words
from spark_jupyter.server.engines.book import BookCell
from spark_jupyter.server.engines.compose import Answer
from spark_jupyter.server.engines.phrases import cursor, shapes, things, turning
from spark_jupyter.server.engines.query import lexicon, loose, meant, plain, polars, rates, tables
from spark_jupyter.server.engines.query.conditions import Conditions
from spark_jupyter.server.engines.query.marked import Marked
from spark_jupyter.server.engines.query.model import Condition
from spark_jupyter.server.engines.query.read import read
from spark_jupyter.server.engines.query.write import Writer
from spark_jupyter.server.engines.rewrite import quoted
from spark_jupyter.server.engines.wording import following

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.server.engines.namespace import Namespace
    from spark_jupyter.server.engines.query.model import Query
    from spark_jupyter.server.engines.query.tables import Choice, Source

FROM = "Made from your own words and columns; I am a recipe book, not a language model."

_SAME_FOR = re.compile(
    r"\W*(?:(?:and\s+|now\s+|then\s+)*(?:do\s+|show\s+)?(?:the\s+)?same"
    r"(?:\s+(?:thing|plot|chart|graph|picture|figure|table|counts?|histogram|calculation|numbers?|analysis|(?:bar|line|box)\s+(?:chart|plot)))?"
    r"\s+(?:for|with|by|of)|(?:and\s+)?now\s+(?:for|with))"
    r"\s+(?:the\s+)?"
    r"(?P<name>.+?)(?:,?\s+but\s+(?P<but>.+?))?[\s.!?]*$",
    re.IGNORECASE,
)
_SAME_BUT = re.compile(r"^\W*(?:and\s+|now\s+)?(?:the\s+)?same,?\s+(?:thing\s+)?but\s+", re.IGNORECASE)
_REPLACES = re.compile(
    r"^\W*(?:no|nope|wrong|now|rather|actually|make|change|turn|use|show|try|i meant?)\b|\b(?:instead|rather)\W*$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead|rather)\W*$", re.IGNORECASE)
_REPLACED = re.compile(r" ; .*\binstead\b", re.IGNORECASE)
_ADDS = re.compile(r"^\W*(?:and|also|plus)\b|\b(?:also|too|as well|in addition)\b", re.IGNORECASE)
"""How a follow-up says that what it asks takes the place of something, or comes to it."""
_SUMMED = re.compile(r"\b(?:total|average|mean|median|sum)\s+[a-z]", re.IGNORECASE)
_COUNTED = re.compile(r"\b(?:number|count|counts|how many|how often|times|rows)\b", re.IGNORECASE)
_FEW = 2
"""With so many words left over an answer to the rest is offered, and says so,"""
_OPERATIONS = (
    "contradiction rank ranked within difference significant significantly significance rolling moving cumulative running "
    "percent percentage percentages share rate ratio fraction proportion between no not never without except k m first last "
    "previous next same "
    "years months weeks days hours minutes weekly monthly daily hourly interpolate interpolation split extract"
)
_WEIGHTY = frozenset({*lexicon.AGGREGATES, *lexicon.PERIODS, *lexicon.MONTHS, *lexicon.PLOTS, *_OPERATIONS.split()})
"""unless they are such: an answer without them is one to another question."""


_PER_EACH = re.compile(r"\bper\s+\w+\s+(?:for|per|by|in)\s+(?:each|every)\b", re.IGNORECASE)
"""So a rate is asked for in groups: "usage per resident for each house"."""
_POLARS = "It goes over a copy as a pandas table; your polars table stays as it is."


_REWRITES = re.compile(r"\.(?:fillna|replace|where|ffill|bfill|mask|clip)\(|\* \(1 ")
"""What changes values that are there."""


class Attempt(Struct, frozen=True, kw_only=True):
    """An answer, and the words that it does nothing about; it is ``telling`` where it is worth more than a No even so."""

    answer: Answer
    left: tuple[str, ...] = ()
    telling: bool = False
    sought: tuple[str, ...] = ()
    """Words that it looks for in every column, for want of a better reading."""


def attempt(prompt: str, namespace: Namespace) -> Attempt | None:
    """What the prompt asks of the user's tables as code; None where it asks nothing of them that is known.

    The grammars of ``phrases`` come first: what they understand they understand whole, and say what they did not do not at all. The
    rules of ``query`` read what is left.
    """
    return _whole(prompt, namespace) or _plainly(prompt, namespace) or _by_rules(prompt, namespace)


def _whole(prompt: str, namespace: Namespace) -> Attempt | None:
    whole = understood(prompt, namespace)
    if whole is None or (not _REPLACED.search(prompt) and evidence.missing(prompt, _source(whole))):
        return None
    return Attempt(answer=whole)


def _plainly(prompt: str, namespace: Namespace) -> Attempt | None:
    """What it asks of a variable that is no table, or of none."""
    asked = plain.read(prompt, namespace)
    if asked is not None and not asked.left:
        notes = f"{FROM}\n\nWith your `{asked.name}`."
        return Attempt(answer=Answer(notes=notes, cells=(BookCell(asked.source),)))
    alone = loose.read(prompt)
    if alone is not None:
        return Attempt(answer=Answer(notes=FROM, cells=(BookCell(alone[0]),)))
    return None


def _by_rules(prompt: str, namespace: Namespace) -> Attempt | None:
    """What the rules make of a prompt about a table."""
    choice = tables.choose(prompt, namespace)
    if (
        choice is None or rates.spoken_of(prompt, choice.source.columns) is not None
    ):  # only the grammar knows rates of groups
        return None
    source = structs.replace(choice.source, columns=tuple(map(tables.as_meant, choice.source.columns)))
    extra = meant.meant(prompt, source.columns, source.names) if not source.file else None
    if extra is not None:
        source = structs.replace(source, columns=(*source.columns, extra.column))
    made = read(extra.prompt if extra else prompt, source)
    query = made.query
    if extra is not None:
        query.changes = [extra.change, *query.changes]
    if source.absent and query.other:
        query.conditions.append(Condition(column=source.on[0], op="absent", values=(source.other,)))
    if not query.asks or not _can_be_drawn(query) or _half_done(prompt, query, source):
        return None
    dates = Conditions(Marked("", tables=[], columns=[]), source.columns).dates
    taken = namespace.names - ({source.name} if source.file else set())
    query.polars, query.records = source.polars, source.records
    code = Writer(query, source.columns, taken, dates).source()
    if any(one.holds == "index" and f"[{quoted(one.name)}]" in code for one in source.columns):
        if '.rolling("' in code:  # along the index itself
            return None
        query.indexed = True
        code = Writer(query, source.columns, taken, dates).source()
    own = polars.written(query, source.columns, taken) if query.polars else None
    if own is not None:
        query.polars, code = False, own
    try:
        ast.parse(code)
    except SyntaxError:
        return None
    if (
        evidence.passed_over(prompt, code, namespace)
        or _averages_counts(prompt, code, source)
        or _calculates_with_texts(code, source)
        or _calculates_with_numbers_of_rows(prompt, code, source)
    ):
        return None
    left = made.left
    sure = bool(query.conditions or query.changes or any(one.column for one in query.measures))
    sure = sure and len(left) <= _FEW and not made.aside
    sure = sure and not any(_weighs(word, source) for word in left)
    answer = _answer(prompt, code, query, choice, left)
    return Attempt(answer=answer, left=left, telling=sure, sought=_sought(query, source, prompt))


def understood(prompt: str, namespace: Namespace) -> Answer | None:
    """What the grammars of ``phrases`` make of a prompt, in plain words or as it is: they understand it whole or not at all."""
    plain = wording.plain(prompt, namespace)
    found = _by_grammar(plain, namespace)
    found = found if found is not None or plain == prompt else _by_grammar(prompt, namespace)
    return None if found is not None and evidence.passed_over(prompt, _source(found), namespace) else found


def _by_grammar(prompt: str, namespace: Namespace) -> Answer | None:
    shaped = shapes.understood(prompt, namespace)
    if shaped is not None:
        return Answer(notes="\n\n".join((FROM, *shaped.says)), cells=(BookCell(shaped.code),))
    thing = things.understood(prompt, namespace)
    if thing is not None:
        return Answer(notes=f"{FROM}\n\nWith your `{thing[1]}`.", cells=(BookCell(thing[0]),))
    said = phrases.understood(prompt, namespace)
    return _said(prompt, said) if said is not None else None


def _sought(query: Query, source: Source, prompt: str) -> tuple[str, ...]:
    """Words that were looked for in every column, and are no names: rather something that is not understood."""
    if source.file or not all(one.dtype for one in source.columns):
        return ()
    told = {value.lower() for one in source.columns for value in one.values}
    everywhere = any(one.startswith("I looked for") for one in query.says)
    sought = [value for one in query.conditions if one.column is None and everywhere for value in one.values]
    if told:  # what the prompt has of the columns' values is known: a word besides is none
        sought += [value for one in query.conditions if one.column and one.op in ("==", "in") for value in one.values]
    plain = [one.strip("\"'") for one in sought if one.startswith(('"', "'"))]
    return tuple(
        one for one in plain if one.islower() and one.isalpha() and one not in told and not _is_quoted(one, prompt)
    )


def _is_quoted(word: str, prompt: str) -> bool:
    return re.search(rf"[\"'“‘]{re.escape(word)}[\"'”’]", prompt, re.IGNORECASE) is not None


def _said(prompt: str, said: phrases.Sentence) -> Answer:
    source = said.choice.source
    notes = [
        FROM,
        f"With your `{source.name}`." if not source.file else f"With your file `{source.file}`.",
        " ".join(one for one in said.says if one),
        tables.alternatives(prompt, said.choice),
    ]
    return Answer(notes="\n\n".join(note for note in notes if note), cells=(BookCell(said.code),))


def _weighs(word: str, source: Source) -> bool:
    """Whether an answer that does nothing about the word is one to another question: a value, a number, an operation."""
    if any(word == one.name for one in source.columns):
        return False
    of_the_table = any(word in one.values for one in source.columns)
    return of_the_table or word.lower() in _WEIGHTY or re.search(r"\d", word) is not None


def _calculates_with_texts(code: str, source: Source) -> bool:
    """Whether a column of words is divided or multiplied, or one of fractions told apart by each of them."""
    floats = [one.name for one in source.columns if one.dtype.startswith("float")]
    if any(f"crosstab({source.name}[{quoted(name)}]" in code for name in floats):
        return True
    texts = [one.name for one in source.columns if one.kind == "text" and not one.holds and one.dtype]
    return any(
        re.search(rf"{column}\s*[*/]\s|\s[*/]\s\w+{column}|{column}\.(?:max|min|mean|sum)\(\) [-+*/]", code)
        for column in (re.escape(f"[{quoted(name)}]") for name in texts)
    )


def _calculates_with_numbers_of_rows(prompt: str, code: str, source: Source) -> bool:
    """Whether the largest, or the mean, is taken of a column that only names its rows, which the prompt does not name itself."""
    plain = re.sub(r"\W|_", "", prompt.lower())
    listed = [one.name for one in source.columns if cursor.NUMBERED.search(one.name)]
    return any(
        re.search(rf"\[{re.escape(quoted(name))}\]\.(?:idxmax|idxmin|max|min|mean|sum|median)\(", code) is not None
        for name in listed
        if re.sub(r"\W|_", "", name.lower()) not in plain
    )


_RATE = re.compile(r"\b(?P<of>[a-z]+)[- ]rates?\b", re.IGNORECASE)


def _averages_counts(prompt: str, code: str, source: Source) -> bool:
    """Whether a rate is made the mean of a column of counts: "signup rate" of ``signups``."""
    said = {words.stem(found["of"].lower()) for found in _RATE.finditer(prompt)}
    return any(
        words.stem(one.name.lower()) in said
        and one.kind == "number"
        and not (one.flag or one.fraction)
        and one.dtype.startswith("int")
        and f"[{quoted(one.name)}].mean()" in code
        for one in source.columns
    )


def _half_done(prompt: str, query: Query, source: Source) -> bool:
    """Whether something that the prompt asks would be left out, or is nothing that anybody asks for."""
    spelt = {one.name: [value.strip().lower() for value in one.values] for one in source.columns}
    variants = any(
        spelt.get(one.column, []).count(value.strip("\"'").strip().lower()) > 1
        for one in query.conditions
        if one.column
        for value in one.values
    )
    ratio = len(query.keys) == 2 and _PER_EACH.search(prompt) is not None
    ratio = ratio and any(one.name == query.keys[0].column and one.kind == "number" for one in source.columns)
    each = re.search(r"\b(?:each|every|per)\b", prompt, re.IGNORECASE) is not None
    ungrouped = each and bool(query.measures) and all(one.how == "size" for one in query.measures) and not query.keys
    steps = any(".pct_change()" in line for change in query.changes for line in change.lines)
    made = steps or any(not change.asks for change in query.changes)
    counted = made and bool(query.keys) and not query.measures  # growth, and then how many rows there are
    limited = bool(
        query.limit and query.measures and (not query.keys or (each and query.limit == 1 and len(query.keys) > 1))
    )
    return (
        source.brings
        or ratio
        or ungrouped
        or variants
        or limited
        or counted
        or _never_true(query)
        or _share_of_averages(query)
        or _counts_amounts(prompt, query, source)
    )


def _counts_amounts(prompt: str, query: Query, source: Source) -> bool:
    """Whether rows are counted where the prompt asks for a sum or an average of something."""
    counted = all(one.how == "size" for one in query.measures) and bool(query.measures or query.keys)
    if not counted:
        return False
    plain = names.plain(prompt)
    amounts = [
        one.name for one in source.columns if one.kind in ("number", "bool") and not cursor.NUMBERED.search(one.name)
    ]
    keys = {one.column for one in query.keys} | {one.column for one in query.conditions}
    made = "\n".join(line for change in query.changes for line in change.lines)
    named = any(
        re.search(rf"(?<!\S){re.escape(names.plain(name))}(?!\S)", plain)
        for name in amounts
        if name not in keys and quoted(name) not in made
    )
    return named or (_SUMMED.search(prompt) is not None and _COUNTED.search(prompt) is None)


def _never_true(query: Query) -> bool:
    """Whether a column would have to have two values at once: "Monday to Friday" read as both."""
    same = [
        (one.column, one.op)
        for one in query.conditions
        if one.op in ("==", "weekday", "month") and not one.negated and one.column
    ]
    return not query.either and len(same) != len(set(same))


def _share_of_averages(query: Query) -> bool:
    """A part of the sum of averages is nothing that anybody asks for."""
    return query.share and any(one.how not in ("sum", "size", "count", "nunique") for one in query.measures)


def _can_be_drawn(query: Query) -> bool:
    """Whether a picture that is asked for has all that one of its kind needs."""
    plot = query.plot
    if plot is None or plot.kind == "heatmap":
        return True
    if query.measures:
        return bool(query.keys)
    return bool(plot.y) and (plot.kind != "scatter" or plot.x is not None)


def steered(prompt: str, instruction: str, namespace: Namespace) -> Attempt | None:
    """What the instruction makes of the prompt: both together, or the instruction alone where it is a request; None where
    neither is understood."""
    for said in (f"{prompt} {instruction}", instruction):
        made = attempt(said, namespace)
        if made is not None and not made.left:
            return made
    return None


def amended(before: Sequence[str], instruction: str, source: str, namespace: Namespace) -> Attempt | None:
    """The last proposal with what a follow-up asks as well: "and sort it", "only the top 5", "no, only for 2024", "same for qty".

    ``source`` is the proposal: only one that was made of the requests ``before`` as it stands is made anew; None else, and where
    the instruction is not understood.
    """
    said = ""
    for number, request in enumerate(before):
        made = attempt(request, namespace)
        if made is None or made.left:
            continue
        said = request
        for later in before[number + 1 :]:
            said = _both(said, later, namespace) or said
        proposed = attempt(said, namespace)
        if proposed is not None and _code(proposed) == source.strip():
            break
    else:
        return None
    both = _both(said, instruction, namespace)
    made = attempt(both, namespace) if both else None
    if made is None or _code(made) != source.strip():
        return made
    return Attempt(answer=Answer(notes=f"The cell does that already: “{instruction}”. I left it as it is."))


def going_on(said: str, fragment: str, namespace: Namespace, *, alone: Attempt | None) -> Answer | None:
    """What a fragment makes of the request before it, as an answer of its own; None where it makes nothing of it. What is as well
    understood alone is offered."""
    both = _both(said, fragment, namespace)
    made = attempt(both, namespace) if both else None
    if made is None or made.sought or (alone is not None and not alone.left and _code(alone) == _code(made)):
        return None
    notes = f"{made.answer.notes}\n\nI took it to go on from “{said}”."
    if alone is not None and not alone.left:
        notes += f" Alone:\n\n{offer(f'show {fragment}')}"
    return structs.replace(made.answer, notes=notes)


def followed(said: str, fragment: str, source: str, namespace: Namespace) -> Answer | None:
    """The code of the answer before with what a fragment asks of its value; without a ``source`` that of the request before it."""
    made = attempt(said, namespace) if not source else None
    changed = further.changed(source or (_code(made) if made is not None and not made.left else ""), fragment)
    return Answer(notes=f"{FROM}\n\nI took it to go on from “{said}”.", cells=(BookCell(changed),)) if changed else None


def _code(made: Attempt) -> str:
    return _source(made.answer)


def _source(answer: Answer) -> str:
    return "\n\n".join(cell.source for cell in answer.cells).strip()


def _both(said: str, more: str, namespace: Namespace) -> str | None:
    """One request that asks for both; None where it is not understood whole."""
    choice = tables.choose(said, namespace)
    for whole in following.together(said, more, choice.source.columns if choice else ()):
        made = attempt(whole, namespace)
        if made is not None and not made.left:
            return whole
    swapped = _SAME_FOR.match(more)
    more = _SAME_BUT.sub("", more)
    instruction = steer.lead_off(more)
    wholes = [f"{said} {instruction}", f"{said}, {instruction}"]
    if (again := turning.turned(said, more)) is not None:
        wholes = [again]
    elif swapped:
        but = f" ; {swapped['but']}" if swapped["but"] else ""
        but += " instead" if re.match(r" ; (?:per|by|for each)\b", but) else ""
        wholes = [
            re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: swapped["name"], said) + but
            for name in _columns_said(said, swapped["name"], namespace)
            or _variables_said(said, swapped["name"], namespace)
        ] or wholes
    elif _REPLACES.search(more) and not _ADDS.search(more):
        instead = f"{said} ; {instruction} instead"
        if understood(instead, namespace) is not None:
            return instead
        wholes = [] if _INSTEAD.search(more) else wholes
    for whole in wholes:
        made = attempt(whole, namespace)
        if made is not None and not made.left:
            return whole
    return None


def _columns_said(said: str, other: str, namespace: Namespace) -> list[str]:
    """The words of a request for columns of the kind that ``other`` has."""
    choice = tables.choose(said, namespace)
    if choice is None:
        return []
    marked = Marked(said, tables=[], columns=choice.source.columns)
    wanted = Marked(other, tables=[], columns=choice.source.columns)
    kinds = {one.name: "text" if one.kind == "bool" else one.kind for one in choice.source.columns}
    of = {kinds.get(name) for name in wanted.names(wanted.text)}
    return [word for key, word in marked.said.items() if key in marked.text and kinds.get(marked.value(key)) in of]


def _variables_said(said: str, other: str, namespace: Namespace) -> list[str]:
    """The variable that a request is about, where ``other`` is one, too."""
    named = [one.name for one in namespace.variables if tables.mentioned(said, one.name)]
    return named if namespace.get(other.strip()) is not None and len(named) == 1 else []


def _answer(prompt: str, code: str, query: Query, choice: Choice, left: tuple[str, ...]) -> Answer:
    said = [sentence for sentence in (*query.says, *(change.says for change in query.changes)) if " " in sentence]
    doubts = []
    rewritten = [line for one in query.changes if not one.asks for line in one.lines if _REWRITES.search(line)]
    if rewritten and query.conditions and "remove" not in query.says:
        doubts.append("The change is made in the whole table; the condition only chooses what is shown. Please check.")
    if left:
        doubts.append(unused.nothing_about(left))
    notes = [
        FROM,
        f"With your `{query.table}`." if not query.file else f"With your file `{query.file}`.",
        " ".join(said),
        _POLARS if query.polars else "",
        *doubts,
        tables.alternatives(prompt, choice),
    ]
    return Answer(notes="\n\n".join(note for note in notes if note), cells=(BookCell(code),), doubts=tuple(doubts))
