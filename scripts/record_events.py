"""Record ``tests/fixtures/events`` again: real turns against the embedded server, and the state in which they leave a front end.

Both reducers, ``spark_jupyter/protocol/turn_view.py`` and ``labextension/src/reducer.ts``, must come to these states. A fixture is a list
of steps, each what came for one thing that happened, and the state after it as ``projection`` in ``recording.py`` shows it. What differs
from run to run is taken out: the clock stands while a step lasts, text is taken in letter by letter, and what is measured of a Try is a
round number.

A scenario that is new goes into ``SCENARIOS``, ended by ``play.attach(last_seq=1_000_000)``, so that the reducers are seen to agree
behind a Snapshot; ``python scripts/record_events.py NAME-WITH-HYPHENS`` records it. A field of the state that is new stands in
``projection`` of ``recording.py`` and of ``labextension/test/projection.ts``, left out while it has its first value, as ``review`` is; an
Event of no state in ``told`` of ``tests/protocol/test_events.py``.

With ``--check`` nothing is written and the exit code is 1 where a file on disk differs from what was recorded.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import structs
from recording import PATIENCE, Answers, Stage, stage

from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, ProposedCell, RevokeGrants
from spark_jupyter.protocol.deep_messages import BeginDeep, DirectDeep, RestoreDeep, SteerDeep
from spark_jupyter.protocol.messages import Cancel, Prompt, Restore, Steer
from spark_jupyter.protocol.proposal_messages import Accept, CellEdited, ChooseAttempt, Reject, Revert, Run
from spark_jupyter.protocol.provider_messages import ListModels, SelectModel
from spark_jupyter.protocol.review_messages import BeginReview
from spark_jupyter.protocol.trial_messages import Try
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Attempts, Hunk, NotebookCell, Proposal, Target, Turn

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "events"


# --- what is recorded ------------------------------------------------------------------------------------------------

BAD = "```python\nimport os\nname = input()\nos.system('ls ' + name)\nprint('after')\n```\n"
SYSTEM = "import os\nname = input()\nos.system('ls ' + name)"
GOOD = "```python\nimport subprocess\nname = input()\nsubprocess.run(['ls', name], check=True)\n```\n"
CELLS = (
    NotebookCell(id="first", source="import math\nradius = 2\narea = 3.14 * radius ** 2\n", execution_count=1),
    NotebookCell(id="second", cell_type="markdown", source="# Circles"),
)


def code(source: str) -> str:
    """An answer with one cell."""
    return f"```python\n{source}\n```\n"


def ended(turn_id: str, outcome: str = "completed") -> Callable[[TurnView], object]:
    """The turn has ended so."""
    return lambda view: turn_id in view.turns and view.turns[turn_id].outcome == outcome


def stands(cell_id: str, state: str) -> Callable[[TurnView], object]:
    """The proposal stands so."""
    return lambda view: cell_id in view.proposals and view.proposals[cell_id].state == state


def of_turn(turn_id: str, state: str) -> Callable[[TurnView], object]:
    """All that the turn proposes stands so."""
    return lambda view: {one.state for one in view.of_turn(turn_id)} == {state}


def reads(cell_id: str, end: str) -> Callable[[TurnView], object]:
    """The proposal's source ends so."""
    return lambda view: cell_id in view.proposals and view.proposals[cell_id].source.endswith(end)


def tried(cell_id: str) -> Callable[[TurnView], object]:
    """A Try of the cell has ended."""
    return lambda view: cell_id in view.trials and not view.proposals[cell_id].trying


def stalls(*pieces: str) -> dict[str, object]:
    """An answer of which no more comes."""
    return {"pieces": list(pieces), "stall_after": len(pieces)}


def a_turn_with_notes_and_cells_of_both_types() -> Stage:
    answer = "Two cells.\n\n" + code("radius = 2") + "\nAnd a title:\n\n```markdown\n# Circles\n```\nThat is all.\n"
    with stage([{"answer": answer}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="circles", cells=CELLS, target=Target(after="first")))
        play.step(ended("t1"))
        play.submit(Accept(cell_id="t1-1", source="radius = 3"), Reject(cell_id="t1-2"))
        play.step(stands("t1-2", "rejected"))
        play.submit(Revert(turn_id="t1"))
        play.step(stands("t1-1", "reverted"))
    return play


