"""Records of requests that a provider answers within hours.

They are kept in a folder beside Jupyter's data.

One file for each request: the provider's name for the answer and where to ask for it, and no word of the prompt. So an answer is
picked up after the kernel was restarted. The files of a deep work are deleted when it is over.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from spark_jupyter.typed_decoders import json_decoder

KEPT = 3 * 86_400.0
"""Seconds after which a request is forgotten: nobody has asked for its answer."""
FOLDER = Path("spark_jupyter", "overnight")
"""Below Jupyter's data folder."""


class OvernightJob(Struct, frozen=True, kw_only=True):
    """One request. ``asked_at`` is in Unix seconds."""

    response_id: str
    address: str
    work_id: str
    asked_at: float


_job = json_decoder(OvernightJob)
_ended: set[str] = set()
"""The works of this process that are over: an answer that is dropped then is not wanted."""


class OvernightJobs:
    """The requests in a folder. ``clock`` gives Unix seconds."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._folder = folder

    def find(self, key: str, address: str) -> OvernightJob | None:
        """The request of that key that was sent to this address; None where there is none."""
        job = self._read(self._folder / key)
        return job if job is not None and job.address == address else None

    def add(self, key: str, job: OvernightJob) -> None:
        """Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path, old in self._all():
            if self.clock() - old.asked_at > KEPT:
                path.unlink(missing_ok=True)
        new = self._folder / f"{key}.{os.getpid()}.new"
        new.write_bytes(msgspec.json.encode(job))
        new.replace(self._folder / key)

    def remove(self, key: str) -> None:
        with suppress(OSError):
            (self._folder / key).unlink()

    def end(self, work_id: str) -> None:
        """A work is over: forget its requests."""
        _ended.add(work_id)
        for path, job in self._all():
            if job.work_id == work_id:
                self.remove(path.name)

    @staticmethod
    def has_ended(work_id: str) -> bool:
        return work_id in _ended

    def _all(self) -> Iterator[tuple[Path, OvernightJob]]:
        with suppress(OSError):
            for path in tuple(self._folder.iterdir()):
                if (job := self._read(path)) is not None:
                    yield path, job

    @staticmethod
    def _read(path: Path) -> OvernightJob | None:
        try:
            return _job.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError):
            return None


def overnight_jobs() -> OvernightJobs:
    from jupyter_core.paths import jupyter_data_dir

    return OvernightJobs(Path(jupyter_data_dir()) / FOLDER)
