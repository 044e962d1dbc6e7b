"""Profiles of tables in a request: what a model must know of a column to write the right code."""

from __future__ import annotations

import functools

import pandas as pd
import pytest

from spark_jupyter.prompting import value_details
from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.prompting.table_profile import profile


def told(value: object, prompt: str = "sum it", *, name: str = "df", budget: int = 2_000) -> str:
    return describe(gather({name: value}, prompt=prompt, profile_cap=60), budget_tokens=budget, prompt=prompt)


def test_a_column_is_told_with_its_gaps_its_distinct_values_and_its_range() -> None:
    frame = pd.DataFrame({"id": [11, 12, 13, 14], "qty": [1.0, None, 3.0, 3.0], "ok": [True, False, True, True]})
    assert told(frame) == (
        "df: DataFrame (4 × 3)\n"
        "  id int64, unique, 11 … 14\n"
        "  qty float64, 1 missing, 2 distinct, 1 … 3\n"
        "  ok bool, 2 distinct, False … True"
    )


def test_a_column_of_few_texts_is_told_with_all_of_them_as_they_are_written() -> None:
    frame = pd.DataFrame({"kind": ["a", " b", "a", None]}, dtype=object)
    assert told(frame) == "df: DataFrame (4 × 1)\n  kind object, 1 missing, 2 distinct: 'a', ' b'"


def test_a_column_of_many_texts_is_told_with_a_sample_of_each_form() -> None:
    prices = [f"${n}.50" for n in range(40)] + ["3.10 USD"]
    line = told(pd.DataFrame({"price": pd.Series(prices, dtype=object)})).splitlines()[1]
    assert line == "  price object(numbers), unique, e.g. '$0.50', '3.10 USD', '$1.50'"


@pytest.mark.parametrize("name", ["Unit Price", "Category ", "2024", 'naïve"x'])
def test_a_name_that_is_more_than_a_word_is_quoted(name: str) -> None:
    line = told(pd.DataFrame({name: [1]})).splitlines()[1]
    assert line.startswith('  "' + name.replace('"', '\\"') + '" int64')
    assert told(pd.DataFrame({name: [1]}), prompt="").endswith(line.strip().split(",")[0])


def test_the_words_of_the_prompt_that_are_values_are_told_apart_so_that_the_profile_stays_as_it_is() -> None:
    frame = pd.DataFrame({"author": [f"writer {n}" for n in range(50)] + ["Le Guin"]})
    first, second = told(frame, "all by le guin"), told(frame, "count them")
    assert first == f"{second}\nwords of the request in df: author has 'Le Guin'"


def test_values_of_a_column_that_is_named_for_credentials_are_not_told() -> None:
    frame = pd.DataFrame({"user": ["ann", "bob"], "password": ["hunter2", "letmein"], "pin": [1234, 4321]})
    text = told(frame, "log in with hunter2")
    assert "password " in text
    assert "hunter2" not in text
    assert "letmein" not in text
    assert "hunter2" not in told(["hunter2"], name="passwords")
    assert "xyz" not in told({"api_key": "xyz"}, name="config")


def test_a_large_table_is_told_by_a_sample_and_says_so() -> None:
    frame = pd.DataFrame({"n": range(100_000), "gap": [None, 1.0] * 50_000})
    lines = told(frame).splitlines()
    assert lines[1] == "  n int64, unique in a sample, 0 … 99995"
    assert "~" in lines[2]


def test_a_table_of_polars_is_profiled_alike() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [1, None, 3], "b": ["x", "y", "x"]})
    assert told(frame) == (
        "df: polars.DataFrame (3 × 2)\n  a Int64, 1 missing, unique, 1 … 3\n  b String, 2 distinct: 'x', 'y'"
    )


def test_objects_in_a_column_are_not_asked_anything() -> None:
    class Loud:
        def __hash__(self) -> int:
            raise AssertionError("user code was run")

        __eq__ = __repr__ = __str__ = __bool__ = __hash__  # type: ignore[assignment]

    frame = pd.DataFrame({"a": pd.Series([Loud(), "x"], dtype=object), "b": pd.Series([[1], [2]], dtype=object)})
    assert told(frame) == "df: DataFrame (2 × 2)\n  a object, not only texts\n  b object"


def test_the_schema_of_every_table_is_told_however_little_time_there_is() -> None:
    frames = {f"t{n}": pd.DataFrame({"a": [n], "b": ["x"]}) for n in range(40)}
    text = describe(gather(frames, prompt="x", time_cap=0, profile_cap=0), budget_tokens=4_000, prompt="x")
    assert all(f"t{n}: DataFrame (1 × 2): a int64, b " in text for n in range(40))


def test_the_table_that_the_prompt_names_is_profiled_first() -> None:
    frames = {f"t{n}": pd.DataFrame({"a": [n]}) for n in range(5)}
    ticks = iter(range(1000))
    known = gather(frames, prompt="sum t0", profile_cap=3, clock=lambda: next(ticks))
    assert [one.name for one in known.variables if one.profile] == ["t0"]


def test_a_profile_that_has_no_room_gives_way_to_the_plain_schema() -> None:
    frame = pd.DataFrame({f"c{n}": [f"value {n}"] for n in range(30)})
    assert told(frame, budget=260).startswith("df: DataFrame (1 × 30): c0 ")


def test_an_index_that_is_more_than_numbers_is_told() -> None:
    frame = pd.DataFrame({"n": [1, 2]}, index=pd.Index(["a", "a"], dtype="string", name="key"))
    assert told(frame).startswith("df: DataFrame (2 × 1), index key string, not unique\n")
    dated = pd.DataFrame({"n": [1, 2]}, index=pd.date_range("2024-01-01", periods=2, name="day"))
    assert told(dated).startswith("df: DataFrame (2 × 1), index day of dates")
    both = frame.set_index("n", append=True)
    assert told(both).startswith("df: DataFrame (2 × 0), index (key, n)")


# --- Other values --------------------------------------------------------------------------------------------------------


def test_a_list_and_a_dict_are_told_with_a_sample() -> None:
    assert told([1, 2, 3, 4]) == "df: list (4) of int: 1, 2, 3, …"
    assert told({"a": 1, "b": [1]}) == "df: dict (2) of str to int, list: 'a': 1, 'b': list"


def test_a_decorated_function_is_told_by_the_signature_that_is_called() -> None:
    def logged(function):  # type: ignore[no-untyped-def]
        @functools.wraps(function)
        def call(*args, **options):  # type: ignore[no-untyped-def]
            return function(*args, **options)

        return call

    @logged
    @logged
    def area(width, height=2):  # type: ignore[no-untyped-def]
        return width * height

    @functools.cache
    def double(n):  # type: ignore[no-untyped-def]
        return 2 * n

    assert told(area) == "df: function (width, height=2)"
    assert told(double) == "df: function (n)"


def test_what_a_user_attached_to_a_table_is_not_copied():
    copied: list[str] = []

    class Attached:
        def __deepcopy__(self, memo: object) -> Attached:
            copied.append("by code of the user's")
            return self

    frame = pd.DataFrame({"region": ["north", "south"], "units": [1, None]})
    frame.attrs["source"] = Attached()
    series = frame["units"]
    copied.clear()
    assert profile(frame, 2, frozenset(), in_time=lambda: True)[0]
    assert value_details.describe("frame", frame)
    assert value_details.describe("frame", frame, label="region")
    assert value_details.describe("series", series)
    assert copied == []
