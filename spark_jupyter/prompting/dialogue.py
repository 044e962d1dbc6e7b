"""Conversation of one kernel with its model, kept within the window.

Every text that leaves this machine for a model goes through a :class:`Dialogue`, which takes the credentials out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from spark_jupyter.prompting import budget, request_text
from spark_jupyter.prompting.answer_decoder import spoken
from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.prompting.conversation import Answer, Block, Conversation, Exchange, Note, Question
from spark_jupyter.prompting.known_facts import known_facts
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.constants import MOST_IMAGES, MOST_KEPT_TURNS
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import CellId, Image, NotebookCell, Proposal, ProposalState, Turn, TurnId
from spark_jupyter.providers.base import Message, ModelRequest
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.source.ipython_lines import is_ours, without_own

MOST_FOLDED = 1_000
"""Turns that are known in a line; more than a day has."""


class Heard(NamedTuple):
    """What the model has heard at a moment: the provider, and the turns in full and in a line each."""

    provider: str
    exchanges: Mapping[TurnId, Exchange]
    sizes: Mapping[TurnId, int]
    folded: Mapping[TurnId, str]

    @property
    def turns(self) -> set[TurnId]:
        """The turns that go along with the next request."""
        return {*self.exchanges, *self.folded}


class Dialogue:
    """The turns of one kernel as the model hears them, within its window."""

    def __init__(
        self,
        redactor: Redactor,
        *,
        window: int = budget.HOSTED_WINDOW,
        decided: Callable[[TurnId], Mapping[CellId, ProposalState]] = lambda turn_id: {},
        tried: Callable[[], tuple[str, ...]] = lambda: (),
    ) -> None:
        self.redactor = redactor
        self.window = window
        """The model's, in tokens as it counts them."""
        self.most_output: int | None = None
        """Tokens that an answer may have; None leaves it to the provider."""
        self.withholds = True
        """True if credentials are kept from the model."""
        self._decided = decided
        self._tried = tried
        self._provider = ""
        self._tokens = budget.TokenEstimator()
        self._exchanges: dict[TurnId, Exchange] = {}
        self._sizes: dict[TurnId, int] = {}
        """Of these exchanges, in tokens as they are estimated."""
        self._folded: dict[TurnId, str] = {}
        """Those before them, in a line each."""

    @property
    def provider(self) -> str:
        """Name of the provider that requests go to; empty before the first."""
        return self._provider

    @property
    def folded(self) -> int:
        """Number of turns that go along in short, because the model's window has no room for all of them."""
        return len(self._folded)

    def begin(self, prompt: Prompt, surroundings: Surroundings, *, proposed: Collection[CellId] = ()) -> Conversation:
        """The conversation for a prompt. What was withheld from it is then in ``redactor.withheld``.

        ``proposed`` are the new cells on which the user has not decided."""
        self.redactor.forget_withheld()
        if self.withholds:
            prompt, surroundings = withheld_prompt(self.redactor, prompt, surroundings)
        earlier, folded, window = self._history()
        rules = budget.within_tokens(surroundings.rules, int(window * budget.RULES_SHARE))
        surroundings = structs.replace(surroundings, rules=rules, tried=(*self._tried(), *surroundings.tried))
        around = surroundings
        said = [
            prompt.text,
            around.variables,
            around.files,
            around.rules,
            around.skill,
            around.last_error,
            around.mentioned,
            *around.tried,
            *folded,
        ]
        images = sum(image.tokens for image in (*prompt.images, *surroundings.images))
        left = (
            int(window * budget.INPUT_SHARE)
            - images
            - sum(map(budget.estimate_tokens, said))
            - sum(self._sizes.values())
        )
        left += budget.shown_tokens(prompt.cells, known_facts(earlier).cells)
        cells = budget.select_cells(
            _of_the_notebook(prompt),
            prompt=prompt.text,
            budget_tokens=min(left, int(window * budget.CELLS_SHARE)),
            anchor=_anchor(prompt),
            edited=prompt.target.edit,
        )
        asked = request_text.question(
            prompt,
            surroundings=surroundings,
            cells=cells,
            earlier=earlier,
            proposed=proposed,
            whole_edit=self.window <= budget.LOCAL_WINDOW,
        )
        return Conversation(asked, earlier, folded)

    def history(self) -> tuple[Message, ...]:
        """The messages with which the next request begins, independent of its prompt."""
        earlier, folded, _ = self._history()
        return request_text.history_messages(earlier, folded)

    def _history(self) -> tuple[tuple[Exchange, ...], tuple[str, ...], int]:
        """The earlier turns, those before them in a line each, and the window in tokens as they are estimated."""
        window = int(self.window / self._tokens.ratio)
        self._fold(min(int(window * budget.HISTORY_SHARE), budget.MOST_HISTORY))
        return tuple(self._exchanges.values()), self._lines(window), window

    def forget(self) -> None:
        """A new conversation: nothing of the turns before goes along any more. Secrets and their placeholders stay known."""
        self._exchanges.clear()
        self._sizes.clear()
        self._folded.clear()

    def heard(self) -> Heard:
        """What the model has heard by now. From any thread: each of the copies is made in one step."""
        return Heard(self._provider, self._exchanges.copy(), self._sizes.copy(), self._folded.copy())

    def resume(self, heard: Heard) -> None:
        """Go on from what the model had heard at another moment."""
        now, self._provider = self._provider, heard.provider
        self.forget()
        self._folded.update(heard.folded)
        for turn_id, exchange in heard.exchanges.items():
            if turn_id in heard.sizes and turn_id not in heard.folded:
                self._exchanges[turn_id], self._sizes[turn_id] = exchange, heard.sizes[turn_id]
        self.talk_to(now)

    def recall(self, turns: Iterable[tuple[Turn, Sequence[Proposal], str]]) -> None:
        """Go on with the turns of another conversation, each with its proposals and its provider, instead of those so far."""
        now, self._provider = self._provider, ""
        self.forget()
        asked: dict[TurnId, str] = {}
        for turn, proposals, provider in turns:
            steered = asked.get(turn.steers, "") if turn.steers is not None else ""
            asked[turn.id] = "\n".join(filter(None, [steered, turn.prompt]))
            parts: tuple[Note | Block, ...] = (*([Note(turn.notes)] if turn.notes else []), *map(_block, proposals))
            if parts and turn.outcome != "superseded":
                self.talk_to(provider)
                self.remember(turn.id, Question(request=asked[turn.id], intent=turn.intent), Answer(parts))
        if now:
            self.talk_to(now)

    def talk_to(self, provider: str) -> None:
        """Requests go to this provider from now on. What another one said is not for it: of those turns only the requests and the
        decisions on their cells go along, in short."""
        if self._provider not in ("", provider):
            for turn_id, exchange in self._exchanges.items():
                self._folded[turn_id] = line(exchange, self._decided(turn_id), words=False)
            self._exchanges.clear()
            self._sizes.clear()
        self._provider = provider or self._provider

    def _fold(self, room: int) -> None:
        """Shorten the oldest exchanges to lines, where they have outgrown their room."""
        old = to_fold(list(self._sizes.values()), room=room, most=MOST_KEPT_TURNS)
        for turn_id in list(self._exchanges)[:old]:
            self._fold_one(turn_id, self._exchanges.pop(turn_id))
            del self._sizes[turn_id]
        for turn_id in list(self._folded)[:-MOST_FOLDED]:
            del self._folded[turn_id]

    def _lines(self, window: int) -> tuple[str, ...]:
        return lines(tuple(self._folded.values()), room=int(window * budget.FOLDED_SHARE))

    def _fold_one(self, turn_id: TurnId, exchange: Exchange) -> None:
        self._folded[turn_id] = line(exchange, self._decided(turn_id))

    def learn(self, request: ModelRequest, *, reported: int) -> None:
        """The provider counted ``reported`` tokens in what it was sent."""
        images = sum(image.tokens for message in request.input for image in message.images)
        text = "".join([request.instructions, *(message.text for message in request.input)])
        self._tokens.learn(text, reported=reported - images)

    def redirect(
        self,
        conversation: Conversation,
        *,
        answer: Answer,
        instruction: str,
        corrects: bool = False,
        images: Sequence[Image] = (),
    ) -> Conversation:
        """The conversation that goes on with an instruction of the user's, or one of ours that ``corrects``, beside the earlier ones;
        ``answer`` is what stands in the notebook, ``images`` come with the instruction."""
        question = conversation.question
        said = self.hide(instruction, where="the answer" if corrects else "the prompt")
        question = structs.replace(
            question,
            steers=question.steers if corrects else (*question.steers, said),
            corrections=(*question.corrections, said) if corrects else (),
            images=(*question.images, *images)[-MOST_IMAGES:],
            answer=self.hidden(answer),
        )
        return structs.replace(conversation, question=question)

    def hide(self, text: str, *, where: str) -> str:
        """The text without its credentials, as far as they are kept from the model."""
        return self.redactor.withhold(text, where=where) if self.withholds else text

    def hidden(self, answer: Answer) -> Answer:
        """An answer with the placeholders that the model knows, where the notebook has the credentials themselves."""
        return Answer(tuple(self._hidden_part(part) for part in answer.parts))

    def _hidden_part(self, part: Note | Block) -> Note | Block:
        if isinstance(part, Note):
            return Note(self.hide(part.text, where="the answer"))
        return structs.replace(part, source=self.hide(part.source, where="the answer"))

    def restore(self, source: str) -> str:
        """Code that a person keeps, with its credentials put back."""
        return self.redactor.restore(source)

    def restore_known(self, source: str, base: str) -> str:
        """The edit of a cell, with those credentials put back that stand in the cell already: what differs is what the model changed."""
        return self.redactor.restore(source, of=base)

    def cover(self, source: str) -> str:
        """Code for a copy of the kernel: a credential that was kept from the model is kept from what the model wrote, too."""
        return self.redactor.cover(source)

    def remember(self, turn_id: str, question: Question, answer: str | Answer) -> None:
        """Keep a turn that has ended, or whose other answer was chosen: later requests contain it as if it had been written at once."""
        question = structs.replace(question, corrections=(), answer=Answer())
        exchange = Exchange(question, spoken(answer) if isinstance(answer, str) else self.hidden(answer))
        if turn_id in self._folded:
            self._fold_one(turn_id, exchange)
            return
        self._exchanges[turn_id] = exchange
        self._sizes[turn_id] = sum(map(budget.message_tokens, request_text.exchange_messages(exchange)))


