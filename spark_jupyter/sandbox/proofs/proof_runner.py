"""Comparison of old and new cell text from one checkpoint.

Both run at once where there are two processors. Where they differ the old text runs once more: what differs from itself can't be compared,
and is named. The answers of the copies are bounded by their schema (:mod:`spark_jupyter.sandbox.proofs.proof_messages`); the sentences are
ours (:mod:`spark_jupyter.sandbox.proofs.outcome_diff`). A proof is made against mistakes: code that means to deceive can tell that it runs
in a copy.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec import structs

from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.values import Output
from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
from spark_jupyter.sandbox.checkpoints.undo_messages import AskedForUndo
from spark_jupyter.sandbox.copy_protocol import Execute, Limits, Ran, Said, Wrote
from spark_jupyter.sandbox.forking import Copy, Origin
from spark_jupyter.sandbox.proofs.outcome_diff import (
    IntendedChanges,
    Outcome,
    OutcomeDifference,
    clock_in,
    named_in,
    outcome_differences,
    random_calls,
    root,
    unclear_in,
)
from spark_jupyter.sandbox.proofs.proof_messages import (
    Answer,
    Asked,
    Describe,
    Described,
    NumbersTold,
    RowMarks,
    Rows,
    Show,
    Shown,
    TellNumbers,
)
from spark_jupyter.sandbox.proofs.proof_summary import concluded, rows_text
from spark_jupyter.sandbox.proofs.rounding import digits, measurable

_ANSWERING = 60.0
"""Seconds that a copy may take to tell its values."""
_LONGEST = 120.0
"""Seconds that either text may take at most."""
_ENOUGH = "It has said all that it was asked."
_UNREAD = "The copy's values could not be read, so there is nothing to compare."
_ASKED_FOR_ROWS = 3
"""So many differences are looked at row by row."""

Told = TypeVar("Told", bound=Answer)
Receive = Callable[[Said], None]


class Side:
    """One of the copies: sources run, then it is asked, ``first`` what it begins with. Its thread is its own."""

    def __init__(
        self,
        origin: Origin,
        sources: Sequence[str],
        limits: Limits,
        named: tuple[str, ...] = (),
        receive: Receive | None = None,
        *,
        first: Asked | None = None,
        background: bool = False,
        data: int = -1,
    ) -> None:
        self._receive_too = receive
        self._sources = len(sources)
        self._asked = first is not None
        self._ran: list[Ran] = []
        self._outputs: list[Output] = []
        self._told = threading.Event()  # it has said all that it says
        self._answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        end = len(sources) - 1
        requests = [Execute(source=one, number=n, needed=True, last=n == end) for n, one in enumerate(sources)]
        self.copy = Copy(
            origin,
            [*requests, *([first] if first is not None else [])],
            allow=(),
            limits=limits,
            named=named,
            stays=True,
            proof=True,
            effects=receive is not None,
            background=background,
            data=data,
        )
        self.copy.give(limits.seconds)
        self._thread = threading.Thread(target=self._listen, name="spark-proof", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # no thread is left
            self.copy.close()
            raise

    def ask(self, asked: Asked | AskedForUndo, kind: type[Told]) -> Told | None:
        """Ask a copy; None if it has ended, or if the answer is of another kind."""
        self.put(asked)
        return self.answer(kind)

    def put(self, asked: Asked | AskedForUndo) -> None:
        """Ask it, and have its :meth:`answer` later."""
        self.copy.give(_ANSWERING)
        self.copy.ask(asked)

    def answer(self, kind: type[Told]) -> Told | None:
        """Receive the answer to a question that was :meth:`put`; see :meth:`ask`."""
        answer = self._answers.get()
        if answer is None:
            self._answers.put(None)
        return answer if isinstance(answer, kind) else None

    def outcome(self, described: Described | None) -> Outcome:
        return Outcome(
            ran=tuple(self._ran),
            outputs=tuple(self._outputs),
            described=described or Described(values=()),
            problem=self.copy.problem,
        )

    def finish(self) -> None:
        self.copy.finish()

    def leave(self) -> None:
        """End it; where somebody receives its effects wait until they were told. Its thread takes it away later: where it shares
        gigabytes that takes a while. Idempotent."""
        if self._receive_too is None:
            self.copy.kill(_ENOUGH)
        else:
            self.finish()
            self._told.wait()

    def close(self) -> None:
        """Let it end, and wait until it was taken away. Idempotent."""
        self.finish()
        self._thread.join()

    def _listen(self) -> None:
        try:
            self.copy.listen(self._receive)
        finally:
            self.copy.kill()
            self._told.set()
            self._answers.put(None)
            self.copy.close()

    def _receive(self, message: Said) -> None:
        if self._receive_too is not None:
            self._receive_too(message)
        match message:
            case Ran():
                self._ran.append(message)
                if message.error or len(self._ran) == self._sources:
                    self.copy.give(_ANSWERING if self._asked else None)
            case Wrote(output=output):
                self._outputs.append(output)
            case Answer():
                self.copy.give(None)
                self._answers.put(message)
            case _:
                pass


def ask_all(sides: Sequence[Side], asked: Asked | AskedForUndo, kind: type[Told]) -> tuple[Told | None, ...]:
    for side in sides:
        side.put(asked)
    return tuple(side.answer(kind) for side in sides)


class ProofRun:
    """One proof: ``old`` and ``new`` sources, each from the same checkpoint. What is ``meant`` to change is no difference, and what is
    ``unclear`` from the outset is said. ``took`` are the seconds of the old ones, where that is known; in the ``background`` the
    two run one after the other, at the lowest priority. Raises OSError where no copy can be made."""

    def __init__(
        self,
        kept: Kept,
        old: Sequence[str],
        new: Sequence[str],
        *,
        limits: Limits,
        named: tuple[str, ...],
        receive: Receive | None = None,
        receive_old: Receive | None = None,
        runs: Sequence[Run] = (),
        meant: IntendedChanges | None = None,
        unclear: Sequence[str] = (),
        took: float = 0.0,
        background: bool = False,
    ) -> None:
        took = max(took, kept.run.seconds or 0.0)
        seconds = min(_LONGEST, max(limits.seconds, 3 * took + 5))
        self._background = background
        self._meant, self._unclear = meant or IntendedChanges(), unclear
        self._kept, self._old, self._new, self._named, self._receive = kept, old, new, named, receive
        self._receive_old = receive_old
        self._limits = structs.replace(limits, seconds=seconds)
        self._runs = runs
        self._sides: list[Side] = []
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True
        for side in self._sides:
            side.copy.kill(limit_sentences.CANCELLED)

    @property
    def problems(self) -> tuple[str, str]:
        """Why the old text did not come to its end, and why the new one did not; empty where they did."""
        new, old = (side.copy.problem for side in self._sides[:2])
        return old, new

    def run(self) -> tuple[Proof | None, str]:
        """The proof; or why the new text could not be tried. Blocks."""
        together = len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) > 1
        together = together and not self._background
        try:
            new = self._begin(self._new, Describe(beside=tuple(self._old)), self._receive)
            after = None if together else new.answer(Described)
            asked = Describe(beside=tuple(self._new), column=self._meant.column)
            old = self._begin(self._old, asked, self._receive_old)
            proof, problem = self._compare(old, new, after or new.answer(Described))
        except BaseException:  # Ctrl-C, where the thread that runs cells waits for it
            self.cancel()
            raise
        finally:
            for side in reversed(self._sides):  # the new text's effects are told last
                side.leave()
        return proof, problem or (new.copy.problem if self._receive is not None else "")

    def _begin(self, sources: Sequence[str], first: Describe, receive: Receive | None = None) -> Side:
        side = Side(
            self._kept.checkpoint,
            sources,
            self._limits,
            self._named,
            receive,
            first=first,
            background=self._background,
        )
        self._sides.append(side)
        if self._cancelled:
            side.copy.kill(limit_sentences.CANCELLED)
        return side

    def _compare(self, old: Side, new: Side, after: Described | None) -> tuple[Proof | None, str]:
        before = old.answer(Described) if after is not None else None
        before, after = self._of_the_same(old, new, before, after)
        first = old.outcome(before), new.outcome(after)
        if before is None or after is None or first[0].problem:
            return None, new.copy.problem or first[0].problem or _UNREAD
        names = before.touched
        found = outcome_differences(*first, self._meant)
        unclear = [
            *self._unclear,
            *unclear_in(*first),
            *(said for text in (*self._old, *self._new) for said in random_calls(text)),
        ]
        if found:
            found, unstable = self._without_unstable(found, first[0], names)
            unclear += unstable
        if found and any(clock_in(text) for text in (*self._old, *self._new)):
            unclear.append("It reads the clock.")
        found = [*(self._in_rows(spot, old, new) for spot in found[:_ASKED_FOR_ROWS]), *found[_ASKED_FOR_ROWS:]]
        agreeing = self._agreeing(found, first, old, new)
        changed = {root(spot.name) for spot in found if spot.kind == "variable"}
        affected = below(self._runs, self._kept.run, changed)
        unclear = list(dict.fromkeys(unclear))
        return concluded(*first, found, digits=agreeing, unclear=unclear, below=affected), ""

    def _of_the_same(
        self, old: Side, new: Side, before: Described | None, after: Described | None
    ) -> tuple[Described | None, Described | None]:
        """Descriptions by both copies of the variables that either can have changed: a cell may reach some that neither text names."""
        if before is None or after is None or before.touched == after.touched:
            return before, after
        names = tuple(sorted({*before.touched, *after.touched}))
        asked = [
            (side, Describe(names=names, column=column, beside=tuple(beside)))
            for side, told, column, beside in (
                (old, before, self._meant.column, self._new),
                (new, after, None, self._old),
            )
            if told.touched != names
        ]
        for side, question in asked:
            side.put(question)
        answers = {side: side.answer(Described) for side, _ in asked}
        return answers.get(old, before), answers.get(new, after)

    def _without_unstable(
        self, found: list[OutcomeDifference], first: Outcome, names: tuple[str, ...]
    ) -> tuple[list[OutcomeDifference], list[str]]:
        """Remove the differences that also occur between two runs of the old text."""
        time.sleep(0.002)  # another clock, where that matters
        again = self._begin(self._old, Describe(names=names, column=self._meant.column, beside=tuple(self._new)))
        told = again.answer(Described)
        if told is None:
            return found, []
        unstable = {(spot.kind, root(spot.name)) for spot in outcome_differences(first, again.outcome(told))}
        said = [f"`{name}` gives a different result each time." if kind == "variable" else f"The {kind} differs each time."
                for kind, name in sorted(unstable)]  # fmt: skip
        return [spot for spot in found if (spot.kind, root(spot.name)) not in unstable], said

    def _agreeing(
        self, found: Sequence[OutcomeDifference], first: tuple[Outcome, Outcome], old: Side, new: Side
    ) -> int:
        """Number of equal digits, if only numbers differ."""
        names = measurable(found, *first)
        before, after = ask_all((old, new), TellNumbers(names=names), NumbersTold) if names else (None, None)
        return digits(before, after, names, first, self._meant) if before is not None and after is not None else 0

    @staticmethod
    def _in_rows(spot: OutcomeDifference, old: Side, new: Side) -> OutcomeDifference:
        """Number of differing rows, and the first one."""
        if not spot.path:
            return spot
        before, after = ask_all((old, new), Rows(path=spot.path), RowMarks)
        marks = [one.marks if one is not None else None for one in (before, after)]
        if marks[0] is None or marks[1] is None or len(marks[0]) != len(marks[1]):
            return spot
        count, first = rows_text(marks[0], marks[1])
        if not count:
            return structs.replace(spot, detail="holds the same values under another name or in another type")
        one, other = ask_all((old, new), Show(path=spot.path, row=first), Shown)
        if one is None or other is None:
            return spot
        rows = f"{count} row{'s' if count > 1 else ''} differ{'' if count > 1 else 's'}"
        detail = f"{rows}, first at {other.place} ({one.words} → {other.words})"
        return structs.replace(spot, detail=detail)


def below(runs: Iterable[Run], run: Run, names: set[str]) -> list[str]:
    """The cells that ran after this one, as they last ran, and name one of these."""
    later = {one.cell_id: one for one in runs if one.number > run.number and one.cell_id != run.cell_id}
    return [cell_id for cell_id, one in later.items() if named_in(one.source) & names]


def sources_below(runs: Iterable[Run], cells: Sequence[str]) -> list[str]:
    """Sources of these cells from their last runs, in the order of the runs."""
    last = {one.cell_id: one for one in runs if one.cell_id in cells}
    return [one.source for one in sorted(last.values(), key=lambda one: one.number)]
