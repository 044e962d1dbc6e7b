"""Finding what serves models on this machine."""

from __future__ import annotations

import asyncio
import datetime
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from spark_jupyter.connection.discovery import LOCAL, discover, find_choice, listeners, look, model_file, model_files
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.profile import OWN, Price, Profile
from spark_jupyter.providers.profiles import Choice, Embedded, Secret, Settings, load_profiles
from spark_jupyter.server.shared_server import LocalServer
from tests.connection.peers import choice, http_peer, reply
from tests.server.engines.test_gguf import MODEL, header, written

if TYPE_CHECKING:
    from collections.abc import Mapping

PATIENT = 5.0
STARTED = Embedded(url="ws://127.0.0.1:1/v1/responses", token=Secret("t"))


def at(**ports: int) -> Mapping[str, Profile]:
    """The package's profiles with the local ones moved to these ports; the others to a port where nobody is."""
    profiles = load_profiles()
    for name in LOCAL:
        url = f"http://127.0.0.1:{ports.get(name, 9)}/v1"
        profiles[name] = msgspec.structs.replace(profiles[name], base_url=url)
    return profiles


async def lists(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
    reply(writer, b'{"object":"list","data":[{"id":"llama"},{"id":"qwen"}]}')


async def page(writer: asyncio.StreamWriter, method: str, path: str, body: bytes) -> None:
    reply(writer, b"<html>another program on this port</html>", kind="text/html")


def test_nothing_is_found_where_nobody_listens() -> None:
    assert asyncio.run(discover(at(), patience=PATIENT)) is None


def test_a_local_server_that_lists_models_is_found_without_being_sent_a_key() -> None:
    async def run() -> None:
        async with http_peer(lists) as server:
            found = await discover(at(lmstudio=server.port), patience=PATIENT)
            assert found is not None
            assert (found.profile, found.models) == ("lmstudio", ("llama", "qwen"))
            assert "authorization" not in server.requests[0][2]

    asyncio.run(run())


def test_the_most_wanted_one_is_taken_and_other_programs_are_passed_over() -> None:
    async def run() -> None:
        async with http_peer(page) as other, http_peer(lists) as server:
            found = await discover(at(ollama=other.port, vllm=server.port, llamacpp=server.port), patience=PATIENT)
            assert found is not None
            assert found.profile == "llamacpp"

    asyncio.run(run())


def test_a_server_that_does_not_answer_is_not_waited_for() -> None:
    async def silent(*_: object) -> None:
        await asyncio.sleep(3600)

    async def run() -> None:
        async with http_peer(silent) as server:
            assert await discover(at(ollama=server.port), patience=0.05) is None

    asyncio.run(run())


def test_only_this_machine_is_asked() -> None:
    async def run() -> None:
        async with http_peer(lists) as server:
            profiles = dict(at())
            far = f"http://localhost.example.invalid:{server.port}/v1"
            profiles["ollama"] = msgspec.structs.replace(profiles["ollama"], base_url=far)
            assert await discover(profiles, patience=PATIENT) is None
            assert server.requests == []

    asyncio.run(run())


def test_what_is_configured_is_taken_without_asking_anybody() -> None:
    async def run() -> None:
        async with http_peer(lists) as server:
            configured = Settings(base_url="http://127.0.0.1:9/v1", model="mine")
            chosen = await find_choice(settings=configured, profiles=at(ollama=server.port), environ={})
            assert (chosen.base_url, chosen.model) == ("http://127.0.0.1:9/v1", "mine")
            assert server.requests == []

    asyncio.run(run())


def test_a_local_server_gets_nothing_before_a_yes_and_how_to_say_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_jupyter.connection.discovery._embedded", lambda: STARTED)
    monkeypatch.setattr("spark_jupyter.connection.discovery.PATIENCE", PATIENT)

    async def run() -> None:
        async with http_peer(lists) as server:
            profiles = at(ollama=server.port)
            chosen = await find_choice(profiles=profiles, environ={})
            assert chosen.is_offline
            assert "%spark provider ollama" in chosen.notice
            assert [path for _, path, _, _ in server.requests] == ["/v1/models"]
            named = await find_choice(profiles=profiles, environ={"SPARK_PROFILE": "ollama"})
            assert (named.profile.name, named.notice) == ("ollama", "")

    asyncio.run(run())


def test_a_server_of_another_user_is_not_even_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with http_peer(lists) as server:
            monkeypatch.setattr("os.getuid", lambda: 4321)
            assert await discover(at(ollama=server.port), patience=PATIENT) is None
            assert server.requests == []

    asyncio.run(run())


def test_who_listens_on_a_port_is_read_from_the_system_s_table() -> None:
    table = (
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0\n"
        "   1: 00000000:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000   997        0 2 1 0\n"
        "   2: 0100007F:2CAA 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 3 1 0\n"
    )
    assert listeners(table, 11434) == {1000, 997}
    assert listeners(table, 11435) == set()


def test_the_embedded_server_can_be_asked_for_by_name_in_spite_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_jupyter.connection.discovery._embedded", lambda: STARTED)
    profiles = load_profiles()
    for settings, environ in (
        (Settings(profile="embedded"), {"OPENAI_API_KEY": "k"}),
        (Settings(), {"SPARK_PROFILE": "embedded", "OPENAI_API_KEY": "k"}),
    ):
        choice = asyncio.run(find_choice(settings=settings, profiles=profiles, environ=environ))
        assert choice.is_offline
        assert choice.api_key == STARTED.token


LLAMA = b'{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":4096,"n_vocab":1}},{"id":"n","meta":null,"context_length":"x"}]}'


def looked_at(body: bytes, dialect: str, *, model: str = "m", **profile: object) -> Choice:
    async def answer(writer: asyncio.StreamWriter, method: str, path: str, sent: bytes) -> None:
        reply(writer, body)

    async def run() -> Choice:
        async with http_peer(answer) as server:
            return await look(choice(f"http://127.0.0.1:{server.port}/v1", dialect, model=model, **profile))

    return asyncio.run(run())


def test_a_llama_cpp_server_says_its_window_and_is_spoken_to_in_chat_completions() -> None:
    seen = looked_at(LLAMA, "auto")
    assert (seen.dialect, seen.profile.context_window, seen.profile.progress) == ("chat", 4096, True)
    assert looked_at(LLAMA, "auto", model="").profile.context_window == 4096


def test_what_the_user_chose_and_the_profile_says_stays() -> None:
    seen = looked_at(LLAMA, "responses-sse")
    assert (seen.dialect, seen.profile.context_window) == ("responses-sse", 4096)
    assert looked_at(LLAMA, "chat", context_window=8000).profile.context_window == 8000


@pytest.mark.parametrize(
    "body",
    [
        b"no list",
        b'{"data":[]}',
        b'{"data":[{"id":"m","meta":{"n_ctx":-1},"max_model_len":true},{"id":"n","max_model_len":true}]}',
        LLAMA,
    ],
)
def test_a_list_that_does_not_say_the_window_leaves_it_open(body: bytes) -> None:
    assert looked_at(body, "auto", model="n").profile.context_window is None


FREE = {"*": Price(input=0.0, output=0.0, as_of=datetime.date(2026, 11, 1))}


@pytest.mark.parametrize(
    ("owner", "profile", "local"),
    [
        ("openai", {}, False),
        ("me", {}, False),
        ("openai", {"prices": FREE}, False),
        ("me", {"prices": FREE}, True),
        ("llamacpp", {}, True),
        ("vllm", {}, True),
    ],
    ids=["a proxy", "nobody knows", "a proxy at a free server's port", "a free server", "llama.cpp", "vLLM"],
)
def test_what_answers_on_loopback_is_a_model_of_this_machine_only_where_it_is_known_to_run_one(
    owner: str, profile: dict[str, object], local: bool
) -> None:
    seen = looked_at(b'{"data":[{"id":"m","owned_by":"%s"}]}' % owner.encode(), "chat", **profile)
    assert seen.is_local is local
    assert (seen.profile.price("m") is not None) is (local and bool(profile))


def test_a_server_that_is_not_there_is_left_as_it_is() -> None:
    there = choice("http://127.0.0.1:9/v1", "auto")
    assert asyncio.run(look(there)) == there


def test_a_model_file_is_found_as_it_is_named_or_in_the_folder_of_models(tmp_path: Path) -> None:
    inside = tmp_path / "small.gguf"
    inside.write_bytes(b"GGUF")
    assert model_file("small.gguf", str(tmp_path)) == inside
    assert model_file(str(inside), "") == inside
    assert model_file("none.gguf", str(tmp_path)).name == "none.gguf"
    assert model_files(str(tmp_path)) == (inside,)
    assert model_files("") == ()


def test_a_model_file_is_no_recipe_book_though_the_embedded_server_runs_it(
    tmp_path: Path, own_home: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = LocalServer(url=STARTED.url, token="t", pid=1, engine="llama")
    monkeypatch.setattr("spark_jupyter.server.shared_server.find", lambda **_: server)
    file = written(tmp_path, header(*MODEL))
    chosen = asyncio.run(find_choice(settings=Settings(model=str(file)), profiles=load_profiles(), environ={}))
    assert (chosen.is_offline, chosen.model) == (False, "tiny")
    assert "on this machine (private, " in chosen.banner
    assert chosen.profile.title.startswith("This machine (private, ")  # sentences begin with it
    assert chosen.profile.attempts > 1  # where a prompt can be checked
    assert not chosen.profile.deep_model  # it does deep work itself
    assert chosen.where == "llama.cpp on this machine"  # the port of a server of ours says nothing to a person


def test_a_model_file_that_a_person_chooses_is_run_though_the_environment_names_a_server(
    tmp_path: Path, own_home: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, header(*MODEL))
    server = LocalServer(url=STARTED.url, token="t", pid=1, engine="llama")
    monkeypatch.setattr("spark_jupyter.server.shared_server.find", lambda **_: server)
    elsewhere = {"SPARK_BASE_URL": "http://127.0.0.1:9/v1", "SPARK_MODEL": "other"}

    def found(model: str, environ: dict[str, str]) -> str:
        chosen = asyncio.run(find_choice(settings=Settings(model=model), profiles=load_profiles(), environ=environ))
        return chosen.profile.name

    assert found(str(file), elsewhere) == OWN
    assert found("known-there.gguf", elsewhere) != OWN  # by that name the server may know it
    assert found("", elsewhere | {"SPARK_MODEL": str(file)}) != OWN


def test_a_file_that_is_no_model_is_said_when_it_is_chosen(tmp_path: Path, own_home: object) -> None:
    file = tmp_path / "wrong.gguf"
    file.write_bytes(b"not a model")
    with pytest.raises(ConfigurationError, match=r"^[^:]*is no GGUF file"):
        asyncio.run(find_choice(settings=Settings(model=str(file)), profiles=load_profiles(), environ={}))


@pytest.mark.parametrize(
    ("is_installed", "said"),
    [(True, r"^tiny does not fit: it needs about .* GB of memory, and"), (False, "^To run a model")],
)
def test_a_model_that_can_not_run_here_is_said_when_it_is_chosen_and_no_server_is_started(
    tmp_path: Path, own_home: object, monkeypatch: pytest.MonkeyPatch, is_installed: bool, said: str
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name if is_installed else None)
    file = written(tmp_path, header(*MODEL))
    os.truncate(file, 2**42)  # sparse: more than there is of memory
    with pytest.raises(ConfigurationError, match=said) as refused:
        asyncio.run(find_choice(settings=Settings(model=str(file)), profiles=load_profiles(), environ={}))
    assert refused.value.remedy == (
        "Take a smaller file; spark-jupyter serve runs it with a smaller --context, too."
        if is_installed
        else "Install it: pip install 'spark-jupyter[model]'"
    )
