"""What is given to the session: a command, with what is in the kernel at that moment where the session is to know it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import structs

from spark_jupyter.engine.checks import Checks, Tries
from spark_jupyter.engine.copies import Copies
from spark_jupyter.engine.gears import Gears
from spark_jupyter.engine.kernel import Kernel
from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.deep_messages import BeginDeep, DirectDeep, RestoreDeep
from spark_jupyter.protocol.messages import Cancel, Command, Prompt, Restore
from spark_jupyter.session.session import Session
from spark_jupyter.session.unrun_cells import without_stale_counts

_OF_GEARS = BeginDeep | DirectDeep | RestoreDeep


class Giving:
    """``kernel`` reads what is there, ``clock`` says how late it is (Unix seconds). Only used on the engine's loop."""

    def __init__(
        self,
        session: Session,
        gears: Gears,
        checks: Checks,
        copies: Copies,
        tries: Tries,
        kernel: Kernel,
        clock: Callable[[], float],
    ) -> None:
        self._session = session
        self._gears = gears
        self._checks = checks
        self._copies = copies
        self._tries = tries
        self._kernel = kernel
        self._clock = clock

    def give(self, command: Command) -> None:
        """Have the session take a command in. Raises :class:`~spark_jupyter.exceptions.SessionError` where it does not fit."""
        if isinstance(command, Prompt) and command.attempts.races and self._checks.no_try:
            raise SessionError(
                f"Attempts are judged by trying them. {self._checks.no_try}",
                remedy="Prompt without attempts and checks.",
            )
        prompt = self._gears.prepare(command) if isinstance(command, _OF_GEARS) else command
        surroundings = self._kernel.surroundings(prompt) if isinstance(prompt, Prompt) else None
        self._copies.allow(self._session)
        if isinstance(command, Prompt | Restore):
            command = structs.replace(command, cells=without_stale_counts(command.cells, self._kernel.namespace()))
        self._session.receive_command(command, at=self._clock(), surroundings=surroundings)
        if isinstance(command, Cancel):
            self._cancel_tries(command.turn_id)

    def _cancel_tries(self, turn_id: str | None) -> None:
        if turn_id is None:
            self._tries.cancel_all()
        else:
            self._tries.cancel([draft.cell_id for draft in self._session.store.of_turn(turn_id)])
