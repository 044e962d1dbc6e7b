"""Variables and last error of the kernel, as a request has them."""

from __future__ import annotations

import sys
import types

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.prompting.budget import describe, estimate_tokens
from spark_jupyter.prompting.kernel_context import format_error, gather
from spark_jupyter.server.engines import namespace


class Touchy:
    """Raises at whatever is asked of it."""

    def __getattribute__(self, name):
        raise AssertionError(f"user code was run: {name}")

    def __repr__(self):
        raise AssertionError("user code was run: repr")

    __str__ = __len__ = __iter__ = __bool__ = __hash__ = __repr__

    def __eq__(self, other):
        raise AssertionError("user code was run: ==")


class TouchyMeta(type):
    def __getattribute__(cls, name):
        if name in {"__dict__", "__name__", "__module__", "__init__"}:
            raise AssertionError(f"user code was run: {name}")
        return super().__getattribute__(name)


class TouchyClass(metaclass=TouchyMeta):
    def __init__(self, a, b=Touchy()):  # noqa: B008
        pass


class TouchyList(list):
    __len__ = __iter__ = Touchy.__repr__


def line(value, name="x"):
    return describe(gather({name: value}), budget_tokens=1000)


def test_a_table_is_given_with_its_shape_columns_and_dtypes():
    frame = pd.DataFrame({"species": pd.Series(["a", "b"], dtype=object), "mass": [1.5, 2.5], "n": [1, 2]})
    assert line(frame, "df") == "df: DataFrame (2 × 3): species object, mass float64, n int64"


def test_a_polars_table_is_given_like_a_pandas_one(monkeypatch):
    class DataFrame:
        shape = (3, 1)
        schema = {"a": np.dtype("int64")}  # noqa: RUF012

    DataFrame.__module__ = "polars.dataframe.frame"
    module = types.ModuleType("polars")
    module.DataFrame = DataFrame
    monkeypatch.setitem(sys.modules, "polars", module)
    assert line(DataFrame(), "df") == "df: polars.DataFrame (3 × 1): a int64"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: 3, "x: int"),
        (lambda: ["a"] * 12, "x: list (12) of str: 'a', 'a', 'a', …"),
        (list, "x: list (0)"),
        (lambda: [1, "a"], "x: list (2) of int, str: 1, 'a'"),
        (lambda: {"a": 1}, "x: dict (1) of str to int: 'a': 1"),
        (lambda: {1, 2}, "x: set (2) of int"),
        (lambda: np.zeros((10, 3)), "x: ndarray float64 (10, 3)"),
        (lambda: np.zeros(4, dtype="int32"), "x: ndarray int32 (4,)"),
        (lambda: pd.Series([1, 2, 3]), "x: Series int64 (3)"),
        (lambda: types.ModuleType("mod"), "x: module mod"),
        (lambda: lambda x, y=2: None, "x: function (x, y=2)"),
        (lambda: lambda a, /, *rest, k, m="s", **more: None, "x: function (a, *rest, k, m='s', **more)"),
        (lambda: lambda a, *, k=None: None, "x: function (a, *, k=None)"),
        (lambda: lambda a=object(): None, "x: function (a=…)"),  # noqa: B008
        (lambda: Touchy(), "x: Touchy"),
        (lambda: TouchyClass, "x: class (a, b=…)"),
        (lambda: TouchyList(), "x: TouchyList"),
        (lambda: [Touchy()], "x: list (1) of Touchy"),
        (lambda: {"a": Touchy()}, "x: dict (1) of str to Touchy: 'a': Touchy"),
        (lambda: None, "x: NoneType"),
    ],
)
def test_every_kind_of_value_has_its_line_and_no_user_code_runs(make, expected):
    assert line(make()) == expected


def test_a_table_whose_labels_are_the_users_own_objects_is_read_without_asking_them():
    class Label:
        def __repr__(self):
            raise AssertionError("user code was run")

        __str__ = __repr__

    assert line(pd.DataFrame([[1]], columns=[Label()]), "df") == "df: DataFrame (1 × 1): <Label> int64"


def test_labels_that_are_no_texts_are_told_and_read_as_python_writes_them():
    day = pd.Timestamp("2024-01-01")
    frame = pd.DataFrame(
        [[1] * 9],
        columns=pd.Index([0, "0", None, "None", day, ("x", "max"), "('x', 'max')", b"raw", day.date()], dtype=object),
    )
    told = line(frame, "df")
    assert told == (
        'df: DataFrame (1 × 9): 0 int64, "0" int64, None int64, "None" int64, '
        "Timestamp('2024-01-01 00:00:00') int64, ('x', 'max') int64, \"('x', 'max')\" int64, b'raw' int64, <date> int64"
    )
    (table,) = namespace.read(told).variables
    assert [column.source for column in table.columns] == [
        *("0", '"0"', "None", '"None"', "('x', 'max')", "\"('x', 'max')\"", "b'raw'"),
    ]


