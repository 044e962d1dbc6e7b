"""Process of an ACP agent: its program, its environment, its end.

An agent is another company's program with its own account. It gets no variable of ours, so no key of a provider, but those that its
profile names; a session of its own, so that an interrupt of the kernel does not end it; and what it prints beside the protocol is kept only
for an error.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.providers.profile import Profile
from spark_jupyter.source.invisible_text import printable

PASSED = tuple("HOME LOGNAME PATH SHELL TERM USER LANG LC_ALL TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME".split())
"""The SDK's own list, the language, and where programs keep their settings."""
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes of a message of an agent."""
PATIENCE = 2.0
"""Seconds for which an agent may take to end after its input was closed."""
_KEPT = 2_000
"""Characters of what it printed last."""


def program_of(profile: Profile) -> str:
    """The path of an agent's program; empty where it is not installed."""
    return shutil.which(profile.command[0]) or "" if profile.command else ""


def environment(profile: Profile, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that an agent gets."""
    return {name: environ[name] for name in (*PASSED, *profile.pass_env) if name in environ}


class AgentProcess:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None  # all three are pipes
        assert process.stdout is not None
        self.process = process
        self._writer, self._reader = process.stdin, process.stdout
        self._printed = ""
        self._is_silent = False
        self._reads = asyncio.get_running_loop().create_task(self._read_errors())

    @classmethod
    async def start(cls, profile: Profile, folder: Path) -> AgentProcess:
        """Start an agent in a folder. Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where it is not installed."""
        program, title = program_of(profile), profile.title or profile.name
        if not program:
            remedy = f"Install it: {profile.install}." if profile.install else "Put it on the PATH of the kernel."
            raise ConfigurationError(f"{title} is not installed where the kernel runs.", remedy=remedy)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            program,
            *profile.command[1:],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=folder,
            env=environment(profile, os.environ),
            limit=LONGEST_LINE,
            start_new_session=True,
        )
        return cls(process)

    @property
    def ended(self) -> bool:
        """True if it has ended, or says nothing any more."""
        return self._is_silent or self.process.returncode is not None

    @property
    def printed(self) -> str:
        """The last line that it printed beside the protocol."""
        lines = [line for line in self._printed.splitlines() if line.strip()]
        return printable(lines[-1].strip()[:200]) if lines else ""

    async def send(self, message: dict[str, Any]) -> None:
        """Implements the SDK's ``Transport``: one message, a line of JSON."""
        self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None at the end, or where a line is too long. What is no message is passed over: programs print greetings."""
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
                message = json.loads(line)
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
                self._is_silent = True
                return None
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                return message

    async def close(self) -> None:
        """End it and what it has started. Idempotent."""
        self._writer.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self.process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)  # its session bears its number, also after its end
        await self.process.wait()
        self._reads.cancel()
        await asyncio.gather(self._reads, return_exceptions=True)

    async def _read_errors(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(4096):
            self._printed = (self._printed + data.decode("utf-8", "replace"))[-_KEPT:]
