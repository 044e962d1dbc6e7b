"""What is said to the model, and what of it is remembered. Pure.

Every text that leaves this machine for a model goes through a :class:`Dialogue`, which takes the credentials out.
"""

from __future__ import annotations

from collections.abc import Sequence

from spark_jupyter import prompts
from spark_jupyter.actions import Surroundings
from spark_jupyter.messages import Prompt
from spark_jupyter.providers.base import Message
from spark_jupyter.redaction import Redactor, RestoreStream
from spark_jupyter.withholding import withheld_prompt


class Dialogue:
    """The turns of one kernel as the model hears them. At most ``history_budget`` tokens (estimated) of those before go along with a
    prompt."""

    def __init__(self, redactor: Redactor, *, history_budget: int) -> None:
        self.redactor = redactor
        self.withholds = True
        """Whether credentials are kept from the model."""
        self._budget = history_budget
        self._history: list[Message] = []

    def begin(self, prompt: Prompt, surroundings: Surroundings) -> tuple[Message, ...]:
        """The conversation for a prompt. What was withheld from it is then in ``redactor.withheld``."""
        self.redactor.forget_withheld()
        if self.withholds:
            prompt, surroundings = withheld_prompt(self.redactor, prompt, surroundings)
        return prompts.turn_input(
            prompt,
            kernel=surroundings.variables,
            last_error=surroundings.last_error,
            cells=prompt.cells,
            history=prompts.recent(self._history, budget_tokens=self._budget),
        )

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
