"""Engine that records what another engine answers."""

from __future__ import annotations

from collections.abc import Iterator

from spark_jupyter.providers.base import Infill, Message
from spark_jupyter.recordings.exchange_recorder import ExchangeRecorder
from spark_jupyter.recordings.recorder import Recorder
from spark_jupyter.recordings.recording_file import End, Failure
from spark_jupyter.server.engines.base import AnswerEngine, Counted, Fail, FunctionCall, Piece


class RecordingEngine(AnswerEngine):
    """Answers as ``engine`` does, and records it. What is filled in is not recorded."""

    def __init__(self, engine: AnswerEngine, recorder: Recorder) -> None:
        self._engine = engine
        self._recorder = recorder
        self.name, self.context_tokens, self.fills_in = engine.name, engine.context_tokens, engine.fills_in

    def models(self) -> list[str]:
        return self._engine.models()

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        exchange = self._recorder.take(conversation, model=model)
        pieces = self._engine.answer(conversation, instructions=instructions, model=model, temperature=temperature)
        return _Recorded(pieces, exchange, self._recorder)

    def fill_in(self, infill: Infill, *, temperature: float | None = None) -> Iterator[Piece] | None:
        return self._engine.fill_in(infill, temperature=temperature)

    def start(self) -> None:
        self._engine.start()

    def close(self) -> None:
        self._engine.close()


class _Recorded:
    """An answer that is noted piece by piece, and kept when it ends or is closed."""

    def __init__(self, pieces: Iterator[Piece], exchange: ExchangeRecorder, recorder: Recorder) -> None:
        self._pieces = pieces
        self._exchange: ExchangeRecorder | None = exchange
        self._recorder = recorder
        self._end = End(outcome="completed")

    def __iter__(self) -> Iterator[Piece]:
        return self

    def __next__(self) -> Piece:
        try:
            piece = next(self._pieces)
        except StopIteration:
            self._keep(self._end)
            raise
        except Exception as error:
            self._keep(End(outcome="failed", error=Failure(code="server_error", message=type(error).__name__)))
            raise
        self._note(piece)
        return piece

    def stop(self) -> None:
        """Called from another thread: end what the answer waits for."""
        stop = getattr(self._pieces, "stop", None)
        if stop is not None:
            stop()

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()
        self._keep(End(outcome="cancelled"))

    def _note(self, piece: Piece) -> None:
        if self._exchange is None:
            return
        match piece:
            case str():
                self._exchange.add_text(piece)
            case FunctionCall(name=name, arguments=arguments):
                self._exchange.add_call(name, arguments)
            case Counted(usage=usage, incomplete=reason):
                self._end = End(outcome="incomplete" if reason else "completed", usage=usage, reason=reason)
            case Fail(status=status, code=code, message=message):
                self._end = End(outcome="failed", error=Failure(status=status, code=code, message=message))

    def _keep(self, end: End) -> None:
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.ending = end
            self._recorder.keep(exchange)