def an_answer_that_was_thinking_up_to_a_tag() -> Stage:
    answer = "Let me see.\n" + code("x = 0") + "No.\n</think>\n\nHere:\n\n" + code("x = 1")
    with stage([{"answer": answer}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="one", cells=CELLS, target=Target(after="first")))
        play.step(ended("t1"))
    return play


def a_steer_in_mid_line() -> Stage:
    answers = [
        stalls("```python\nimport math\nradius = 2\nar"),
        {"answer": "```python continue\narea = math.pi\n```\n"},
    ]
    with stage(answers) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="the area of a circle"))
        play.step(reads("t1-1", "\nar"))
        play.submit(Steer(turn_id="t2", steers="t1", text="use math.pi"))
        play.step(ended("t2"))
    return play


def a_turn_that_is_stopped_at_what_the_screen_shows() -> Stage:
    answers = [stalls("```python\nx = 1\ny = 2\nz"), {"answer": code("w = 4")}]
    with stage(answers) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="three values"))
        play.step(reads("t1-1", "z"))
        play.submit(Cancel(turn_id="t1", shown={"t1-1": "x = 1\ny"}))
        play.step(ended("t1", "cancelled"))
        play.submit(Prompt(turn_id="t2", text="one more"))
        play.step(ended("t2"))
    return play


def a_correction() -> Stage:
    with stage([{"answer": BAD}, {"answer": GOOD}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="list files"))
        play.step(ended("t1"))
    return play


def a_model_that_insists_is_blocked_and_runs_after_a_second_yes() -> Stage:
    with stage([{"answer": BAD, "repeat": True}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="list files"))
        play.step(ended("t1"))
        play.submit(Run(cell_id="t1-1"))
        play.step(lambda view: view.problems)
        play.submit(Run(cell_id="t1-1", confirmed=True))
        play.step(stands("t1-1", "accepted"))
    return play


def a_race_and_another_attempt_that_is_chosen() -> Stage:
    answers: Answers = [{"model": "a", "answer": code("x = 1")}, {"model": "b", **stalls("```python\ny = 2\n")}]
    with stage(answers, models=("a", "b"), tries=True) as play:
        play.attach()
        play.hold("a")
        play.submit(Prompt(turn_id="t1", text="a value", attempts=Attempts(models=("a", "b"))))
        play.step(lambda view: play.letters().heard.get("b", "").endswith("2\n") and view.attempts_of("t1"))
        play.let_go("a")
        play.step(ended("t1"))
        play.submit(ChooseAttempt(turn_id="t1", index=1))
        play.step(lambda view: view.attempts["t1", 1].proposed)
    return play


def a_race_that_nobody_wins() -> Stage:
    with stage([{"answer": "Words.\n\n" + code("def f(x):\n    return x")}], tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="f adds one", attempts=Attempts(checks=("assert f(2) == 3",))))
        play.step(ended("t1"))
        play.submit(Run(cell_id="t1-1"))
        play.step(stands("t1-1", "accepted"))
    return play


def a_try_and_one_that_lacks_a_permission() -> Stage:
    answers = [{"answer": code("kept = [1, 2]\nprint(sum(kept))") + code("import os\nos.system('ls')")}]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="two cells"))
        play.step(ended("t1"))
        play.submit(Try(cell_id="t1-1"))
        play.step(tried("t1-1"))
        play.submit(Try(cell_id="t1-2"))
        play.step(tried("t1-2"))
        play.submit(Try(cell_id="t1-1", source="kept"))
        play.step(lambda view: tried("t1-1")(view) and view.trials["t1-1"].error)
    return play


