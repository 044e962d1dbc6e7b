"""Ghost text by a real model: what is asked at a key, what of it is read again, what becomes of it where nobody waits any more, and of a
model that was trained to fill in."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.providers.base import Infill, Message, Usage
from spark_jupyter.providers.profiles import Secret, Settings
from spark_jupyter.routing.link import linker
from spark_jupyter.server import ServerInfo
from spark_jupyter.server.engines.base import Counted, Fail
from spark_jupyter.server.engines.gguf import FILLING, examine
from spark_jupyter.server.engines.llama import LlamaEngine
from spark_jupyter.server.engines.llama_options import Options
from tests.engine.test_completer import Typist
from tests.model.conftest import THREADS, is_busy, until

CELLS = "import json\nimport math\n\n\ndef mean(values):\n    return sum(values) / len(values)\n\n" * 6
NEVER_ENDS = Infill(prefix="[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,", context=CELLS)


def filled(engine: LlamaEngine, infill: Infill) -> tuple[str, Usage]:
    *pieces, counted = engine.fill_in(infill)
    assert isinstance(counted, Counted)
    assert counted.usage is not None
    return "".join(piece for piece in pieces if isinstance(piece, str)), counted.usage


def test_the_next_key_is_answered_from_what_was_read_at_the_one_before(engine: LlamaEngine) -> None:
    filled(engine, Infill(prefix="total = mean(", context=CELLS))
    _, usage = filled(engine, Infill(prefix="total = mean([", context=CELLS))
    assert usage.input_tokens - usage.cached_tokens <= 4


def test_a_chat_keeps_what_it_has_cached_while_somebody_types(engine: LlamaEngine) -> None:
    def asked() -> Usage:
        said = (Message("user", "## Request\nan ode to llamas that graze"),)
        *_, counted = engine.answer(said, instructions=CELLS, model="m", temperature=0.0)
        assert isinstance(counted, Counted)
        assert counted.usage is not None
        return counted.usage

    asked()
    for key in itertools.accumulate("abc"):
        filled(engine, Infill(prefix=f"total = {key}", context=CELLS))
    again = asked()
    assert again.input_tokens - again.cached_tokens <= 4


def test_one_that_nobody_waits_for_stops_while_it_is_written(engine: LlamaEngine) -> None:
    answer = engine.fill_in(NEVER_ENDS)
    assert next(piece for piece in answer if isinstance(piece, str))
    answer.stop()  # type: ignore[attr-defined]
    until(lambda: not is_busy(engine))
    assert not [piece for piece in answer if isinstance(piece, (Fail, Counted))]


def test_cells_that_are_longer_than_the_window_are_cut_and_not_refused(engine: LlamaEngine) -> None:
    text, usage = filled(engine, Infill(prefix="1, 2, 3, 4, 5,", context=CELLS * 40))
    assert text
    assert usage.input_tokens <= engine.context_tokens


@pytest.fixture(scope="module")
def filling(weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaEngine]:
    """The same weights, of which three words that nobody uses are the marks of a model that fills in."""
    data = weights.read_bytes()
    for word, mark in zip((b"<jupyter_text>", b"<jupyter_code>", b"<empty_output>"), FILLING[0], strict=True):
        assert data.count(word) == 1
        data = data.replace(word, mark.encode())
    file = tmp_path_factory.mktemp("filling") / "filling.gguf"
    file.write_bytes(data)
    made = LlamaEngine(file, Options(threads=THREADS, context=512))
    yield made
    made.close()


def test_a_model_that_was_trained_to_fill_in_gets_its_marks_as_single_tokens(filling: LlamaEngine) -> None:
    assert examine(filling._path).marks == FILLING[0]
    _, usage = filled(filling, Infill(prefix="a", suffix="b"))
    assert usage.input_tokens == 5  # three marks, a and b


@pytest.fixture
def typist(server: ServerInfo, own_home: Path) -> Iterator[Typist]:
    """A front end of an engine whose model is the real one."""
    made = Engine(linker(Settings(base_url=server.url.removesuffix("/responses"), api_key=Secret(server.token))))
    yield Typist(made)
    made.close()


def test_ghost_text_comes_from_the_model_and_the_newest_takes_the_place_of_the_one_before(
    typist: Typist, engine: LlamaEngine
) -> None:
    line = "numbers = [1, 2, 3, 4, 5, 6, 7,"
    for number in range(1, 8):
        typist.complete(line[: len(line) - 8 + number], completion_id=f"c{number}")
    typist.complete(line, completion_id="c8")
    assert typist.done("c8").first_text is not None  # it is the model that has answered
    until(lambda: not is_busy(engine))
