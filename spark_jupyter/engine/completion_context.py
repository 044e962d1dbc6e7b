"""Kernel context of completions: tables nearby, facts, judges.

All of it is read on the engine's thread, also while a cell runs, and runs no code of the user's. What takes a moment to import is imported
by the first completion.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.protocol.values import Finding
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.routing.link import Link
from spark_jupyter.session.guard import Guard
from spark_jupyter.session.unrun_cells import not_run, with_true_counts

if TYPE_CHECKING:
    from spark_jupyter.completions.screening import Judge, Opinion
    from spark_jupyter.completions.situation import Situation
    from spark_jupyter.guardrail import Context
    from spark_jupyter.reality import Checker

MOST_UNRUN = 80
"""Cells above that have not run and are gone through, about a millisecond each. The names of those before them are not known."""
_MOST_NAMES = 12
_MOST_CHARACTERS = 1_200
_MOST_COLUMNS = 40
_WORTH_TELLING = 2
"""Tables, arrays and other values; what functions and modules are called says enough of them."""
_LOOKED_AT = 5_000
"""Rows of a column whose texts are counted."""
_MOST_TEXTS = 60
_MOST_ENTRIES = 2_000
_DATA = (".csv", ".csv.gz", ".tsv", ".txt", ".json", ".xlsx", ".xls", ".parquet", ".feather")
_IPYTHONS = frozenset({"In", "Out", "exit", "quit", "open", "get_ipython"})
_TEXTS = ("object", "str", "string", "category", "String", "Categorical", "Enum")
"""Beginnings of the names of dtypes that texts have."""


class CompletionContext:
    """The kernel as completions and next edits know it. ``withholds``: whether credentials are kept from the provider of a link."""

    def __init__(self, kernel: Kernel, guard: Guard, redactor: Redactor, *, withholds: Callable[[Link], bool]) -> None:
        self.kernel = kernel
        self.namespace = kernel.namespace
        self.judges = Judges(guard, kernel)
        self._redactor = redactor
        self._withholds = withholds

    def facts(self) -> KernelFacts:
        """The facts of this moment, for suggestions without a model."""
        return KernelFacts(self.namespace())

    def fresh_judges(self) -> Judges:
        """Judges for another thread, which share nothing with those of the loop."""
        return Judges(Guard(), self.kernel)

    def told(self, situation: Situation, link: Link) -> Situation:
        """The situation with the tables named nearby, as the model behind a link may know it: without credentials."""
        from spark_jupyter.completions.situation import hidden
        from spark_jupyter.redaction.namespace_secrets import held_in

        told = situation.with_tables(self._tables(situation))
        return hidden(told, self._redactor, known=held_in(self.namespace())) if self._withholds(link) else told

    def _tables(self, situation: Situation) -> str:
        """The variables that are named nearby, tables first, one a line."""
        from spark_jupyter.completions.cell_context import words_near
        from spark_jupyter.prompting.variables import variable

        namespace = self.namespace()
        missing = object()
        values = ((name, namespace.get(name, missing)) for name in sorted(words_near(situation)))
        known = [variable(name, value) for name, value in values if value is not missing and not name.startswith("_")]
        shown = sorted((one for one in known if one.rank <= _WORTH_TELLING), key=lambda one: (one.rank, one.name))
        lines: list[str] = []
        for one in shown[:_MOST_NAMES]:
            line = one.line(columns=_MOST_COLUMNS)
            if sum(map(len, lines)) + len(line) <= _MOST_CHARACTERS:
                lines.append(line)
        return "\n".join(lines)


class Judges:
    """Makes a judge for each completion. What the code before it establishes is gone through once: with the next key only what is new
    of it, until a cell runs or a cell above is another one."""

    def __init__(self, guard: Guard, kernel: Kernel) -> None:
        self._guard = guard
        self._kernel = kernel
        self._last: _CodeBefore | None = None

    def of(self, situation: Situation) -> Judge:
        """The judge of suggestions at the cursor; text that is not code has none."""
        from spark_jupyter.completions.screening import CodeJudge, NoJudge

        if situation.cell_type != "code":
            return NoJudge()
        return CodeJudge(situation, lambda settled: self._opinion(situation, settled))

    def _opinion(self, situation: Situation, settled: str) -> Opinion:
        from spark_jupyter.guardrail import Scanner

        before = self._before(situation)
        if not before.leads_to(settled):
            before = self._fresh(situation)
        before.go_on(settled)
        self._last = before

        def opinion(code: str) -> list[Finding]:
            scanner = Scanner(before.context, base="")
            found = self._guard.judged([*scanner.feed(code), *scanner.flush()])
            return [*found, *before.checker.suppose(code)]

        return opinion

    def _before(self, situation: Situation) -> _CodeBefore:
        key = self._key(situation)
        return self._last if self._last is not None and self._last.key == key else self._fresh(situation)

    def _fresh(self, situation: Situation) -> _CodeBefore:
        from spark_jupyter.reality import Checker

        key = self._key(situation)
        _, above, unrun = key
        checker = Checker(self._kernel.namespace(), unrun=unrun[-MOST_UNRUN:], helper=False)
        return _CodeBefore(key, self._guard.context(above), checker)

    def _key(self, situation: Situation) -> _Key:
        code = [cell for cell in situation.above if cell.cell_type == "code"]
        unrun = (cell.source for cell in with_true_counts(code, self._kernel.namespace()) if not_run(cell))
        return self._kernel.moment(), tuple(cell.source for cell in code), tuple(unrun)


_Key = tuple[int, tuple[str, ...], tuple[str, ...]]


class _CodeBefore:
    """The checks' knowledge of the code before a suggestion: the cells above, and the complete statements of its own cell."""

    def __init__(self, key: _Key, context: Context, checker: Checker) -> None:
        self.key = key
        self.context = context
        self.checker = checker
        self._settled = ""

    def leads_to(self, settled: str) -> bool:
        """True if these statements begin with the known ones."""
        return settled.startswith(self._settled)

    def go_on(self, settled: str) -> None:
        from spark_jupyter.guardrail import learn

        new = settled[len(self._settled) :]
        self._settled = settled
        if new:
            self.context = learn(new, self.context)
            self.checker.pass_over(new)


