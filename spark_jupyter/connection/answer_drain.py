"""Limits on reading an unwanted answer to its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from spark_jupyter.providers.base import Priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.connection.connection_options import Options
    from spark_jupyter.providers.base import ModelRequest


def is_small(request: ModelRequest, options: Options) -> bool:
    """True if the rest of this request's answer is surely small, so that reading it costs less than a new connection.

    Nobody waits for a turn that was cancelled, and its answer may be long: the provider must stop, and be paid no longer.
    """
    limit = request.max_output_tokens
    return request.priority is not Priority.TURN and limit is not None and limit <= options.drain_tokens


class Tail:
    """Counts what still comes of one answer. ``give_up`` is called, once, where that is too much or takes too long."""

    def __init__(self, options: Options, give_up: Callable[[], None]) -> None:
        self._left = options.drain_bytes
        self._give_up = give_up
        self._timer = asyncio.get_running_loop().call_later(options.drain_time, self._end)
        self._is_closed = False

    def receive(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            self._end()

    def close(self) -> None:
        self._is_closed = True
        self._timer.cancel()

    def _end(self) -> None:
        if not self._is_closed:
            self.close()
            self._give_up()
