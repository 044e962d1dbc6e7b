"""Queue of frames: in order, each once, and never so many at once that nothing else has a turn."""

from __future__ import annotations

import asyncio

import pytest

from spark_jupyter.connection.frame_inbox import MOST_AT_ONCE, Inbox
from spark_jupyter.exceptions import Stalled

FRAMES = [b"%d" % number for number in range(10 * MOST_AT_ONCE + 7)]


def test_a_flood_is_taken_in_parts_with_nothing_lost_and_others_come_between() -> None:
    async def run() -> tuple[list[list[bytes]], int]:
        inbox, turns = Inbox(), 0

        async def another() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        for frame in FRAMES:
            inbox.put(frame)
        beside = asyncio.create_task(another())
        taken: list[list[bytes]] = []
        while sum(map(len, taken)) < len(FRAMES):
            taken.append(await inbox.take(60))
        beside.cancel()
        return taken, turns

    taken, turns = asyncio.run(run())
    assert [frame for part in taken for frame in part] == FRAMES
    assert max(map(len, taken)) == MOST_AT_ONCE
    assert turns >= len(taken) - 1


def test_what_has_arrived_is_taken_before_an_error_is_raised() -> None:
    async def run() -> list[bytes]:
        inbox = Inbox()
        taken: list[bytes] = []
        for frame in FRAMES:
            inbox.put(frame)
        inbox.fail(Stalled("no more"))
        while len(taken) < len(FRAMES):
            taken += await inbox.take(60)
        with pytest.raises(Stalled, match="no more"):
            await inbox.take(60)
        return taken

    assert asyncio.run(run()) == FRAMES
