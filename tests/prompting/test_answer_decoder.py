"""The decoder: every answer has its defined outcome, and every way of cutting it gives the same one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_jupyter.prompting.answer_decoder import AnswerDecoder
from spark_jupyter.prompting.answer_items import CellClosed, CellOpened, Change, Complaint, DraftCell, Note, StreamItem
from spark_jupyter.protocol.values import AppendSource, InsertCell, ReplaceSource, Target
from tests.prompting.streams import cells, changes, decode, decoder, normal

ANSWERS = [
    json.loads(path.read_text()) for path in sorted((Path(__file__).parents[1] / "fixtures/answers").glob("*.json"))
]

NAMES = [f"{answer['style']}: {answer['name']}" for answer in ANSWERS]


def complaints(items: Iterable[StreamItem]) -> list[str]:
    return [item.code for item in items if isinstance(item, Complaint)]


# --- The corpus ------------------------------------------------------------------------------------------------------


def test_the_corpus_has_answers_of_every_style() -> None:
    assert len(ANSWERS) >= 60
    assert {answer["style"] for answer in ANSWERS} == {"well-formed", "careless", "hostile"}


@pytest.mark.parametrize("answer", ANSWERS, ids=NAMES)
def test_an_answer_has_its_defined_outcome(answer: dict[str, Any]) -> None:
    items = decode(decoder(answer), [answer["answer"]])
    assert normal(items)[0] == answer["notes"]
    assert cells(items) == answer["cells"]
    assert complaints(items) == answer.get("complaints", [])


@pytest.mark.parametrize("answer", ANSWERS, ids=NAMES)
def test_every_single_cut_gives_the_same_changes(answer: dict[str, Any]) -> None:
    text = answer["answer"]
    whole = normal(decode(decoder(answer), [text]))
    step = 1 if len(text) < 2_000 else 97
    for cut in range(0, len(text) + 1, step):
        assert normal(decode(decoder(answer), [text[:cut], text[cut:]])) == whole, f"cut at {cut}: {text[:cut]!r}"


@pytest.mark.parametrize("answer", ANSWERS, ids=NAMES)
def test_one_character_at_a_time_gives_the_same_changes(answer: dict[str, Any]) -> None:
    text = answer["answer"]
    assert normal(decode(decoder(answer), text)) == normal(decode(decoder(answer), [text]))


@pytest.mark.parametrize("answer", [answer for answer in ANSWERS if len(answer["answer"]) <= 40], ids=str)
def test_every_two_cuts_of_a_short_answer_give_the_same_changes(answer: dict[str, Any]) -> None:
    text = answer["answer"]
    whole = normal(decode(decoder(answer), [text]))
    for first in range(len(text) + 1):
        for second in range(first, len(text) + 1):
            deltas = [text[:first], text[first:second], text[second:]]
            assert normal(decode(decoder(answer), deltas)) == whole, deltas


def pieces(text: str, cuts: Iterable[int]) -> list[str]:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    return [text[start:end] for start, end in itertools.pairwise(places)]


@settings(max_examples=150)
@given(st.sampled_from(ANSWERS), st.lists(st.integers(0, 300)))
def test_any_cuts_give_the_same_changes(answer: dict[str, Any], cuts: list[int]) -> None:
    deltas = pieces(answer["answer"], cuts)
    assert normal(decode(decoder(answer), deltas)) == normal(decode(decoder(answer), [answer["answer"]]))


SCRAPS = [
    "```", "```python", "```markdown", "```bash", "``", "`", "~~~", "````", "~~~python", "\n", "\n", "\n", "\r", "\r\n", " ", "    ",
    '"""', "'''", "'", '"', "#", "\\", "x = 1", "import os", "The word is", "cell=a", " cell=nope", "continue", "- ", "> ", "1. ",
    "\ud83d", "\ude00", "\ufeff", "\x00", "f(", ")", "%%bash", "é",
]  # fmt: skip


