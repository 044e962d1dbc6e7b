"""The judges of ghost text: the guardrail and the reality check, on code that may never be written."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING

from spark_jupyter.core.guard import Guard
from spark_jupyter.host.situations import Kernel
from spark_jupyter.source.lines import python_only
from spark_jupyter.wire.values import Finding

if TYPE_CHECKING:
    from spark_jupyter.guardrail import Context
    from spark_jupyter.reality import Checker
    from spark_jupyter.suggest.judging import Judge, Opinion
    from spark_jupyter.suggest.situation import Situation


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
        from spark_jupyter.suggest.judging import CodeJudge, NoJudge

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
        names = self._kernel.namespace()
        unrun = (cell.source for cell in code if cell.execution_count is None or not bound(cell.source) <= names.keys())
        return self._kernel.moment(), tuple(cell.source for cell in code), tuple(unrun)


@lru_cache(512)
def bound(source: str) -> frozenset[str]:
    """The names that a cell's own statements bind. Where the kernel lacks one, the cell has not run in it, whatever its number says: that
    may be of another kernel's life."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            body = ast.parse(python_only(source)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
    names = {one.name for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    imported = [name for one in body if isinstance(one, ast.Import | ast.ImportFrom) for name in one.names]
    names |= {(one.asname or one.name).partition(".")[0] for one in imported if one.name != "*"}
    targets = [target for one in body if isinstance(one, ast.Assign) for target in one.targets]
    return frozenset(names | {target.id for target in targets if isinstance(target, ast.Name)})


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
