"""Another thread of the kernel imports while we look through what is imported, or it binds a name while we look through its names.

The collector of garbage may run while a list is made of a dictionary's items, and lets others go on: here it is who imports."""

from __future__ import annotations

import gc
import itertools
import sys
import types
from collections.abc import Callable, Iterator

import pytest

from spark_jupyter.reality.class_names import anywhere_in
from spark_jupyter.reality.helper_process import describe_names
from spark_jupyter.sandbox.copy.import_locks import begin_again
from spark_jupyter.sandbox.walls import allowed_paths

NAMES: dict[str, object] = {f"name_{number}": number for number in range(4_000)}


@pytest.fixture
def imports_meanwhile() -> Iterator[None]:
    """A module and a variable more whenever the collector runs, which it does all the time."""
    count = itertools.count()

    def imported(phase: str, info: dict[str, int]) -> None:
        sys.modules[f"_spark_test_{next(count)}"] = NAMES[f"other_{next(count)}"] = types.ModuleType("none")

    before, known = gc.get_threshold(), set(sys.modules)
    gc.callbacks.append(imported)
    gc.set_threshold(1)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(imported)
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.mark.usefixtures("imports_meanwhile")
@pytest.mark.parametrize(
    "look",
    [
        lambda: list(allowed_paths._modules()),
        lambda: anywhere_in("none", "None"),
        begin_again,
        lambda: describe_names(NAMES),
    ],
    ids=["places", "classes", "locks", "names"],
)
def test_what_is_there_is_looked_through_while_another_thread_imports(look: Callable[[], object]) -> None:
    look()
