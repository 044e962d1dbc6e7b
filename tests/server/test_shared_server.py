"""The one server that a user's kernels share: found, started, replaced, ended."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import WebSocketException

from spark_jupyter.exceptions import ServerError
from spark_jupyter.server import ServerInfo, serve_in_thread, shared_server
from spark_jupyter.server.engines.script import ScriptEngine
from spark_jupyter.server.shared_server import LocalServer
from tests.server.fakes import text
from tests.server.sockets import client, create, receive


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime directory of the test's own. The servers that its connection files tell of are ended afterwards."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    yield tmp_path / "runtime"
    for path in (tmp_path / "runtime").glob("spark-jupyter-server*.json"):
        server = shared_server.read(path)
        if server is not None and server.pid != os.getpid():
            end(server.pid, signal.SIGKILL)


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """The name of a scripted engine."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answers": [{"answer": "hello\n", "repeat": True}]}))
    return f"script:{path}"


def end(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    eventually(lambda: not alive(pid))


def alive(pid: int) -> bool:
    """Whether the process runs. One that has ended and was not yet taken note of does not."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def answers(server: LocalServer) -> bool:
    with client(ServerInfo(server.url, server.token)) as websocket:
        create(websocket)
        return text(receive(websocket)) == "hello\n"


def test_a_server_is_started_where_there_is_none_and_found_afterwards(runtime: Path, engine: str) -> None:
    assert shared_server.find(engine=engine) is None
    server = shared_server.find_or_start(engine=engine)
    assert answers(server)
    assert server.pid != os.getpid()
    assert shared_server.find(engine=engine) == shared_server.find_or_start(engine=engine) == server


@pytest.mark.usefixtures("runtime")
def test_servers_with_different_engines_stand_beside_each_other(engine: str) -> None:
    recipes = shared_server.find_or_start()
    assert recipes.engine == "recipes"
    assert shared_server.find(engine=engine) is None
    server = shared_server.find_or_start(engine=engine)
    assert answers(server)
    assert server.engine == engine
    assert shared_server.find() == recipes, "who looks for the other one still finds it"


def test_only_the_user_can_read_the_files(runtime: Path, engine: str) -> None:
    shared_server.find_or_start(engine=engine)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in runtime.iterdir()}
    assert len(modes) == 3
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(runtime.stat().st_mode) == 0o700


def test_two_processes_at_once_start_exactly_one(runtime: Path, engine: str) -> None:
    code = f"from spark_jupyter.server import shared_server; print(shared_server.find_or_start(engine={engine!r}).pid)"
    racers = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    pids = {racer.communicate(timeout=60)[0].strip() for racer in racers}
    assert [racer.returncode for racer in racers] == [0, 0, 0]
    assert len(pids) == 1


def test_a_server_outlives_the_process_that_started_it(runtime: Path, engine: str) -> None:
    code = f"from spark_jupyter.server import shared_server; shared_server.find_or_start(engine={engine!r})"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    server = shared_server.find(engine=engine)
    assert server is not None
    assert os.getsid(server.pid) != os.getsid(0)  # the terminal's Ctrl-C is not for it
    assert answers(server)


def test_a_crashed_server_is_replaced(runtime: Path, engine: str) -> None:
    crashed = shared_server.find_or_start(engine=engine)
    end(crashed.pid, signal.SIGKILL)
    assert shared_server.connection_file(engine).exists()
    server = shared_server.find_or_start(engine=engine)
    assert server.pid != crashed.pid
    assert answers(server)


@pytest.mark.parametrize("content", ["", "{}", "not json", '{"url": 7}'])
def test_a_connection_file_that_is_none_is_replaced(runtime: Path, engine: str, content: str) -> None:
    runtime.mkdir()
    shared_server.connection_file(engine).write_text(content)
    assert answers(shared_server.find_or_start(engine=engine))


def test_a_server_of_another_version_is_replaced(runtime: Path, engine: str) -> None:
    runtime.mkdir()
    with serve_in_thread(engine=ScriptEngine({"answers": []})) as old:
        shared_server.write(
            shared_server.connection_file(engine),
            LocalServer(url=old.url, token=old.token, pid=os.getpid(), engine=engine, version="0.0.1"),
        )
        assert shared_server.find(engine=engine) is None
        assert answers(shared_server.find_or_start(engine=engine))


def test_a_stranger_at_the_address_is_not_given_the_token(runtime: Path, engine: str) -> None:
    runtime.mkdir()
    with serve_in_thread(engine=ScriptEngine({"answers": []})) as stranger:
        forged = LocalServer(url=stranger.url, token="ours", pid=os.getpid(), engine=engine)
        shared_server.write(shared_server.connection_file(engine), forged)
        assert shared_server.find(engine=engine) is None
        assert shared_server.find_or_start(engine=engine).url != stranger.url


def test_a_server_ends_after_idling_and_takes_its_file_along(runtime: Path, engine: str) -> None:
    server = shared_server.find_or_start(engine=engine, idle=1.5)
    eventually(lambda: not alive(server.pid))
    assert not shared_server.connection_file(engine).exists()


def test_a_server_with_a_connection_does_not_end_until_that_ends(runtime: Path, engine: str) -> None:
    with ExitStack() as stack:
        while True:
            server = shared_server.find_or_start(engine=engine, idle=1.5)
            with suppress(OSError, WebSocketException):  # on a busy machine it has idled away before anybody connects
                websocket = stack.enter_context(client(ServerInfo(server.url, server.token)))
                break
        time.sleep(3.0)
        create(websocket)
        assert text(receive(websocket)) == "hello\n"
    eventually(lambda: not alive(server.pid))


def test_a_server_that_ends_leaves_the_file_of_its_successor(runtime: Path, engine: str) -> None:
    server = shared_server.find_or_start(engine=engine)
    successor = LocalServer(url="ws://127.0.0.1:1/v1/responses", token="t", pid=os.getpid(), engine=engine)
    shared_server.write(shared_server.connection_file(engine), successor)
    end(server.pid, signal.SIGTERM)
    assert shared_server.read(shared_server.connection_file(engine)) == successor


def test_a_server_that_was_started_leaves_no_dead_entry_in_the_process_table(runtime: Path, engine: str) -> None:
    server = shared_server.find_or_start(engine=engine)
    os.kill(server.pid, signal.SIGTERM)
    eventually(lambda: not psutil.pid_exists(server.pid))


def test_a_server_that_can_not_start_says_why(runtime: Path) -> None:
    with pytest.raises(ServerError, match="There is no engine 'none'") as caught:
        shared_server.find_or_start(engine="none")
    assert ".log" in caught.value.remedy


def test_a_server_that_takes_too_long_is_given_up(
    runtime: Path, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "slow.sh"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    with pytest.raises(ServerError, match="did not start in time"):
        shared_server.find_or_start(engine=engine, timeout=0.5)


def test_a_file_in_a_directory_of_the_users_does_not_take_the_place_of_a_module(
    runtime: Path, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.mkdir()
    for directory in (tmp_path, runtime):
        (directory / "websockets.py").write_text("raise RuntimeError('the wrong module')")
    monkeypatch.chdir(tmp_path)
    assert answers(shared_server.find_or_start(engine=engine))


def test_a_connection_file_of_another_user_is_not_trusted(runtime: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = LocalServer(url="ws://127.0.0.1:1/v1/responses", token="t", pid=1, engine="recipes")
    runtime.mkdir()
    shared_server.write(shared_server.connection_file(), planted)
    assert shared_server.read(shared_server.connection_file()) == planted
    monkeypatch.setattr("os.getuid", lambda: 4321)
    assert shared_server.read(shared_server.connection_file()) is None


def test_a_link_or_a_pipe_is_no_connection_file(runtime: Path, tmp_path: Path) -> None:
    runtime.mkdir()
    shared_server.write(
        tmp_path / "elsewhere", LocalServer(url="ws://127.0.0.1:1/", token="t", pid=1, engine="recipes")
    )
    shared_server.connection_file().symlink_to(tmp_path / "elsewhere")
    assert shared_server.read(shared_server.connection_file()) is None
    shared_server.connection_file().unlink()
    os.mkfifo(shared_server.connection_file())
    assert shared_server.read(shared_server.connection_file()) is None


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_the_log_is_not_written_through_a_link_and_a_pipe_is_not_waited_for(
    runtime: Path, kind: str, tmp_path: Path
) -> None:
    runtime.mkdir()
    log = shared_server.connection_file().with_suffix(".log")
    precious = tmp_path / "precious"
    precious.write_text("mine")
    if kind == "link":
        log.symlink_to(precious)
    else:
        os.mkfifo(log)
    with pytest.raises(ServerError, match="log"):
        shared_server.find_or_start()
    assert precious.read_text() == "mine"
