"""Undo of a run: changed variables come back from its checkpoint.

All or nothing. Changes are found without running user code in the kernel: addresses and written pages tell them for large values, and two
copies, of the kernel before and now, describe the rest by value. Unchanged objects stay the same objects, also inside what comes back.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, TypeVar

from msgspec import Struct

from spark_jupyter.exceptions import SessionError, limit_reached
from spark_jupyter.protocol.constants import UNDO_PARTLY
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints, Kept, Run
from spark_jupyter.sandbox.checkpoints.undo_messages import Listed, ListNames, Pack, Packed
from spark_jupyter.sandbox.checkpoints.variable_transfer import unpack
from spark_jupyter.sandbox.copy.inspector import is_large, names_of, seen
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.forking import LiveKernel, Origin
from spark_jupyter.sandbox.limit_sentences import sentence
from spark_jupyter.sandbox.proofs.outcome_diff import Outcome, named_in, outcome_differences, root
from spark_jupyter.sandbox.proofs.proof_messages import Describe, Described
from spark_jupyter.sandbox.proofs.proof_runner import Side, ask_all, close_all
from spark_jupyter.sandbox.values.memory_pages import written
from spark_jupyter.sandbox.walls.allowed_paths import working_folder

_LIMITS = Limits(seconds=120.0, file=1 << 40)
"""Of copies that run nothing but our own code: one of them writes all that comes back into memory that it was handed."""
_MOST_FILES = 2_000
_SOON = 1.0
"""Seconds after which a person wants to know what takes so long."""

Result = TypeVar("Result")


class Undone(Struct, frozen=True, kw_only=True):
    """Result of an undo: the variables that are restored, and those that are gone again. What was not: ``as_it_is`` can't be seen or
    moved, ``files`` of the working folder were written meanwhile."""

    run: Run
    back: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    as_it_is: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class _Found(Struct, frozen=True, kw_only=True):
    packed: Packed
    back: tuple[str, ...]
    gone: tuple[str, ...]
    as_it_is: tuple[str, ...]
    living: dict[int, object]


def undo(
    shell: Any,
    checkpoints: Checkpoints,
    *,
    partly: bool = False,
    report: Callable[[str], object] = lambda sentence: None,
) -> Undone:
    """Undo the last run. To be called on the thread that runs cells. ``partly``: also where not all that it changed can come back.
    ``report`` is called with a sentence about what takes its time, where it takes more than a second.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where it can't be done; then nothing was touched."""
    found = checkpoints.last_run()
    if found is None:
        raise SessionError(
            "There is no run to undo: none since Spark was loaded in this kernel, or all of them are undone."
        )
    run, kept = found
    if kept is None:
        why = checkpoints.why_none()
        reason = (
            f"No checkpoints are taken. {why}" if why else "It was dropped, or none was taken: %spark status says more."
        )
        raise SessionError(f"The kernel is not kept as it was before [{run.number}]. {reason}")
    descriptor = os.memfd_create("spark-undo")
    try:
        takes_time = f"Comparing the variables with what they were before [{run.number}]; large ones take a while."
        sides = _Sides()
        gathered = _in_quiet_thread(
            lambda: _gather(shell, kept, descriptor, sides, partly=partly),
            on_wait=lambda: report(takes_time),
            on_interrupt=sides.cancel,
        )
        values = unpack(gathered.packed, descriptor, gathered.living) if gathered.back else {}
    except SessionError:
        raise
    except Exception as error:  # what a value does when it is made anew
        limit = limit_reached(error)
        why = limit.message.removesuffix(".") if limit is not None else str(error)
        raise SessionError(
            f"What was before [{run.number}] can't be brought back ({why}), so nothing was undone.",
            remedy=limit.remedy if limit is not None else "",
        ) from error
    finally:
        os.close(descriptor)
    shell.user_ns.update(values)
    for name in gathered.gone:
        shell.user_ns.pop(name, None)
    checkpoints.forget(run)
    return Undone(
        run=run,
        back=gathered.back,
        gone=gathered.gone,
        as_it_is=gathered.as_it_is,
        files=files_since(run, working_folder()),
    )


