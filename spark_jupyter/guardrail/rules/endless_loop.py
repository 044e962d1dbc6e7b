"""Loops whose condition nothing in the body can change."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.endless_loops import OpenLoop
from spark_jupyter.guardrail.rule import Hit, Rule
from spark_jupyter.guardrail.taint_state import State


def _loop(loop: OpenLoop, state: State) -> Hit | None:
    return Hit(loop.header, line=loop.line)


RULE: Final = Rule(
    id="endless-loop",
    cwe=835,
    severity="warn",
    message="Nothing in this loop changes what its condition looks at: once begun, it never ends.",
    remedy="Change one of the condition's variables in the body (i += 1), or leave with break.",
    bad=(
        "def fibonacci(n):\n    a, b, i = 1, 1, 2\n    while i < n:\n        a, b = b, a + b\n    return b",
        "def count(n):\n    i = 0\n    while i < n:\n        print(i)\n",
    ),
    good=(
        "def count(n):\n    i = 0\n    while i < n:\n        print(i)\n        i += 1\n",
        "def wait():\n    while running:\n        work()\n",
        "def wait(n):\n    while n > 0:\n        if n > 3:\n            break\n",
    ),
    loop=_loop,
)
