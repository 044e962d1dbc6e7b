"""A file as it stands in another revision of its git repository.

What is read are bare objects and names: nothing that a repository's own configuration or attributes name is run.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

from spark_jupyter.exceptions import CheckError
from spark_jupyter.ui.cli.text_files import text_of

TIMEOUT = 30.0
"""Seconds that git may take."""
MAX_CANDIDATES = 60
"""So many files that are gone are looked at to find what a new one was called before."""
_ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
"""Settings under which git fetches no missing object: a repository may name the program that fetches it (``remote.*.uploadpack``,
``core.sshCommand``)."""
ALIKE = 0.5
"""The share of lines that two texts have in common where one became the other (git's own default for a renamed file)."""


def text_at(revision: str, path: str) -> str:
    """The text of a file as it was in a revision, of a renamed one under its old name; empty where there was none. Raises CheckError where
    there is no such repository or revision."""
    place = Path(path).resolve()
    folder = next(parent for parent in place.parents if parent.is_dir())  # a deleted file's folder may be gone, too
    commit = _commit(folder, revision)
    if commit is None:
        raise CheckError(
            f"git has no revision {revision} for {path}.", remedy="Give one that it knows: --diff main, --diff HEAD~1."
        )
    if not commit:
        return ""
    data = _git(folder, "cat-file", "blob", f"{commit}:./{place.relative_to(folder).as_posix()}")
    if data is None and place.is_file():
        data = _before_renaming(folder, commit, place)
    return text_of(data or b"", path)


def _commit(folder: Path, revision: str) -> str | None:
    """The commit that a revision is for a folder: in a submodule of the repository that one stands in, the one that the repository's
    revision has of it. None where there is no such revision; "" where the submodule was not there."""
    inner = _top(folder)
    outer = inner and _top(inner.parent)
    if inner and outer and _top(Path.cwd()) == outer and _is_submodule(outer, inner):
        known = _commit(outer, revision)
        kept = _line(outer, "rev-parse", "--verify", "--quiet", f"{known}:{inner.relative_to(outer).as_posix()}")
        return None if known is None else kept
    return _line(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}") or None


def _top(folder: Path) -> Path | None:
    found = _line(folder, "rev-parse", "--show-toplevel")
    return Path(found) if found else None


def _is_submodule(outer: Path, inner: Path) -> bool:
    """True if one repository has the other as a submodule. Asked of git's list of files: ``rev-parse --show-superproject-working-tree``
    runs another git, which would run what the outer one's configuration names."""
    return _line(outer, "ls-files", "--stage", "--", inner.relative_to(outer).as_posix()).startswith("160000 ")


def _before_renaming(folder: Path, commit: str, place: Path) -> bytes | None:
    """The file of the revision that is gone today and most like this one; None where none is like it."""
    top = _top(folder)
    if top is None:
        return None
    listed = (_git(top, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit) or b"").decode(
        "utf-8", "surrogateescape"
    )
    gone = [name for name in listed.split("\0") if name.endswith(place.suffix) and name and not (top / name).exists()]
    gone.sort(key=lambda name: Path(name).name != place.name)
    lines = _lines(place.read_bytes())
    best, share = None, ALIKE
    for name in gone[:MAX_CANDIDATES]:
        data = _git(top, "cat-file", "blob", f"{commit}:{name}")
        before = _lines(data or b"")
        alike = (lines & before).total() / max(lines.total(), before.total(), 1)
        if alike >= share:
            best, share = data, alike
    return best


def _lines(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines() if line.strip())


def _line(folder: Path, *arguments: str) -> str:
    """The one line that git says; empty where it fails."""
    return (_git(folder, *arguments) or b"").decode("utf-8", "surrogateescape").rstrip("\n")


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Output of git; None if it fails."""
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", "--literal-pathspecs", *arguments]
    alone = {**os.environ, **_ALONE}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL, env=alone
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CheckError("git can't be run.", remedy=f"Check that it is installed ({error}).") from None
    return done.stdout if done.returncode == 0 else None
