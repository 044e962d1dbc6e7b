"""Alternatives, repeated blocks and drafts in an answer: what lands once and what becomes a note."""

from __future__ import annotations

import pytest

from spark_jupyter.prompting.answer_decoder import AnswerDecoder
from spark_jupyter.prompting.answer_items import CellOpened
from spark_jupyter.protocol.values import Target
from tests.prompting.streams import cells, decode, decoder, normal


def test_a_block_that_is_repeated_lands_once():
    block = "```python\na = 1\nb = 2\nprint(a + b)\n```\n"
    last = "```python\nc = 3\n```\n"
    for size in (1, 7, 1_000):
        text = f"A draft:\n{block}Here it is in full:\n{block}{last}"
        items = decode(decoder(), [text[at : at + size] for at in range(0, len(text), size)])
        assert [cell[3] for cell in cells(items)] == ["a = 1\nb = 2\nprint(a + b)", "c = 3"]
        (opened,) = [item for item in items if isinstance(item, CellOpened) and item.cell_id == "t-3"]
        assert opened.after == "t-1"


def test_a_short_block_may_be_meant_twice():
    items = decode(
        decoder(), ["```python\ndf.head()\n```\n```python\ndf = df.dropna()\n```\n```python\ndf.head()\n```\n"]
    )
    assert [cell[3] for cell in cells(items)] == ["df.head()", "df = df.dropna()", "df.head()"]


# --- Alternatives and drafts -------------------------------------------------------------------------------------------

FIRST, SECOND = "df.groupby('a').sum()", "df.pivot_table(index='a')"


def landed(*parts: str, several: bool = False) -> tuple[str, list[str]]:
    """The notes, and what stands in the cells, of an answer that came as a whole and character by character."""
    text = "\n\n".join(parts)
    made = [AnswerDecoder("t", target=Target(), known_cells={}, several=several) for _ in range(2)]
    whole = decode(made[0], [text])
    assert normal(decode(made[1], text)) == normal(whole)
    return normal(whole)[0], [source.strip("\n") for *_, source in cells(whole)]


def block(source: str) -> str:
    return f"```python\n{source}\n```"


@pytest.mark.parametrize(
    "between",
    [
        "Alternatively, with a pivot table:",
        "This gives the sums. Another option is a pivot table:",
        "### Option 2: pivot table",
        "**Option B**\n\nA pivot table keeps the index:",
        "Or, if you prefer pivot tables:",
        "If you'd rather have a pivot table:",
        "Or with `pivot_table`:",
    ],
)
def test_of_two_alternatives_the_first_lands_and_the_other_is_told_in_a_note(between: str) -> None:
    notes, sources = landed("Two ways.", block(FIRST), between, block(SECOND), "Done.")
    assert sources == [FIRST]
    assert f"```python\n{SECOND}\n```\n" in notes
    assert notes.rstrip().endswith("Done.")


@pytest.mark.parametrize(
    "between",
    [
        "Alternatively (recommended):",
        "### Option 2 (recommended)\n\nIt is faster:",
        "Or with a pivot table, and I'd use that:",
    ],
)
def test_the_alternative_that_the_answer_recommends_lands(between: str) -> None:
    notes, sources = landed(block(FIRST), between, block(SECOND))
    assert sources == [SECOND]
    assert FIRST in notes


def test_an_alternative_that_is_recommended_in_the_end_lands() -> None:
    notes, sources = landed(
        block(FIRST), "Alternatively:", block(SECOND), "I'd recommend the second one for large tables."
    )
    assert sources == [SECOND]
    assert FIRST in notes


@pytest.mark.parametrize(
    "between",
    [
        "Then the plot:",
        "Alternatively one could use duckdb, which I leave out.\n\nNow the plot:",
        "Orders without a customer stay.",
        "Another way to look at it is by month:",
        "For the second option of the select box:",
        "",
    ],
)
def test_a_further_cell_is_no_alternative(between: str) -> None:
    assert landed(block(FIRST), between, block(SECOND))[1] == [FIRST, SECOND]


def test_alternatives_that_were_asked_for_all_land() -> None:
    assert landed(block(FIRST), "Option 2:", block(SECOND), several=True)[1] == [FIRST, SECOND]


def test_an_alternative_for_a_cell_does_not_replace_its_edit() -> None:
    made = AnswerDecoder("t", target=Target(edit="a"), known_cells={"a": "x"})
    text = f"```python cell=a\n{FIRST}\n```\n\nAlternatively:\n\n```python cell=a\n{SECOND}\n```\n"
    assert [source for *_, source in cells(decode(made, [text]))] == [FIRST]


def test_a_corrected_version_takes_the_place_of_its_draft() -> None:
    draft = "import pandas as pd\ndf = pd.read_csv('a.csv')\ndf.summ()"
    final = draft.replace("summ", "sum")
    notes, sources = landed("A draft:", block(draft), "Wait, there is no summ. The corrected version:", block(final))
    assert sources == [final]
    assert "read_csv" not in notes
    assert landed(block(draft), "The final version of the plot:", block(SECOND))[1] == [draft, SECOND]


def test_the_whole_code_at_the_end_takes_the_place_of_its_parts() -> None:
    one, two = "a = 1\nb = 2", "c = a + b\nprint(c)"
    assert landed(block(one), "Then:", block(two), "Here is the complete code:", block(f"{one}\n{two}"))[1] == [
        f"{one}\n{two}"
    ]
