"""Two gears on real sockets: deep work has connections of its own, and who does it can be chosen. What a Try says is given."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from msgspec import structs

from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.deep_messages import (
    BeginDeep,
    ChooseDeep,
    DeepBudget,
    DeepLimits,
    DeepStep,
    DeepWork,
    DirectDeep,
    RestoreDeep,
    SteerDeep,
)
from spark_jupyter.protocol.messages import Cancel, Prompt
from spark_jupyter.protocol.provider_messages import Configure
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.session.answer_trials import AnswerTrial, TryAnswer
from tests.conftest import Watched
from tests.engine.test_engine import until
from tests.nursery import agents

PLAN = {"match": "## Intent\nplan", "answer": "1. Make numbers\n2. Sum them up\n"}
NUMBERS = {"match": "## Request\nMake numbers", "answer": "```python\nnumbers = [1, 2]\n```\n"}
SUM = {"match": "## Request\nSum them up", "answer": "```python\ntotal = sum(numbers)\n```\n"}


async def passes(action: TryAnswer) -> AnswerTrial:
    results = tuple(TrialResult(turn_id="a", cell_id="", summary="ran") for _ in action.cells)
    return AnswerTrial(results=results, checks=("",) * len(action.checks))


CHECKS = Checks(try_answer=passes)


def state(engine, work_id="w1"):
    return engine.read(lambda session: next(one.state for one in session.deep_works if one.id == work_id))


def test_it_goes_from_a_prompt_to_one_proposal(make_engine):
    watched = make_engine([PLAN, NUMBERS, SUM], checks=CHECKS)
    engine = watched.engine
    engine.say(BeginDeep(work_id="w1", text="a report"))
    assert watched.wait("w1").outcome == "completed"
    sources = engine.read(lambda session: [draft.source for draft in session.store.of_turn("w1")])
    assert sources == ["numbers = [1, 2]", "total = sum(numbers)"]


def test_it_knows_which_cells_ran_in_another_life_of_the_kernel(make_engine):
    async def fails(action: TryAnswer) -> AnswerTrial:
        missing = "NameError: name 'masses' is not defined"
        return AnswerTrial(results=(TrialResult(turn_id="a", cell_id="", error=missing, summary=""),))

    watched = make_engine([PLAN, NUMBERS], checks=Checks(try_answer=fails), kernel=Kernel(dict))
    cells = (NotebookCell(id="a", source="masses = [1.2, 0.9]", execution_count=1),)
    watched.engine.say(BeginDeep(work_id="w1", text="a report", cells=cells))
    log = lambda session: " ".join(entry.text for entry in session.deep_works[0].log)  # noqa: E731
    until(lambda: "Cell 1 defines it and has not run" in watched.engine.read(log))


def test_a_turn_does_not_wait_for_it_and_a_cancel_leaves_it(make_engine):
    answers = [PLAN, {**NUMBERS, "stall_after": 1}, {"answer": "```python\nx = 1\n```\n"}]
    watched = make_engine(answers, checks=CHECKS)
    engine = watched.engine
    engine.say(BeginDeep(work_id="w1", text="a report"))
    until(lambda: state(engine) == "writing")
    engine.say(Prompt(turn_id="t1", text="a value"))
    assert watched.wait("t1", 60).outcome == "completed"
    engine.say(Cancel())
    assert state(engine) == "writing"
    assert engine._routing.turns.link.connection is not engine._routing.deep._deep.link.connection


def test_a_dropped_connection_is_sought_again_and_nothing_is_done_twice(make_engine):
    watched = make_engine([PLAN, NUMBERS, {**SUM, "drop_after": 2}, SUM], checks=CHECKS)
    engine = watched.engine
    engine.say(BeginDeep(work_id="w1", text="a report"))
    assert watched.wait("w1", 60).outcome == "completed"
    work = engine.read(lambda session: session.deep_works[-1])
    assert [step.rounds for step in work.steps] == [1, 1]
    assert any("closed" in entry.text.lower() or "lost" in entry.text.lower() for entry in work.log)


def test_a_steer_that_begins_with_a_skill_brings_its_instructions(make_engine):
    kernel = Kernel(
        surroundings=lambda prompt: Surroundings(skill="/clean\nDrop nothing." if prompt.text.startswith("/") else ""),
        checks=CHECKS,
    )
    slow = {**NUMBERS, "stall_after": 1}
    watched = make_engine([PLAN, SUM, {**NUMBERS, "match": "Drop nothing."}, slow], kernel=kernel)
    watched.engine.say(BeginDeep(work_id="w1", text="a report"))
    until(lambda: state(watched.engine) == "writing")
    watched.engine.say(SteerDeep(work_id="w1", text="/clean the rows"))
    assert watched.wait("w1", 60).outcome == "completed"
    notes = [entry.text for entry in watched.engine.read(lambda session: session.deep_works[-1].log)]
    assert "You said: /clean the rows" in notes


def test_its_time_ends_it_on_a_real_clock(make_engine):
    engine = make_engine([{**PLAN, "stall_after": 1}], checks=CHECKS, options=Options(clock=time.time)).engine
    engine.say(BeginDeep(work_id="w1", text="a report", budget=DeepBudget(seconds=0.2)))
    until(lambda: state(engine) == "gave-up")


def test_another_model_does_it_when_it_is_chosen_and_hello_says_who(make_engine):
    engine = make_engine([PLAN, NUMBERS, SUM], checks=CHECKS).engine
    engine.submit(ChooseDeep(model="script", effort="high", lanes=0))
    until(lambda: engine.hello().deep.effort == "high")
    assert (engine.hello().deep.model, engine.hello().deep.lanes) == ("script", 0)


def test_another_provider_comes_with_its_own_model(make_engine):
    engine = make_engine([PLAN], checks=CHECKS).engine
    engine.submit(ChooseDeep(model="script", profile=""))
    engine.submit(ChooseDeep(profile="openai"))
    until(lambda: engine.hello().deep.provider == "openai")
    assert engine.hello().deep.model == ""


def test_an_agent_does_deep_work(make_engine, tmp_path):
    agent = Path(__file__).parents[1] / "agents" / "scripted_agent.py"
    folder = Path(os.environ["JUPYTER_CONFIG_DIR"], "spark_jupyter")
    folder.mkdir(parents=True, mode=0o700)
    command = json.dumps(agents().script(agent, tmp_path / "log"))
    (folder / "profiles.toml").write_text(f'[scripted]\ndialect = "acp"\ncommand = {command}\n')
    watched = make_engine([], checks=CHECKS, options=Options(own=Configure(deep=ChooseDeep(profile="scripted"))))
    watched.engine.say(BeginDeep(work_id="w1", text="deeply"))
    assert watched.wait("w1").outcome == "completed"
    sources = watched.engine.read(lambda session: [draft.source for draft in session.store.of_turn("w1")])
    assert sources == ["numbers = [1, 2]"]


def test_a_profile_says_which_other_one_does_deep_work_and_how_much_that_may_think(play_answers, monkeypatch):
    fast, slow = play_answers([]), play_answers([PLAN, NUMBERS, SUM], models=["thinker"])
    folder = Path(os.environ["JUPYTER_CONFIG_DIR"], "spark_jupyter")
    folder.mkdir(parents=True, exist_ok=True)
    profile = '[{}]\nbase_url = "{}"\nkey_env = "{}"\nmodel = "script"\n'
    profiles = profile.format("quick", fast.url, "QUICK") + 'deep_profile = "slow"\n'
    profiles += profile.format("slow", slow.url, "SLOW") + 'deep_model = "thinker"\ndeep_effort = "high"\n'
    profiles += "deep_minutes = 120\ndeep_tokens = 900\ndeep_dollars = 2.5\n"
    (folder / "profiles.toml").write_text(profiles)
    monkeypatch.setenv("QUICK", fast.token)
    monkeypatch.setenv("SLOW", slow.token)
    limits = ChooseDeep(budget=DeepLimits(tokens=50_000))
    engine = Engine(
        linker(Settings(profile="quick")),
        kernel=Kernel(checks=CHECKS),
        options=Options(own=Configure(withhold="remote", deep=limits)),
    )
    try:
        assert engine.read(lambda session: session.dialogue.withholds), "who is asked is not known yet"
        engine.say(BeginDeep(work_id="w1", text="a report"))
        until(lambda: state(engine) == "proposed")
        assert engine.read(lambda session: session.dialogue.withholds)
        engine.wait_until_connected(60)
        gear = engine.hello().deep
        assert (gear.provider, gear.model, gear.effort) == ("slow", "thinker", "high")
        budget = DeepBudget(seconds=7200.0, tokens=50_000, dollars=2.5)
        assert gear.budget == budget, "the profile's, but for what was said here"
        assert engine.read(lambda session: session.deep_works[-1].budget) == budget, "also where it began before"
        assert engine.read(lambda session: session.dialogue.withholds), "it goes elsewhere"
    finally:
        engine.close()


KEPT = DeepWork(id="w1", prompt="a report", state="paused", steps=(DeepStep(text="Make numbers"),))


def test_one_that_a_notebook_has_kept_goes_on_with_who_was_chosen(make_engine):
    mine = ChooseDeep(model="script", budget=DeepLimits(seconds=60))
    engine = make_engine([PLAN], checks=CHECKS, options=Options(own=Configure(deep=mine))).engine
    engine.say(RestoreDeep(works=(KEPT,)))
    (work,) = engine.read(lambda session: session.deep_works)
    assert (work.model, work.budget.seconds) == ("script", 60)


@pytest.mark.parametrize(
    ("typed", "read"), [(False, "report on df and ~/.ssh/id_rsa"), (True, "report on @df and @~/.ssh/id_rsa")]
)
def test_what_a_notebooks_own_plan_points_at_is_not_looked_up(make_engine, typed, read):
    text, asked = "report on @df and @~/.ssh/id_rsa", []
    engine = make_engine(
        [{**PLAN, "stall_after": 1}, PLAN],
        checks=CHECKS,
        kernel=Kernel(surroundings=lambda prompt: asked.append(prompt.text) or Surroundings()),
    ).engine
    if typed:
        engine.say(BeginDeep(work_id="w1", text=text))
        until(lambda: asked)
        engine.say(DirectDeep(work_id="w1", what="pause"))
    else:
        engine.say(RestoreDeep(works=(structs.replace(KEPT, prompt=text),)))
    until(lambda: state(engine) == "paused")
    engine.say(DirectDeep(work_id="w1", what="go-on"))
    until(lambda: len(asked) == 1 + typed)
    assert asked[-1] == read


def test_one_that_a_notebook_has_kept_does_not_go_on_without_a_copy_of_a_kernel(make_engine):
    engine = make_engine([PLAN]).engine
    engine.say(RestoreDeep(works=(KEPT,)))
    with pytest.raises(SessionError, match="copy of the kernel"):
        engine.say(DirectDeep(work_id="w1", what="go-on"))


def test_where_deep_work_goes_elsewhere_credentials_are_withheld_from_both(make_engine):
    engine = make_engine([PLAN], checks=CHECKS, options=Options(own=Configure(withhold="remote"))).engine
    engine.wait_until_connected(60)
    assert engine.read(lambda session: session.dialogue.withholds) is False
    engine.submit(ChooseDeep(profile="openai"))
    until(lambda: engine.read(lambda session: session.dialogue.withholds))
    assert engine.hello().deep.provider == "openai"


def test_without_a_copy_of_a_kernel_there_is_none(make_engine):
    engine = make_engine([PLAN]).engine
    assert "no kernel" in engine.hello().deep.unavailable
    with pytest.raises(SessionError, match="copy of the kernel"):
        engine.say(BeginDeep(work_id="w1", text="a report"))


def test_the_provider_stays_while_it_works(make_engine):
    engine = make_engine([PLAN, {**NUMBERS, "stall_after": 1}], checks=CHECKS).engine
    engine.say(BeginDeep(work_id="w1", text="a report"))
    until(lambda: state(engine) == "writing")
    with pytest.raises(SessionError, match="Deep work"):
        engine.use(linker(Settings(profile="embedded")))
    engine.say(DirectDeep(work_id="w1", what="cancel"))
    assert state(engine) == "cancelled"


def test_a_front_end_that_comes_later_has_all_of_it_in_its_snapshot(make_engine):
    engine = make_engine([PLAN, {**NUMBERS, "stall_after": 1}], checks=CHECKS).engine
    engine.say(BeginDeep(work_id="w1", text="a report"))
    until(lambda: state(engine) == "writing")
    seen = []
    engine.subscribe(lambda frame: seen.extend(frame.msgs), last_seq=1_000_000)
    until(lambda: any(type(event).__name__ == "Snapshot" for event in seen))
    (snapshot,) = [event for event in seen if type(event).__name__ == "Snapshot"]
    assert [work.id for work in snapshot.deep] == ["w1"]


def test_a_connection_that_drops_during_an_answer_in_the_background_is_not_even_noticed(play_answers):
    """The embedded server's profile says that its answers go on."""
    info = play_answers([PLAN, NUMBERS, {**SUM, "drop_after": 2}])
    settings = Settings(profile="embedded", base_url=info.url, api_key=Secret(info.token), model="script")
    engine = Engine(
        linker(settings), kernel=Kernel(checks=CHECKS), options=Options(own=Configure(deep=ChooseDeep(model="script")))
    )
    watched = Watched(engine)
    try:
        engine.say(BeginDeep(work_id="w1", text="a report"))
        assert watched.wait("w1", 60).outcome == "completed"
        work = engine.read(lambda session: session.deep_works[-1])
        assert [step.rounds for step in work.steps] == [1, 1]
        assert not any("lost" in entry.text.lower() for entry in work.log)
    finally:
        engine.close()