def _in_quiet_thread(
    work: Callable[[], Result], *, on_wait: Callable[[], object], on_interrupt: Callable[[], object]
) -> Result:
    """Do it in a thread of its own: a fork keeps only the thread that makes it, which must hold no lock. ``on_wait`` is called where it
    takes longer than :data:`_SOON`, ``on_interrupt`` ends it on Ctrl-C."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=do, name="spark-undo", daemon=True)
    thread.start()
    try:
        thread.join(_SOON)
        if thread.is_alive():
            on_wait()
            thread.join()
    except KeyboardInterrupt:
        on_interrupt()
        thread.join()
        raise SessionError("The undo was cancelled: nothing was undone.") from None
    if errors:
        raise errors[0]
    return results[0]


class _Sides:
    """The copies of an undo, which another thread can end."""

    def __init__(self) -> None:
        self._made: list[Side] = []
        self._cancelled = False

    def make(self, origin: Origin, **options: Any) -> Side:
        """A copy that is asked; none any more where the undo was cancelled."""
        if self._cancelled:
            raise SessionError("The undo was cancelled: nothing was undone.")
        self._made.append(Side(origin, [], _LIMITS, **options))
        if self._cancelled:
            self._made[-1].copy.kill()
        return self._made[-1]

    def cancel(self) -> None:
        """End them at once."""
        self._cancelled = True
        for side in self._made:
            side.copy.kill()

    def close(self) -> None:
        """Take them away."""
        close_all(self._made)


def _gather(shell: Any, kept: Kept, descriptor: int, sides: _Sides, *, partly: bool) -> _Found:
    kernel = _Kernel(names_of(shell))
    try:
        past = sides.make(kept.checkpoint, data=descriptor)
        return _Gathering(kept.run, kernel, past, sides.make(LiveKernel(shell))).gather(partly=partly)
    finally:
        sides.close()


class _Kernel:
    """The kernel's variables as they are, and which of the large ones were written since they were last shared: to be made before the
    kernel is copied again, since then it shares all of them."""

    def __init__(self, names: dict[str, object]) -> None:
        self.names = names
        self.seen = {name: seen(name, value) for name, value in names.items()}
        self.written = written(names, [name for name, value in names.items() if is_large(value)])


class _Gathering:
    def __init__(self, run: Run, kernel: _Kernel, past: Side, present: Side) -> None:
        self._run, self._kernel, self._past, self._present = run, kernel, past, present

    def gather(self, *, partly: bool) -> _Found:
        listed = self._past.ask(ListNames(), Listed)
        if listed is None:
            raise SessionError(
                f"The kernel as it was before [{self._run.number}] does not answer, so nothing was undone."
            )
        before = {one.name: one for one in listed.names}
        now = self._kernel.seen
        large = {name for name in before.keys() & now.keys() if before[name].signature or now[name].signature}
        moved = {name for name in large if before[name] != now[name]}
        moved |= self._kernel.written & large
        small = tuple(sorted((before.keys() | now.keys()) - large))
        was, is_now = self._described(small)
        back = moved | (before.keys() - now.keys()) | _differing(was, is_now)
        back = _with_shared(back, was, large)
        gone = tuple(sorted(now.keys() - before.keys()))
        living = {
            one.identity: self._kernel.names[name]
            for name, one in before.items()
            if name not in back and name in now and now[name].identity == one.identity
        }
        packed, back_now, immovable = self._pack(tuple(sorted(back)), tuple(living), partly=partly)
        unseen = self._unseen(is_now, {*back_now, *gone})
        return _Found(packed=packed, back=back_now, gone=gone, as_it_is=(*immovable, *unseen), living=living)

    def _described(self, names: tuple[str, ...]) -> tuple[Described, Described]:
        was, is_now = ask_all((self._past, self._present), Describe(names=names), Described)
        if was is None or is_now is None:
            why = self._past.copy.problem or self._present.copy.problem or "A copy of the kernel does not answer."
            raise SessionError(f"What the run changed can't be told, so nothing was undone. {sentence(why)}")
        return was, is_now

    def _pack(
        self, names: tuple[str, ...], living: tuple[int, ...], *, partly: bool
    ) -> tuple[Packed, tuple[str, ...], tuple[str, ...]]:
        """Have them packed; which they are, and what can't be."""
        if not names:
            return Packed(), (), ()
        packed = self._past.ask(Pack(names=names, living=living), Packed)
        if packed is None:
            raise SessionError(
                f"What was before [{self._run.number}] can't be packed, so nothing was undone. {sentence(self._past.copy.problem)}"
            )
        if not packed.immovable:
            return packed, names, ()
        immovable = tuple(f"{name} ({why})" for name, why in packed.immovable)
        rest = tuple(name for name in names if name not in dict(packed.immovable))
        if not partly or len(rest) == len(names):
            others = f"{UNDO_PARTLY} brings back the rest: {', '.join(rest)}." if rest else ""
            raise SessionError(f"Can't be brought back: {', '.join(immovable)}. Nothing was undone.", remedy=others)
        again, back, more = self._pack(rest, living, partly=True)
        return again, back, (*immovable, *more)

    def _unseen(self, told: Described, known: Collection[str]) -> tuple[str, ...]:
        """Names of the run whose values nobody can inspect."""
        named = named_in(self._run.source)
        return tuple(
            one for value in told.values if value.name in named and value.name not in known for one in value.opaque
        )


