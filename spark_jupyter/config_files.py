"""Reader of configuration files that nobody but their user can change."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from spark_jupyter.exceptions import ConfigurationError, why_unread
from spark_jupyter.standard_error import tell

_said: set[Path] = set()


def read_config(file: Path) -> str | None:
    """The text of a configuration file in a folder of Jupyter's; None where there is none. One that another user could have written
    counts as none, which stderr says once: it would choose where prompts go, or which rules block.

    Raises :class:`~spark_jupyter.exceptions.ConfigurationError` for one that can't be read.
    """
    try:
        places = (file, file.parent, file.parent.parent, Path(os.path.realpath(file)).parent)
        changeable = next(filter(changeable_by_others, places), None)  # before it is read: a pipe of theirs never ends
        text = config_text(file) if changeable is None else None
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file} can't be read: {why_unread(error)}.", remedy="Correct or remove it."
        ) from None
    if changeable is not None and file not in _said:
        _said.add(file)
        tell(f"{file} is ignored: other users can change {changeable}. Make it yours alone: chown, and chmod go-w.")
    return text


def config_text(file: Path) -> str:
    """The text of a file, without the mark that some editors put before it.

    Raises OSError, also for a pipe or a device, which may never end, and UnicodeDecodeError.
    """
    with open(file, "rb", opener=_at_once) as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise OSError(errno.EINVAL, "a pipe or a device, not a file")
        return opened.read().decode("utf-8-sig")


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # Windows has no pipes in folders


def changeable_by_others(place: Path) -> bool:
    """True if another user could change the file, or what is in the folder. Raises ``OSError`` for what can't be seen."""
    found = place.stat()
    if not hasattr(os, "getuid"):
        return False  # Windows: access is not in the mode
    trusted = {0, os.getuid(), os.stat(__file__).st_uid}  # who owns this package can change what it does
    if found.st_uid not in trusted:
        return True
    if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX:
        return False  # nobody can replace what is another's there
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _members(found.st_gid) <= trusted


def _members(group: int) -> set[int]:
    """The users of a group. Many systems give each user a group of their own, in which they are alone."""
    import grp
    import pwd

    try:
        named = set(grp.getgrgid(group).gr_mem)
    except KeyError:
        named = set()
    return {user.pw_uid for user in pwd.getpwall() if user.pw_gid == group or user.pw_name in named}