def _block(proposal: Proposal) -> Block:
    return Block(
        cell_id=proposal.cell_id,
        source=proposal.source,
        kind=proposal.kind,
        cell_type=proposal.cell_type,
        base=proposal.base,
    )


def _of_the_notebook(prompt: Prompt) -> tuple[NotebookCell, ...]:
    """The cells without those that ask us, and without the lines of others that do: a weak model repeats what it sees."""
    edited = prompt.target.edit
    return tuple(
        cell if cell.id == edited else structs.replace(cell, source=without_own(cell.source))
        for cell in prompt.cells
        if cell.id == edited or not is_ours(cell.source)
    )


def _anchor(prompt: Prompt) -> str | None:
    """The cell that the prompt edits or asks about, or the last one of the notebook down to the place where it is asked."""
    target = prompt.target
    if prompt.intent == "explain" and prompt.active is not None:
        return prompt.active
    if target.edit or target.after not in {cell.id for cell in prompt.cells}:
        return target.edit or target.after
    ids = [cell.id for cell in prompt.cells]
    above = prompt.cells[: ids.index(target.after) + 1]
    return next((cell.id for cell in reversed(above) if not is_ours(cell.source)), target.after)


# --- Redaction of a prompt and its surroundings before they are sent ---
def withheld_prompt(redactor: Redactor, prompt: Prompt, surroundings: Surroundings) -> tuple[Prompt, Surroundings]:
    """The same, with a placeholder for every credential; what was withheld, and where, is then in ``redactor.withheld``."""
    with redactor.at_once(surroundings.secrets):
        # what one place gives away as a secret is one in those before it, too
        _replaced(redactor, prompt, surroundings)
        return _replaced(redactor, prompt, surroundings)


