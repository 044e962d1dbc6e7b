"""Two answers from one moment: what each shows, and how they differ by value."""

from __future__ import annotations

import asyncio

import pytest

from spark_jupyter.sandbox import KernelTrials
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer, TryBoth
from spark_jupyter.session.job_owners import AttemptOwner

from .test_starting_state import Notebook

DRAWS = """import matplotlib.pyplot as plt
plt.plot(sorted(values){})
plt.show()"""


@pytest.fixture
def compare(bench):
    trials = KernelTrials(bench.shell, limits=Limits(seconds=60.0))

    def compared(*answers: tuple[str, ...], checks: tuple[str, ...] = ()) -> tuple[AnswerTrial, AnswerTrial]:
        asked = [
            TryAnswer(owner=AttemptOwner("t1", index), cells=cells, checks=checks)
            for index, cells in enumerate(answers)
        ]
        first, second = asyncio.run(trials.try_both(TryBoth(answers=(asked[0], asked[1]))))
        assert first.compared is None
        return first, second

    bench.given("values = [3, 1, 2]")
    yield compared
    trials.close()


def test_two_ways_to_one_result_are_the_same_by_value(compare, bench):
    first, second = compare(("total = sum(values)",), ("total = 0\nfor value in values: total += value\ndel value",))
    assert [one.results[0].error for one in (first, second)] == ["", ""]
    assert second.compared.verdict == "same"
    assert "total" not in bench.shell.user_ns, "both ran in copies"


def test_what_differs_is_named_with_both_values_and_each_cell_has_its_result(compare):
    first, second = compare(
        ("values.append(4)", "best = max(values)\nprint(best)"), ("best = min(values)\nprint(best)",)
    )
    assert [len(one.results) for one in (first, second)] == [2, 1]
    assert [one.results[-1].outputs[0].text for one in (first, second)] == ["4\n", "1\n"]
    names = [one.name for one in second.compared.differences]
    assert {"best", "values"} <= set(names)
    assert next(one.detail for one in second.compared.differences if one.name == "best") == "4 → 1"


def test_pictures_are_compared_too(compare, bench):
    bench.given("import matplotlib.pyplot")
    first, second = compare((DRAWS.format(""),), (DRAWS.format(", 'r--'"),))
    assert all("image/png" in one.results[0].outputs[-1].data for one in (first, second))
    assert [(one.kind, one.name) for one in second.compared.differences] == [("output", "figure")]
    _, again = compare((DRAWS.format(""),), (DRAWS.format(""),))
    assert again.compared.verdict == "same"


def test_an_answer_that_fails_is_compared_with_one_that_runs(compare):
    first, second = compare(("best = max(values)",), ("best = values[9]",))
    assert first.results[0].error == ""
    assert second.results[0].error.startswith("IndexError")
    assert second.compared.differences[0].detail.startswith("raises IndexError")


def test_checks_run_behind_both_and_say_which_fails(compare):
    first, second = compare(("best = max(values)",), ("best = min(values)",), checks=("assert best == 3, best",))
    assert (first.checks, second.checks) == (("",), ("1",))


def test_one_that_ends_its_process_leaves_the_other_its_result(compare):
    first, second = compare(("best = max(values)",), ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)",))
    assert first.results[0].error == ""
    assert first.problem == ""
    assert second.problem or second.results[0].error


@pytest.fixture
def notebook(bench):
    made = Notebook(bench.shell)
    made.run("import math")  # checkpoints begin with the cell behind the one that loads them
    made.ran(a="x = [1]", b="x.append(2)", c="total = sum(x)")
    yield made
    made.trials.close()
    made.kept.close()


def edits_of_b(notebook: Notebook, *sources: str) -> tuple[AnswerTrial, AnswerTrial]:
    layout = tuple(notebook.cells.items())
    asked = [
        TryAnswer(owner=AttemptOwner("t1", index), cells=(source,), ids=("b",), notebook=layout)
        for index, source in enumerate(sources)
    ]
    first, second = asyncio.run(notebook.trials.try_both(TryBoth(answers=(asked[0], asked[1]))))
    return first, second


def test_edits_of_a_cell_that_ran_begin_where_it_began_and_the_cells_below_run_behind_them(notebook):
    first, second = edits_of_b(notebook, "x.append(3)\nprint(x)", "x.append(4)\nprint(x)")
    assert [one.results[0].outputs[0].text for one in (first, second)] == ["[1, 3]\n", "[1, 4]\n"]
    details = {one.name: one.detail for one in second.compared.differences}
    assert details["total"] == "4 → 5", "the cell below ran behind both"


def test_edits_that_need_what_a_cell_above_made_since_begin_now(notebook):
    notebook.ran(a="x, extra = [1], 5")
    first, second = edits_of_b(notebook, "x.append(extra)\nprint(x)", "x.append(-extra)\nprint(x)")
    assert [one.results[0].error for one in (first, second)] == ["", ""]
    assert [one.results[0].outputs[0].text for one in (first, second)] == ["[1, 5]\n", "[1, -5]\n"]
