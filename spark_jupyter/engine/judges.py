"""The judges of ghost text: the guardrail and the reality check, on code that may never be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.protocol.values import Finding
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.unrun_cells import not_run, without_stale_counts

if TYPE_CHECKING:
    from spark_jupyter.completions.screening import Judge, Opinion
    from spark_jupyter.completions.situation import Situation
    from spark_jupyter.guardrail import Context
    from spark_jupyter.reality import Checker


MOST_UNRUN = 80
"""Cells above that have not run and are gone through, about a millisecond each. The names of those before them are not known."""


class Judges:
    """Makes a judge for each completion. What the code before it establishes is gone through once: with the next key only what is new
    of it, until a cell runs or a cell above is another one."""

    def __init__(self, guard: Guard, kernel: Kernel) -> None:
        self._guard = guard
        self._kernel = kernel
        self._ground: _Ground | None = None

    def of(self, situation: Situation) -> Judge:
        """The judge of what is suggested there; what is no code has none."""
        from spark_jupyter.completions.screening import CodeJudge, NoJudge

        if situation.cell_type != "code":
            return NoJudge()
        return CodeJudge(situation, lambda settled: self._opinion(situation, settled))

    def _opinion(self, situation: Situation, settled: str) -> Opinion:
        from spark_jupyter.guardrail import Scanner

        ground = self._ground_for(situation)
        if not ground.leads_to(settled):
            ground = self._fresh_ground(situation)
        ground.go_on(settled)
        self._ground = ground

        def opinion(code: str) -> list[Finding]:
            scanner = Scanner(ground.context, base="")
            found = self._guard.judged([*scanner.feed(code), *scanner.flush()])
            return [*found, *ground.checker.suppose(code)]

        return opinion

    def _ground_for(self, situation: Situation) -> _Ground:
        key = self._key(situation)
        return self._ground if self._ground is not None and self._ground.key == key else self._fresh_ground(situation)

    def _fresh_ground(self, situation: Situation) -> _Ground:
        from spark_jupyter.reality import Checker

        key = self._key(situation)
        _, above, unrun = key
        checker = Checker(self._kernel.namespace(), earlier=unrun[-MOST_UNRUN:], helper=False)
        return _Ground(key, self._guard.context(above), checker)

    def _key(self, situation: Situation) -> _Key:
        code = [cell for cell in situation.above if cell.cell_type == "code"]
        unrun = (cell.source for cell in without_stale_counts(code, self._kernel.namespace()) if not_run(cell))
        return self._kernel.moment(), tuple(cell.source for cell in code), tuple(unrun)


_Key = tuple[int, tuple[str, ...], tuple[str, ...]]


class _Ground:
    """What the judges know of the code before a suggestion: the cells above, and the statements of its own cell that are whole."""

    def __init__(self, key: _Key, context: Context, checker: Checker) -> None:
        self.key = key
        self.context = context
        self.checker = checker
        self._settled = ""

    def leads_to(self, settled: str) -> bool:
        """Whether these statements begin with those that it knows."""
        return settled.startswith(self._settled)

    def go_on(self, settled: str) -> None:
        """Take in what is new of these statements."""
        from spark_jupyter.guardrail import learn

        new = settled[len(self._settled) :]
        self._settled = settled
        if new:
            self.context = learn(new, self.context)
            self.checker.pass_over(new)
