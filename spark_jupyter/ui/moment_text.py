"""Moments, and returns to them, as lines of text."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_jupyter.sandbox.checkpoints.moments import Changes, Moment

_MOST_SHOWN = 12
"""Variables that are told one by one."""


def timeline_lines(moments: Sequence[Moment]) -> list[str]:
    """The moments that can be gone back to, oldest first."""
    from spark_jupyter.sandbox.checkpoints.moments import lost_lines  # loaded with the first checkpoint

    lines = []
    for one in moments:
        kept = "" if one.alive or one.unchanged else "  (without variables)"
        lines.append(
            f"  {time.strftime('%H:%M:%S', time.localtime(one.at))}  {one.label:<12}{kept}  {one.line[:60]}".rstrip()
        )
    how = "%spark back 2 goes back two runs, %spark back cell 3 to before [3], %spark back NAME to what %spark save NAME kept."
    return [*lines, *lost_lines(moments), how] if lines else ["There is no moment yet: the next run makes one."]


def changes_lines(
    moment: Moment, changes: Changes, *, left: Sequence[int], turns: tuple[int, int], cells: str
) -> list[str]:
    """What a return would change, and what can't come back. ``left`` are the numbers of the runs that would be left,
    ``turns`` the numbers of turns that would go, and come back; ``cells`` says what becomes of the notebook's cells."""
    shown = [f"  {one.name}: {one.now or 'not there'} → {one.then}" for one in changes.back[:_MOST_SHOWN]]
    more = len(changes.back) - len(shown)
    return [
        f"Going back to the kernel as it was {moment.when} would change:",
        *shown,
        *([f"  and {more} more variables"] if more > 0 else []),
        *([f"  removed: {', '.join(changes.gone)}"] if changes.gone else []),
        *([f"  also: {', '.join(changes.parts)}"] if changes.parts else []),
        *([f"  files: {', '.join(changes.files_words)}"] if changes.files_words else []),
        *conversation_lines(turns),
        *([f"  runs that would be undone: {', '.join(f'[{number}]' for number in left)}"] if left else []),
        *(["  nothing"] if changes == type(changes)() and turns == (0, 0) else []),
        f"  cells: {cells}",
        f"Not restored: {'; '.join([*staying(changes), *_NEVER])}.",
    ]


def conversation_lines(turns: tuple[int, int]) -> list[str]:
    """What becomes of the conversation."""
    gone, back = turns
    said = [f"{_turns(gone)} no longer known to the model"] if gone else []
    said += [f"{_turns(back)} known to it again"] if back else []
    return [f"  conversation: {', '.join(said)}"] if said else []


def staying(changes: Changes) -> list[str]:
    """What stays as it is, each in words."""
    return [
        *(f"{one} stays as it is" for one in changes.as_it_is),
        *(f"{name} was written and stays" for name in changes.files),
    ]


_NEVER = ("cell numbers", "imported modules", "effects outside this kernel")


def _turns(number: int) -> str:
    return f"{number} turn{'' if number == 1 else 's'}"
