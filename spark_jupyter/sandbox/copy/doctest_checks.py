"""Doctests of a docstring, run as checks after an answer."""

from __future__ import annotations

import doctest
from collections.abc import Mapping


def run(name: str, text: str, namespace: Mapping[str, object]) -> None:
    """Run a docstring's examples; raises AssertionError with the first that does not do what it says."""
    test = doctest.DocTestParser().get_doctest(text, dict(namespace), name, None, 0)
    try:
        doctest.DebugRunner(verbose=False).run(test)
    except doctest.DocTestFailure as failure:
        example = failure.example.source.strip()
        raise AssertionError(f"{example} is {failure.got.strip()}, not {failure.example.want.strip()}") from None
    except doctest.UnexpectedException as failure:
        kind, value, _ = failure.exc_info
        raise AssertionError(f"{failure.example.source.strip()} raised {kind.__name__}: {value}") from None
