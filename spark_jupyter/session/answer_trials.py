"""Requests and results of trials of whole answers.

Pure values: the session asks, :mod:`spark_jupyter.sandbox` runs.
"""

from __future__ import annotations

import ast
import re
from collections import Counter

from msgspec import Struct

from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Permission
from spark_jupyter.session.job_owners import Owner
from spark_jupyter.source.abridged_text import error_line
from spark_jupyter.source.ipython_lines import escape
from spark_jupyter.source.python_parser import tree_of


class TryAnswer(Struct, frozen=True, kw_only=True):
    """Run code cells in one copy of the kernel, in order, up to the first that fails; then every check.

    Unrun cells that they build on come ``before`` them, and are neither shown nor reported. ``seconds`` limits the whole trial; None: as
    any Try.

    Where the cells of the notebook are known, ``ids`` names them, and ``notebook`` has every cell in order with its text (None: a new
    cell). Then the copy begins at the checkpoint from before the first of them, where there is one. ``apart``: effects are reported for
    each cell, which takes longer; otherwise for all of them with the last."""

    owner: Owner
    cells: tuple[str, ...]
    ids: tuple[str, ...] = ()
    notebook: tuple[tuple[str, str | None], ...] = ()
    before: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    allow: tuple[Permission, ...] = ()
    seconds: float | None = None
    apart: bool = False


class TryBoth(Struct, frozen=True, kw_only=True):
    """Run two answers in two copies of the kernel as it is at one moment, and compare by value what they leave."""

    answers: tuple[TryAnswer, TryAnswer]


def verdict(result: TrialResult, *, base: str, source: str) -> str:
    """The result of a repair's Try in one line.

    ``base`` is the code that failed, ``source`` the repair. A repair that only leaves code out is reported as such."""
    if result.refused:
        return result.summary or "not tried"
    if result.problem:
        return result.summary or result.problem
    if result.error:
        where = f" (line {result.error_line})" if result.error_line else ""
        return f"still fails: {error_line(result.error)}{where}"
    gone = left_out(base, source)
    if gone:
        return f"runs, but only without {gone}; {result.summary}"
    return f"runs now, {_output(result)}; {result.summary}"


def left_out(base: str, source: str) -> str:
    """The first line that a repair leaves out and how many more, where it does nothing else; empty otherwise."""
    before, after = _statements(base), _statements(source)
    if before is None or after is None or after - before:
        return ""
    gone = list((before - after).elements())
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    return f"“{gone[0][:80]}”{more}" if gone else ""


def _statements(source: str) -> Counter[str] | None:
    """The first lines of all statements of a source, nested ones included, without ``pass`` and IPython's own lines; None where it is
    no Python."""
    lines = [re.sub(r"\S.*", "pass", line) if escape(line) else line for line in source.split("\n")]
    tree = tree_of("\n".join(lines))
    if tree is None:
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
    """End the trial of an attempt or step."""

    owner: Owner


class Broken(Struct, frozen=True, kw_only=True):
    """A cell of the user's that the answer does not change, and that fails after its changes.

    ``error`` is what it raised, for a person only; ``line`` counts from 1. ``refused``: the copy refused something, which says nothing
    against the change."""

    cell_id: str
    error: str
    line: int | None = None
    refused: bool = False


class AnswerTrial(Struct, frozen=True, kw_only=True):
    """Result of a trial: one result for every cell that ran, and one error (empty: passed) for every check that ran.

    ``problem`` is a sentence where it could not be tried. ``broken`` is a later cell that the answer breaks. ``began`` says in a sentence
    where the copy began, if that was open; ``from_checkpoint``: at a checkpoint. ``surprised`` has for every result what a model may know
    of its surprises: sentences of our own, with names from the cell. ``compared`` is how it differs from the answer that was tried with
    it."""

    results: tuple[TrialResult, ...] = ()
    checks: tuple[str, ...] = ()
    problem: str = ""
    broken: Broken | None = None
    began: str = ""
    from_checkpoint: bool = False
    surprised: tuple[tuple[str, ...], ...] = ()
    compared: Proof | None = None
