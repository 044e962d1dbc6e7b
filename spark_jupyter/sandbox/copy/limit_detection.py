"""Recognition of errors that a limit of the copy caused.

Such an error says nothing against the code. It is looked for in the whole chain of causes, since libraries raise errors of their own.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence

from IPython.core.error import StdinNotImplementedError

from spark_jupyter.sandbox import limit_sentences
from spark_jupyter.sandbox.copy import isolation
from spark_jupyter.sandbox.copy.audit_hook import Refused
from spark_jupyter.sandbox.copy.time_limit import TimeUp
from spark_jupyter.sandbox.limit_sentences import Limit

NEEDED = {errno.EACCES: ("files", "read"), errno.EPERM: ("files", "network", "shell")}
"""Permissions by error number: Landlock's concern files alone, those of the system call filter the rest, and owners and times of files."""
_TOO_LARGE = (errno.EFBIG, errno.ENOSPC)


def limit_of(error: BaseException, *, allow: Sequence[str], seconds: float, refused: Sequence[Limit] = ()) -> str:
    """The limit that caused an error, as a sentence; empty where none did. ``seconds`` is what the code was given, ``refused`` is what was
    refused to it before: an error that quotes that, or comes after a refusal of the network, is no fault."""
    for one in _chain(error):
        if limit := _limit_of_one(one, allow, seconds):
            return limit
    text = _text(error)
    return next((limit for limit in refused if limit in text), "")


def missing_permissions(text: str, allow: Sequence[str]) -> list[str]:
    """Permissions that are missing according to a system error in a text, as native code reports it."""
    for code, needed in NEEDED.items():
        missing = [permission for permission in needed if permission not in allow]
        if os.strerror(code) in text and missing:
            return missing
    return []


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _limit_of_one(error: BaseException, allow: Sequence[str], seconds: float) -> str:
    text = _text(error)
    match error:
        case TimeUp():
            return limit_sentences.time(seconds)
        case Refused(limit=limit):
            return str(limit)
        case StdinNotImplementedError():
            return "it asks a person for input"
        case MemoryError():
            return limit_sentences.MEMORY
        case OSError(errno=code) if code in _TOO_LARGE:
            return limit_sentences.FILE_SIZE
        case OSError(errno=errno.EMFILE):
            return limit_sentences.OPEN_FILES
        case OSError(errno=errno.EBADF) if isolation.only_read:
            return limit_sentences.OPEN_FILE
        case RuntimeError() if "can't start new thread" in text:
            return limit_sentences.THREADS
    if "readonly database" in text and type(error).__module__ == "sqlite3" and "files" not in allow:
        return limit_sentences.READ_ONLY_DATABASE
    if os.strerror(errno.ENOTSOCK) in text:  # in place of a connection there is a file
        return limit_sentences.CONNECTION
    if missing := missing_permissions(text, allow):
        return f"the system refused it access: a copy may not use {', '.join(missing)}"
    return ""


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # the user's own __str__
        return ""
