"""Random pauses where threads, loops and tests meet: another order of things (``make test-races``).

A plugin for pytest that is loaded by name (``-p tests.jitter``). A test that reads a state while somebody still changes it fails with it
sooner or later. Each number in ``JITTER`` makes other pauses. The kernels and commands of the nursery pause, too (see nursery/program.py).
"""

from __future__ import annotations

import asyncio
import functools
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from spark_jupyter.engine import broadcast
from spark_jupyter.engine.loop_thread import LoopThread

LONGEST = 3.0
"""Seconds of pauses in one test, and in each kernel and command that it starts."""
PLACES = (
    (asyncio.BaseEventLoop, "_run_once", 0.05, 0.04),
    (asyncio.BaseEventLoop, "call_soon_threadsafe", 0.25, 0.03),
    (threading.Thread, "_bootstrap_inner", 0.25, 0.06),
    (LoopThread, "wait_for", 0.25, 0.15),
)
"""Methods with the share of their calls before and behind which there is a pause, and the seconds of the longest."""
_random = random.Random()
_left = 0.0


def pause(share: float, longest: float) -> None:
    global _left
    if _left > 0 and _random.random() < share:
        seconds = _random.random() * longest
        _left -= seconds
        time.sleep(seconds)


def paused(method: Callable[..., Any], *how: float) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        pause(*how)
        result = method(*arguments, **options)
        pause(*how)
        return result

    return wrapped


def begin(seed: str) -> None:
    """Pause from here on in this process."""
    start_test(seed)
    sys.setswitchinterval(2e-4)
    if "ipykernel.comm.comm" in sys.modules:  # a kernel
        from ipykernel.comm.comm import BaseComm

        BaseComm.publish_msg = paused(BaseComm.publish_msg, 0.25, 0.06)
    broadcast.FRAME_INTERVAL = 0.15
    for owner, name, *how in PLACES:
        setattr(owner, name, paused(getattr(owner, name), *how))


def start_test(name: str) -> None:
    global _left
    _random.seed(os.environ["JITTER"] + name)
    _left = LONGEST


def pytest_collection_finish() -> None:
    os.environ.setdefault("JITTER", "1")
    begin("")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    start_test(item.nodeid)
