"""A refactoring is proven as one: the cells that ran, with its edits and without, leave the same but for what it is to change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from msgspec import structs

from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.sandbox import KernelTrials
from spark_jupyter.session.actions import ProveEdits, TryProposal
from spark_jupyter.session.session import Session

from .leavings import children, until
from .test_checkpoints import Past

LOAD = "import pandas as pd\ndf = pd.DataFrame({'price': [1.0, 2.5, 3.25], 'qty': [3, 4, 5]})"
USE = "df['total'] = df.price * df['qty']\nprint(df)\ndf.groupby('qty').price.sum()"
BEST = "best = df.sort_values('price').head(2)\nrate = 0.2\nnet = best.total * (1 - rate)\nnet.mean()"


class Notebook(Past):
    """Cells that ran, and what a prompt makes of them."""

    def __init__(self, shell) -> None:
        super().__init__(shell)
        self.trials = KernelTrials(shell, checkpoints=self.kept)
        self.cells: list[NotebookCell] = []

    def ran(self, *sources: str) -> None:
        for source in sources:
            self.cells.append(NotebookCell(id=f"cell-{len(self.cells)}", source=source))
            self.run(source, cell_id=self.cells[-1].id)

    def asked(self, text: str) -> ProveEdits:
        """What the session wants to have tried."""
        session = Session(model="", tries=True)
        session.rehearse = "standard"
        prompt = Prompt(turn_id="t", text=text, cells=tuple(self.cells), active=self.cells[-1].id)
        session.receive_command(prompt, at=1.0, surroundings=Surroundings(checkpoints=self.kept.cells))
        (wanted,) = [one for one in session.actions_to_take() if isinstance(one, ProveEdits)]
        return wanted

    def proven(self, wanted: str | ProveEdits) -> TrialResult:
        """What is said at each of its cells: the same at all."""
        wanted = self.asked(wanted) if isinstance(wanted, str) else wanted
        results = asyncio.run(self.trials.try_together(wanted))
        assert [one.cell_id for one in results] == [one.cell_id for one in wanted.edits]
        assert len({one.summary for one in results}) == 1
        return results[0]


@pytest.fixture
def notebook(bench) -> Iterator[Notebook]:
    pytest.importorskip("pandas")
    made = Notebook(bench.shell)
    yield made
    made.trials.close()
    made.kept.close()


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ("rename df to sales", "same result for all 3 cells"),
        ("rename df.price to cost", "same result for all 3 cells"),
        ("inline rate", "same result"),
        ("extract 1 - rate as keep", "same result"),
        ("make cell 3 a function summary", "same result"),
    ],
)
def test_what_leaves_the_same_is_called_the_same(notebook, wish, said):
    notebook.ran(LOAD, USE, BEST)
    before = children()
    result = notebook.proven(wish)
    assert result.proof is not None
    assert (result.proof.verdict, result.summary) == ("same", said)
    until(lambda: not children() - before)
    assert "sales" not in notebook.shell.user_ns
    assert list(notebook.shell.user_ns["df"]) == ["price", "qty", "total"]


@pytest.mark.parametrize(
    ("wish", "instead", "said"),
    [
        ("rename df to sales", ("3.25", "3.5"), "df: is no longer defined"),
        ("rename df.price to cost", ("3.25", "3.5"), "df['cost']: 1 row differs, first at 2 (3.25 → 3.5)"),
        ("rename df.price to cost", ("sum()", "max()"), "output 2"),
        ("rename df.price to cost", ("print(df)", "print(-df)"), "output 1"),
        ("inline rate", ("1 - ", "1 + "), "net: 2 rows differ"),
        ("extract 1 - rate as keep", ("keep)", "keep + 1)"), "net: 2 rows differ"),
        ("rename df to sales", ("best.total", "best.qty"), "net: 1 row differs"),
    ],
)
def test_what_changes_anything_else_is_never_called_the_same(notebook, wish, instead, said):
    notebook.ran(LOAD, USE if "sum()" not in instead else USE.replace("sum()", "sum().sum()"), BEST)
    wanted = notebook.asked(wish)
    edits = tuple(structs.replace(edit, source=edit.source.replace(*instead)) for edit in wanted.edits)
    assert edits != wanted.edits
    result = notebook.proven(structs.replace(wanted, edits=edits))
    assert result.proof is not None
    assert result.proof.verdict == "differs"
    assert said in result.summary


def test_a_variable_that_cells_long_ago_made_is_renamed_for_those_that_are_kept_and_the_rest_is_named(notebook):
    notebook.ran(LOAD, USE)
    notebook.kept.drop()
    notebook.ran("1", "2", BEST)
    result = notebook.proven("rename df to sales")
    assert result.proof is not None
    assert (result.proof.verdict, result.proof.differences) == ("unclear", ())
    assert "2 of the 3 cells were not compared: they ran before the first checkpoint." in result.summary


def test_what_can_not_be_run_from_a_state_that_is_kept_says_so(notebook):
    notebook.ran(LOAD, USE)
    notebook.kept.drop()
    notebook.ran("1", "2", BEST)
    result = notebook.proven("rename df.price to cost")
    assert result.problem == "", "that says nothing against the edit"
    assert result.proof is not None
    assert result.proof.verdict == "unclear"
    assert result.summary.startswith("not proven: some of the cells that it changes ran before")


def test_a_function_that_moves_to_a_file_is_imported_from_it_in_the_copy_and_no_file_is_there(
    notebook, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    notebook.ran("def double(number):\n    return number * 2", "print(double(4))\ny = double(3)\ny")
    result = notebook.proven("move double to helpers.py")
    assert result.proof is not None
    assert result.proof.differences == ()
    assert result.proof.unclear == ("The code of `double` changed; calls of it are not compared.",)
    assert list(tmp_path.iterdir()) == []


def test_a_cell_that_failed_and_is_not_edited_is_left_out(notebook):
    notebook.ran("a = 1", "1 / 0", "b = a + 1\nb")
    assert notebook.proven("rename a to first").summary == "same result for all 2 cells"


def test_a_new_cell_runs_below_the_nearest_above_it_that_ran_and_what_a_turn_showed_before_stays(notebook):
    notebook.ran("a = 1", "b = a + 1", "c = b + 1")
    edit = TryProposal(turn_id="w1", cell_id="cell-1", source="b = a + 5", source_hash="h", allow=(), base="b = a + 1")
    showed = TrialResult(turn_id="w1", cell_id="cell-1", source_hash="h", summary="ran in a copy", seconds=2.0)
    wanted = ProveEdits(
        turn_id="w1",
        edits=(edit,),
        new=(("new = c", "never-ran"),),
        order=("cell-0", "cell-1", "cell-2", "never-ran"),
        results=(showed,),
        fresh=frozenset({"new"}),
    )
    result = notebook.proven(wanted)
    assert result.proof is not None
    assert [one.name for one in result.proof.differences] == ["b", "c"]
    assert result.summary.endswith(" · ran in a copy")
    assert result.seconds == 2.0
