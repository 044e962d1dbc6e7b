"""Environment variables that a notebook gets when a command runs it.

A notebook that somebody else wrote may print them into a log, so it gets a list of the harmless ones: no tokens, no addresses of databases.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection, Mapping

_KEPT = """
PATH HOME USER LOGNAME SHELL TMPDIR LANG LANGUAGE TZ TERM COLUMNS LINES
PYTHONPATH PYTHONHOME PYTHONUSERBASE PYTHONNOUSERSITE PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING PYTHONWARNINGS PYTHON_GIL
VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV LD_LIBRARY_PATH DYLD_LIBRARY_PATH JAVA_HOME R_HOME SPARK_HOME CUDA_HOME CUDA_VISIBLE_DEVICES
IPYTHONDIR MPLBACKEND MPLCONFIGDIR MATPLOTLIBRC FONTCONFIG_PATH FONTCONFIG_FILE XDG_CACHE_HOME XDG_CONFIG_HOME GDAL_DATA PROJ_LIB PROJ_DATA
OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS NUMEXPR_NUM_THREADS NUMEXPR_MAX_THREADS VECLIB_MAXIMUM_THREADS POLARS_MAX_THREADS
NUMBA_CACHE_DIR NUMBA_NUM_THREADS SYSTEMROOT TEMP TMP
"""
"""``HOME`` is only a path: what lies there stays unreadable in a copy, which its real place decides."""


def thin(environment: Mapping[str, str], *, named: Collection[str] = ()) -> dict[str, str]:
    """The harmless variables of an environment, and those ``named`` by the person."""
    return {name: text for name, text in environment.items() if _is_kept(name) or name in named}


def thin_here() -> None:
    """Take the others away from this process, which is a copy: also the text that it was started with (``/proc/self/environ``)."""
    for name in [name for name in os.environ if not _is_kept(name)]:
        del os.environ[name]
    if sys.platform == "linux":
        _blank(*_started_with())


def _started_with() -> tuple[int, int]:
    """Where the environment lies that this process was started with, whatever was set since: proc(5), fields 50 and 51 of ``stat``."""
    with open("/proc/self/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()  # from the third on: the second may hold blanks
    return int(fields[47]), int(fields[48])


def _blank(start: int, end: int) -> None:
    """Overwrite the values in an environment with zeros."""
    for entry in ctypes.string_at(start, end - start).split(b"\0"):
        name, _, text = entry.partition(b"=")
        if not _is_kept(os.fsdecode(name)):
            ctypes.memset(start + len(name) + 1, 0, len(text))
        start += len(entry) + 1


def _is_kept(name: str) -> bool:
    return name in _KEPT.split() or name.startswith("LC_")
