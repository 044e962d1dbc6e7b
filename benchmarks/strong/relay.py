"""Chat completions over HTTP on loopback, with answers given beforehand."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKENS_PER_SECOND = 1_000
NO_ANSWER = "There is no recorded answer to this.\n"


class Relay:
    """A server that streams the next of its ``answers`` to each request, and keeps the texts of the ``requests``."""

    def __init__(self) -> None:
        self.answers: deque[str] = deque()
        self.requests: list[str] = []
        self.last_text_at = 0.0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The address for ``SPARK_BASE_URL``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

    def _next(self, asked: dict[str, Any]) -> str:
        self.requests.append("\n\n".join(f"### {one['role']}\n{one['content']}" for one in asked["messages"]))
        return self.answers.popleft() if self.answers else NO_ANSWER

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: object) -> None:
                pass

            def do_GET(self) -> None:
                self._reply(
                    {"object": "list", "data": [{"id": "strong", "object": "model", "context_window": 200_000}]}
                )

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if not self.path.endswith("/chat/completions"):
                    self._reply({"error": {"message": "only chat completions here"}}, 404)
                    return
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it was cut
                    self._stream(relay._next(asked))

            def _reply(self, body: object, status: int = 200) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, text: str) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                begun = time.monotonic()
                for number, part in enumerate(re.findall(r"\s*\S{1,5}|\s+$", text)):
                    time.sleep(max(0.0, begun + number / TOKENS_PER_SECOND - time.monotonic()))
                    self._event({"content": part})
                    relay.last_text_at = time.monotonic()
                self._event({}, reason="stop")
                self._put("data: [DONE]\n\n")
                self._put("")

            def _event(self, delta: object, reason: str | None = None) -> None:
                choice = {"index": 0, "delta": delta, "finish_reason": reason}
                chunk = {"id": "c", "object": "chat.completion.chunk", "model": "strong", "choices": [choice]}
                self._put(f"data: {json.dumps(chunk)}\n\n")

            def _put(self, text: str) -> None:
                data = text.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

        return Handler
