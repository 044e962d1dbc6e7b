"""Which packages there are: a slip of a known name is blamed, a name that is merely not known is told."""

from __future__ import annotations

from string import ascii_lowercase

from hypothesis import given
from hypothesis import strategies as st

from spark_jupyter.guardrail import check
from spark_jupyter.guardrail.packages import KNOWN, Bloom, exists, near

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


def test_what_is_not_known_is_told_and_not_blamed() -> None:
    (finding,) = check("!pip install quantum-magic-helper")
    assert finding.severity == "hint"


def test_a_package_of_its_own_that_is_called_almost_like_another_is_told() -> None:
    assert near("beautifulsoup") == "beautifulsoup4"
    assert [finding.severity for finding in check("!pip install beautifulsoup")] == ["hint"]
