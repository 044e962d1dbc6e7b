"""Explanation of the first check that a student's code fails.

A check is an assert statement, or a call of otter's ``grader.check``. :func:`plan` finds the checks of a cell and makes what runs in a
copy of the kernel, :func:`explain` puts the result into words of our own: for the student with the values of a visible check, unless one
is what the student is to find, for a model without any value. Of a hidden check neither is told more than its title.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.values import CellId, NotebookCell
from spark_jupyter.redaction.hidden_tests import in_hidden_tests
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer
from spark_jupyter.session.job_owners import TurnOwner
from spark_jupyter.session.trial_failures import error_kind, line_in
from spark_jupyter.source.ipython_lines import asks_spark
from spark_jupyter.source.python_parser import body_of
from spark_jupyter.typed_decoders import decode_json

_CLOSE = ("isclose", "allclose", "array_equal", "array_equiv")
"""Functions that compare their first two arguments."""
_SETUP = (ast.Assert, ast.Assign, ast.Expr, ast.Import, ast.ImportFrom)
"""Statements of a cell that has checks alone."""
_MOST_CELLS = 20
_LONGEST = 200
"""Characters of a value or of an expression that are shown."""


class Explanation(Struct, frozen=True):
    """What the checks showed: Markdown for the student, and lines for a model, none where nothing is left to explain."""

    text: str
    told: tuple[str, ...] = ()


class Difference(Struct, frozen=True, kw_only=True):
    """What a check found in the copy, as it says itself. ``left`` and ``right`` are expressions, ``got`` and ``expected`` their values."""

    left: str = ""
    got: str = ""
    op: str = "=="
    right: str = ""
    expected: str = ""
    title: str = ""
    hidden: bool = False


class Check(Struct, frozen=True, kw_only=True):
    """A statement of a cell with checks. ``number`` counts the checks from 1; 0: it only prepares one."""

    source: str
    number: int = 0
    hidden: bool = False
    message: str = ""


class CheckPlan(Struct, frozen=True, kw_only=True):
    """Cells of the student's in their order, and the statements that check them; ``count`` of those are checks. ``from_now``: the copy
    begins as the kernel is, since no copy can make otter's ``grader`` again."""

    cells: tuple[NotebookCell, ...]
    checks: tuple[Check, ...]
    count: int
    from_now: bool = False

    def trial(self, turn_id: str, cells: Sequence[NotebookCell]) -> TryAnswer:
        """What runs in the copy; ``cells`` are the notebook's."""
        return TryAnswer(
            owner=TurnOwner(turn_id),
            cells=tuple(cell.source for cell in self.cells),
            ids=tuple(cell.id for cell in self.cells),
            notebook=()
            if self.from_now
            else tuple((cell.id, cell.source) for cell in cells if cell.cell_type == "code"),
            checks=tuple(check.source for check in self.checks),
        )


def plan(cells: Sequence[NotebookCell], about: CellId | None) -> CheckPlan:
    """The checks of the cell ``about``, or the next ones below it; where none are, those that failed last.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where there is no check, or nothing that it checks."""
    code = [cell for cell in cells if cell.cell_type == "code" and cell.source.strip() and not asks_spark(cell.source)]
    checks = [place for place, cell in enumerate(code) if _count(cell)]
    if not checks:
        raise SessionError(
            "There is no check of this cell.", remedy="A check is a cell with assert statements below it."
        )
    here = next((place for place, cell in enumerate(code) if cell.id == about), len(code))
    failed = next((one for one in reversed(checks) if code[one].error), checks[-1])
    place = next((one for one in checks if one >= here), failed)
    own = () if _is_check_alone(code[place]) else (_without_checks(code[place]),)
    above = place - 1
    while above >= 0 and _is_of_teacher(code[above]):
        above -= 1
    work: list[NotebookCell] = []
    while above >= 0 and not _is_of_teacher(code[above]) and len(work) < _MOST_CELLS and not own:
        work.insert(0, code[above])
        above -= 1
    work += own
    if not work:
        raise SessionError("There is no code above this check.", remedy="Write the code first.")
    found = tuple(_checks_in(code[place], with_setup=not own))
    return CheckPlan(
        cells=tuple(work),
        checks=found,
        count=max(check.number for check in found),
        from_now=any(map(_is_otter, body_of(code[place].source))),
    )


