"""Moments of a kernel, and the policy that says which of them stay.

A moment is the state before a run or an accepted turn, or one that a person named: the runs that made it, the conversation, and a
checkpoint as long as there is memory for one. Without its checkpoint it still says which cells lead there. One before a turn has the
variables of the next moment: no run lies between them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct, structs

from spark_jupyter.protocol.moment_messages import VariableChange

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.checkpoint_process import Checkpoint
    from spark_jupyter.sandbox.checkpoints.file_history import FileState

THINNED = "Only some of the older moments are kept."
RECENT, HALVED, QUARTERED = 20, 40, 80
"""Moments of these ages stay: all up to the first, then every second, then every fourth; none that is older, unless it has a name."""
_MOST_LINE, _MOST_FILES_TOLD, _MOST_LOST_TOLD = 80, 20, 6


class Run(Struct, frozen=True, kw_only=True):
    """A cell that ran. ``cell_id`` is ``in-N`` where no front end names it; ``began`` in Unix seconds; ``seconds`` is None as long
    as it runs. ``warned`` is what warnings said that its own lines raised."""

    number: int
    cell_id: str
    source: str
    began: float
    seconds: float | None = None
    failed: bool = False
    warned: tuple[str, ...] = ()


class Kept(Struct, frozen=True, kw_only=True):
    """A run, and the kernel as it was before."""

    run: Run
    checkpoint: Checkpoint


class Moment(Struct, frozen=True, kw_only=True):
    """A state of the kernel. ``number`` is that of the run which followed (0: none did); ``at`` in Unix seconds; ``runs`` made it, oldest
    first. ``line`` is the first of the cell or the prompt that followed. ``classes`` are those of the user's cells by their addresses:
    they can't be moved from a copy, so they are held. ``parts`` is the state of the process, ``conversation`` what the model had heard, as
    whoever keeps it gave it."""

    id: int
    at: float
    runs: tuple[Run, ...]
    number: int = 0
    cell_id: str = ""
    line: str = ""
    turn_id: str = ""
    """The turn before which it is; then its id is negative."""
    next_id: int = 0
    """Of one before a turn: the moment that has its variables; 0 where none will."""
    unchanged: bool = False
    """True if nothing has run since, so that the variables are as they were."""
    name: str = ""
    pinned: bool = False
    """True where a person named it: then it goes last."""
    classes: Mapping[int, type] = {}
    parts: Mapping[str, Any] = {}
    patched: Mapping[str, Any] = {}
    """Attributes of libraries that cells set."""
    threads: Collection[int] = ()
    """Those that cells had begun."""
    conversation: object = None
    files: FileState | None = None
    """The files of the working folder, where they come back too."""
    checkpoint: Checkpoint | None = None
    lost: str = ""
    """Why it has none although there are checkpoints, in a sentence."""

    @property
    def alive(self) -> bool:
        """True if its variables can come back."""
        return self.checkpoint is not None and self.checkpoint.alive

    @property
    def why_lost(self) -> str:
        """Why its variables can't come back, in a sentence; empty where they can."""
        return self.lost or ("Its process has ended." if self.checkpoint and not self.alive else "")

    @property
    def label(self) -> str:
        """Its name in words, as ``%spark back`` takes it."""
        return self.name or (f"turn {-self.id}" if self.turn_id else f"cell {self.number}")

    @property
    def when(self) -> str:
        """The moment as an adverbial: ``before [3]``, ``at NAME``."""
        return f"at {self.name}" if self.name else f"before {self.label if self.turn_id else f'[{self.number}]'}"


class Changes(Struct, frozen=True, kw_only=True):
    """What a return to a moment changes: variables that come back, those that are gone again, and state of the process (``parts``).
    ``as_it_is``: what can't be seen or moved. ``files`` of the working folder were written since, and stay; those in ``files_back`` are as
    before, those in ``files_gone`` are gone again."""

    back: tuple[VariableChange, ...] = ()
    gone: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    as_it_is: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    files_back: tuple[str, ...] = ()
    files_gone: tuple[str, ...] = ()

    @property
    def files_words(self) -> tuple[str, ...]:
        """What becomes of the files that come back, in words."""
        told = [*(f"{one} restored" for one in self.files_back), *(f"{one} removed" for one in self.files_gone)]
        more = len(told) - _MOST_FILES_TOLD
        return (*told[:_MOST_FILES_TOLD], *((f"and {more} more",) if more > 0 else ()))


