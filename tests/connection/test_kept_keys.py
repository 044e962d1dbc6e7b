"""Pasted keys: where they are kept, for whom, and to whom they go."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from spark_jupyter.connection import kept_keys
from spark_jupyter.connection.discovery import find_choice
from spark_jupyter.connection.kept_keys import VARIABLE, KeyringKeys, MemoryKeys, ServerKeys, own_keys, system_keyring
from spark_jupyter.connection.key_server import serve_keys
from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.addresses import key_address
from spark_jupyter.providers.profiles import Secret, Settings, load_profiles

if TYPE_CHECKING:
    from collections.abc import Callable

OPENAI = "https://api.openai.com/v1"


class InMemory(KeyringBackend):
    """A keyring without a file, which can be locked."""

    priority = 5
    name = "in memory"

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._refuse()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._refuse()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._refuse()
        if self.entries.pop((service, username), None) is None:
            raise PasswordDeleteError

    def _refuse(self) -> None:
        if self.locked:
            raise KeyringLocked("it is locked")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    kept_keys._kept_keys.cache_clear()


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> InMemory:
    backend = InMemory()
    monkeypatch.setattr("keyring.get_keyring", lambda: backend)
    return backend


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], str]:
    """Jupyter's server, with the keys of a process of its own."""

    def serve() -> str:
        monkeypatch.setenv(VARIABLE, "")  # taken back at the end
        return serve_keys(tmp_path / "runtime")

    return serve


def test_a_keyring_keeps_lists_and_forgets_keys(keyring: InMemory) -> None:
    keys = own_keys("this kernel")
    assert keys.place() == "the system's keyring (in memory)"
    keys.keep(OPENAI, "sk-1")
    keys.keep("https://other/v1", "sk-2")
    assert (keys.addresses(), keys.get(OPENAI)) == ((OPENAI, "https://other/v1"), "sk-1")
    assert own_keys("another process").get(OPENAI) == "sk-1"
    keys.forget(OPENAI)
    assert (keys.addresses(), keys.get(OPENAI)) == (("https://other/v1",), "")
    assert set(keyring.entries.values()) == {"sk-2", '["https://other/v1"]'}


def test_a_locked_keyring_gives_no_key_and_says_why_it_keeps_none(keyring: InMemory) -> None:
    keys = KeyringKeys(keyring)
    keys.keep(OPENAI, "sk-1")
    keyring.locked = True
    assert (keys.get(OPENAI), keys.addresses()) == ("", ())
    with pytest.raises(ConfigurationError, match="it is locked"):
        keys.keep(OPENAI, "sk-2")


def test_what_would_write_a_file_is_no_keyring(keyring: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    assert system_keyring() is keyring
    keyring.priority = 0.5  # type: ignore[misc]
    assert system_keyring() is None
    keyring.priority = 5  # type: ignore[misc]
    monkeypatch.setattr(InMemory, "__module__", "keyrings.alt.file")
    assert system_keyring() is None
    assert isinstance(own_keys("this kernel"), MemoryKeys)


def test_all_kernels_of_a_server_have_what_was_pasted_in_one(served, tmp_path: Path) -> None:
    path = served()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.environ[VARIABLE] == path  # for the kernels that it starts
    one, other = ServerKeys(path), ServerKeys(path)
    one.keep(OPENAI, "sk-1")
    assert other.get(OPENAI) == "sk-1"  # also a kernel that begins later
    assert (other.addresses(), other.place()) == ((OPENAI,), "the memory of Jupyter's server")
    other.forget(OPENAI)
    assert one.get(OPENAI) == ""
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


def test_a_server_that_is_started_again_has_the_keys_of_the_keyring(served, keyring: InMemory) -> None:
    ServerKeys(served()).keep(OPENAI, "sk-1")
    assert ServerKeys(served()).get(OPENAI) == "sk-1"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"{}\n",
        b'["get"]\n',
        b'{"method":"__init__","arguments":["x"]}\n',
        b'{"method":"get"}\n',
        b"\xff\n",
        b'{"method":"\xff"}\n',
        b'{"a":' + b"[" * 9000 + b"\n",
    ],
)
def test_the_server_answers_whatever_it_is_sent(served, line: bytes) -> None:
    path = served()
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(path)
        link.sendall(line)
        link.shutdown(socket.SHUT_WR)
        assert link.makefile("rb").readline() == b'{"error":"That is no request for a key."}\n'
    assert ServerKeys(path).get(OPENAI) == ""


@pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="this system does not say who answers")
def test_a_key_goes_to_no_other_user_who_took_the_servers_place(served, monkeypatch: pytest.MonkeyPatch) -> None:
    path = served()
    ServerKeys(path).keep(OPENAI, "sk-1")
    monkeypatch.setattr(os, "getuid", lambda: 4711)
    with pytest.raises(ConfigurationError, match="another user"):
        ServerKeys(path).keep(OPENAI, "sk-2")
    assert ServerKeys(path).get(OPENAI) == ""


def test_a_server_that_has_gone_gives_no_key_and_refuses_to_keep_one(tmp_path: Path) -> None:
    gone = ServerKeys(str(tmp_path / "gone"))
    assert (gone.get(OPENAI), gone.addresses()) == ("", ())
    with pytest.raises(ConfigurationError, match="can't keep keys"):
        gone.keep(OPENAI, "sk-1")


def chosen(*, environ: dict[str, str] | None = None, **settings: object) -> str:
    """The key that goes to a provider."""
    wanted = Settings(**settings)  # type: ignore[arg-type]
    return asyncio.run(find_choice(settings=wanted, profiles=load_profiles(), environ=environ or {})).key


def test_a_kept_key_goes_to_its_own_address_only(keyring: InMemory) -> None:
    own_keys("this kernel").keep(OPENAI, "sk-1")
    assert chosen(profile="openai") == "sk-1"
    assert chosen(base_url="wss://API.openai.com/v1/responses") == "sk-1"
    for other in ("https://api.openai.com/v2", "http://api.openai.com/v1", "https://api.openai.com:8443/v1"):
        assert chosen(base_url=other, dialect="chat") == ""
    assert chosen(base_url="https://api.openai.com.evil.example/v1", dialect="chat") == ""
    assert chosen(base_url="https://api.openai.com@evil.example/v1", dialect="chat") == ""
    assert chosen(profile="groq") == ""


def test_what_is_said_goes_before_what_is_kept(keyring: InMemory) -> None:
    own_keys("this kernel").keep(OPENAI, "kept")
    assert chosen(profile="openai", api_key=Secret("said")) == "said"
    assert chosen(profile="openai", environ={"OPENAI_API_KEY": "set"}) == "set"


def test_an_address_is_the_same_however_it_is_written() -> None:
    assert key_address("wss://user:word@Api.Example.org/v1/?api-version=1") == "https://api.example.org/v1"
    assert key_address("ws://127.0.0.1:1/v1") == "http://127.0.0.1:1/v1"
