"""A plan: what of a model's or a person's text is a step, and what a check."""

from __future__ import annotations

import pytest

from spark_jupyter.protocol.constants import LONGEST_DEEP_STEP, MOST_DEEP_STEPS
from spark_jupyter.protocol.deep_messages import DeepStep
from spark_jupyter.session.deep import plan


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. Load\n2. Draw", ["Load", "Draw"]),
        ("Here is a plan:\n\n1) Load\n2) Draw\n\nThat is all.", ["Load", "Draw"]),
        ("Step 1: Load\nStep 2: Draw", ["Load", "Draw"]),
        ("- Load\n- Draw", ["Load", "Draw"]),
        ("1. **Load** the data\n   - from the file\n2. Draw", ["Load the data", "Draw"]),
        ("1. Load\n```python\n2. no = step\n```", ["Load"]),
        ("I can't.", []),
        ("", []),
    ],
)
def test_numbered_lines_are_steps_else_listed_ones(text, steps):
    assert [step.text for step in plan.read(text).steps] == steps


def test_asserts_are_checks_and_no_steps():
    read = plan.read("- Load\n\nChecks:\n- assert len(data) == 2\n- `assert total > 0`\n")
    assert [step.text for step in read.steps] == ["Load"]
    assert read.checks == ("assert len(data) == 2", "assert total > 0")


def test_what_stands_alone_is_marked():
    assert plan.read("1. Load\n2. [alone] Draw").steps == (DeepStep(text="Load"), DeepStep(text="Draw", fast=True))


def test_a_plan_without_end_is_bounded():
    read = plan.read("\n".join(f"{n}. {'x' * 1000}" for n in range(1, 100)))
    assert len(read.steps) == MOST_DEEP_STEPS
    assert len(read.steps[0].text) == LONGEST_DEEP_STEP


def test_its_text_is_read_again_as_it_was():
    made = plan.read("1. Load\n2. [alone] Draw\n3. [alone] Say\n- assert data")
    assert plan.read(made.text()) == made


def test_what_was_done_before_the_first_difference_stays_done():
    old = (DeepStep(text="a", state="done"), DeepStep(text="b", state="done"), DeepStep(text="c"))
    new = tuple(DeepStep(text=text) for text in ("a", "x", "b"))
    assert [step.state for step in plan.changed(old, new)] == ["done", "to-do", "to-do"]
