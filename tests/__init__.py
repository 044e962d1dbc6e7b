"""Tests of the package."""

from __future__ import annotations

import sys

# The package has a plugin for pytest, which therefore would parse each of its modules for assertions, on whichever thread imports it: time,
# and on Python 3.11 an error where two threads parse at once. Here, as conftest.py imports half of them.
for finder in sys.meta_path:
    getattr(finder, "_must_rewrite", set[str]()).discard("spark_jupyter")
