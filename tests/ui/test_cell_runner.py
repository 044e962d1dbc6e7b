"""Messages of a kernel that runs a cell → the cell's outputs, as nbformat has them."""

from __future__ import annotations

import nbformat
import pytest

from spark_jupyter.ui.cell_runner import MOST_TEXT, Collected


def stream(text, name="stdout"):
    return {"msg_type": "stream", "content": {"name": name, "text": text}}


def display(text, display_id=None, kind="display_data"):
    transient = {"display_id": display_id} if display_id else {}
    return {"msg_type": kind, "content": {"data": {"text/plain": text}, "metadata": {}, "transient": transient}}


def clear(*, wait):
    return {"msg_type": "clear_output", "content": {"wait": wait}}


def collected(*messages):
    outputs = Collected()
    for message in messages:
        outputs.receive(message)
    return outputs.outputs


def shown(*messages):
    return [one.get("text") or one["data"]["text/plain"] for one in collected(*messages)]


def test_neighbouring_pieces_of_a_stream_are_one_output():
    assert shown(stream("a"), stream("b"), stream("c", "stderr"), stream("d")) == ["ab", "c", "d"]


def test_a_display_is_updated_where_it_stands():
    assert shown(display("old", "d"), stream("x"), display("new", "d", "update_display_data")) == ["new", "x"]


def test_an_update_of_a_display_elsewhere_is_no_output_of_this_cell():
    assert shown(display("new", "other", "update_display_data")) == []


@pytest.mark.parametrize(("wait", "left"), [(False, []), (True, ["a"])])
def test_output_is_cleared_at_once_or_when_the_next_comes(wait, left):
    assert shown(stream("a"), clear(wait=wait)) == left
    assert shown(stream("a"), clear(wait=wait), stream("b")) == ["b"]
    assert shown(display("a", "d"), clear(wait=wait), display("b")) == ["b"]


def test_a_cleared_display_is_not_updated():
    assert shown(display("a", "d"), clear(wait=False), stream("x"), display("b", "d", "update_display_data")) == ["x"]


def test_of_a_stream_without_end_the_end_is_kept():
    text = shown(stream("first"), *[stream("x" * 1000)] * (MOST_TEXT // 1000), stream("last"))[0]
    assert len(text) == MOST_TEXT
    assert text.endswith("last")


def test_status_messages_show_nothing():
    assert collected({"msg_type": "status", "content": {"execution_state": "busy"}}) == ()


def test_the_outputs_are_valid_in_a_notebook():
    error = {"ename": "E", "evalue": "e", "traceback": ["t"]}
    result = {"data": {"text/plain": "1"}, "metadata": {}, "execution_count": 3}
    outputs = collected(
        stream("a"),
        display("b", "d"),
        {"msg_type": "execute_result", "content": result},
        {"msg_type": "error", "content": error},
    )
    cell = nbformat.v4.new_code_cell(outputs=[nbformat.from_dict(one) for one in outputs])
    nbformat.validate(nbformat.v4.new_notebook(cells=[cell]))
