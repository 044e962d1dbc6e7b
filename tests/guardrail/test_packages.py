"""Package names: a slip of a known one is a fault, an unknown one is only mentioned."""

from __future__ import annotations

from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.guardrail import asides, check
from spark_jupyter.guardrail.package_names import KNOWN, Bloom, exists, near

NAMES = st.sets(st.text(alphabet=ascii_lowercase + "-", min_size=1, max_size=12), max_size=60)


@given(NAMES)
def test_a_filter_never_denies_what_it_holds(names: set[str]) -> None:
    bloom = Bloom.decoded(Bloom.of(names, error=0.01).encoded())
    assert all(bloom.holds(name) for name in names)


def test_a_filter_says_yes_to_few_others() -> None:
    bloom = Bloom.of([f"package-{n}" for n in range(2_000)], error=0.01)
    wrong = sum(bloom.holds(f"other-{n}") for n in range(10_000))
    assert wrong < 200
    assert not Bloom.of([], error=0.01).holds("numpy")


def test_packages_that_there_are_are_known() -> None:
    named = (
        "google-cloud-aiplatform tensorflow-serving-api box2d urlextract tensorboard-plugin-profile msgspec websockets"
    )
    assert all(exists(name) for name in (*named.split(), *KNOWN))
    assert not any(exists(name) for name in ("reqeusts", "matplotlb", "quantum-magic-helper"))


def test_a_slip_is_blamed_before_what_is_not_known() -> None:
    (finding,) = check("%pip install quantum-magic-helper reqeusts")
    assert finding.severity == "warn"
    assert finding.message.startswith("reqeusts is not requests")


def test_what_is_not_known_is_told_in_a_line_that_is_no_finding() -> None:
    source = "import pandas\n!pip install quantum-magic-helper"
    assert check(source) == []
    (aside,) = asides(source)
    assert (aside.line, aside.page) == (2, "docs/rules/doubtful-package.md")
    assert aside.message.startswith("Unknown package: quantum-magic-helper. ")


def test_what_may_be_meant_is_said_and_comes_first() -> None:
    (aside,) = asides("%pip install quantum-magic-helper scikitlearn-tools")
    assert "scikitlearn-tools (perhaps: scikit-learn), quantum-magic-helper. " in aside.message


def test_beside_a_slip_that_is_blamed_the_rest_of_the_line_is_told() -> None:
    source = "!pip install quantum-magic-helper reqeusts"
    assert [finding.severity for finding in check(source)] == ["warn"]
    assert ["reqeusts" in aside.message for aside in asides(source)] == [False]


def test_ones_own_package_is_allowed_and_not_told_again() -> None:
    source = "%pip install quantum-magic-helper  # spark: allow doubtful-package it is our own"
    assert asides(source) == ()


@pytest.mark.parametrize(
    "source", ["%pip install pandas", "!pip install -r requirements.txt", "x.install(1)", "!pip install {name} $OTHER"]
)
def test_of_what_is_known_or_not_to_be_seen_nothing_is_told(source: str) -> None:
    assert asides(source) == ()


def test_a_long_list_is_told_in_one_short_line() -> None:
    (aside,) = asides("%pip install " + " ".join(f"qzx-{'w' * 200}-{n}" for n in range(30)))
    assert len(aside.message) < 600
    assert "and 25 more" in aside.message


def test_a_package_of_its_own_that_is_called_almost_like_another_is_told() -> None:
    assert near("beautifulsoup") == "beautifulsoup4"
    assert [finding.severity for finding in check("!pip install beautifulsoup")] == ["hint"]