@settings(max_examples=400)
@given(st.lists(st.sampled_from(SCRAPS), max_size=30), st.lists(st.integers(0, 120)), st.booleans())
def test_any_text_gives_the_same_changes_however_it_is_cut(scraps: list[str], cuts: list[int], editing: bool) -> None:
    text = "".join(scraps)
    setup = {"known": {"a": "x = 1"}, "target": {"edit": "a"} if editing else {}}
    whole = normal(decode(decoder(setup), [text]))
    assert normal(decode(decoder(setup), pieces(text, cuts))) == whole
    assert normal(decode(decoder(setup), text)) == whole


@settings(max_examples=200)
@given(st.lists(st.sampled_from(SCRAPS), max_size=30), st.lists(st.integers(0, 120)))
def test_an_answer_after_a_steer_gives_the_same_changes_however_it_is_cut(scraps: list[str], cuts: list[int]) -> None:
    text = "".join(scraps)
    previous = [
        DraftCell("p-1", source="import os\nx = 1"),
        DraftCell("p-2", cell_type="markdown", source="The word is"),
        DraftCell("a", kind="edit", base="x = 1", source="x = 1\nf("),
    ]
    setup = {"known": {"a": "x = 1"}}
    whole = normal(decode(decoder(setup, previous=previous), [text]))
    assert normal(decode(decoder(setup, previous=previous), pieces(text, cuts))) == whole
    assert normal(decode(decoder(setup, previous=previous), text)) == whole


PROSE = ["Now comes PROSE text.", "See PROSE here:", "- a PROSE item", "PROSE", "**PROSE** and `code`"]

CODE = ["x = CODE", "def f():\n    return CODE", "# CODE", "s = '''\nCODE\n```\nCODE\n```\n'''", 'print("CODE ` ``")']

OPENINGS = ["```python", "```py", "``` Python3", "~~~python", "````python", "```{python}", '```python title="x"']


# --- Nothing is lost, nothing is misplaced --------------------------------------------------------------------------


@settings(max_examples=300)
@given(
    st.lists(st.one_of(st.sampled_from(PROSE), st.tuples(st.sampled_from(OPENINGS), st.sampled_from(CODE)))),
    st.sampled_from(["\n", "\r\n"]),
)
def test_prose_never_reaches_a_code_cell_and_code_always_does(
    parts: list[str | tuple[str, str]], line_end: str
) -> None:
    lines: list[str] = []
    for part in parts:
        if isinstance(part, str):
            lines.append(part)
        else:
            fence = part[0][: len(part[0]) - len(part[0].lstrip("`~"))]
            lines += [part[0], part[1], fence]
    text = "".join(line.replace("\n", line_end) + line_end for line in lines)
    items = decode(decoder(), [text])
    assert normal(items)[0] == "".join(part + "\n" for part in parts if isinstance(part, str))
    written: list[str] = []
    for source in (part[1] for part in parts if not isinstance(part, str)):
        if source not in written or source.count("\n") < 2:  # a longer one that is repeated lands once
            written.append(source)
    assert [cell[3] for cell in cells(items)] == written


@settings(max_examples=200)
@given(st.lists(st.sampled_from(SCRAPS), max_size=40))
def test_no_word_of_an_answer_is_lost(scraps: list[str]) -> None:
    text = " ".join(scraps)
    items = decode(decoder(), [text])
    told = normal(items)[0] + "".join(cell[3] for cell in cells(items))
    for word in ("x = 1", "import os", "The word is", "%%bash"):
        in_info = sum(
            line.lstrip(" `~->1.").count(word) for line in text.splitlines() if "```" in line or "~~~" in line
        )
        assert text.count(word) - in_info <= told.count(word) <= text.count(word)


def test_two_halves_of_a_surrogate_pair_are_one_character_however_they_come() -> None:
    high, low = "\ud83d", "\ude00"
    for deltas in ([f"Hi {high}{low}\n"], [f"Hi {high}", f"{low}\n"], [f"Hi {high}", "", low, "\n"]):
        assert normal(decode(decoder(), deltas))[0] == "Hi 😀\n"


