"""An agent in the place of a provider, over real standard input and output."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import os
from pathlib import Path

import pytest

from spark_jupyter.agents import acp_connection, acp_process
from spark_jupyter.agents.acp_connection import AgentConnection
from spark_jupyter.exceptions import AuthenticationFailed, ConfigurationError, ConnectionLost, RequestRefused
from spark_jupyter.protocol.values import Image
from spark_jupyter.providers.base import (
    ActivityShown,
    Message,
    ModelRequest,
    PermissionAsked,
    Priority,
    ReasoningDelta,
    ResponseCompleted,
    TextDelta,
)
from spark_jupyter.providers.profile import Profile
from tests.nursery import agents

SCRIPT = Path(__file__).with_name("scripted_agent.py")


class Agent:
    """A scripted agent, its connection, and what it has logged."""

    def __init__(self, folder: Path, *arguments: str, **fields: object) -> None:
        self._log = folder / "log"
        command = tuple(agents().script(SCRIPT, self._log, *arguments))
        profile = Profile(name="scripted", title="Scripted", dialect="acp", command=command, **fields)
        self.connection = AgentConnection(profile, folder, mode="")

    def logged(self, kind: str) -> list[object]:
        lines = map(json.loads, self._log.read_text().splitlines()) if self._log.exists() else []
        return [value for name, value in lines if name == kind]


@pytest.fixture
def agent(tmp_path, monkeypatch):
    monkeypatch.setattr(acp_connection, "PATIENCE", 60.0)  # it stops when it is asked to, however busy the machine is
    return Agent(tmp_path)


def in_loop(test):
    """Run a test on a loop of its own, and end its agent there."""

    @functools.wraps(test)
    def run(**fixtures):
        async def all_of_it():
            try:
                await test(**fixtures)
            finally:
                if "agent" in fixtures:
                    await fixtures["agent"].connection.close()

        asyncio.run(all_of_it())

    return run


def asked(word: str, *earlier: str, **fields: object) -> ModelRequest:
    """A request for ``word`` after earlier ones, each of which was answered."""
    past = [
        Message(role, text) for one in earlier for role, text in (("user", f"## Request\n{one}"), ("assistant", "ok"))
    ]
    fields = {"model": "", **fields}
    return ModelRequest(instructions="Be brief.", input=(*past, Message("user", f"## Request\n{word} it")), **fields)


async def events(agent: Agent, request: ModelRequest) -> list[object]:
    return [event async for batch in agent.connection.stream(request) for event in batch]


async def text(agent: Agent, request: ModelRequest) -> str:
    return "".join(event.text for event in await events(agent, request) if isinstance(event, TextDelta))


@in_loop
async def test_text_plan_tools_and_thoughts_come_as_a_providers_events(agent):
    got = await events(agent, asked("plot"))
    assert (
        "".join(one.text for one in got if isinstance(one, TextDelta)) == "I look.\n\nHere:\n\n```python\nx = 1\n```\n"
    )
    assert [one.text for one in got if isinstance(one, ReasoningDelta)] == ["Hm."]
    plan, read, failed = (one.text for one in got if isinstance(one, ActivityShown))
    assert plan == "Plan:\n\n1. `Look at the 'data'`\n2. `Plot it\N{REPLACEMENT CHARACTER}[2J`"
    assert read == "· `Read sales.csv\N{REPLACEMENT CHARACTER}[2J <script>`"
    assert failed.startswith("· failed: `Read sales.csv")
    assert got[-1] == ResponseCompleted()


@in_loop
async def test_its_environment_has_no_key_of_ours_but_what_its_profile_names(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "SPARK_API_KEY", "ITS_KEY", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret")
    agent = Agent(tmp_path, pass_env=("ITS_KEY",))
    await text(agent, asked("plot"))
    await agent.connection.close()
    (environment,) = agent.logged("environment")
    assert set(environment) <= {*acp_process.PASSED, "ITS_KEY", "LC_CTYPE", "PWD", "SHLVL", "_"}
    assert environment["ITS_KEY"] == "secret"
    assert environment["HOME"] == os.environ["HOME"]


@in_loop
async def test_it_is_offered_no_files_and_no_terminals_and_gets_none(agent):
    said = (await text(agent, asked("files"))).split("|")
    assert said[0].startswith("A notebook's file is not written directly.")
    assert all(one.startswith("This client gives no access") for one in said[1:])
    (capabilities,) = agent.logged("capabilities")
    assert not capabilities["terminal"]
    assert not any(capabilities["fs"].values())


@in_loop
async def test_a_conversation_goes_on_in_its_session_with_only_what_is_new(agent):
    await text(agent, asked("plot"))
    await text(agent, asked("files", "plot it"))
    first, second = agent.logged("prompt")
    assert "Be brief." in first[1]
    assert second == ["s1", "## Request\nfiles it"]


@in_loop
async def test_another_conversation_has_a_session_of_its_own_with_all_of_its_past(agent):
    await text(agent, asked("plot"))
    await text(agent, asked("plot", "load", "clean"))
    (_, told) = agent.logged("prompt")
    assert told[0] == "s2"
    assert told[1].index("load") < told[1].index("clean") < told[1].index("plot it")
    await text(agent, asked("files"))
    assert agent.logged("prompt")[-1][0] == "s3", "a new conversation is not one that asks something else"


@in_loop
async def test_a_redirected_answer_goes_on_in_the_same_session(agent):
    stream = agent.connection.stream(asked("slow"))
    async for batch in stream:
        if any(isinstance(event, TextDelta) for event in batch):
            break
    await stream.aclose()
    steered = Message("user", "## Request\nslow it\n\n## Steer\nplot it")
    assert "x = 1" in await text(agent, ModelRequest(model="", instructions="Be brief.", input=(steered,)))
    assert agent.logged("cancel") == ["s1"]
    assert [session for session, _ in agent.logged("prompt")] == ["s1", "s1"]


@in_loop
async def test_several_answers_at_once_have_a_session_each(agent):
    both = await asyncio.gather(text(agent, asked("plot")), text(agent, asked("plot")))
    assert both[0] == both[1]
    assert {session for session, _ in agent.logged("prompt")} == {"s1", "s2"}


@in_loop
async def test_one_that_does_not_stop_is_ended_and_started_anew(agent, monkeypatch):
    monkeypatch.setattr(acp_connection, "PATIENCE", 0.1)
    stream = agent.connection.stream(asked("stubborn"))
    async for batch in stream:
        if any(isinstance(event, TextDelta) for event in batch):
            break
    await stream.aclose()
    assert "x = 1" in await text(agent, asked("plot"))
    assert len(agent.logged("environment")) == 2


@pytest.mark.parametrize(("allowed", "option"), [(True, "once"), (False, "no")])
@in_loop
async def test_a_permission_waits_for_the_persons_answer(agent, allowed, option):
    said = ""
    async for batch in agent.connection.stream(asked("permission")):
        for event in batch:
            if isinstance(event, PermissionAsked):
                assert (event.agent, event.what) == ("Scripted", "`rm -rf 'build'`")
                assert event.detail == '{"command": "rm -rf build"}'
                agent.connection.answer_permission(event.request_id, allowed)
            said += event.text if isinstance(event, TextDelta) else ""
    assert said == f"Answer: {option}."


@in_loop
async def test_a_permission_that_waits_while_the_turn_is_stopped_is_cancelled(agent):
    stream = agent.connection.stream(asked("permission"))
    async for batch in stream:
        if any(isinstance(event, PermissionAsked) for event in batch):
            break
    await stream.aclose()
    assert "x = 1" in await text(agent, asked("plot", "other"))
    assert len(agent.logged("environment")) == 1, "it heard the answer, so it did not have to be ended"


@in_loop
async def test_who_has_refused_several_times_is_not_asked_again(agent):
    asked_for = 0
    said = ""
    async for batch in agent.connection.stream(asked("insist")):
        for event in batch:
            if isinstance(event, PermissionAsked):
                asked_for += 1
                agent.connection.answer_permission(event.request_id, False)
            said += event.text if isinstance(event, TextDelta | ActivityShown) else ""
    assert asked_for == 3
    assert said.count("Answer: no.") == 5
    assert said.count("as you have refused 3 times: `rm -rf 'build'`") == 2


@in_loop
async def test_a_direct_change_of_a_notebooks_file_is_refused_without_a_question(agent):
    got = await events(agent, asked("notebook"))
    assert not any(isinstance(event, PermissionAsked) for event in got)
    assert "Answer: no." in [event.text for event in got if isinstance(event, TextDelta)][-1]
    assert any("writes a notebook's file" in event.text for event in got if isinstance(event, ActivityShown))


@in_loop
async def test_what_is_no_message_is_passed_over_and_its_text_is_logged_nowhere(agent, caplog):
    with caplog.at_level(logging.DEBUG):
        assert await text(agent, asked("garbage")) == "Still here."
        assert await text(agent, asked("strangers", "garbage it")) == "Mine."
    assert not caplog.records


@in_loop
async def test_one_that_ends_in_the_middle_is_said_and_started_anew(agent):
    with pytest.raises(ConnectionLost) as lost:
        await text(agent, asked("die"))
    assert lost.value.message == "Scripted has ended. It said: out of\N{REPLACEMENT CHARACTER}[2J memory"
    assert "x = 1" in await text(agent, asked("plot"))


@in_loop
async def test_one_that_is_not_signed_in_says_what_to_do(tmp_path):
    agent = Agent(tmp_path, "signed-out")
    with pytest.raises(AuthenticationFailed, match="Scripted is not signed in"):
        await text(agent, asked("plot"))
    await agent.connection.close()


@in_loop
async def test_one_that_is_not_installed_says_how_to_install_it(tmp_path):
    profile = Profile(name="a", title="A", dialect="acp", command=("no-such-agent",), install="npm install -g a")
    with pytest.raises(ConfigurationError, match=r"A is not installed.*npm install -g a"):
        await AgentConnection(profile, tmp_path).open()


@in_loop
async def test_models_are_listed_and_chosen(agent):
    assert [model.id for model in await agent.connection.models()] == ["small", "large"]
    await text(agent, asked("plot", model="large"))
    await text(agent, asked("files", "plot it", model="large"))
    await text(agent, asked("plot", "plot it", "files it", model="unknown"))
    assert agent.logged("option") == [["m", "large"]]


@in_loop
async def test_it_works_in_the_mode_that_was_chosen(tmp_path):
    agent = Agent(tmp_path)
    assert (agent.connection.mode, agent.connection.modes) == ("", ())
    await agent.connection.models()
    assert (agent.connection.model, agent.connection.mode, agent.connection.modes) == ("small", "ask", ("ask", "plan"))
    await text(agent, asked("plot"))
    assert agent.logged("mode") == []
    agent.connection.mode = "plan"
    await text(agent, asked("plot"))
    assert agent.logged("mode") == ["plan"]
    agent.connection.mode = "bold"
    with pytest.raises(RequestRefused, match="It has: ask, plan"):
        await text(agent, asked("plot", "other"))
    await agent.connection.close()


@in_loop
async def test_nothing_but_prompts_is_asked_of_it(agent):
    with pytest.raises(RequestRefused, match="makes no suggestions"):
        await text(agent, asked("plot", priority=Priority.COMPLETION))
    assert not agent.logged("prompt")


PICTURE = Image(media_type="image/png", data="AAAA", width=4, height=4)


@in_loop
async def test_images_go_along_where_it_takes_them(tmp_path):
    for arguments, expected in (((), []), (("sees",), [["image/png", "AAAA"]])):
        folder = tmp_path / "".join(["agent", *arguments])
        folder.mkdir()
        agent = Agent(folder, *arguments)
        request = ModelRequest(model="", instructions="", input=(Message("user", "## Request\nplot it", (PICTURE,)),))
        assert agent.connection.takes_images is None
        await text(agent, request)
        assert agent.connection.takes_images == bool(arguments)
        assert agent.logged("images") == [expected]
        await agent.connection.close()
