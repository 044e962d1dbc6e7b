"""Changes in a kernel that make a Try see a moving state."""

from __future__ import annotations

from unittest.mock import Mock

from IPython.core.events import EventManager, available_events

from spark_jupyter.sandbox.kernel_trials import KernelTrials


def test_a_cell_that_runs_moves_the_state_and_a_message_of_a_comm_does_not():
    shell = Mock(events=EventManager(None, available_events))
    trials = KernelTrials(shell)
    shell.events.trigger("pre_execute")  # as comm does around its handlers
    assert not trials.moving
    shell.events.trigger("post_execute")
    shell.events.trigger("pre_run_cell", None)
    assert trials.moving
    with trials.waiting():
        assert not trials.moving
    shell.events.trigger("post_run_cell", None)
    assert not trials.moving
