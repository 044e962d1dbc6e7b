"""What git has of a file in another revision."""

from __future__ import annotations

import subprocess
from pathlib import Path

from spark_jupyter.exceptions import CheckError

TIMEOUT = 30.0
"""Seconds that git may take."""


def text_at(revision: str, path: str) -> str:
    """The text of a file as it was in a revision; empty where there was none. What is read is the bare object: nothing that a repository's
    own configuration names is run. Raises CheckError where there is no such repository or revision."""
    folder, name = Path(path).resolve().parent, Path(path).resolve().name
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found is None:
        raise CheckError(
            f"git has no revision {revision} for {path}.", remedy="Give one that it knows: --diff main, --diff HEAD~1."
        )
    return _git(folder, "cat-file", "blob", f"{found.strip()}:./{name}") or ""


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says; None where it fails."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CheckError("git can't be asked.", remedy=f"Check that it is installed ({error}).") from None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
