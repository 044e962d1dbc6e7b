"""What is said to the model, and what of it is remembered. Pure.

Every text that leaves this machine for a model goes through a :class:`Dialogue`, which takes the credentials out.
"""

from __future__ import annotations

from msgspec import structs

from spark_jupyter.providers.base import ModelRequest
from spark_jupyter.source.magics import asks_spark, without_own
from spark_jupyter.speech import budget, prompts
from spark_jupyter.speech.conversation import Answer, Block, Conversation, Exchange, Note, Question, shown
from spark_jupyter.speech.redaction import Redactor
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.speech.withholding import withheld_prompt
from spark_jupyter.wire.constants import MOST_KEPT_TURNS
from spark_jupyter.wire.messages import Prompt
from spark_jupyter.wire.values import NotebookCell


class Dialogue:
    """The turns of one kernel as the model hears them, within its window."""

    def __init__(self, redactor: Redactor, *, window: int = budget.HOSTED_WINDOW) -> None:
        self.redactor = redactor
        self.window = window
        """The model's, in tokens as it counts them."""
        self.most_output: int | None = None
        """Tokens that an answer may have; None leaves it to the provider."""
        self.withholds = True
        """Whether credentials are kept from the model."""
        self._tokens = budget.TokenEstimator()
        self._exchanges: dict[str, Exchange] = {}

    def begin(self, prompt: Prompt, surroundings: Surroundings) -> Conversation:
        """The conversation for a prompt. What was withheld from it is then in ``redactor.withheld``."""
        self.redactor.forget_withheld()
        if self.withholds:
            prompt, surroundings = withheld_prompt(self.redactor, prompt, surroundings)
        window = int(self.window / self._tokens.ratio)  # in tokens as they are estimated
        earlier = prompts.recent(tuple(self._exchanges.values()), budget_tokens=int(window * budget.HISTORY_SHARE))
        said = [message.text for exchange in earlier for message in prompts.exchange_messages(exchange)]
        said += [prompt.text, surroundings.variables, surroundings.last_error, surroundings.mentioned]
        left = int(window * budget.INPUT_SHARE) - sum(map(budget.estimate_tokens, said))
        left += budget.shown_tokens(prompt.cells, shown(earlier))
        cells = budget.select_cells(
            _of_the_notebook(prompt),
            prompt=prompt.text,
            budget_tokens=min(left, int(window * budget.CELLS_SHARE)),
            anchor=_anchor(prompt),
            edited=prompt.target.edit,
        )
        asked = prompts.question(prompt, surroundings=surroundings, cells=cells, earlier=earlier)
        return Conversation(asked, earlier)

    def learn(self, request: ModelRequest, *, reported: int) -> None:
        """The provider counted ``reported`` tokens in what it was sent."""
        text = "".join([request.instructions, *(message.text for message in request.input)])
        self._tokens.learn(text, reported=reported)

    def redirect(
        self, conversation: Conversation, *, answer: Answer, instruction: str, where: str = "the prompt"
    ) -> Conversation:
        """The conversation that goes on with an instruction, beside the earlier ones; ``answer`` is what stands in the notebook."""
        question = structs.replace(
            conversation.question,
            steers=(*conversation.question.steers, self.hide(instruction, where=where)),
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
        """A turn has ended, or another of its answers was chosen: it goes along with later prompts."""
        said = answer if isinstance(answer, str) else self.hidden(answer)
        self._exchanges[turn_id] = Exchange(question, said)
        for old in list(self._exchanges)[:-MOST_KEPT_TURNS]:  # far more than any window holds
            del self._exchanges[old]


def _of_the_notebook(prompt: Prompt) -> tuple[NotebookCell, ...]:
    """The cells without those that ask us, and without the lines of others that do: a weak model repeats what it sees."""
    edited = prompt.target.edit
    return tuple(
        cell if cell.id == edited else structs.replace(cell, source=without_own(cell.source))
        for cell in prompt.cells
        if cell.id == edited or not asks_spark(cell.source)
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
    return next((cell.id for cell in reversed(above) if not asks_spark(cell.source)), target.after)
