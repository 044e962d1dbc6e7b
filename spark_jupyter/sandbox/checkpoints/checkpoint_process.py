"""Checkpoint process: a paused fork of the kernel, and its handle.

It runs no user code: it waits for one of three requests on its socket. Copies are forked from it and confined like every copy
(:mod:`spark_jupyter.sandbox.walls`); a copy dies with its checkpoint, and that with the thread of the kernel that forked it.
"""

from __future__ import annotations

import array
import gc
import os
import random
import select
import signal
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NoReturn

from msgspec import Struct

from spark_jupyter.sandbox.copy import import_locks, polars_runtime
from spark_jupyter.sandbox.copy.isolation import pause
from spark_jupyter.sandbox.copy_protocol import Frames, Order, Request, frame
from spark_jupyter.sandbox.forking import PipeEnds, fork_copy
from spark_jupyter.sandbox.processes import Child, Process, ends_in_a_moment, fork_quietly
from spark_jupyter.sandbox.walls import Ready
from spark_jupyter.typed_decoders import msgpack_decoder

_PATIENCE = 60.0
"""Seconds after which a checkpoint that does not answer is ended: a busy machine may take long to fork a large kernel."""


class _Begin(Struct, frozen=True, kw_only=True, tag=True):
    """Fork a copy; answered with its process number. Its descriptors come along."""

    order: Order
    requests: tuple[Request, ...] | None = None


class _HasEnded(Struct, frozen=True, kw_only=True, tag=True):
    """Answered with 1 where this copy ends in a moment, else 0."""

    pid: int


class _TakeAway(Struct, frozen=True, kw_only=True, tag=True):
    """Wait for the copy's end; answered with its status."""

    pid: int


class _Answer(Struct, frozen=True, kw_only=True):
    value: int = 0
    error: str = ""


_words = msgpack_decoder(_Begin | _HasEnded | _TakeAway)
_answers = msgpack_decoder(_Answer)


class Checkpoint:
    """One checkpoint, in the kernel. Made by the thread that keeps it: it dies with that thread. What it offers is an
    :class:`~spark_jupyter.sandbox.forking.Origin`, from any thread."""

    def __init__(self, shell: Any, made: Ready, states: Any) -> None:
        self._made = made
        self._lock = threading.Lock()
        self._ended = False
        ours, theirs = socket.socketpair()
        parent = os.getpid()
        try:
            polars_runtime.note_threads()
            self.pid = fork_quietly()
        except OSError:
            ours.close()
            theirs.close()
            raise
        if self.pid == 0:
            _live(shell, theirs, made, states, parent)
        theirs.close()
        ours.settimeout(_PATIENCE)
        self._socket = ours

    @property
    def alive(self) -> bool:
        """True if copies can be made of it."""
        return not self._ended and not self._has_hung_up()

    def begin(self, order: Order, requests: Sequence[Request] | None, ends: PipeEnds) -> tuple[Process, str]:
        if order.allow:
            raise OSError("A copy of a checkpoint is allowed nothing.")
        asked = _Begin(order=order, requests=None if requests is None else tuple(requests))
        there = [descriptor for descriptor in ends if descriptor >= 0]
        return _Grandchild(self, self._ask(asked, there)), self._made.walls.missing

    def _has_hung_up(self) -> bool:
        """True if its process is gone, as where memory ran out: nobody told us."""
        try:
            waiting = select.poll()
            waiting.register(self._socket, 0)
            return bool(waiting.poll(0))
        except (OSError, ValueError):  # it is closed just now
            return True

    def end(self) -> None:
        """End it and all copies of it, and leave no zombie. Idempotent."""
        with suppress(ProcessLookupError):
            if not self._ended:
                os.kill(self.pid, signal.SIGKILL)
        with self._lock:  # who waits for its answer has been told by now that none comes
            if self._ended:
                return
            self._ended = True
            self._socket.close()
            with suppress(ChildProcessError):  # the user's own code waits for any child
                Child(self.pid).take_away()

    def _ask(self, word: Struct, descriptors: Sequence[int] = ()) -> int:
        """Say a word and wait for its answer. Raises OSError where there is none."""
        with self._lock:
            if self._ended:
                raise ConnectionError("The checkpoint has ended.")
            data, frames = frame(word), Frames()
            try:
                sent = socket.send_fds(self._socket, [data], list(descriptors)) if descriptors else 0
                self._socket.sendall(data[sent:])
                while not (bodies := frames.feed(_received(self._socket))):
                    pass
            except TimeoutError:
                os.kill(self.pid, signal.SIGKILL)  # its late answer would be taken for that to the next question
                raise
        answer = _answers.decode(bodies[0])
        if answer.error:
            raise OSError(answer.error)
        return answer.value


class _Grandchild:
    """A copy of a checkpoint. The checkpoint keeps it from being taken away before its time."""

    def __init__(self, checkpoint: Checkpoint, pid: int) -> None:
        self.pid = pid
        self._checkpoint = checkpoint

    def has_ended(self) -> bool:
        try:
            return bool(self._checkpoint._ask(_HasEnded(pid=self.pid)))
        except OSError:
            return True

    def take_away(self) -> int:
        """See :class:`~spark_jupyter.sandbox.processes.Process`. Where the checkpoint is gone the copy has died with it."""
        try:
            return self._checkpoint._ask(_TakeAway(pid=self.pid))
        except OSError:
            return int(signal.SIGKILL)


def _received(connection: socket.socket) -> bytes:
    data = connection.recv(1 << 16)
    if not data:
        raise ConnectionError("The checkpoint has ended.")
    return data


# --- the process that waits ------------------------------------------------------------------------------------------


def _live(shell: Any, connection: socket.socket, made: Ready, states: Any, parent: int) -> NoReturn:
    """Its whole life. Nothing of Python's own end takes place."""
    status = 1
    try:
        import_locks.begin_again()
        pause(keep=connection.fileno(), parent=parent)
        gc.freeze()  # a collection would write to every object, and so copy the memory
        random.setstate(states)
        connection.settimeout(None)
        _serve(shell, connection, made, states)
        status = 0
    finally:
        os._exit(status)


def _serve(shell: Any, connection: socket.socket, made: Ready, states: Any) -> None:
    frames = Frames()
    descriptors: list[int] = []
    while True:
        data, more = _with_descriptors(connection)
        descriptors += more
        if not data:
            return
        for body in frames.feed(data):
            try:
                value = _obey(_words.decode(body), shell, made, states, descriptors)
                answer = _Answer(value=value)
            except OSError as error:
                answer = _Answer(error=error.strerror or str(error))
            for descriptor in descriptors:
                os.close(descriptor)
            descriptors.clear()
            connection.sendall(frame(answer))


def _obey(
    word: _Begin | _HasEnded | _TakeAway, shell: Any, made: Ready, states: Any, descriptors: Sequence[int]
) -> int:
    match word:
        case _Begin(order=order, requests=requests):
            return fork_copy(shell, order, requests, PipeEnds(*descriptors), made, states, paused=True)
        case _HasEnded(pid=pid):
            return int(ends_in_a_moment(pid))
        case _TakeAway(pid=pid):
            return os.waitpid(pid, 0)[1]


def _with_descriptors(connection: socket.socket) -> tuple[bytes, list[int]]:
    held = array.array("i")
    data, ancillary, _, _ = connection.recvmsg(1 << 16, socket.CMSG_SPACE(8 * held.itemsize))
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            held.frombytes(content[: len(content) - len(content) % held.itemsize])
    return data, list(held)
