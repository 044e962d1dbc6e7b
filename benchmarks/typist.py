"""Who writes a notebook in a page, for ``as_you_type.py``: recorded sessions, cell by cell and key by key, at the pace of somebody
who types fast. What is suggested and comes next is taken, where it is worth a key; now and then a key is wrong, and is taken back.
Each cell is run.

After each key the cell is compared with what has been typed and taken: a character that is lost, doubled or wrong is found where it
comes to be.
"""

from __future__ import annotations

import time
from pathlib import Path
from shutil import copy
from typing import Any

from benchmarks.sessions import SESSIONS, cells_of

WRITTEN = ("flowers", "grades", "shop")
PER_SECOND = 8
MISTYPED = 15
"""Keys after which a wrong one is struck and taken back."""
WORTH = 4
"""Characters for which Tab is pressed."""

LOOK = """() => {
  const cell = window.jupyterapp.shell.currentWidget.content.activeCell;
  return [cell.model.sharedModel.getSource(), window.ghostWatch.text];
}"""
FRESH = """async () => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const { commands } = window.jupyterapp;
  await commands.execute('notebook:insert-cell-below');
  await commands.execute('notebook:enter-edit-mode');
  content.activeCell.editor.focus();
}"""
RUN = """async () => {
  await window.jupyterapp.commands.execute('notebook:run-cell');
}"""


def lay_out(folder: Path) -> None:
    """Put the files that the sessions read into the folder."""
    for name in WRITTEN:
        for path in (SESSIONS / name).iterdir():
            if path.name != "session.txt" and path.is_file():
                copy(path, folder / path.name)


def all_cells() -> list[str]:
    """The cells of all sessions."""
    return [cell for name in WRITTEN for cell in cells_of(name)]


class Typist:
    """Types in the active notebook of a page in which ``window.ghostWatch`` says what is suggested. ``requests`` counts those so far."""

    def __init__(self, page: Any, requests: Any) -> None:
        self._page = page
        self._requests = requests
        self.pressed = self.characters = self.taken = 0
        self._paced = 0
        self.wrong: list[str] = []
        """What a key did that it should not have done."""
        self.shown = self.shown_anew = 0
        """Keys after which something was suggested, and those of them before which it was asked for."""

    def write(self, keys: int, *, characters: int = 0) -> None:
        """So many keys, or all that there is; and then, as fast as it goes, until there are so many characters."""
        self._paced = keys
        for cell in all_cells():
            if self.pressed >= keys and self.characters >= characters:
                return
            self._page.evaluate(FRESH)
            self._write(cell, keys, characters)
            self._page.evaluate(RUN)

    def _write(self, text: str, keys: int, characters: int) -> None:
        at, asked = 0, self._requests()
        while at < len(text) and (self.pressed < keys or self.characters + at < characters):
            source, ghost = self._look()
            if ghost:
                self.shown += 1
                self.shown_anew += self._requests() > asked
            asked = self._requests()
            rest = text[at:]
            if len(ghost) >= WORTH and rest.startswith(ghost):
                self._press("Tab")
                found, _ = self._look()
                came = found[len(source) :]
                if came.startswith(ghost) and rest.startswith(came):
                    self.taken += 1  # more of it may have come since it was looked at
                    at += len(came)
                else:
                    self.wrong.append(f"Tab for {ghost!r} made {source[-40:]!r} into {found[-60:]!r}")
                    return
            else:
                at += self._type(rest[0], source, rest)
            if self.pressed % MISTYPED == 0:
                self._mistype()
        self.characters += at

    def _type(self, key: str, source: str, rest: str) -> int:
        """One key. Returns of how many characters that was: a new line is indented by the editor."""
        self._press("Enter" if key == "\n" else key)
        found, _ = self._look()
        if key == "\n":
            spaces = len(found) - len(source) - 1
            wanted = len(rest[1:]) - len(rest[1:].lstrip(" "))
            while spaces > wanted:  # a person takes them back, by a key for each step
                self._press("Backspace")
                spaces = len(self._look()[0]) - len(source) - 1
            return 1 + spaces
        if found != source + key:
            self.wrong.append(f"{key!r} made {source[-40:]!r} into {found[-60:]!r}")
        return 1

    def _mistype(self) -> None:
        before, _ = self._look()
        self._press("q")
        self._press("Backspace")
        after, _ = self._look()
        if after != before:
            self.wrong.append(f"a key that was taken back made {before[-40:]!r} into {after[-60:]!r}")

    def _look(self) -> tuple[str, str]:
        source, ghost = self._page.evaluate(LOOK)
        return source, ghost

    def _press(self, key: str) -> None:
        due = time.monotonic() + (1 / PER_SECOND if self.pressed < self._paced else 0)
        self._page.keyboard.press(key)
        self._page.wait_for_timeout(max(0.0, due - time.monotonic()) * 1000)
        self.pressed += 1
