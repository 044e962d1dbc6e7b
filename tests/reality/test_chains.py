"""Chains of pandas' methods that nobody wrote: what runs is not flagged, from the text alone and with the tables in the kernel."""

from __future__ import annotations

import os

import pytest

from spark_jupyter.reality import check
from tests.reality.chains import HEAD, chain

FIRST, COUNT = (int(part) for part in os.environ.get("CHAINS", "0 60").split())
"""``CHAINS="1000 500"`` takes others, and more."""


@pytest.fixture(scope="module")
def tables():
    space = {}
    exec(HEAD, space)
    return space


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT, 10))
def test_nothing_that_runs_is_flagged(seed, tables):
    for each in range(seed, seed + 10):
        source = chain(each).source
        assert not check(HEAD + source, {}), source
        assert not check(source, tables), source


def test_what_the_result_lacks_is_found_where_its_columns_are_known(tables):
    made = found = 0
    for seed in range(FIRST, FIRST + COUNT, 3):
        source, inventions = chain(seed)
        made += len(inventions)
        said = check(source + "\n".join(inventions), tables)
        found += len({finding.line for finding in said if "invented" in finding.message})
    assert made > COUNT / 3
    assert found > 0.2 * made
