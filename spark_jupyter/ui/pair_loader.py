"""Start of the session in idle time, or at its first use.

``%load_ext`` registers only names. The session, which costs a few hundred milliseconds, is made by the first of: a moment in which no cell
runs, a magic, a client's comm, the next cell. A cell waits for a session that is being made, so nothing of ours is imported while it runs.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spark_jupyter.exceptions import SparkError
from spark_jupyter.protocol.constants import COMMANDS_TARGET, EVENTS_TARGET

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from spark_jupyter.ui.pair import Pair

IDLE = 0.05
"""Seconds after a cell's end until the session is made."""
AHEAD = tuple(
    "ui.magics.verbs ui.turn_output ui.mention_lookup redaction.namespace_secrets guardrail reality "
    "session.deep.escalation".split()
)
"""Modules that the first prompt needs: imported in idle time, one after the other."""


class PairLoader:
    """Makes the session of a shell once, from whichever thread asks first."""

    def __init__(self, shell: InteractiveShell, make: Callable[[], Pair]) -> None:
        self._shell = shell
        self._make = make
        self._lock = threading.RLock()
        self._pair: Pair | None = None
        self._closed = False
        self._cells = 0  # that have begun since
        self._timer: threading.Timer | None = None
        shell.events.register("post_execute", self._wait_for_idleness)
        shell.events.register("pre_run_cell", self._cell_begins)
        shell.events.register("post_run_cell", self._cell_ends)
        if self._prompt is not None:
            self._prompt.app.after_render += self._wait_for_idleness
        if self._comms is not None:
            self._comms.register_target(COMMANDS_TARGET, self._open_commands)
            self._comms.register_target(EVENTS_TARGET, self._open_events)

    def pair(self) -> Pair:
        """The session; it is made now if it was not yet. Raises :class:`~spark_jupyter.exceptions.SparkError` where that fails."""
        with self._lock:
            if self._pair is None:
                self._pair = self._make()
                self._stop_listening()
            return self._pair

    def close(self) -> None:
        """End the session, or never make it."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            self._shell.events.unregister("pre_run_cell", self._cell_begins)
            if self._pair is not None:
                self._pair.close()
                return
            self._stop_listening()
            if self._comms is not None:
                self._comms.unregister_target(COMMANDS_TARGET, self._open_commands)
                self._comms.unregister_target(EVENTS_TARGET, self._open_events)

    # --- the first uses -----------------------------------------------------------------------------------------------

    @property
    def _comms(self) -> Any:
        return getattr(getattr(self._shell, "kernel", None), "comm_manager", None)

    @property
    def _prompt(self) -> Any:
        """The prompt of a terminal: while it is shown, no cell runs."""
        return getattr(self._shell, "pt_app", None)

    def _stop_listening(self) -> None:
        if self._prompt is not None:
            self._prompt.app.after_render -= self._wait_for_idleness
        self._shell.events.unregister("post_execute", self._wait_for_idleness)
        self._shell.events.unregister("post_run_cell", self._cell_ends)

    def _wait_for_idleness(self, _: object = None) -> None:
        if self._timer is None:
            self._timer = threading.Timer(IDLE, self._make_in_idle_time)
            self._timer.daemon = True
            self._timer.start()

    def _make_in_idle_time(self) -> None:
        with self._lock, suppress(SparkError):  # the first use tries again, and tells the user
            if not self._closed:
                self.pair()
        cells = self._cells
        for name in AHEAD:
            with self._lock:
                if self._closed or self._cells != cells:
                    return
                importlib.import_module(f"spark_jupyter.{name}")

    def _cell_begins(self, info: object) -> None:
        """Wait for an import: a process that the cell forks must not inherit its lock."""
        self._cells += 1
        with self._lock:
            made = self._pair is not None
        if not made:
            self._now("pre_run_cell", info)

    def _cell_ends(self, result: Any) -> None:
        """A cell that loads the extension and then fails is the last failure."""
        if result.error_in_exec or result.error_before_exec:
            self._now("post_run_cell", result)

    def _now(self, event: str, argument: object) -> None:
        """Make the session, and tell its hooks of the event during which they were registered."""
        before = list(self._shell.events.callbacks[event])
        self.pair()
        for hook in list(self._shell.events.callbacks[event]):
            if hook not in before:
                hook(argument)

    def _open_commands(self, comm: Any, message: Any) -> None:
        self.pair().hub.open_commands(comm, message)

    def _open_events(self, comm: Any, message: Any) -> None:
        self.pair().hub.open_events(comm, message)
