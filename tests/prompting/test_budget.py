"""Selection of variables and cells within a budget of tokens."""

from __future__ import annotations

from spark_jupyter.prompting.budget import TokenEstimator, describe, estimate_tokens, select_cells, shown_tokens
from spark_jupyter.prompting.kernel_context import KernelContext
from spark_jupyter.prompting.variables import Variable
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.server.engines import namespace


def test_the_estimator_learns_from_what_the_provider_counts():
    estimator = TokenEstimator()
    text = "value = compute(thing)\n" * 100
    plain = estimate_tokens(text)
    for _ in range(40):
        estimator.learn(text, reported=plain * 2)
    assert abs(estimator.ratio - 2) <= 0.01
    estimator.learn("hi", reported=500)
    assert abs(estimator.ratio - 2) <= 0.01


def test_other_scripts_cost_more_tokens_than_ascii():
    assert estimate_tokens("データを読む") > estimate_tokens("abcdef")


def cell(name, source, **more):
    return NotebookCell(id=name, source=source, **more)


def test_the_anchor_and_the_cells_that_define_its_names_are_chosen():
    cells = [cell("load", "df = read('x')")]
    cells += [cell(f"far{i}", f"unrelated{i} = {i}" * 20) for i in range(20)]
    cells += [cell("here", "df.plot()")]
    chosen = select_cells(cells, prompt="make it a bar chart", budget_tokens=150, anchor="here")
    assert {"load", "here"} <= {c.id for c in chosen}
    assert [c.id for c in chosen] == [c.id for c in cells if c in chosen]


def test_the_cells_chosen_fit_the_budget():
    cells = [cell(f"c{i}", "x = 1\n" * 30, outputs="y" * 9000) for i in range(30)]
    chosen = select_cells(cells, prompt="x", budget_tokens=500)
    assert 1 <= len(chosen) < 30
    assert sum(estimate_tokens(c.source + c.outputs) for c in chosen) <= 500


def test_a_long_output_loses_its_middle():
    (only,) = select_cells([cell("a", "x", outputs="a" * 5000 + "b" * 5000)], prompt="", budget_tokens=5000)
    assert only.outputs.startswith("a")
    assert only.outputs.endswith("b")
    assert "8500 characters left out" in only.outputs


def test_no_cells_and_no_budget_choose_nothing():
    assert select_cells([], prompt="x", budget_tokens=100) == ()
    assert select_cells([cell("a", "x = 1")], prompt="x", budget_tokens=0) == ()


def test_what_was_shown_counts_only_as_long_as_it_has_not_changed():
    cells = [cell("a", "x = 1"), cell("b", "y = 2 * x", outputs="o" * 5000)]
    assert shown_tokens(cells, {}) == 0
    shown = {one.id: one for one in select_cells(cells, prompt="", budget_tokens=5000)}
    both = shown_tokens(cells, shown)
    assert 0 < shown_tokens([cells[0], cell("b", "y = 3 * x")], shown) < both


def test_the_cell_that_is_edited_is_there_even_where_it_alone_is_too_large():
    large = cell("large", "x = " + "1 + " * 5000 + "1")
    assert select_cells([cell("a", "y = 1"), large], prompt="x", budget_tokens=100, anchor="large", edited="large") == (
        large,
    )


def test_of_a_drawn_table_only_the_values_are_told():
    head = "shape: (2, 2)\n┌──────┬─────┐\n│ city ┆ n   │\n│ ---  ┆ --- │\n╞══════╪═════╡\n"
    drawn = f"{head}│ Zug  ┆ 3   │\n│ Bern ┆ 14  │\n└──────┴─────┘\n"
    (chosen,) = select_cells((cell("a", "t", outputs=drawn),), prompt="", budget_tokens=500)
    assert chosen.outputs == "shape: (2, 2)\n|city|n|\n|Zug|3|\n|Bern|14|"
    (chosen,) = select_cells((cell("a", "t", outputs="a | b \n│ no table"),), prompt="", budget_tokens=500)
    assert chosen.outputs == "a | b\n│ no table"


def test_the_same_words_of_a_prompt_in_two_tables_are_told_in_a_line():
    tables = [
        Variable(name=name, summary="DataFrame (3 × 1)", columns=("city str",), found=("city has 'Zug'",))
        for name in "ab"
    ]
    text = describe(KernelContext(variables=tuple(tables)), budget_tokens=500)
    assert text.endswith("\nwords of the request in a, b: city has 'Zug'")
    assert [one.columns[0].values for one in namespace.read(text).variables] == [("Zug",), ("Zug",)]
