"""Values are told by what they are: alike where they are the same, however they are put together, and otherwise not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from spark_jupyter.sandbox.values.describer import Describer
from spark_jupyter.sandbox.values.plain_values import plain_text


def told(**names: object):
    return Describer(untold=["the state of numpy.random"]).describe(names, names)


def mark(value: object) -> bytes:
    return told(value=value).values[0].mark


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([{"a": [1, 2]}], [{"a": [1, 3]}]),
        ([{"a": 1}], [{"a": True}]),
        ([{"a": 1}], [{"a": 1.0}]),
        ({"a": [0.0]}, {"a": [-0.0]}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([(1, 2)], [[1, 2]]),
        ([[1], [2]], [[1, 2]]),
        ({1: "a"}, {"1": "a"}),
        ([{"a": ["b'"]}], [{"a": ['b"']}]),
    ],
)
def test_what_differs_deep_inside_is_another_value(one, other):
    assert mark(one) != mark(other)


class Dataset:
    def __init__(self, folder: str, rows: int) -> None:
        self.folder, self.rows = folder, rows

    def __fspath__(self) -> str:
        return self.folder


def test_what_has_a_path_is_more_than_that():
    assert mark(Path("a")) == mark(Path("a")) != mark(Path("b"))
    assert mark(Dataset("a", 1)) == mark(Dataset("a", 1)) != mark(Dataset("a", 2))
    called = MagicMock()
    before = mark(called)
    called.users.count()
    assert mark(called) != before


def test_what_is_the_same_is_told_alike_wherever_it_stands_and_whatever_stands_beside_it():
    record = {"name": "a", "tags": [1, float("inf") - float("inf")]}
    again = {"name": "a", "tags": [1, float("nan")]}
    assert mark(record) == mark(again)
    assert mark([record, object]) == mark([again, object])
    shared, apart = told(rows=[record] * 3, one=record), told(rows=[record, again, record], one=again)
    assert [value.mark for value in shared.values] == [value.mark for value in apart.values]


def test_names_of_one_object_are_known_also_where_all_around_it_is_plain():
    record = {"tags": [1]}
    aliases = told(rows={"x": record}, one=record, tags=record["tags"]).aliases
    assert ("one", "rows['x']") in aliases
    assert {"one['tags']", "tags"} <= set(next(paths for paths in aliases if "tags" in paths))


def test_what_holds_itself_or_the_same_again_and_again_or_more_than_python_writes_is_no_plain_value():
    around: list[object] = []
    around.append(around)
    often: list[object] = [1]
    for _ in range(6):
        often = [often] * 20
    for value in (around, often, [10**5000], [{1}], [object]):
        assert plain_text(value) is None
        assert mark(value) == mark(value)


def test_no_module_is_loaded_to_describe_arrays():
    pytest.importorskip("numpy")
    source = (
        "import sys, numpy\n"
        "from spark_jupyter.sandbox.values.describer import Describer\n"
        "names = {'a': numpy.arange(3), 'rng': numpy.random.default_rng(1)}\n"
        "sys.modules.pop('numpy.ma', None)\n"
        "before = set(sys.modules)\n"
        "Describer().describe(names, names, parts=False)\n"
        "print(sys.modules.keys() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


class Link:
    def __init__(self, value: object, rest: object = None) -> None:
        self.value, self.rest = value, rest


def linked(length: int, *, last: object = 0) -> Link:
    head = Link(last)
    for value in range(1, length):
        head = Link(value, head)
    return head


def nested(length: int, *, last: object = 0) -> list[object]:
    inner: list[object] = [last]
    for _ in range(length):
        inner = [inner]
    return inner


@pytest.mark.parametrize("make", [linked, nested])
def test_what_is_deeper_than_python_follows_at_once_is_compared_whole(make):
    assert mark(make(5_000)) == mark(make(5_000))
    assert mark(make(5_000)) != mark(make(5_000, last=1))
    assert mark(make(5_000)) != mark(make(5_001))
    assert not told(value=make(5_000)).values[0].partly


def test_a_part_of_something_deep_is_what_it_holds_by_another_name_too():
    def marks(last: object) -> list[bytes]:
        head = linked(300, last=last)
        middle = head.rest.rest
        return [value.mark for value in told(head=head, middle=middle).values]

    assert marks(0) == marks(0)
    assert all(one != other for one, other in zip(marks(0), marks(1), strict=True))


def test_a_deep_ring_ends():
    def ring(last: object) -> Link:
        head = linked(300, last=last)
        end = head
        while end.rest is not None:
            end = end.rest
        end.rest = head
        return head

    assert mark(ring(0)) == mark(ring(0)) != mark(ring(1))


class Endless:
    def __reduce__(self):
        return Endless, (), {"next": Endless()}


def test_what_never_ends_is_compared_in_part():
    assert told(value=Endless()).values[0].partly
