"""Engines of the benchmarks: the embedded server serves them as its own."""

from __future__ import annotations

import httpx
import pytest

from benchmarks.clock_provider import ClockEngine
from benchmarks.drafts import ThinkingEngine
from benchmarks.paced import TypingEngine
from spark_jupyter.server.server_runner import serve_in_thread


@pytest.mark.parametrize("make", [ClockEngine, ThinkingEngine, lambda: TypingEngine(0.0)])
def test_its_models_are_listed(make):
    engine = make()
    with serve_in_thread(engine=engine) as info:
        address = info.url.replace("ws:", "http:").replace("/responses", "/models")
        answer = httpx.get(address, headers={"Authorization": f"Bearer {info.token}"})
    assert [model["id"] for model in answer.json()["data"]] == engine.models()
