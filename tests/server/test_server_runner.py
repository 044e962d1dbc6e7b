"""The server as a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spark_jupyter.server import ServerInfo
from tests.server.fakes import text
from tests.server.sockets import client, create, receive


@pytest.fixture
def engine(tmp_path: Path) -> str:
    """The name of a scripted engine."""
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answers": [{"answer": "hello\n", "repeat": True}]}))
    return f"script:{path}"


@contextmanager
def process(*options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "spark_jupyter.server", *options]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield started
    finally:
        started.kill()
        started.communicate()


def announced(started: subprocess.Popen[str]) -> ServerInfo:
    assert started.stdout is not None
    return ServerInfo(**json.loads(started.stdout.readline()))


def test_the_process_says_in_one_json_line_where_it_is(engine: str) -> None:
    with process("--engine", engine) as started:
        info = announced(started)
        assert info.url.startswith("ws://127.0.0.1:")
        with client(info) as websocket:
            create(websocket)
            assert text(receive(websocket)) == "hello\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_in_good_order(engine: str, number: signal.Signals) -> None:
    with process("--engine", engine) as started:
        announced(started)
        started.send_signal(number)
        output, errors = started.communicate(timeout=60)
        assert (started.returncode, output, errors) == (0, "", "")


def test_the_process_ends_by_itself_after_idling(engine: str) -> None:
    with process("--engine", engine, "--idle", "0.2") as started:
        announced(started)
        assert started.wait(timeout=60) == 0


def test_the_token_can_come_from_the_environment(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_SERVER_TOKEN", "given")
    with process("--engine", engine) as started:
        assert announced(started).token == "given"


def test_an_option_that_can_not_work_is_one_sentence_and_exit_code_1() -> None:
    with process("--engine", "none") as started:
        output, errors = started.communicate(timeout=60)
    assert started.returncode == 1
    assert output == ""
    assert errors.startswith("There is no engine 'none'.")
    assert "Traceback" not in errors
