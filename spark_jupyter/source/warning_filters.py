"""Filters that keep warnings about our own code out of the user's output.

A filter that is put first stays: nothing is put back, so no thread takes away what another one set meanwhile, as
``warnings.catch_warnings`` does.
"""

from __future__ import annotations

import warnings


def silence(module: str) -> None:
    """Ignore warnings that are attributed to modules (or to file names without ``.py``) that match ``module``, a regular expression,
    whatever filters the user has set since."""
    first = warnings.filters[0] if warnings.filters else None
    pattern = first[3] if first is not None else None
    if getattr(pattern, "pattern", pattern) != module:
        warnings.filterwarnings("ignore", module=module)
