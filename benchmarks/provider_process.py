"""Provider in a process of its own, and the events that it reports as lines of JSON."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from typing import Any


class ProviderProcess:
    """A program whose first line is its ``place`` and each further one an event; it ends with its standard input."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.place: dict[str, str] = json.loads(self._process.stdout.readline())
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.events.append(json.loads(line))
