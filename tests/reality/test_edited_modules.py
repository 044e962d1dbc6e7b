"""A person's own modules, edited beside the notebook."""

from __future__ import annotations

import importlib
import os
import sys

import pytest

from spark_jupyter.reality import check

BEFORE = """
import dataclasses


class Model:
    def __init__(self, size):
        self.size = size

    def fit(self, data):
        return self


def clean(frame):
    return frame


def old(frame):
    return frame


@dataclasses.dataclass
class Row:
    price: int = 0


class Larger(Model):
    pass
"""
AFTER = """
import dataclasses
import json

if True:
    LIMIT = 3


class Model:
    def __init__(self, size, *, seed=0):
        self.size, self.seed = size, seed

    def fit(self, data, epochs=1):
        self.losses = [json.dumps(epochs)]
        return self

    def predict(self, data):
        local = data
        return local


def clean(frame, how="any"):
    return frame


def scale(frame, by=2):
    return frame


try:
    import of_nobody
except ImportError:
    async def fetch(url):
        return url


@dataclasses.dataclass
class Row:
    price: int = 0
    amount: int = 1


class Larger(Model):
    pass
"""


@pytest.fixture
def edited(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "own_helper.py"
    file.write_text(BEFORE)
    module = importlib.import_module("own_helper")
    namespace = {"own_helper": module, "model": module.Model(1), "clean": module.clean}
    yield file, namespace
    del sys.modules["own_helper"]


RIGHT = [
    "own_helper.scale(1, by=own_helper.LIMIT)",
    "from own_helper import scale, LIMIT",
    "own_helper.clean(1, how='all')",
    "clean(1, how='all')",
    "model.predict(1)\nmodel.losses",
    "model.fit(1, epochs=3)",
    "own_helper.Model(3, seed=1)",
    "own_helper.Larger(3, seed=1)",
    "own_helper.Larger(3).predict(1)",
    "own_helper.Row(price=1, amount=2)",
    "await own_helper.fetch(1)",
]
WRONG = [
    "own_helper.scala(1)",
    "from own_helper import scala",
    "own_helper.old(1, how='all')",
    "model.local",
    "model.predikt(1)",
    "own_helper.Larger(3).predikt(1)",
    "own_helper.Row().pricee",
]


@pytest.mark.parametrize("source", RIGHT)
def test_what_the_file_has_by_now_is_not_missing(edited, source):
    file, namespace = edited
    assert check(source, namespace)
    file.write_text(AFTER)
    assert check(source, namespace) == []


def test_a_file_that_is_written_twice_within_a_tick_of_the_clock_is_read_again(edited):
    file, namespace = edited
    assert check(RIGHT[0], namespace)
    time = file.stat().st_mtime_ns
    file.write_text(AFTER)
    os.utime(file, ns=(time, time))
    assert check(RIGHT[0], namespace) == []


@pytest.mark.parametrize("source", WRONG)
def test_what_the_file_lacks_too_is_missing(edited, source):
    file, namespace = edited
    file.write_text(AFTER)
    assert check(source, namespace)


def test_a_file_that_is_gone_or_no_text_says_nothing(edited):
    file, namespace = edited
    file.write_bytes(b"\xff\xfe")
    assert check(RIGHT[0], namespace)
    os.remove(file)
    assert check(RIGHT[0], namespace)
