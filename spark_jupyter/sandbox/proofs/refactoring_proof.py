"""Proof of a refactoring that edits several cells.

The cells that ran since the first edited cell began run again, with the edits and without, each time in one copy.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, structs

from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.sandbox.checkpoints.checkpoint_store import Checkpoints
from spark_jupyter.sandbox.checkpoints.moments import Kept, Run
from spark_jupyter.sandbox.limit_sentences import Limit, sentence
from spark_jupyter.sandbox.proofs.outcome_diff import IntendedChanges
from spark_jupyter.session.actions import ProveEdits, TryProposal

_WRITES = re.compile(r"%%writefile\s+(\S+)")


class Plan(Struct, frozen=True, kw_only=True):
    """Plan of a proof: the sources ``old`` and ``new`` with their origins. ``unclear`` says in sentences which edits are not in it;
    ``took`` are the seconds in which the old sources ran."""

    kept: Kept
    old: tuple[str, ...]
    new: tuple[str, ...]
    unclear: tuple[str, ...] = ()
    took: float = 0.0


def plan(wanted: ProveEdits, checkpoints: Checkpoints) -> Plan | str:
    """From the latest state that is kept before the first of the edited cells that ran since any; why there is no plan, in a sentence."""
    runs, kept = checkpoints.runs, checkpoints.kept
    edits = {run.number: edit for run in runs if (edit := _edit_of(run, wanted.edits)) is not None}
    first = min((number for number in edits if kept and number >= kept[0].run.number), default=None)
    if first is None:
        return "not proven: the cells that it changes ran before the first checkpoint."
    start = [one for one in kept if one.run.number <= first][-1]
    since = [run for run in runs if run.number >= start.run.number and (not run.failed or run.number in edits)]
    tried = {edits[run.number].cell_id for run in since if run.number in edits}
    ran = {edit.cell_id for edit in edits.values()}
    left = [edit for edit in wanted.edits if edit.cell_id not in tried]
    earlier = any(edit.cell_id in ran for edit in left)
    if earlier and not _is_variable(wanted):
        return "not proven: some of the cells that it changes ran before the first checkpoint."
    new = tuple(_with_edits(since, edits, _anchored(wanted, {run.cell_id for run in since})))
    return Plan(
        kept=start,
        old=tuple(run.source for run in since),
        new=(_under_new_name(wanted), *new) if _is_variable(wanted) else new,
        unclear=(_left_out(len(left), len(wanted.edits), earlier=earlier),) if left else (),
        took=sum(run.seconds or 0.0 for run in since),
    )


def _left_out(left: int, of: int, *, earlier: bool) -> str:
    was, it, has = ("were", "they", "have") if left > 1 else ("was", "it", "has")
    why = "ran before the first checkpoint" if earlier else f"{has} not run as written"
    return f"{left} of the {of} cells {was} not compared: {it} {why}."


def _is_variable(wanted: ProveEdits) -> bool:
    return wanted.renamed is not None and wanted.renamed[0] in wanted.gone and wanted.renamed[1] in wanted.fresh


def _under_new_name(wanted: ProveEdits) -> str:
    """Code that gives the variables of earlier cells their new names."""
    assert wanted.renamed is not None  # see _is_variable
    old, new = wanted.renamed
    return f"try:\n    {new} = {old}\n    del {old}\nexcept NameError:\n    pass"


def _edit_of(run: Run, edits: Sequence[TryProposal]) -> TryProposal | None:
    """The edit of what ran, where that is what the cell holds."""
    source = run.source.strip()
    return next((edit for edit in edits if edit.cell_id == run.cell_id and edit.base.strip() == source), None)


def _anchored(wanted: ProveEdits, ran: Collection[str]) -> list[tuple[str, str | None]]:
    """Each new source with the nearest cell above it that runs; None: there is none."""
    places = {cell_id: place for place, cell_id in enumerate(wanted.order)}

    def anchor(after: str | None) -> str | None:
        above = wanted.order[: places[after] + 1] if after in places else ()
        return after if after in ran else next((cell_id for cell_id in reversed(above) if cell_id in ran), None)

    return [(source, anchor(after)) for source, after in wanted.new]


def _with_edits(
    runs: Sequence[Run], edits: dict[int, TryProposal], new: Sequence[tuple[str, str | None]]
) -> Iterator[str]:
    """The sources as they would be. New cells run below theirs, those of a cell that is not among them first."""
    ids = {run.cell_id for run in runs}
    yield from (source for source, after in new if after not in ids)
    placed: set[str] = set()
    for run in runs:
        yield edits[run.number].source if run.number in edits else run.source
        if run.cell_id not in placed:
            placed.add(run.cell_id)
            yield from (source for source, after in new if after == run.cell_id)


def meant(wanted: ProveEdits) -> IntendedChanges:
    """Changes that the edit intends."""
    column = None if _is_variable(wanted) else wanted.renamed
    files = (match[1] for source, _ in wanted.new if (match := _WRITES.match(source)))
    return IntendedChanges(gone=wanted.gone, fresh=wanted.fresh, column=column, files=frozenset(files))


def told(wanted: ProveEdits, proof: Proof) -> tuple[TrialResult, ...]:
    """The proof of all of them, at each of the edited cells."""
    many = f" for all {len(wanted.edits)} cells" if len(wanted.edits) > 1 else ""
    summary = (
        proof.summary.replace("same result", f"same result{many}", 1) if proof.verdict == "same" else proof.summary
    )
    return tuple(
        structs.replace(one, proof=proof, summary=" · ".join(filter(None, [summary, one.summary])))
        for one in untried(wanted, "")
    )


def unproven(wanted: ProveEdits, reason: str) -> tuple[TrialResult, ...]:
    """Why there was nothing to begin from, at each of the edited cells: it says nothing against them."""
    return told(wanted, Proof(verdict="unclear", unclear=(reason,), summary=reason))


def untried(wanted: ProveEdits, problem: str) -> tuple[TrialResult, ...]:
    """Why there is no proof, at each of the edited cells; what they have shown before stays."""
    ran = {one.cell_id: one for one in wanted.results}
    return tuple(_with_problem(edit, ran.get(edit.cell_id), problem) for edit in wanted.edits)


def _with_problem(edit: TryProposal, ran: TrialResult | None, problem: str) -> TrialResult:
    if ran is not None:
        return structs.replace(ran, summary=f"{ran.summary} · {sentence(problem)}") if problem else ran
    return TrialResult(
        turn_id=edit.turn_id,
        cell_id=edit.cell_id,
        source_hash=edit.source_hash,
        problem=sentence(problem),
        summary=sentence(problem),
        refused=isinstance(problem, Limit),
    )
