"""The Responses API over HTTP, on real sockets: answers, answers that go on in the background, and what is refused."""

from __future__ import annotations

import contextlib
import http.client
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from spark_jupyter.server import ServerInfo, ServerLimits, serve_in_thread
from spark_jupyter.server.engines.script import ScriptEngine
from tests.server.sockets import client, create, receive

WORDS = "one two three four five six "
PIECES = [f"{word} " for word in WORDS.split()]
DROPPED = {"match": "dropped", "pieces": PIECES, "drop_after": 3, "repeat": True}
STUCK = {"match": "stuck", "pieces": PIECES, "stall_after": 2, "repeat": True}
REFUSED = {"match": "refused", "fail": {"status": 429, "message": "Slowly.", "headers": {"retry-after": "3"}}}
BROKEN = {"match": "broken", "pieces": PIECES, "fail_after": 2, "fail": {"status": 500, "message": "No."}}
ANSWERS = [DROPPED, STUCK, REFUSED, BROKEN, {"pieces": PIECES, "repeat": True}]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInfo]:
    with serve_in_thread(engine=ScriptEngine({"answers": ANSWERS})) as info:  # type: ignore[dict-item]
        yield info


class Asked:
    """One request, and what came of it."""

    def __init__(self, info: ServerInfo, method: str, path: str, body: object = None, **headers: str) -> None:
        address = urlsplit(info.url)
        self._connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60)
        content = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        self._connection.request(
            method, f"/v1{path}", body=content, headers={"Authorization": f"Bearer {info.token}", **headers}
        )
        self.answer = self._connection.getresponse()
        self.status = self.answer.status

    def json(self) -> Any:
        with contextlib.closing(self._connection):
            return msgspec.json.decode(self.answer.read())

    def events(self, most: int = 1_000) -> list[dict[str, Any]]:
        """Those that come until the connection ends, or so many."""
        found: list[dict[str, Any]] = []
        with contextlib.closing(self._connection), contextlib.suppress(ConnectionError, http.client.IncompleteRead):
            while len(found) < most and (line := self.answer.readline()):
                if line.startswith(b"data: {"):
                    found.append(msgspec.json.decode(line[6:]))
        return found


def post(info: ServerInfo, text: str = "hello", path: str = "/responses", **fields: object) -> Asked:
    return Asked(info, "POST", path, {"model": "script", "input": text, **fields})


def said(events: list[dict[str, Any]]) -> str:
    return "".join(event.get("delta", "") for event in events)


def test_an_answer_comes_whole_or_as_events(server: ServerInfo) -> None:
    response = post(server).json()
    assert (response["status"], response["output"][0]["content"][0]["text"]) == ("completed", WORDS)
    events = post(server, stream=True).events()
    assert said(events) == WORDS
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert events[-1]["type"] == "response.completed"
    assert events[-1]["response"]["background"] is False


def test_a_response_is_continued_by_another_request_and_over_a_websocket(server: ServerInfo) -> None:
    first = post(server, background=True).json()["id"]
    Asked(server, "GET", f"/responses/{first}?stream=true").events()
    assert post(server, previous_response_id=first).json()["usage"]["input_tokens_details"]["cached_tokens"] > 0
    with client(server) as websocket:
        create(websocket, previous_response_id=first)
        assert receive(websocket)[-1]["type"] == "response.completed"


def test_what_goes_on_in_the_background_is_told_at_once_and_asked_for_until_it_has_ended(server: ServerInfo) -> None:
    begun = post(server, "stuck", background=True).json()
    assert (begun["status"], begun["background"]) == ("in_progress", True)
    assert Asked(server, "GET", f"/responses/{begun['id']}").json()["status"] == "in_progress"
    assert Asked(server, "POST", f"/responses/{begun['id']}/cancel").json()["status"] == "cancelled"
    assert Asked(server, "GET", f"/responses/{begun['id']}").json()["status"] == "cancelled"