STRINGS = {
    "after one wrong doubt every bare fence ends its block": (
        "```python\nx = '''\n```\nSome prose.\n```python\ny = '''\n```\nMore prose\n'''\n",
        "Some prose.\nMore prose\n'''\n",
        ["x = '''", "y = '''"],
    ),
    "a fence that was open in one string is not open in the next": (
        "```python\na = '''\n```python\n'''\nb = '''\n```\nSome prose.\n",
        "Some prose.\n",
        ["a = '''\n```python\n'''\nb = '''"],
    ),
    "a string in single quotes never holds a fence": (
        "```python\nx = 'a\\\n```\nIt's some prose.\n",
        "It's some prose.\n",
        ["x = 'a\\"],
    ),
    "three quotes can end a string and be another": (
        '```python\nx = "a"""```\nSome prose.\n',
        "Some prose.\n",
        ['x = "a"""'],
    ),
    "a backslash carries a string over the line": (
        "```python\nx = 'a\\\n'''\n```\nThe end of ''' it.\n",
        "The end of ''' it.\n",
        ["x = 'a\\\n'''"],
    ),
}


@pytest.mark.parametrize(("text", "notes", "sources"), STRINGS.values(), ids=list(STRINGS))
def test_strings_are_followed_from_line_to_line(text: str, notes: str, sources: list[str]) -> None:
    items = decode(decoder(), [text])
    assert (normal(items)[0], [cell[3] for cell in cells(items)]) == (notes, sources)


@pytest.mark.parametrize(
    "line",
    ["%pip install pandas numpy", "!ls some folder", "print('these are words')", "# these are words", "x = f'the end'"],
)
def test_a_line_of_code_without_a_fence_is_not_taken_for_prose(line: str) -> None:
    items = decode(decoder(), [f"import os\n{line}\nx = 1\n"])
    assert [cell[3] for cell in cells(items)] == [f"import os\n{line}\nx = 1"]


@pytest.mark.parametrize(
    "line", ["1. Loading", "**Loading** it", "- Loading", "> Loading", "Let's load it", "So it is."]
)
def test_prose_ends_code_without_a_fence(line: str) -> None:
    items = decode(decoder(), [f"import os\n{line}\n"])
    assert (normal(items)[0], [cell[3] for cell in cells(items)]) == (f"{line}\n", ["import os"])


def test_prose_in_a_bare_block_does_not_become_code_because_a_cell_is_edited() -> None:
    for types in ({}, {"a": "markdown"}):
        answer = {"known": {"a": "x"}, "types": types, "target": {"edit": "a"}}
        assert cells(decode(decoder(answer), ["```\nThe words are prose.\n```\n"])) == []


def test_a_comment_is_prose_when_a_markdown_cell_is_edited() -> None:
    answer = {"known": {"m": "# T"}, "types": {"m": "markdown"}, "target": {"edit": "m"}}
    assert cells(decode(decoder(answer), ["# T\nHello there.\n"])) == []


def test_inline_code_in_three_backticks_opens_nothing_in_a_markdown_cell() -> None:
    items = decode(decoder(), ["```markdown\n```df``` is a table\n```\nend\n"])
    assert (normal(items)[0], cells(items)[0][3]) == ("end\n", "```df``` is a table")


def test_a_line_is_told_before_it_ends() -> None:
    made = decoder()
    made.decode("```python\n")
    assert normal(made.decode("x = lon"))[1][-1] == Change(AppendSource(cell_id="t-1", text="x = lon"))
    assert made.decode("g_name") == [Change(AppendSource(cell_id="t-1", text="g_name"))]


def test_only_what_may_be_a_fence_is_held_back() -> None:
    made = decoder()
    made.decode("```python\nx")
    assert made.decode("\n") == []
    assert made.decode("`") == []
    assert made.decode("`") == []
    assert made.decode("a") == [Change(AppendSource(cell_id="t-1", text="\n``a"))]


def test_prose_is_told_before_its_line_ends() -> None:
    made = decoder()
    made.decode("First line.\n")
    assert made.decode("The next") == [Note("The next")]


def test_new_cells_go_below_each_other_and_below_the_target() -> None:
    text = "```python\na\n```\n```python cell=one\nq\n```\n```python\nb\n```\n"
    known = {"one": "", "two": ""}
    items = decode(AnswerDecoder("t", target=Target(after="one"), known_cells=known), [text])
    inserted = [item.change for item in items if isinstance(item, Change) and isinstance(item.change, InsertCell)]
    assert [(change.cell_id, change.after) for change in inserted] == [("t-1", "one"), ("t-2", "t-1")]


