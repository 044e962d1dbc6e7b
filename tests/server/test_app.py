"""The server over real sockets: what it serves, what it refuses, where its limits are."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from spark_jupyter.exceptions import ConfigurationError, ServerError
from spark_jupyter.providers.base import Message
from spark_jupyter.server import Server, ServerInfo, serve_in_thread
from spark_jupyter.server.access_control import CHALLENGE, proof
from spark_jupyter.server.engines import ENGINES, Kind
from spark_jupyter.server.engines.base import Piece
from spark_jupyter.server.engines.script import ScriptEngine
from tests.server.fakes import text, types
from tests.server.scripted import ANSWER, Waits, script
from tests.server.sockets import client, create, get, receive, send


@pytest.fixture(scope="module")
def server() -> Iterator[ServerInfo]:
    with serve_in_thread(engine=script()) as info:
        yield info


# --- What is served


def test_an_answer_streams_over_the_socket(server: ServerInfo) -> None:
    with client(server) as websocket:
        create(websocket)
        events = receive(websocket)
    assert text(events) == ANSWER
    assert types(events)[0] == "response.created"
    assert types(events)[-1] == "response.completed"


def test_one_connection_serves_turn_after_turn_and_continues(server: ServerInfo) -> None:
    with client(server) as websocket:
        create(websocket, store=False)
        first = receive(websocket)[-1]["response"]
        create(websocket, previous_response_id=first["id"], store=False)
        second = receive(websocket)[-1]["response"]
    assert second["previous_response_id"] == first["id"]
    assert second["usage"]["input_tokens_details"]["cached_tokens"] > 0


def test_a_stored_response_can_be_continued_on_another_connection(server: ServerInfo) -> None:
    with client(server) as one:
        create(one)
        first = receive(one)[-1]["response"]["id"]
    with client(server) as other:
        create(other, previous_response_id=first)
        assert receive(other)[-1]["type"] == "response.completed"


def test_lanes_stream_beside_each_other() -> None:
    slow = {"match": "slow", "answer": ANSWER, "pause_after": 2, "pause": 30}
    with serve_in_thread(engine=script(slow, {"answer": ANSWER})) as info, client(info) as websocket:
        create(websocket, "slow", stream_id="slow")
        receive(websocket, {"response.output_text.delta"})
        create(websocket, "quick", stream_id="quick")
        events = receive(websocket)
        assert text([event for event in events if event["stream_id"] == "quick"]) == ANSWER


def test_a_steer_over_the_socket_has_a_successor() -> None:
    answers = ({"match": "rather", "answer": "that\n"}, {"answer": "this\n" * 3, "stall_after": 2})
    with serve_in_thread(engine=script(*answers)) as info, client(info) as websocket:
        create(websocket)
        response = receive(websocket, {"response.output_text.delta"})[0]["response"]["id"]
        send(websocket, type="response.steer", previous_response_id=response, input="rather that")
        assert receive(websocket)[-1]["response"]["incomplete_details"] == {"reason": "steered"}
        assert text(receive(websocket)) == "that\n"


def test_a_client_with_deflate_is_served_too(server: ServerInfo) -> None:
    with client(server, compression="deflate") as websocket:
        assert "permessage-deflate" in websocket.response.headers["Sec-WebSocket-Extensions"]
        create(websocket)
        assert text(receive(websocket)) == ANSWER


def test_every_event_is_a_text_frame_of_its_own(server: ServerInfo) -> None:
    with client(server) as websocket:
        create(websocket)
        frames = [websocket.recv(timeout=60)]
        while '"type":"response.completed"' not in str(frames[-1]):
            frames.append(websocket.recv(timeout=60))
    assert all(isinstance(frame, str) and frame.count('"type":"response.') == 1 for frame in frames)


def test_the_models_are_listed(server: ServerInfo) -> None:
    status, body = get(server, "/v1/models")
    assert status == 200
    assert body["object"] == "list"
    assert [model["id"] for model in body["data"]] == ["script"]


def test_health_needs_no_token_and_says_nothing_else(server: ServerInfo) -> None:
    assert get(server, "/healthz", {}) == (200, {"status": "ok"})


def test_health_proves_that_the_server_knows_the_token(server: ServerInfo) -> None:
    assert get(server, "/healthz", {CHALLENGE: "c"})[1]["proof"] == proof(server.token, "c")
    assert "proof" not in get(server, "/healthz", {CHALLENGE: "c" * 129})[1]


def test_small_frames_are_not_held_back_by_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[ServerConnection] = []
    original = Server.handle

    async def handle(self: Server, websocket: ServerConnection) -> None:
        served.append(websocket)
        await original(self, websocket)

    monkeypatch.setattr(Server, "handle", handle)
    with serve_in_thread(engine=script()) as info, client(info) as websocket:
        create(websocket)
        receive(websocket)
        option = served[0].transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert option


# --- What is refused


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/models", "/nothing"])
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_without_the_token_nobody_comes_in(server: ServerInfo, path: str, headers: dict[str, str]) -> None:
    status, body = get(server, path, headers)
    assert (status, body["error"]["code"]) == (401, "invalid_api_key")
    assert server.token not in str(body)


def test_a_websocket_without_the_token_is_refused_in_the_handshake(server: ServerInfo) -> None:
    with pytest.raises(InvalidStatus) as caught, client(server, additional_headers={}):
        pass
    assert caught.value.response.status_code == 401
    assert caught.value.response.headers["WWW-Authenticate"] == "Bearer"


def test_a_token_in_the_url_is_refused(server: ServerInfo) -> None:
    assert get(server, f"/v1/models?token={server.token}", {})[0] == 400
    status, body = get(server, f"/v1/models?token={server.token}")
    assert (status, body["error"]["code"]) == (400, "token_in_url")
    assert server.token not in str(body)


@pytest.mark.parametrize("path", ["/v1/models", "/healthz"])
def test_a_foreign_origin_is_refused_although_the_token_is_right(server: ServerInfo, path: str) -> None:
    headers = {"Authorization": f"Bearer {server.token}", "Origin": "https://evil.example"}
    assert get(server, path, headers)[0] == 403


def test_a_websocket_from_a_foreign_origin_is_refused(server: ServerInfo) -> None:
    with pytest.raises(InvalidStatus) as caught, client(server, origin="https://evil.example"):
        pass
    assert caught.value.response.status_code == 403


def test_a_websocket_from_a_local_page_is_let_in(server: ServerInfo) -> None:
    with client(server, origin="http://localhost:8888") as websocket:
        create(websocket)
        assert receive(websocket)[-1]["type"] == "response.completed"


def test_a_rebound_host_name_is_refused(server: ServerInfo) -> None:
    headers = {"Authorization": f"Bearer {server.token}", "Host": "evil.example"}
    assert get(server, "/v1/models", headers)[0] == 403


def test_an_unknown_path_is_not_found(server: ServerInfo) -> None:
    assert get(server, "/v1/chat/completions")[0] == 404


def test_other_methods_than_get_are_refused(server: ServerInfo) -> None:
    try:
        status, _ = get(server, "/v1/models", method="DELETE")
    except http.client.HTTPException:
        return  # websockets 15 just hangs up
    assert status in (400, 405)


def test_a_plain_get_of_the_websocket_address_is_told_to_upgrade(server: ServerInfo) -> None:
    with socket.create_connection((server.url.split(":")[1][2:], int(server.url.split(":")[2].split("/")[0]))) as raw:
        host = "127.0.0.1"
        raw.sendall(
            f"GET /v1/responses HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
        )
        assert raw.recv(100).startswith(b"HTTP/1.1 426 ")


# --- Starting and ending


def test_an_answer_that_waits_is_closed_when_its_client_leaves() -> None:
    engine = Waits()
    with serve_in_thread(engine=engine) as info:
        with client(info) as websocket:
            create(websocket, "wait")
            receive(websocket, {"response.output_text.delta"})
        assert engine.closed.wait(60)


def test_the_server_closes_the_engine_that_it_made_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    made, given = Waits(), Waits()
    monkeypatch.setitem(ENGINES, "waits", Kind(lambda argument, books: made))
    with serve_in_thread(engine="waits") as info, client(info) as websocket:
        create(websocket, "x")
        assert text(receive(websocket)) == "fine"
    with serve_in_thread(engine=given):
        pass
    assert (made.asked_to_end, given.asked_to_end) == (True, False)


def test_a_client_that_leaves_in_mid_answer_stops_the_engine() -> None:
    stopped = threading.Event()

    class Endless(ScriptEngine):
        def answer(
            self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
        ) -> Iterator[Piece]:
            try:
                while True:
                    yield "x"
            finally:
                stopped.set()

    with serve_in_thread(engine=Endless({"answers": []}), rate=1_000) as info:
        with client(info) as websocket:
            create(websocket)
            receive(websocket, {"response.output_text.delta"})
        assert stopped.wait(60)


def test_a_server_that_ends_closes_its_connections_as_going_away() -> None:
    with ExitStack() as stack:
        info = stack.enter_context(serve_in_thread(engine=script({"answer": ANSWER, "delay": 30})))
        with client(info) as websocket:
            create(websocket)
            receive(websocket, {"response.in_progress"})
            stack.close()
            with pytest.raises(ConnectionClosed) as caught:
                websocket.recv(timeout=60)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1001


def test_every_server_makes_a_token_of_its_own() -> None:
    with serve_in_thread(engine=script()) as one, serve_in_thread(engine=script()) as other:
        assert one.token != other.token
        assert len(one.token) >= 32


def test_a_token_can_be_given() -> None:
    with serve_in_thread(engine=script(), token="given") as info, client(info) as websocket:
        assert info.token == "given"
        create(websocket)
        assert receive(websocket)[-1]["type"] == "response.completed"


@pytest.mark.parametrize("token", ["", " ", "a\nb", "ä"])
def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    with pytest.raises(ConfigurationError), serve_in_thread(engine=script(), token=token):
        pass


@pytest.mark.parametrize("rate", [0, -1, float("nan")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(ConfigurationError), serve_in_thread(engine=script(), rate=rate):
        pass


def test_a_port_that_is_taken_is_a_server_error() -> None:
    with serve_in_thread(engine=script()) as info:
        port = int(info.url.split(":")[2].split("/")[0])
        with pytest.raises(ServerError, match=str(port)), serve_in_thread(engine=script(), port=port):
            pass
