"""Races in a real kernel: every attempt runs in its own copy, and nothing is left running."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Try needs fork")

CHILDREN = """
import subprocess, os, time
def _children():
    listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if "ps" != line.split()[-1]]
for _ in range(1200):
    if not _children():
        break
    time.sleep(0.05)
print("left:", _children())
"""


def answer(source: str, **fields: object) -> dict[str, object]:
    return {"answer": f"```python\n{source}\n```\n", **fields}


def racing(start_kernel, *answers, **options):
    kernel = start_kernel(answers, models=("*",), **options)
    kernel.run("%load_ext spark_jupyter\n%config SparkMagics.checkpoints = 'off'")  # they are processes of the kernel's
    kernel.run("offset = 2")
    return kernel


def test_of_three_attempts_the_one_that_passes_its_check_is_proposed(start_kernel):
    kernel = racing(
        start_kernel,
        answer("def f(x):\n    return x * offset", model="a"),
        answer("def f(x):\n    return x + offset", model="b"),
        answer("while True: pass", model="c"),
    )
    shown = kernel.run("%%spark --wait --models a,b,c --check 'assert f(3) == 5'\nwrite f")
    assert "2 passed (b)" in shown
    assert "3 lost (c)" in shown
    assert "ran in a copy" in shown
    assert "left: []" in kernel.run(CHILDREN)
    assert kernel.run("'f' in globals()") == "False"
    listed = kernel.run("%spark attempts 1")
    assert "→ 1" in listed
    assert "  2 passed (b)" in listed
    assert kernel.payload("%spark accept 1")[0]["text"] == "def f(x):\n    return x * offset"


def test_until_green_the_model_is_told_why_and_writes_again(start_kernel):
    kernel = racing(
        start_kernel,
        answer("def f(x):\n    return x + offset", match="This check failed: assert f(3) == 5"),
        answer("def f(x):\n    print('tried', x)\n    return x - offset"),
    )
    shown = kernel.run("%%spark --wait --run --until-green 1\nwrite f\nassert f(3) == 5")
    assert "1 passed" in shown
    assert "None of" not in shown
    assert kernel.run("f(10)") == "12"


def test_where_all_fail_the_best_is_proposed_with_a_plain_sentence(start_kernel):
    kernel = racing(start_kernel, answer("1 / 0", model="a"), answer("x = 1\n'' + x", model="b"))
    shown = kernel.run("%%spark --run --models a,b\nfail")
    assert "No attempt passed." in shown
    assert "None of 2 attempts passed. Number 2 got furthest: line 2: TypeError" in shown
    assert "Left out: 1 not run well in a copy" in kernel.run("%spark accept")
    assert kernel.payload("%spark accept 1")[0]["text"] == "x = 1\n'' + x"


def test_two_prompts_are_tried_from_one_moment_compared_by_value_and_one_is_kept(start_kernel):
    kernel = racing(
        start_kernel,
        answer("values.append(offset)\nmiddle = sum(values) / len(values)\nprint(middle)", match="the mean"),
        answer("middle = sorted(values)[1]\nprint(middle)", match="the median"),
    )
    kernel.run("values = [1, 2, 9]")
    shown = kernel.run('%spark both --wait "the mean" "the median"')
    assert "1 the mean: passed" in shown
    assert "2 the median: passed" in shown
    assert "middle: 3.5 → 2" in shown
    assert "%spark attempts 1 or %spark attempts 2 keeps one." in shown
    assert "left: []" in kernel.run(CHILDREN)
    assert kernel.run("values, 'middle' in globals()") == "([1, 2, 9], False)"
    assert "There is no open proposal" in kernel.run("%spark accept")
    assert "→ 2 the median: passed" in kernel.run("%spark attempts 2")
    assert kernel.payload("%spark accept 1")[0]["text"] == "middle = sorted(values)[1]\nprint(middle)"
    kernel.run("%spark attempts 1")
    assert kernel.payload("%spark accept 1")[0]["text"].startswith("values.append(offset)")


def test_two_models_that_come_to_the_same_value_are_said_to(start_kernel):
    kernel = racing(
        start_kernel,
        answer("x = 2 * offset", model="a", repeat=True),
        answer("x = offset + offset", model="b", repeat=True),
    )
    shown = kernel.run("%spark both --wait --models a,b double the offset")
    assert "1 and 2: same result" in shown
    assert "1 and 2: same result" in kernel.run("%spark --wait again")
