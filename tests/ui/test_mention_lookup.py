"""Mentions in a prompt, looked up in a namespace, a notebook and a folder."""

from __future__ import annotations

import os
import sys

import pandas
import pytest

from spark_jupyter.exceptions import SessionError
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.ui.mention_lookup import completions, describe

FRAME = pandas.DataFrame({"price": [1, 2], "unit price": [3, 4]})
CELLS = (
    NotebookCell(id="a", source="1 + 1", outputs="2", execution_count=7),
    NotebookCell(id="b", source="1 / 0", error="ZeroDivisionError", execution_count=8),
)


def described(text, folder, *, cells=CELLS):
    return describe(Prompt(turn_id="t", text=text, cells=cells), {"df": FRAME, "n": 3}, folder=folder)


def test_a_table_and_a_file_go_along_in_detail(tmp_path):
    (tmp_path / "sales.csv").write_text("day,amount\n1,2\n")
    text = described("join @df with @sales.csv", tmp_path)
    assert "'price' int64: 1, 2" in text
    assert "sales.csv: 15 bytes, its first lines:\nday,amount\n1,2" in text


def test_a_cell_goes_along_with_its_output(tmp_path):
    assert "1 + 1\nIts output:\n2" in described("like @cell 1", tmp_path)
    assert "1 / 0\nIts error:\nZeroDivisionError" in described("what does @output say", tmp_path)


def test_where_only_a_history_is_known_a_cells_number_is_its_input(tmp_path):
    history = (NotebookCell(id="in-4", source="x = 4"), NotebookCell(id="in-5", source="x = 5"))
    assert "x = 5" in described("like @cell 5", tmp_path, cells=history)
    with pytest.raises(SessionError, match="no cell 1"):
        described("like @cell 1", tmp_path, cells=history)


def test_what_is_no_name_and_no_file_is_a_word(tmp_path):
    assert described("use @property and @app.route('/x')", tmp_path) == ""
    assert described("an extension that needs @jupyterlab/notebook", tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@cell 9", "no cell 9"),
        ("@df.prise", "Did you mean 'price'"),
        ("@nowhere.csv", "can't be read"),
        ("@pipe.csv", "no ordinary file"),
        ('@"sales\0.csv"', "can't be read"),
    ],
)
def test_what_is_not_there_is_said(tmp_path, text, said):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(SessionError, match=said):
        described(text, tmp_path)


def test_a_large_or_binary_file_is_read_to_a_bound(tmp_path):
    (tmp_path / "big.csv").write_text("a,b\n" * 1_000_000)
    (tmp_path / "table.parquet").write_bytes(b"PAR1\0\0")
    assert len(described("@big.csv", tmp_path)) < 5_000
    assert described("@table.parquet", tmp_path) == "@table.parquet\ntable.parquet: 6 bytes"


def test_completions_are_tables_columns_and_files(tmp_path):
    (tmp_path / "sales.csv").write_text("")
    (tmp_path / "secret").write_text("")
    namespace = {"os": os, "clean": lambda: None, "n": 3, "df": FRAME}
    shown = ["df", "n", "sales.csv", "cell ", "output", "error", "figure", "clean", "os"]
    assert completions("", namespace, folder=tmp_path) == shown
    assert completions("df.", namespace, folder=tmp_path) == ["df.price", 'df["unit price"]']
    assert completions("sa", namespace, folder=tmp_path) == ["sales.csv"]


METACLASS = {
    "equality": {"__eq__": lambda cls, other: sys.exit(3), "__hash__": type.__hash__},
    "hash": {"__hash__": lambda cls: sys.exit(3)},
    "attributes": {"__getattribute__": lambda cls, name: sys.exit(3)},
}


@pytest.mark.parametrize("body", METACLASS.values(), ids=METACLASS)
def test_a_value_whose_metaclass_ends_the_program_is_named_by_its_class(tmp_path, body):
    odd = object.__new__(type.__new__(type("Meta", (type,), body), "Odd", (), {}))
    namespace = {
        "odd": odd,
        "df": pandas.DataFrame({"a": [odd, 1]}),
        "box": [odd],
        "keyed": {"k": odd},
        "both": (odd, 2),
    }
    text = describe(Prompt(turn_id="t", text="@odd @df @box @keyed @both"), namespace, folder=tmp_path)
    assert "odd: Odd" in text
    assert "object: Odd, 1" in text
    assert text.count("Odd") >= 5