def test_a_stream_that_was_cut_goes_on_behind_the_last_event_and_nothing_is_missing_or_twice(
    server: ServerInfo,
) -> None:
    cut = post(server, "dropped", background=True, stream=True).events()
    assert said(cut) == "one two three "
    assert cut[-1]["type"] == "response.output_text.delta"
    response_id, last = cut[0]["response"]["id"], cut[-1]["sequence_number"]
    rest = Asked(server, "GET", f"/responses/{response_id}?stream=true&starting_after={last}").events()
    assert said(cut + rest) == WORDS
    assert [event["sequence_number"] for event in cut + rest] == list(range(len(cut + rest)))


def test_whoever_leaves_ends_an_answer_that_is_not_in_the_background(server: ServerInfo) -> None:
    ids = [
        post(server, "stuck", stream=True, background=each).events(most=5)[0]["response"]["id"]
        for each in (False, True)
    ]
    deadline = time.monotonic() + 60
    while Asked(server, "GET", f"/responses/{ids[0]}").json()["status"] != "cancelled":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert Asked(server, "GET", f"/responses/{ids[1]}").json()["status"] == "in_progress"
    assert Asked(server, "POST", f"/responses/{ids[1]}/cancel").json()["status"] == "cancelled"


def test_a_refusal_and_a_failure_keep_their_status(server: ServerInfo) -> None:
    refused = post(server, "refused", background=True, stream=True).events()
    assert refused[-1]["error"]["headers"] == {"retry-after": "3"}
    assert post(server, "broken").json()["status"] == "failed"


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "code"),
    [
        ("POST", "/responses", {"model": "nobody", "input": "x"}, {}, 400, "model_not_found"),
        ("POST", "/responses", {"model": "script"}, {}, 400, "missing_required_parameter"),
        ("POST", "/responses", {"model": "script", "input": 7}, {}, 400, "invalid_value"),
        ("POST", "/responses", [1], {}, 400, "invalid_json"),
        ("POST", "/responses", b"{", {}, 400, "invalid_json"),
        ("POST", "/responses", b"[" * 100_000, {}, 400, "invalid_json"),
        ("POST", "/responses", {"model": "script", "input": "x", "background": True, "store": False}, {}, 400, "invalid_value"),
        ("POST", "/responses", {"input": "x"}, {"Authorization": "Bearer wrong"}, 401, "invalid_api_key"),
        ("POST", "/responses", {"input": "x"}, {"Origin": "https://evil.example"}, 403, "forbidden_origin"),
        ("POST", "/responses", {"input": "x"}, {"Host": "evil.example"}, 403, "forbidden_host"),
        ("POST", "/responses?token=x", {"input": "x"}, {}, 400, "token_in_url"),
        ("POST", "/responses", b"", {"Content-Length": "99999999999"}, 413, "body_too_large"),
        ("POST", "/responses", b"", {"Content-Length": "-1"}, 400, "bad_request"),
        ("POST", "/responses", b"0\r\n\r\n", {"Transfer-Encoding": "chunked"}, 411, "length_required"),
        ("POST", "/responses", b"", {"X-Long": "x" * 70_000}, 431, "headers_too_long"),
        ("GET", "/responses/resp_unknown", None, {}, 404, "not_found"),
        ("POST", "/responses/resp_unknown/cancel", None, {}, 404, "not_found"),
        ("POST", "/chat/completions", {"model": "script"}, {}, 404, "not_found"),
        ("DELETE", "/responses", None, {}, 405, "method_not_allowed"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_in_a_sentence(
    server: ServerInfo, method: str, path: str, body: object, headers: dict[str, str], status: int, code: str
) -> None:
    asked = Asked(server, method, path, body, **headers)
    told = asked.json()["error"]
    assert (asked.status, told["code"]) == (status, code)
    assert told["message"]


def test_a_number_that_is_none_is_refused(server: ServerInfo) -> None:
    response_id = post(server, background=True).json()["id"]
    asked = Asked(server, "GET", f"/responses/{response_id}?stream=true&starting_after=x")
    assert (asked.status, asked.json()["error"]["param"]) == (400, "starting_after")


def test_what_is_no_http_and_what_ends_at_once_harms_nobody(server: ServerInfo) -> None:
    address = urlsplit(server.url)
    for data in (b"", b"\n", b"\x16\x03\x01\x02\x00\x01" * 9, b"POST /v1/responses HTTP/1.1\r\n", b"P" * 200_000):
        with (
            socket.create_connection((address.hostname or "", address.port or 0), timeout=60) as raw,
            contextlib.suppress(OSError),  # it may have been ended before all of it was sent
        ):
            raw.sendall(data)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(1 << 16):
                pass
    assert post(server).json()["status"] == "completed"


def test_whoever_has_not_shown_the_token_keeps_nobody_out_who_has_it() -> None:
    """Another user of this machine may hold as many connections open as they like; the oldest of those give way."""
    with serve_in_thread(engine=ScriptEngine({"answers": ANSWERS}), limits=ServerLimits(connections=4)) as info:  # type: ignore[dict-item]
        address = urlsplit(info.url)
        begun = (b"", b"POST /v1/responses HTTP/1.1\r\n", b"GET /v1/responses HTTP/1.1\r\n")
        with contextlib.ExitStack() as stack:
            strangers = []
            for data in begun * 5:
                stranger = socket.create_connection((address.hostname or "", address.port or 0), timeout=60)
                strangers.append(stack.enter_context(stranger))
                stranger.sendall(data)
            assert post(info).json()["status"] == "completed"
            with client(info) as websocket:
                create(websocket)
                assert receive(websocket)[-1]["type"] == "response.completed"
            with contextlib.suppress(ConnectionError):
                assert strangers[0].recv(1) == b""


def test_a_body_is_read_only_from_who_has_shown_the_token(server: ServerInfo) -> None:
    address = urlsplit(server.url)
    head = b"POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n"
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=60) as raw:
        raw.sendall(head)  # and no body
        assert raw.recv(1 << 16).startswith(b"HTTP/1.1 401 ")


def test_a_refusal_reaches_who_still_sends(server: ServerInfo) -> None:
    asked = Asked(server, "POST", "/responses", b" " * 8_000_000, Authorization="Bearer wrong")
    assert asked.status == 401


def test_the_bodies_that_are_held_at_a_time_are_bounded() -> None:
    limits = ServerLimits(message_bytes=10_000)
    with (
        serve_in_thread(engine=ScriptEngine({"answers": ANSWERS}), limits=limits) as info,
        contextlib.ExitStack() as stack,
    ):  # type: ignore[dict-item]
        address = urlsplit(info.url)
        head = f"POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {info.token}\r\n"
        for _ in range(4):
            raw = socket.create_connection((address.hostname or "", address.port or 0), timeout=60)
            stack.enter_context(raw).sendall(f"{head}Expect: 100-continue\r\nContent-Length: 10000\r\n\r\n".encode())
            assert raw.recv(1 << 16).startswith(b"HTTP/1.1 100 ")
        assert post(info).status == 503
        raw.close()
        while post(info).status == 503:
            time.sleep(0.01)


def test_a_request_that_comes_byte_by_byte_is_understood(server: ServerInfo) -> None:
    address = urlsplit(server.url)
    body = b'{"model":"script","input":"x"}'
    head = f"POST /v1/responses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=60) as raw:
        for byte in f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body:
            raw.sendall(bytes([byte]))
        answer = b""
        while piece := raw.recv(1 << 16):
            answer += piece
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


def test_the_server_ends_while_a_response_goes_on() -> None:
    with serve_in_thread(engine=ScriptEngine({"answers": [STUCK]})) as info:  # type: ignore[dict-item]
        begun = post(info, "stuck", background=True).json()
        asked = Asked(info, "GET", f"/responses/{begun['id']}?stream=true")
        assert said(asked.events(most=6)) == "one two "