def test_a_class_of_the_user_that_is_called_dataframe_is_not_looked_into():
    class DataFrame:
        @property
        def shape(self):
            raise AssertionError("user code was run")

    assert line(DataFrame()) == "x: DataFrame"


def test_a_table_subclass_is_not_looked_into():
    class DataFrame(pd.DataFrame):
        @property
        def shape(self):
            raise AssertionError("user code was run")

    assert line(DataFrame({"a": [1]})) == "x: DataFrame"


def test_ipythons_own_names_are_left_out():
    own = {"In": [], "Out": {}, "_": 1, "__": 2, "_i1": "", "exit": 1, "quit": 1, "get_ipython": 1, "_dh": []}
    assert describe(gather({**own, "mine": 1}), budget_tokens=100) == "mine: int"


def test_tables_come_first_then_arrays_then_the_youngest_and_modules_last():
    namespace = {"np": np, "df": pd.DataFrame({"a": [1]}), "old": 1, "f": lambda: 0, "arr": np.zeros(2), "new": 2}
    names = [text.split(":")[0] for text in describe(gather(namespace), budget_tokens=1000).splitlines()]
    assert names == ["df", "arr", "new", "old", "f", "np"]


def test_what_the_prompt_names_comes_before_all_else():
    namespace = {"old": 1, "df": pd.DataFrame({"a": [1]})}
    assert describe(gather(namespace), budget_tokens=1000, prompt="double old").startswith("old: int")


def test_a_wide_table_loses_columns_before_it_is_left_out():
    wide = pd.DataFrame({f"column_{i}": [i] for i in range(300)})
    text = describe(gather({"df": wide}), budget_tokens=60)
    assert text.startswith("df: DataFrame (1 × 300): column_0 int64")
    assert text.endswith(" more")
    assert estimate_tokens(text) <= 60
    shown = text.count("int64")
    assert f"… {300 - shown} more" in text


@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers(), max_size=30), st.integers(0, 60))
def test_the_words_never_exceed_the_budget(namespace, budget):
    assert estimate_tokens(describe(gather(namespace), budget_tokens=budget)) <= budget


def test_when_time_runs_out_the_rest_is_given_by_type():
    ticks = iter(range(100))
    context = gather({"a": [1], "b": [1], "c": [1]}, time_cap=2.5, clock=lambda: next(ticks))
    assert [v.summary for v in context.variables] == ["list (1) of int: 1", "list (1) of int: 1", "list"]
    assert not context.complete
    assert gather({"a": [1]}, time_cap=60).complete


def test_the_last_error_is_told_without_asking_its_class():
    class Rude(ValueError):
        def __str__(self):
            raise AssertionError("user code was run")

        __repr__ = __str__

    try:
        raise Rude("went wrong", Touchy())
    except Rude as error:
        text = format_error(error)
        context = gather({}, last_error=error)
    assert text.startswith("Traceback (most recent call last):\n")
    assert text.endswith("Rude: went wrong")
    assert context.last_error == text
    assert gather({}, last_error="as text").last_error == "as text"


def test_a_table_that_is_half_built_still_has_its_type():
    broken = pd.DataFrame.__new__(pd.DataFrame)
    assert line(broken) == "x: DataFrame"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("open('no-such-file.csv')", "FileNotFoundError: [Errno 2] No such file or directory: 'no-such-file.csv'"),
        ("{}['a']", "KeyError: 'a'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_an_error_of_pythons_own_says_what_python_says(source, said):
    with pytest.raises(Exception) as caught:  # noqa: PT011 (which one is what is tested)
        exec(source)
    assert format_error(caught.value).splitlines()[-1] == said


def test_an_error_that_holds_an_object_of_the_users_does_not_call_it():
    class Loud:
        def __str__(self):
            raise AssertionError("called")

        __repr__ = __str__

    assert format_error(ValueError("a", Loud())).endswith("ValueError: a")


def test_the_values_of_the_function_that_failed_go_along_by_their_types():
    namespace = {}
    exec("def pick(rows, secret):\n    n = 3\n    return rows[n]", namespace)
    key = "s3cret" + "-value"
    try:
        namespace["pick"]([1.5, 2.5], key)
    except IndexError as error:
        text = gather(namespace, last_error=error).last_error
    assert "Values in pick there:" in text
    assert "rows: list (2) of float: 1.5, 2.5" in text
    assert key not in text


def test_of_a_librarys_frames_only_the_one_that_raised_is_told():
    namespace = {"pd": pd}
    exec(compile("def load():\n    return pd.DataFrame({'a': [1]})['b']", "cell", "exec"), namespace)
    try:
        namespace["load"]()
    except KeyError as error:
        lines = [line.strip() for line in format_error(error).splitlines() if line.strip().startswith("File ")]
    assert len(lines) == 3, "the test, the cell, and where it was raised"
    assert '"cell"' in lines[1]
    assert "pandas" in lines[2]
