"""One Try in its own thread: fork, run, listen, end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy_protocol import Execute, Limits, Said
from spark_jupyter.sandbox.result_builder import Result, unenforced
from spark_jupyter.sandbox.user_mentions import UserMentions
from spark_jupyter.session.answer_trials import AnswerTrial

if TYPE_CHECKING:
    from spark_jupyter.sandbox.forking import Copy, Origin

Result_co = TypeVar("Result_co", covariant=True)


class _Builder(Protocol[Result_co]):
    """Collector of a Try's messages."""

    def receive(self, message: Said) -> None:
        """Take in one thing that the copy said."""

    def result(self, problem: str = "") -> Result_co: ...


class TrialThread(Generic[Result]):
    """One Try: of these sources, in a copy of the shell's process or of another ``origin``. ``account`` makes what its messages are
    gathered in."""

    def __init__(
        self,
        shell: Any,
        sources: list[Execute],
        allow: tuple[Permission, ...],
        limits: Limits,
        named: UserMentions,
        builder: Callable[[], _Builder[Result]],
        *,
        origin: Origin | None = None,
    ) -> None:
        self._origin = origin
        self._shell, self._sources, self._allow, self._limits, self._named = shell, sources, allow, limits, named
        self._new_builder: Callable[[], _Builder[Result]] = builder
        self._builder: _Builder[Result] = builder()
        self._copy: Copy | None = None
        self._cancelled = False
        self._lock = threading.Lock()

    async def result(self) -> Result:
        """Result of the Try. Cancelling this ends the copy at once."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Result] = loop.create_future()
        thread = threading.Thread(target=self._work, args=(loop, done), name="spark-try", daemon=True)
        thread.start()
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            self._cancel()
            raise

    def _work(self, loop: asyncio.AbstractEventLoop, done: asyncio.Future[Result]) -> None:
        with ExitStack() as ended:  # nobody waits for the end of a process that shares gigabytes: it takes a while
            outcome: Result | Exception
            try:
                outcome = self._try(ended)
                if _waited(outcome) and not self._allow:
                    # another thread may have held a lock (of an import, say) in the moment of the fork: once more, elsewhere
                    self._builder = self._new_builder()
                    outcome = self._try(ended)
            except OSError as error:  # no memory or no process number left for a fork
                outcome = self._builder.result(limit_sentences.not_copied(error))
            except Exception as error:  # a fault of ours must not leave who waits waiting
                outcome = error
            _settle(loop, done, outcome)

    def _try(self, ended: ExitStack) -> Result:
        """Run the Try. The copy is killed, and will be taken away with what has ``ended``."""
        from spark_jupyter.sandbox.forking import Copy, LiveKernel  # not needed before the first Try

        with self._lock:
            if self._cancelled:
                return self._builder.result(limit_sentences.CANCELLED)
            named = self._named.paths()
            copy = self._copy = Copy(
                self._origin or LiveKernel(self._shell),
                self._sources,
                allow=self._allow,
                limits=self._limits,
                named=named,
            )
        ended.callback(copy.close)
        try:
            copy.give(self._limits.seconds)
            copy.listen(self._builder.receive)
        finally:
            copy.kill()
        return unenforced(self._builder.result(copy.problem), copy.unenforced)

    def _cancel(self) -> None:
        self._cancelled = True
        copy = self._copy
        if copy is not None:
            copy.kill(limit_sentences.CANCELLED)


def _waited(outcome: TrialResult | AnswerTrial) -> bool:
    """True if the copy waited for a lock or a thread."""
    return limit_sentences.WAITS in outcome.problem


def _settle(loop: asyncio.AbstractEventLoop, done: asyncio.Future[Result], outcome: Result | Exception) -> None:
    """Hand the outcome over to who waits, where somebody still does."""

    def settle() -> None:
        if done.done():
            return
        if isinstance(outcome, Exception):
            done.set_exception(outcome)
        else:
            done.set_result(outcome)

    with suppress(RuntimeError):  # the engine was closed meanwhile: nobody waits
        loop.call_soon_threadsafe(settle)
