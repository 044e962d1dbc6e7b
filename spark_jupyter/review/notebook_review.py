"""Review of a notebook: findings, stale cells, a run from the top.

Remarks come in the order of the cells. The judges are imported here: the module is loaded by the first review.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import structs

from spark_jupyter.completions.staleness import stale
from spark_jupyter.guardrail import Context
from spark_jupyter.guardrail.fixes import mended
from spark_jupyter.guardrail.scanner import Scanner
from spark_jupyter.guardrail.severities import DEFAULT, Policy
from spark_jupyter.guardrail.syntax_check import check_language, check_syntax
from spark_jupyter.protocol.review_messages import MOST_REMARKS, Remark, Reviewed
from spark_jupyter.protocol.values import Finding, NotebookCell, Permission
from spark_jupyter.reality import PATIENCE_OF_CHECK, Checker
from spark_jupyter.sandbox.restart_check import Restart
from spark_jupyter.sandbox.restart_process import Outcome
from spark_jupyter.sandbox.surprises.surprise_sentences import surprises_of
from spark_jupyter.source.abridged_text import error_line
from spark_jupyter.source.cell_dependencies import needs
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.source.ipython_lines import code_of
from spark_jupyter.source.statements import statements_of


def look(
    cells: Sequence[NotebookCell],
    *,
    ran: Mapping[int, str] | None = None,
    namespace: Mapping[str, object] | None = None,
    policy: Policy = DEFAULT,
    foreign: Collection[str] = (),
) -> list[Remark]:
    """Review a notebook without running anything. ``ran`` and ``namespace`` are the kernel's, where there is one. ``foreign`` cells say
    that they are of another language; they need not parse."""
    read = [cell for cell in cells if cell.id not in foreign]
    found = stale(read, ran=ran, known=None if namespace is None else set(namespace))
    not_as_it_ran = {remark.cell_id for remark in found if remark.kind == "stale"}
    code = runnable(cells)
    context = Context()
    # What our magics stand before is judged too: a notebook can register its own by their names.
    for cell in (cell for cell in cells if cell.cell_type == "code" and cell.source.strip()):
        for unread in (check_syntax(cell.source), check_language(cell.source, policy)):
            if unread is not None and cell.id not in foreign:
                found += _finding(cell, unread, "")
        scanner = Scanner(context, policy=policy)
        findings = scanner.feed(cell.source) + scanner.flush()
        better, gone = mended(cell.source, context=context, policy=policy) if findings else ("", ())
        for finding in findings:
            fix = better if any((one.rule, one.line) == (finding.rule, finding.line) for one in gone) else ""
            found += _finding(cell, finding, fix)
        context = scanner.context
    if namespace is not None:
        # What has run as it stands is real: the kernel has moved on since.
        asked = {cell.id for cell in code if cell.execution_count is None or cell.id in not_as_it_ran}
        for cell, finding in _unreal(code, asked, namespace):
            found += _finding(cell, finding, "")
    return ordered(cells, found)


def _unreal(
    cells: Sequence[NotebookCell], asked: Collection[str], namespace: Mapping[str, object]
) -> Iterator[tuple[NotebookCell, Finding]]:
    """Remarks on names in the ``asked`` cells that do not exist, if all run in their order. They are read once, as one text whose lines
    are counted through. A name that a cell below defines is not missing: its order is told by :func:`stale`."""
    checker = Checker(namespace, patience_at_end=PATIENCE_OF_CHECK)
    found: list[Finding] = []
    above, lines = list[int](), 0
    for cell in cells:
        above.append(lines)
        for statement in statements_of(cell.source):
            found += checker.look(statement._replace(line=statement.line + lines), silent=cell.id not in asked)
        lines += cell.source.count("\n") + 1
    for finding in [*found, *checker.flush()]:
        place = bisect_left(above, finding.line) - 1
        below = cells[place + 1 :]
        if finding.rule != "undefined-name" or not any(finding.wrong in needs(one.source).binds for one in below):
            yield cells[place], structs.replace(finding, line=finding.line - above[place])


def runnable(cells: Sequence[NotebookCell]) -> list[NotebookCell]:
    """The cells that Run All runs, with the code that is the notebook's own: what asks us is left out."""
    code = [structs.replace(cell, source=code_of(cell.source)) for cell in cells if cell.cell_type == "code"]
    return [cell for cell in code if cell.source.strip()]


