"""What is asked of a Try, and what it says about a whole answer. Pure values: the session asks, ``trial`` does."""

from __future__ import annotations

from msgspec import Struct

from spark_jupyter.messages import Permission, TrialResult

REHEARSAL = "Nothing of it was kept. A Try is a rehearsal, not a sandbox against hostile native code."
"""Said wherever a Try is shown."""


class TryAnswer(Struct, frozen=True, kw_only=True):
    """Run code cells in one copy of the kernel, in order, up to the first that fails; then every check. What the cells build on and the
    kernel has not run comes ``before`` them; it is neither shown nor an effect."""

    attempt_id: str
    cells: tuple[str, ...]
    before: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    allow: tuple[Permission, ...] = ()


class EndTry(Struct, frozen=True, kw_only=True):
    """End the Try of an attempt: nobody waits for it."""

    attempt_id: str


class AnswerTrial(Struct, frozen=True, kw_only=True):
    """What the copy showed: a result for every cell that ran, an error (empty: it passed) for every check that ran. ``problem`` is
    one sentence where it could not be tried."""

    results: tuple[TrialResult, ...] = ()
    checks: tuple[str, ...] = ()
    problem: str = ""