def a_try_that_surprises_and_the_text_that_takes_its_place() -> Stage:
    importlib.import_module("numpy")  # a copy says of a package that its kernel has not loaded that it was used

    surprising = "import numpy as np\ny = np.arange(4)\nguess = np.ones((4, 1))\nerror = y - guess"
    with stage([{"answer": code(surprising)}, {"answer": code("error = 0")}], tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="the error"))
        play.step(ended("t1"))
        play.submit(Try(cell_id="t1-1"))
        play.step(tried("t1-1"))
        play.submit(Try(cell_id="t1-1", source="error = 0"))
        play.step(lambda view: not view.proposals["t1-1"].surprises)
    return play


def a_review_of_the_notebook() -> Stage:
    cells = (NotebookCell(id="first", source="print(total)"), NotebookCell(id="second", source="total = 1"))
    with stage([]) as play:
        play.attach()
        play.submit(BeginReview(review_id="r1", cells=cells))
        play.step(lambda view: view.review is not None and view.review.state == "done")
    return play


def an_agent_that_asks_to_run_what_it_proposes() -> Stage:
    proposes = (ProposedCell(source="total = 1"), ProposedCell(source="total = 2"))
    with stage([]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="Sets the total.", proposes=proposes, agent="Helper"))
        play.step(ended("t1"))
        play.submit(AskRun(request_id="r1", cell_id="t1-1", agent="Helper"))
        play.submit(AskRun(request_id="r2", cell_id="t1-2", agent="Helper"))
        play.step(lambda view: len(view.consent.asked) == 2)
        play.submit(AnswerRun(request_id="r1", allowed=True, minutes=30))
        play.step(lambda view: view.consent.grants)
        play.attach(last_seq=1_000_000)
        play.submit(AnswerRun(request_id="r2", allowed=False), RevokeGrants())
        play.step(lambda view: not view.consent.grants and not view.consent.asked)
    return play


def a_fix_that_is_tried_by_itself() -> Stage:
    failed = NotebookCell(id="failed", source="total = 1 / 0", error="ZeroDivisionError: division by zero")
    with stage([{"answer": code("total = 1 / 2\nprint(total)")}], tries=True) as play:
        play.attach()
        target = Target(edit="failed")
        play.submit(Prompt(turn_id="t1", text="Fix it.", intent="fix", cells=(failed,), target=target))
        play.step(lambda view: ended("t1")(view) and tried("failed")(view))
    return play


def deep(state: str) -> Callable[[TurnView], object]:
    """The deep work stands so."""
    return lambda view: "w1" in view.deep and view.deep["w1"].state == state


def a_deep_work_that_is_paused_and_steered_and_proposed() -> Stage:
    answers: Answers = [
        {"match": "## Intent\nplan", "answer": "1. Make two numbers\n2. Sum them up\n- assert total == 3\n"},
        {"match": "## Request\nMake two numbers", "answer": code("numbers = [1, 2]")},
        {"match": "## Request\nSum them up", "answer": code("total = numbers + 1")},
        {"match": "## Request\nSum them up", "answer": code("total = sum(numbers)")},
    ]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(BeginDeep(work_id="w1", text="a report", ask_first=True))
        play.step(deep("planned"))
        play.submit(DirectDeep(work_id="w1", what="cancel"))
        play.step(deep("cancelled"))
        play.submit(RestoreDeep(works=(structs.replace(play.view.deep["w1"], id="w2", state="trying"),)))
        play.step(lambda view: "w2" in view.deep)
        play.submit(SteerDeep(work_id="w2", text="briefly"), DirectDeep(work_id="w2", what="go-on"))
        play.step(lambda view: ended("w2")(view) and of_turn("w2", "ready")(view))
    return play


def an_answer_that_is_offered_to_the_deep_gear_and_handed_up() -> Stage:
    answers: Answers = [
        {"match": "## Intent\nplan", "answer": "1. Compare in constant time\n"},
        {"match": "## Request\nCompare in constant time", "answer": "```python cell=t1-1\nimport hmac\n```\n"},
        {"answer": code("def check_password(given, stored):\n    return hash(given) == stored")},
    ]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="check a password"))
        play.step(lambda view: ended("t1")(view) and "t1" in view.handed)
        play.submit(BeginDeep(work_id="w1", hands_up="t1"))
        play.step(lambda view: ended("w1")(view) and of_turn("w1", "ready")(view))
        play.attach(last_seq=1_000_000)
    return play


