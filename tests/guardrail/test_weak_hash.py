"""Hashes that only tell files apart are no weakness, and may be marked so."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail import check


@pytest.mark.parametrize("data", ['open("a", "rb").read()', 'pathlib.Path("a").read_bytes()'])
def test_a_hash_of_a_files_content_is_a_hint(data: str) -> None:
    assert [finding.severity for finding in check(f"import hashlib, pathlib\nh = hashlib.md5({data})")] == ["hint"]


@pytest.mark.parametrize("data", ["request.data", "urlopen(address).read()"])
def test_a_hash_of_anything_else_warns(data: str) -> None:
    assert [finding.severity for finding in check(f"import hashlib\nh = hashlib.md5({data})")] == ["warn"]


@pytest.mark.parametrize(
    ("name", "severity"), [("cache_key", "hint"), ("etag", "hint"), ("cached.tag", "hint"), ("signature", "warn")]
)
def test_a_hash_in_a_variable_that_says_what_it_tells_apart_is_a_hint(name: str, severity: str) -> None:
    found = check(f"import hashlib, json\n{name} = hashlib.sha1(json.dumps(options).encode()).hexdigest()")
    assert [finding.severity for finding in found] == [severity]
