"""Next edits by a model: when it is asked, and what of its answer may be offered."""

from __future__ import annotations

import re

import pytest

from spark_jupyter.protocol.next_edit_messages import Edited
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.refactoring.changes import Changes
from spark_jupyter.refactoring.follow_up_edits import follow
from spark_jupyter.refactoring.model_edits import parsed_changes, question

from .edits import needing_none

READS = ('orders = pd.read_csv("data/orders.csv")', 'print("rows of orders")', 'copy = Path("data/orders.csv").stat()')
NOW = ('orders = pd.read_parquet("data/orders.parquet")', *READS[1:])
ANSWER = '@@ 3\n-copy = Path("data/orders.csv").stat()\n+copy = Path("data/orders.parquet").stat()\n'


def cells(sources: tuple[str, ...]) -> tuple[NotebookCell, ...]:
    return tuple(NotebookCell(id=f"c{number}", source=source) for number, source in enumerate(sources))


def offered(said: str, now: tuple[str, ...] = NOW, before: str = READS[0]) -> Changes | None:
    edited = Edited(cell_id="c0", before=before)
    asked = question(cells(now), edited)
    return parsed_changes(said, asked) if asked is not None else None


def test_it_is_asked_about_the_cells_that_name_what_the_edit_took_away():
    asked = question(cells(NOW), Edited(cell_id="c0", before=READS[0]))
    assert asked is not None
    assert list(asked.cells) == [3]
    assert '-orders = pd.read_csv("data/orders.csv")\n+orders = pd.read_parquet("data/orders.parquet")' in asked.text
    assert READS[1] not in asked.text


@pytest.mark.parametrize(
    "said",
    [
        ANSWER.replace("@@ 3", f"@@ {'3' * 5000}"),
        *(
            ANSWER.replace(".stat()\n", f".stat(){end}\n")
            for end in ("\x0c", "\u2028", "\r\r", "\x00", "  # \u202ex", "  # \u200b")
        ),
        ANSWER.removesuffix("\n") + " " * 300 + "; copy = 0\n",
    ],
)
def test_what_nobody_sees_is_not_offered_and_breaks_nothing(said):
    assert offered(said) is None


def test_what_follows_the_edit_is_offered():
    changes = offered(f"These must change:\n{ANSWER}")
    assert changes is not None
    assert changes.sources == {"c2": 'copy = Path("data/orders.parquet").stat()'}
    assert changes.by_model


@pytest.mark.parametrize(
    "said",
    [
        "NOTHING",
        "",
        ANSWER.replace("@@ 3", "@@ 2"),
        ANSWER.replace("@@ 3", "@@ 99999999999999999999"),
        ANSWER.replace("-copy", "-kopy"),
        ANSWER.replace("parquet", "xlsx"),
        ANSWER.replace('+copy = Path("data/orders.parquet").stat()', '+shutil.rmtree("data/orders.parquet")'),
        ANSWER.replace(".stat()\n+", ".stat()\n+    "),
        ANSWER.replace('parquet").stat()', 'parquet".stat()'),
        ANSWER.replace("+copy", "+SPARK_SECRET_1 = copy"),
        f"{ANSWER}@@ 2\n-{READS[1]}\n+print('lines of orders')\n",
        ANSWER.replace("+copy", "+more\n+copy"),
    ],
)
def test_nothing_else_is(said):
    assert offered(said) is None


@pytest.mark.parametrize("now", ['orders = pd.read_csv("data/orders.csv")\nprint(1)', "", "orders = pd.read_parquet("])
def test_it_is_not_asked_where_nothing_was_exchanged_or_the_cell_does_not_parse(now):
    assert question(cells((now, *READS[1:])), Edited(cell_id="c0", before=READS[0])) is None


def eager(text: str) -> str:
    """A model that always finds something: it says the edit once more, wherever it can."""
    taken, brought = (re.findall(rf"(?m)^\{sign}(.*)$", text.partition("## The cells")[0]) for sign in "-+")
    pairs = [
        (old, new)
        for old, new in zip(re.findall(r"\w+", "\n".join(taken)), re.findall(r"\w+", "\n".join(brought)), strict=False)
        if old != new
    ]
    said = []
    for block in re.split(r"(?m)^@@ ", text.partition("## The cells")[2])[1:]:
        number, _, source = block.partition("\n")
        for line in source.strip().split("\n"):
            for old, new in pairs:
                if (other := re.sub(rf"\b{re.escape(old)}\b", new, line)) != line:
                    said.append(f"@@ {number}\n-{line}\n+{other}\n")
                    break
    return "".join(said)


def test_an_eager_model_is_kept_silent_where_nothing_is_to_do():
    """The bar is 3 % of at least 200 edits of our own, whatever the model is like; with the syntax trees' own offers."""
    edits = needing_none()
    noise = []
    for edit in edits:
        book = cells(edit.cells)
        edited = Edited(cell_id=f"c{edit.at}", before=edit.before)
        asked = question(book, edited) if follow(book, edited.cell_id, edit.before) is None else None
        if asked is not None and parsed_changes(eager(asked.text), asked) is not None:
            noise.append(edit.name)
    assert len(edits) >= 200
    assert len(noise) <= 0.03 * len(edits), (len(noise), noise)
