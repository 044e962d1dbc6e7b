"""Fork, message stream and end of one copy, seen from the kernel."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 (see LiveKernel)
import os
import random
import selectors
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, Protocol

import msgspec

from spark_jupyter.protocol.values import Output, Permission
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy import import_locks, polars_runtime
from spark_jupyter.sandbox.copy.copy_main import run_copy
from spark_jupyter.sandbox.copy.isolation import copied, shares_too_much
from spark_jupyter.sandbox.copy_protocol import Ended, Frames, Limits, Order, Request, Said, Wrote, frame, request, said
from spark_jupyter.sandbox.message_validation import MessageValidator
from spark_jupyter.sandbox.processes import Child, Process, fork_quietly, is_dead, kill_whole
from spark_jupyter.sandbox.scratch_folder import Folder
from spark_jupyter.sandbox.walls import Ready, ready
from spark_jupyter.sandbox.walls.allowed_paths import places
from spark_jupyter.sandbox.watchdog import Watchdog

_GRACE = 1.5
"""Seconds after the time limit to say where the code stood and what it did, before it is killed."""

_EVERY = 0.2
"""Seconds between two looks at what a copy has written."""
MOST_SAID = 256 << 20
"""Bytes of all that one copy says: what is heard is kept, and to read it takes the kernel's time."""

Listener = Callable[[Said], None]


class PipeEnds(NamedTuple):
    """The descriptors that a copy begins with: what it says, what is printed past Python, what it is asked, and memory into which it may
    put data (-1: none)."""

    report: int
    out: int
    err: int
    ask: int
    data: int = -1


class Origin(Protocol):
    """Process that copies are made of: the kernel as it is, or as it was (a checkpoint)."""

    def begin(self, order: Order, requests: Sequence[Request] | None, ends: PipeEnds) -> tuple[Process, str]:
        """Fork a copy that begins with ``requests``; with a sentence on the walls that this system lacks. Raises OSError."""


class LiveKernel:
    """The kernel as it is: this process. The fork keeps only the thread that begins it, so that one must hold no lock.

    What registers with ``os.register_at_fork`` when imported must not be imported by another thread just then: it would release a lock
    that it never took. Of the standard library that is the pool of threads, which others import when they first need it."""

    def __init__(self, shell: Any, *, stepwise: bool = False) -> None:
        """``stepwise``: a copy begins each of the requests that it is made with when it is asked anything, and ends with them."""
        self._shell = shell
        self._stepwise = stepwise

    def begin(self, order: Order, requests: Sequence[Request] | None, ends: PipeEnds) -> tuple[Process, str]:
        made = ready(order.allow)
        wanted: Iterable[Request] = requests or ()
        if self._stepwise:
            wanted = (asked for asked, _ in zip(wanted, _requests(ends.ask), strict=False))
        return Child(fork_copy(self._shell, order, wanted, ends, made, random.getstate())), made.walls.missing


def fork_copy(
    shell: Any,
    order: Order,
    requests: Iterable[Request] | None,
    ends: PipeEnds,
    made: Ready,
    states: Any,
    *,
    paused: bool = False,
) -> int:
    """Fork a copy of this process, with ``states`` of ``random``; its process number. ``paused``: this one is a checkpoint.

    The places and the modules are looked for before: in the copy each look at a module would copy a page of memory."""
    history = getattr(shell.history_manager, "hist_file", "")  # what was typed in all notebooks is no part of this one
    allowed = places(folder=order.folder, allowed=order.allow, named=order.named, private=(str(history),))
    import_locks.known()
    polars_runtime.prepare()
    pid = fork_quietly()
    if pid == 0:
        wanted = chain(requests or (), _requests(ends.ask))
        run_copy(
            shell,
            wanted,
            order,
            made,
            allowed,
            report=ends.report,
            out=ends.out,
            err=ends.err,
            states=states,
            ask=ends.ask,
            data=ends.data,
            paused=paused,
        )
    return pid


