"""A cell that goes row by row has candidates that go through columns; what does more than to count has none."""

from __future__ import annotations

import pytest

from spark_jupyter.refactoring.vectorise import faster_versions


@pytest.mark.parametrize(
    ("source", "becomes"),
    [
        ("n = 0\nfor _, row in df.iterrows():\n    n += row['a'] * row.b\nprint(n)", "n = 0\nn += (df['a'] * df['b']).sum()\nprint(n)"),
        ("for row in df.itertuples():\n    total += row.a", "total += (df['a']).sum()"),
        ("xs = []\nfor _, row in df.iterrows():\n    xs.append(row['a'] + rate)", "xs = (df['a'] + rate).tolist()"),
        ("for i in range(len(df)):\n    df.loc[i, 'c'] = df.loc[i, 'a'] * -df['b'][i]", "df['c'] = df['a'] * -df['b']"),
        ("for i in df.index:\n    df.at[i, 'c'] = df['a'].iloc[i]", "df['c'] = df['a']"),
        ("df['c'] = df.apply(lambda row: row['a'] ** 2, axis=1)", "df['c'] = (df['a'] ** 2)"),
        ("df['ü'] = df['ä'].apply(lambda v: v * 2) + 1", "df['ü'] = (df['ä'] * 2) + 1"),
        ("df.a.map(lambda v: 1 / v)", "(1 / df.a)"),
    ],
)  # fmt: skip
def test_rows_become_columns(source, becomes):
    assert next(faster_versions(source)).source == becomes


@pytest.mark.parametrize(
    "source",
    [
        "for _, row in df.iterrows():\n    total += f(row['a'])",
        "for _, row in df.iterrows():\n    total += row['a']\n    n += 1",
        "for _, row in df.iterrows():\n    total += row.name",
        "for _, row in df.iterrows():\n    total += 1",
        "for _, row in df.iterrows():\n    total -= row.a",
        "for _, row in load().iterrows():\n    total += row.a",
        "xs = [0]\nfor _, row in df.iterrows():\n    xs.append(row.a)",
        "for i in range(len(df)):\n    df.loc[i, 'c'] = df.loc[i - 1, 'a']",
        "for i in range(len(df)):\n    df.loc[i, 'c'] = i",
        "df['c'] = df.apply(lambda row: row['a'] if row['b'] else 0, axis=1)",
        "df['c'] = df.a.map({'x': 1})",
        "for _, row in df.iterrows():\n    # of all\n    total += row.a",
        "%time x = 1",
        "for",
    ],
)
def test_what_is_not_plain_is_left_alone(source):
    assert list(faster_versions(source)) == []
