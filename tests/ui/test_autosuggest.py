"""Ghost text in IPython's own prompt, in a real terminal and with the user's own auto-suggestion beside it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document

from spark_jupyter.ui.autosuggest import SparkSuggest, suggest_in_terminal
from tests.ui.test_terminal import IPYTHON, shows, terminal  # noqa: F401  # a fixture


class History(AutoSuggest):
    """What the user had: it knows one line."""

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        line = "for i in old:"
        return Suggestion(line[len(document.text) :]) if line.startswith(document.text) else None


@pytest.fixture
def pair(make_engine):
    """As much of a pair as is needed."""

    def make(*answers: dict[str, object]) -> SimpleNamespace:
        engine = make_engine(answers).engine
        return SimpleNamespace(engine=engine, shell=SimpleNamespace(cells=lambda all_inputs: ()))

    return make


async def shown(buffer: Buffer, history: str, whole: str) -> str:
    """What is suggested in the end, where something other than the history's is; until then it is a part of the whole."""
    while buffer.suggestion is None or buffer.suggestion.text != whole:
        if buffer.suggestion is not None and buffer.suggestion.text != history:
            assert whole.startswith(buffer.suggestion.text)
        await asyncio.sleep(0.01)
    return buffer.suggestion.text


def typed(text: str) -> Buffer:
    return Buffer(document=Document(text))


def test_the_users_own_is_there_at_once_and_ours_takes_its_place(pair):
    async def run() -> None:
        ours = SparkSuggest(pair({"answer": "range(10):"}), History())
        buffer = typed("for i in ")
        first = await ours.get_suggestion_async(buffer, buffer.document)
        assert first is not None
        assert first.text == "old:"
        buffer.suggestion = first
        assert await asyncio.wait_for(shown(buffer, "old:", "range(10):"), 60) == "range(10):"
        ours.close()

    asyncio.run(run())


def test_typing_along_asks_nobody(pair):
    async def run() -> None:
        ours = SparkSuggest(pair({"answer": "range(10):"}), None)
        buffer = typed("for i in ")
        await ours.get_suggestion_async(buffer, buffer.document)
        async with asyncio.timeout(60):
            while buffer.suggestion is None or buffer.suggestion.text != "range(10):":
                await asyncio.sleep(0.01)
        further = typed("for i in ran")
        along = await ours.get_suggestion_async(further, further.document)
        assert along is not None
        assert along.text == "ge(10):"
        assert ours._timer is None or ours._timer.cancelled()
        ours.close()

    asyncio.run(run())


def test_what_was_typed_meanwhile_is_left_alone(pair):
    async def run() -> None:
        ours = SparkSuggest(
            pair({"match": "for i in", "answer": "range(10):", "delay": 0.1}, {"match": "x =", "answer": "1"}), None
        )
        buffer = typed("for i in ")
        await ours.get_suggestion_async(buffer, buffer.document)
        buffer.document = Document("x = ")
        await ours.get_suggestion_async(buffer, buffer.document)
        assert await asyncio.wait_for(shown(buffer, "", "1"), 60) == "1"
        ours.close()

    asyncio.run(run())


def test_unloading_gives_the_users_own_back(pair):
    before = History()
    prompt = SimpleNamespace(auto_suggest=before, app=SimpleNamespace(loop=None))
    end = suggest_in_terminal(prompt, pair({"answer": "1"}))
    assert prompt.auto_suggest is not before
    end()
    assert prompt.auto_suggest is before


def test_in_ipython_it_is_shown_and_the_right_arrow_takes_it(terminal):  # noqa: F811
    child = terminal(
        [*IPYTHON, "--TerminalInteractiveShell.term_title=False"], [{"answer": "sum(range(101))", "repeat": True}]
    )
    child.expect_exact("[1]:")
    child.send("%load_ext spark_jupyter\r")
    child.expect_exact("[2]:")
    child.send("total = ")
    shows(child, "sum(range(101))")  # its parts may come one after the other
    child.send("\x1b[C")
    child.send("\r")
    child.expect_exact("[3]:")
    child.send("total\r")
    child.expect_exact("5050")
