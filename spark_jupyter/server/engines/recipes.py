"""The recipe engine: answers from recipe books. It needs no key, no network and no weights, and says what it is."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spark_jupyter.prompting.plan_prompts import INTENT
from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.offers import offer
from spark_jupyter.server.engines import (
    book,
    coverage,
    evidence,
    match,
    own_code,
    planning,
    request,
    sentences,
    slots,
    steer,
    unused,
)
from spark_jupyter.server.engines.base import AnswerEngine, Pause, tokens
from spark_jupyter.server.engines.bind import bind
from spark_jupyter.server.engines.compose import EXAMPLE, Answer, going_on
from spark_jupyter.server.engines.query import tables
from spark_jupyter.server.engines.wording import following

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spark_jupyter.providers.base import Message
    from spark_jupyter.server.engines.base import Piece
    from spark_jupyter.server.engines.book import Entry
    from spark_jupyter.server.engines.request import Request
    from spark_jupyter.server.engines.steer import Plan

MODEL = "recipe-book"
DEEP_MODEL = "recipe-book-deep"
"""The same books, at the speed of a slow model: it plans a task in several parts. See :mod:`.planning`."""
FIRST_TOKEN = 0.8
"""Seconds before the deep model's first token, and"""
TOKENS_PER_SECOND = 100
"""how many come after it: what hosted models that are not fast do."""
_FOLLOWS = re.compile(
    r"\W*(?:and|now|then|instead|rather|no|but|also|make (?:it|that)|change (?:it|that)|same|again)\b", re.IGNORECASE
)
_FRAGMENT = re.compile(
    r"^\W*(?:(?:can|could) you\s+)?(?:please\s+)?"
    r"(?:how many(?: (?:are|is|were) (?:left|that|those|there))?\W*$|how many (?:are|is|were) (?:left|that|those|there)|"
    r"(?:make|turn|put) (?:it|them|that)|top \d+(?: only)?\W*$|(?:what|how) about|the other way|in reverse|reversed?\W*$|"
    r"how many (?:are|is|were) (?:they|it|them)|(?:show|give|keep|take) (?:me )?(?:only|just)|add|remove|exclude|leave out|"
    r"(?:which|what|who) (?:one )?(?:is|has|was|are) (?:the|their)|split by|broken down|[a-z]+est first|most expensive first|rotate the|"
    r"descending|ascending|horizontal(?:ly)?|round(?:ed)? to|"
    r"only|just|for|in|by|per|as|on|sorted|from|until|between|excluding|except|now|then|and|the same|same)\b|"
    r"\b(?:it|them|that|then|now)\W*$|^\W*\w+\s+(?:it|them|that)\b",
    re.IGNORECASE,
)
"""What a request has in it that may go on from the one before it."""
_POINTS = re.compile(
    r"^\W*(?:(?:can|could) you\s+)?(?:please\s+|now\s+|and\s+)*"
    r"(?:save|write|export|store|plot|draw|print|rename|drop|sort|round|reverse|(?:which|what) \w+ is)\s+"
    r"(?:it|this|that|them|these|those|the (?:columns?|missing ones))\b",
    re.IGNORECASE,
)
"""What speaks of the answer before."""
_BEGINS = re.compile(_FRAGMENT.pattern.partition("\\b|")[0] + r"\b", re.IGNORECASE)
_SHORT = 3
"""A request of more words that is understood alone goes on only where it begins so."""
_NEARLY = 0.25
"""Entries whose scores differ by less are told apart by what they need."""
_MISFIT = 0.11
"""What something of the user's that an entry leaves aside, or needs in vain, takes from its score."""
_LOWER = 0.1
"""So far below the threshold an entry will do that takes all the columns which the prompt names, where the best takes none."""
OWN_BOOKS = Path(__file__).parents[1] / "recipes"
CONNECT = (
    "To have a language model answer, choose *Connect…* in Spark's panel, or set `SPARK_BASE_URL` and `SPARK_MODEL` (any server "
    "that speaks OpenAI's Responses or chat completions) or a key such as `OPENAI_API_KEY`, or start Ollama; then choose it "
    "with `%spark model NAME`. `spark-jupyter doctor` says what works here."
)

_SAME = re.compile(r"\W*(?:(?:and|now|then|do)\s+)*(?:the\s+)?same\b", re.IGNORECASE)
"""What says "the same" asks nothing where nothing was answered before."""


