"""Fixtures of all tests: a home of their own, and the embedded server playing given answers."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from msgspec import structs

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Checks, Kernel
from spark_jupyter.protocol.message_frames import EventFrame
from spark_jupyter.protocol.messages import Event, TurnEnded
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.server.app import ServerInfo
from spark_jupyter.server.engines.base import Piece
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.server_runner import serve_in_thread
from tests.model_hub import model_hub  # noqa: F401  # a fixture
from tests.nursery import Nursery
from tests.servers import end_servers

# What Hypothesis tries is the same each time, and how long that takes is the machine's affair.
hypothesis.settings.register_profile(
    "tests", deadline=None, derandomize=True, database=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tests")


# A shell that starts a job in the background has it ignore SIGINT, and so would every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# jsonschema, which reads notebooks, would compile a grammar of addresses for it: two seconds, for a format that no test checks.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

Answers = Sequence[dict[str, object]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for seconds begins first: at the end, the other processes would wait for it."""
    items.sort(key=lambda item: "begins_first" not in item.keywords)


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: no collection of garbage looks at all of it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders. They are in one that no test looks into: pytest would read the names of thousands to find a new one."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Jupyter's and IPython's folders in a temporary place, and no provider in the environment. The embedded servers that were started
    for it end with the test."""
    home = next(homes)
    home.mkdir()
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(home / name.lower()))
    for name in [name for name in os.environ if name.startswith("SPARK_") or name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")  # never the developer's own
    yield home
    end_servers(home / "jupyter_runtime_dir")


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    """A test leaves no figure open: it would be one of the next test's, in this process."""
    yield
    if (pyplot := sys.modules.get("matplotlib.pyplot")) is not None:
        pyplot.close("all")


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    made = Nursery()
    yield made
    made.close()


@pytest.fixture
def forked_kernels(nursery: Nursery, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Jupyter starts as ``python3`` is forked from the nursery."""
    folder = own_home / "jupyter_path" / "kernels" / "python3"
    folder.mkdir(parents=True)
    nursery.wait()
    kernel = {"argv": nursery.command, "display_name": "Python 3", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(kernel))
    monkeypatch.setenv("JUPYTER_PATH", str(folder.parents[1]))


class HeldScript(ScriptEngine):
    """A script whose answers end when ``may_end`` is set, where one is given: what is to happen before their end has happened then."""

    def __init__(self, script: dict[str, object], *, may_end: threading.Event | None) -> None:
        super().__init__(script)
        self._may_end = may_end

    def answer(self, *asked: Any, **options: Any) -> Iterator[Piece]:
        pieces = super().answer(*asked, **options)
        return pieces if self._may_end is None else self._held(*pieces)

    def _held(self, *pieces: Piece) -> Iterator[Piece]:
        yield from pieces[:-1]
        while not self._may_end.wait(0.01):
            yield ""
        yield pieces[-1]


@pytest.fixture
def play_answers() -> Iterator[Callable[..., ServerInfo]]:
    """Starts the embedded server with these answers; all are closed with the test."""
    with ExitStack() as servers:

        def start(
            answers: Answers,
            *,
            rate: float | None = None,
            models: Sequence[str] = ("script",),
            may_end: threading.Event | None = None,
        ) -> ServerInfo:
            script = HeldScript({"models": list(models), "answers": list(answers)}, may_end=may_end)
            return servers.enter_context(serve_in_thread(engine=script, rate=rate))

        yield start


@pytest.fixture
def script_environment(play_answers, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ServerInfo]:
    """As ``play_answers``, and the environment names that server as the provider: for processes that the test starts."""

    def start(answers: Answers, **options: object) -> ServerInfo:
        info = play_answers(answers, **options)
        monkeypatch.setenv("SPARK_BASE_URL", info.url)
        monkeypatch.setenv("SPARK_API_KEY", info.token)
        monkeypatch.setenv("SPARK_MODEL", "script")
        return info

    return start


class Watched:
    """An engine with a view of all that it says."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.view = TurnView()
        self.frames: list[EventFrame] = []
        self._ended: dict[str, TurnEnded] = {}
        self._news = threading.Condition()
        engine.subscribe(self.receive)

    def receive(self, frame: EventFrame) -> None:
        with self._news:
            self.frames.append(frame)
            self.view.receive_all(frame.msgs)
            self._ended.update({event.turn_id: event for event in frame.msgs if isinstance(event, TurnEnded)})
            self._news.notify_all()

    def wait(self, turn_id: str, timeout: float = 60.0) -> TurnEnded | None:
        """Until the turn has ended, and all who listen were told; None where ``timeout`` seconds passed first."""
        with self._news:
            self._news.wait_for(lambda: turn_id in self._ended, timeout)
        self.engine.read(lambda session: None)  # behind what its end has others do
        return self._ended.get(turn_id)

    @property
    def events(self) -> list[Event]:
        return [event for frame in self.frames for event in frame.msgs]


@pytest.fixture
def make_engine(play_answers) -> Iterator[Callable[..., Watched]]:
    """An engine on a server that plays these answers; closed with the test. ``server`` is one that several engines ask: each server is
    another provider, and what one has said is not told to the next."""
    engines: list[Engine] = []

    def make(
        answers: Answers,
        *,
        server: ServerInfo | None = None,
        rate: float | None = None,
        checks: Checks | None = None,
        may_end: threading.Event | None = None,
        **parts: object,
    ) -> Watched:
        info = server or play_answers(answers, rate=rate, may_end=may_end)
        settings = Settings(base_url=info.url, api_key=Secret(info.token), model="script")
        if checks is not None:
            parts["kernel"] = structs.replace(parts.get("kernel", Kernel()), checks=checks)
        engine = Engine(linker(settings), **parts)
        engines.append(engine)
        return Watched(engine)

    yield make
    for engine in engines:
        engine.close()


def write_script(path: Path, answers: Answers) -> Path:
    """The answers as a file for ``serve --engine script``."""
    path.write_text(json.dumps({"answers": list(answers)}))
    return path


@pytest.fixture
def unused_port() -> Iterator[int]:
    """A port of loopback on which nobody listens; no other process is given it meanwhile."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server of the test's own may take it
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def deep_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with 1,200 folders in each other, more than a walk by recursion can take."""
    made = tmp_path / "deep"
    made.mkdir()
    inner = os.open(made, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=inner)
        outer, inner = inner, os.open("d", os.O_RDONLY, dir_fd=inner)
        os.close(outer)
    os.close(inner)
    yield made
    subprocess.run(["rm", "-rf", str(made)], check=True)  # shutil would need as many frames
