"""The provider is prepared while a person types: once for each state of the conversation, counted, and not where it charges for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark_jupyter.author_rules import AuthorRules
from spark_jupyter.engine.engine import Engine
from spark_jupyter.exceptions import ConnectionLost
from spark_jupyter.policy import RuleFile, Rules
from spark_jupyter.prompting.instructions import INSTRUCTIONS
from spark_jupyter.protocol.messages import Prompt, Warm
from spark_jupyter.protocol.provider_messages import SelectModel
from spark_jupyter.protocol.values import ModelInfo
from spark_jupyter.providers.base import ResponseCompleted, TextDelta, Usage
from spark_jupyter.records.spending_log import Spending
from spark_jupyter.routing.link import Link
from tests.conftest import Watched
from tests.engine.long_answer import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from spark_jupyter.providers.base import ModelEvent, ModelRequest

WARM = Warm()


class Connection:
    """Answers each prompt with a cell, and notes what is asked. ``billed`` tokens are reported for reading ahead."""

    def __init__(self, *, billed: int = 0) -> None:
        self.asked: list[ModelRequest] = []
        self.opened = 0
        self.billed = billed
        self.broken = False

    async def open(self) -> None:
        self.opened += 1

    async def stream(self, request: ModelRequest) -> AsyncIterator[list[ModelEvent]]:
        self.asked.append(request)
        if self.broken:
            self.broken = False
            raise ConnectionLost("gone")
        if request.generate:
            yield [TextDelta("```python\nx = 1\n```\n")]
        yield [ResponseCompleted(response_id="r", usage=Usage(input_tokens=self.billed))]

    async def models(self) -> list[ModelInfo]:
        return []

    async def close(self) -> None:
        pass

    @property
    def warmed(self) -> list[ModelRequest]:
        return [request for request in self.asked if not request.generate]


def price(model: str) -> ModelInfo:
    return ModelInfo(id=model, input_price=2.0, output_price=8.0)


class Typing:
    """A person at an engine on such a connection."""

    def __init__(self, folder: Path, *, billed: int = 0, prewarms: bool = True, **link: object) -> None:
        self.connection = Connection(billed=billed)
        self.spending = Spending(folder, notebook="n")

        async def connect() -> Link:
            usual = {"connection": self.connection, "model": "m", "address": "https://a/v1", "price": price}
            return Link(prewarms=prewarms, **(usual | link))  # type: ignore[arg-type]

        self.engine = Engine(connect, spending=self.spending)
        self.watched = Watched(self.engine)
        self.engine.wait_until_connected(60)

    def type(self) -> None:
        for _ in range(3):
            self.engine.say(WARM)

    def prompt(self, turn_id: str) -> None:
        self.engine.say(Prompt(turn_id=turn_id, text="values"))
        assert self.watched.wait(turn_id).outcome == "completed"


@pytest.fixture
def typing(tmp_path: Path) -> Iterator[type[Typing]]:
    made: list[Typing] = []

    def make(**options: object) -> Typing:
        made.append(Typing(tmp_path, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make  # type: ignore[misc]
    for each in made:
        each.engine.close()


def test_it_is_asked_once_for_each_state_and_what_follows_begins_with_it(typing) -> None:
    person = typing()
    person.type()
    until(lambda: len(person.connection.warmed) == 1)
    first = person.connection.warmed[0]
    assert (first.instructions, first.input, first.model) == (INSTRUCTIONS, (), "m")
    person.prompt("t1")
    person.type()
    until(lambda: len(person.connection.warmed) == 2)
    person.prompt("t2")
    warm, turn = person.connection.warmed[-1], person.connection.asked[-1]
    assert turn.input[: len(warm.input)] == warm.input
    assert len(turn.input) == len(warm.input) + 1
    for name in ("model", "instructions", "max_output_tokens", "temperature", "effort", "tier"):
        assert getattr(turn, name) == getattr(warm, name)
    person.engine.say(SelectModel(model="m", tier="fast"))
    person.type()
    until(lambda: len(person.connection.warmed) == 3)


def test_who_charges_for_it_is_asked_once_and_that_is_counted(typing) -> None:
    person = typing(billed=500_000)
    person.type()
    until(lambda: person.spending.total().today > 0)
    assert person.spending.total().today == pytest.approx(1.0)
    before = person.connection.opened
    person.prompt("t1")
    person.type()
    until(lambda: person.connection.opened > before)
    assert len(person.connection.warmed) == 1


def test_who_can_not_read_ahead_has_the_connection_opened(typing) -> None:
    person = typing(prewarms=False)
    before = person.connection.opened
    person.type()
    until(lambda: person.connection.opened > before)
    assert person.connection.asked == []


def test_what_fails_is_tried_again_and_disturbs_nobody(typing) -> None:
    person = typing()
    person.connection.broken = True
    person.type()
    until(lambda: len(person.connection.asked) >= 1)
    person.prompt("t1")
    person.type()
    until(lambda: person.connection.warmed[-1].input != ())


def test_where_no_model_may_answer_none_is_asked_to_read_ahead(typing) -> None:
    person = typing()
    lesson = RuleFile(path=Path("lesson.ipynb"), rules=Rules(offline=True))
    person.engine.restrict(AuthorRules(signed=(lesson,), keys=("k",)))
    person.type()
    person.engine.say(Prompt(turn_id="t1", text="values"))
    assert person.watched.wait("t1").outcome == "failed"
    assert person.connection.asked == []