def explain(plan: CheckPlan, trial: AnswerTrial) -> Explanation:
    failed = next((one for one in trial.results if one.error or one.problem or one.refused), None)
    if failed is not None and not (failed.problem or failed.refused or failed.not_tried):
        cell = plan.cells[min(trial.results.index(failed), len(plan.cells) - 1)]
        line = line_in(cell.source, failed.error_line)
        where = f" in line {line}" if line else ""
        return Explanation(
            f"**Your code stops before the check{where}:** {_span(failed.error)}",
            (f"The student's cell {cell.id} stops with {error_kind(failed.error)}{where}, before its check runs.",),
        )
    problem = (
        trial.problem
        or (trial.broken.error if trial.broken else "")
        or (failed and (failed.problem or failed.not_tried))
    )
    if problem:
        return Explanation(f"The checks can't be run in a copy of the kernel: {problem}")
    for check, error in zip(plan.checks, trial.checks, strict=False):
        if error:
            return _failed(check, error, plan.count)
    checks = "the check passes" if plan.count == 1 else f"all {plan.count} checks pass"
    return Explanation(f"Nothing is wrong here: {checks}. Run the check's cell to see it.")


def _failed(check: Check, error: str, count: int) -> Explanation:
    found = _difference(error)
    name = f"Check {check.number} of {count}" if check.number else "The check"
    if check.hidden or (found is not None and found.hidden):
        title = f" ({_span(found.title)})" if found is not None and found.title else ""
        return Explanation(
            f"**A hidden check fails{title}.** Which inputs does the task allow that you have not tried?",
            ("A check that is hidden fails. Neither the student nor you know what it tests.",),
        )
    if error.startswith("not tried: "):
        return Explanation(f"{name} can't be run in a copy of the kernel: {error.removeprefix('not tried: ')}")
    message = f" {check.message}" if check.message else ""
    if found is None or not (found.left or found.title):
        told = (
            f"{name} stops with {error_kind(error)}."
            if check.number
            else f"The cell of the check stops with {error_kind(error)}."
        )
        return Explanation(f"**{name} stops with an error.**{message} {_span(error)}", (told,))
    if found.title:
        return Explanation(
            f"**The check {_span(found.title)} fails.** {_span(found.got)}", ("A check of otter's fails.",)
        )
    text = f"**{name} fails.**{message}\n\n{_sides(found)}"
    return Explanation(text, (f"{name} fails: what it compares differs. The student has seen both values.",))


def _sides(found: Difference) -> str:
    if not found.op:
        return f"{_span(found.left)} gives {_span(found.got)}."
    wanted = _span(found.right if found.op == "==" else f"{found.op} {found.right}")
    value = "" if found.expected in ("", found.right) else f", which is {_span(found.expected)}"
    return f"{_span(found.left)} is {_span(found.got)}. The check expects {wanted}{value}."


def _difference(error: str) -> Difference | None:
    try:
        return decode_json(error.encode(), Difference)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _span(text: str) -> str:
    """Text as code in Markdown, on one line."""
    line = " ".join(text.split())
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if len(fence) > 1 else f"`{line or ' '}`"


# --- reading of cells -----------------------------------------------------------------------------------------------------


def _count(cell: NotebookCell) -> int:
    return sum(map(_is_check, body_of(cell.source)))


def _is_check(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assert) or _is_otter(node)


def _is_otter(node: ast.stmt) -> bool:
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == "check" and ast.unparse(called.value) == "grader"


def _is_check_alone(cell: NotebookCell) -> bool:
    """True for a cell that checks others: it has checks, and nothing that would be checked itself."""
    return bool(_count(cell)) and (cell.check or all(isinstance(one, _SETUP) for one in body_of(cell.source)))


def _is_of_teacher(cell: NotebookCell) -> bool:
    """True for a cell that only checks others, and for one that makes otter's ``grader``: it writes a log, which a copy may not."""
    made = (ast.unparse(one.value) for one in body_of(cell.source) if isinstance(one, ast.Assign))
    return _is_check_alone(cell) or any(value.startswith("otter.Notebook(") for value in made)


