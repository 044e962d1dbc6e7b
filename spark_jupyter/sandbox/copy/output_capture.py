"""Capture of streams, displays, results and tracebacks in a copy.

Nothing reaches the kernel's channels.
"""

from __future__ import annotations

import base64
import builtins
import getpass
import io
import os
import re
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError

from spark_jupyter.protocol.constants import PICTURES, TERMINAL_SEQUENCE, TEXTS
from spark_jupyter.protocol.values import Output
from spark_jupyter.sandbox.message_validation import MOST_PICTURE, PICTURES_SHARE

_TERMINAL_SEQUENCE = re.compile(TERMINAL_SEQUENCE)
_OWN_FOLDER = os.path.join("spark_jupyter", "sandbox", "")


class Recorder:
    """Passes outputs on, as much as ``most`` characters of text in all and as many of pictures × 8."""

    def __init__(self, say: Callable[[Output], None], *, most: int) -> None:
        self._say = say
        self._left = most
        self._pictures = PICTURES_SHARE * most

    def stream(self, kind: Any, text: str) -> None:
        if self._left <= 0 or not text:
            return
        shown = text[: self._left]
        self._left -= len(text)
        if self._left <= 0:
            shown += "\n… more output was cut off"
        self._say(Output(kind=kind, text=shown))

    def show(self, kind: Any, data: dict[str, Any]) -> None:
        """A display or a result: the types that can be shown safely."""
        kept = {name: str(data[name])[: max(0, self._left)] for name in TEXTS if name in data}
        if "text/html" in data:
            html = str(data["text/html"])
            if len(html) <= self._left:
                kept["text/html"] = html  # the kernel cleans it: who would trust a copy to
        self._left -= sum(map(len, kept.values()))
        for name in PICTURES:
            if name in data:
                picture = _base64(data[name])
                if len(picture) <= min(MOST_PICTURE, self._pictures):
                    self._pictures -= len(picture)
                    kept[name] = picture
        if kept:
            self._say(Output(kind=kind, data=kept))

    def error(self, traceback: str) -> None:
        self._say(Output(kind="error", text=_TERMINAL_SEQUENCE.sub("", traceback)[-20_000:]))


def _base64(data: Any) -> str:
    return base64.b64encode(data).decode() if isinstance(data, bytes) else str(data).replace("\n", "")


class _Stream(io.TextIOBase):
    """``sys.stdout`` in the copy."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, recorder: Recorder, kind: str, descriptor: int) -> None:
        super().__init__()
        self._recorder, self._kind, self._descriptor = recorder, kind, descriptor
        self._parts: list[str] = []
        self._size = 0

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._parts.append(text)
        self._size += len(text)
        if self._size > 8_192:
            self.flush()
        return len(text)

    def flush(self) -> None:
        parts, self._parts, self._size = self._parts, [], 0
        if parts:
            self._recorder.stream(self._kind, "".join(parts))

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor


class _Publisher(DisplayPublisher):
    recorder: Any = None

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **options: Any) -> None:
        flush()
        self.recorder.show("display_data", data)

    def clear_output(self, wait: bool = False) -> None:
        """Keep the output: a person wants to see all of it."""


class Hook(DisplayHook):
    """``sys.displayhook`` in the copy. While it ``holds``, results are kept in ``held`` instead of shown."""

    recorder: Any = None
    shell: Any
    source = ""
    holds = False
    held: list[Any] = []  # noqa: RUF012 (set again on the instance)

    def __call__(self, result: Any = None) -> None:
        """Show a result, or hold it."""
        if self.holds:
            self.held.append(result)
        else:
            super().__call__(result)  # type: ignore[no-untyped-call]

    def quiet(self) -> bool:
        try:
            return bool(self.semicolon_at_end_of_expression(self.source))  # type: ignore[no-untyped-call]
        except Exception:  # the tokenizer can't read it, so no semicolon can be told
            return False

    def write_output_prompt(self) -> None:
        """No prompt."""

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        flush()
        self.recorder.show("execute_result", format_dict)

    def log_output(self, format_dict: dict[str, Any]) -> None:
        """The history is the kernel's."""

    def update_user_ns(self, result: object) -> None:
        self.shell.user_ns["_"] = result

    def finish_displayhook(self) -> None:
        self._is_active = False


