"""Detection of matplotlib's font cache.

Its first import on a machine makes two folders and a list of fonts, which a copy may not write there.
"""

from __future__ import annotations

import os
import sys

LISTERS = frozenset({"fc-list"})
"""Programs that list a system's fonts. matplotlib asks one, and does without."""


def are_listed() -> bool:
    """True if matplotlib was used on this machine before, or if its folder is configured: the fonts are listed then."""
    if "MPLCONFIGDIR" in os.environ or "matplotlib.font_manager" in sys.modules:
        return True
    if not sys.platform.startswith(("linux", "freebsd")):
        return _is_there("~", ".matplotlib")
    folders = (("XDG_CONFIG_HOME", "~/.config"), ("XDG_CACHE_HOME", "~/.cache"))
    return all(_is_there(os.environ.get(name) or usual, "matplotlib") for name, usual in folders)


def _is_there(*parts: str) -> bool:
    """True if this folder exists, as far as this user may see."""
    return os.path.isdir(os.path.expanduser(os.path.join(*parts)))