def _replaced(redactor: Redactor, prompt: Prompt, surroundings: Surroundings) -> tuple[Prompt, Surroundings]:
    hide = redactor.withhold
    cells = tuple(_cell(redactor, number, cell) for number, cell in enumerate(prompt.cells, 1))
    known = Surroundings(
        variables=hide(surroundings.variables, where="the variables"),
        versions=surroundings.versions,
        files=hide(surroundings.files, where="a file that the prompt names"),
        rules=hide(surroundings.rules, where="the project's rules"),
        skill=hide(surroundings.skill, where="the skill"),
        tried=surroundings.tried,
        last_error=hide(surroundings.last_error, where="the last traceback"),
        mentioned=hide(surroundings.mentioned, where="what the prompt points at"),
        images=surroundings.images,
    )
    checks = tuple(hide(check, where="the prompt") for check in prompt.attempts.checks)
    attempts = structs.replace(prompt.attempts, checks=checks)
    return structs.replace(prompt, text=hide(prompt.text, where="the prompt"), cells=cells, attempts=attempts), known


def _cell(redactor: Redactor, number: int, cell: NotebookCell) -> NotebookCell:
    where = f"cell {number}"
    return structs.replace(
        cell,
        source=redactor.withhold(cell.source, where=where),
        outputs=redactor.withhold(cell.outputs, where=f"the output of {where}"),
        error=redactor.withhold(cell.error, where=f"the traceback of {where}"),
    )


