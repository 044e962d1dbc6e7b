"""What is said to the model, and what of it is remembered. Pure.

Every text that leaves this machine for a model goes through a :class:`Dialogue`, which takes the credentials out.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter.providers.base import Message
from spark_jupyter.speech import budget, prompts
from spark_jupyter.speech.redaction import Redactor, RestoreStream
from spark_jupyter.speech.surroundings import Surroundings
from spark_jupyter.speech.withholding import withheld_prompt
from spark_jupyter.wire.messages import Prompt


class Dialogue:
    """The turns of one kernel as the model hears them, within its window."""

    def __init__(self, redactor: Redactor, *, window: int = budget.HOSTED_WINDOW) -> None:
        self.redactor = redactor
        self.window = window
        """The model's, in tokens as it counts them."""
        self.withholds = True
        """Whether credentials are kept from the model."""
        self._tokens = budget.TokenEstimator()
        self._history: list[Message] = []

    def begin(self, prompt: Prompt, surroundings: Surroundings) -> tuple[Message, ...]:
        """The conversation for a prompt. What was withheld from it is then in ``redactor.withheld``."""
        self.redactor.forget_withheld()
        if self.withholds:
            prompt, surroundings = withheld_prompt(self.redactor, prompt, surroundings)
        window = int(self.window / self._tokens.ratio)  # in tokens as they are estimated
        history = prompts.recent(self._history, budget_tokens=int(window * budget.HISTORY_SHARE))
        said = [prompt.text, surroundings.variables, surroundings.last_error, *(message.text for message in history)]
        left = int(window * budget.INPUT_SHARE) - sum(map(budget.estimate_tokens, said))
        left += budget.shown_tokens(prompt.cells, prompts.told(history))
        cells = budget.select_cells(
            prompt.cells,
            prompt=prompt.text,
            budget_tokens=min(left, int(window * budget.CELLS_SHARE)),
            anchor=prompt.target.edit or prompt.target.after,
            edited=prompt.target.edit,
        )
        return prompts.turn_input(
            prompt, kernel=surroundings.variables, last_error=surroundings.last_error, cells=cells, history=history
        )

    def learn(self, conversation: Sequence[Message], *, instructions: str, reported: int) -> None:
        """The provider counted ``reported`` tokens in what it was sent."""
        self._tokens.learn("".join([instructions, *(message.text for message in conversation)]), reported=reported)

    def redirect(
        self, conversation: Sequence[Message], *, answer: str, instruction: str, where: str = "the prompt"
    ) -> tuple[Message, ...]:
        """The conversation that goes on with an instruction; ``answer`` is what has been answered so far, as the model said it."""
        instruction = self.hide(instruction, where=where)
        return prompts.steer_input(conversation, answer=answer, instruction=instruction)

    def hide(self, text: str, *, where: str) -> str:
        """The text without its credentials, as far as they are kept from the model."""
        return self.redactor.withhold(text, where=where) if self.withholds else text

    def restore_stream(self) -> RestoreStream:
        """What puts the credentials back into an answer."""
        return self.redactor.restore_stream()

    def remember(self, question: Message, answer: str) -> None:
        """A turn has ended: it goes along with later prompts."""
        self._history += [question, Message("assistant", answer)]

    def remember_instead(self, before: str, answer: str) -> None:
        """Another answer takes the place of one that is remembered."""
        known, chosen = Message("assistant", before), Message("assistant", answer)
        self._history = [chosen if message == known else message for message in self._history]
