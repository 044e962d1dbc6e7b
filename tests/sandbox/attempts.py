"""Outcome of an attack on the walls."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import msgspec

from spark_jupyter.protocol.trial_messages import TrialResult

NOBODY = 65534
ANSWERS = (
    *("through", "Operation not permitted", "Permission denied", "Function not implemented", "Operation not supported"),
    *("Invalid argument", "Inappropriate ioctl for device", "Invalid cross-device link"),
)
"""What the system may say to an attack; anything else (a wrong address, no such process) would be the attack's own fault."""
Attempt = Callable[..., TrialResult]


def as_nobody(work: Callable[[], TrialResult]) -> TrialResult:
    """What comes of it where an ordinary user does it."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(msgspec.msgpack.encode(work()))
            for thread in threading.enumerate():
                if thread.name == "spark-try":
                    thread.join()  # takes away what the copy leaves
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return msgspec.msgpack.decode(data, type=TrialResult)


def said(result: TrialResult) -> dict[str, str]:
    """What became of each part of an attack."""
    assert not result.problem, result.problem
    assert not result.error, result.error
    lines = "".join(output.text for output in result.outputs if output.kind == "stdout").splitlines()
    parts = {}
    for line in lines:
        how = next((text for text in ANSWERS if line.endswith(text)), "")
        assert how, line
        parts[line.removesuffix(how).strip()] = how
    return parts


def held(result: TrialResult, *, parts: int) -> dict[str, str]:
    """All of an attack, of which nothing came through."""
    came = said(result)
    assert len(came) >= parts, came
    assert [name for name, how in came.items() if how == "through"] == []
    return came
