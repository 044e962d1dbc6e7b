"""Changes of a notebook.

Fixtures are shared with the TypeScript tests. In each file of ``fixtures/changes`` the ``changes`` turn the notebook ``before``
into ``after``, or are ``refused`` as a whole; ``live`` is what the browser's writer makes of those in a document in which somebody may
have worked meanwhile. ``cells.json`` says how a cell is sent along with a prompt, ``hashes.json`` how a source is named,
``provenance.json`` what is kept of an accepted cell's origin, ``merges.json`` which changes become one.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jupyter.exceptions import NotebookError
from spark_jupyter.protocol.constants import LONGEST_ERROR, LONGEST_OUTPUT
from spark_jupyter.protocol.notebook import cells_of, content_hash, with_ids
from spark_jupyter.protocol.notebook_changes import apply, merge
from spark_jupyter.protocol.notebook_validation import check
from spark_jupyter.protocol.provenance import changed_since, provenance, with_provenance
from spark_jupyter.protocol.values import AppendSource, CellChange, DeleteCell, Finding, InsertCell, ReplaceSource

FIXTURES = Path(__file__).parents[1] / "fixtures"
CASES = [json.loads(path.read_text()) for path in sorted((FIXTURES / "changes").glob("*.json"))]
SENT, KEPT, MERGES = (json.loads((FIXTURES / f"{name}.json").read_text()) for name in ("cells", "provenance", "merges"))


def changes_of(case: dict[str, Any]) -> tuple[CellChange, ...]:
    return msgspec.convert(case["changes"], tuple[CellChange, ...])


def notebook(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def code(cell_id: str, source: str, **more: Any) -> dict[str, Any]:
    blank = {"metadata": {}, "outputs": [], "execution_count": None}
    return {"id": cell_id, "cell_type": "code", "source": source, **blank, **more}


# --- apply and merge -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_changes_make_the_notebook_or_are_refused_as_a_whole(case: dict[str, Any]) -> None:
    before = copy.deepcopy(case["before"])
    if "refused" in case:
        with pytest.raises(NotebookError):
            apply(case["before"], changes_of(case))
    else:
        after = apply(case["before"], changes_of(case))
        assert after == case["after"]
        nbformat.validate(after)
    assert case["before"] == before, "the notebook that is given never changes"


@pytest.mark.parametrize("case", [case for case in CASES if "after" in case], ids=lambda case: str(case["name"]))
def test_merged_changes_make_the_same_notebook(case: dict[str, Any]) -> None:
    assert apply(case["before"], merge(changes_of(case))) == case["after"]


def test_there_are_refused_cases_and_others() -> None:
    assert len([case for case in CASES if "refused" in case]) >= 5
    assert len([case for case in CASES if "after" in case]) >= 10


IDS = st.sampled_from(["a", "b", "c", "d"])
CHANGES = st.lists(
    st.one_of(
        st.builds(InsertCell, cell_id=IDS, after=st.none() | IDS, cell_type=st.sampled_from(["code", "markdown"])),
        st.builds(AppendSource, cell_id=IDS, text=st.text(max_size=5)),
        st.builds(ReplaceSource, cell_id=IDS, source=st.text(max_size=5)),
        st.builds(DeleteCell, cell_id=IDS),
    ),
    max_size=12,
)


@settings(max_examples=300)
@given(CHANGES)
def test_merging_changes_nothing_about_the_outcome(changes: list[CellChange]) -> None:
    before = notebook(code("a", "x"), code("b", "y"))

    def outcome(some: tuple[CellChange, ...] | list[CellChange]) -> object:
        try:
            return apply(before, some)
        except NotebookError:
            return "refused"

    # An append of nothing disappears when merged, so one to a cell that does not exist is no longer refused.
    visible = [change for change in changes if not (isinstance(change, AppendSource) and not change.text)]
    assert outcome(merge(visible)) == outcome(visible)


def test_an_empty_append_does_not_part_the_appends_around_it():
    parts = [
        AppendSource(cell_id="b", text="0"),
        AppendSource(cell_id="a", text=""),
        AppendSource(cell_id="b", text="1"),
    ]
    assert merge(parts) == (AppendSource(cell_id="b", text="01"),)


@settings(max_examples=200)
@given(CHANGES)
def test_merging_twice_is_merging_once(changes: list[CellChange]) -> None:
    assert merge(merge(changes)) == merge(changes)


def test_appends_that_follow_each_other_are_one() -> None:
    a = AppendSource(cell_id="a", text="1")
    b = AppendSource(cell_id="b", text="2")
    replaced = ReplaceSource(cell_id="a", source="")
    assert merge([a, a, b, replaced, a, a]) == (
        AppendSource(cell_id="a", text="11"),
        b,
        replaced,
        AppendSource(cell_id="a", text="11"),
    )


def test_an_append_of_nothing_disappears() -> None:
    assert merge([AppendSource(cell_id="a", text=""), AppendSource(cell_id="a", text="")]) == ()


def test_a_refusal_names_the_change_and_what_to_do() -> None:
    with pytest.raises(NotebookError, match=r"Change 2 \(AppendSource\).*'nope'.*no change was made") as refused:
        apply(notebook(code("a", "x")), [AppendSource(cell_id="a", text="y"), AppendSource(cell_id="nope", text="z")])
    assert refused.value.remedy


def test_a_cell_id_that_nbformat_forbids_is_refused() -> None:
    for cell_id in ("", "a b", "ä", "x" * 65):
        with pytest.raises(NotebookError, match="no cell id"):
            apply(notebook(), [InsertCell(cell_id=cell_id)])


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (code("a", "x", metadata={"tags": "skip"}), "cell 1: metadata.tags must be array"),
        (
            code("a", "x", outputs=[{"output_type": "stream", "name": "stdout", "text": 5}]),
            "output 1 of cell 1: text must be a text or a list of texts",
        ),
        (
            code("a", "x", outputs=[{"output_type": "display_data", "data": {"text/plain": 5}, "metadata": {}}]),
            "output 1 of cell 1: data.text/plain must be a text or a list of texts",
        ),
        (
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "x", "attachments": 5},
            "cell 1: attachments must be object",
        ),
    ],
)
def test_the_field_that_is_not_valid_is_named(cell: dict[str, Any], said: str) -> None:
    with pytest.raises(NotebookError, match=said):
        apply(notebook(cell), [])


def test_a_notebook_that_is_not_valid_is_refused_before_any_change() -> None:
    broken = notebook(code("a", "x", outputs="none"))
    with pytest.raises(NotebookError, match="not valid"):
        apply(broken, [])
    with pytest.raises(NotebookError, match="same id"):
        apply(notebook(code("a", "x"), code("a", "y")), [])
    with pytest.raises(NotebookError, match="format 4"):
        apply({**notebook(), "nbformat": 3}, [])
    with pytest.raises(NotebookError, match=r"4\.5"):
        apply({**notebook(), "nbformat_minor": 4}, [])


# --- ids, cells and outputs -----------------------------------------------------------------------------------------


def test_cells_of_an_older_notebook_get_ids_that_stay_the_same() -> None:
    old = {**notebook({"cell_type": "markdown", "metadata": {}, "source": "t"}), "nbformat_minor": 2}
    old["cells"] *= 3
    new = with_ids(old)
    check(new)
    assert with_ids(old) == new
    assert "id" not in old["cells"][0]


def test_ids_that_are_there_stay() -> None:
    assert [cell["id"] for cell in with_ids(notebook(code("a", ""), code("b", "")))["cells"]] == ["a", "b"]  # type: ignore[union-attr,index,call-overload]


def test_double_and_forbidden_ids_are_replaced() -> None:
    check(with_ids(notebook(code("a", "x"), code("a", "x"), code("a b", "x"))))


def test_the_text_of_outputs_is_taken_along() -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]},
        {"output_type": "display_data", "metadata": {}, "data": {"image/png": "AA=="}},
        {
            "output_type": "execute_result",
            "execution_count": 3,
            "metadata": {},
            "data": {"text/plain": "\x1b[31m42\x1b[0m", "text/html": "<b>42</b>"},
        },
    ]
    (cell,) = cells_of(notebook(code("a", "x", outputs=outputs, execution_count=3)))
    assert (cell.outputs, cell.error, cell.execution_count) == ("1\n2\n42", "", 3)


def test_a_traceback_is_taken_along_without_its_colours() -> None:
    error = {
        "output_type": "error",
        "ename": "E",
        "evalue": "v",
        "traceback": ["\x1b[0;31mE\x1b[0m", "at line 1", "E: v"],
    }
    (cell,) = cells_of(notebook(code("a", "x", outputs=[error])))
    assert cell.error == "E\nat line 1\nE: v"
    (cell,) = cells_of(notebook(code("a", "x", outputs=[{**error, "traceback": []}])))
    assert cell.error == "E: v"


def test_long_outputs_lose_their_middle_and_long_tracebacks_their_beginning() -> None:
    text = "begin" + "x" * 10_000 + "end"
    stream = {"output_type": "stream", "name": "stdout", "text": text}
    error = {"output_type": "error", "ename": "E", "evalue": "v", "traceback": [text]}
    (cell,) = cells_of(notebook(code("a", "x", outputs=[stream, error])))
    assert cell.outputs.startswith("begin")
    assert cell.outputs.endswith("end")
    assert len(cell.outputs) < LONGEST_OUTPUT + 50
    assert cell.error.endswith("end")
    assert len(cell.error) == LONGEST_ERROR


def test_cells_keep_their_order_and_type() -> None:
    raw = {"id": "r", "cell_type": "raw", "metadata": {}, "source": "z"}
    markdown = {"id": "m", "cell_type": "markdown", "metadata": {}, "source": ["# a\n", "b"]}
    cells = cells_of(notebook(markdown, code("a", "x"), raw))
    assert [(cell.id, cell.cell_type, cell.source) for cell in cells] == [
        ("m", "markdown", "# a\nb"),
        ("a", "code", "x"),
        ("r", "raw", "z"),
    ]


# --- provenance -------------------------------------------------------------------------------------------------------


def test_provenance_tells_where_a_cell_is_from() -> None:
    finding = Finding(rule="sql-injection", severity="warn", line=1, message="secret words", remedy="more words")
    value = provenance(source="x", turn_id="t", model="m", prompt="p", at=1_700_000_000.5, findings=[finding])
    assert value == {
        "turn": "t",
        "model": "m",
        "prompt": "p",
        "time": "2023-11-14T22:13:20Z",
        "findings": [{"rule": "sql-injection", "severity": "warn"}],
        "hash": content_hash("x"),
    }


def test_a_cell_knows_whether_it_was_changed_since() -> None:
    value = provenance(source="x", turn_id="t", model="m", prompt="p", at=0)
    written = with_provenance(notebook(code("a", "x", metadata={"tags": ["k"]})), "a", value)
    check(written)
    cell: Any = written["cells"][0]  # type: ignore[index]
    assert cell["metadata"] == {"tags": ["k"], "spark": value}
    assert changed_since(cell) is False
    assert changed_since({**cell, "source": ["x\n", "y"]}) is True
    assert changed_since(code("a", "x")) is None
    assert changed_since(code("a", "x", metadata={"spark": "nonsense"})) is None


def test_provenance_for_a_cell_that_is_not_there_is_refused() -> None:
    with pytest.raises(NotebookError, match="nope"):
        with_provenance(notebook(), "nope", {})


def test_a_content_hash_is_sixteen_digits_of_sha256() -> None:
    assert content_hash("") == "e3b0c44298fc1c14"
    assert content_hash("\ud800") == content_hash("\ufffd"), "as a browser has it"


@pytest.mark.parametrize("fixture", KEPT, ids=[each["name"] for each in KEPT])
def test_where_a_cell_came_from_is_kept_as_the_browser_keeps_it(fixture: dict[str, Any]) -> None:
    turn = fixture["turn"]
    kept = provenance(
        source=fixture["source"],
        turn_id=turn["id"],
        model=turn["model"],
        prompt=turn["prompt"],
        at=fixture["at"],
        findings=msgspec.convert(fixture["findings"], list[Finding]),
    )
    assert kept == fixture["kept"]


@pytest.mark.parametrize("fixture", MERGES, ids=[each["name"] for each in MERGES])
def test_changes_become_fewer_and_the_same_as_in_the_browser(fixture: dict[str, Any]) -> None:
    changes = msgspec.convert(fixture["changes"], list[CellChange])
    assert msgspec.to_builtins([*merge(changes)]) == fixture["merged"]


def test_every_source_has_the_hash_that_the_browser_gives_it() -> None:
    fixtures = json.loads((FIXTURES / "hashes.json").read_text())
    assert [content_hash(each["source"]) for each in fixtures] == [each["hash"] for each in fixtures]


@pytest.mark.parametrize("sent", SENT, ids=[each["name"] for each in SENT])
def test_a_cell_is_sent_as_the_browser_sends_it(sent: dict[str, Any]) -> None:
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [sent["cell"]]}
    assert [msgspec.to_builtins(cell) for cell in cells_of(notebook)] == [sent["sent"]]
