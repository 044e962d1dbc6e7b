"""Hunks of a line diff, and texts with some of them applied."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.hunks import accept_hunks, hunks, unified_diff
from spark_jupyter.protocol.values import Hunk

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d"]), max_size=8).map("".join)


@settings(max_examples=300)
@given(LINES, LINES)
def test_all_hunks_make_the_source_and_no_hunk_the_base(base: str, source: str) -> None:
    found = hunks(base, source)
    assert accept_hunks(base, source, found) == source
    assert accept_hunks(base, source, ()) == base


def test_a_hunk_can_be_taken_alone() -> None:
    base, source = "a\nb\nc\nd\n", "A\nb\nc\nD\ne\n"
    first, second = hunks(base, source)
    assert accept_hunks(base, source, [first]) == "A\nb\nc\nd\n"
    assert accept_hunks(base, source, [second]) == "a\nb\nc\nD\ne\n"


def test_a_line_without_an_end_gets_one_when_another_follows() -> None:
    base, source = "x\na", "y\na\nb"
    last = Hunk(base_start=2, base_lines=0, source_start=2, source_lines=1)
    assert accept_hunks(base, source, [last]) == "x\na\nb"


def test_one_new_line_among_many_alike_is_one_hunk() -> None:
    base = "x\n" * 300
    assert hunks(base, base + "y\n") == (Hunk(base_start=300, base_lines=0, source_start=300, source_lines=1),)
    assert hunks(base, "y\n" + base) == (Hunk(base_start=0, base_lines=0, source_start=0, source_lines=1),)


def test_only_a_line_feed_ends_a_line() -> None:
    assert hunks("a\x0cb\u2028c\n", "a\x0cb\u2028d\n") == (
        Hunk(base_start=0, base_lines=1, source_start=0, source_lines=1),
    )


@pytest.mark.parametrize(
    "wrong",
    [
        [(0, 9, 0, 1)],
        [(0, 1, 0, 9)],
        [(1, 1, 1, 1), (0, 1, 0, 1)],
        [(0, 2, 0, 1), (1, 1, 1, 1)],
        [(0, -1, 0, 1)],
        [(-1, 1, 0, 1)],
        [(0, 1, -1, 1)],
    ],
)
def test_hunks_that_do_not_fit_are_refused(wrong: list[tuple[int, int, int, int]]) -> None:
    made = [Hunk(base_start=a, base_lines=b, source_start=c, source_lines=d) for a, b, c, d in wrong]
    with pytest.raises(NotebookError, match="do not fit"):
        accept_hunks("a\nb\n", "c\nd\n", made)


def test_a_unified_diff_reads_like_diff_u() -> None:
    assert unified_diff("a\nb\n", "a\nc\n", name="cell") == "--- a/cell\n+++ b/cell\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert unified_diff("a", "a", name="cell") == ""


def test_a_unified_diff_says_where_the_last_line_has_no_end() -> None:
    assert unified_diff("a", "b", name="c").endswith("-a\n+b\n")
