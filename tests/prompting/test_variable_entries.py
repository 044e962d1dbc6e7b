"""Entries of the variables: what is told shortly can be read back exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.prompting.variable_entries import entries, expanded, shortened

NAMES = st.sampled_from(["df", "x", "y", "sales"])
COLUMNS = st.sampled_from(
    [
        "a int64, unique",
        "a float64",
        "b str, 2 distinct: 'x, y', 'z'",
        '"c, d" str',
        "('x', 'max') int64",
        "('x', 1) bool",
        "0 int64",
        "e",
    ]
)
SUMMARIES = st.sampled_from(["int", "DataFrame (3 × 2)", "DataFrame (2 × 2), index k", "list (2) of str: 'a: b', 'c'"])


@st.composite
def namespaces(draw: st.DrawFn) -> dict[str, str]:
    found = {}
    for name in draw(st.lists(NAMES, unique=True)):
        columns = draw(st.lists(COLUMNS, max_size=5))
        found[name] = "\n".join([f"{name}: {draw(SUMMARIES)}", *(f"  {column}" for column in columns)])
    return found


@given(namespaces(), namespaces())
def test_what_is_told_shortly_is_read_back_exactly(before: dict[str, str], after: dict[str, str]) -> None:
    text = shortened(after, before)
    known = {**before, **expanded(text, before)}
    assert {name: known[name] for name in after} == after
    assert len(text) <= len("\n".join(after.values()))


def test_neighbours_of_one_kind_share_a_line() -> None:
    new = entries("a: int\nb: int\nc: str\nd: int")
    assert shortened(new, {}) == "a, b: int\nc: str\nd: int"


def test_a_table_like_another_is_told_by_its_name() -> None:
    table = "\n  a int64, unique\n  b str"
    assert shortened({"df": f"df: DataFrame (3 × 2){table}"}, {}) == f"df: DataFrame (3 × 2){table}"
    both = {"df": f"df: DataFrame (3 × 2){table}", "same": f"same: DataFrame (3 × 2){table}"}
    assert shortened(both, {"df": both["df"]}) == "same: DataFrame (3 × 2)\n  as in df"


def test_a_table_is_not_likened_to_what_another_one_was() -> None:
    before = {"df": "df: DataFrame (3 × 2)\n  a int64, unique\n  b str"}
    after = {
        "copy": "copy: DataFrame (3 × 2)\n  a int64, unique\n  b str",
        "df": "df: DataFrame (0 × 2)\n  a int64\n  b object",
    }
    assert "as in" not in shortened(after, before)
