"""The tiers of the model in use: named with price and measured speed; the deep model may be the same model at another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from spark_jupyter.protocol.deep_messages import ChooseDeep
from spark_jupyter.protocol.provider_messages import Models, SelectModel
from spark_jupyter.protocol.values import ModelInfo
from tests.engine.long_answer import until
from tests.engine.test_prewarming import Typing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PRICES = {"m": (2.0, 8.0), "m@fast": (4.0, 16.0)}


def price(model: str) -> ModelInfo | None:
    if model not in PRICES:
        return None
    sent, written = PRICES[model]
    return ModelInfo(id=model, input_price=sent, output_price=written)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Typing]:
    ending = "m ends tomorrow. Use %spark model n."
    made = Typing(
        tmp_path,
        tiers=("flex", "fast"),
        price=price,
        ending=lambda model: ending if model == "m" else "",
        deep_tier="flex",
    )
    yield made
    made.engine.close()


def test_the_tiers_are_told_with_their_prices_and_the_models_end(person: Typing) -> None:
    serving = person.engine.hello().serving
    assert [(one.name, one.input_price, one.output_price) for one in serving.tiers] == [
        ("", 2.0, 8.0),
        ("flex", None, None),
        ("fast", 4.0, 16.0),
    ]
    assert (serving.tier, serving.ending) == ("", "m ends tomorrow. Use %spark model n.")


def test_a_tier_that_is_chosen_is_told_and_has_the_speed_that_its_turns_had(person: Typing) -> None:
    person.engine.say(SelectModel(model="m", tier="fast"))
    until(lambda: any(isinstance(event, Models) for event in person.watched.events))
    told = next(event for event in person.watched.events if isinstance(event, Models))
    assert (told.selected, told.serving.tier) == ("m", "fast")
    person.engine.read(lambda session: session.jobs.speeds.update({("m", "fast"): 231.4}))
    assert [one.speed for one in person.engine.hello().serving.tiers] == [0, 0, 231]
    person.engine.say(SelectModel(model="m", tier="default"))
    assert person.engine.hello().serving.tier == ""
    person.engine.say(SelectModel(model="other"))
    assert person.engine.hello().serving.ending == ""


def test_an_agents_modes_are_told_and_one_is_chosen(person: Typing, monkeypatch: pytest.MonkeyPatch) -> None:
    class Agent:
        takes_images, model, mode, modes = None, "small", "ask", ("ask", "plan")

        def answer_permission(self, request_id: str, allowed: bool) -> None: ...

    agent = Agent()
    link = person.engine._routing.turns.link
    assert link is not None
    with monkeypatch.context() as patched:
        patched.setattr(person.engine._routing.turns, "link", structs.replace(link, connection=agent))
        person.engine.say(SelectModel(model="m"))
        assert agent.mode == "ask"
        person.engine.say(SelectModel(model="m", mode="plan"))
        until(lambda: agent.mode == "plan")
        serving = person.engine.hello().serving
        assert (serving.mode, serving.modes) == ("plan", ("ask", "plan"))


def test_both_gears_can_be_one_model_at_two_tiers(person: Typing) -> None:
    tiers = lambda: person.engine.read(lambda session: (session.jobs.tier, session.jobs.deep_tier))  # noqa: E731
    person.engine.say(SelectModel(model="m", tier="fast"))
    assert tiers() == ("fast", "flex")  # as the profile says
    person.engine.say(ChooseDeep(tier="default", effort="high"))
    until(lambda: tiers() == ("fast", "default"))
    assert person.engine.hello().deep.tier == "default"
    person.engine.say(ChooseDeep(tier=""))
    until(lambda: tiers() == ("fast", "flex"))
