"""Engine that answers every prompt with the same cell."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from spark_jupyter.server.engines import AnswerEngine, Kind
from spark_jupyter.server.engines.base import Message, Piece


class ExampleEngine(AnswerEngine):
    """``spark-jupyter serve --engine example``."""

    name = "example"

    def models(self) -> list[str]:
        """It answers to every name."""
        return ["*"]

    def answer(
        self, conversation: tuple[Message, ...], *, instructions: str, model: str, temperature: float | None = None
    ) -> Iterator[Piece]:
        """A note and a cell, piece by piece."""
        yield "From the example.\n\n"
        yield "```python\nanswer = 42\n```\n"


def _make(argument: str, books: Sequence[Path]) -> AnswerEngine:
    return ExampleEngine()


KIND = Kind(_make)
