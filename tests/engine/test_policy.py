"""Every command under an administrators' policy, on a real engine and real sockets."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec import structs

from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.connection import connect
from spark_jupyter.engine.command_dispatcher import refuse
from spark_jupyter.engine.configuration import Options
from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.provider_choice import providers
from spark_jupyter.exceptions import PolicyError
from spark_jupyter.policy import RuleFile, Rules, load_policy
from spark_jupyter.protocol.agent_messages import AnswerRun, AskRun, Inquire, ProposedCell
from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.messages import Attach, Command, Hello, Problem, Prompt
from spark_jupyter.protocol.proposal_messages import Revert, Run
from spark_jupyter.protocol.provider_messages import (
    AllowImages,
    CheckImages,
    Configure,
    DownloadModel,
    ListModels,
    SelectModel,
    UseProvider,
)
from spark_jupyter.protocol.values import Attempts, Image
from spark_jupyter.providers.addresses import base_url
from spark_jupyter.providers.base import Message, ModelRequest
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Choice, Secret, Settings
from spark_jupyter.routing.limited_connection import LimitedConnection
from spark_jupyter.routing.link import linker, price_of
from tests.engine.long_answer import until
from tests.test_policy import write

ANSWER = [{"answer": "```python\nx = 1\n```\n", "repeat": True}]
STRICT = """
decided_by = "Physics IT"
base_urls = ["ws://127.0.0.1:1/v1"]
models = ["script"]
agents = false
auto_run = false
rehearsal = false
images = false
"""
REFUSED = [
    Attach(client_id="c", agent="Helper"),
    Prompt(turn_id="t", text="x", proposes=(ProposedCell(source="x = 1"),)),
    Prompt(turn_id="t", text="x", agent="Helper"),
    Prompt(turn_id="t", text="x", model="other"),
    Prompt(turn_id="t", text="x", attempts=Attempts(models=("script", "other"))),
    Revert(turn_id="t", agent="Helper"),
    Inquire(request_id="r", question="variables"),
    AskRun(request_id="r", cell_id="c"),
    AnswerRun(request_id="r", allowed=True, minutes=30),
    Run(cell_id="c", unasked=True),
    SelectModel(model="other"),
    ChooseDeep(model="other"),
]
ALLOWED = [
    Attach(client_id="c"),
    Prompt(turn_id="t", text="x", model="script"),
    Revert(turn_id="t"),
    AnswerRun(request_id="r", allowed=True),
    AnswerRun(request_id="r", allowed=False, minutes=30),
    Run(cell_id="c", confirmed=True),
    SelectModel(model="script"),
    SelectModel(model="", tier="fast"),
    ChooseDeep(),
]
REFUSED_LATER = {UseProvider, AllowImages, CheckImages, DownloadModel}
"""Refused where a provider is connected, a download begins and requests are sent: tests below."""
UNCHANGED = {
    *("Steer", "Cancel", "CancelTry", "Accept", "Reject", "Try", "ChooseAttempt", "CellEdited", "NewConversation"),
    *("ListConversations", "OpenConversation", "RenameConversation", "DeleteConversation", "Restore", "ListModels"),
    *(
        "ListMentions",
        "ListIdeas",
        "ListProviders",
        "Configure",
        "Complete",
        "DropCompletion",
        "BeginDeep",
        "SteerDeep",
    ),
    *("EditPlan", "DirectDeep", "RestoreDeep", "FindNextEdits", "BeginReview", "CancelReview", "Warm", "Resend"),
    *("TellCells", "RevokeGrants", "ListRules", "SetOwnKey", "SwitchDrafts", "BeginDraft", "DropDraft"),
}
"""Taken in as without a policy. Their requests are held to it on the connection, their settings where they are applied."""


@pytest.fixture
def policy(own_home):
    """Writes a policy and reads it."""

    def make(text):
        write(own_home / "jupyter_config_dir", text)
        return load_policy()

    return make


def test_attempts_come_back_when_the_rules_that_forbade_them_are_gone(play_answers):
    info = play_answers([])
    plain = linker(Settings(base_url=info.url, api_key=Secret(info.token), model="script"))

    async def racing():
        return structs.replace(await plain(), attempts=3)

    rules = AuthorRules(signed=(RuleFile(path=Path("lesson.ipynb"), rules=Rules(attempts=False)),))
    attempts = []
    with closing(Engine(racing)) as engine:
        engine.wait_until_connected(30)
        for one in (AuthorRules(), rules, AuthorRules()):
            engine.restrict(one)
            engine.say(SelectModel(model="script"))
            attempts.append(engine.read(lambda session: session.checked_attempts))
    assert attempts == [3, 1, 3]


def test_of_every_command_it_is_known_what_a_policy_does_with_it():
    named = {type(one) for one in (*REFUSED, *ALLOWED)} | REFUSED_LATER
    unknown = {kind for kind in get_args(Command) if kind not in named and kind.__name__ not in UNCHANGED}
    assert not unknown, "say in this file what a policy does with it"
    assert not {kind.__name__ for kind in named} & UNCHANGED


@pytest.mark.parametrize("command", REFUSED, ids=repr)
def test_a_command_that_is_not_allowed_is_refused_with_who_decided_that(policy, command):
    with pytest.raises(PolicyError, match="not allowed by Physics IT"):
        refuse(command, policy(STRICT))
    refuse(command, load_policy().__class__())  # without a policy it is taken


@pytest.mark.parametrize("command", ALLOWED, ids=repr)
def test_what_is_allowed_is_taken(policy, command):
    refuse(command, policy(STRICT))


def engine_with(make_engine, policy, answers=ANSWER):
    watched = make_engine(answers, options=Options(own=Configure(rehearse="stream"), policy=policy))
    watched.engine.wait_until_connected(60)
    return watched


def problems(watched):
    return [event for event in watched.events if isinstance(event, Problem)]


def test_the_engine_refuses_and_says_so_in_hello(make_engine, policy):
    limits = policy("images = false\nrehearsal = false\nauto_run = false\n")
    watched = engine_with(make_engine, limits)
    hello = watched.engine.read(lambda _: watched.engine.hello())
    assert set(hello.policy.off) == {"images", "rehearsal", "auto_run"}
    assert hello.policy.lines
    assert "not allowed" in hello.rehearsal_unavailable
    with pytest.raises(PolicyError, match="Running cells without asking"):
        watched.engine.say(Run(cell_id="c", unasked=True))
    assert msgspec.convert(msgspec.to_builtins(hello), Hello) == hello


def test_a_setting_does_not_lift_it(make_engine, policy):
    watched = engine_with(make_engine, policy("rehearsal = false\n"))
    watched.engine.say(Configure(rehearse="stream"))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1").outcome == "completed"
    assert watched.engine.read(lambda session: session.rehearse) == "off"


def test_a_provider_elsewhere_gets_nothing(make_engine, policy, play_answers):
    policy('decided_by = "Physics IT"\nbase_urls = ["http://127.0.0.1:1/v1"]\n')
    watched = make_engine(ANSWER)
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    ended = watched.wait("t1")
    assert ended.outcome == "failed"
    assert "not allowed by Physics IT" in ended.reason


def test_another_provider_can_not_be_chosen(make_engine, policy, play_answers):
    here, other = play_answers(ANSWER), play_answers(ANSWER)
    policy(f"base_urls = ['{here.url}']\n")
    watched = make_engine(ANSWER)
    with pytest.raises(PolicyError):
        watched.engine.use(linker(Settings(base_url=other.url, api_key=Secret(other.token), model="script")))
    link = watched.engine.use(linker(Settings(base_url=here.url, api_key=Secret(here.token), model="script")))
    assert link.model == "script"


def test_the_picker_lists_what_is_allowed(policy):
    policy("providers = ['openai', 'ollama']\n")
    names = [provider.name for provider in providers({}).providers]
    assert names == ["openai", "spark", "ollama"]  # spark is another one at OpenAI's address


def test_a_key_in_the_environment_chooses_no_provider_that_is_not_allowed(policy):
    from spark_jupyter.providers.profiles import choose, load_profiles

    marked = policy("providers = ['groq']\n").marked(load_profiles(), {})
    environ = {"OPENAI_API_KEY": "k" * 20, "GROQ_API_KEY": "k" * 20}
    assert choose(profiles=marked, environ=environ).profile.name == "groq"


def test_only_allowed_models_are_listed_and_asked(make_engine, policy, play_answers):
    limits = policy("models = ['script']\n")
    watched = engine_with(make_engine, limits)
    watched.engine.submit(ListModels())
    until(lambda: watched.view.models)
    assert [model.id for model in watched.view.models] == ["script"]
    with pytest.raises(PolicyError, match="The model other"):
        watched.engine.say(SelectModel(model="other"))
    watched.engine.submit(Prompt(turn_id="t1", text="x"))
    assert watched.wait("t1").outcome == "completed"


async def stream(connection, request):
    return [event async for batch in connection.stream(request) for event in batch]


def limited(info, policy, price=lambda model: None):
    choice = Choice(
        profile=Profile(name="x"),
        base_url=base_url(info.url, "responses-websocket"),
        model="script",
        dialect="responses-websocket",
        api_key=Secret(info.token),
    )
    return LimitedConnection(connect(choice), policy, price)


def request(model="script", images=()):
    return ModelRequest(model=model, instructions="", input=(Message("user", "x", images),))


async def _closed(connection, *requests):
    try:
        return [await stream(connection, one) for one in requests]
    finally:
        await connection.close()


def test_a_request_for_another_model_is_not_sent(policy, play_answers):
    connection = limited(play_answers(ANSWER), policy("models = ['other']\n"))
    with pytest.raises(PolicyError, match="The model script"):
        asyncio.run(_closed(connection, request()))


def test_images_are_taken_out_of_every_request(policy, play_answers):
    seen = []
    connection = limited(play_answers(ANSWER), policy("images = false\n"))
    inner = connection._connection.stream
    connection._connection.stream = lambda sent: seen.append(sent) or inner(sent)
    image = Image(media_type="image/png", data="aGVsbG8=", width=8, height=8)
    asyncio.run(_closed(connection, request(images=(image,))))
    assert not any(message.images for message in seen[0].input)


def test_a_word_for_images_is_refused(make_engine, policy):
    watched = engine_with(make_engine, policy("images = false\n"))
    with pytest.raises(PolicyError, match="Images"):
        watched.engine.image_support(AllowImages(allowed=True))
    support = watched.engine.image_support()
    assert (support.agreed, "not allowed" in support.refused) == (False, True)
    watched.engine.submit(AllowImages(allowed=True))
    until(lambda: problems(watched))
    assert problems(watched)[0].code == "policy_error"


def test_the_budget_of_a_day_ends_every_kind_of_request(policy, play_answers):
    profile = Profile(
        name="x", prices={"*": {"input": 1e6, "output": 0, "as_of": "2026-11-27"}}
    )  # a dollar for each token
    profile = msgspec.convert(msgspec.to_builtins(profile), Profile)
    info = play_answers(ANSWER)
    limits = policy("daily_budget = 0.5\n")
    with pytest.raises(PolicyError, match=r"\$0.50 a day"):
        asyncio.run(_closed(limited(info, limits, lambda model: price_of(profile, model)), request(), request()))
    with pytest.raises(PolicyError):  # also in another kernel
        asyncio.run(_closed(limited(info, limits, lambda model: price_of(profile, model)), request()))


def test_a_budget_does_not_stop_what_costs_nothing(policy, play_answers):
    free = msgspec.convert({"name": "x", "prices": {"*": {"input": 0, "output": 0, "as_of": "2026-11-27"}}}, Profile)
    connection = limited(play_answers(ANSWER), policy("daily_budget = 0\n"), lambda model: price_of(free, model))
    assert all(asyncio.run(_closed(connection, request(), request())))
