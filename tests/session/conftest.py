"""Sessions whose provider is played by hand."""

from __future__ import annotations

import pytest

from tests.session.play import Play


@pytest.fixture
def play() -> Play:
    return Play()


@pytest.fixture
def trying() -> Play:
    """A session beside which there is something that tries proposals."""
    return Play(tries=True)