class KernelFacts:
    """Implements :class:`~spark_jupyter.completions.offline.kernel_facts.Facts` for a namespace as it is now."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        self._namespace = namespace

    def columns(self, name: str) -> Sequence[str]:
        from spark_jupyter.prompting.variables import table_kind

        frame: Any = self._namespace.get(name)
        if table_kind(frame) != "DataFrame":
            return ()
        return tuple(label for label in list(frame.columns) if type(label) is str)

    def kind(self, name: str) -> str:
        from spark_jupyter.prompting.variables import table_kind
        from spark_jupyter.reality import static_lookup

        value = self._found(name)
        if value is None:
            return ""
        if static_lookup.is_module(value):
            called = static_lookup.module_dict(value).get("__name__")
            return called if type(called) is str else ""
        return table_kind(value) or static_lookup.class_name(type(value))

    def members(self, name: str) -> Sequence[str]:
        from spark_jupyter.reality import static_lookup

        value = self._found(name)
        if value is None:
            return ()
        if static_lookup.is_module(value):
            found: Iterable[str] = list(static_lookup.module_dict(value))
        else:
            found = static_lookup.names_in_class(value if static_lookup.is_class(value) else type(value))
        return tuple(filter(_is_name, found))

    def names(self) -> Sequence[str]:
        return tuple(name for name in list(self._namespace) if _is_name(name) and name not in _IPYTHONS)

    def has_gaps(self, name: str) -> bool:
        from spark_jupyter.prompting.variables import is_librarys, table_kind, without_attrs

        frame: Any = self._namespace.get(name)
        if table_kind(frame) != "DataFrame" or not is_librarys(frame) or not hasattr(frame, "isna"):
            return False
        return bool(without_attrs(frame).head(_LOOKED_AT).isna().to_numpy().any())

    def files(self) -> Sequence[str]:
        try:
            with os.scandir() as entries:
                found = [one.name for one in islice(entries, _MOST_ENTRIES) if one.name.lower().endswith(_DATA)]
        except OSError:  # the folder is gone
            return ()
        return tuple(sorted(found))

    def texts(self, name: str, column: str) -> Sequence[str]:
        from spark_jupyter.prompting.variables import dtype_name, without_attrs

        if self.columns(name).count(column) != 1:
            return ()
        frame: Any = self._namespace[name]
        series = without_attrs(frame)[column].head(_LOOKED_AT)
        if not dtype_name(series.dtype).startswith(_TEXTS):
            return ()
        values = series.tolist() if hasattr(series, "tolist") else series.to_list()
        texts = dict.fromkeys(value for value in values if type(value) is str)
        return tuple(texts) if len(texts) <= _MOST_TEXTS else ()

    def keywords(self, function: str) -> Sequence[str]:
        from spark_jupyter.reality.signatures import signature

        found = self._found(function)
        known = signature(found) if found is not None else None
        if known is None:
            return ()
        named = (one for one in known.parameters.values() if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY))
        return tuple(one.name for one in named if one.name not in ("self", "cls") and not one.name.startswith("_"))

    def flag(self, function: str, keyword: str) -> bool | None:
        from spark_jupyter.reality.signatures import signature

        found = self._found(function)
        known = signature(found) if found is not None else None
        given = known.parameters.get(keyword) if known is not None else None
        return given.default if given is not None and type(given.default) is bool else None

    def is_defined(self, name: str) -> bool:
        return name in self._namespace or hasattr(builtins, name)

    def has_module(self, name: str) -> bool:
        from spark_jupyter.reality.module_lookup import exists

        return name in sys.modules or exists(name)

    def _found(self, dotted: str) -> object | None:
        """The function of a dotted name, looked up past what classes of the user's could do to that."""
        from spark_jupyter.reality import static_lookup

        first, *rest = dotted.split(".")
        found = self._namespace.get(first, vars(builtins).get(first))
        for name in rest:
            if static_lookup.is_module(found):
                found = static_lookup.module_dict(found).get(name)
            elif found is not None:
                inside = static_lookup.in_class(found if static_lookup.is_class(found) else type(found), name)
                found = None if inside is static_lookup.MISSING else inside
        return found


def _is_name(name: object) -> bool:
    """True if a key of a namespace is a name that code may use: it could be anything."""
    return type(name) is str and name.isidentifier() and not name.startswith("_")
