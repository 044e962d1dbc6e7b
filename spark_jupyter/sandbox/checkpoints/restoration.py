"""Restoration of a moment: what differs from it, and its return.

All or nothing. Changes are found without running user code in the kernel: addresses and written pages tell them for large values, and two
copies, of the kernel then and now, describe the rest by value. Unchanged objects stay the same objects, also inside what comes back.
"""

from __future__ import annotations

import fcntl
import math
import os
import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from spark_jupyter.class_identity import package_of
from spark_jupyter.exceptions import SessionError, limit_reached
from spark_jupyter.protocol.constants import UNDO_PARTLY
from spark_jupyter.protocol.moment_messages import VariableChange
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.file_history import FileChanges, FileHistory, files_written
from spark_jupyter.sandbox.checkpoints.moments import Changes, Moment, Run
from spark_jupyter.sandbox.checkpoints.undo_messages import Listed, ListNames, Pack, Packed, Seen
from spark_jupyter.sandbox.checkpoints.variable_transfer import unpack
from spark_jupyter.sandbox.copy.inspector import OUTPUT, names_of, seen
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.forking import LiveKernel, Origin
from spark_jupyter.sandbox.limit_sentences import sentence
from spark_jupyter.sandbox.proofs.outcome_diff import alias_pairs, named_in, root
from spark_jupyter.sandbox.proofs.proof_messages import Describe, Described
from spark_jupyter.sandbox.proofs.proof_runner import Side, ask_all
from spark_jupyter.sandbox.values.interpreter_state import RANDOM, holds_random
from spark_jupyter.sandbox.values.patched_attributes import PatchedAttributes
from spark_jupyter.sandbox.values.process_state import changed_parts, restore_parts, threads_of_cells
from spark_jupyter.sandbox.walls.allowed_paths import working_folder

_LIMITS = Limits(seconds=120.0, file=1 << 40)
"""Of copies that run nothing but our own code: one of them writes all that comes back into memory that it was handed."""
_MOST_TOLD = 20
_SOON = 1.0
"""Seconds after which a person wants to know what takes so long."""

Result = TypeVar("Result")
Beside = TypeVar("Beside")


class _Wish(NamedTuple):
    """``source`` of the runs since; ``unwritten``: addresses of the large values that were not written since; ``partly``: what can't come
    back stays."""

    source: str
    unwritten: frozenset[int]
    partly: bool


class _Found(Struct, frozen=True, kw_only=True):
    packed: Packed
    back: tuple[str, ...]
    gone: tuple[str, ...]
    as_it_is: tuple[str, ...]
    living: dict[int, object]
    words: tuple[VariableChange, ...]


class Restoration(NamedTuple):
    """A return that is ready."""

    shell: Any
    moment: Moment
    patched: PatchedAttributes
    changes: Changes
    found: _Found
    descriptor: int
    bring_files_back: Callable[[], object]

    def apply(self) -> tuple[str, ...]:
        """Bring the variables and the process's state back, on the thread that runs cells; returns the state that can't be restored. Raises
        :class:`~spark_jupyter.exceptions.SessionError` before anything is touched."""
        try:
            values = unpack(self.found.packed, self.descriptor, self.found.living) if self.found.back else {}
            self.bring_files_back()
        except Exception as error:  # what a value does when it is made again, or a file system
            raise _refused(self.moment, error) from error
        names = self.shell.user_ns
        names.update(values)
        for name in self.found.gone:
            names.pop(name, None)
        _restore_results(self.shell, (*values, *self.found.gone))
        return (*self.patched.restore(self.moment.patched), *restore_parts(self.moment.parts))


