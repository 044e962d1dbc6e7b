"""A kernel that is killed while it writes: the next one knows the turn, and the text that no page has."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_data_dir

from spark_jupyter.protocol.deep_messages import BeginDeep
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.session.restored_turns import KERNEL_GONE

from .conftest import FrontEnd

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")


def is_kept(text: str) -> bool:
    """Whether the text stands in a conversation by now: events go out before they are written."""
    return any(
        text in file.read_text()
        for file in (Path(jupyter_data_dir()) / "spark_jupyter" / "conversations").glob("*.jsonl")
    )


LINES = tuple(f"value_{number} = {number}\n" for number in range(200))


@pytest.mark.parametrize("shown", [True, False])
def test_a_turn_in_flight_is_a_failed_one_of_the_next_kernel(start_kernel, shown):
    answer = {"answer": "", "pieces": ["Values:\n\n", "```python\n", *LINES], "stall_after": len(LINES)}
    kernel = start_kernel([answer])
    kernel.run("%load_ext spark_jupyter")
    notebook = f"shown-{shown}.ipynb"
    client = FrontEnd(kernel, can_write=shown, notebook=notebook)
    client.say(Prompt(turn_id="t1", text="write values"))
    kernel.until(lambda: any(LINES[150] in one.source for one in client.view.proposals.values()))
    kernel.until(lambda: is_kept("Values:" if shown else LINES[60].rstrip()))
    os.kill(int(kernel.run("import os; print(os.getpid())")), signal.SIGKILL)
    after = start_kernel([])
    after.run("%load_ext spark_jupyter")
    page = FrontEnd(after, notebook=notebook)
    turn = after.until(lambda: page.view.turns.get("t1"))
    assert (turn.prompt, turn.outcome, turn.reason) == ("write values", "failed", KERNEL_GONE)
    assert turn.notes.startswith("Values:")
    assert (f"```python\n{''.join(LINES[:60])}" in turn.notes) is not shown
    assert not page.view.proposals


def test_deep_work_waits_with_its_plan_in_the_next_kernel_though_no_page_was_open(start_kernel):
    answers = [
        {"match": "## Intent\nplan", "answer": "1. Make numbers\n2. Sum them up\n"},
        {"match": "## Request\nMake numbers", "answer": "", "pieces": ["```python\n"], "stall_after": 1},
    ]
    kernel = start_kernel(answers, models=("*",))
    kernel.run("%load_ext spark_jupyter")
    client = FrontEnd(kernel, can_write=False, notebook="deep.ipynb")
    client.say(BeginDeep(work_id="w1", text="a report on numbers"))
    kernel.until(lambda: any(step.state == "writing" for work in client.view.deep.values() for step in work.steps))
    kernel.until(lambda: is_kept("Sum them up"))
    os.kill(int(kernel.run("import os; print(os.getpid())")), signal.SIGKILL)
    after = start_kernel([])
    after.run("%load_ext spark_jupyter")
    page = FrontEnd(after, notebook="deep.ipynb")
    work = after.until(lambda: page.view.deep.get("w1"))
    assert (work.prompt, work.state) == ("a report on numbers", "paused")
    assert [step.text for step in work.steps] == ["Make numbers", "Sum them up"]
    assert "is gone" in work.lost
    assert "w1" not in page.view.turns
