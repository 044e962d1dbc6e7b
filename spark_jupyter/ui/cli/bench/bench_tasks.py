"""Twenty tasks in a notebook, with data and checks (``bench_tasks.toml``).

The data is made there: nothing is downloaded, nothing depends on chance.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from msgspec import Struct

from spark_jupyter.typed_decoders import convert


class Task(Struct, frozen=True, kw_only=True):
    """``setup`` is the cell above, ``prompt`` what is asked, ``checks`` what must hold when the answer has run."""

    name: str
    prompt: str
    checks: tuple[str, ...]
    setup: str = ""


def _tasks() -> tuple[Task, ...]:
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    setups = data["setups"]
    return tuple(
        convert({**task, "setup": setups.get(task.get("setup"), task.get("setup", ""))}, Task) for task in data["tasks"]
    )


TASKS = _tasks()
