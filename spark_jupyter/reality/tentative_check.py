"""Check of text that may never be written.

Nothing of it is remembered, and no helper process is asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from spark_jupyter.reality.abstract_values import Of, Table, Value
from spark_jupyter.reality.check_state import Run
from spark_jupyter.reality.source_definitions import Instance

_COLLECTED = tuple(
    "stored labels handed_on removed mentioned patterns met unloaded paths named_modules registered options held "
    "_reported".split()
)
_PLAIN = tuple("open_names outside_data trusts_nothing pandas_output has_periods brings_modules makes_files".split())


@contextmanager
def tentatively(run: Run) -> Iterator[None]:
    """Undo at the end all that ``run`` learned inside: names, findings, and changes of tables in place."""
    names = dict(run.module.names)
    collected = {name: getattr(run, name).copy() for name in _COLLECTED}
    plain = {name: getattr(run, name) for name in _PLAIN}
    contents = [_contents(value) for value in names.values()]
    findings, run.findings = run.findings, []
    deferred, run.deferred = run.deferred, []
    try:
        yield
    finally:
        run.module.names = names
        run.findings, run.deferred = findings, deferred
        for name, value in (collected | plain).items():
            setattr(run, name, value)
        for thing, fields in (each for found in contents for each in found):
            for field, value in fields.items():
                setattr(thing, field, value)


def _contents(value: Value) -> list[tuple[Of | Table | Instance, dict[str, object]]]:
    """The parts of a value that change in place."""
    if isinstance(value, Instance):
        return [(value, {"attributes": dict(value.attributes), "closed": value.closed})]
    if not isinstance(value, Of):
        return []
    found: list[tuple[Of | Table | Instance, dict[str, object]]] = [
        (value, {"items": value.items, "keys": value.keys, "table": value.table})
    ]
    if (table := value.table) is not None:
        columns = None if table.columns is None else dict(table.columns)
        kept = {name: getattr(table, name) for name in ("levels", "has_tuples", "axis_name", "rows")}
        found.append((table, {"columns": columns, "holds": dict(table.holds), **kept}))
    return found
