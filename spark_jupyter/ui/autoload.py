"""Loading of the extension in every new IPython shell of a profile.

The setting is ``InteractiveShellApp.extensions`` in the profile's ``ipython_config.json``, which IPython reads beside
``ipython_config.py``. Where the latter sets the same, that file stays a person's own: a list in one replaces the list in the other.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from spark_jupyter.exceptions import ConfigurationError

EXTENSION = "spark_jupyter"
_SETS_EXTENSIONS = re.compile(r"^[^#\n]*\bInteractiveShellApp\.extensions\b", re.MULTILINE)


def is_on(profile: Path) -> bool:
    """True if the JSON file of the profile's folder loads the extension."""
    return EXTENSION in _extensions(_read(profile))


def switch(profile: Path, *, on: bool) -> None:
    """Have new shells of the profile load the extension, or no longer.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` where the Python file says which extensions are loaded, or the JSON file
    can't be read.
    """
    own = profile / "ipython_config.py"
    if own.is_file() and _SETS_EXTENSIONS.search(own.read_text(encoding="utf-8", errors="replace")):
        verb = "Add" if on else "Remove"
        raise ConfigurationError(f"{own} names the extensions.", remedy=f'{verb} "{EXTENSION}" there.')
    config = _read(profile)
    rest = [name for name in _extensions(config) if name != EXTENSION]
    config.setdefault("InteractiveShellApp", {})["extensions"] = [*rest, EXTENSION] if on else rest
    file = profile / "ipython_config.json"
    new = file.with_suffix(".new")
    new.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    os.replace(new, file)


def _read(profile: Path) -> dict[str, Any]:
    file = profile / "ipython_config.json"
    try:
        config = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        _extensions(config)
    except (OSError, ValueError, AttributeError, TypeError):
        raise ConfigurationError(f"{file} can't be read.", remedy="Repair or remove it.") from None
    return dict(config)


def _extensions(config: dict[str, Any]) -> list[str]:
    return list(config.get("InteractiveShellApp", {}).get("extensions", ()))
