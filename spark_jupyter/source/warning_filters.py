"""Filters that keep warnings about our own code out of the user's output.

A filter that is put first stays: nothing is put back, so no thread takes away what another one set meanwhile, as
``warnings.catch_warnings`` does. It is put first again only where somebody else's stands before it, for each change of the filters makes
Python forget which warnings it has shown already.
"""

from __future__ import annotations

import warnings

_ours: set[str] = set()


def silence(module: str) -> None:
    """Ignore warnings that are attributed to modules (or to file names without ``.py``) that match ``module``, a regular expression,
    whatever filters the user has set since."""
    for _, _, _, pattern, _ in warnings.filters:
        own = getattr(pattern, "pattern", pattern)
        if own == module:
            return
        if own not in _ours:
            break
    _ours.add(module)
    warnings.filterwarnings("ignore", module=module)
