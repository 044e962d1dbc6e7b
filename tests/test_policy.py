"""The policy of a hub or a school: read from files, strictest first, and never lifted by what a user says."""

from __future__ import annotations

import asyncio
import os

import jupyter_core.paths
import pytest

from spark_jupyter import policy
from spark_jupyter.exceptions import PolicyError
from spark_jupyter.policy import SAID, load_policy
from spark_jupyter.providers.profile import Profile
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker


def write(folder, text, name="policy.toml"):
    """A file in a configuration folder of Jupyter's."""
    (folder / "spark_jupyter").mkdir(parents=True, exist_ok=True)
    (folder / "spark_jupyter" / name).write_text(text)


@pytest.fixture
def system(tmp_path, monkeypatch):
    """The system's configuration folder."""
    monkeypatch.setattr(jupyter_core.paths, "SYSTEM_CONFIG_PATH", [str(tmp_path / "etc")])
    return tmp_path / "etc"


@pytest.fixture
def own(own_home):
    """The user's configuration folder."""
    return own_home / "jupyter_config_dir"


def test_without_a_file_everything_is_allowed():
    policy = load_policy()
    assert policy.lines == ()
    assert policy.info.off == {}
    for switch in SAID:
        policy.refuse(switch)
    policy.refuse_place("anything", "https://a.b/v1", "chat")
    policy.refuse_model("anything")


@pytest.mark.parametrize("switch", SAID)
def test_what_is_switched_off_is_refused_with_who_decided_it(system, switch):
    write(system, f'decided_by = "Physics IT"\n{switch} = false\n')
    with pytest.raises(PolicyError) as refused:
        load_policy().refuse(switch)
    assert "Physics IT" in refused.value.message
    assert "policy.toml" in refused.value.remedy
    assert list(load_policy().info.off) == [switch]


def test_no_variable_and_no_file_of_the_user_lifts_what_the_system_forbids(system, own, monkeypatch):
    write(system, "images = false\nmodels = ['a*']\ndaily_budget = 1\n")
    write(own, "images = true\nmodels = ['*']\ndaily_budget = 100\n")
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    policy = load_policy()
    assert not policy.allows_images
    assert not policy.allows_model("b")
    assert policy.daily_budget == 1


def test_no_variable_chooses_the_systems_folders(system, tmp_path, monkeypatch):
    """``JUPYTER_PLATFORM_DIRS`` makes Jupyter take them from ``XDG_CONFIG_DIRS``."""
    monkeypatch.setattr(policy, "_OF_SYSTEM", [str(system)])
    monkeypatch.setattr(jupyter_core.paths, "SYSTEM_CONFIG_PATH", [str(tmp_path / "mine")])
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    write(system, "agents = false\nproviders = ['openai']\n")
    write(tmp_path / "mine", '[openai]\nbase_url = "https://evil.example/v1"\n', "profiles.toml")
    assert load_policy().refusal("agents") is not None
    load_policy().refuse_place("openai", "wss://api.openai.com/v1", "responses-websocket")
    with pytest.raises(PolicyError, match="openai"):
        load_policy().refuse_place("openai", "https://evil.example/v1", "chat")


def test_of_several_files_the_strictest_counts_for_each_limit(system, own):
    write(system, "models = ['gpt-*']\nconversation_days = 30\n")
    write(own, "models = ['*-mini']\nagents = false\nconversation_days = 7\n")
    policy = load_policy()
    assert [policy.allows_model(name) for name in ("gpt-5-mini", "gpt-5", "o-mini")] == [True, False, False]
    assert policy.conversation_days == 7
    assert policy.refusal("agents") is not None


@pytest.mark.parametrize("text", ["images = 'no'", "image = false", "images = ", "base_urls = ['ftp://a']", "\udcff"])
def test_a_file_that_can_not_be_read_forbids_everything_and_deletes_nothing(system, text):
    write(system, "")
    (system / "spark_jupyter" / "policy.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    policy = load_policy()
    assert set(policy.info.off) == {*SAID, "prompts"}
    assert not policy.allows_model("any")
    assert policy.conversation_days is None
    with pytest.raises(PolicyError, match="can't be read") as caught:
        policy.refuse_place("openai", "https://api.openai.com/v1", "chat")
    assert "codec" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_forbids_everything(system):
    write(system, "")
    (system / "spark_jupyter" / "policy.toml").chmod(0)
    assert set(load_policy().info.off) == {*SAID, "prompts"}


PLACES = [
    ("openai", "wss://api.openai.com/v1", True),
    ("openai", "https://evil.example/v1", False),
    ("mine", "https://api.openai.com/v1", True),  # the address counts
    ("mine", "https://llm.uni.example/team/v1", True),
    ("mine", "https://llm.uni.example/other/v1", False),
    ("mine", "http://llm.uni.example/team/v1", False),
    ("anthropic", "https://api.anthropic.com/v1", False),
    ("embedded", "ws://127.0.0.1:5000/v1", True),
    ("embedded", "wss://evil.example/v1", False),
    ("gguf", "ws://127.0.0.1:5000/v1", False),
]


@pytest.mark.parametrize(("name", "url", "allowed"), PLACES)
def test_a_providers_name_stands_for_its_address(system, own, name, url, allowed):
    write(system, "providers = ['openai', 'embedded']\nbase_urls = ['https://llm.uni.example/team/v1']\n")
    write(own, '[openai]\nbase_url = "https://evil.example/v1"\n', "profiles.toml")
    policy = load_policy()
    if allowed:
        policy.refuse_place(name, url, "responses-websocket" if url.startswith("ws") else "chat")
    else:
        with pytest.raises(PolicyError, match=name):
            policy.refuse_place(name, url, "chat")


def test_a_profile_of_the_administrators_can_be_allowed_by_its_name(system):
    write(system, '[uni]\nbase_url = "https://llm.uni.example/v1"\n', "profiles.toml")
    write(system, "providers = ['uni']\n")
    load_policy().refuse_place("uni", "https://llm.uni.example/v1", "chat")
    assert load_policy().allows(Profile(name="uni", base_url="https://llm.uni.example/v1"), {})
    assert not load_policy().allows_model_files


def test_a_model_that_is_named_in_full_is_the_usual_one(system):
    write(system, "models = ['qwen*', 'qwen3-coder']\n")
    assert load_policy().usual_model("gpt-5") == "qwen3-coder"
    assert load_policy().usual_model("qwen2") == "qwen2"


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        ("agents = false", "Agents are not allowed"),
        ("providers = ['openai']", "The provider codex is not allowed"),
        ("models = ['gpt-*']", "A model without a name is not allowed"),
        ("daily_budget = 5", "Agents, whose cost is not known here, are not allowed"),
    ],
)
def test_an_agent_is_no_way_around_a_limit(system, rules, why):
    write(system, rules)
    with pytest.raises(PolicyError, match=why):
        asyncio.run(linker(Settings(profile="codex"))())


def test_a_policy_on_other_things_allows_agents(system):
    write(system, "images = false\nconversation_days = 3\n")
    assert asyncio.run(linker(Settings(profile="codex"))()).is_agent
