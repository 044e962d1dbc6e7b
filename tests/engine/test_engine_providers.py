"""Models and providers of an engine: listed, selected, changed and tested."""

from __future__ import annotations

import pytest

from spark_jupyter.exceptions import ConnectionRefused, SessionError
from spark_jupyter.protocol.messages import (
    Hello,
    Prompt,
    Warm,
)
from spark_jupyter.protocol.provider_messages import Configure, ListModels, ProviderAnswered, SelectModel, UseProvider
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.session.guard import Guard
from tests.engine.long_answer import ANSWER, until


def test_models_are_listed_and_one_is_selected(make_engine):
    watched = make_engine([])
    watched.engine.submit(Warm())
    watched.engine.submit(ListModels())
    until(lambda: watched.view.models)
    assert [model.id for model in watched.engine.models().models] == ["script"]
    watched.engine.say(SelectModel(model="other"))
    assert watched.engine.hello().model == "other"


def test_another_provider_answers_from_the_next_turn_on_and_one_that_fails_changes_nothing(
    make_engine, play_answers, unused_port
):
    watched = make_engine([{"answer": "```python\nfirst\n```\n"}])
    watched.engine.wait_until_connected(60)
    with pytest.raises(ConnectionRefused):
        watched.engine.use(linker(Settings(base_url=f"ws://127.0.0.1:{unused_port}/v1", model="x")))
    watched.engine.submit(Prompt(turn_id="t1", text="a"))
    assert watched.wait("t1", 60).outcome == "completed"
    other = play_answers([{"answer": "```python\nsecond\n```\n"}], models=("another",))
    watched.engine.use(linker(Settings(base_url=other.url, api_key=Secret(other.token), model="another")))
    watched.engine.submit(Prompt(turn_id="t2", text="b"))
    assert watched.wait("t2", 60).outcome == "completed"
    assert [watched.view.proposals[name].source for name in ("t1-1", "t2-1")] == ["first", "second"]
    assert [event for event in watched.events if isinstance(event, Hello)][-1].model == "another"


def test_a_provider_is_not_changed_under_a_turn(make_engine, play_answers):
    watched = make_engine([{"answer": ANSWER}], rate=100)
    watched.engine.submit(Prompt(turn_id="t1", text="a"))
    until(lambda: "t1-1" in watched.view.proposals)
    with pytest.raises(SessionError, match="still streaming"):
        watched.engine.use(linker(Settings(profile="ollama")))


def test_an_unknown_model_fails_and_names_those_that_there_are(make_engine):
    watched = make_engine([])
    watched.engine.submit(Prompt(turn_id="t1", text="x", model="gpt-5.3-codex-spark"))
    ended = watched.wait("t1", 60)
    assert ended.outcome == "failed"
    assert "script" in ended.reason


def test_another_provider_is_tested_and_then_used_as_a_person_chose_it(make_engine, play_answers):
    watched = make_engine([{"answer": "```python\nfirst = 1\n```\n"}])
    other = play_answers([{"answer": "```python\nsecond = 2\n```\n"}])

    def answers() -> list[ProviderAnswered]:
        return [event for event in watched.events if isinstance(event, ProviderAnswered)]

    watched.engine.submit(UseProvider(base_url="http://127.0.0.1:9/v1", only_test=True))
    until(lambda: len(answers()) == 1)
    assert not answers()[0].ok
    watched.engine.submit(UseProvider(base_url=other.url, model="script", key=other.token))
    until(lambda: len(answers()) == 2)
    assert answers()[1].ok
    assert other.token not in answers()[1].message
    watched.engine.submit(Prompt(turn_id="t1", text="go"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == "second = 2"


def test_a_prompt_that_comes_right_behind_a_choice_goes_to_who_was_chosen(make_engine, play_answers, unused_port):
    watched = make_engine([{"answer": "```python\nfirst = 1\n```\n"}])
    other = play_answers([{"answer": "```python\nsecond = 2\n```\n", "repeat": True}])
    watched.engine.wait_until_connected(60)
    watched.engine.submit(UseProvider(base_url=other.url, model="script", key=other.token))
    watched.engine.submit(Prompt(turn_id="t1", text="go"))
    assert watched.wait("t1", 60).outcome == "completed"
    watched.engine.submit(UseProvider(base_url=f"http://127.0.0.1:{unused_port}/v1", model="x"))
    watched.engine.submit(Prompt(turn_id="t2", text="again"))
    assert watched.wait("t2", 60).outcome == "completed"
    assert [watched.view.proposals[name].source for name in ("t1-1", "t2-1")] == ["second = 2", "second = 2"]


def test_of_a_provider_for_which_no_model_was_named_the_models_are_listed_and_none_is_that_of_the_one_before(
    make_engine, play_answers
):
    watched = make_engine([])
    watched.engine.submit(Warm())
    until(lambda: watched.view.model == "script")
    other = play_answers([], models=("first", "second"))
    watched.engine.submit(UseProvider(base_url=other.url, key=other.token))
    until(lambda: [one.id for one in watched.view.models] == ["first", "second"])
    assert watched.view.model == ""


def test_what_the_settings_say_holds_from_the_next_turn_on(make_engine):
    guard = Guard()
    watched = make_engine([{"answer": "```python\nimport os\nos.system(input())\n```\n"}], guard=guard)
    watched.engine.submit(Configure(warn_only=("all",), withhold="remote"))
    watched.engine.submit(Prompt(turn_id="t1", text="go"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].state == "ready"
    assert watched.view.proposals["t1-1"].findings