def _differing(before: Described, after: Described) -> set[str]:
    """The variables that are others, or no longer the same objects."""
    marks = {value.name: value.mark for value in before.values}
    others = {value.name for value in after.values if marks.get(value.name, value.mark) != value.mark}
    found = outcome_differences(Outcome(described=before), Outcome(described=after))
    aliases = {root(spot.name) for spot in found if spot.kind == "variable" and root(spot.name) in marks}
    return others | aliases


def _with_shared(back: Collection[str], told: Described, large: Collection[str]) -> set[str]:
    """Also those that share an object with what comes back, where no variable that stays is that object."""
    wanted = set(back)
    while True:
        more: set[str] = set()
        for paths in told.aliases:
            roots = {root(path) for path in paths}
            if roots & wanted and not any(path not in wanted and root(path) == path for path in paths):
                more |= roots - wanted - set(large)
        if not more:
            return wanted
        wanted |= more


def files_since(run: Run, folder: str) -> tuple[str, ...]:
    """Files of the working folder that were written while a cell ran."""
    found: list[str] = []
    until = run.began + (run.seconds or 0.0) + 1.0
    ahead, looked = [folder], 0
    while ahead and looked < _MOST_FILES:
        with suppress(OSError), os.scandir(ahead.pop()) as entries:
            for entry in entries:
                looked += 1
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        ahead += [] if entry.name.startswith((".", "__")) else [entry.path]
                    elif run.began - 0.01 <= entry.stat(follow_symlinks=False).st_mtime <= until:
                        found.append(os.path.relpath(entry.path, folder))
    return tuple(sorted(found)[:20])


def undone_lines(undone: Undone) -> list[str]:
    """Result of an undo as lines of text."""
    number = undone.run.number
    parts = [
        f"{', '.join(undone.back)} as before" if undone.back else "",
        f"{', '.join(undone.gone)} gone" if undone.gone else "",
    ]
    lines = [f"Undone: the run of [{number}]: {'; '.join(filter(None, parts)) or 'it had changed no variable'}."]
    stays = [
        *(f"{name} is as it is now" for name in undone.as_it_is),
        *(f"{name} was written and stays" for name in undone.files),
    ]
    lines += [f"Not undone: {'; '.join(stays)}."] if stays else []
    return [*lines, f"Out[{number}], the count of cells, files and what it did outside this kernel stay."]
