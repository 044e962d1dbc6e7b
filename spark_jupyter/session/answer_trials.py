"""What is asked of a Try, and what it says about a whole answer. Pure values: the session asks, ``trial`` does."""

from __future__ import annotations

import ast
import re
from collections import Counter

from msgspec import Struct

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Permission
from spark_jupyter.session.job_owners import Owner
from spark_jupyter.source.ipython_lines import escape


class TryAnswer(Struct, frozen=True, kw_only=True):
    """Run code cells in one copy of the kernel, in order, up to the first that fails; then every check. What the cells build on and the
    kernel has not run comes ``before`` them; it is neither shown nor an effect. ``seconds`` is how long all of it may take; None: as long
    as any Try.

    Where it is known for which cells of the notebook they stand, ``ids`` names those, and ``notebook`` is every cell of it in order with
    what it holds (None: it is new): then the copy begins as the kernel was before the first of them ran, where that is kept.
    ``apart``: what each cell changed is told of itself, else of all of them with the last; that takes longer."""

    owner: Owner
    cells: tuple[str, ...]
    ids: tuple[str, ...] = ()
    notebook: tuple[tuple[str, str | None], ...] = ()
    before: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    allow: tuple[Permission, ...] = ()
    seconds: float | None = None
    apart: bool = False


def verdict(result: TrialResult, *, base: str, source: str) -> str:
    """What a Try says of a repair, in a line. ``base`` is the code that failed, ``source`` the repair: where that only leaves code out it
    is no wonder that it runs, and what it leaves out is said."""
    if result.problem:
        return result.summary or result.problem
    if result.refused:
        return f"can't be told: {result.summary}"
    if result.error:
        where = f" (line {result.error_line})" if result.error_line else ""
        return f"still fails: {result.error.splitlines()[0][:120]}{where}"
    gone = left_out(base, source)
    if gone:
        return f"runs, but only without {gone}; {result.summary}"
    return f"runs now, {_output(result)}; {result.summary}"


def left_out(base: str, source: str) -> str:
    """What a repair of ``base`` leaves out, where it does nothing else: a line of it, and how many there are more. Empty where
    the repair has code of its own, or nothing is missing."""
    before, after = _statements(base), _statements(source)
    if before is None or after is None or after - before:
        return ""
    gone = list((before - after).elements())
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    return f"“{gone[0][:80]}”{more}" if gone else ""


def _statements(source: str) -> Counter[str] | None:
    """The statements of a source from above, those in blocks too, each by its first line, ``pass`` by none; None for what is no Python.
    IPython's own lines are left aside."""
    lines = [re.sub(r"\S.*", "pass", line) if escape(line) else line for line in source.split("\n")]
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and not isinstance(node, ast.Pass)]
    return Counter(ast.unparse(node).partition("\n")[0] for node in sorted(found, key=lambda node: node.lineno))


def _output(result: TrialResult) -> str:
    texts = [output.text or output.data.get("text/plain", "") for output in result.outputs]
    lines = [line for line in "\n".join(texts).splitlines() if line.strip()]
    if not lines:
        return "no output"
    said = result.decisive or lines[-1]
    more = len(lines) > 1 and said.split() == lines[-1].split()
    return f"output … {said[:80]}" if more else f"output {said[:80]}"


class EndTry(Struct, frozen=True, kw_only=True):
    """End the Try of an attempt: nobody waits for it."""

    owner: Owner


class Broken(Struct, frozen=True, kw_only=True):
    """A cell of the user's, which nobody changes, fails behind those that are changed: what it raised (a person's to read), at which of its
    lines (from 1). ``refused``: it wanted what no copy does, so that says nothing against the change."""

    cell_id: str
    error: str
    line: int | None = None
    refused: bool = False


class AnswerTrial(Struct, frozen=True, kw_only=True):
    """What the copy showed: a result for every cell that ran, an error (empty: it passed) for every check that ran. ``problem`` is
    one sentence where it could not be tried. ``broken`` is what the cells broke. ``began`` says in a sentence from where the copy began,
    where that was a question; ``from_checkpoint``: as the kernel was before a cell. ``surprised`` has for every result what a
    model may know of its surprises: sentences of our own, with names that stand in the cell."""

    results: tuple[TrialResult, ...] = ()
    checks: tuple[str, ...] = ()
    problem: str = ""
    broken: Broken | None = None
    began: str = ""
    from_checkpoint: bool = False
    surprised: tuple[tuple[str, ...], ...] = ()
