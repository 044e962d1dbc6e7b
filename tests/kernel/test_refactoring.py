"""Refactorings and next edits in a real kernel: by magics, by words, for a front end that has the notebook, without a model."""

from __future__ import annotations

from spark_jupyter.protocol.messages import Prompt, PromptRequested
from spark_jupyter.protocol.next_edit_messages import Edited, FindNextEdits, NextEdits
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.proposal_messages import Accept, Revert, Run
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell

from .conftest import FrontEnd

LOAD = "import pandas as pd\ndf = pd.DataFrame({'price': [1, 2], 'qty': [3, 4]})"
USE = "df['total'] = df.price * df['qty']\ndf.total.sum()"
CELLS = (
    NotebookCell(id="load", source=LOAD, execution_count=2),
    NotebookCell(id="use", source=USE, execution_count=3),
    NotebookCell(id="magic", source="%spark rename df sales"),
)


def loaded(start_kernel, **options):
    kernel = start_kernel([{"answer": "A model was asked.", "repeat": True}], **options)
    kernel.run("%load_ext spark_jupyter")
    return kernel


def ran(kernel):
    kernel.run(LOAD, cell_id="load")
    kernel.run(USE, cell_id="use")


def refused(kernel, code):
    message_id = kernel.start(code)
    kernel.until(lambda: kernel.idle(message_id))
    return (kernel.of(message_id, "error") or [{"evalue": kernel.text(message_id)}])[0]["evalue"]


def test_a_rename_by_magic_is_asked_with_the_notebook_that_the_front_end_has_and_nothing_of_it_is_blocked(start_kernel):
    kernel = loaded(start_kernel)
    front = FrontEnd(kernel)
    ran(kernel)
    kernel.run("%spark rename df sales", cell_id="magic")
    wanted = kernel.until(lambda: [event for event in front.said if isinstance(event, PromptRequested)])[0].prompt
    assert (wanted.text, wanted.intent, wanted.target.after) == ("rename df to sales", "refactor", "magic")
    front.say(Prompt(turn_id=wanted.turn_id, text=wanted.text, intent=wanted.intent, cells=CELLS, active="magic"))

    def proposals():
        mine = [one for one in front.view.proposals.values() if one.turn_id == wanted.turn_id]
        return mine if len(mine) == 2 and not any(one.inspecting for one in mine) else []

    edits = {one.cell_id: one for one in kernel.until(proposals)}
    assert edits["load"].source == LOAD.replace("df", "sales")
    assert edits["use"].source == USE.replace("df", "sales")
    assert {one.may_run for one in edits.values()} == {"freely"}
    assert front.view.turns[wanted.turn_id].model == ""
    for cell_id in edits:
        front.say(Accept(cell_id=cell_id))
    kernel.until(lambda: {one.state for one in front.view.proposals.values()} == {"accepted"})
    front.say(Revert(turn_id=wanted.turn_id))
    kernel.until(lambda: {one.state for one in front.view.proposals.values()} == {"reverted"})


def test_a_rename_of_cells_that_ran_is_proven_for_all_of_them_at_once(start_kernel):
    kernel = loaded(start_kernel)
    front = FrontEnd(kernel)
    ran(kernel)
    front.say(Prompt(turn_id="t", text="rename df to sales", cells=CELLS[:2]))

    def proofs():
        told = [one for one in front.said if isinstance(one, TrialResult) and one.turn_id == "t"]
        return told if len(told) == 2 else []

    told = kernel.until(proofs)
    assert [(one.cell_id, one.summary) for one in told] == [
        (one, "same result for all 2 cells") for one in ("load", "use")
    ]
    assert {one.proof.verdict for one in told} == {"same"}
    kernel.until(lambda: not any(one.trying for one in front.view.proposals.values()))
    assert kernel.run("'sales' in dir(), 'total' in df").endswith("(False, True)")


def test_a_column_is_renamed_where_it_comes_to_be_and_the_cells_run(start_kernel):
    kernel = loaded(start_kernel)
    front = FrontEnd(kernel)
    ran(kernel)
    front.say(Prompt(turn_id="t", text="rename df.price to cost", cells=CELLS))
    kernel.until(lambda: front.view.turns.get("t") and front.view.turns["t"].outcome)
    assert front.view.proposals["load"].source == LOAD.replace("price", "cost")
    assert front.view.proposals["use"].source == USE.replace("price", "cost")
    front.say(Run(cell_id="load"))
    front.say(Run(cell_id="use"))
    kernel.until(lambda: {one.state for one in front.view.proposals.values()} == {"accepted"})


def test_without_a_front_end_the_cells_are_what_was_run_and_accept_puts_them_at_the_next_prompt(start_kernel):
    kernel = loaded(start_kernel)
    ran(kernel)
    shown = kernel.run("%spark --wait rename df sales")
    assert "There is no notebook here" in shown
    assert "completed" in shown
    (payload,) = kernel.payload("%spark accept")
    assert LOAD.replace("df", "sales") in payload["text"]
    assert USE.replace("df", "sales") in payload["text"]


def test_what_can_not_be_done_says_why_and_what_begins_a_sentence_is_a_prompt(start_kernel):
    kernel = loaded(start_kernel)
    ran(kernel)
    assert "No cell makes a `nothing`" in refused(kernel, "%spark --wait rename nothing something")
    assert "A model was asked." in kernel.run("%spark --wait rename the files to lowercase")


def test_what_should_follow_an_edit_is_told_to_who_asked_alone(start_kernel):
    kernel = loaded(start_kernel)
    front, other = FrontEnd(kernel), FrontEnd(kernel)
    kernel.until(lambda: other.said)
    edited = LOAD.replace("df", "sales")
    cells = (NotebookCell(id="load", source=edited), CELLS[1])
    front.say(FindNextEdits(offer_id="o1", edited=Edited(cell_id="load", before=LOAD), cells=cells))
    (offer,) = kernel.until(lambda: [event for event in front.said if isinstance(event, NextEdits)])
    assert offer.words == "rename `df` to `sales`"
    (edit,) = offer.edits
    assert (edit.cell_id, edit.source_hash, edit.source) == ("use", content_hash(USE), USE.replace("df", "sales"))
    front.say(FindNextEdits(offer_id="o2", edited=Edited(cell_id="load", before=edited), cells=cells))
    none = kernel.until(lambda: [one for one in front.said if isinstance(one, NextEdits) and one.offer_id == "o2"])[0]
    assert none.edits == ()
    assert not [event for event in other.said if isinstance(event, NextEdits)]
    front.say(Prompt(turn_id="t", text=offer.words, cells=cells, follows=Edited(cell_id="load", before=LOAD)))
    kernel.until(lambda: front.view.turns.get("t") and front.view.turns["t"].outcome)
    assert front.view.proposals["use"].source == USE.replace("df", "sales")


def test_a_column_that_the_kernels_table_has_is_how_a_wrong_one_is_mended_elsewhere(start_kernel):
    kernel = loaded(start_kernel)
    front = FrontEnd(kernel)
    kernel.run(LOAD)
    read = "df = pd.read_csv('x')\n"
    cells = (NotebookCell(id="a", source=read + "df['price'].max()"), NotebookCell(id="b", source="df['prize'].sum()"))
    before = Edited(cell_id="a", before=read + "df['prize'].max()")
    front.say(FindNextEdits(offer_id="o1", edited=before, cells=cells))
    (offer,) = kernel.until(lambda: [event for event in front.said if isinstance(event, NextEdits)])
    assert [edit.source for edit in offer.edits] == ["df['price'].sum()"]
