"""A class with one model server: a LiteLLM proxy in front of two back ends, and many clients at once."""

from __future__ import annotations

import pytest

from spark_jupyter.providers.profiles import Settings
from spark_jupyter.ui.cli.bench.load_test import Load, measure_load

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]


def load(port: int, model: str, monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.setenv("SPARK_API_KEY", "sk-interop")
    settings = Settings(base_url=f"http://127.0.0.1:{port}/v1", model=model)
    return measure_load(settings, prompt="class", turns=1, clients=20)


def test_where_one_back_end_is_full_all_are_answered_by_the_other(litellm: int, monkeypatch) -> None:
    measured = load(litellm, "class", monkeypatch)
    assert (len(measured.first), measured.failures) == (20, {})
    assert measured.fairness == 1.0


def test_beyond_the_gateway_s_rate_limit_each_hears_that_it_is_one(litellm: int, monkeypatch) -> None:
    measured = load(litellm, "limited", monkeypatch)
    assert len(measured.first) + sum(measured.failures.values()) == 20
    assert measured.failures
    assert all("limits the rate of requests" in said for said in measured.failures)
