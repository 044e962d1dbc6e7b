"""Keys of a terminal while a turn streams, as one typed line."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPress

Read = Callable[[], "list[KeyPress]"]
"""Gives the keys that were pressed since the last time; never waits."""

ENTER = ("c-m", "c-j")
BACKSPACE, CLEAR, INTERRUPT, PASTED = "c-h", "c-u", "c-c", "<bracketed-paste>"
"""As prompt_toolkit names them (``prompt_toolkit.keys.Keys``)."""


class TypedLine:
    """Typed text that was not sent yet."""

    def __init__(self) -> None:
        self.text = ""

    def press(self, key: str, data: str) -> str | None:
        """Take in a key, by its name and by what came for it; the line where Enter ended one that is not empty."""
        if key in ENTER:
            line, self.text = self.text.strip(), ""
            return line or None
        if key == BACKSPACE:
            self.text = self.text[:-1]
        elif key == CLEAR:
            self.text = ""
        elif key == PASTED:
            self.text += data.replace("\r\n", "\n").replace("\r", "\n")
        elif key.isprintable() and len(key) == 1:
            self.text += key
        return None


@contextmanager
def reading(stream: TextIO) -> Iterator[Read | None]:
    """Have keys come one by one, without echo, where ``stream`` is a terminal; None where it is not. Ctrl-C interrupts as usual."""
    if not stream.isatty():
        yield None
        return
    from prompt_toolkit.input import create_input

    source = create_input(stream)
    with _key_by_key(source, stream):
        yield lambda: _keys(source)


def _keys(source: Input) -> list[KeyPress]:
    """Keys that arrived, or those that were held back as a possible beginning of a sequence."""
    keys = source.read_keys() or source.flush_keys()
    if any(press.key == INTERRUPT for press in keys):  # where the system makes no signal of it
        signal.raise_signal(signal.SIGINT)
    return keys


@contextmanager
def _key_by_key(source: Input, stream: TextIO) -> Iterator[None]:
    """Keep the terminal's own Ctrl-C and Ctrl-Z if there are signals."""
    if sys.platform == "win32":
        with source.raw_mode():
            yield
        return
    import termios
    import tty

    before = termios.tcgetattr(stream)
    tty.setcbreak(stream)
    try:
        yield
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)