def an_edit_of_which_a_hunk_is_kept_and_a_later_edit_of_the_same_cell() -> Stage:
    once = "import math\nradius = 3\narea = math.pi * radius ** 2\n"
    answers = [{"answer": code(once.rstrip())}, {"answer": BAD}, {"answer": code("area = 7")}]
    with stage(answers, tries=True) as play:
        play.attach()
        edit = Prompt(turn_id="t1", text="use math", intent="edit", cells=CELLS, target=Target(edit="first"))
        play.submit(edit)
        play.step(ended("t1"))
        play.submit(Try(cell_id="first"))
        play.step(tried("first"))
        play.submit(Accept(cell_id="first", hunks=(Hunk(base_start=1, base_lines=1, source_start=1, source_lines=1),)))
        play.step(stands("first", "accepted"))
        play.submit(structs.replace(edit, turn_id="t2", text="list files"))
        play.step(ended("t2"))
    return play


def edits_of_one_cell_that_are_undone_redone_rejected_and_reverted() -> Stage:
    answers = [{"answer": code(f"x = {n}")} for n in (2, 3, 4)]
    with stage(answers) as play:
        play.attach()
        source = "x = 1"
        for number, decision in enumerate(("accepted", "accepted", "rejected"), 1):
            cells = (NotebookCell(id="own", source=source),)
            target = Target(edit="own")
            play.submit(Prompt(turn_id=f"t{number}", text="other", intent="edit", cells=cells, target=target))
            play.step(ended(f"t{number}"))
            play.submit(Accept(cell_id="own", before=source) if decision == "accepted" else Reject(cell_id="own"))
            play.step(of_turn(f"t{number}", decision))
            source = play.view.proposals["own"].source
        for text, turn_id, state in (
            ("x = 2", "t2", "reverted"),
            ("x = 1", "t1", "reverted"),
            ("x = 2", "t1", "accepted"),
            ("x = 3", "t2", "accepted"),
            (None, "t1", "reverted"),
            ("x = 3", "t2", "accepted"),
        ):
            play.submit(CellEdited(cell_id="own", source=text))
            play.step(of_turn(turn_id, state))
        play.submit(Revert(turn_id="t2"))
        play.step(of_turn("t2", "reverted"))
    return play


def a_turn_that_the_notebook_remembers() -> Stage:
    with stage([{"answer": code("z = 3")}]) as play:
        play.attach()
        old = Turn(id="t1", prompt="two cells", target=Target(after="first"), notes="Words.", outcome="completed")
        proposals = (
            Proposal(cell_id="t1-1", turn_id="t1", state="ready", source=SYSTEM),
            Proposal(cell_id="t1-2", turn_id="t1", state="accepted", source="y = 2"),
        )
        cells = (NotebookCell(id="t1-1", source=SYSTEM), NotebookCell(id="t1-2", source="y = 2"))
        play.submit(Restore(turns=(old,), proposals=proposals, cells=cells))
        play.step(stands("t1-1", "blocked"))
        play.submit(Revert(turn_id="t1"))
        play.step(stands("t1-2", "reverted"))
    return play


def a_front_end_that_comes_in_mid_stream() -> Stage:
    answers = [{"answer": "Words.\n\n" + code("x = 1")}, stalls("```python\ny = 2\nz")]
    with stage(answers) as play:
        play.engine.follow("t1").wait(lambda: play.submit(Prompt(turn_id="t1", text="a value")))
        play.engine.submit(Prompt(turn_id="t2", text="two more"))
        deadline = time.monotonic() + PATIENCE
        while not play.letters().heard["script"].endswith("\nz") and time.monotonic() < deadline:
            time.sleep(0.002)
        play.attach()
        play.submit(Cancel())
        play.step(ended("t2", "cancelled"))
    return play


