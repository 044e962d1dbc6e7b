"""Long answer, and a wait for what comes of it."""

from __future__ import annotations

import time

CODE = "\n".join(f"value_{n} = {n} * {n}" for n in range(200))
ANSWER = f"Some words.\n\n```python\n{CODE}\n```\nMore words.\n"


def until(condition, timeout=60.0):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)
