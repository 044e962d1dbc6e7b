"""Rate limits, fallbacks and answers that were cut, on real sockets."""

from __future__ import annotations

import threading

import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.messages import Cancel, Prompt, Steer
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.provider_messages import SelectModel
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker

CODE = "```python\nx = 1\n```\n"


def limited(seconds: str) -> dict[str, object]:
    headers = {"retry-after": seconds}
    return {"fail": {"status": 429, "code": "rate_limit_exceeded", "message": "slow down", "headers": headers}}


def test_a_turn_waits_as_long_as_the_provider_says_and_is_answered(make_engine):
    watched = make_engine([limited("0.2"), {"answer": CODE}])
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1", 60).outcome == "completed"
    waits = [event for event in watched.events if isinstance(event, Meter) and event.wait]
    assert waits[0].wait == pytest.approx(0.2)
    assert "limits the rate" in waits[0].notice
    assert watched.view.proposals["t1-1"].source == "x = 1"


def test_a_wait_can_be_cancelled_and_the_next_turn_is_answered(make_engine):
    watched = make_engine([limited("90"), {"answer": CODE}])
    told = threading.Event()
    watched.engine.subscribe(
        lambda frame: any(isinstance(each, Meter) and each.wait for each in frame.msgs) and told.set()
    )
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert told.wait(60)
    watched.engine.submit(Cancel())
    assert watched.wait("t1", 60).outcome == "cancelled"
    watched.engine.submit(Prompt(turn_id="t2", text="x"))
    assert watched.wait("t2", 60).outcome == "completed"


@pytest.fixture
def second(play_answers, own_home, monkeypatch):
    """A profile of the user's, which answers, and the environment that names it as the fallback."""
    info = play_answers([{"answer": "```python\nfrom_the_second = 1\n```\n"}])
    folder = own_home / "jupyter_config_dir" / "spark_jupyter"
    folder.mkdir(parents=True)
    profile = f'[second]\ntitle = "Second"\nbase_url = "{info.url}"\nmodel = "script"\nkey_env = "SECOND_KEY"\n'
    (folder / "profiles.toml").write_text(profile + 'dialect = "responses-websocket"\n')
    monkeypatch.setenv("SECOND_KEY", info.token)
    return info


def test_the_fallback_answers_where_the_first_provider_would_take_long(make_engine, second, monkeypatch):
    monkeypatch.setenv("SPARK_FALLBACK", "second")
    monkeypatch.setenv("SPARK_API_KEY", "of-the-first")  # which goes nowhere else
    monkeypatch.setenv("SPARK_MODEL", "of-the-first")
    watched = make_engine([limited("60")])
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == "from_the_second = 1"
    notices = [event.notice for event in watched.events if isinstance(event, Meter)]
    assert any("Second is asked instead" in notice for notice in notices)


def test_a_fallback_that_does_not_exist_is_said(play_answers, monkeypatch):
    import asyncio

    info = play_answers([])
    settings = Settings(base_url=info.url, api_key=Secret(info.token), model="script", fallback="nowhere")
    with pytest.raises(ConfigurationError, match="no profile 'nowhere'"):
        asyncio.run(linker(settings)())


def test_an_answer_that_was_cut_for_its_length_is_written_on(make_engine):
    answers = [
        {"answer": "```python\nx = 1\ny = [x,", "incomplete": "max_output_tokens"},
        {"match": "## Steer", "answer": "```python continue\ny = [x, 2]\n```\n"},
    ]
    watched = make_engine(answers)
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    ended = watched.wait("t1", 60)
    assert (ended.outcome, ended.may_go_on) == ("completed", True)
    watched.engine.submit(Steer(turn_id="t2", steers="t1", text="Go on."))
    assert watched.wait("t2", 60).outcome == "completed"
    assert watched.view.proposals["t1-1"].source == "x = 1\ny = [x, 2]"


def test_a_tier_that_is_refused_is_left_out_with_a_sentence(make_engine):
    refused = {"fail": {"status": 400, "code": "invalid_value", "message": "service_tier ultrafast is not available"}}
    watched = make_engine([refused, {"answer": CODE}, {"answer": CODE}])
    watched.engine.submit(SelectModel(model="script", tier="ultrafast"))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1", 60).outcome == "completed"
    notices = [event.notice for event in watched.events if isinstance(event, Meter) and event.notice]
    assert set(notices) == {"The provider refused the tier ultrafast. Asking again without it."}
    watched.engine.submit(Prompt(turn_id="t2", text="x"))  # without it at once, or it would be refused again
    assert watched.wait("t2", 60).outcome == "completed"
