"""A stand-in for the hub of model files, on loopback."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from spark_jupyter.connection import model_download

DATA = b"GGUF" + bytes(range(256)) * 800
NAME = "qwen2.5-coder-0.5b"
FILE = model_download.catalogue()[NAME].file


class Hub(BaseHTTPRequestHandler):
    """Serves one file under every name, from any byte on. ``server.size`` and ``server.tag`` are what it says of it, ``server.tokens``
    what it was shown; with ``server.elsewhere`` it says that the file is at that address."""

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
        server.tokens.append(self.headers.get("authorization"))
        self.send_response(302 if server.elsewhere else 206 if begin else 200)
        if server.elsewhere:
            self.send_header("location", f"{server.elsewhere}{self.path}")
        self.send_header("etag", f'"{server.tag}"')
        self.send_header("x-linked-etag", f'"{server.tag}"')
        self.send_header("x-linked-size", str(server.size))
        self.send_header("x-repo-commit", "a" * 40)
        self.send_header("accept-ranges", "bytes")
        self.send_header("content-length", str(len(body) if body else server.size))
        if begin:
            self.send_header("content-range", f"bytes {begin}-{len(DATA) - 1}/{len(DATA)}")
        self.end_headers()
        half = len(body) // 2 if server.slow.is_set() else len(body)
        self.wfile.write(body[:half])
        self.wfile.flush()
        while server.slow.is_set():
            time.sleep(0.05)
        self.wfile.write(body[half:])


@contextmanager
def serving():
    """A hub while the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.asked, server.tokens, server.size, server.slow = [], [], len(DATA), threading.Event()
    server.tag, server.elsewhere = hashlib.sha256(DATA).hexdigest(), ""
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.slow.clear()
    server.shutdown()
    server.server_close()


@pytest.fixture
def model_hub(tmp_path, monkeypatch):
    with serving() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        monkeypatch.setenv("SPARK_MODELS", str(tmp_path / "models"))
        yield server
