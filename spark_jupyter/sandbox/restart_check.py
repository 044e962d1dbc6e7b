"""Dry run of Restart & Run All in a fresh confined process.

The notebook runs from its top; each cell's outcome is reported as it ends. Nothing of it is kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Sequence

import msgspec
from msgspec import structs

from spark_jupyter.protocol import json_text
from spark_jupyter.protocol.values import Permission
from spark_jupyter.sandbox.copy_protocol import Limits
from spark_jupyter.sandbox.kernel_trials import unavailable
from spark_jupyter.sandbox.restart_process import AllRan, Outcome, RunAll, Told
from spark_jupyter.sandbox.thin_environment import thin
from spark_jupyter.typed_decoders import json_decoder

LIMITS = Limits(seconds=600.0)
"""Of all cells together."""
_LONGEST = 1 << 20
"""Bytes of a line that it says."""
_DECODER = json_decoder(Told)


class Restart:
    """One run of a notebook; where a source with one of the numbers in ``may_fail`` does, the next one runs all the same. It reads its
    folder and the ``named`` paths, and gets the harmless environment variables and the named ``variables``. :meth:`run` blocks;
    :meth:`cancel` may be called from any thread."""

    def __init__(
        self,
        sources: Sequence[str],
        *,
        folder: str,
        may_fail: Collection[int] = (),
        allow: tuple[Permission, ...] = (),
        named: Collection[str] = (),
        variables: Collection[str] = (),
        limits: Limits = LIMITS,
    ) -> None:
        self._order = RunAll(
            sources=tuple(sources),
            folder=os.path.realpath(folder),
            may_fail=frozenset(may_fail),
            named=tuple(map(os.path.abspath, named)),
            allow=allow,
            limits=limits,
        )
        self._environment = {**thin(os.environ, named=variables), "MPLBACKEND": "agg"}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._cancelled = False
        self.unenforced = ""
        """Missing walls of this system, in one sentence."""

    def run(self, report: Callable[[Outcome], object]) -> str:
        """Run it; ``report`` is called with each cell that ended. Returns a sentence that says why it did not come to its end; empty where
        it did, a cell that failed included."""
        if reason := unavailable():
            return reason
        with self._lock:
            if self._cancelled:
                return ""
            self._process = process = self._started()
        ended = None
        try:
            assert process.stdout is not None
            while line := process.stdout.readline(_LONGEST):
                ended = self._receive(line, report) or ended
        except msgspec.MsgspecError:
            return "The process that ran the notebook said what can't be read."
        finally:
            self._end(process)
        if self._cancelled:
            return ""
        return ended.problem if ended is not None else "The process that ran the notebook ended by itself."

    def cancel(self) -> None:
        """End it at once. Idempotent."""
        with self._lock:
            self._cancelled = True
            if self._process is not None:
                self._process.kill()  # its copy ends with it

    def _started(self) -> subprocess.Popen[bytes]:
        """Not begun in the notebook's folder, whose files it would import outside of any wall."""
        program = [sys.executable, "-m", "spark_jupyter.sandbox.restart_process"]
        pipe, none = subprocess.PIPE, subprocess.DEVNULL
        process = subprocess.Popen(
            program, stdin=pipe, stdout=pipe, stderr=none, cwd=os.path.sep, env=self._environment
        )
        assert process.stdin is not None
        process.stdin.write(json_text.encode(self._order) + b"\n")
        process.stdin.flush()
        return process

    def _receive(self, line: bytes, report: Callable[[Outcome], object]) -> AllRan | None:
        match _DECODER.decode(line):
            case Outcome(error=error) as outcome:
                withheld = next((name for name in os.environ if error == f"KeyError: {name!r}"), "")
                if withheld and withheld not in self._environment:
                    error = f"The environment variable {withheld} is not given to a notebook in a copy"
                    outcome = structs.replace(outcome, error=error, refused=True)
                report(outcome)
            case AllRan(unenforced=unenforced) as ended:
                self.unenforced = unenforced
                return ended
        return None

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.kill()
        process.wait()
