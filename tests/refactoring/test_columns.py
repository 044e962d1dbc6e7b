"""Renaming a column: the strings, attributes and keywords that are that column of that table, and no others."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.refactoring.frame_references import Frames
from spark_jupyter.refactoring.notebook_code import Book
from spark_jupyter.refactoring.rename_column import rename_column, tables_with

from .notebooks import after, cells

MADE = 'df = pd.DataFrame({"old": [1], "b": [2]})\n'
"""A table whose column comes to be in the notebook, so that it is renamed there."""

CASES = {
    "items": ('df["old"] + df[["old", "b"]] + df[\'old\']', 'df["new"] + df[["new", "b"]] + df[\'new\']'),
    "attributes": ("df.old.mean(); df[df.old > 1].b; df . old", "df.new.mean(); df[df.new > 1].b; df . new"),
    "another_table": ('other["old"]; other.old; other.query("old > 1")', None),
    "values_are_no_columns": (
        'df["b"].replace("old", "x"); df.replace("old", 1); df["b"] == "old"; df["b"].map({"old": 1})',
        None,
    ),
    "loc": (
        'df.loc[df["old"] > 1, "old"]; df.loc["old"]; df.at[3, "old"]',
        'df.loc[df["new"] > 1, "new"]; df.loc["old"]; df.at[3, "new"]',
    ),
    "query": (
        "df.query(\"old > 1 and b == 'old' and `old` < @old\"); df.eval('c = old * 2'); df.query(f'old > {n}')",
        "df.query(\"new > 1 and b == 'old' and new < @old\"); df.eval('c = new * 2'); df.query(f'new > {n}')",
    ),
    "groups": (
        'df.groupby("old")["b"].sum(); df.groupby(["b", "old"]).agg({"old": "max"}); df.groupby("b").agg(x=("old", "sum"))',
        'df.groupby("new")["b"].sum(); df.groupby(["b", "new"]).agg({"new": "max"}); df.groupby("b").agg(x=("new", "sum"))',
    ),
    "keywords": (
        'df.sort_values(by=["old"]).drop_duplicates(subset="old").melt(id_vars=["old"]).set_index(keys="old")',
        'df.sort_values(by=["new"]).drop_duplicates(subset="new").melt(id_vars=["new"]).set_index(keys="new")',
    ),
    "dictionaries_of_columns": (
        'df.astype({"old": int}).fillna({"old": 0}).rename(columns={"old": "x"})',
        'df.astype({"new": int}).fillna({"new": 0}).rename(columns={"new": "x"})',
    ),
    "dropping": (
        'df.drop(columns=["old"]); df.drop("old", axis=1); df.drop("old")',
        'df.drop(columns=["new"]); df.drop("new", axis=1); df.drop("old")',
    ),
    "assign": ('df.assign(old=1, c=lambda d: d["old"])', 'df.assign(new=1, c=lambda d: d["new"])'),
    "merge_with_another": ('df.merge(other, on="old")', 'df.merge(other, left_on="new", right_on="old")'),
    "merge_with_itself": ('df.merge(df.groupby("old").sum(), on="old")', 'df.merge(df.groupby("new").sum(), on="new")'),
    "what_is_made_of_it": (
        'sub = df[df.b > 1].copy()\ng = sub.groupby("b").sum().reset_index()\ng["old"]\nhead = df.head\ns = df["b"]\ns["old"]',
        'sub = df[df.b > 1].copy()\ng = sub.groupby("b").sum().reset_index()\ng["new"]\nhead = df.head\ns = df["b"]\ns["old"]',
    ),
    "loops": (
        'for i, row in df.iterrows(): row["old"]\nfor r in df.itertuples(): r.old\nfor k, part in df.groupby("b"): part["old"]',
        'for i, row in df.iterrows(): row["new"]\nfor r in df.itertuples(): r.new\nfor k, part in df.groupby("b"): part["new"]',
    ),
    "lambdas": (
        'df.apply(lambda r: r["old"] + r.old, axis=1); df.pipe(lambda t: t["old"])',
        'df.apply(lambda r: r["new"] + r.new, axis=1); df.pipe(lambda t: t["new"])',
    ),
    "a_function_of_the_notebook": (
        'def f(t):\n    return t[t["old"] > 1]\nx = f(df)\nx["old"]',
        'def f(t):\n    return t[t["new"] > 1]\nx = f(df)\nx["new"]',
    ),
    "a_function_for_several_tables": ('def f(t):\n    return t["old"]\nf(df); f(other)', None),
    "lists_of_columns": (
        'features = ["old", "b"]\nX = df[features]\ntarget = "old"\ny = df[target]\nwords = ["old"]',
        'features = ["new", "b"]\nX = df[features]\ntarget = "new"\ny = df[target]\nwords = ["old"]',
    ),
    "a_loop_over_columns": ('for c in ["old", "b"]: df[c] = 1', 'for c in ["new", "b"]: df[c] = 1'),
    "f_strings": ("print(f\"{df['old'].sum():.1f} old {df.old}\")", "print(f\"{df['new'].sum():.1f} old {df.new}\")"),
    "plots": (
        'df.plot(x="old", y="b"); df.plot.bar(x="old"); old("old")\nsns.barplot(data=df, x="old"); px.line(df, x="old")',
        'df.plot(x="new", y="b"); df.plot.bar(x="new"); old("old")\nsns.barplot(data=df, x="new"); px.line(df, x="new")',
    ),
    "columns_of_matplotlib": (
        'plt.plot("old", "b", data=df); plt.title("old")',
        'plt.plot("new", "b", data=df); plt.title("old")',
    ),
    "polars": (
        'df.filter(pl.col("old") > 1).select("old", pl.col("b").alias("old")).with_columns(old=pl.col("old") * 2)',
        'df.filter(pl.col("new") > 1).select("new", pl.col("b").alias("new")).with_columns(new=pl.col("new") * 2)',
    ),
    "split_for_training": (
        'train, test = train_test_split(df, random_state=0)\ntrain["old"]',
        'train, test = train_test_split(df, random_state=0)\ntrain["new"]',
    ),
    "variables_parameters_and_keys_of_that_name": ('old = {"old": 1}\nf(old=old)\nx.old', None),
    "a_table_of_the_same_name_in_a_function": ('def f(df):\n    return df["old"]\nf(other)', None),
    "concat": ('both = pd.concat([df, other])\nboth["old"]', 'both = pd.concat([df, other])\nboth["new"]'),
}


@pytest.mark.parametrize("name", CASES)
def test_renaming_a_column(name):
    before, expected = CASES[name]
    notebook = cells(f"{MADE}---\n{before}")
    assert after(notebook, rename_column(notebook, "df", "old", "new")).split("\n---\n")[1] == (expected or before)


def test_where_it_comes_to_be_it_is_renamed():
    notebook = cells('df = pd.read_csv("x")\ndf["old"] = df["a"] * 2\n---\ndf.old')
    assert (
        after(notebook, rename_column(notebook, "df", "old", "new"))
        == 'df = pd.read_csv("x")\ndf["new"] = df["a"] * 2\n---\ndf.new'
    )


def test_one_from_a_file_is_renamed_where_the_table_is_read():
    notebook = cells('df = pd.read_csv("x", parse_dates=["old"])  # read\n---\ndf["old"] = df["old"] * 2')
    changes = rename_column(notebook, "df", "old", "new")
    assert after(notebook, changes) == (
        'df = pd.read_csv("x", parse_dates=["old"])  # read\ndf = df.rename(columns={"old": "new"})\n---\ndf["new"] = df["new"] * 2'
    )
    assert any("comes from outside" in note for note in changes.notes)


def test_a_name_that_is_no_identifier_becomes_an_item_and_is_quoted_in_a_query():
    notebook = cells(MADE + "---\ndf.old; df.query('old > 1'); df[\"old\"]")
    assert after(notebook, rename_column(notebook, "df", "old", "unit price")).endswith(
        'df["unit price"]; df.query(\'`unit price` > 1\'); df["unit price"]'
    )


def test_text_that_names_the_column_is_told_and_offered_and_not_done():
    notebook = cells(
        f"{MADE}---\nmd:Of the old days.\n---\nprint(df.old)\n---\nmd:Older ones.\n---\nmd:The `old` ones."
    )
    changes = rename_column(notebook, "df", "old", "new")
    assert set(changes.sources) == {"c1", "c3"}
    assert changes.notes == ("Text cells that say `old` were left as they are: cell 2, cell 5.",)
    assert changes.offers == ("write new for old in the text cells",)
    assert rename_column(notebook, "df", "old", "the new").offers == ()


def test_the_tables_that_have_a_column():
    notebook = cells(
        'import pandas as pd\ndf = pd.read_csv("a")\nt = pd.read_csv("b")\n---\nsub = df[df["x"] > 1]\nsub["x"]\nt["y"]'
    )
    assert tables_with(notebook, "x") == ("df",)
    assert tables_with(notebook, "y") == ("t",)
    assert tables_with(notebook, "z") == ()


@pytest.mark.parametrize(("new", "reason"), [("b", "already"), ('a"b', "quotes"), ("", "quotes")])
def test_what_can_not_be_called_so_is_refused(new, reason):
    with pytest.raises(RefactoringError, match=reason):
        rename_column(cells(MADE + '---\ndf["old"]; df["b"]'), "df", "old", new)


def test_a_column_that_nobody_names_is_refused():
    with pytest.raises(RefactoringError, match="No cell names"):
        rename_column(cells(MADE), "df", "nothing", "new")


def test_only_cells_that_something_of_the_table_can_reach_are_gone_through():
    notebook = cells("""
        def load():
            return df
        ---
        def show(x):
            return x["old"]
        ---
        df = pd.read_csv("a.csv")
        ---
        mine = load()
        ---
        show(mine)
        ---
        other = pd.read_csv("b.csv")
        other["old"] + x["old"]
        """)
    frames = Frames(Book(notebook), "df")
    assert [leaf.id for leaf in frames.book.leaves if frames.may_reach(leaf)] == ["c1", "c2", "c3", "c4", "c5"]
    assert 'return x["new"]' in after(notebook, rename_column(notebook, "df", "old", "new"))
