"""State of a process that no variable holds: random numbers, folder, environment, options."""

from __future__ import annotations

import os
import random
import sys
from typing import Any

from spark_jupyter.sandbox.walls.allowed_paths import working_folder

NOT_OURS = ("TMPDIR", "MPLBACKEND", "MPLCONFIGDIR", "JOBLIB_MULTIPROCESSING")
"""Environment variables that a copy sets."""


def process_state(*, chance: bool) -> dict[str, object]:
    """The state by its name in words. ``chance``: numpy's random numbers have a state of the user's, which counts."""
    state: dict[str, object] = {
        "the state of random": random.getstate(),
        "the working folder": working_folder(),
        "the environment": sorted((k, v) for k, v in os.environ.items() if k not in NOT_OURS),
        "the module path": list(sys.path),
    }
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and chance:
        state["the state of numpy.random"] = numpy.random.get_state()
    if numpy is not None:
        state["numpy's print options"] = sorted(map(str, numpy.get_printoptions().items()))
    config = sys.modules.get("pandas._config.config")
    if config is not None:
        state["pandas' options"] = repr(getattr(config, "_global_config", ""))
    return state
