"""Context of a completion: small, in an order that changes seldom, without secrets."""

from __future__ import annotations

from itertools import pairwise

from spark_jupyter.completions.cell_context import nearby
from spark_jupyter.completions.completion_request import CURSOR, request
from spark_jupyter.completions.situation import Situation, hidden
from spark_jupyter.prompting.budget import estimate_tokens
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import Priority
from spark_jupyter.redaction.redactor import Redactor


def cell(number: int) -> NotebookCell:
    body = "    a += 1\n" * 30
    head = f"import lib{number}\n\ndef help{number}(a):\n    '''Says {number}.'''\n"
    return NotebookCell(id=f"c{number}", source=f"{head}{body}\nx{number} = help{number}(1)")


BIG = tuple(cell(number) for number in range(60))


def said(situation: Situation) -> str:
    return request(situation, model="m").input[0].text


def test_of_a_large_notebook_go_less_than_two_thousand_tokens():
    situation = Situation(
        before="y = help3(" + "x" * 9000 + "\n" + "z = 1\n" * 900,
        after="w = 2\n" * 900,
        above=BIG[:50],
        below=BIG[50:],
        tables="t: DataFrame\n" * 80,
    )
    asked = request(situation, model="m")
    assert estimate_tokens(asked.instructions + asked.input[0].text) < 2_000
    assert asked.infill is not None
    assert estimate_tokens(asked.infill.before + asked.infill.suffix) < 2_000
    assert asked.priority is Priority.COMPLETION


def test_imports_of_all_cells_and_the_cells_right_above_go_along():
    text = said(Situation(before="y = ", above=BIG))
    assert "import lib0\n" in text
    assert "x59 = help59(1)" in text
    assert "x3 = help3(1)" not in text


def test_what_a_cell_right_above_imports_is_said_once_though_cells_between_are_empty():
    above = tuple(NotebookCell(id=f"c{number}", source=text) for number, text in enumerate(["import os", "", "x = 1"]))
    assert said(Situation(before="y = ", above=above)).count("import os") == 1


def test_of_a_line_that_is_too_long_what_stands_around_the_cursor_goes_along():
    text = said(Situation(before=f"x = [{'1, ' * 900}", after=f"{'2, ' * 900}]"))
    assert f"1, {CURSOR}2, " in text


def test_what_defines_a_name_near_the_cursor_goes_along_wherever_it_stands():
    text = said(Situation(before="y = help3(", above=BIG))
    assert "def help3(a):\n    '''Says 3.'''" in text
    assert "def help4(a)" not in text


def test_from_key_to_key_only_the_end_changes():
    one, other = (
        said(Situation(before=f"y = help3({typed}", above=BIG, tables="t: DataFrame")) for typed in ("", "x5")
    )
    same = next(place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    assert one[:same].endswith("y = help3(")


def test_the_cursor_stands_where_it_stands():
    assert said(Situation(before="a = 1\nb = ", after="\nc = 3")).endswith(f"a = 1\nb = {CURSOR}\nc = 3")


def test_what_was_suggested_is_said_so_that_something_else_comes():
    assert "- 1 + 1" in said(Situation(before="a = ", other_than=("1 + 1",)))


def test_markdown_says_that_it_is():
    assert "This cell (markdown)" in said(Situation(before="The sum", cell_type="markdown"))


def test_a_credential_is_withheld_wherever_it_stands():
    secret = "hunter2-is-long-enough"
    cell = NotebookCell(id="a", source=f'password = "{secret}"')
    situation = Situation(
        before=f'login("{secret}", ',
        after=f'\nprint("{secret}")',
        above=(cell,),
        below=(cell,),
        tables=secret,
        other_than=(secret,),
    )
    asked = request(hidden(situation, Redactor(environ={}), known=(("token", secret),)), model="m")
    assert secret not in f"{asked.input}{asked.infill}"


def test_what_is_told_of_the_cells_above_begins_the_same_in_the_next_cells():
    cells = tuple(NotebookCell(id=f"c{number}", source=f"x{number:03} = [{'1, ' * 30}]") for number in range(60))
    told = [nearby(Situation(before="", above=cells[:number])).above for number in range(30, 60)]
    goes_on = [after.startswith(before) for before, after in pairwise(told)]
    assert sum(goes_on) > 0.8 * len(goes_on)
    assert all(f"x{number:03}" in text for number, text in zip(range(29, 59), told, strict=True))