def flush() -> None:
    """Pass on what was printed so far, so that the order is kept."""
    sys.stdout.flush()
    sys.stderr.flush()


def take_over(
    shell: Any, recorder: Recorder, *, is_limit: Callable[[BaseException], bool] = lambda error: False
) -> Callable[[str], None]:
    """Have everything that the shell shows go to the recorder, but for the tracebacks of errors that ``is_limit`` says are none of the
    code's. Returns what must be told each source before it runs."""
    for name, kind, descriptor in (("stdout", "stdout", 1), ("stderr", "stderr", 2)):
        stream, old = _Stream(recorder, kind, descriptor), getattr(sys, name)
        setattr(sys, name, stream)
        for held in (old, getattr(sys, f"__{name}__")):  # a logging handler may hold it
            _divert(held, stream)
    _take_over_warnings()
    publisher = _Publisher(shell=shell)  # type: ignore[no-untyped-call]
    publisher.recorder = recorder
    _stand_in(publisher, shell.display_pub)
    shell.display_pub = publisher
    results = {name: shell.user_ns[name] for name in ("_", "__", "___") if name in shell.user_ns}
    hook = Hook(shell=shell, cache_size=0)  # type: ignore[no-untyped-call]
    shell.user_ns.update(results)  # a new hook empties them
    hook.recorder = recorder
    _stand_in(hook, shell.displayhook)
    shell.displayhook = hook
    shell.display_trap.hook = hook
    sys.displayhook = hook  # the kernel may be within a cell, and the trap set already

    def show_traceback(kind: object, value: object, lines: list[str]) -> None:
        flush()
        if isinstance(value, BaseException) and is_limit(value):
            return
        recorder.error(shell.InteractiveTB.stb2text([line for line in lines if not _is_ours(line)]))

    shell._showtraceback = show_traceback
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        _silence(kernel, recorder)
    builtins.input = _no_input
    getpass.getpass = _no_input  # in the copy only

    def begin(source: str) -> None:
        hook.source = source

    return begin


def _stand_in(part: Any, replaced: Any) -> None:
    """Give a part of the shell the other names of the kernel's own, which widgets ask it for: its methods do nothing here."""
    for name in dir(replaced):
        if not name.startswith("_") and not hasattr(part, name):
            value = getattr(replaced, name, None)
            setattr(part, name, (lambda *_, **__: None) if callable(value) else value)


def _take_over_warnings() -> None:
    """Each is an output of its own: two texts are compared without those that went."""
    show_as_before = warnings.showwarning

    def show(*told: Any, **more: Any) -> None:
        flush()
        show_as_before(*told, **more)
        flush()

    warnings.showwarning = show


def _is_ours(part: str) -> bool:
    """True if a part of a traceback is a frame of the Try's own code, which does not concern the user."""
    head = _TERMINAL_SEQUENCE.sub("", part).lstrip().partition("\n")[0]
    return head.startswith("File ") and _OWN_FOLDER in head


def _divert(held: Any, stream: _Stream) -> None:
    with suppress(AttributeError, TypeError):  # a file of Python's own: its descriptor is replaced already
        held.write, held.flush = stream.write, stream.flush


def _silence(kernel: Any, recorder: Recorder) -> None:
    """No message leaves through the kernel's session: comms, payloads, status, progress."""

    def send(stream: Any, message: Any, content: Any = None, **options: Any) -> Any:
        kind = message.get("msg_type", "") if isinstance(message, dict) else str(message)
        body = message.get("content", {}) if isinstance(message, dict) else content or {}
        if kind == "display_data":
            recorder.show("display_data", body.get("data", {}))
        elif kind == "stream":
            recorder.stream(body.get("name", "stdout"), body.get("text", ""))
        return message if isinstance(message, dict) else {"header": {"msg_id": ""}, "content": body, "msg_type": kind}

    kernel.session.send = send
    kernel.raw_input = _no_input
    kernel.getpass = _no_input


def _no_input(prompt: object = "", *rest: object, **options: object) -> str:
    raise StdinNotImplementedError(f"A Try can't ask a person, so input({str(prompt)[:60]!r}) was refused.")
