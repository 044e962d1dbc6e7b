"""Another provider, chosen in the panel: tested, taken or refused; the key goes nowhere else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from msgspec import structs

from spark_jupyter.connection.kept_keys import MemoryKeys
from spark_jupyter.engine import provider_choice
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.message_frames import encode
from spark_jupyter.protocol.provider_messages import ProviderAnswered, UseProvider
from spark_jupyter.protocol.values import Finding
from spark_jupyter.providers.model_choice import service_text
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.session.guard import Guard
from spark_jupyter.ui.cli import doctor
from tests.connection.http_peers import Writer
from tests.connection.peers import http_peer, reply
from tests.engine.test_engine import until


def test_the_providers_say_where_their_key_is_and_never_what_it_is() -> None:
    said = provider_choice.providers({"OPENAI_API_KEY": "sk-not-to-be-seen"})
    openai = next(one for one in said.providers if one.name == "openai")
    assert (openai.key_env, openai.has_key) == ("OPENAI_API_KEY", True)
    assert not next(one for one in said.providers if one.name == "groq").has_key
    assert b"not-to-be-seen" not in encode(said)


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        (UseProvider(), "No provider was chosen"),
        (UseProvider(profile="openai", key_env="NO_SUCH_KEY"), "NO_SUCH_KEY is not set where the kernel runs"),
        (UseProvider(profile="openai", key="a\nb"), "That can't be a key"),
    ],
)
def test_what_can_not_be_chosen_says_what_to_do(wish: UseProvider, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        provider_choice.link_to(wish, {})


def test_a_key_that_was_pasted_goes_to_the_base_url_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    wish = UseProvider(base_url="http://127.0.0.1:9/v1", model="m", key=" pasted ")
    link = asyncio.run(provider_choice.link_to(wish)())
    assert (link.model, link.provider) == ("m", "127.0.0.1:9")


def test_what_is_saved_for_all_notebooks_gives_way_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BASE_URL", "http://127.0.0.1:1/v1"), ("API_KEY", "of-the-lesson"), ("MODEL", "small")):
        monkeypatch.setenv(f"SPARK_{name}", value)

    async def place(saved: bool) -> str:
        wish = UseProvider(base_url="http://127.0.0.1:2/v1", model="m", key="k", saved=saved)
        link = await provider_choice.link_to(wish)()
        return f"{link.provider} {link.model}"

    assert asyncio.run(place(True)) == "127.0.0.1:1 small"
    assert asyncio.run(place(False)) == "127.0.0.1:2 m"


def test_a_rule_that_was_softened_no_longer_blocks_and_can_be_given_back() -> None:
    finding = Finding(rule="weak-hash", severity="block", line=1, message="m")
    guard = Guard()
    guard.soften(["weak-hash"])
    assert guard.judged([finding])[0].severity == "warn"
    guard.soften(["all"])
    assert guard.judged([finding])[0].severity == "warn"
    guard.soften([])
    assert guard.judged([finding])[0].severity == "block"
    assert Guard(severities={"all": "warn"}).judged([finding])[0].severity == "warn"


def test_the_model_files_of_the_folder_are_listed_by_their_paths(tmp_path: Path) -> None:
    for name in ("small.gguf", "large.gguf", "notes.txt"):
        (tmp_path / name).touch()
    files = (str(tmp_path / "large.gguf"), str(tmp_path / "small.gguf"))
    assert provider_choice.providers({}, model_folder=str(tmp_path)).files == files
    assert provider_choice.providers({"SPARK_MODELS": str(tmp_path)}).files == files
    assert (
        provider_choice.providers({}).files
        == provider_choice.providers({}, model_folder=str(tmp_path / "none")).files
        == ()
    )


def test_the_answer_of_a_provider_names_no_key() -> None:
    assert "key" not in ProviderAnswered.__struct_fields__


def test_who_is_configured_in_the_kernel_answers_again_after_another_one_was_chosen(make_engine, play_answers) -> None:
    engine = make_engine([]).engine
    first = engine.wait_until_connected(30)
    other = play_answers([])
    engine.say(UseProvider(base_url=other.url, key=other.token, model="other"))
    until(lambda: engine.link.model == "other")
    engine.say(UseProvider(own=True))
    until(lambda: engine.link.model == first.model)


def test_a_key_that_was_pasted_in_one_kernel_is_there_in_the_next_unless_it_was_only_tested(
    make_engine, play_answers, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = MemoryKeys("a test")
    monkeypatch.setattr("spark_jupyter.connection.kept_keys._kept_keys", lambda path: keys)
    other = play_answers([])
    wish = UseProvider(base_url=other.url, key=other.token, model="script")
    first = make_engine([])

    def answers(engine) -> list[ProviderAnswered]:
        return [event for event in engine.events if isinstance(event, ProviderAnswered)]

    first.engine.say(structs.replace(wish, only_test=True))
    until(lambda: len(answers(first)) == 1)
    with pytest.raises(ConfigurationError, match="No key is kept"):
        provider_choice.forget_key(other.url)
    first.engine.say(wish)
    until(lambda: len(answers(first)) == 2)
    assert "Its key is kept in the memory of a test." in answers(first)[1].message
    second = make_engine([])
    second.engine.say(structs.replace(wish, key="", only_test=True))
    until(lambda: len(answers(second)) == 1)
    assert answers(second)[0].ok
    assert not [file for file in own_home.rglob("*") if file.is_file() and other.token in file.read_text("latin-1")]
    assert provider_choice.forget_key(other.url) == "Keys in the memory of a test: none."


def test_a_test_and_the_doctor_say_what_a_provider_offers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark_jupyter").mkdir()
    monkeypatch.setattr("jupyter_core.paths.jupyter_config_path", lambda: [str(tmp_path)])
    listed = json.dumps({"data": [{"id": "seer", "capabilities": {"vision": True}}]})

    async def ask() -> tuple[str, str]:
        async def lists(writer: Writer, method: str, path: str, body: bytes) -> None:
            reply(writer, listed.encode())

        async with http_peer(lists) as server:
            (tmp_path / "spark_jupyter" / "profiles.toml").write_text(
                f'[mine]\nbase_url = "{server.url}"\ndialect = "chat"\nmodel = "seer"\ntiers = ["flex"]\nwindows = ["8h"]\n'
            )
            connect = linker(Settings(profile="mine"))
            provider = await asyncio.to_thread(doctor._provider, Settings(profile="mine"))
            return (await provider_choice.tested(connect)).message, provider.detail

    for said in asyncio.run(ask()):
        assert "The model seer reads images." in said
        assert "Tiers: flex (in use: standard)." in said
        assert "Answers within 8h cost less in deep work." in said


@pytest.mark.parametrize(
    ("auth", "said"), [("azure", "Entra ID"), ("aws", "AWS login"), ("google", "application default")]
)
def test_a_cloud_login_is_named_where_there_is_no_key(auth: str, said: str) -> None:
    profile = Profile(name="p", auth=auth)  # type: ignore[arg-type]
    assert said in service_text(profile, "m", None, signs_in=True)
    assert said not in service_text(profile, "m", None, signs_in=False)