class Copy:
    """One forked copy. Make it, :meth:`listen` and :meth:`close` it in one thread that does nothing else: the fork keeps only
    that thread, so it must hold no lock; and the copy dies with it. :meth:`kill` and :meth:`ask` may be called from anywhere.

    It begins with ``sources``, and ends with them unless it ``stays`` to be asked more (None: it is asked all). For ``proof``, ``effects``
    and ``background`` see :class:`~spark_jupyter.sandbox.copy_protocol.Order`."""

    def __init__(
        self,
        origin: Origin,
        sources: Sequence[Request] | None,
        *,
        allow: tuple[Permission, ...],
        limits: Limits,
        named: tuple[str, ...] = (),
        stays: bool = False,
        proof: bool = False,
        effects: bool = True,
        background: bool = False,
        data: int = -1,
    ) -> None:
        self.problem = ""
        self._limits = limits
        self._lock = threading.Lock()
        self._ended = False
        self._taken_away = False
        self._validator = MessageValidator(limits)
        self._said = 0
        self._deadline: float | None = None
        self._interrupted = False
        self._room = limits.folder + copied()
        self._measured = 0.0
        self._folder = Folder()
        owner = threading.main_thread().ident or 0
        order = Order(
            folder=self._folder.path,
            allow=allow,
            limits=limits,
            owner=owner,
            named=named,
            proof=proof,
            effects=effects,
            background=background,
        )
        pipes: list[tuple[int, int]] = []
        try:
            for _ in range(4):  # any of which may be one too many
                pipes.append(os.pipe())
            (self._report, report), (self._out, out), (self._err, err), (ask, self._ask) = pipes
            os.set_blocking(self._ask, False)
            self._process, self.unenforced = origin.begin(order, sources, PipeEnds(report, out, err, ask, data))
        except OSError:
            for descriptor in chain(*pipes):
                os.close(descriptor)
            self._folder.remove()
            raise
        for descriptor in (report, out, err, ask):
            os.close(descriptor)
        self.pid = self._process.pid
        if sources is not None and not stays:
            self.finish()

    def ask(self, asked: Request) -> None:
        """Have it do one thing more (only where no sources were given, or it stays)."""
        with self._lock:
            if not self._ended and self._ask >= 0:
                data = frame(asked)
                with suppress(BrokenPipeError):  # the copy died; who listens is told
                    if not _fits(self._ask, data):
                        self.problem = self.problem or limit_sentences.DEAF
                        if not self._taken_away:
                            kill_whole(self.pid)

    def finish(self) -> None:
        """Send no more requests: from now on the copy has a deadline, whatever it reports."""
        with self._lock:
            self._close_ask()
            if self._deadline is None:
                self._deadline = time.monotonic() + self._limits.seconds

    def interrupt(self) -> None:
        """Raise TimeUp where the code stands."""
        self._signal(signal.SIGINT)

    def kill(self, problem: str = "") -> None:
        """End the copy and all that it started, now."""
        with self._lock:
            if not self._taken_away:
                self.problem = self.problem or problem
                kill_whole(self.pid)

    def give(self, seconds: float | None) -> None:
        """From now on it may run for so long; None: it has nothing to do, and waits to be asked."""
        with self._lock:
            if seconds is None and self._ask < 0:
                return  # nobody will ask it anything
            self._interrupted = False
            self._deadline = None if seconds is None else time.monotonic() + seconds

    def listen(self, receive: Listener) -> None:
        """Pass on what the copy says until it has ended. See :meth:`give` for its time."""
        frames = Frames()
        watchdog = Watchdog(self.pid)
        finished = dead = False
        with selectors.DefaultSelector() as selector:
            selector.register(self._report, selectors.EVENT_READ)
            for descriptor in (self._out, self._err):
                selector.register(descriptor, selectors.EVENT_READ)
            while not finished:
                ready = selector.select(0.25)
                for key, _ in ready:
                    data = os.read(key.fd, 1 << 18)
                    if key.fd == self._report:
                        if not data:
                            return self._exited(receive)
                        finished = self._take_in(frames, data, receive) or finished
                    elif data:
                        self._print(key.fd, data, receive)
                    else:
                        selector.unregister(key.fd)
                if dead and all(key.fd != self._report for key, _ in ready):
                    return self._exited(receive)  # what it started lives, and holds the pipe
                dead = is_dead(self.pid)
                self._look_at_folder(last=finished)
                deadline = self._deadline
                if deadline is None or finished:
                    continue
                if time.monotonic() > deadline:
                    if not self._interrupted:
                        self._interrupted = True
                        self._deadline = time.monotonic() + _GRACE
                        self.interrupt()
                    else:
                        self.kill(limit_sentences.time(self._limits.seconds))
                elif not ready and watchdog.is_stuck():
                    self.kill(limit_sentences.WAITS)

    def close(self) -> None:
        """Kill the remaining processes, and remove every descriptor and file. Idempotent."""
        with self._lock:
            if self._ended:
                return
            self._take_away()
            self._ended = True
            self._close_ask()
        for descriptor in (self._report, self._out, self._err):
            os.close(descriptor)
        self._folder.remove()

    # --- inside --------------------------------------------------------------------------------------------------------

    def _look_at_folder(self, *, last: bool) -> None:
        """Measure the copy's files from outside: no limit of the system covers the sum of several files. The ``last`` look finds what was
        written since the one before, so that the outcome does not hang on the speed of the machine."""
        now = time.monotonic()
        if last or now - self._measured > _EVERY:
            self._measured = now
            if self._folder.holds_more_than(self._room, pid=self.pid):
                self.kill(limit_sentences.folder(self._limits.folder))

    def _take_in(self, frames: Frames, data: bytes, receive: Listener) -> bool:
        """Pass on what the copy said, as far as it is what a copy says. Whether that was its end."""
        self._said += len(data)
        if self._said > MOST_SAID:
            self.kill(limit_sentences.OUTPUT)
            return True
        try:
            for body in frames.feed(data):
                message = said(body)
                for kept in self._validator.take(message):
                    receive(kept)
                if isinstance(message, Ended):
                    return True
        except msgspec.MsgspecError:
            self.kill(limit_sentences.UNREADABLE)
            return True
        return False

    def _print(self, descriptor: int, data: bytes, receive: Listener) -> None:
        output = Output(kind="stdout" if descriptor == self._out else "stderr", text=data.decode(errors="replace"))
        for kept in self._validator.take(Wrote(output=output)):
            receive(kept)

    def _exited(self, receive: Listener) -> None:
        """The pipe ended before the account did: say how the process ended."""
        if self.problem:
            return
        alone = self._process.has_ended()
        with self._lock:
            code = os.waitstatus_to_exitcode(self._take_away())
        self.problem = _end_text(code) if alone else limit_sentences.CUT_OFF

    def _take_away(self) -> int:
        """Kill its remaining processes, leave no zombie, and return its status. Call under the lock."""
        if not self._taken_away:
            kill_whole(self.pid)
            self._status = self._process.take_away()
            self._taken_away = True
        return self._status

    def _signal(self, number: int) -> None:
        with self._lock:
            if not self._taken_away:
                os.kill(self.pid, number)

    def _close_ask(self) -> None:
        if self._ask >= 0:
            os.close(self._ask)
            self._ask = -1


