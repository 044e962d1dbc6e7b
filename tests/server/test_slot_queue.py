"""Requests that wait for a slot: who comes first, what they are told, who gives up."""

from __future__ import annotations

import threading
from collections.abc import Generator

from spark_jupyter.providers.base import Message, PromptProgress
from spark_jupyter.server import serve_in_thread, slot_queue
from spark_jupyter.server.engines.base import AnswerEngine, Piece
from spark_jupyter.server.slot_queue import SlotQueue
from tests.server.fakes import text, types
from tests.server.sockets import client, create, receive


def pieces(*texts: str) -> Generator[str, None, None]:
    yield from texts


def test_as_many_as_there_are_slots_begin_at_once_and_the_others_in_their_order():
    queue, never = SlotQueue(2), threading.Event()
    one, two, three, four = (queue.after(pieces("a", "b"), never) for _ in range(4))
    assert [next(one), next(two)] == ["a", "a"]
    assert next(three) == PromptProgress(total=0, waiting=1)
    assert next(four) == PromptProgress(total=0, waiting=2)
    assert next(three) == ""
    two.close()
    assert next(three) == "a"
    assert next(four) == PromptProgress(total=0, waiting=1)
    assert list(one) == ["b"]
    assert list(four) == ["a", "b"]


def test_who_gives_up_while_waiting_makes_room_for_those_behind():
    queue, stopped, never = SlotQueue(1), threading.Event(), threading.Event()
    one, two, three = (
        queue.after(pieces("a", "b"), never),
        queue.after(pieces("c"), stopped),
        queue.after(pieces("d"), never),
    )
    assert [next(one), next(two).waiting, next(three).waiting] == ["a", 1, 2]
    stopped.set()
    assert list(two) == []
    assert next(three).waiting == 1
    one.close()
    assert list(three) == ["d"]


def test_who_waits_long_is_told_again_so_that_no_client_gives_up(monkeypatch):
    monkeypatch.setattr(slot_queue, "AGAIN", 3)
    queue, never = SlotQueue(1), threading.Event()
    first, second = (queue.after(pieces("a", "b"), never) for _ in range(2))
    assert next(first) == "a"
    told = PromptProgress(total=0, waiting=1)
    assert [next(second) for _ in range(5)] == [told, "", "", told, ""]


class OneAtATime(AnswerEngine):
    """Answers when it is let."""

    name = "slow"

    def __init__(self) -> None:
        self.queue, self.let = SlotQueue(1), threading.Event()

    def models(self) -> list[str]:
        return ["script"]

    def answer(self, conversation: tuple[Message, ...], **how: object) -> Generator[Piece, None, None]:
        return self.queue.after(self._pieces(), threading.Event())

    def _pieces(self) -> Generator[str, None, None]:
        while not self.let.wait(0.05):
            yield ""
        yield "x = 1"


def test_a_client_is_told_how_many_come_first():
    engine = OneAtATime()
    with serve_in_thread(engine=engine) as info, client(info) as first, client(info) as second:
        create(first)
        receive(first, {"response.in_progress"})
        create(second)
        told = receive(second, {"response.in_progress"})
        while "prompt_progress" not in told[-1]:
            told += receive(second, {"response.in_progress"})
        engine.let.set()
        answers = receive(first), receive(second)
    assert told[-1]["prompt_progress"] == {"total": 0, "cache": 0, "processed": 0, "waiting": 1}
    assert [text(answer) for answer in answers] == ["x = 1", "x = 1"]
    assert types(answers[1])[-1] == "response.completed"
