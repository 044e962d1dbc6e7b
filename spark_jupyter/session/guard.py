"""Checks of code cells during writing, with the user's severities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from spark_jupyter.protocol.values import Finding, Severity

if TYPE_CHECKING:
    from spark_jupyter.guardrail import Context


class Watch(Protocol):
    """Reads a source as it is written: the guardrail's Scanner, the reality check's Checker."""

    def feed(self, text: str) -> list[Finding]:
        """Findings on the lines that ``text`` completes."""

    def flush(self) -> list[Finding]:
        """Findings on the lines that were not complete when the text ended."""


WatchFactory = Callable[[Sequence[str], Sequence[str]], Watch]
"""Makes a watch for a code cell from the notebook's cells that were not run, and the answer's code cells before it."""


class CellWatch:
    """The guardrail and, where there is a kernel to ask, the reality check on one code cell that a model writes.

    Of the ``# spark: allow`` comments only those in ``base`` count, which a person wrote or accepted.
    """

    def __init__(self, context: Context, others: Sequence[Watch], *, base: str) -> None:
        from spark_jupyter.guardrail import (
            Scanner,  # its rules take a third of %load_ext; the engine's thread loads them
        )

        self._scanner = Scanner(context, base=base)
        self._others = others

    def feed(self, text: str) -> list[Finding]:
        """Findings on every logical line and statement that ``text`` completes."""
        findings = self._scanner.feed(text)
        for watch in self._others:
            findings += watch.feed(text)
        return findings

    def flush(self, *, unfinished: bool = False) -> list[Finding]:
        """Findings on the rest, at the end of the cell.

        An ``unfinished`` line is checked by the guardrail alone: it may be run as it stands, but its names may be incomplete.
        """
        findings = self._scanner.flush()
        for watch in self._others if not unfinished else ():
            findings += watch.flush()
        return findings

    @property
    def context(self) -> Context:
        return self._scanner.context


class Guard:
    """Makes the watches of a turn's code cells and applies the user's severities.

    Args:
        severities: Rule id to ``"warn"``. The user's own configuration may take a rule's power to block, a notebook may not.
        others: Factories of watches that need the kernel.

    What the notebook's cells establish is learned once: the next turn learns only the new cells.
    """

    def __init__(
        self, *, severities: Mapping[str, Severity] | None = None, others: Sequence[WatchFactory] = ()
    ) -> None:
        self._severities = dict(severities or {})
        self._softened: frozenset[str] = frozenset()
        self._others = tuple(others)
        self._learned: tuple[tuple[str, ...], Context] | None = None

    def soften(self, rules: Sequence[str]) -> None:
        """Let exactly these rules warn instead of block, beside those in ``severities``; "all" stands for every rule."""
        self._softened = frozenset(rules)

    def context(self, sources: Sequence[str]) -> Context:
        """Guardrail context after these cells, in this order."""
        from spark_jupyter.guardrail import Context, learn

        known, context = self._learned or ((), Context())
        if tuple(sources[: len(known)]) != known:
            known, context = (), Context()
        for source in sources[len(known) :]:
            context = learn(source, context)
        self._learned = (tuple(sources), context)
        return context

    def watch(self, context: Context, unrun: Sequence[str], earlier: Sequence[str], *, base: str) -> CellWatch:
        """A watch for a cell of an answer that held ``base``, which a person wrote or accepted; the sources are as for
        :data:`WatchFactory`."""
        return CellWatch(context, [make(unrun, earlier) for make in self._others], base=base)

    def judged(self, findings: Sequence[Finding]) -> list[Finding]:
        """The findings with the severities that the user chose."""
        return [
            structs.replace(finding, severity=self._at_most(finding.rule)) if finding.severity == "block" else finding
            for finding in findings
        ]

    def _at_most(self, rule: str) -> Severity:
        if self._softened & {rule, "all"}:
            return "warn"
        return self._severities.get(rule, self._severities.get("all", "block"))

    def parsed(self, source: str) -> list[Finding]:
        """The syntax errors of a whole code cell."""
        from spark_jupyter.guardrail.syntax_check import check_syntax

        finding = check_syntax(source)
        return [] if finding is None else self.judged([finding])

    def missing(self, source: str) -> str:
        """Why a cell that was stopped while it was written would not run, in a sentence; empty where it would."""
        from spark_jupyter.guardrail.syntax_check import what_is_missing

        return what_is_missing(source)

    def markdown(self, source: str) -> list[Finding]:
        """Findings on the code in a Markdown cell. It is not run, so none of them blocks."""
        from spark_jupyter.guardrail.code_files import fences
        from spark_jupyter.guardrail.file_check import check_pieces

        return self.judged([finding for _, finding in check_pieces(fences(source, name="markdown"))])
