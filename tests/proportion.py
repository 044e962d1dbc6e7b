"""Time that grows with the length of a text and not with its square, on a machine of whatever speed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

MOST = 10
"""Times as long for four times the text: what is in proportion takes four, a pattern that begins again at each repetition sixteen."""


def assert_in_proportion(work: Callable[[int], object], size: int) -> None:
    """Fail where ``work`` on four times ``size`` takes far more of the processor than four times as long, the better of two times."""

    def seconds(length: int) -> float:
        gc.collect()
        gc.disable()  # a collection takes as long as all that other tests have left behind
        try:
            began = time.thread_time()
            work(length)
            return time.thread_time() - began
        finally:
            gc.enable()

    seconds(size // 4)  # what is done once is done
    once = max(seconds(size), 0.02)
    most = MOST * once
    took = seconds(4 * size)
    assert took <= most or min(took, seconds(4 * size)) <= most
