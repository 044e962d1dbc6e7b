"""Proof and its one-line summary, made from two outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from msgspec import structs

from spark_jupyter.protocol.proof_values import Difference, Proof, Verdict
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.sandbox import result_builder
from spark_jupyter.sandbox.proofs.outcome_diff import MOST_TOLD, Outcome, OutcomeDifference, root, warned

_NOTABLE = 0.2
"""Seconds: nobody minds less between two, and on a busy machine it says nothing."""


def rows_text(old: bytes, new: bytes) -> tuple[int, int]:
    """Number of differing rows, and the first (from 0), if both have as many; marks of eight bytes."""
    pairs = range(0, len(old), 8)
    differing = [at for at in pairs if old[at : at + 8] != new[at : at + 8]]
    return len(differing), differing[0] // 8 if differing else -1


def concluded(
    old: Outcome,
    new: Outcome,
    found: Sequence[OutcomeDifference],
    *,
    digits: int = 0,
    unclear: Sequence[str] = (),
    below: Sequence[str] = (),
) -> Proof:
    verdict: Verdict = "differs" if found else "unclear" if unclear else "same"
    differences = tuple(
        Difference(kind=one.kind, name=one.name, detail=one.detail)  # type: ignore[arg-type]  # kinds of ours
        for one in found[:MOST_TOLD]
    )
    proof = Proof(
        verdict=verdict,
        differences=differences,
        more=max(0, len(found) - MOST_TOLD),
        digits=digits,
        unclear=tuple(unclear[:MOST_TOLD]),
        seconds_before=old.seconds,
        seconds=new.seconds,
        memory_before=old.described.memory,
        memory=new.described.memory,
        below=tuple(below[:50]),
        warnings_less=(Counter(warned(old)) - Counter(warned(new))).total(),
    )
    return structs.replace(proof, summary=summary_of(proof))


def trial_of_edit(result: TrialResult, proof: Proof, *, known: Container[str]) -> TrialResult:
    """The result of a new text, for a person whose kernel has the old one's variables: of the ``known`` names only those that differ
    count as changed, and none as new. The copy began before both texts."""
    if proof.verdict == "unclear" or proof.more:
        return result
    differing = {
        root(one.name): one.detail.partition("; ")[0] for one in proof.differences[::-1] if one.kind == "variable"
    }
    effects = []
    for effect in result.effects:
        name = root(effect.name)
        if effect.kind != "variable" or effect.action == "deleted" or name not in known:
            effects.append(effect)
        elif name in differing:
            was, _, now = differing[name].partition(" → ")
            effects.append(
                structs.replace(effect, action="changed", before=was if now == effect.after else effect.after)
            )
    return result_builder.concluded(structs.replace(result, effects=tuple(effects)))


def summary_of(proof: Proof) -> str:
    """A proof in one line: ``same result · 4.1 s → 0.3 s, 14×``."""
    if proof.verdict == "same":
        said = "same result"
    elif proof.verdict == "unclear":
        said = f"no difference found · {proof.unclear[0]}"
    else:
        first = proof.differences[0]
        more = len(proof.differences) - 1 + proof.more
        much = f"differs only after {proof.digits} digits" if proof.digits else "result changes"
        said = f"{much}: {first.name}: {first.detail}" + (f" (and {more} more)" if more else "")
    parts = [said, *filter(None, [_warnings(proof), _times(proof), _memories(proof), _below(proof)])]
    return " · ".join(parts)


def _warnings(proof: Proof) -> str:
    less = proof.warnings_less
    return f"{less} warning{'s' if less > 1 else ''} less" if less else ""


def _times(proof: Proof) -> str:
    before, after = proof.seconds_before, proof.seconds
    failed = any(one.kind == "error" for one in proof.differences)
    if failed or abs(before - after) < _NOTABLE or not before:
        return ""
    return times_of(proof) if not 0.67 < before / max(after, 1e-4) < 1.5 else ""


def times_of(proof: Proof) -> str:
    """Times before and with the edit: ``4.1 s → 0.3 s, 14×``."""
    text = f"{_seconds(proof.seconds_before)} → {_seconds(proof.seconds)}"
    times = proof.seconds_before / max(proof.seconds, 1e-4)
    if times < 1.5:
        return text
    return f"{text}, {times:.0f}×" if times >= 3 else f"{text}, {times:.1f}×"


def _memories(proof: Proof) -> str:
    before, after = proof.memory_before, proof.memory
    if abs(before - after) < 100 << 20:
        return ""
    return f"{before >> 20} MB → {after >> 20} MB at its peak"


def _below(proof: Proof) -> str:
    if not proof.below:
        return ""
    names = ", ".join(dict.fromkeys(f"`{root(one.name)}`" for one in proof.differences if one.kind == "variable"))
    many = len(proof.below)
    return f"{many} cell{'s' if many > 1 else ''} below use{'' if many > 1 else 's'} {names}: %spark rerun"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 0.05 else f"{seconds * 1000:.0f} ms"
