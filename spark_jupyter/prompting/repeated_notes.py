"""Filter for notes that a corrected answer repeats."""

from __future__ import annotations


class RepeatedNotes:
    """Lets notes through but for the lines that were said ``earlier`` in the same turn: a model that begins again repeats its preface.

    A line is held back as long as it may still become one of them.
    """

    def __init__(self, earlier: str) -> None:
        self._known = {line.strip() for line in earlier.splitlines() if line.strip()}
        self._held = ""
        self._passes = False  # the line is another one, or nothing was said earlier
        self._dropped = False  # the blank lines behind a dropped one go with it

    def feed(self, text: str) -> str:
        """Return the new part of ``text`` and of the text held back."""
        if not self._known:
            return text
        return "".join(self._piece(piece) for piece in text.splitlines(keepends=True))

    def flush(self) -> str:
        """The end of a line that has no line end."""
        held, self._held = self._held, ""
        return "" if held.strip() in self._known else held

    def _piece(self, piece: str) -> str:
        whole = piece.endswith("\n")
        if self._passes:
            self._passes = not whole
            return piece
        self._held += piece
        text = self._held.strip()
        if whole:
            shown = "" if text in self._known or (not text and self._dropped) else self._held
            self._dropped, self._held = not shown, ""
            return shown
        if any(line.startswith(text) for line in self._known):
            return ""
        shown, self._held, self._passes, self._dropped = self._held, "", True, False
        return shown
