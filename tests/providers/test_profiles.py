"""Profiles and the choice among them."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import msgspec
import pytest

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers import dialects
from spark_jupyter.providers.addresses import base_url, host_of, is_loopback
from spark_jupyter.providers.profiles import (
    Choice,
    Embedded,
    Found,
    Secret,
    Settings,
    choose,
    load_profiles,
    parse_profiles,
)

if TYPE_CHECKING:
    from pathlib import Path

PROFILES = load_profiles()
EMBEDDED = Embedded(url="ws://127.0.0.1:5/v1/responses", token=Secret("token"))


def chosen(settings: Settings | None = None, **environ: str) -> Choice:
    choice = choose(profiles=PROFILES, settings=settings, environ=environ)
    assert choice is not None
    return choice


def key_of(choice: Choice) -> str | None:
    return choice.api_key.reveal() if choice.api_key else None


# --- The files -----------------------------------------------------------------------------------------------------


def test_the_packages_profiles_are_whole() -> None:
    for profile in PROFILES.values():
        assert profile.title
        assert profile.dialect in dialects.names()
        if profile.base_url:
            assert base_url(profile.base_url, profile.dialect) == profile.base_url
        assert not profile.key_env or profile.key_env.isupper()
    assert {"openai", "azure", "xai", "vercel", "litellm", "ollama", "lmstudio", "vllm", "llamacpp"} <= set(PROFILES)
    assert {"groq", "cerebras", "spark", "embedded"} <= set(PROFILES)


def test_a_users_profiles_are_added_and_change_only_what_they_name(tmp_path: Path) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    for directory, text in (
        (near, '[groq]\nmodel = "near"\n[mine]\nbase_url = "http://host:1/v1"\n'),
        (far, '[groq]\nmodel = "far"\ntitle = "Far"\n'),
    ):
        (directory / "spark_jupyter").mkdir(parents=True)
        (directory / "spark_jupyter" / "profiles.toml").write_text(text)
    profiles = load_profiles([near, far, tmp_path / "none"])
    assert (profiles["groq"].model, profiles["groq"].title) == ("near", "Far")
    assert profiles["groq"].key_env == "GROQ_API_KEY"
    assert profiles["mine"].dialect == "auto"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a\n", "not valid TOML"),
        ('[a]\nbase_ulr = "x"\n', "base_ulr"),
        ('[a]\ndialect = "smoke"\n', "dialect"),
        ("[a]\nlanes = 3\n", "lanes"),
        ("a = 3\n", "'a' stands outside of a profile"),
        ('[a]\nkey = "sk-secret"\n', "holds a key"),
        ("[a]\nprices = { m = { input = 1.0 } }\n", "prices"),
        ("[a]\nprices = 3\n", "prices"),
    ],
)
def test_a_wrong_file_is_said_with_its_name_and_what_to_do(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_profiles(text, onto=PROFILES, origin="mine.toml")
    assert said in str(caught.value)
    assert "mine.toml" in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert caught.value.remedy


def test_prices_are_those_of_the_model_or_of_all() -> None:
    text = "[p]\nprices = { a = { input = 1.0, output = 2.0, as_of = 2026-01-02 } }\n"
    profile = parse_profiles(text, origin="x")["p"]
    price = profile.price("a")
    assert price is not None
    assert (price.output, price.as_of.isoformat()) == (2.0, "2026-01-02")
    assert profile.price("b") is None
    assert PROFILES["ollama"].price("anything") is not None
    assert PROFILES["openai"].price("gpt-5.3-codex") is None


# --- The order -----------------------------------------------------------------------------------------------------


def test_each_source_gives_way_to_the_one_before() -> None:
    settings = Settings(base_url="http://one:1/v1", model="one")
    environ = {"SPARK_BASE_URL": "http://two:2/v1", "SPARK_MODEL": "two", "OPENAI_API_KEY": "k3"}
    found = Found(profile="ollama", base_url="http://127.0.0.1:11434/v1", models=("four",))

    def base(settings: Settings | None = None, environ: dict[str, str] | None = None, **rest: object) -> str:
        choice = choose(profiles=PROFILES, settings=settings, environ=environ, **rest)  # type: ignore[arg-type]
        assert choice is not None
        return f"{choice.base_url} {choice.model}"

    assert base(settings, environ, found=found, embedded=EMBEDDED) == "http://one:1/v1 one"
    assert base(None, environ, found=found, embedded=EMBEDDED) == "http://two:2/v1 two"
    only_key = {"OPENAI_API_KEY": "k3"}
    assert base(None, only_key, found=found, embedded=EMBEDDED) == "wss://api.openai.com/v1 gpt-6.1-sol"
    assert base(None, {}, found=found, embedded=EMBEDDED) == "ws://127.0.0.1:5/v1 recipe-book"
    assert base(None, {}, embedded=EMBEDDED) == "ws://127.0.0.1:5/v1 recipe-book"
    assert choose(profiles=PROFILES, environ={}) is None


def test_the_embedded_server_is_offline_and_says_why_it_was_taken() -> None:
    choice = choose(profiles=PROFILES, environ={"SPARK_MODEL": "gpt-9"}, embedded=EMBEDDED)
    assert choice is not None
    assert (choice.is_offline, choice.model, key_of(choice)) == (True, "recipe-book", "token")
    assert "gpt-9" in choice.banner
    assert not chosen(OPENAI_API_KEY="x").is_offline


def test_the_banner_says_what_was_chosen_why_and_how_to_change_it() -> None:
    banner = chosen(GROQ_API_KEY="x").banner
    for part in ("openai/gpt-oss-120b", "Groq", "GROQ_API_KEY", "%spark model", "SPARK_BASE_URL"):
        assert part in banner


def test_a_key_sent_in_the_clear_to_another_machine_is_said() -> None:
    assert "not encrypted" in chosen(SPARK_BASE_URL="http://far:1/v1", SPARK_API_KEY="x").banner
    assert "not encrypted" not in chosen(SPARK_BASE_URL="http://127.0.0.1:1/v1", SPARK_API_KEY="x").banner
    assert "not encrypted" not in chosen(SPARK_BASE_URL="https://far/v1", SPARK_API_KEY="x").banner


def test_a_profile_can_be_named_and_its_model_replaced() -> None:
    choice = chosen(Settings(profile="cerebras", model="other"), CEREBRAS_API_KEY="c")
    assert (choice.dialect, choice.model, key_of(choice)) == ("chat", "other", "c")
    assert chosen(SPARK_PROFILE="spark", OPENAI_API_KEY="o").model == "gpt-5.3-codex-spark"


def test_azure_takes_its_address_from_the_environment() -> None:
    endpoint = "https://res.openai.azure.com/openai/v1/"
    choice = chosen(AZURE_OPENAI_ENDPOINT=endpoint, AZURE_OPENAI_API_KEY="a")
    assert choice.base_url == "wss://res.openai.azure.com/openai/v1"
    assert not choice.profile.lanes
    with pytest.raises(ConfigurationError, match="AZURE_OPENAI_ENDPOINT"):
        chosen(Settings(profile="azure"))


@pytest.mark.parametrize(
    "settings",
    [
        Settings(profile="nope"),
        Settings(base_url="ftp://x"),
        Settings(base_url="localhost"),
        Settings(base_url="http://x:99999"),
        Settings(base_url="http://x:1", dialect="smoke"),
    ],
)
def test_a_wrong_setting_is_said_with_what_to_do(settings: Settings) -> None:
    with pytest.raises(ConfigurationError) as caught:
        chosen(settings)
    assert caught.value.remedy


# --- Dialects and addresses ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "dialect", "expected"),
    [
        ("ws://far:1", "", ("ws://far:1/v1", "responses-websocket")),
        ("wss://far/v1/responses", "", ("wss://far/v1", "responses-websocket")),
        ("http://far:1", "", ("http://far:1/v1", "auto")),
        ("https://far/api/chat/completions", "chat", ("https://far/api", "chat")),
        ("https://far/v1/", "responses-websocket", ("wss://far/v1", "responses-websocket")),
        ("ws://far:1/v1", "responses-sse", ("http://far:1/v1", "responses-sse")),
        ("ws://far:1/v1", "auto", ("ws://far:1/v1", "responses-websocket")),
        ("https://api.openai.com/v1", "", ("wss://api.openai.com/v1", "responses-websocket")),
        ("http://localhost:11434", "", ("http://localhost:11434/v1", "responses-sse")),
    ],
)
def test_an_address_and_perhaps_a_dialect_are_enough(url: str, dialect: str, expected: tuple[str, str]) -> None:
    choice = chosen(Settings(base_url=url, dialect=dialect, model="m"))
    assert (choice.base_url, choice.dialect) == expected


def test_loopback_is_told_apart_and_user_info_is_never_shown() -> None:
    assert all(map(is_loopback, ("http://localhost/v1", "ws://127.3.2.1:4", "http://[::1]:5/v1")))
    assert not any(map(is_loopback, ("http://localhost.example/v1", "http://10.0.0.1", "http://127.example/")))
    assert host_of("http://user:pass@far:1/v1") == "far:1"


# --- Keys ----------------------------------------------------------------------------------------------------------


def test_a_key_goes_only_to_the_place_that_it_belongs_to() -> None:
    environ = {"OPENAI_API_KEY": "openai-key", "GROQ_API_KEY": "groq-key"}
    assert key_of(chosen(Settings(base_url="https://api.groq.com/openai/v1"), **environ)) == "groq-key"
    assert key_of(chosen(Settings(base_url="https://elsewhere.example/v1"), **environ)) is None
    assert key_of(chosen(Settings(profile="openai", base_url="https://elsewhere.example/v1"), **environ)) is None
    assert key_of(chosen(SPARK_BASE_URL="https://elsewhere.example/v1", SPARK_API_KEY="mine", **environ)) == "mine"
    assert key_of(chosen(SPARK_API_KEY="mine", **environ)) == "openai-key"


def test_a_key_and_a_model_of_the_environment_go_to_no_other_place_than_the_environment_names() -> None:
    environ = {"SPARK_BASE_URL": "http://lesson:1/v1", "SPARK_API_KEY": "of-the-lesson", "SPARK_MODEL": "small"}
    for settings in (Settings(base_url="http://far:2/v1"), Settings(profile="groq")):
        assert key_of(chosen(settings, **environ)) is None
        assert chosen(settings, **environ).model != "small"
    saved = Settings(base_url="http://far:2/v1", api_key=Secret("own"))
    assert key_of(chosen(saved, **environ)) == "own"
    for same in (Settings(base_url="http://lesson:1/v1/"), Settings()):
        assert key_of(chosen(same, **environ)) == "of-the-lesson"
        assert chosen(same, **environ).model == "small"
    assert key_of(chosen(Settings(profile="groq"), SPARK_PROFILE="openai", SPARK_API_KEY="other")) is None
    assert key_of(chosen(Settings(profile="groq"), SPARK_PROFILE="groq", SPARK_API_KEY="mine")) == "mine"
    assert key_of(chosen(Settings(base_url="http://far:2/v1"), SPARK_API_KEY="mine")) == "mine"
    proxy = {"SPARK_PROFILE": "groq", "SPARK_BASE_URL": "http://proxy:1/v1", "SPARK_API_KEY": "of-the-proxy"}
    assert key_of(chosen(Settings(profile="groq"), **proxy)) is None
    elsewhere = Settings(profile="groq", base_url="http://far:2/v1")
    assert key_of(chosen(elsewhere, SPARK_PROFILE="groq", SPARK_API_KEY="of-groq")) is None


def test_a_local_server_that_was_found_is_offered_and_not_used() -> None:
    found = Found(profile="ollama", base_url="http://127.0.0.1:11434/v1", models=("m",))
    choice = choose(profiles=PROFILES, environ={"SPARK_API_KEY": "mine"}, found=found, embedded=EMBEDDED)
    assert choice is not None
    assert choice.is_offline
    assert choice.offered == PROFILES["ollama"]
    assert "%spark provider ollama" in choice.notice
    assert choice.notice in choice.banner


def test_a_key_for_another_place_is_not_sent_to_a_local_server() -> None:
    assert chosen(SPARK_PROFILE="ollama", OPENAI_API_KEY="k").api_key is None


def test_a_line_end_around_a_key_is_no_part_of_it_and_what_is_no_key_is_said() -> None:
    assert key_of(chosen(OPENAI_API_KEY=" hunter2\n")) == "hunter2"
    assert key_of(chosen(SPARK_BASE_URL="http://far:1", SPARK_API_KEY="hunter2\r\n")) == "hunter2"
    for wrong in ("hunter\n2", "hünter2"):
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
            chosen(OPENAI_API_KEY=wrong)
        assert "2" not in str(caught.value)


def test_a_password_in_a_wrong_address_is_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as caught:
        chosen(Settings(base_url="ftp://me:hunter2@far/v1"))
    assert "hunter2" not in str(caught.value)


def test_a_secret_shows_nowhere() -> None:
    choice = chosen(OPENAI_API_KEY="hunter2")
    assert "hunter2" not in f"{choice} {choice!r} {choice.api_key!s} {choice.banner}"
    with pytest.raises(TypeError):
        msgspec.json.encode(choice)
    with pytest.raises(TypeError):
        pickle.dumps(choice)
    assert Secret("a") == Secret("a") != Secret("b")
