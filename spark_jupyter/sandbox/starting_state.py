"""Starting state and sources for the cells of an answer.

Where they change cells that have run, the copy begins from the checkpoint before the first of those. Does no I/O but for what it asks of
the checkpoints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
from spark_jupyter.session.answer_trials import TryAnswer

LONGEST_BETWEEN = 60.0
"""Seconds that the cells which ran since may have taken: they run in the copy once more."""

_AS_IT_IS = "The copy began from the kernel as it is: "


class Source(Struct, frozen=True):
    """Source that runs in the copy: the answer's cell ``index``, or a cell before it (None). ``cell_id`` is whose text it is, where that
    is known."""

    text: str
    index: int | None = None
    cell_id: str = ""


class StartingState(Struct, frozen=True, kw_only=True):
    """The ``sources`` run in order, from what is ``kept`` (None: the kernel as it is). ``said`` says so in a sentence, where it was a
    question; ``took`` are the seconds that the cells in between took."""

    sources: tuple[Source, ...]
    kept: Kept | None = None
    said: str = ""
    took: float = 0.0


def starting_state(action: TryAnswer, checkpoints: Checkpoints | None) -> StartingState:
    """Starting state of the cells of ``action``."""
    now = current_state(action)
    runs = () if checkpoints is None else tuple(run for run in checkpoints.runs if run.seconds is not None)
    held = {cell_id: text for cell_id, text in action.notebook if text is not None}
    changed = {run.cell_id for run in runs} & held.keys() & set(action.ids)
    if checkpoints is None or not changed:
        return now
    last = {run.cell_id: run for run in runs if run.cell_id in changed and _is(run, held)}
    if len(last) < len(changed):
        return current_state(action, "a cell that is changed does not hold what ran.")
    first = min(run.number for run in last.values())
    start = next((kept for kept in reversed(checkpoints.kept) if kept.run.number <= first), None)
    if start is None:
        return current_state(action, f"there is no checkpoint from before [{first}].")
    since = [run for run in runs if run.number >= start.run.number and (not run.failed or run == last.get(run.cell_id))]
    took = sum(run.seconds or 0.0 for run in since)
    if took > LONGEST_BETWEEN:
        return current_state(action, f"the cells since [{start.run.number}] took {took:.0f} s.")
    sources = _placed([_of_run(run, action, held, last) for run in since], action)
    if [one.index for one in sources if one.index is not None] != list(range(len(action.cells))):
        return current_state(action, "the cells that are changed did not run in their order.")
    said = f"The copy began as the kernel was before [{start.run.number}]."
    return StartingState(sources=_before(action) + sources, kept=start, said=said, took=took)


def current_state(action: TryAnswer, why: str = "") -> StartingState:
    """From the kernel as it is, and ``why``, where another beginning was to be expected."""
    own = tuple(Source(text, index) for index, text in enumerate(action.cells))
    return StartingState(sources=_before(action) + own, said=f"{_AS_IT_IS}{why}" if why else "")


def _before(action: TryAnswer) -> tuple[Source, ...]:
    return tuple(Source(text) for text in action.before)


def _is(run: Run, held: Mapping[str, str]) -> bool:
    """True if the run executed the present text of its cell."""
    return run.source.strip() == held[run.cell_id].strip()


def _of_run(run: Run, action: TryAnswer, held: Mapping[str, str], last: Mapping[str, Run]) -> Source:
    """Source that stands for a run: the new text of its cell, if that changes. Only the last of several runs is reported."""
    if run.cell_id not in last or not _is(run, held):
        return Source(run.source, None, run.cell_id)
    index = action.ids.index(run.cell_id)
    return Source(action.cells[index], index if run == last[run.cell_id] else None, run.cell_id)


def _placed(ran: Sequence[Source], action: TryAnswer) -> tuple[Source, ...]:
    """With the cells that have not run, each behind the last of those above it."""
    order = {cell_id: place for place, (cell_id, _) in enumerate(action.notebook)}
    sources = list(ran)
    told = {one.index for one in ran}
    for index, cell_id in enumerate(action.ids):
        if index not in told:
            above = [place for place, one in enumerate(sources) if order.get(one.cell_id, -1) < order[cell_id]]
            sources.insert(above[-1] + 1 if above else 0, Source(action.cells[index], index, cell_id))
    return tuple(sources)
