"""Detection of matplotlib's font cache.

Its first import on a machine makes two folders and a list of fonts, which a copy may not write there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

LISTERS = frozenset({"fc-list"})
"""Programs that list a system's fonts. matplotlib asks one, and does without."""


def are_listed() -> bool:
    """True if matplotlib has listed the fonts on this machine before, or if its folder is configured."""
    if "MPLCONFIGDIR" in os.environ or "matplotlib.font_manager" in sys.modules:
        return True
    if not sys.platform.startswith(("linux", "freebsd")):
        return _has_list("~/.matplotlib")
    config, cache = os.environ.get("XDG_CONFIG_HOME") or "~/.config", os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return os.path.isdir(os.path.expanduser(f"{config}/matplotlib")) and _has_list(f"{cache}/matplotlib")


def _has_list(folder: str) -> bool:
    """True if the folder has a list of fonts, as far as this user may see."""
    return any(Path(folder).expanduser().glob("fontlist-*.json"))
