"""What is asked of a Try, and what it says about a whole answer. Pure values: the session asks, ``trial`` does."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.core.owners import Owner
from spark_jupyter.wire.messages import Permission, TrialResult


class TryAnswer(Struct, frozen=True, kw_only=True):
    """Run code cells in one copy of the kernel, in order, up to the first that fails; then every check. What the cells build on and the
    kernel has not run comes ``before`` them; it is neither shown nor an effect."""

    owner: Owner
    cells: tuple[str, ...]
    before: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    allow: tuple[Permission, ...] = ()


def verdict(result: TrialResult) -> str:
    """What a Try says of a repair, in a line."""
    if result.problem:
        return result.summary or result.problem
    if result.refused:
        return f"can't be told: {result.summary}"
    if result.error:
        where = f" (line {result.error_line})" if result.error_line else ""
        return f"still fails: {result.error.splitlines()[0][:120]}{where}"
    return f"runs now, {_output(result)}; {result.summary}"


def _output(result: TrialResult) -> str:
    texts = [output.text or output.data.get("text/plain", "") for output in result.outputs]
    lines = [line for line in "\n".join(texts).splitlines() if line.strip()]
    if not lines:
        return "no output"
    return f"output {lines[-1][:80]}" if len(lines) == 1 else f"output … {lines[-1][:80]}"


class EndTry(Struct, frozen=True, kw_only=True):
    """End the Try of an attempt: nobody waits for it."""

    owner: Owner


class AnswerTrial(Struct, frozen=True, kw_only=True):
    """What the copy showed: a result for every cell that ran, an error (empty: it passed) for every check that ran. ``problem`` is
    one sentence where it could not be tried."""

    results: tuple[TrialResult, ...] = ()
    checks: tuple[str, ...] = ()
    problem: str = ""
