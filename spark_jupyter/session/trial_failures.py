"""Reasons for a failure in a copy, for person and model.

A person reads what the code raised. A model is told in our own words: what the code raised or printed may be an attacker's text, or the
user's data.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping, Sequence

from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Finding, NotebookCell
from spark_jupyter.session.answer_checks import Check
from spark_jupyter.session.answer_trials import AnswerTrial
from spark_jupyter.session.unrun_cells import defining
from spark_jupyter.source.cutting import split_at_statement

_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


def failure_reason(trial: AnswerTrial, checks: Sequence[Check], unrun: Mapping[int, NotebookCell]) -> str:
    """Why an answer did not pass, in a sentence for a person; empty where it passed. ``unrun`` are cells that have not run, by their
    number in the notebook: one of them may define what was missing."""
    for number, result in enumerate(trial.results, 1):
        if result.error or result.problem:
            cell = f"cell {number}, " if len(trial.results) > 1 else ""
            line = f"line {result.error_line}: " if result.error_line else ""
            said = f"{cell}{line}{result.error or result.problem}"
            number = defining(_undefined_name(result.error), unrun)
            return f"{said}. Cell {number} defines it and has not run: run it first." if number else said
    if trial.broken is not None:
        line = f", line {trial.broken.line}" if trial.broken.line else ""
        return f"Your cell {trial.broken.cell_id}{line}, which ran behind what is changed, fails then: {trial.broken.error}"
    if trial.problem:
        return trial.problem
    failed = [(check.text, error) for check, error in zip(checks, trial.checks, strict=False) if error]
    if failed:
        return "\n".join(f"{text} failed: {error}" for text, error in failed)
    return "" if len(trial.checks) == len(checks) else "Not every check was run."


def failure_for_model(
    trial: AnswerTrial,
    checks: Sequence[Check],
    cells: Sequence[str],
    *,
    names: Sequence[str] = (),
    unrun: Mapping[int, NotebookCell],
) -> str:
    """The statement or check that failed, in our own words for a model.

    ``names`` are the names by which the model knows the cells; without them their numbers are used. ``unrun`` as for
    :func:`failure_reason`."""
    for number, (result, cell) in enumerate(zip(trial.results, cells, strict=False)):
        if result.error or result.problem:
            there = line_in(cell, result.error_line)
            line = f", line {there}" if there else ""
            what = f"raised {error_kind(result.error)}" if result.error else "did not come to its end"
            said = f"Cell {names[number] if names else number + 1}{line} {what}."
            found = defining(name := _undefined_name(result.error), unrun)
            return f"{said} {_not_there(name, unrun[found].id)}" if found else said
    if trial.broken is not None:
        line = f", line {trial.broken.line}" if trial.broken.line else ""
        raised = error_kind(trial.broken.error)
        return f"Cell {trial.broken.cell_id}{line} raised {raised}. It is unchanged, and ran well before your change."
    failed = [check.text for check, error in zip(checks, trial.checks, strict=False) if error]
    return "\n".join(f"This check failed: {text}" for text in failed) or "Not every check was run."


def _undefined_name(error: str) -> str:
    found = _UNDEFINED.match(error)
    return found[1] if found is not None else ""


def _not_there(name: str, cell_id: str) -> str:
    return (
        f"Cell {cell_id} defines `{name}` and has not run in the kernel: define what you need of it in your own cells."
    )


def cell_failure(result: TrialResult, *, number: int, source: str, findings: Sequence[Finding] = ()) -> str:
    """The error of one cell of an answer for its model: its kind, its line, the model's own statement there, and the ``findings`` of
    the cell that warn."""
    line = line_in(source, result.error_line)
    where = f", line {line}" if line else ""
    said = f"Cell {number}{where} raised {error_kind(result.error)}."
    statement = split_at_statement(source, line)[1].rstrip() if line else ""
    warned = [finding for finding in findings if finding.severity != "hint" and finding.allowed is None]
    reasons = [f"- line {one.line}, {one.rule}: {one.message} {one.remedy}".rstrip() for one in warned]
    return "\n".join(filter(None, (said, statement, "The checks say:" if reasons else "", *reasons)))


def line_in(source: str, line: int | None) -> int | None:
    """The line, where the source has it: what ran in a copy may name any, and say something by it."""
    return line if line is not None and 1 <= line <= source.count("\n") + 1 else None


def error_kind(error: str) -> str:
    """The class of an error where it is Python's own, else "an error": a class of the code's could have any name."""
    name = error.partition(":")[0].strip()
    known = getattr(builtins, name, None) if name.isidentifier() else None
    return name if isinstance(known, type) and issubclass(known, BaseException) else "an error"
