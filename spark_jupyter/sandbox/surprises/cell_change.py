"""Tables before and after a cell, paired by origin."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_jupyter.sandbox.surprises.table_flow import Step, steps_of
from spark_jupyter.sandbox.surprises.table_samples import Table, is_array, is_table, seen

if TYPE_CHECKING:
    from spark_jupyter.sandbox.surprises.figure_panels import Panel

_BEFORE = 0.03
"""Seconds of the processor that looking at the tables before a cell may take: those that come later are not compared."""
_MOST_TABLES = 50


class Moment:
    """The tables of a namespace as they are now, and the shapes of its arrays."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        self.tables: dict[str, Table] = {}
        self.names = frozenset(namespace)
        self.result = namespace.get("_")
        until = time.thread_time() + _BEFORE
        for name, value in reversed(list(namespace.items())):
            if len(self.tables) == _MOST_TABLES or time.thread_time() > until:
                break
            if isinstance(name, str) and not name.startswith("_") and is_table(value):
                self.tables[name] = seen(value, copy=True)


class CellRun:
    """The sources of a cell as they run, and each table that it has touched as the next statement finds it that touches it again."""

    def __init__(self, *sources: str) -> None:
        self.sources: list[str] = []
        self.steps: list[Step] = []
        self._found: dict[tuple[str, int], Table] = {}
        self._seconds = _BEFORE
        self._next = self._statements = 0
        for source in sources:
            self.add(source)

    def add(self, source: str) -> None:
        """This source runs now."""
        self.sources.append(source)
        self._next = self._statements
        steps, self._statements = steps_of(source, behind=self._next)
        self.steps += steps

    def next_statement(self, namespace: Mapping[str, object]) -> None:
        """The next statement of the source runs now."""
        number, self._next = self._next, self._next + 1
        began = time.thread_time()
        for name in self._targets(number) & {step.target for step in self.steps if step.statement < number}:
            if self._seconds > 0 and is_table(value := namespace.get(name)):
                self._found[name, number] = seen(value, copy=True)
        self._seconds -= time.thread_time() - began

    def table(self, name: str, number: int) -> Table | None:
        """A table that a statement before this one has touched, and another one touches again, as this one finds it; None where that is not
        known."""
        later = (step.statement for step in self.steps if step.target == name and step.statement >= number)
        return self._found.get((name, next(later, -1)))

    def _targets(self, number: int) -> set[str]:
        return {step.target for step in self.steps if step.statement == number}


class Pair(NamedTuple):
    """A table that another one was made of. ``steps`` is how; ``renamed``: the whole one is kept elsewhere, or was read by the cell."""

    name: str
    old: Table
    new: Table
    steps: tuple[Step, ...]
    renamed: bool

    @property
    def tails(self) -> frozenset[str]:
        """All that was called on the way."""
        return frozenset(tail for step in self.steps for tail in step.tails)

    def of_column(self, column: str) -> list[Step]:
        """The steps that give this column its values, as far as the source says so; else all."""
        own = [step for step in self.steps if step.column == column]
        return own or list(self.steps)


class Change:
    """Change by one cell, as the rules see it. ``namespace`` is as the cell, ``run``, left it; ``changed`` names what it changed or made;
    ``earlier`` are the sources that ran before it, ``figures`` those that it drew."""

    def __init__(
        self,
        before: Moment,
        namespace: Mapping[str, Any],
        *,
        changed: Collection[str],
        run: CellRun,
        earlier: Sequence[str] = (),
        figures: Sequence[Any] = (),
    ) -> None:
        self.before = before
        self.namespace = namespace
        self.figures = figures
        self.earlier = earlier
        self._changed = [name for name in changed if not name.startswith("_")]
        self.steps = run.steps
        self._run = run
        self._after: dict[str, Table | None] = {}

    @cached_property
    def panels(self) -> list[Panel]:
        """Panels of all figures that the cell drew. plotly's are those that it made, or gave as its result."""
        result = self.namespace.get("_")
        made = [self.namespace.get(name) for name in self._changed]
        made += [result] if result is not self.before.result and all(result is not each for each in made) else []
        if not self.figures and "plotly" not in sys.modules:
            return []
        from spark_jupyter.sandbox.surprises.figure_panels import is_plotly, panels_of  # imports numpy

        return panels_of([*self.figures, *filter(is_plotly, made)])

    @cached_property
    def source(self) -> str:
        return "\n".join(self._run.sources)

    def after(self, name: str) -> Table | None:
        if name not in self._after:
            value = self.namespace.get(name)
            self._after[name] = seen(value) if is_table(value) else None
        return self._after[name]

    def taken(self, name: str, step: Step) -> Table | None:
        """A table as a step finds it; None where that is not known."""
        place = next(n for n, one in enumerate(self.steps) if one is step)
        before = [one.statement for one in self.steps[:place] if one.target == name]
        if before and all(one.target != name for one in self.steps[place:]):
            return self.after(name)
        if before:
            return self._run.table(name, step.statement) if step.statement not in before else None
        return self.before.tables.get(name) or (None if name in self.before.names else self.after(name))

    @cached_property
    def _anew(self) -> set[str]:
        """The names whose values come from the cell alone: from literals, or from files that it reads."""
        anew: set[str] = set()
        for step in self.steps:
            read = step.names - anew
            if any(not isinstance(self.namespace.get(name), (ModuleType, type, type(None))) for name in read):
                anew.discard(step.target)
            elif step.column is None and step.target not in step.names:
                anew.add(step.target)
        return anew

    def array(self, name: str) -> Any:
        """numpy's array of that name; None where it is none."""
        value = self.namespace.get(name)
        return value if is_array(value) else None

    @cached_property
    def made(self) -> dict[str, Table]:
        """Every table that was changed or made, by name."""
        return {name: table for name in self._changed if (table := self.after(name)) is not None}

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every table that was changed or made, with the one that it comes from, where it is one alone."""
        found = []
        for name in self._changed:
            new = self.after(name)
            if new is None:
                continue
            steps = tuple(step for step in self.steps if step.target == name)
            made = max(
                (n for n, step in enumerate(steps) if step.column is None and name not in step.names), default=-1
            )
            old = self.before.tables.get(name)
            if steps[made + 1 :] and made >= 0 and (first := self.taken(name, steps[made + 1])) is not None:
                found.append(Pair(name, first, new, steps[made + 1 :], True))
            elif old is not None and name in self._anew:
                continue  # another table has taken the name
            elif old is not None:
                found.append(Pair(name, old, new, steps, False))
            elif name not in self.before.names and len(steps) == 1:
                sources = [each for one in steps[0].names - {name} if (each := self.taken(one, steps[0])) is not None]
                if len(sources) == 1:
                    found.append(Pair(name, sources[0], new, steps, True))
        return [pair for pair in found if not pair.new.is_series or pair.old.is_series]
