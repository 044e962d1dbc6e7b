"""The cells of an answer that change cells which have run begin where the first of those began, and what ran since runs behind them."""

from __future__ import annotations

import asyncio

import pytest

from spark_jupyter.sandbox import KernelTrials
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer
from spark_jupyter.session.job_owners import DeepOwner

from .test_checkpoints import Past


class Notebook(Past):
    """Three cells that ran: the second changes in place what the first made, the third reads it."""

    def __init__(self, shell) -> None:
        super().__init__(shell)
        self.trials = KernelTrials(shell, checkpoints=self.kept)
        self.cells: dict[str, str | None] = {}

    def ran(self, **cells: str) -> None:
        for cell_id, source in cells.items():
            self.cells[cell_id] = source
            self.run(source, cell_id=cell_id)

    def tried(self, *checks: str, apart: bool = False, **cells: str) -> AnswerTrial:
        """What these cells show, each in the place of the one of that id; ``below_b`` is a new one below ``b``."""
        order = list(self.cells)
        for cell_id in cells:
            if cell_id not in order:
                order.insert(order.index(cell_id.removeprefix("below_")) + 1, cell_id)
        action = TryAnswer(
            owner=DeepOwner("w1", "w1-s1", 0, 1, False),
            cells=tuple(cells[one] for one in order if one in cells),
            ids=tuple(one for one in order if one in cells),
            notebook=tuple((one, self.cells.get(one)) for one in order),
            checks=checks,
            seconds=60.0,
            apart=apart,
        )
        return asyncio.run(self.trials.try_answer(action))


def printed(trial: AnswerTrial) -> list[str]:
    assert not trial.problem, trial.problem
    return ["".join(output.text for output in result.outputs).strip() for result in trial.results]


@pytest.fixture
def notebook(bench):
    made = Notebook(bench.shell)
    made.run("import math")  # checkpoints begin with the cell behind the one that loads them
    made.ran(a="x = [1]", b="x.append(2)", c="total = sum(x)\nprint('old', total)")
    yield made
    made.trials.close()
    made.kept.close()


def test_a_changed_cell_begins_where_it_began_and_the_cells_behind_it_run_again(notebook):
    trial = notebook.tried("assert x == [1, 5]", b="x.append(5)", below_c="print(total)")
    assert printed(trial) == ["", "6"], "what the cell in between prints is not the answer's"
    assert trial.checks == ("",)
    assert trial.from_checkpoint
    assert trial.began == "The copy began as the kernel was before [3]."
    assert notebook.shell.user_ns["x"] == [1, 2], "the kernel is as it was"


def test_what_a_cell_in_between_changes_is_no_effect_of_the_answers(notebook):
    trial = notebook.tried(apart=True, b="x.append(5)", below_c="half = total / 2")
    assert [{effect.name for effect in one.effects} for one in trial.results] == [{"x"}, {"half"}]


def test_a_new_cell_runs_where_it_stands(notebook):
    assert printed(notebook.tried(b="x.append(5)", below_b="print(x)\nx.append(9)", below_c="print(total)")) == [
        "",
        "[1, 5]",
        "15",
    ]


def test_new_cells_alone_begin_from_the_kernel_as_it_is(notebook):
    trial = notebook.tried(below_c="print(total)")
    assert (printed(trial), trial.began, trial.from_checkpoint) == (["3"], "", False)


def test_a_cell_of_the_users_that_fails_behind_the_change_is_named(notebook):
    trial = notebook.tried("assert True", b="x = None", below_c="print(total)")
    assert trial.broken is not None
    assert (trial.broken.cell_id, trial.broken.line) == ("c", 1)
    assert trial.broken.error.startswith("TypeError")
    assert len(trial.results) == 1, "what stands behind it did not run"
    assert trial.checks == ()


def test_a_cell_that_failed_is_mended_from_where_it_began_and_others_that_failed_are_left_out(notebook):
    notebook.ran(d="x.append(7)\nlen(x) / 0", e="undefined")
    assert printed(notebook.tried(d="x.append(7)\nprint(x)")) == ["[1, 2, 7]"]


def test_where_the_beginning_is_not_kept_the_kernel_is_taken_as_it_is_and_that_is_said(notebook):
    notebook.kept.drop()
    trial = notebook.tried(a="x = [4]\nprint(x)")
    assert printed(trial) == ["[4]"]
    assert not trial.from_checkpoint
    assert trial.began.endswith("no checkpoint from before [2].")


def test_where_a_cell_in_between_wants_what_no_copy_does_the_kernel_is_taken_as_it_is(notebook, tmp_path):
    there = tmp_path / "written"
    notebook.ran(d=f"handle = open({str(there)!r}, 'w')\nhandle.close()")
    trial = notebook.tried(c="print(x)", below_d="print('behind')")
    assert printed(trial) == ["[1, 2]", "behind"]
    assert not trial.from_checkpoint
    assert "d, which would run in between" in trial.began


def test_a_cell_that_was_changed_since_it_ran_says_nothing_of_where_it_begins(notebook):
    notebook.cells["b"] = "x.append(3)"
    trial = notebook.tried(b="x.append(5)\nprint(x)")
    assert printed(trial) == ["[1, 2, 5]"]
    assert "does not hold what ran" in trial.began


def test_cells_that_ran_out_of_order_are_run_in_the_kernel_as_it_is(notebook):
    notebook.ran(b="x.append(2)")
    trial = notebook.tried(b="x.append(5)", c="print(x)")
    assert printed(trial) == ["", "[1, 2, 2, 5]"]
    assert "did not run in their order" in trial.began


def test_of_several_runs_of_a_changed_cell_the_last_counts(notebook):
    notebook.ran(c="total = sum(x)\nprint('old', total)", b="x.append(2)")
    trial = notebook.tried(b="x.append(5)\nprint(x)")
    assert printed(trial) == ["[1, 2, 5]"]
