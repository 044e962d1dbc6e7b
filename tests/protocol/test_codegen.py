"""The browser's side of the wire is made from messages.py and stays in step with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.protocol.scripts import ROOT, load

if TYPE_CHECKING:
    from types import ModuleType


@pytest.fixture(scope="module")
def codegen() -> ModuleType:
    return load("codegen")


def test_the_committed_files_are_what_would_be_generated(codegen: ModuleType) -> None:
    for path, text in codegen.outputs().items():
        assert (ROOT / path).read_text(encoding="utf-8") == text


def test_check_writes_nothing_and_fails_where_a_file_differs(codegen: ModuleType, tmp_path: Path) -> None:
    assert codegen.main([], root=tmp_path) == 0
    assert codegen.main(["--check"], root=tmp_path) == 0
    (tmp_path / codegen.TYPES).write_text("something else")
    assert codegen.main(["--check"], root=tmp_path) == 1
    assert (tmp_path / codegen.TYPES).read_text() == "something else"


def test_check_fails_where_a_file_is_missing(codegen: ModuleType, tmp_path: Path) -> None:
    assert codegen.main(["--check"], root=tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_every_command_and_event_has_an_interface(codegen: ModuleType) -> None:
    text = codegen.types_text()
    for members in codegen.unions().values():
        for member in members:
            assert f"export interface {member} {{" in text


def test_nothing_is_typed_as_any_or_unknown(codegen: ModuleType) -> None:
    fields = [line for line in codegen.types_text().splitlines() if line.startswith("  readonly")]
    assert fields
    for line in fields:
        kind = line.split(": ", 1)[1]
        assert "any" not in kind.split()
        assert "unknown" not in kind


def test_every_field_that_may_be_left_out_has_its_default_in_the_table(codegen: ModuleType) -> None:
    text = codegen.types_text()
    assert "  readonly Hello: Defaults<Hello>;" in text
    assert "\n  Findings: { cut: '', may_run: 'freely' }," in text
    assert "\n  Run: { confirmed: false, unasked: false, by: null }," in text


def test_every_constant_is_generated_with_what_is_said_of_it(codegen: ModuleType) -> None:
    text = codegen.constants_text()
    for name in vars(codegen.constants):
        assert not name.isupper() or f" */\nexport const {name} = " in text


def test_a_field_with_a_default_is_optional_and_one_without_is_not(codegen: ModuleType) -> None:
    text = codegen.types_text()
    assert "  readonly remedy?: string;" in text
    assert "  readonly message: string;" in text


def test_the_schema_names_a_definition_for_every_reference(codegen: ModuleType) -> None:
    document = json.loads(codegen.schema_text())

    def references(value: object) -> set[str]:
        if isinstance(value, dict):
            found = {value["$ref"].removeprefix("#/$defs/")} if isinstance(value.get("$ref"), str) else set()
            return found.union(*(references(v) for v in value.values()))
        if isinstance(value, list):
            return set().union(*(references(v) for v in value))
        return set()

    assert references(document) <= set(document["$defs"])


def test_a_schema_of_an_unknown_shape_is_an_error_and_never_any(codegen: ModuleType) -> None:
    with pytest.raises(NotImplementedError):
        codegen._type({"type": "object"})