def test_without_a_target_new_cells_go_to_the_end() -> None:
    items = decode(AnswerDecoder("t", target=Target(), known_cells={"one": "", "two": ""}), ["```python\na\n```"])
    assert Change(InsertCell(cell_id="t-1", after="two")) in items
    items = decode(AnswerDecoder("t", target=Target(), known_cells={}), ["```python\na\n```"])
    assert Change(InsertCell(cell_id="t-1", after=None)) in items


@pytest.mark.parametrize("target", [{"edit": "a"}, {"reuse": "a"}])
def test_new_cells_go_below_the_cell_that_is_edited_or_reused(target: dict[str, str]) -> None:
    answer = {"known": {"a": "", "b": ""}, "target": target}
    items = decode(decoder(answer), ["```python\nx\n```\n```python\ny\n```\n"])
    assert InsertCell(cell_id="t-1", after="a") in changes(items)


def test_blanks_in_a_cell_that_is_reused_are_taken_out_first() -> None:
    items = decode(decoder({"known": {"e": " \n"}, "target": {"reuse": "e"}}), ["```python\nx\n```"])
    assert changes(items) == [ReplaceSource(cell_id="e", source=""), AppendSource(cell_id="e", text="x")]


def test_an_edit_tells_the_source_that_it_starts_from() -> None:
    items = decode(decoder({"known": {"a": "x = 1"}}), ["```python cell=a\nx = 2\n```"])
    assert items[0] == CellOpened(cell_id="a", kind="edit", cell_type="code", base="x = 1")


def test_a_cell_is_closed_once_and_last() -> None:
    items = decode(decoder(), ["```python\nx\n```\n```python\ny"])
    assert [item for item in items if isinstance(item, CellClosed)] == [CellClosed("t-1"), CellClosed("t-2")]
    assert items[-1] == CellClosed("t-2")


LINES = {
    "a long line of code": "```python\nx = '" + "a" * 20_000,
    "a long line of prose": "word " * 4_000,
    "a long line of backticks": "x" + "`" * 20_000,
    "a long line of blanks": "```python\n" + " " * 20_000,
    "many fences": "```python\n```\n" * 1_500,
    "many open strings": "```python\nx = '''\n```\n" * 1_000,
    "many fences in a string": "```python\nx = '''\n" + "```\n" * 5_000,
    "many runs of backticks": "```python\n" + "x``` `` ` " * 2_000,
    "many backslashes": "```python\nx = '" + "\\" * 20_000 + "\n",
    "a long fence": "```" + "y" * 20_000,
    "many quotes": "```python\n" + "'\"" * 10_000 + "\n",
    "many carriage returns": "\r" * 20_000,
    "many surrogates": "\ud83d" * 20_000,
    "many list markers": "- " * 10_000,
    "many sentences in code": "```python\n" + "This is a sentence and no code\n" * 600,
    "sentences in code that end as code": "```python\n" + "This is a line that ends = 1\n" * 600,
    "a long sentence in code": "```python\nThis " + "word " * 4_000,
    "many tokens of a chat": "```python\n" + "<|im_end|>" * 2_000,
    "many tokens in a string": "```python\nx = '" + "<|im_end|>" * 2_000,
    "many beginnings of tokens": "```python\n" + "<|<" * 6_000,
    "many markers": "```python\nx = 1\n" + "###\n" * 5_000,
    "many prose lines with backticks": "see `x` and ``y\n" * 1_200,
}


# --- Work ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", LINES.values(), ids=list(LINES))
@pytest.mark.parametrize("size", [1, 7, 1_000_000])
def test_the_work_is_linear_in_the_text(text: str, size: int) -> None:
    made = decoder()
    decode(made, [text[start : start + size] for start in range(0, len(text), size)])
    assert made.visited <= 4 * len(text) + 2_000


def test_a_line_of_a_megabyte_arrives_whole() -> None:
    line = "x = '" + "ab" * 500_000 + "'"
    text = f"```python\n{line}\n```\nend\n"
    deltas = [text[start : start + 4096] for start in range(0, len(text), 4096)]
    items = decode(decoder(), deltas)
    assert cells(items) == [["t-1", "insert", "code", line]]
    assert normal(items)[0] == "end\n"
