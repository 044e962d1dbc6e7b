"""Steps of hints: what a prompt for a hint may be given."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.constants import MOST_HINTS, NEXT_HINT, WHY
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import Attempts, Target, Turn


def hint_prompt(command: Prompt, turns: Sequence[Turn], most: int = MOST_HINTS) -> Prompt:
    """The prompt with its step, about the cell in which the user is. :data:`~spark_jupyter.protocol.constants.NEXT_HINT` asks the last
    question again, a step further; :data:`~spark_jupyter.protocol.constants.WHY` begins with the second, any other prompt with the first.

    A prompt with another intent is no hint.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where there is no further step; ``most`` is the furthest."""
    if command.intent != "hints":
        return structs.replace(command, hint=0)
    target = command.target
    if command.text.strip() != NEXT_HINT:
        about = command.active or target.edit or target.after
        step = min(most, 2 if command.text.strip() == WHY else 1)
        return structs.replace(command, hint=step, attempts=Attempts(), target=Target(after=about))
    last = next((turn for turn in reversed(turns) if turn.hint and turn.outcome == "completed"), None)
    if last is None:
        raise SessionError("No hint was given yet.", remedy="Ask a question first.")
    if last.hint >= most:
        raise SessionError("That was the last hint.", remedy="Ask another question, or ask your teacher.")
    return structs.replace(command, text=last.prompt, hint=last.hint + 1, attempts=Attempts(), target=last.target)
