"""Replacements that a library's warning names become candidates; where it names none there is none."""

from __future__ import annotations

import pytest

from spark_jupyter.refactoring.deprecations import mended

INPLACE = "The inplace keyword in DataFrame.{} is deprecated and will be removed in a future version (PDEP-8).\nSee the notes."
COPY = (
    "The copy keyword is deprecated and will be removed in a future version. Copy-on-Write is active in pandas since 3.0 which utilizes a "
    "lazy copy mechanism that defers copies until necessary. Use .copy() to make an eager copy if necessary."
)
STACK = (
    "The previous implementation of stack is deprecated and will be removed in a future version of pandas. See the What's New notes for "
    "pandas 2.1.0 for details. Do not specify the future_stack argument to adopt the new implementation and silence this warning."
)
UTC = "Timestamp.utcnow is deprecated and will be removed in a future version. Use Timestamp.now('UTC') instead."
MONTH = "'M' is deprecated and will be removed in a future version, please use 'ME' instead."
LABELS = (
    "The 'labels' parameter of boxplot() has been renamed 'tick_labels' since Matplotlib 3.9; support for the old name will be dropped in "
    "3.11."
)
TRAPZ = "`trapz` is deprecated. Use `trapezoid` instead, or one of the numerical integration functions in `scipy.integrate`."
ROWS = "`row_stack` alias is deprecated. Use `np.vstack` directly."


@pytest.mark.parametrize(
    ("source", "warning", "becomes"),
    [
        ("df.drop(columns='b', inplace=True)  # gone\ndf", INPLACE.format("drop"), "df = df.drop(columns='b')  # gone\ndf"),
        ("df.dropna(inplace=True)", INPLACE.format("dropna"), "df = df.dropna()"),
        ("if much:\n    df.drop(inplace=True, columns=['b'])", INPLACE.format("drop"), "if much:\n    df = df.drop(columns=['b'])"),
        ("x = np.row_stack([[1], [2]])", ROWS, "x = np.vstack([[1], [2]])"),
        ("pd.concat([df, df], copy=False, axis=1)", COPY, "pd.concat([df, df], axis=1)"),
        ("df.rename(copy=False).set_axis([1], copy=False)", COPY, "df.rename().set_axis([1])"),
        ("df.stack(future_stack=False)", STACK, "df.stack()"),
        ("pd.Timestamp.utcnow()", UTC, "pd.Timestamp.now('UTC')"),
        ("df.resample('M').sum()", MONTH, "df.resample('ME').sum()"),
        ("plt.boxplot([1], labels=['ä'])", LABELS, "plt.boxplot([1], tick_labels=['ä'])"),
        ("np.trapz(y)", TRAPZ, "np.trapezoid(y)"),
    ],
)  # fmt: skip
def test_what_is_deprecated_is_written_as_its_warning_says(source, warning, becomes):
    assert [one.source for one in mended(source, [warning])] == [becomes]


def test_of_several_warnings_all_are_mended_first_then_each():
    source = "df.drop(columns='b', inplace=True)\nx = np.row_stack([df, df])"
    whole, *single = (one.source for one in mended(source, [INPLACE.format("drop"), ROWS]))
    assert whole == "df = df.drop(columns='b')\nx = np.vstack([df, df])"
    assert len(single) == 2


@pytest.mark.parametrize(
    ("source", "warning"),
    [
        ("x = 1", ROWS),
        ("df.dropna(inplace=True)", INPLACE.format("drop")),
        ("df.drop(inplace=False)", INPLACE.format("drop")),
        ("load().drop(inplace=True)", INPLACE.format("drop")),
        ("np.log(0)", "divide by zero encountered in log"),
        ("old()", "old is deprecated"),
        ("x = (", ROWS),
        ("df.drop(\n    inplace=True,  # why\n    columns='b',\n)", INPLACE.format("drop")),
    ],
)
def test_where_a_warning_says_nothing_of_the_cell_it_stays_as_it_is(source, warning):
    assert list(mended(source, [warning])) == []