def _fits(descriptor: int, data: bytes) -> bool:
    """Write into a pipe whose reader has nothing else to read. What does not fit has a reader that does not read: code that took its
    place, or that forged an answer to get more."""
    try:
        return os.write(descriptor, data) == len(data)
    except BlockingIOError:
        return False


def _end_text(code: int) -> str:
    """Reason for the end of the process: a limit, or a failure that would end the kernel, too."""
    if code >= 0:
        return f"The code ended the process by itself (exit status {code}); in the kernel this would end the kernel."
    status = -code
    if status in (signal.SIGKILL, signal.SIGXCPU):
        return limit_sentences.KILLED if status == signal.SIGKILL else limit_sentences.PROCESSOR
    if status in (signal.SIGABRT, signal.SIGTERM) and _has_numba_threads():
        return limit_sentences.NUMBA
    if status in (signal.SIGSEGV, signal.SIGBUS) and shares_too_much():
        return limit_sentences.SHARED_MEMORY
    try:
        name = signal.Signals(status).name
    except ValueError:
        name = f"signal {status}"
    return f"The process crashed ({name}): this would end the kernel."


def _has_numba_threads() -> bool:
    """True if numba has started threads in this kernel: with some threading layers it ends a fork that uses them."""
    return bool(getattr(sys.modules.get("numba.np.ufunc.parallel"), "_is_initialized", False))


def _requests(descriptor: int) -> Iterator[Request]:
    frames = Frames()
    while data := os.read(descriptor, 1 << 16):
        for body in frames.feed(data):
            yield request(body)
