"""Filter that keeps what libraries log in our threads out of the user's logs.

A user who asks for all records (``logging.basicConfig(level=logging.DEBUG)``) means those of their own program. A library that we use
would log each frame of a connection, with prompts in it, below whatever cell runs. In a thread of the user's it logs as usual.
"""

from __future__ import annotations

import logging
import threading

OUR_THREADS = "spark-"
"""How the names of our threads begin."""


def keep_out_logs(*libraries: str) -> None:
    """Drop what these imported libraries log in our threads. Loggers don't inherit filters, so each of theirs gets one."""
    of_modules = [name for name in logging.root.manager.loggerDict.copy() if name.partition(".")[0] in libraries]
    for name in (*libraries, *of_modules):
        logging.getLogger(name).addFilter(_is_of_user)


def _is_of_user(record: logging.LogRecord) -> bool:
    return not threading.current_thread().name.startswith(OUR_THREADS)
