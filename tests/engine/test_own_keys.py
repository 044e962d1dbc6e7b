"""Two persons with one kernel: each prompt goes with the key of who sent it, and nobody hears of another's key."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from spark_jupyter.connection.kept_keys import MemoryKeys
from spark_jupyter.engine.comm import CommHub
from spark_jupyter.protocol.draft_messages import BeginDraft, SwitchDrafts
from spark_jupyter.protocol.message_frames import encode
from spark_jupyter.protocol.messages import Prompt, Steer
from spark_jupyter.protocol.provider_messages import OwnKeyChanged, SetOwnKey, UseProvider
from spark_jupyter.protocol.values import Person
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from tests.connection.http_peers import CHAT_USAGE, chat_chunk
from tests.engine.test_comm import QuietEngine, Tab
from tests.engine.test_engine import until

ADA, EVE, GUEST = Person(id="ada"), Person(id="eve"), Person(id="0123456789abcdef0123456789abcdef")
OWN = "sk-of-ada-0123456789"


class Provider(ThreadingHTTPServer):
    """Answers everything once it may ``go`` on, and refuses the key ``wrong``; ``keys`` are those of the prompts, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.go = threading.Event()
        self.go.set()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Authorization"].removeprefix("Bearer ")
        self.server.keys.append(key)
        self.server.go.wait()
        if key == "wrong":
            return self._reply(401, '{"error": {"message": "no such key: wrong"}}')
        events = [chat_chunk("```python\nx = 1\n```\n"), chat_chunk(finish="stop"), CHAT_USAGE, "[DONE]"]
        return self._reply(200, "".join(f"data: {event}\n\n" for event in events), "text/event-stream")

    def do_GET(self) -> None:
        self._reply(200, '{"data": [{"id": "m"}]}')

    def _reply(self, status: int, body: str, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):  # who asked has gone on
            self.wfile.write(body.encode())

    def log_message(self, *arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    server = Provider()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> MemoryKeys:
    kept = MemoryKeys("a test")
    monkeypatch.setattr("spark_jupyter.connection.kept_keys._kept_keys", lambda path: kept)
    return kept


class Kernel:
    """An engine with a key of its own, and what one client after the other asks it."""

    def __init__(self, make_engine: Any, provider: Provider) -> None:
        self.watched = make_engine([])
        settings = Settings(base_url=provider.url, api_key=Secret("the-kernels"), model="m", dialect="chat")
        self.watched.engine.use(linker(settings))

    def set_key(self, person: Person | None, key: str | None = None) -> OwnKeyChanged:
        told: list[OwnKeyChanged] = []
        end = self.watched.engine.subscribe(
            receive := lambda frame: told.extend(each for each in frame.msgs if isinstance(each, OwnKeyChanged))
        )
        self.watched.engine.answer_alone(receive, SetOwnKey(key=key, by=person))
        until(lambda: told)
        end()
        return told[0]

    def prompt(self, turn_id: str, by: Person | None) -> str:
        self.watched.engine.submit(Prompt(turn_id=turn_id, text="go", by=by))
        ended = self.watched.wait(turn_id)
        return f"{ended.outcome} {ended.reason}".strip()


def test_each_prompt_goes_with_the_key_of_who_sent_it(make_engine, provider: Provider, keys: MemoryKeys) -> None:
    kernel = Kernel(make_engine, provider)
    assert not kernel.set_key(ADA).kept
    said = kernel.set_key(ADA, OWN)
    assert said.kept
    assert said.message.endswith("It is kept in the memory of a test.")
    assert [kernel.prompt(f"t{n}", by) for n, by in enumerate((ADA, EVE, None, ADA))] == ["completed"] * 4
    assert provider.keys == [OWN, "the-kernels", "the-kernels", OWN]
    assert (kernel.set_key(ADA).kept, kernel.set_key(EVE).kept) == (True, False)
    assert not kernel.set_key(ADA, "").kept
    kernel.prompt("t9", ADA)
    assert provider.keys[-1] == "the-kernels"


def test_a_draft_goes_with_the_key_of_who_types(make_engine, provider: Provider, keys, monkeypatch) -> None:
    # Of the module that the engine imports: another test takes it out of sys.modules for a while.
    monkeypatch.setattr(import_module("spark_jupyter.engine.drafter"), "costs", lambda info: False)
    kernel = Kernel(make_engine, provider)
    kernel.set_key(ADA, OWN)
    engine = kernel.watched.engine
    engine.drafts(SwitchDrafts(on=True))
    for number, by in enumerate((ADA, EVE), 1):
        engine.answer_alone(
            kernel.watched.receive, BeginDraft(draft_id=f"d{number}", cell_id="a", kind="prompt", words="Go", by=by)
        )
        until(lambda number=number: len(provider.keys) == number)
    assert provider.keys == [OWN, "the-kernels"]


def test_a_turn_that_was_steered_goes_with_the_key_of_who_steered(make_engine, provider: Provider, keys) -> None:
    kernel = Kernel(make_engine, provider)
    kernel.set_key(ADA, OWN)
    provider.go.clear()
    kernel.watched.engine.submit(Prompt(turn_id="t1", text="go", by=EVE))
    until(lambda: provider.keys)
    kernel.watched.engine.submit(Steer(turn_id="t2", steers="t1", text="otherwise", by=ADA))
    until(lambda: len(provider.keys) == 2)
    provider.go.set()
    kernel.watched.wait("t2")
    assert provider.keys == ["the-kernels", OWN]


def test_a_key_is_told_to_nobody_and_written_nowhere(make_engine, provider: Provider, keys, own_home: Path) -> None:
    kernel = Kernel(make_engine, provider)
    kernel.set_key(ADA, OWN)
    kernel.prompt("t1", ADA)
    kernel.set_key(ADA, "wrong")
    assert "did not accept the key" in (said := kernel.prompt("t2", ADA))
    assert "wrong" not in said
    told = b"".join(map(encode, kernel.watched.frames))
    assert OWN.encode() not in told
    assert not any(isinstance(event, OwnKeyChanged) for event in kernel.watched.events)
    assert not [file for file in own_home.rglob("*") if file.is_file() and OWN in file.read_text("latin-1")]


def test_another_kernel_knows_the_key_and_another_provider_does_not_get_it(
    make_engine, provider: Provider, keys
) -> None:
    Kernel(make_engine, provider).set_key(ADA, OWN)
    second = Kernel(make_engine, provider)
    second.prompt("t1", ADA)
    other = Provider()
    threading.Thread(target=other.serve_forever, daemon=True).start()
    second.watched.engine.use(
        linker(Settings(base_url=other.url, api_key=Secret("another"), model="m", dialect="chat"))
    )
    second.prompt("t2", ADA)
    other.shutdown()
    other.server_close()
    assert (provider.keys, other.keys) == ([OWN], ["another"])


@pytest.mark.parametrize(
    ("person", "key", "said"),
    [(None, OWN, "not know its users"), (GUEST, OWN, "not know its users"), (ADA, "a\nb", "can't be a key")],
)
def test_what_can_not_be_kept_is_said(make_engine, provider: Provider, keys: MemoryKeys, person, key, said) -> None:
    answer = Kernel(make_engine, provider).set_key(person, key)
    assert not answer.kept
    assert said in answer.message
    assert keys.addresses() == ()


def test_nobody_sets_the_key_of_another() -> None:
    class Engine(QuietEngine):
        def __init__(self) -> None:
            super().__init__()
            self.alone: list[Any] = []

        def answer_alone(self, subscriber: Any, command: Any) -> None:
            self.alone.append(command)

    engine = Engine()
    hub = CommHub(engine, subshells=True)  # type: ignore[arg-type]
    tab = Tab(hub, "one", person=EVE)
    tab.attach()
    tab.say(1, SetOwnKey(key="k", by=ADA))
    assert engine.alone == [structs.replace(SetOwnKey(key="k"), by=EVE)]


def test_the_key_of_the_kernel_is_not_the_persons(make_engine, provider: Provider, keys: MemoryKeys) -> None:
    kernel = Kernel(make_engine, provider)
    kernel.set_key(ADA, OWN)
    kernel.watched.engine.submit(UseProvider(base_url=provider.url, model="m", key="pasted-for-all"))
    until(lambda: len(keys.addresses()) == 2)
    kernel.prompt("t1", EVE)
    assert set(provider.keys) == {"pasted-for-all"}
    provider.keys.clear()
    kernel.prompt("t2", ADA)
    assert set(provider.keys) == {OWN}
