"""Filters for several modules of ours, beside those of the user."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import warnings
from spark_jupyter.source.warning_filters import silence

def old():
    warnings.warn("said once", DeprecationWarning, stacklevel=1)

warnings.simplefilter("default")
for _ in range(3):
    silence("<a>")
    silence("<b>")
    old()
warnings.simplefilter("error")
silence("<b>")
silence("<a>")
for name in ("<a>", "<b>"):
    warnings.warn_explicit("hidden", UserWarning, name, 1)
"""


def test_they_stay_first_and_make_nobody_say_again_what_was_said():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.count("DeprecationWarning: said once") == 1
    )  # a Python that shows the line says the text once more
    assert "hidden" not in done.stderr
