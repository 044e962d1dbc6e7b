"""State of a client after a turn, the same in both languages.

``fixtures/events`` was recorded from real turns by ``scripts/record_events.py``. The TypeScript tests read the same files: the browser's
reducer must come to the same states.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from spark_jupyter.protocol.messages import Event, Snapshot
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.sandbox import unavailable
from tests.protocol.scripts import load

FOLDER = Path(__file__).parents[1] / "fixtures/events"
FIXTURES = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
projection = load("recording").projection
recorder = load("record_events")


def events_of(step: dict[str, Any]) -> list[Event]:
    return msgspec.convert(step["events"], list[Event])


@pytest.mark.parametrize("fixture", FIXTURES, ids=[fixture["name"] for fixture in FIXTURES])
def test_events_lead_to_the_state_that_was_recorded(fixture: dict[str, Any]) -> None:
    view = TurnView()
    for step in fixture["steps"]:
        view.receive_all(events_of(step))
        assert projection(view) == step["state"]


def test_every_kind_of_event_that_changes_a_state_is_in_a_fixture() -> None:
    names = {event["type"] for fixture in FIXTURES for step in fixture["steps"] for event in step["events"]}
    told = {
        "Mentions",
        "CellsRequested",
        "Completed",
        "Inquired",
        "NextEdits",
        "Drafted",
        "PromptRequested",
        "Refined",
    }  # no state's: who asked has them, or a view
    told |= {
        "Conversations",
        "ConversationChanged",
        "Ideas",
        "ImageSupport",
        "ModelDownload",
        "Providers",
        "ProviderAnswered",
        "OwnKeyChanged",
        "ProjectRules",
        "Spent",
        "MomentsChanged",
        "MomentPreview",
        "CameBack",
    }  # the panel alone shows them: its own tests have them
    assert names == {kind.__name__ for kind in Event.__args__} - told  # type: ignore[attr-defined]


def test_a_snapshot_leaves_nothing_of_what_was_known_before() -> None:
    known = TurnView()
    for step in next(fixture for fixture in FIXTURES if fixture["name"].startswith("a snapshot"))["steps"][:4]:
        known.receive_all(events_of(step))
    assert known.turns
    assert known.meters
    assert known.trials
    assert known.cuts
    known.receive(Snapshot(model="m"))
    fresh = TurnView()
    fresh.receive_all([known.hello, Snapshot(model="m")])
    fresh.problems = known.problems
    assert projection(known) == projection(fresh)


@pytest.mark.parametrize("scenario", recorder.SCENARIOS, ids=recorder.name_of)
def test_recorded_anew_a_fixture_is_the_same(scenario: Any) -> None:
    if reason := unavailable():
        pytest.skip(reason)
    said = "what the session says has changed: python scripts/record_events.py, and look at the difference"
    assert recorder.record(scenario) == (FOLDER / f"{recorder.name_of(scenario)}.json").read_text(), said