def a_snapshot_takes_the_place_of_all_that_was_known() -> Stage:
    answers = [{"answer": BAD}, {"answer": code("x = 1")}, {"answer": code("y = 2")}]
    with stage(answers, tries=True) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="list files"))
        play.step(ended("t1"))
        play.submit(Try(cell_id="t1-1"))
        play.step(tried("t1-1"))
        play.submit(Accept(cell_id="none"))
        play.step(lambda view: view.problems)
        play.attach(last_seq=1_000_000)  # with what the Try showed
        play.submit(Prompt(turn_id="t2", text="more"))
        play.step(ended("t2"))
    return play


def a_provider_that_fails_in_mid_answer() -> Stage:
    fails = {"pieces": ["```python\nx = 1\n", "y"], "fail": {"status": 500, "code": "broken", "message": "Broken."}}
    with stage([{**fails, "fail_after": 2}]) as play:
        play.attach()
        play.submit(Prompt(turn_id="t1", text="values"))
        play.step(ended("t1", "failed"))
    return play


def the_models_and_which_one_is_chosen() -> Stage:
    with stage([{"answer": code("x = 1")}], models=("script", "other")) as play:
        play.attach()
        play.submit(ListModels())
        play.step(lambda view: view.models)
        play.submit(SelectModel(model="other"))
        play.step(lambda view: view.model == "other")
        play.submit(Prompt(turn_id="t1", text="a value"))
        play.step(ended("t1"))
    return play


def of_many_problems_the_youngest_are_kept() -> Stage:
    with stage([]) as play:
        play.attach()
        play.submit(*(Accept(cell_id=f"none-{number}") for number in range(22)))
        play.step(lambda view: view.problems and "none-21" in view.problems[-1].message)
    return play


SCENARIOS: tuple[Callable[[], Stage], ...] = (
    a_turn_with_notes_and_cells_of_both_types,
    an_answer_that_was_thinking_up_to_a_tag,
    a_steer_in_mid_line,
    a_turn_that_is_stopped_at_what_the_screen_shows,
    a_correction,
    a_model_that_insists_is_blocked_and_runs_after_a_second_yes,
    a_race_and_another_attempt_that_is_chosen,
    a_race_that_nobody_wins,
    a_try_and_one_that_lacks_a_permission,
    a_try_that_surprises_and_the_text_that_takes_its_place,
    a_review_of_the_notebook,
    an_agent_that_asks_to_run_what_it_proposes,
    a_fix_that_is_tried_by_itself,
    a_deep_work_that_is_paused_and_steered_and_proposed,
    an_answer_that_is_offered_to_the_deep_gear_and_handed_up,
    an_edit_of_which_a_hunk_is_kept_and_a_later_edit_of_the_same_cell,
    edits_of_one_cell_that_are_undone_redone_rejected_and_reverted,
    a_turn_that_the_notebook_remembers,
    a_front_end_that_comes_in_mid_stream,
    a_snapshot_takes_the_place_of_all_that_was_known,
    a_provider_that_fails_in_mid_answer,
    the_models_and_which_one_is_chosen,
    of_many_problems_the_youngest_are_kept,
)


def name_of(scenario: Callable[[], Stage]) -> str:
    """The scenario's name as its file has it."""
    return scenario.__name__.replace("_", "-")


def record(scenario: Callable[[], Stage]) -> str:
    """The text of a scenario's fixture, played now."""
    fixture = {"name": name_of(scenario).replace("-", " "), "steps": scenario().steps}
    return json.dumps(fixture, indent=1, ensure_ascii=False) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Write the files, or with ``--check`` compare them. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    parser.add_argument("names", nargs="*", help="of fixtures, without .json; all where none is given")
    options = parser.parse_args(argv)
    stale = 0
    for scenario in SCENARIOS:
        path = FOLDER / f"{name_of(scenario)}.json"
        if options.names and path.stem not in options.names:
            continue
        text = record(scenario)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        if not options.check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        print(f"{path.name} {'differs' if options.check else 'written'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
