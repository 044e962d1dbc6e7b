"""Names, constants and imports in compiled code, nested definitions included."""

from __future__ import annotations

import types
from collections.abc import Iterator


def names_in(code: types.CodeType) -> set[str]:
    return {name for one in _all_of(code) for name in one.co_names}


def constants_in(code: types.CodeType) -> list[object]:
    return [value for one in _all_of(code) for value in one.co_consts]


def imported(code: types.CodeType) -> set[str]:
    """The top-level modules that it imports by name."""
    import dis

    steps = (step for one in _all_of(code) for step in dis.get_instructions(one))
    return {str(step.argval).partition(".")[0] for step in steps if step.opname == "IMPORT_NAME"}


def _all_of(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _all_of(constant)
