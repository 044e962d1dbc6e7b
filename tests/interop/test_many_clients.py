"""A class with one model server: a LiteLLM proxy in front of two back ends, and many clients at once."""

from __future__ import annotations

import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from spark_jupyter.providers.profiles import Settings
from spark_jupyter.ui.cli.bench.load_test import Load, measure_load

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]


def load(port: int, model: str, monkeypatch: pytest.MonkeyPatch, *, key: str = "sk-interop", clients: int = 20) -> Load:
    monkeypatch.setenv("SPARK_API_KEY", key)
    settings = Settings(base_url=f"http://127.0.0.1:{port}/v1", model=model)
    return measure_load(settings, prompt="class", turns=1, clients=clients)


def test_where_one_back_end_is_full_all_are_answered_by_the_other(litellm: int, monkeypatch) -> None:
    measured = load(litellm, "class", monkeypatch)
    assert (len(measured.first), measured.failures) == (20, {})
    assert measured.fairness == 1.0


def test_beyond_the_gateway_s_rate_limit_each_hears_that_it_is_one(litellm: int, monkeypatch) -> None:
    measured = load(litellm, "limited", monkeypatch)
    assert len(measured.first) + sum(measured.failures.values()) == 20
    assert measured.failures
    assert all("limits the rate of requests" in said for said in measured.failures)


def answer_of(port: int, key: str, model: str = "m") -> int:
    """The status of one request."""
    body = {"model": model, "messages": [{"role": "user", "content": "class"}]}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    address = f"http://127.0.0.1:{port}/v1/chat/completions"
    try:
        with urlopen(Request(address, json.dumps(body).encode(), headers), timeout=120) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def test_a_key_of_each_user_has_a_limit_of_its_own(litellm: int, monkeypatch) -> None:
    statuses = [answer_of(litellm, "sk-ada") for _ in range(11)]  # a minute may end meanwhile
    assert set(statuses) == {200, 429}
    assert answer_of(litellm, "sk-nobody") == 401
    free = load(litellm, "m", monkeypatch, key="sk-bert")
    assert (len(free.first), free.failures) == (20, {})


def test_a_key_whose_budget_is_used_up_hears_that_it_is(litellm: int, monkeypatch) -> None:
    assert answer_of(litellm, "sk-cleo", "paid") == 200
    deadline = time.monotonic() + 120
    while answer_of(litellm, "sk-cleo", "paid") == 200:  # what was spent is counted when the answer has gone
        assert time.monotonic() < deadline
    refused = load(litellm, "paid", monkeypatch, key="sk-cleo", clients=2)
    assert sum(refused.failures.values()) == 2
    assert all("The quota at" in said and "is used up" in said for said in refused.failures)
    assert load(litellm, "m", monkeypatch, key="sk-cleo", clients=2).failures == {}
