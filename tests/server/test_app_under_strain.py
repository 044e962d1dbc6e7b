"""The embedded server where something is too much, too slow or goes wrong: limits, faults that a script plays, engines that wait."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed, ConnectionClosedError, InvalidStatus

from spark_jupyter.providers.base import Message
from spark_jupyter.server import Limits, ServerInfo, ServerLimits, serve_in_thread
from spark_jupyter.server.engines.base import Piece
from spark_jupyter.server.engines.script import ScriptEngine
from tests.server.fakes import text
from tests.server.scripted import ANSWER, Waits, script
from tests.server.sockets import client, create, receive, send

# --- Limits


def test_a_message_that_is_too_large_closes_the_connection() -> None:
    limits = ServerLimits(message_bytes=10_000)
    with serve_in_thread(engine=script(), limits=limits) as info:
        with client(info) as websocket:
            create(websocket, "x" * 20_000)
            with pytest.raises(ConnectionClosedError) as caught:
                receive(websocket)
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 1009
        with client(info) as websocket:
            create(websocket, "x" * 5_000)
            assert receive(websocket)[-1]["type"] == "response.completed"


def test_one_connection_too_many_is_refused_until_another_one_ends() -> None:
    with serve_in_thread(engine=script(), limits=ServerLimits(connections=2)) as info, ExitStack() as stack:
        first = stack.enter_context(client(info))
        stack.enter_context(client(info))
        with pytest.raises(InvalidStatus) as caught, client(info):
            pass
        assert caught.value.response.status_code == 503
        first.close()
        stack.enter_context(eventually_connected(info))


def eventually_connected(info: ServerInfo) -> ExitStack:
    """A connection, as soon as the server has noticed that another one has ended."""
    deadline = time.monotonic() + 60
    stack = ExitStack()
    while True:
        try:
            stack.enter_context(client(info))
            return stack
        except InvalidStatus:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_lane_names_are_limited_by_the_servers_limits() -> None:
    limits = ServerLimits(connection=Limits(lane_names=1))
    with serve_in_thread(engine=script(), limits=limits) as info, client(info) as websocket:
        create(websocket, stream_id="a", generate=False)
        receive(websocket)
        create(websocket, stream_id="b")
        assert receive(websocket)[-1]["error"]["code"] == "websocket_stream_limit_reached"


def test_a_connection_on_which_nothing_happens_is_closed() -> None:
    with serve_in_thread(engine=script(), limits=ServerLimits(idle=0.2)) as info, client(info) as websocket:
        with pytest.raises(ConnectionClosed) as caught:
            websocket.recv(timeout=60)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1000


def test_a_connection_with_an_answer_in_flight_is_not_idle() -> None:
    engine = script({"answer": ANSWER, "delay": 3.0})
    with serve_in_thread(engine=engine, limits=ServerLimits(idle=1.5)) as info, client(info) as websocket:
        create(websocket)
        assert text(receive(websocket)) == ANSWER


def test_a_connection_is_closed_at_the_end_of_its_life_and_says_why() -> None:
    limits = ServerLimits(connection=Limits(lifetime=1.5))
    engine = script({"answer": ANSWER, "delay": 30})
    with serve_in_thread(engine=engine, limits=limits) as info, client(info) as websocket:
        create(websocket)
        assert receive(websocket)[-1]["error"]["code"] == "websocket_connection_limit_reached"
        with pytest.raises(ConnectionClosed):
            websocket.recv(timeout=60)


def test_a_slow_reader_holds_the_engine_back_and_loses_nothing() -> None:
    total, made, line = 40_000, 0, "x" * 1_000

    class Counting:
        name = "counting"

        def models(self) -> list[str]:
            return ["script"]

        def answer(
            self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
        ) -> Iterator[Piece]:
            nonlocal made
            for number in range(total):
                made += 1
                yield f"{number} {line}\n"

    with serve_in_thread(engine=Counting()) as info, client(info) as websocket:
        create(websocket)
        held = settled(lambda: made)
        assert 0 < held < total / 2
        assert text(receive(websocket)) == "".join(f"{number} {line}\n" for number in range(total))


def settled(value: object) -> int:
    """A number that is not zero, when it has not changed for half a second."""
    assert callable(value)
    last, since = 0, time.monotonic()
    while not last or time.monotonic() - since < 0.5:
        now = value()
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(0.02)
    return last


def test_the_rate_is_kept_at_a_thousand_and_at_five_thousand_tokens_a_second() -> None:
    for rate, count in ((1_000, 500), (5_000, 2_500)):
        with serve_in_thread(engine=script({"pieces": ["x"] * count}), rate=rate) as info, client(info) as websocket:
            began = time.monotonic()
            create(websocket)
            events = receive(websocket)
            took = time.monotonic() - began
        assert len(text(events)) == count
        # Never faster than asked for; how much slower is the machine's affair, and the benchmarks'.
        assert took > (count - 1) / rate * 0.95


def test_after_a_pause_the_rate_is_kept_and_nothing_is_caught_up() -> None:
    engine = script({"pieces": ["x"] * 41, "delay": 0.5})
    with serve_in_thread(engine=engine, rate=100) as info, client(info) as websocket:
        began = time.monotonic()
        create(websocket)
        receive(websocket)
    assert time.monotonic() - began > (0.5 + 40 / 100) * 0.95


# --- Faults that a script plays


def test_a_connection_can_drop_without_a_close_frame() -> None:
    with serve_in_thread(engine=script({"answer": ANSWER, "drop_after": 3})) as info, client(info) as websocket:
        create(websocket)
        with pytest.raises(ConnectionClosedError) as caught:
            receive(websocket)
        assert caught.value.rcvd is None


def test_a_connection_can_drop_with_a_close_frame() -> None:
    engine = script({"answer": ANSWER, "drop_after": 3, "drop_code": 1011})
    with serve_in_thread(engine=engine) as info, client(info) as websocket:
        create(websocket)
        with pytest.raises(ConnectionClosedError) as caught:
            receive(websocket)
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1011


def test_an_answer_can_stall_while_other_lanes_go_on() -> None:
    engine = script({"match": "stall", "answer": ANSWER, "stall_after": 2}, {"answer": ANSWER})
    with serve_in_thread(engine=engine) as info, client(info) as websocket:
        create(websocket, "stall", stream_id="a")
        receive(websocket, {"response.output_text.delta"})
        receive(websocket, {"response.output_text.delta"})
        with pytest.raises(TimeoutError):
            websocket.recv(timeout=0.3)
        create(websocket, "go on", stream_id="b")
        assert text(receive(websocket)) == ANSWER


def test_garbage_and_giant_frames_are_sent_as_the_script_says() -> None:
    engine = script({"answer": "a", "garbage_after": 0, "giant": 2_000_000})
    with serve_in_thread(engine=engine) as info, client(info) as websocket:
        create(websocket)
        receive(websocket, {"response.in_progress"})
        assert websocket.recv(timeout=60) == '{"type": not json'
        assert len(text(receive(websocket))) == 2_000_001


def test_a_fault_after_the_last_word_comes_before_the_end() -> None:
    with serve_in_thread(engine=script({"answer": "a", "garbage_after": 9})) as info, client(info) as websocket:
        create(websocket)
        receive(websocket, {"response.output_text.delta"})
        assert websocket.recv(timeout=60) == '{"type": not json'
        assert receive(websocket)[-1]["type"] == "response.completed"


def test_a_scripted_refusal_arrives_with_its_status_and_headers() -> None:
    fail = {"status": 429, "code": "rate_limit_exceeded", "message": "Slow down.", "headers": {"retry-after": "1"}}
    with serve_in_thread(engine=script({"fail": fail}, {"answer": "x"})) as info, client(info) as websocket:
        create(websocket)
        error = receive(websocket)[-1]
        assert (error["status"], error["error"]["headers"]) == (429, {"retry-after": "1"})
        create(websocket)
        assert text(receive(websocket)) == "x"


@pytest.mark.parametrize("after", [0, 2])
def test_an_engine_that_raises_fails_its_response_and_nothing_else(
    after: int, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(ScriptEngine):
        def answer(
            self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
        ) -> Iterator[Piece]:
            if conversation[-1].text == "fine":
                return super().answer(conversation, instructions=instructions, model=model)
            return self._break()

        def _break(self) -> Iterator[Piece]:
            yield from ["x"] * after
            raise RuntimeError("an inner detail")

    with serve_in_thread(engine=Broken({"answers": [{"answer": "fine"}]})) as info, client(info) as websocket:
        create(websocket)
        failed = receive(websocket)[-1]
        assert failed["type"] == "response.failed"
        assert "RuntimeError" in failed["response"]["error"]["message"]
        assert "inner detail" not in str(failed)
        assert "inner detail" in caplog.text
        create(websocket, "fine")
        assert text(receive(websocket)) == "fine"


def test_an_engine_that_takes_its_time_holds_no_other_answer_up() -> None:
    engine = Waits()
    with serve_in_thread(engine=engine) as info, client(info) as websocket:
        create(websocket, "wait", stream_id="slow")
        receive(websocket, {"response.output_text.delta"})
        create(websocket, "x", stream_id="quick")
        assert text(receive(websocket)) == "fine"
        engine.may_go_on.set()
        assert text(receive(websocket)) == "done\n"


def test_an_answer_that_waits_is_closed_when_it_is_steered() -> None:
    engine = Waits()
    with serve_in_thread(engine=engine) as info, client(info) as websocket:
        create(websocket, "wait")
        response = receive(websocket, {"response.output_text.delta"})[0]["response"]["id"]
        send(websocket, type="response.steer", previous_response_id=response, input="x")
        assert receive(websocket)[-1]["type"] == "response.incomplete"
        assert engine.closed.wait(60)
        assert text(receive(websocket)) == "fine"