# --- Compaction of the oldest exchanges to one line each ---
# Compaction goes down to half of the room, so that the next turns repeat what was sent before: the provider's cache of the conversation
# holds until the next compaction.
LONGEST_SAID = 200
"""Characters of a request, and of an answer in words, in a line."""
_DECIDED: Mapping[ProposalState, str] = {"accepted": "kept", "rejected": "rejected", "reverted": "taken back"}


def to_fold(sizes: Sequence[int], *, room: int, most: int) -> int:
    """Number of the oldest exchanges to fold. ``sizes`` are the sizes of all in tokens, oldest first. None are folded while all fit
    the ``room`` and are at most ``most``; then so many that the rest takes half of both."""
    if len(sizes) <= most and sum(sizes) <= room:
        return 0
    kept, left = 0, room / 2
    for size in reversed(sizes):
        left -= size
        if left < 0 or kept >= most // 2:
            break
        kept += 1
    return len(sizes) - kept


def line(exchange: Exchange, decided: Mapping[CellId, ProposalState], *, words: bool = True) -> str:
    """An exchange in a line: its prompt, and the decision on each of its cells; with ``words`` also its answer, if that was prose alone."""
    question, answer = exchange.question, exchange.answer
    asked = "; then: ".join(map(_short, (question.request, *question.steers)))
    cells = [f"cell {cell_id} {_DECIDED.get(state, 'not decided on')}" for cell_id, state in decided.items()]
    if cells:
        return f"{asked} → {', '.join(cells)}"
    said = _short(answer.notes if isinstance(answer, Answer) else answer) if words else ""
    return f"{asked} → answered: {said}" if said else asked


def lines(folded: Sequence[str], *, room: int) -> tuple[str, ...]:
    """Return the lines that go along: the youngest, in at most ``room`` tokens (estimated), and how many there were
    before them."""
    kept: list[str] = []
    for each in reversed(folded):
        room -= estimate_tokens(each)
        if room < 0:
            break
        kept.append(each)
    gone = len(folded) - len(kept)
    return (*([f"… {gone} before these"] if gone else []), *reversed(kept))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_SAID else f"{flat[: LONGEST_SAID - 1]}…"