@contextmanager
def prepared(
    shell: Any,
    checkpoints: Checkpoints,
    moment: Moment,
    *,
    partly: bool = False,
    report: Callable[[str], object] = lambda sentence: None,
) -> Iterator[Restoration]:
    """Find what differs from a moment that is alive, and have it at hand. To be called on the thread that runs cells. ``partly``: also
    where not all of it can come back. ``report`` is called with a sentence about what takes its time, where it takes more than a second.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where it can't be done; nothing is touched before it is applied."""
    descriptor = os.memfd_create("spark-moment", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        takes_time = f"Comparing the variables with the checkpoint {moment.when}; large ones take a while."
        sides = _Sides()
        since = [run for run in checkpoints.runs if run not in moment.runs]
        wish = _Wish(
            "\n".join(run.source for run in since),
            checkpoints.pages.unwritten_since(moment.next_id or moment.id),
            partly,
        )
        try:
            found, files = _in_quiet_thread(
                lambda: _gather(shell, moment, descriptor, sides, wish),
                meanwhile=lambda: _files(checkpoints.files, moment, since),
                on_wait=lambda: report(takes_time),
                on_interrupt=sides.cancel,
            )
        except SessionError:
            raise
        except Exception as error:  # no process, thread or memory is left
            raise _refused(moment, error) from error
        draws = holds_random(shell.user_ns.values())
        at_exit = ["functions registered with atexit"] if re.search(r"\batexit\b", wish.source) else []
        begun = [f"the thread {name}" for one, name in threads_of_cells().items() if one not in moment.threads]
        changes = Changes(
            back=tuple(one for one in found.words if not OUTPUT.fullmatch(one.name)),
            gone=tuple(name for name in found.gone if not OUTPUT.fullmatch(name)),
            parts=(
                *(one for one in changed_parts(moment.parts) if one != RANDOM or draws),
                *checkpoints.patched.changed(moment.patched),
            ),
            as_it_is=(*found.as_it_is, *checkpoints.patched.lost(moment.patched), *at_exit, *begun),
            files=files.stays[:_MOST_TOLD],
            files_back=files.back,
            files_gone=files.gone,
        )
        yield Restoration(
            shell,
            moment,
            checkpoints.patched,
            changes,
            found,
            descriptor,
            partial(_bring_back, checkpoints.files, moment, files),
        )
    finally:
        os.close(descriptor)


def _refused(moment: Moment, error: Exception) -> SessionError:
    limit = limit_reached(error)
    why = limit.message.removesuffix(".") if limit is not None else str(error)
    message = f"The kernel can't be restored to the checkpoint {moment.when} ({why}). Nothing was changed."
    return SessionError(message, remedy=limit.remedy if limit is not None else "")


def _restore_results(shell: Any, names: Collection[str]) -> None:
    """``Out``, the display hook and the hidden names hold the results of cells, too: where they differ IPython takes them for the user's
    own variables, and leaves them alone from then on."""
    results, hidden = shell.user_ns.get("_oh", {}), shell.user_ns_hidden
    for name in filter(OUTPUT.fullmatch, names):
        hidden.pop(name, None)
        if name in shell.user_ns:
            hidden[name] = shell.user_ns[name]
        if name.strip("_"):
            number = int(name[1:])
            results.pop(number, None)
            if name in shell.user_ns:
                results[number] = shell.user_ns[name]
        else:
            setattr(shell.displayhook, name, shell.user_ns.get(name, ""))


def _in_quiet_thread(
    work: Callable[[], Result],
    *,
    meanwhile: Callable[[], Beside],
    on_wait: Callable[[], object],
    on_interrupt: Callable[[], object],
) -> tuple[Result, Beside]:
    """Do it in a thread of its own: a fork keeps only the thread that makes it, which must hold no lock; nor must ``meanwhile``, which is
    done here. ``on_wait`` is called where it takes longer than :data:`_SOON`, ``on_interrupt`` ends it on Ctrl-C."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def do() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=do, name="spark-restoration", daemon=True)
    thread.start()
    try:
        beside = meanwhile()
        thread.join(_SOON)
        if thread.is_alive():
            on_wait()
            thread.join()
    except KeyboardInterrupt:
        on_interrupt()
        thread.join()
        raise SessionError("Cancelled: nothing was changed.") from None
    if errors:
        raise errors[0]
    return results[0], beside


class _Sides:
    """The copies of a restoration, which another thread can end."""

    def __init__(self) -> None:
        self._made: list[Side] = []
        self._cancelled = False

    def make(self, origin: Origin, **options: Any) -> Side:
        """A copy that is asked; none any more where it was cancelled."""
        if self._cancelled:
            raise SessionError("Cancelled: nothing was changed.")
        side = Side(origin, [], _LIMITS, **options)
        self._made.append(side)
        if self._cancelled:
            side.copy.kill()
        return side

    def cancel(self) -> None:
        self._cancelled = True
        for side in self._made:
            side.copy.kill()

    def leave(self) -> None:
        """End them, and wait for none."""
        for side in self._made:
            side.leave()


def _gather(shell: Any, moment: Moment, descriptor: int, sides: _Sides, wish: _Wish) -> _Found:
    names = names_of(shell, outputs=True)
    assert moment.checkpoint is not None  # or it would not be alive
    try:
        with ThreadPoolExecutor(1) as beside:  # the checkpoint forks while this process does
            past = beside.submit(sides.make, moment.checkpoint, data=descriptor)
            present = sides.make(LiveKernel(shell))
        found = _Gathering(moment, names, past.result(), present, wish).gather()
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        return found
    finally:
        sides.leave()


class _Gathering:
    def __init__(self, moment: Moment, names: dict[str, object], past: Side, present: Side, wish: _Wish) -> None:
        self._moment, self._names, self._past, self._present, self._wish = moment, names, past, present, wish

    def gather(self) -> _Found:
        listed, present = ask_all((self._past, self._present), ListNames(), Listed)
        if listed is None or present is None:
            raise SessionError(f"The checkpoint {self._moment.when} does not answer. Nothing was changed.")
        then = {one.name: one for one in listed.names}
        now = {name: seen(name, value) for name, value in self._names.items()}
        same = {name for name in then.keys() & now.keys() if then[name].identity == now[name].identity}
        back, is_now = self._changed(then, now, same)
        gone = tuple(sorted(now.keys() - then.keys()))
        living: dict[int, object] = {**self._moment.classes}
        for name in same & back:  # a class that was changed in place is not what it was
            living.pop(now[name].identity, None)
        living |= {now[name].identity: self._names[name] for name in same - back}
        packed, back_now, immovable = self._pack(tuple(sorted(back)), tuple(living), partly=self._wish.partly)
        is_what = {one.name: one.words for one in present.names}
        return _Found(
            packed=packed,
            back=back_now,
            gone=gone,
            as_it_is=(*immovable, *self._unseen(is_now, {*back_now, *gone})),
            living=living,
            words=tuple(
                VariableChange(name=name, now=is_what.get(name, ""), then=then[name].words) for name in back_now
            ),
        )

    def _changed(self, then: dict[str, Seen], now: dict[str, Seen], same: set[str]) -> tuple[set[str], Described]:
        """The names that come back, and the descriptions of those that exist now."""
        both = then.keys() & now.keys()
        large = {name for name in both if then[name].signature or now[name].signature}
        moved = {name for name in large if _outside(then[name]) != _outside(now[name])}
        moved |= {name for name in large if now[name].identity not in self._wish.unwritten}
        drawn = {name for name in both - large if self._is_drawn(name)}
        was, is_now = self._described(tuple(sorted((then.keys() | now.keys()) - large - drawn)))
        back = moved | (then.keys() - now.keys()) | _differing(was, is_now, same)
        back |= drawn - same
        return _with_shared(back & then.keys(), was, then, same=same, large=large), is_now

    def _is_drawn(self, name: str) -> bool:
        """True for the figures that cells resulted in: to draw and compare each takes too long."""
        value = self._names[name]
        first = value[0] if type(value) is list and value else value
        return bool(OUTPUT.fullmatch(name)) and package_of(first) == "matplotlib"

    def _described(self, names: tuple[str, ...]) -> tuple[Described, Described]:
        was, is_now = ask_all((self._past, self._present), Describe(names=names, parts=False), Described)
        if was is None or is_now is None:
            why = self._past.copy.problem or self._present.copy.problem or "A copy of the kernel does not answer."
            raise SessionError(f"The changes can't be determined, so nothing was changed. {sentence(why)}")
        return was, is_now

    def _pack(
        self, names: tuple[str, ...], living: tuple[int, ...], *, partly: bool
    ) -> tuple[Packed, tuple[str, ...], tuple[str, ...]]:
        """Have them packed; which they are, and what can't be."""
        if not names:
            return Packed(), (), ()
        packed = self._past.ask(Pack(names=names, living=living), Packed)
        if packed is None:
            why = sentence(self._past.copy.problem)
            raise SessionError(
                f"The variables of the checkpoint {self._moment.when} can't be copied. Nothing was changed. {why}"
            )
        if not packed.immovable:
            return packed, names, ()
        immovable = tuple(f"{name} ({why})" for name, why in packed.immovable if not OUTPUT.fullmatch(name))
        rest = tuple(name for name in names if name not in dict(packed.immovable))
        if (immovable and not partly) or len(rest) == len(names):
            movable = ", ".join(name for name in rest if not OUTPUT.fullmatch(name))
            others = f"{UNDO_PARTLY} restores the rest: {movable}." if movable else ""
            raise SessionError(f"Can't be restored: {', '.join(immovable)}. Nothing was changed.", remedy=others)
        again, back, more = self._pack(rest, living, partly=partly)
        return again, back, (*immovable, *more)

    def _unseen(self, told: Described, known: Collection[str]) -> tuple[str, ...]:
        """Names in the runs since whose values nobody can inspect."""
        named = named_in(self._wish.source)
        return tuple(
            one for value in told.values if value.name in named and value.name not in known for one in value.opaque
        )


def _outside(one: Seen) -> tuple[int, bytes]:
    return one.identity, one.signature


def _differing(was: Described, is_now: Described, same: Collection[str]) -> set[str]:
    """The variables that have other values or are other objects. Where two names were separated, or joined, only the name that was
    bound again."""
    marks = {value.name: value.mark for value in was.values}
    others = {value.name for value in is_now.values if marks.get(value.name, value.mark) != value.mark}
    others |= {value.name for value in is_now.values if value.partly and value.name in marks}  # not all was compared
    both = marks.keys() & {value.name for value in is_now.values}
    for pair in alias_pairs(was.aliases, both) ^ alias_pairs(is_now.aliases, both):
        first, other = map(root, pair)
        if first not in others and other not in others:
            others.add(other if first in same else first)
    return others


def _with_shared(
    back: set[str], told: Described, then: dict[str, Seen], *, same: Collection[str], large: Collection[str]
) -> set[str]:
    """Also those that lay in the memory of an array that comes back, or share an object with what does, where no variable that stays is
    that object. ``same``: the variables that hold the object that they held."""
    while True:
        memory = {then[name].memory for name in back} - {0}
        wanted = {*back, *(name for name, one in then.items() if one.memory in memory)}
        for paths in told.aliases:
            roots = {root(path) for path in paths}
            if roots & wanted and not any(path in same and path not in wanted for path in paths):
                wanted |= roots - set(large)
        if wanted == back:
            return back
        back = wanted


def _files(history: FileHistory | None, moment: Moment, since: Sequence[Run]) -> FileChanges:
    """What becomes of the files that were written since."""
    found = None if history is None or moment.files is None else history.changes(moment.files)
    spans = [(run.began, math.inf if run.seconds is None else run.began + run.seconds) for run in since]
    return found or FileChanges(stays=files_written(working_folder(), spans))


def _bring_back(history: FileHistory | None, moment: Moment, changes: FileChanges) -> None:
    if history is not None and moment.files is not None:
        history.bring_back(moment.files, changes)
