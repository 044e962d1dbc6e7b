"""Deep work in a real kernel: what it writes runs in a copy, and nothing of it is in the kernel or the notebook before a person says so."""

from __future__ import annotations

import os

import pytest

from spark_jupyter.protocol.messages import Prompt, PromptRequested
from spark_jupyter.protocol.values import NotebookCell

from .conftest import FrontEnd

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a copy needs fork")

PLAN = "1. Double the offset\n2. Add it up\n- assert total == 7\n"


def plan(text: str = PLAN) -> dict[str, object]:
    return {"match": "## Intent\nplan", "answer": text}


def step(title: str, source: str, **fields: object) -> dict[str, object]:
    return {"match": f"## Request\n{title}", "answer": f"```python\n{source}\n```\n", **fields}


def deep(start_kernel, *answers, **options):
    kernel = start_kernel(answers, models=("*",), **options)
    kernel.run("%load_ext spark_jupyter")
    kernel.run("offset = 2")
    return kernel


def test_it_plans_runs_in_a_copy_reads_its_error_and_is_one_proposal(start_kernel):
    kernel = deep(
        start_kernel,
        plan(),
        step("Double the offset", "doubled = 2 * ofset"),
        step("Double the offset", "doubled = 2 * offset"),
        step("Add it up", "total = doubled + 3\nprint('never in the kernel')"),
    )
    shown = kernel.run("%spark deep --wait add up the doubled offset")
    assert "✓ 1. Double the offset" in kernel.run("%spark deep")
    assert "doubled = 2 * offset" in shown
    assert "total = doubled + 3" in shown
    assert kernel.run("'doubled' in globals()") == "False"
    assert "done: see its proposals" in kernel.run("%spark status")
    assert kernel.payload("%spark accept")[0]["text"].startswith("doubled = 2 * offset\n")


def test_what_it_can_not_do_is_said_and_the_rest_is_proposed(start_kernel):
    kernel = deep(
        start_kernel,
        plan(),
        step("Double the offset", "doubled = 1 / 0", repeat=True),
        step("Add it up", "total = offset + 5"),
    )
    shown = kernel.run("%spark deep --wait add up the doubled offset")
    assert "could not" in kernel.run("%spark deep")
    assert "ZeroDivisionError" in shown
    assert "total = offset + 5" in shown


def test_its_plan_waits_is_edited_and_goes_on(start_kernel):
    kernel = deep(start_kernel, plan(), step("Triple it", "tripled = 3 * offset"))
    assert "planning" in kernel.run("%spark deep --ask add up the doubled offset")
    kernel.until(lambda: "plan ready" in kernel.run("%spark deep"))
    assert "1. Triple it" in kernel.run("%%spark deep plan\n1. Triple it\n- assert tripled == 6")
    kernel.run("%spark deep go on")
    kernel.until(lambda: "done: see its proposals" in kernel.run("%spark deep"))
    assert kernel.payload("%spark accept")[0]["text"] == "tripled = 3 * offset"


def test_it_is_paused_steered_and_cancelled(start_kernel):
    kernel = deep(start_kernel, plan(), step("Double the offset", "x = 1", stall_after=1))
    kernel.run("%spark deep add up the doubled offset")
    kernel.until(lambda: "writing, step 1 of 2" in kernel.run("%spark deep"))
    assert "paused" in kernel.run("%spark deep pause")
    assert "You said: briefly" in kernel.run("%spark deep steer briefly\n%spark deep")
    assert "writing, step 1 of 2" in kernel.run("%spark deep go on")
    assert "cancelled" in kernel.run("%spark deep cancel")


def test_a_turn_is_answered_while_it_works(start_kernel):
    kernel = deep(
        start_kernel,
        plan(),
        step("Double the offset", "x = 1", stall_after=1),
        {"match": "a value", "answer": "```python\nvalue = 1\n```\n"},
    )
    kernel.run("%spark deep add up the doubled offset")
    kernel.until(lambda: "writing, step 1 of 2" in kernel.run("%spark deep"))
    assert "value = 1" in kernel.run("%spark --wait a value")
    assert "writing, step 1 of 2" in kernel.run("%spark deep")


def test_an_answer_with_security_logic_is_offered_and_handed_up(start_kernel):
    kernel = deep(
        start_kernel,
        {"match": "check a password", "answer": "```python\ndef check_password(a, b):\n    return a == b\n```\n"},
        plan("1. Compare in constant time\n"),
    )
    assert "%spark deepen hands it to the deep model" in kernel.run("%spark --wait check a password")
    kernel.run("%spark deepen it must take constant time")
    assert "check a password\n  it must take constant time" in kernel.run("%spark deep")


def test_who_does_deep_work_is_said_and_chosen(start_kernel):
    kernel = deep(start_kernel, plan())
    assert "at most 15 min" in kernel.run("%spark model --deep")
    assert "Deep work: slow" in kernel.run("%spark model --deep slow")
    assert "Deep work: slow, effort high" in kernel.run("%spark model --deep --effort high")
    assert "Deep work: slower, effort low" in kernel.run("%spark model --deep slower --effort low")
    assert "Deep work: the default model at openai, effort low" in kernel.run("%spark provider --deep openai")
    assert "There is no profile 'nowhere'" in kernel.run("%spark provider --deep nowhere")
    assert "There is no deep work" in kernel.run("%spark deep")


def test_a_front_end_that_has_the_notebook_begins_it_with_its_cells(start_kernel):
    kernel = deep(
        start_kernel,
        {"match": "dead_version", "answer": "The history was sent."},
        {"match": "# as it stands", "answer": PLAN},
        step("Double the offset", "doubled = 2 * offset"),
        step("Add it up", "total = doubled + 3"),
    )
    front = FrontEnd(kernel)
    kernel.run("dead_version = 1", cell_id="load")
    kernel.run("del dead_version", cell_id="load")
    assert "Deep work is asked for." in kernel.run("%spark deep add up the doubled offset", cell_id="magic")
    wanted = kernel.until(lambda: [event for event in front.said if isinstance(event, PromptRequested)])[0].prompt
    cell = NotebookCell(id="load", source="offset = 2  # as it stands", execution_count=2)
    front.say(Prompt(turn_id=wanted.turn_id, text=wanted.text, target=wanted.target, cells=(cell,)))
    kernel.until(lambda: "done: see its proposals" in kernel.run("%spark deep"))