class RecipeEngine(AnswerEngine):
    """Answers from ``books`` (notebooks, or folders of them), which come first, and from the package's own books.

    The user's books are read and checked at once: a :class:`~spark_jupyter.exceptions.ConfigurationError` says what is
    wrong with one. The package's own are read at the first question. Safe to be used from several threads.
    ``slowness`` is how much of its real time the deep model takes: 0 in tests that wait for other things.
    """

    name = "recipes"

    def __init__(
        self, books: Sequence[Path | str] = (), *, own_books: Path | None = OWN_BOOKS, slowness: float = 1.0
    ) -> None:
        self._slowness = slowness
        self._books = [book.load(path) for path in book.find(books)]
        self._own_books = own_books
        self._matcher: match.Matcher | None = None
        self._lock = threading.Lock()

    def models(self) -> list[str]:
        """The names that it answers to: one for each gear."""
        return [MODEL, DEEP_MODEL]

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """The answer to the last user message, in pieces of about a token."""
        asked = request.read(conversation)
        if asked.intent == INTENT:
            text = planning.plan(asked.text)
        else:
            answer = self.reply(asked)
            text = going_on(answer, asked.so_far) if asked.so_far else answer.text()
        return self._slowly(text) if model == DEEP_MODEL else tokens(text)

    def _slowly(self, text: str) -> Iterator[Piece]:
        yield Pause(FIRST_TOKEN * self._slowness)
        for number, token in enumerate(tokens(text), 1):
            yield token
            if number % 10 == 0:
                yield Pause(10 * self._slowness / TOKENS_PER_SECOND)

    @property
    def matcher(self) -> match.Matcher:
        """The index of all entries; the first use reads the package's own books."""
        with self._lock:
            if self._matcher is None:
                self._matcher = match.Matcher(self._entries())
            return self._matcher

    def _entries(self) -> list[Entry]:
        own = sorted(self._own_books.glob("*.ipynb")) if self._own_books else []
        books = [*self._books, *(book.load(path, check=False) for path in own)]
        entries: dict[str, Entry] = {}
        for entry in (entry for one in books for entry in one.entries):
            entries.setdefault(entry.title.lower(), entry)
        return list(entries.values())

    def reply(self, asked: Request) -> Answer:
        """The answer to a request; where none covers it, a No that says what was not understood."""
        asked = _pointed(asked)
        found, left = self._covering(asked)
        if found is not None:
            return found
        if evidence.outside(asked.text):
            return Answer(notes=f"{REFUSAL} I write cells, and do nothing outside the notebook.\n\n{CONNECT}")
        if not left:
            made = sentences.attempt(asked.text, asked.namespace)
            left = made.left if made is not None and made.telling else ()
        nearest = self.matcher.rank(asked.text, asked.namespace)
        return (
            Answer(notes=coverage.refused(left, self._instead(asked, left, nearest), CONNECT))
            if left
            else no_answer(nearest)
        )

    def _instead(self, asked: Request, left: Sequence[str], nearest: Sequence[match.Match]) -> list[str]:
        """What can be asked instead: the prompt without what was not understood, if that is an answer, and the nearest recipes."""
        rest = coverage.without(asked.text, left)
        made = sentences.attempt(rest, asked.namespace) if rest != asked.text else None
        return [
            *([rest] if made is not None and not made.left else []),
            *(slots.told(one.entry.phrasings[0]) for one in nearest[:2]),
        ]

    def find(self, asked: Request) -> Answer | None:
        """The answer to a request that is covered whole, else None."""
        return self._covering(asked)[0]

    def _covering(self, asked: Request) -> tuple[Answer | None, tuple[str, ...]]:
        """The answer that covers a request, and what the best one leaves out where none does."""
        found = self._found(asked)
        left = coverage.left(found, asked) if found is not None else ()
        return (self._whole(asked) if left else found), left

    def _whole(self, asked: Request) -> Answer | None:
        """The answer of the grammars to a request that stands alone."""
        alone = not (asked.steers or asked.before or asked.edit is not None) and asked.intent == "generate"
        if not alone or evidence.outside(asked.text):
            return None
        found = sentences.understood(asked.text, asked.namespace)
        return found if found is not None and not self._checked(found, asked).doubts else None

    def _found(self, asked: Request) -> Answer | None:
        """The answer to a request that is understood whole or that a recipe fits, with what it does nothing about; else None."""
        own = self._amended(asked) or own_code.reply(asked)
        if own is not None:
            return own
        nothing_before = not (asked.steers or asked.before) and asked.edit is None
        if evidence.outside(asked.text) or (nothing_before and _SAME.match(asked.text)):
            return None
        namespace = asked.namespace
        made = sentences.attempt(asked.text, namespace)
        going_on = self._going_on(asked, made)
        if going_on is not None or self._points_back(asked, made):
            return going_on
        plan = self._plan(asked)
        if made is not None and not made.left and (asked.steers or not made.sought):
            return self._checked(self._made(made.answer, plan, asked), asked)
        if plan is None:
            return None
        for instruction in asked.steers:
            plan = steer.steered(plan, instruction, self.matcher, namespace)
        answer = steer.carry_out(plan, namespace)
        code = "\n".join(cell.source for cell in answer.cells)
        if evidence.overwrites(asked.text, code):
            return None
        if evidence.uninvited(" ".join((asked.text, *asked.before, *asked.steers)), code) or _astray(asked, code):
            return None
        left = unused.doubt(asked.text, code, namespace)
        if not left and not asked.steers and not asked.before:
            left = unused.unknown(asked.text, plan.entry, namespace)
        answer = self._checked(steer.doubted(answer, left) if left else answer, asked)
        choice = tables.choose(asked.text, namespace)
        if (
            choice is not None
            and choice.source.polars
            and re.search(rf"(?<!\w){re.escape(choice.source.name)}(?!\w)", code)
        ):
            answer = steer.doubted(answer, f"This is written for pandas, and `{choice.source.name}` is a polars table.")
        if choice is None or not re.search(rf"(?<!\w){re.escape(choice.source.name)}(?!\w)", code):
            return answer
        others = tables.alternatives(asked.text, choice)
        return replace(answer, notes=f"{answer.notes}\n\n{others}") if others else answer

    def _checked(self, answer: Answer, asked: Request) -> Answer:
        """The answer with what it says of operations that were asked for and of which its code has no sign."""
        if asked.steers or asked.before:
            return answer
        code = "\n".join(cell.source for cell in answer.cells)
        missing = evidence.missing(asked.text, code)
        said = "".join(answer.doubts).lower()
        doubts = [unused.nothing_about([one]) for one in missing if one not in said]
        doubts += [
            f"`{name}` gets an example's value here; your own is not used."
            for name in evidence.overwritten(asked.text, code, asked.namespace)
        ]
        if answer.notes.startswith(sentences.FROM) and (left := unused.given(asked.text, code)):
            doubts.append(unused.not_used(left))
        if EXAMPLE in code or not answer.notes.startswith(sentences.FROM):
            doubts += [
                (
                    f"This is on example data: your `{name}` is not used."
                    if EXAMPLE in code
                    else f"Your `{name}` is not used."
                )
                for name in evidence.unlike_examples(asked.text, code, asked.namespace)
            ]
        return steer.doubted(answer, *doubts) if doubts else answer

    def _going_on(self, asked: Request, made: sentences.Attempt | None) -> Answer | None:
        """What a fragment such as "only for January" makes of the request before it: a new answer that says so."""
        if asked.edit is not None or asked.steers or not asked.before or not _FRAGMENT.search(asked.text):
            return None
        whole = made is not None and not made.left and len(asked.text.split()) > _SHORT
        if whole and _BEGINS.search(asked.text) is None and _POINTS.search(asked.text) is None:
            return None
        found = sentences.going_on(asked.before[-1], asked.text, asked.namespace, alone=made)
        return found or sentences.followed(asked.before[-1], asked.text, "", asked.namespace)

    def _points_back(self, asked: Request, made: sentences.Attempt | None) -> bool:
        """Whether only the answer before can be meant, by a fragment of which nothing was made: "save that", "as one string"."""
        if asked.edit is not None or asked.steers or not asked.before:
            return False
        alone = made is not None and not made.left
        if not _POINTS.search(asked.text) and (alone or _BEGINS.search(asked.text) is None):
            return False
        if any(tables.mentioned(asked.text, one.name) for one in asked.namespace.variables):
            return False
        earlier = sentences.attempt(asked.before[-1], asked.namespace)
        return earlier is not None and not earlier.left

    def _amended(self, asked: Request) -> Answer | None:
        """The last proposal, as it stands, made anew with what a follow-up asks as well."""
        if asked.edit is None or not asked.before or asked.intent not in ("generate", "edit"):
            return None
        instruction = " ".join((asked.text, *asked.steers))
        made = sentences.amended(
            asked.before, instruction, asked.edit.source, asked.namespace.without(asked.edit.source)
        )
        if made is None:
            further = sentences.followed(asked.before[-1], asked.text, asked.edit.source, asked.namespace)
            return replace(further, edit=asked.edit.id) if further is not None else None
        if not made.answer.cells:
            return made.answer
        return replace(made.answer, edit=asked.edit.id)

    def _made(self, answer: Answer, plan: Plan | None, asked: Request) -> Answer:
        """An answer from the prompt's own words, steered. What it does not understand, a recipe for the prompt may."""
        said = asked.text
        for number, instruction in enumerate(asked.steers):
            if steer.is_correction(instruction):
                answer = steer.doubted(answer, steer.STANDS)
                continue
            further = sentences.steered(said, steer.lead_off(instruction), asked.namespace)
            if further is not None:
                answer, said = further.answer, f"{said} {instruction}"
                continue
            altered = steer.alter_cells(answer, instruction)
            if altered is not None:
                answer = altered
                continue
            if plan is None:
                return steer.doubted(answer, steer.not_understood(instruction))
            for left in asked.steers[number:]:
                plan = steer.steered(plan, left, self.matcher, asked.namespace)
            if plan.doubts:
                return steer.doubted(answer, *plan.doubts)
            return steer.carry_out(plan, asked.namespace)
        return answer

    def _plan(self, asked: Request) -> Plan | None:
        """The plan for the request; one such as "and now with 50 bins" goes on from the request before it."""
        entry = self._entry(asked.text, asked)
        if asked.before and (entry is None or _FOLLOWS.match(asked.text)):
            for number in range(len(asked.before) - 1, -1, -1):
                earlier = self._entry(asked.before[number], asked)
                if earlier is not None and not _FOLLOWS.match(asked.before[number]):
                    plan = steer.first_plan(earlier, asked.before[number])
                    for instruction in (*asked.before[number + 1 :], asked.text):
                        plan = steer.steered(plan, instruction, self.matcher, asked.namespace)
                    return plan if entry or not plan.doubts else None
        return steer.first_plan(entry, asked.text) if entry else None

    def _entry(self, text: str, asked: Request) -> Entry | None:
        """The entry for the text; of nearly equal ones the first that the user's columns fit."""
        ranked = self.matcher.rank(text, asked.namespace, limit=4)
        least = max(match.THRESHOLD, ranked[0].score - _NEARLY) if ranked else 1.0
        bound = [(one, bind(one.entry, text, asked.namespace)) for one in ranked]
        near = [pair for pair in bound if pair[0].score >= least and not pair[1].ignores]
        if (
            bound and bound[0][1].ignores and not near
        ):  # the best recipe would leave aside what is named; one that takes all of it will do
            lower = match.THRESHOLD - _LOWER
            near = [pair for pair in bound if pair[0].score >= lower and pair[1].own_data and not pair[1].misfits]
        return max(near, key=lambda pair: pair[0].score - _MISFIT * pair[1].misfits)[0].entry if near else None


def _pointed(asked: Request) -> Request:
    """The request with the column in place of "that", where a cell before it has made one."""
    if not asked.before or asked.steers or asked.edit is not None:
        return asked
    source = next((one.source for one in reversed(asked.cells) if one.cell_type == "code"), "")
    columns = [column for table in asked.namespace.of_kind("DataFrame") for column in table.columns]
    return replace(asked, text=following.resolved(asked.text, asked.before[-1], source, columns))


def _astray(asked: Request, code: str) -> bool:
    """Whether a recipe's code takes the name of a variable for a text, or an example where a column of the user's is spoken of."""
    example = EXAMPLE in code and unused.columns_unused(asked.text, code, asked.namespace)
    return bool(example or unused.quoted_names(code, asked.namespace))


def no_answer(nearest: Sequence[match.Match]) -> Answer:
    """The honest no."""
    notes = [f"{REFUSAL} I have no answer to this: I am a recipe book, not a language model."]
    if nearest:
        notes.append("The nearest recipes are:")
        notes.append("\n".join(offer(slots.told(one.entry.phrasings[0])) for one in nearest[:3]))
    return Answer(notes="\n\n".join([*notes, CONNECT]))
