"""Previews of data files: what a model must know of one before it reads it."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from pathlib import Path

import pytest

from spark_jupyter.reality.file_preview import preview, preview_files
from tests.proportion import assert_in_proportion

ORDERS = "Order ID,price,when,Qty,ok\n1,$2.50,2024-01-05,3,True\n2,n/a,2024-01-06,,False\n3,$1,2024-02-01,5,True\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "orders.csv").write_text(ORDERS, encoding="utf-8")
    return work


def test_a_csv_file_is_told_by_its_columns_their_types_and_three_rows(folder: Path) -> None:
    assert preview_files("clean orders.csv, please", folder=folder) == (
        f"orders.csv: {len(ORDERS)} bytes\n"
        "  \"Order ID\" int64: '1', '2', '3'\n"
        "  price str: '$2.50', 'n/a', '$1'\n"
        "  when str(dates): '2024-01-05', '2024-01-06', '2024-02-01'\n"
        "  Qty float64: '3', '', '5'\n"
        "  ok bool: 'True', 'False', 'True'"
    )


@pytest.mark.parametrize(
    "text",
    ['read "my data.csv"', "read 'my data.csv'", "pd.read_csv('my data.csv')", "see `my data.csv`"],
)
def test_a_name_with_blanks_is_read_where_it_is_quoted(folder: Path, text: str) -> None:
    (folder / "my data.csv").write_text("a;b\n1;x\n", encoding="utf-8")
    assert (
        preview_files(text, folder=folder) == "my data.csv: 8 bytes\n  separated by ';'\n  a int64: '1'\n  b str: 'x'"
    )


def test_a_name_with_blanks_needs_no_quotes_where_such_a_file_is_there(folder: Path) -> None:
    (folder / "my data.csv").write_text("a,b\n1,x\n", encoding="utf-8")
    (folder / "data.csv").write_text("c\n1\n", encoding="utf-8")
    assert preview_files("please load the file my data.csv", folder=folder).startswith("my data.csv: ")
    assert preview_files("load data.csv", folder=folder).startswith("data.csv: ")
    assert preview_files("load my orders.csv", folder=folder).startswith("orders.csv: ")


def test_many_names_in_a_line_are_looked_up_in_proportion_to_their_number(folder: Path) -> None:
    line = "word word word word word word data.csv "
    assert_in_proportion(lambda count: preview_files(line * count, folder=folder), 1_500)


def test_other_kinds_of_files_are_told_alike(folder: Path) -> None:
    with gzip.open(folder / "a.csv.gz", "wt", encoding="utf-8") as file:
        file.write("n\n1\n")
    (folder / "b.jsonl").write_text('{"n": 1, "s": "x"}\n{"n": 2}\n', encoding="utf-8")
    (folder / "c.json").write_text(json.dumps([{"n": 1.5}]), encoding="utf-8")
    (folder / "d.tsv").write_text("n\ts\n1\tx\n", encoding="utf-8")
    assert "  n int64: '1'" in preview("a.csv.gz", folder=folder)
    assert "  n int: 1, 2\n  s str: 'x', None" in preview("b.jsonl", folder=folder)
    assert "  list of 1\n  n float: 1.5" in preview("c.json", folder=folder)
    assert "  separated by '\\t'\n  n int64: '1'\n  s str: 'x'" in preview("d.tsv", folder=folder)


def test_the_tables_of_a_database_are_told_and_the_file_is_not_written(folder: Path) -> None:
    connection = sqlite3.connect(folder / "clinic.db")
    connection.execute("CREATE TABLE visits (patient_id INTEGER, day TEXT)")
    connection.execute("INSERT INTO visits VALUES (7, '2024-01-05')")
    connection.commit()
    connection.close()
    before = (folder / "clinic.db").stat().st_mtime_ns
    told = preview("clinic.db", folder=folder)
    assert told.endswith("  table visits\n    patient_id INTEGER: 7\n    day TEXT: '2024-01-05'")
    assert (folder / "clinic.db").stat().st_mtime_ns == before
    assert sorted(one.name for one in folder.iterdir()) == ["clinic.db", "orders.csv"]


def test_a_parquet_file_is_told(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame({"n": [1, 2], "s": ["x", "y"]}).to_parquet(folder / "t.parquet")
    assert "  2 rows\n  n int64: 1, 2\n  s " in preview("t.parquet", folder=folder)


def test_the_sheets_of_a_workbook_are_told(folder: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["n", "s"], [1, "x"], [2, "y"]):
        book.active.append(row)
    book.save(folder / "t.xlsx")
    assert "  sheet 'Sheet'\n    n int: 1, 2\n    s str: 'x', 'y'" in preview("t.xlsx", folder=folder)


def test_only_what_lies_below_the_folder_or_the_user_named_by_its_path_is_read(folder: Path) -> None:
    outside = folder.parent / "outside.csv"
    outside.write_text("secret\n1\n", encoding="utf-8")
    (folder / "link.csv").symlink_to(outside)
    for name in (str(outside), "../outside.csv", "link.csv"):
        assert preview_files(f"read '{name}'", folder=folder) == ""
    assert "secret" in preview_files(f"read {outside}", folder=folder, anywhere=True)
    assert "secret" in preview_files("read '../outside.csv'", folder=folder, anywhere=True)
    assert preview_files("read link.csv", folder=folder, anywhere=True) == "", "a link is not the path that it leads to"


def test_what_is_no_data_file_is_left_out(folder: Path) -> None:
    os.mkfifo(folder / "pipe.csv")
    (folder / "folder.csv").mkdir()
    for text in ("read nothing.csv", "read pipe.csv", "read folder.csv", "use @orders.csv", "x.csvy", "", "df.to_csv"):
        assert preview_files(text, folder=folder) == ""


def test_a_damaged_file_is_told_by_its_size(folder: Path) -> None:
    (folder / "bad.db").write_bytes(b"nonsense")
    (folder / "bad.json").write_bytes(b"{")
    (folder / "empty.csv").write_bytes(b"")
    assert preview("bad.db", folder=folder) == "bad.db: 8 bytes"
    assert preview("bad.json", folder=folder) == "bad.json: 1 bytes"
    assert preview("empty.csv", folder=folder) == "empty.csv: 0 bytes"


def test_a_large_file_is_read_at_its_beginning_only(folder: Path) -> None:
    (folder / "large.csv").write_text("n,s\n" + "1,x\n" * 200_000, encoding="utf-8")
    assert "  n int64: '1', '1', '1'" in preview("large.csv", folder=folder)


@pytest.mark.parametrize("text", ["open my csv file", "Öffne meine CSV-Datei", "load the CSV"])
def test_the_only_file_of_its_kind_is_told_and_of_several_the_names(folder: Path, text: str) -> None:
    (folder / ".hidden.csv").write_text("a\n1\n", encoding="utf-8")
    assert preview_files(text, folder=folder, anywhere=True) == preview_files("orders.csv", folder=folder)
    (folder / "more.csv").write_text("a\n1\n", encoding="utf-8")
    told = preview_files(text, folder=folder, anywhere=True)
    assert told == f"more.csv: 4 bytes\norders.csv: {len(ORDERS)} bytes", "whose values are no business of the model's"
    assert preview_files("read_csv(name)", folder=folder) == "", "code speaks of no file so"


def test_that_no_file_of_a_kind_is_there_is_told(folder: Path) -> None:
    assert preview_files("open my excel file", folder=folder, anywhere=True).startswith("*.xlsx: no such file")
    assert preview_files("excellent", folder=folder, anywhere=True) == ""
