"""A notebook that tells of another life of its kernel: it was restarted, or the notebook was saved and is opened again."""

from __future__ import annotations

from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.protocol.messages import Restore
from spark_jupyter.protocol.values import NotebookCell, Proposal, Turn
from spark_jupyter.reality import Checker
from spark_jupyter.session.guard import Guard

READS = "total = sum(masses)"


def test_what_waits_is_not_blocked_by_names_of_cells_that_ran_in_the_life_before(make_engine):
    cells = (
        NotebookCell(id="a", source="masses = [1.2, 0.9]", execution_count=1),
        NotebookCell(id="c", source=READS),
        NotebookCell(id="d", source="print(weights)", execution_count=2),
    )
    guard = Guard(others=[lambda unrun, earlier: Checker({}, unrun=unrun, earlier=earlier, helper=False)])
    watched = make_engine([], guard=guard, kernel=Kernel(dict))
    waiting = [
        Proposal(cell_id="c", turn_id="old", state="ready", source=READS),
        Proposal(cell_id="e", turn_id="old", state="ready", source="sum(weights)"),
    ]
    turn = Turn(id="old", prompt="add them up", outcome="completed")
    watched.engine.say(Restore(turns=(turn,), proposals=tuple(waiting), cells=cells))
    proposals = watched.engine.read(lambda session: {one.cell_id: one.state for one in session.store.current})
    assert proposals == {"c": "ready", "e": "blocked"}
