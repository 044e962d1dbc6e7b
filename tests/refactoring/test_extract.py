"""Lines become a function, an expression a variable, a variable its expression, definitions a module."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import RefactoringError
from spark_jupyter.refactoring.extract_function import make_function
from spark_jupyter.refactoring.extract_variable import extract_variable, inline_variable
from spark_jupyter.refactoring.move_to_module import move_to_module

from .notebooks import after, cells, text


def test_a_cell_becomes_a_function_of_what_it_needs_that_returns_what_is_read_later():
    notebook = cells(
        """
        import pandas as pd
        rate = 2
        ---
        import os
        # how much
        total = 0
        for i in range(rate):
            total += i
            note = '''a
          b'''
        unused = 3
        ---
        print(total)
        """
    )
    assert after(notebook, make_function(notebook, "c2", "sum_up")).split("\n---\n")[1] == text(
        """
        import os
        # how much
        def sum_up(rate):
            total = 0
            for i in range(rate):
                total += i
                note = '''a
          b'''
            unused = 3
            return total


        total = sum_up(rate)
        """
    )


def test_what_a_cell_shows_is_returned_where_nothing_else_is():
    notebook = cells("df = 1\n---\nx = df * 2\nx + 1")
    assert after(notebook, make_function(notebook, "c2", "f")).split("\n---\n")[1] == (
        "def f(df):\n    x = df * 2\n    return x + 1\n\n\nf(df)"
    )


def test_what_a_cell_shows_stays_below_the_call_where_something_is_read_later():
    notebook = cells("df = 1\n---\nx = df * 2\nx + 1\n---\nx")
    assert after(notebook, make_function(notebook, "c2", "f")).split("\n---\n")[1] == (
        "def f(df):\n    x = df * 2\n    return x\n\n\nx = f(df)\nx + 1"
    )


def test_a_variable_that_only_one_branch_binds_is_needed_from_outside():
    notebook = cells("x = 1\n---\nif c():\n    x = 2\ny = x\n---\ny")
    assert "def f(x):" in after(notebook, make_function(notebook, "c2", "f"))


def test_functions_and_imports_are_no_parameters():
    notebook = cells("import math\ndef g(a): return a\nn = 1\n---\ny = g(math.sqrt(n))\n---\ny")
    assert "def f(n):" in after(notebook, make_function(notebook, "c2", "f"))


def test_without_a_name_it_is_called_after_what_it_makes():
    notebook = cells("a = 1\n---\nclean = a + 1\n---\nclean")
    assert "clean = make_clean(a)" in after(notebook, make_function(notebook, "c2", ""))


def test_lines_of_a_function_become_one_above_it():
    notebook = cells("def f(a):\n    b = a + 1\n    c = b * 2\n    return c")
    assert after(notebook, make_function(notebook, "c1", "g", lines=(2, 3))) == text(
        """
        def g(a):
            b = a + 1
            c = b * 2
            return c


        def f(a):
            c = g(a)
            return c
        """
    )


def test_what_waits_becomes_an_async_function():
    notebook = cells("x = await load()\n---\nx")
    assert after(notebook, make_function(notebook, "c1", "f")).startswith(
        "async def f():\n    x = await load()\n    return x\n\n\nx = await f()"
    )


def test_magics_go_along_and_a_cell_magic_stays_on_top():
    notebook = cells("%%time\n%matplotlib inline\nx = 1\n---\nx")
    assert after(notebook, make_function(notebook, "c1", "f")).split("\n---\n")[0] == (
        "%%time\n%matplotlib inline\ndef f():\n    x = 1\n    return x\n\n\nx = f()"
    )


def test_a_command_of_the_shell_stays_above_the_function_as_a_magic_does_unless_something_is_made_of_it():
    notebook = cells("!pip install -q rich\nx = 1\n---\nx")
    made = "!pip install -q rich\ndef f():\n    x = 1\n    return x\n\n\nx = f()"
    assert after(notebook, make_function(notebook, "c1", "f")).split("\n---\n")[0] == made
    notebook = cells("files = !ls\nx = len(files)\n---\nx")
    assert "def f():\n    files = !ls" in after(notebook, make_function(notebook, "c1", "f"))


@pytest.mark.parametrize(
    ("source", "lines", "reason"),
    [
        ("def f():\n    return 1", (2, 2), "would leave"),
        ("for i in x:\n    break\n", (2, 2), "would leave"),
        ("x = 1\ndel x", (2, 2), "delete"),
        ("if a:\n    b\nc", (2, 3), "not whole statements"),
        ("x = 1", (4, 5), "not whole statements"),
        ("import os", None, "nothing to make a function of"),
        ("x = = 1", None, "does not parse"),
    ],
)
def test_lines_that_make_no_function_are_refused(source, lines, reason):
    with pytest.raises(RefactoringError, match=reason):
        make_function(cells(source), "c1", "g", lines=lines)


def test_an_expression_gets_a_name_above_the_first_statement_that_has_it():
    notebook = cells("for i in x:\n    y = (i  *  2) + i*2  # twice\n    i = 3\n    z = i * 2")
    assert after(notebook, extract_variable(notebook, "c1", "i * 2", "twice")) == (
        "for i in x:\n    twice = i  *  2\n    y = (twice) + twice  # twice\n    i = 3\n    z = i * 2"
    )


@pytest.mark.parametrize(
    "source", ["@retry(2 * n)\n@b\ndef f(): ...", "@b\ndef f(a=2 * n): ...", "@b\nclass C(g(2 * n)): ..."]
)
def test_the_name_stands_above_the_decorators(source):
    notebook = cells(f"x = 1\n{source}")
    assert (
        after(notebook, extract_variable(notebook, "c1", "2 * n", "v"))
        == f"x = 1\nv = 2 * n\n{source.replace('2 * n', 'v')}"
    )


def test_a_decorated_function_is_a_whole_statement():
    notebook = cells("@b\ndef g(): ...\nx = g()")
    assert after(notebook, make_function(notebook, "c1", "f", lines=(1, 2))).startswith(
        "def f():\n    @b\n    def g(): ..."
    )


def test_where_the_expression_is_assigned_to_it_stays():
    notebook = cells("d[k] = d[k] + 1\nd[k] += d[k]")
    assert after(notebook, extract_variable(notebook, "c1", "d[k]", "v")) == "v = d[k]\nd[k] = v + 1\nd[k] += v"


@pytest.mark.parametrize(
    ("expression", "reason"),
    [("i + 1", "no value before"), ("q", "has no"), ("a b", "not a Python expression"), ("n * 2", "no value before")],
)
def test_what_has_no_value_above_the_line_is_refused(expression, reason):
    with pytest.raises(RefactoringError, match=reason):
        extract_variable(cells("x = [i + 1 for i in y]\nf = lambda n: n * 2"), "c1", expression, "v")


def test_a_variable_goes_back_into_its_places():
    notebook = cells("rate = a + 1\ntax = 3\n---\nx = 2 * rate\nprint(f'{tax} {x}')\n---\ndef f(): return rate.real")
    assert after(notebook, inline_variable(notebook, "rate")) == (
        "tax = 3\n---\nx = 2 * (a + 1)\nprint(f'{tax} {x}')\n---\ndef f(): return (a + 1).real"
    )
    assert "print(f'{3} {x}')" in after(notebook, inline_variable(notebook, "tax"))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("v = 1\nv = 2\nv", "2 times"),
        ("v = a\na = 2\nv", "`a` changes after"),
        ("v = []\nv.append(1)", "is changed"),
        ("v = d\nv['k'] = 1", "is changed"),
        ("v += 1\nv", "plain assignment"),
        ("def v(): ...\nv()", "plain assignment"),
        ("v, w = 1, 2\nv", "plain assignment"),
        ("v = 1", "Nothing reads"),
        ("v = n\ndef f(n):\n    return v", "another variable"),
        ("v = d['a']\nprint(f\"{v}\")", "f-string"),
        ("v = 1\ndf.query('a > @v')", "needs a name"),
        ("x", "No cell makes"),
    ],
)
def test_what_would_be_another_value_is_not_inlined(source, reason):
    with pytest.raises(RefactoringError, match=reason):
        inline_variable(cells(source), "v")


def test_definitions_move_to_a_cell_that_writes_their_file():
    notebook = cells(
        """
        import numpy as np, os
        from m import a as b, c
        ---
        x = 1

        @b
        def f(q):
            return np.sum(q), g(q)
        ---
        def g(q):
            return q
        f(x)
        """
    )
    changes = move_to_module(notebook, ["g", "f"], "helpers.py")
    assert after(notebook, changes) == text(
        """
        import numpy as np, os
        from m import a as b, c
        ---
        %%writefile helpers.py
        from m import a as b
        import numpy as np


        @b
        def f(q):
            return np.sum(q), g(q)


        def g(q):
            return q

        ---
        x = 1

        from helpers import f
        ---
        from helpers import g
        f(x)
        """
    )
    assert any("Run the new cell first" in note for note in changes.notes)


@pytest.mark.parametrize(
    ("names", "module", "reason"),
    [
        (["f"], "helpers.py", "reads `df`"),
        (["df"], "helpers.py", "No cell defines"),
        (["f"], "../x.py", "not a module name"),
        (["f"], "a-b.py", "not a module name"),
    ],
)
def test_what_would_lose_something_does_not_move(names, module, reason):
    with pytest.raises(RefactoringError, match=reason):
        move_to_module(cells("df = 1\n---\ndef f():\n    return df"), names, module)