class Unchanged(NamedTuple):
    """A return to a moment since which nothing ran."""

    changes: Changes = Changes()

    def apply(self) -> tuple[str, ...]:
        """Change nothing."""
        return ()


def first_line(text: str) -> str:
    """The line of a cell or prompt by which a person knows it."""
    return next(iter(text.strip().splitlines()), "")[:_MOST_LINE]


def thinned(moments: Sequence[Moment]) -> list[Moment]:
    """The moments, oldest first, that go because newer ones are there. What stays once stays until it is too old."""
    newest = max((one.id for one in moments if one.id > 0), default=0)
    gone = [one for one in moments if one.id > 0 and not one.pinned and not _stays(one.id, newest - one.id)]
    there = {one.id for one in moments} - {one.id for one in gone}
    return [*gone, *(one for one in moments if one.turn_id and one.next_id <= newest and one.next_id not in there)]


def lost_lines(moments: Sequence[Moment]) -> list[str]:
    """The moments whose variables can't come back, by the reason, in sentences."""
    found: dict[str, list[str]] = {}
    for one in moments:
        if not one.alive and not one.unchanged:
            found.setdefault(one.why_lost, []).append(one.label)
    return [f"Without variables: {_listed(labels)}. {why}".rstrip() for why, labels in found.items()]


def _listed(labels: Sequence[str]) -> str:
    more = len(labels) - _MOST_LOST_TOLD
    return ", ".join(labels[:_MOST_LOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def with_variables(moment: Moment, moments: Mapping[int, Moment]) -> Moment:
    """The moment with the variables of the one that has them; ``moments`` by their ids."""
    if not moment.turn_id:
        return moment
    following = moments.get(moment.next_id)
    if following is None:
        unchanged = moment.next_id > max(0, *moments)
        return structs.replace(moment, unchanged=unchanged, lost="" if unchanged else moment.lost or THINNED)
    held = {
        name: getattr(following, name)
        for name in ("checkpoint", "classes", "parts", "patched", "threads", "files", "lost")
    }
    return structs.replace(moment, **held, unchanged=False)


def moment_named(text: str, moments: Sequence[Moment], runs: Sequence[Run]) -> Moment | None:
    """The moment that a person means: ``3`` is before the last three of the ``runs``, ``cell 3`` before the run of [3], ``turn 3`` before
    that turn, all else a name; ``#3`` is the one with that id, ``#ID`` the one before the turn with that. None where it is not known."""
    if text.startswith("#") and (
        turn := next((one for one in moments if one.turn_id and one.turn_id == text[1:]), None)
    ):
        return turn
    if match := re.fullmatch(r"#(-?\d+)|turn\s+(\d+)", text):
        wanted = int(match[1] or -int(match[2]))
        return next((one for one in moments if one.id == wanted), None)
    steps = int(text) if text.isdecimal() else 0
    number = runs[-steps].number if 0 < steps <= len(runs) else 0
    if match := re.fullmatch(r"cell\s+\[?(\d+)\]?", text):
        number = int(match[1])
    found = (one for one in reversed(moments) if (one.number == number if number else one.name == text))
    return next(found, None) if text else None


def _stays(number: int, age: int) -> bool:
    return age < RECENT or (age < HALVED and number % 2 == 0) or (age < QUARTERED and number % 4 == 0)


def first_to_drop(moments: Sequence[Moment]) -> Moment | None:
    """The moment whose checkpoint goes first where memory is short: the oldest without a name, then the oldest."""
    alive = [one for one in moments if one.alive]
    return next((one for one in alive if not one.pinned), alive[0] if alive else None)
