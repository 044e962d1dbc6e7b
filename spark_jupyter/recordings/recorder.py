"""Recorder: writes requests and their answers into a recording.

An exchange is written whole when it ends, in one piece, so that a recording is valid whenever it is read. What reads and writes lines is
imported with the first request that is recorded, off the path of %load_ext.
"""

from __future__ import annotations

import datetime
import os
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jupyter import __version__
from spark_jupyter.exceptions import ConfigurationError, SparkError
from spark_jupyter.providers.base import Message, ModelEvent, ModelRequest
from spark_jupyter.redaction.redactor import Redactor

if TYPE_CHECKING:
    from spark_jupyter.recordings.exchange_recorder import ExchangeRecorder, Redact


class Recorder:
    """Records into a file while one is named. ``redact`` withholds credentials from a text; ``report`` is told where an exchange can't be
    written, and recording has ended. May be used from several threads."""

    def __init__(
        self,
        redact: Redact | None = None,
        *,
        report: Callable[[SparkError], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._redact = redact or Redactor().withhold
        self._report = report
        self._clock = clock
        self._lock = threading.Lock()
        self.path: Path | None = None
        self.count = 0
        """Exchanges written since it began."""

    def begin(self, path: Path) -> None:
        """Record into this file from now on; one that is a recording is continued. Raises
        :class:`~spark_jupyter.exceptions.ConfigurationError` where that can't be."""
        from spark_jupyter.recordings.recording_file import VERSION, Header, encode, load

        try:
            path = path.absolute()
        except FileNotFoundError:
            raise ConfigurationError("The working folder is gone.", remedy="Go to another one: %cd FOLDER.") from None
        if os.path.exists(path) and (not path.is_file() or path.stat().st_size):
            load(path)
        else:
            header = Header(
                version=VERSION, made=datetime.datetime.now(datetime.UTC).date().isoformat(), package=__version__
            )
            self._append(path, encode(header, ()))
        self.path, self.count = path, 0

    def end(self) -> None:
        self.path = None

    def take(self, conversation: Sequence[Message], *, model: str) -> ExchangeRecorder:
        from spark_jupyter.recordings.exchange_recorder import ExchangeRecorder

        with self._lock:
            return ExchangeRecorder(conversation, model=model, redact=self._redact, clock=self._clock)

    def keep(self, exchange: ExchangeRecorder) -> None:
        from spark_jupyter.recordings.recording_file import encode

        with self._lock:
            if self.path is None:
                return
            try:
                self._append(self.path, encode(None, [exchange.exchange()]))
                self.count += 1
            except ConfigurationError as error:
                self.path = None
                self._report(error)

    def recorded(
        self, stream: AsyncGenerator[list[ModelEvent], None], request: ModelRequest
    ) -> AsyncGenerator[list[ModelEvent], None]:
        """The events of a stream as they come; they are recorded where that is on."""
        if self.path is None or not request.generate:
            return stream
        return self._recorded(stream, self.take(request.input, model=request.model))

    async def _recorded(
        self, stream: AsyncGenerator[list[ModelEvent], None], exchange: ExchangeRecorder
    ) -> AsyncGenerator[list[ModelEvent], None]:
        kept = False
        try:
            async with aclosing(stream) as batches:
                async for batch in batches:
                    if not kept and exchange.receive(batch):  # written before anybody hears of its end
                        self.keep(exchange)
                        kept = True
                    yield batch
        except SparkError as error:
            exchange.fail(error)
            raise
        finally:
            if not kept:
                self.keep(exchange)

    @staticmethod
    def _append(path: Path, data: bytes) -> None:
        try:
            with path.open("ab") as file:
                file.write(data)
        except (OSError, ValueError) as error:  # of a name that none can have, too
            reason = getattr(error, "strerror", error)
            raise ConfigurationError(
                f"The recording {path} can't be written: {reason}.", remedy="Name another file."
            ) from error
