"""What watches the code cells of an answer while they are written. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from spark_jupyter.protocol.values import Finding, Severity
from spark_jupyter.session.draft import CellWatch, WatchFactory

if TYPE_CHECKING:
    from spark_jupyter.guardrail import Context


class Guard:
    """What watches the code cells of a turn, and how strict it is.

    ``severities`` maps a rule's id to ``"warn"``: the user's own configuration may take a rule's power to block, a notebook
    may not. ``others`` make the watches that need the kernel. What the notebook's cells establish is learned once: the next turn
    learns only the cells that are new.
    """

    def __init__(
        self, *, severities: Mapping[str, Severity] | None = None, others: Sequence[WatchFactory] = ()
    ) -> None:
        self._severities = dict(severities or {})
        self._softened: frozenset[str] = frozenset()
        self._others = tuple(others)
        self._learned: tuple[tuple[str, ...], Context] | None = None

    def soften(self, rules: Sequence[str]) -> None:
        """Take the power to block from these rules too, and give it back to what was softened here before. "all" is every rule."""
        self._softened = frozenset(rules)

    def context(self, sources: Sequence[str]) -> Context:
        """What these cells establish, in this order."""
        from spark_jupyter.guardrail import Context, learn

        known, context = self._learned or ((), Context())
        if tuple(sources[: len(known)]) != known:
            known, context = (), Context()
        for source in sources[len(known) :]:
            context = learn(source, context)
        self._learned = (tuple(sources), context)
        return context

    def watch(self, context: Context, sources: Sequence[str], *, base: str) -> CellWatch:
        """A watch for a cell that comes after ``sources`` and held ``base``, which a person wrote or accepted."""
        return CellWatch(context, [make(sources) for make in self._others], base=base)

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
        """What a whole code cell's parser says about it."""
        from spark_jupyter.guardrail.syntax_check import check_syntax

        finding = check_syntax(source)
        return [] if finding is None else self.judged([finding])

    def missing(self, source: str) -> str:
        """Why a cell whose writing was stopped would not begin to run, in a sentence; empty where it would."""
        from spark_jupyter.guardrail.syntax_check import what_is_missing

        return what_is_missing(source)

    def markdown(self, source: str) -> list[Finding]:
        """What there is to say about a Markdown cell's code; it is not run, so nothing in it blocks."""
        from spark_jupyter.guardrail.code_files import fences
        from spark_jupyter.guardrail.file_check import check_pieces

        return self.judged([finding for _, finding in check_pieces(fences(source, name="markdown"))])
