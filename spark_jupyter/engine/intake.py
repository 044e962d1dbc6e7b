"""How commands come in: in the order of their submission, a Run behind the slower checks of its cell; what one objects to is said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from spark_jupyter.engine.checks import Inspections
from spark_jupyter.engine.loop import LoopThread
from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.messages import Command, Event, Problem


class Intake:
    """``take`` takes a command in, and raises where it does not fit; ``send`` sends events to everyone. Only used on the engine's loop."""

    def __init__(
        self,
        take: Callable[[Command], None],
        inspections: Inspections,
        *,
        thread: LoopThread,
        send: Callable[[Sequence[Event]], None],
    ) -> None:
        self._take = take
        self._inspections = inspections
        self._thread = thread
        self._send = send

    def begin(self, command: Command) -> None:
        """Commands are taken in at once, but for a Run of a cell that the slower checks still look at."""
        if self._inspections.before(command) is None:
            self._receive(command)
        else:
            self._thread.spawn(self._receive_later(command))

    async def wait(self, command: Command) -> None:
        """Take a command in for somebody who waits for that, and hears what it raises."""
        await self._after_inspection(command)
        self._take(command)

    async def _receive_later(self, command: Command) -> None:
        await self._after_inspection(command)
        self._receive(command)

    async def _after_inspection(self, command: Command) -> None:
        if (inspection := self._inspections.before(command)) is not None:
            await asyncio.wait({inspection})

    def _receive(self, command: Command) -> None:
        """A command that nobody waits for: an objection goes to everyone as an event."""
        turn_id = getattr(command, "turn_id", None)
        try:
            self._take(command)
        except SparkError as error:
            self._send([Problem.of(error, turn_id=turn_id)])
        except Exception as error:  # a fault of our own must not leave the front end without an answer
            context = {"message": "A command failed in spark_jupyter", "exception": error}
            self._thread.loop.call_exception_handler(context)
            message = f"spark_jupyter itself failed ({type(error).__name__}) on {type(command).__name__}."
            self._send([Problem(code="fault", message=message, remedy="Please report it.", turn_id=turn_id)])
