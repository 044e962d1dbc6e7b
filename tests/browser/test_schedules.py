"""Random schedules of two and three people with one kernel: all show the same at the end.

One short schedule runs with the other tests; ``SCHEDULES=10 SCHEDULE_STEPS=30`` (``make test-schedules``) runs the ten.
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
STEPS = int(os.environ.get("SCHEDULE_STEPS", "10"))
pytestmark = [pytest.mark.own_page, pytest.mark.own_server, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module", params=[pytest.param("", id="own-copies"), with_extension("collaboration")])
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """A Jupyter server, also with jupyter-collaboration."""
    server = LabServer(tmp_path_factory.mktemp("lab"), **({"python": request.param} if request.param else {}))
    yield server
    server.close()


@pytest.mark.parametrize("seed", range(RUNS))
def test_all_show_the_same_whatever_they_do_in_whatever_order(lab, browser, model, seed) -> None:
    room = Room(lab, browser, model([ANSWER], rate=300), seed=seed, people=2 + seed % 2)
    try:
        room.run(STEPS)
        room.check(one_text=room.shares_document)
    finally:
        room.close()
        lab.tidy()
