"""Versions in a request: which Python, which packages, and what is not installed."""

from __future__ import annotations

import platform

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from spark_jupyter.guardrail.package_names import KNOWN
from spark_jupyter.reality.package_versions import versions


def told(namespace: dict[str, object], prompt: str = "", *sources: str) -> list[str]:
    known = frozenset({"polars", "scikit-learn", "no-such-thing", "requests"})
    return versions(namespace, prompt=prompt, sources=sources, known=known).splitlines()


def test_python_and_the_packages_in_use_are_told_with_their_versions() -> None:
    import math

    namespace = {"pd": pd, "np": np, "math": math, "DataFrame": DataFrame, "_hidden": 1, "n": 3}
    assert told(namespace) == [f"Python {platform.python_version()}, numpy {np.__version__}, pandas {pd.__version__}"]


def test_a_package_that_is_asked_for_is_told_with_whether_it_is_installed() -> None:
    lines = told(
        {}, "use polars and no-such-thing, and sum the rest", "import pandas as pd\nimport made_up_name\nimport os"
    )
    assert lines[1:3] == [f"pandas {pd.__version__}", "made_up_name: not installed"]
    assert lines[3].startswith("polars")
    assert lines[4:] == ["no_such_thing: not installed"]


@pytest.mark.parametrize(
    "prompt", ["a decorator that caches to parquet", "coverage of each panel", "black markers, rich colours"]
)
def test_an_ordinary_word_is_not_said_to_be_a_package_that_is_missing(prompt) -> None:
    assert versions({}, prompt=prompt, sources=(), known=KNOWN) == f"Python {platform.python_version()}"


def test_a_package_with_another_name_is_told_by_both() -> None:
    assert told({}, "a sklearn model")[1].startswith("scikit-learn (import sklearn)")
    assert told({}, "a scikit-learn model")[1].startswith("scikit-learn (import sklearn)")


def test_a_module_that_lies_about_itself_is_not_asked() -> None:
    class Module(type(pd)):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> object:
            raise AssertionError("user code was run")

    assert told({"m": Module("m")}) == [f"Python {platform.python_version()}"]
