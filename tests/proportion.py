"""Time that grows with the length of a text and not with its square, on a machine of whatever speed."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 10
"""Times as long for four times the text: what is in proportion takes four, a pattern that begins anew at each repetition sixteen."""


def assert_in_proportion(work: Callable[[int], object], size: int) -> None:
    """Fail where ``work`` on four times ``size`` takes far more of the processor than four times as long."""

    def seconds(length: int) -> float:
        began = time.thread_time()
        work(length)
        return time.thread_time() - began

    seconds(size // 4)  # what is done once is done
    once = max(seconds(size), 0.02)
    assert seconds(4 * size) <= MOST * once
