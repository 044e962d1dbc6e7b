"""How much of an answer is taken in: a model without end, or one that means harm, costs no more than this. Pure.

The numbers are ours: far above what a person would read or a notebook hold, and low enough that all of it is judged in seconds.
"""

from __future__ import annotations

MOST_CHARACTERS = 1_000_000
"""Of one answer."""
MOST_LINES = 20_000
"""Of one answer."""
MOST_IN_A_LINE = 100_000
"""Characters: a small picture in base64 has less."""
MOST_CELLS = 200
"""Of one turn."""
TOO_MANY_CELLS = f"The answer was stopped because it has more than {MOST_CELLS} cells. What arrived is kept."


class Measure:
    """Measures an answer as it comes."""

    def __init__(self) -> None:
        self._characters = 0
        self._lines = 0
        self._in_line = 0

    def take(self, text: str) -> tuple[str, str]:
        """As much of ``text`` as is taken in, and the sentence that says why no more; empty where all of it is."""
        room = MOST_CHARACTERS - self._characters
        if len(text) > room:
            return text[:room], f"The answer was stopped after {MOST_CHARACTERS:,} characters. What arrived is kept."
        self._characters += len(text)
        taken = 0
        for number, line in enumerate(text.split("\n")):
            if number:
                taken, self._in_line, self._lines = taken + 1, 0, self._lines + 1
            room = MOST_IN_A_LINE - self._in_line
            if self._lines > MOST_LINES:
                return text[:taken], f"The answer was stopped after {MOST_LINES:,} lines. What arrived is kept."
            if len(line) > room:
                said = f"The answer was stopped in a line of more than {MOST_IN_A_LINE:,} characters."
                return text[: taken + room], f"{said} What arrived is kept."
            taken, self._in_line = taken + len(line), self._in_line + len(line)
        return text, ""