def _without_checks(cell: NotebookCell) -> NotebookCell:
    """A cell that has checks of its own, with empty lines in place of them."""
    lines = cell.source.split("\n")
    for node in filter(_is_check, body_of(cell.source)):
        lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return NotebookCell(id=cell.id, source="\n".join(lines))


def _checks_in(cell: NotebookCell, *, with_setup: bool) -> Iterator[Check]:
    hidden = [
        range(cell.source.count("\n", 0, one.start) + 1, cell.source.count("\n", 0, one.end) + 2)
        for one in in_hidden_tests(cell.source)
    ]
    number = 0
    for node in body_of(cell.source):
        is_hidden = any(node.lineno in lines for lines in hidden)
        if _is_check(node):
            number += 1
            source = ast.unparse(node) if is_hidden else _probe(node)
            yield Check(source=source, number=number, hidden=is_hidden, message="" if is_hidden else _message(node))
        elif with_setup:
            yield Check(source=ast.unparse(node), hidden=is_hidden)


def _message(node: ast.stmt) -> str:
    message = node.msg if isinstance(node, ast.Assert) else None
    return message.value if isinstance(message, ast.Constant) and isinstance(message.value, str) else ""


# --- statements that say what they found ------------------------------------------------------------------------------------

_SAYS = "raise AssertionError(__import__('json').dumps({}, ensure_ascii=False))"
_OTTER = """\
if hasattr(grader, "_log_event"):
    grader._log_event = lambda *_, **__: None  # it writes .OTTER_LOG, which a copy may not
for _spark_case in getattr({call}, "test_case_results", ()):
    if not _spark_case.passed:
        _spark_hidden = bool(getattr(_spark_case.test_case, "hidden", True))
        _spark_title = str(getattr(_spark_case.test_case, "name", ""))
        _spark_told = getattr(_spark_case.test_case, "failure_message", None) or getattr(_spark_case, "message", None)
        _spark_got = "" if _spark_hidden else str(_spark_told or "")[:500]
        """ + _SAYS.format('{{"title": _spark_title, "got": _spark_got, "hidden": _spark_hidden}}')


def _probe(node: ast.stmt) -> str:
    """Source of a check that raises an AssertionError with a :class:`Difference` in JSON where it fails."""
    if not isinstance(node, ast.Assert):
        return _OTTER.format(call=ast.unparse(node))
    if any(isinstance(one, ast.Await) for one in ast.walk(node)):
        return ast.unparse(node)
    return "\n".join(map(_comparison, _parts(node.test)))


def _parts(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _parts(value)]
    return [test]


def _comparison(test: ast.expr) -> str:
    left, op, right = test, "", ""
    holds = "_spark_left"
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, ast.unparse(test.comparators[0])
        bare = ast.Compare(ast.Name("_spark_left"), test.ops, [ast.Name("_spark_right")])
        op, holds = ast.unparse(bare).removeprefix("_spark_left ").removesuffix(" _spark_right"), ast.unparse(bare)
    elif isinstance(test, ast.Call) and ast.unparse(test.func).rpartition(".")[2] in _CLOSE and len(test.args) > 1:
        left, op, right = test.args[0], "==", ast.unparse(test.args[1])
        given = [ast.Name("_spark_left"), ast.Name("_spark_right"), *test.args[2:]]
        holds = ast.unparse(ast.Call(test.func, given, test.keywords))
    text = ast.unparse(left)
    said = f"'left': {text[:_LONGEST]!r}, 'got': repr(_spark_left)[:{_LONGEST}], 'op': {op!r}"
    lines = [f"_spark_left = {text}"]
    if op:
        lines.append(f"_spark_right = {right}")
        said += f", 'right': {right[:_LONGEST]!r}"
        if not isinstance(left, ast.Name):  # what is to be in a variable is the solution, unless it stands in the check
            said += f", 'expected': repr(_spark_right)[:{_LONGEST}]"
    return "\n".join([*lines, f"if not ({holds}):", f"    {_SAYS.format('{' + said + '}')}"])