def ordered(cells: Sequence[NotebookCell], remarks: Iterable[Remark]) -> list[Remark]:
    """The remarks in the order of the cells and their lines, each once; what blocks or fails is never left out for what does not."""
    place = {cell.id: number for number, cell in enumerate(cells)}
    known = [remark for remark in dict.fromkeys(remarks) if remark.cell_id in place]
    kept = sorted(known, key=lambda remark: remark.severity != "block")[:MOST_REMARKS]
    return sorted(kept, key=lambda remark: (place[remark.cell_id], remark.line or 0))


def from_the_top(
    cells: Sequence[NotebookCell],
    code: Sequence[NotebookCell],
    remarks: Sequence[Remark],
    *,
    restart: Restart,
    progress: Callable[[int, int], None] = lambda ran, total: None,
) -> Reviewed:
    """Add what comes of the ``restart`` of the ``code`` to the remarks on all ``cells``. Blocks; Ctrl-C ends it, and what is known by
    then counts."""
    found, ran = list(remarks), 0

    def tell(outcome: Outcome) -> None:
        nonlocal ran
        if 0 <= outcome.number < len(code):
            found.extend(remarks_of(code[outcome.number], outcome))
            ran = max(ran, outcome.number + has_run(code[outcome.number], outcome))
            progress(ran, len(code))

    try:
        problem = restart.run(tell)
    except KeyboardInterrupt:
        problem = "It was cancelled."
    finally:
        restart.cancel()
    shown = tuple(ordered(cells, found))
    return Reviewed(remarks=shown, ran=ran, total=len(code), problem=problem, unenforced=restart.unenforced)


def restart_of(
    code: Sequence[NotebookCell],
    *,
    folder: str,
    allow: tuple[Permission, ...],
    named: Collection[str] = (),
    variables: Collection[str] = (),
) -> Restart:
    """Check that runs these cells from the top. See :class:`Restart`."""
    may_fail = [number for number, cell in enumerate(code) if cell.raises]
    sources = [cell.source for cell in code]
    return Restart(sources, folder=folder, may_fail=may_fail, allow=allow, named=named, variables=variables)


def has_run(cell: NotebookCell, outcome: Outcome) -> bool:
    """True if it ended well, or failed as it may."""
    return not outcome.error or (cell.raises and not outcome.late and not outcome.refused)


def remarks_of(cell: NotebookCell, outcome: Outcome) -> list[Remark]:
    """Remarks on the outcome of a cell on Restart & Run All."""
    if has_run(cell, outcome):
        return [
            Remark(
                cell_id=cell.id, kind="surprise", severity="warn", message=one.message, remedy=one.remedy, rule=one.rule
            )
            for one in surprises_of(outcome.sightings)
        ]
    error = printable(error_line(outcome.error))
    if outcome.late or outcome.refused:
        why = "its time was up" if outcome.late else error
        said, remedy = f"It could not be tried to its end: {why}", "What comes below was not run."
        return [
            Remark(cell_id=cell.id, kind="untried", severity="warn", message=said, remedy=remedy, line=outcome.line)
        ]
    said = f"It fails on Restart & Run All: {error}"
    return [Remark(cell_id=cell.id, kind="fails", severity="block", message=said, line=outcome.line)]


def _finding(cell: NotebookCell, finding: Finding, fix: str) -> list[Remark]:
    if finding.allowed is not None or finding.severity == "hint":
        return []
    return [
        Remark(
            cell_id=cell.id,
            kind="finding",
            severity=finding.severity,
            message=finding.message,
            remedy=finding.remedy,
            rule=finding.rule,
            line=finding.line,
            fix=fix,
        )
    ]
