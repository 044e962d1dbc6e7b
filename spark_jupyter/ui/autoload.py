"""Loading of the extension in every new IPython shell of a profile.

A file among the profile's startup files does it, and not ``InteractiveShellApp.extensions``: IPython would look for the extension in the
working folder first, and run what somebody else has put there as soon as a kernel begins.
"""

from __future__ import annotations

from pathlib import Path

from spark_jupyter.exceptions import ConfigurationError
from spark_jupyter.protocol.constants import LOAD_EXTENSION

_NAME = "50-spark_jupyter.py"


def is_on(profile: Path) -> bool:
    """True if the profile's startup files load the extension."""
    return _file(profile).is_file()


def switch(profile: Path, *, on: bool) -> None:
    """Have new shells of the profile load the extension, or no longer. Raises
    :class:`~spark_jupyter.exceptions.ConfigurationError` where the file can't be written."""
    file = _file(profile)
    try:
        if on:
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{LOAD_EXTENSION}\n", encoding="utf-8")
        else:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"{file} can't be written: {error.strerror}.", remedy="Check its permissions."
        ) from None


def _file(profile: Path) -> Path:
    return profile / "startup" / _NAME
