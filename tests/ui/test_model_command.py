"""Models in files: the catalogue, and downloads from a stand-in hub on loopback."""

from __future__ import annotations

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from spark_jupyter.connection import model_download
from tests.ui.commands import spark

pytest.importorskip("huggingface_hub")

DATA = b"GGUF" + bytes(range(256)) * 800
NAME = "qwen2.5-coder-0.5b"
FILE = model_download.catalogue()[NAME].file


class Hub(BaseHTTPRequestHandler):
    """Serves one file under every name, from any byte on. ``server.size`` and ``server.tag`` are what it says of it."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_HEAD(self):
        self.answer(b"")

    def do_GET(self):
        begin = int((re.match(r"bytes=(\d+)", self.headers.get("range", "")) or [0, 0])[1])
        self.server.asked.append(begin)
        self.answer(DATA[begin:], begin)

    def answer(self, body, begin=0):
        server = self.server
        self.send_response(206 if begin else 200)
        self.send_header("etag", f'"{server.tag}"')
        self.send_header("x-linked-etag", f'"{server.tag}"')
        self.send_header("x-linked-size", str(server.size))
        self.send_header("x-repo-commit", "a" * 40)
        self.send_header("accept-ranges", "bytes")
        self.send_header("content-length", str(len(body) if body else server.size))
        if begin:
            self.send_header("content-range", f"bytes {begin}-{len(DATA) - 1}/{len(DATA)}")
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def hub(tmp_path, monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.asked, server.size = [], len(DATA)
    server.tag = hashlib.sha256(DATA).hexdigest()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("SPARK_MODELS", str(tmp_path / "models"))
    yield server
    server.shutdown()
    server.server_close()


def test_a_model_is_downloaded_once_listed_and_removed(hub, tmp_path):
    path = tmp_path / "models" / FILE
    done = spark("model", "get", NAME)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == DATA
    assert f"%spark model {path}" in done.stdout
    assert [one.name for one in path.parent.iterdir()] == [FILE]
    hub.asked.clear()
    assert spark("model", "get", NAME).returncode == 0
    assert not hub.asked
    (line,) = [line for line in spark("model", "list").stdout.splitlines() if line.startswith(f"{NAME} ")]
    assert "here" in line
    assert spark("model", "rm", NAME).returncode == 0
    assert not path.exists()
    again = spark("model", "rm", NAME)
    assert (again.returncode, "is not in" in again.stderr) == (1, True)


def test_a_download_that_was_interrupted_goes_on_where_it_ended(hub, tmp_path):
    path = tmp_path / "models" / FILE
    path.parent.mkdir()
    path.with_name(f"{FILE}.part").write_bytes(DATA[:7_000])
    done = spark("model", "get", NAME)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == DATA
    assert hub.asked[-1] == 7_000


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tag": "0" * 64}, "not what the hub says"),
        ({"size": 10**18}, "are free in"),
    ],
)
def test_what_is_wrong_or_too_large_is_refused(hub, tmp_path, change, said):
    for name, value in change.items():
        setattr(hub, name, value)
    done = spark("model", "get", NAME)
    assert done.returncode == 1
    assert said in done.stderr
    assert not (tmp_path / "models" / FILE).exists()


def test_a_hub_that_is_not_there_is_said(tmp_path, monkeypatch, unused_port):
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{unused_port}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    done = spark("model", "get", NAME, "--folder", tmp_path)
    assert (done.returncode, "can't be downloaded" in done.stderr) == (1, True), done.stderr
    assert "Traceback" not in done.stderr


def test_the_catalogue_says_what_a_model_is_and_needs(tmp_path):
    done = spark("model", "info", "qwen2.5-coder-1.5b-fill-in", "--folder", tmp_path)
    assert "ghost text" in done.stdout
    assert "Apache-2.0" in done.stdout
    assert "There is no model" in spark("model", "info", "none").stderr
    assert all(one.file.endswith(".gguf") for one in model_download.catalogue().values())
