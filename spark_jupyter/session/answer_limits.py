"""Limits on one answer: length, cells, repetition.

The numbers are ours: far above what a person would read or a notebook hold, and low enough that all of it is judged in seconds. A model
that writes without end costs no more than this.
"""

from __future__ import annotations

MOST_CHARACTERS = 1_000_000
"""Characters of one answer."""
MOST_LINES = 20_000
"""Lines of one answer."""
MOST_IN_A_LINE = 100_000
"""Characters of one line; a small picture in base64 has fewer."""
MOST_CELLS = 200
"""Cells of one turn."""
REPEATED = 2_000
"""Characters of copies of one text from which an answer counts as repeating itself. Wanted code and data repeat a text for some hundred
characters at most."""
COPIES = 8
"""Copies of a text from which it counts as repetition."""
LONGEST_COPY = 1_000
"""Characters of the repeated text: some forty lines."""
NOT_REWRITTEN = "The removed statement was not rewritten. Continue, or write it yourself."
NOTHING = "The model answered nothing. Prompt again, or ask in other words."
UNCLOSED = "The answer ended inside of a code block, so it may have been cut short. What arrived is kept."
TOO_MANY_CELLS = f"The answer was stopped because it has more than {MOST_CELLS} cells. What arrived is kept."


class Repetition:
    """Detector of an answer that repeats itself.

    It looks at the last :data:`LONGEST_COPY` · :data:`COPIES` characters every 250 characters, so the work is linear in the text and the
    outcome does not depend on how it was cut into pieces. ``known`` is text that the answer may rightly repeat: the cell that it edits."""

    _STEP = 250

    def __init__(self, known: str = "") -> None:
        self._known = known
        self._seen = ""
        self._since: list[str] = []
        self._due = self._STEP

    def take(self, text: str) -> int | None:
        """The length of ``text`` at which repetition is certain; None where it is not."""
        start = 0
        while len(text) - start >= self._due:
            end = start + self._due
            self._since.append(text[start:end])
            self._seen = (self._seen + "".join(self._since))[-COPIES * LONGEST_COPY :]
            self._since, self._due, start = [], self._STEP, end
            if self._repeats():
                return end
        self._since.append(text[start:])
        self._due -= len(text) - start
        return None

    def _repeats(self) -> bool:
        backwards = self._seen[::-1]
        last = backwards[:REPEATED]
        period = backwards.find(last, 1, REPEATED + LONGEST_COPY)
        if period < 0 or len(last) < REPEATED:
            return False
        length = max(REPEATED, COPIES * period)
        if len(backwards) < length or backwards[period:length] != backwards[: length - period]:
            return False
        return last[::-1] not in self._known


class AnswerLimiter:
    """Cuts an answer at the limits as it comes. ``known``: see :class:`Repetition`."""

    def __init__(self, known: str = "") -> None:
        self._characters = 0
        self._lines = 0
        self._in_line = 0
        self._repetition = Repetition(known)

    def take(self, text: str) -> tuple[str, str]:
        """The part of ``text`` within the limits, and a sentence where a limit was reached (else empty)."""
        taken, too_much = self._within(text)
        end = self._repetition.take(taken)
        if end is not None:
            return taken[:end], "The answer was stopped because it said the same over and over. What arrived is kept."
        return taken, too_much

    def _within(self, text: str) -> tuple[str, str]:
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
