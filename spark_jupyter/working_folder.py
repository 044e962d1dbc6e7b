"""Working folder of this process, also where it was deleted."""

from __future__ import annotations

import os
from pathlib import Path

GONE = Path(os.sep) / "the working folder was deleted"
"""No folder: nothing is found in it."""


def working_folder() -> Path:
    """The working folder, or :data:`GONE`: a cell or another program may have deleted it."""
    try:
        return Path.cwd()
    except OSError:
        return GONE
