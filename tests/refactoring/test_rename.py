"""Renaming a variable in all cells: the same variable everywhere, no other one, and nothing else of the text."""

from __future__ import annotations

import re

import pytest

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.refactoring.rename import rename, reword

from .notebooks import after, cells, text

CASES = {
    "in_every_cell_with_comments_and_space_as_they_were": (
        "df = load()   # df of today\n---\ndf . head( )\n\n\nprint( df )  ",
        "sales = load()   # df of today\n---\nsales . head( )\n\n\nprint( sales )  ",
    ),
    "a_parameter_of_the_same_name_is_another_variable": (
        "df = 1\ndef f(df, n=df):\n    return df\nf(df=df)",
        "sales = 1\ndef f(df, n=sales):\n    return df\nf(df=sales)",
    ),
    "a_function_reads_the_notebooks_variable": (
        "df = 1\ndef f():\n    return df\ndef g():\n    df = 2\n    return df",
        "sales = 1\ndef f():\n    return sales\ndef g():\n    df = 2\n    return df",
    ),
    "a_local_variable_is_local_before_its_assignment_too": (
        "df = 1\ndef f():\n    print(df)\n    df = 2",
        "sales = 1\ndef f():\n    print(df)\n    df = 2",
    ),
    "global_says_that_it_is_the_notebooks": (
        "df = 1\ndef f():\n    global df\n    df = 2\n    def g():\n        return df",
        "sales = 1\ndef f():\n    global sales\n    sales = 2\n    def g():\n        return sales",
    ),
    "nonlocal_says_that_it_is_a_functions": (
        "df = 1\ndef f():\n    df = 2\n    def g():\n        nonlocal df\n        df += 1",
        "sales = 1\ndef f():\n    df = 2\n    def g():\n        nonlocal df\n        df += 1",
    ),
    "a_comprehension_has_its_own_and_its_first_iterable_not": (
        "df = []\nx = [df for df in df]\ny = {k: df for k in df if df}\nz = [(a, df) for a in df for df in a]",
        "sales = []\nx = [df for df in sales]\ny = {k: sales for k in sales if sales}\nz = [(a, df) for a in sales for df in a]",
    ),
    "a_walrus_in_a_comprehension_binds_outside": (
        "x = [df := i for i in range(3)]\nprint(df)",
        "x = [sales := i for i in range(3)]\nprint(sales)",
    ),
    "a_lambdas_parameter": (
        "df = 1\nf = lambda df, n=df: df\ng = lambda: df",
        "sales = 1\nf = lambda df, n=sales: df\ng = lambda: sales",
    ),
    "a_class_attribute_is_not_the_variable_and_its_value_is": (
        "df = 1\nclass A:\n    df = df\n    x = df\n    def m(self):\n        return self.df, df\nA.df",
        "sales = 1\nclass A:\n    df = sales\n    x = df\n    def m(self):\n        return self.df, sales\nA.df",
    ),
    "attributes_keywords_and_strings_are_not_the_variable": (
        'df = o.df\no.df = df\nf(df=1)\nx = "df"\ny = {"df": df}\ng(**{"df": 1})',
        'sales = o.df\no.df = sales\nf(df=1)\nx = "df"\ny = {"df": sales}\ng(**{"df": 1})',
    ),
    "in_f_strings_nested_and_formatted": (
        "df = 1\nprint(f\"df {df} {df!r:>{df}} {{df}} {f'{df}'} {len(df):,}\")\nprint(rf'''{df}\n{ df }''')",
        "sales = 1\nprint(f\"df {sales} {sales!r:>{sales}} {{df}} {f'{sales}'} {len(sales):,}\")\nprint(rf'''{sales}\n{ sales }''')",
    ),
    "augmented_deleted_unpacked_and_starred": (
        "df, *b = 1, 2\n(a, [df, c]) = 1, (2, 3)\ndf += 1\ndel df\nfor df, i in []: pass",
        "sales, *b = 1, 2\n(a, [sales, c]) = 1, (2, 3)\nsales += 1\ndel sales\nfor sales, i in []: pass",
    ),
    "with_except_and_annotations": (
        "with open(p) as df: df.read()\ntry: pass\nexcept E as df: print(df)\ndf: int = 3\nx: df = 4",
        "with open(p) as sales: sales.read()\ntry: pass\nexcept E as sales: print(sales)\nsales: int = 3\nx: sales = 4",
    ),
    "in_match_patterns": (
        'match df:\n    case {"df": df, **rest}: pass\n    case [df, *_] | P(df=df): pass\n    case df if df > 1: pass',
        'match sales:\n    case {"df": sales, **rest}: pass\n    case [sales, *_] | P(df=sales): pass\n    case sales if sales > 1: pass',
    ),
    "in_decorators_defaults_and_bases": (
        "def df(x): return x\n@df\n@df(1)\ndef g(a=df): ...\nclass B(df, metaclass=df): ...",
        "def sales(x): return x\n@sales\n@sales(1)\ndef g(a=sales): ...\nclass B(sales, metaclass=sales): ...",
    ),
    "a_class_and_its_methods": (
        "class df:\n    def clone(self) -> 'df':\n        return df()\n---\nx: df = df()",
        "class sales:\n    def clone(self) -> 'df':\n        return sales()\n---\nx: sales = sales()",
    ),
    "an_import_gets_an_alias": (
        "import df\nfrom m import df as q\n---\ndf.x",
        "import df as sales\nfrom m import df as q\n---\nsales.x",
    ),
    "an_alias_is_changed": ("import pandas as df, os\n---\ndf.x", "import pandas as sales, os\n---\nsales.x"),
    "an_alias_that_says_the_same_goes": (
        "from m import (\n    sales as df,\n    b,\n)\ndf()",
        "from m import (\n    sales,\n    b,\n)\nsales()",
    ),
    "magics_hold_python_and_shell_lines_none": (
        "%time df = load()\n%timeit -n 3 df.sum()\n!echo {df} $df\nfiles = !ls df\n%store df\ndf?",
        "%time sales = load()\n%timeit -n 3 sales.sum()\n!echo {df} $df\nfiles = !ls df\n%store df\ndf?",
    ),
    "a_name_that_a_shell_line_is_assigned_to": ("df = !ls\nprint(df)", "sales = !ls\nprint(sales)"),
    "a_cell_magic_with_python_below": (
        "%%time\ndf = 1\n---\n%%capture out\nprint(df)",
        "%%time\nsales = 1\n---\n%%capture out\nprint(sales)",
    ),
    "cells_for_others_are_left": (
        "df = 1\n---\n%%bash\necho df\n---\n%%writefile x.py\ndf = 1\n---\n%%spark\nsort df\n---\n%%html\n<df>",
        "sales = 1\n---\n%%bash\necho df\n---\n%%writefile x.py\ndf = 1\n---\n%%spark\nsort df\n---\n%%html\n<df>",
    ),
    "a_name_in_a_query_text": (
        "df = 3\nt.query('a > @df and df < 2')\nt.eval(\"x = @df\")",
        "sales = 3\nt.query('a > @sales and df < 2')\nt.eval(\"x = @sales\")",
    ),
    "async_and_await_at_the_top": (
        "df = await load()\nasync for df in s: pass\nasync with x as df: pass",
        "sales = await load()\nasync for sales in s: pass\nasync with x as sales: pass",
    ),
    "letters_of_other_scripts_before_it": (
        "é = '日本' + str(df)\ndf = 'ß'; print(df)",
        "é = '日本' + str(sales)\nsales = 'ß'; print(sales)",
    ),
    "a_backslash_and_a_semicolon": ("df = 1; x = df + \\\n    df", "sales = 1; x = sales + \\\n    sales"),
    "names_that_contain_it": ("df = 1\ndf2 = df\nmy_df = df2", "sales = 1\ndf2 = sales\nmy_df = df2"),
    "a_function_of_the_notebook": (
        "def df(df=1):\n    return df\n---\ndf(df=2)",
        "def sales(df=1):\n    return df\n---\nsales(df=2)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_renaming(name):
    before, expected = CASES[name]
    notebook = cells(before)
    assert after(notebook, rename(notebook, "df", "sales")) == text(expected)


@pytest.mark.parametrize("name", [name for name in CASES if not re.search("import|alias|class_attribute", name)])
def test_renaming_back_gives_the_same_cells(name):
    """Where the new name is nowhere else, nothing is lost."""
    before = cells(CASES[name][0])
    there = cells(after(before, rename(before, "df", "sales")))
    assert after(there, rename(there, "sales", "df")) == "\n---\n".join(cell.source for cell in before)


def test_what_does_not_parse_is_left_and_said():
    notebook = cells("df = 1\n---\ndf = = 2\n---\nprint(df)\n!ls {df}")
    changes = rename(notebook, "df", "sales")
    assert after(notebook, changes) == "sales = 1\n---\ndf = = 2\n---\nprint(sales)\n!ls {df}"
    assert any("Cell 2 does not parse" in note for note in changes.notes)
    assert any("`!ls {df}`" in note for note in changes.notes)


def test_text_and_outputs_are_offered_and_not_done():
    notebook = cells("df = 1\n---\nmd:The df table, not dfs")
    changes = rename(notebook, "df", "sales")
    assert set(changes.sources) == {"c1"}
    assert any("cell 2" in note for note in changes.notes)
    (offer,) = changes.offers
    assert offer == "write sales for df in the text cells"
    assert reword(notebook, "df", "sales").sources == {"c2": "The sales table, not dfs"}


@pytest.mark.parametrize(
    ("source", "new", "reason"),
    [
        ("df = 1\nsales = 2", "sales", "already"),
        ("df = 1\nprint(sales)", "sales", "already"),
        ("df = 1", "class", "not a valid Python name"),
        ("df = 1", "a b", "not a valid Python name"),
        ("df = 1", "list", "reserved or built-in"),
        ("df = 1", "df", "already"),
        ("print(df)", "sales", "No cell makes"),
        ("def f():\n    df = 1", "sales", "No cell makes"),
        ("df = 1\ndef f(sales):\n    return df + sales", "sales", "name of its own"),
        ("df = 1\nx = [df for sales in y]", "sales", "name of its own"),
        ("import df.sub\ndf.x", "sales", "another name"),
    ],
)
def test_what_would_break_the_notebook_is_refused(source, new, reason):
    with pytest.raises(RefactoringError, match=reason):
        rename(cells(source), "df", new)
