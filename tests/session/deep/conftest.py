"""Deep works that are played by hand."""

from __future__ import annotations

import pytest

from tests.session.deep.playing import DeepPlay


@pytest.fixture
def play() -> DeepPlay:
    return DeepPlay()
