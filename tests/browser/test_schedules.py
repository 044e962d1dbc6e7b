"""Random schedules of two and three people with one kernel: all show the same at the end.

One short schedule runs with the other tests; ``SCHEDULES=10 SCHEDULE_STEPS=30`` (``make test-schedules``) runs the ten, and
``FIRST_SEED=500`` others.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.browser.schedule import ANSWER, Room
from tests.browser.server import LabServer
from tests.browser.test_collaboration import with_extension

if TYPE_CHECKING:
    from collections.abc import Iterator

RUNS = int(os.environ.get("SCHEDULES", "1"))
SERVERS = [pytest.param("", id="own-copies"), *([with_extension("collaboration")] if "SCHEDULES" in os.environ else [])]
FIRST = int(os.environ.get("FIRST_SEED", "0"))
STEPS = int(os.environ.get("SCHEDULE_STEPS", "10"))
pytestmark = [pytest.mark.own_page, pytest.mark.own_server, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module", params=SERVERS)
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """A Jupyter server, also with jupyter-collaboration."""
    server = LabServer(tmp_path_factory.mktemp("lab"), **({"python": request.param} if request.param else {}))
    yield server
    server.close()


@pytest.mark.parametrize("seed", range(FIRST, FIRST + RUNS))
def test_all_show_the_same_whatever_they_do_in_whatever_order(lab, browser, model, seed) -> None:
    room = Room(lab, browser, model([ANSWER], rate=300), seed=seed, people=2 + seed % 2)
    try:
        room.run(STEPS)
        room.check(one_text=room.shares_document)
    finally:
        room.close()
        lab.tidy()


@pytest.mark.parametrize("lab", [""], indirect=True, ids=["own-copies"])
def test_a_page_that_missed_a_restart_while_it_was_offline_can_prompt(lab, browser, model) -> None:
    room = Room(lab, browser, model([ANSWER]), seed=1000, people=2)
    here, there = room.people
    try:
        there.book.prompt("before")
        there.book.panel.locator('.spark-Turn[data-outcome="completed"]').wait_for()
        there.line.cut()
        there.book.page.wait_for_timeout(500)
        room.restart(here)
        there.line.mend()
        for count in (1, 2):
            there.book.prompt(f"after {count}")
            room.check(one_text=False)
    finally:
        room.close()
        lab.tidy()
