"""A kernel that is killed while it writes: the next one knows the turn, and the text that no page has."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.session.restored_turns import KERNEL_GONE

from .conftest import FrontEnd

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is killed by a signal")

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
    os.kill(int(kernel.run("import os; print(os.getpid())")), signal.SIGKILL)
    after = start_kernel([])
    after.run("%load_ext spark_jupyter")
    page = FrontEnd(after, notebook=notebook)
    turn = after.until(lambda: page.view.turns.get("t1"))
    assert (turn.prompt, turn.outcome, turn.reason) == ("write values", "failed", KERNEL_GONE)
    assert turn.notes.startswith("Values:")
    assert (f"```python\n{''.join(LINES[:100])}" in turn.notes) is not shown
    assert not page.view.proposals
