"""Operations that a prompt names and code that has no sign of them; what nobody asked for; what is outside a notebook."""

from __future__ import annotations

import pytest

from spark_jupyter.server.engines import evidence, namespace
from spark_jupyter.server.engines.recipes import RecipeEngine
from spark_jupyter.server.engines.request import Request

SPACE = namespace.read("A: ndarray float64 (2, 2)\nmarks: dict (3) of str to int")


@pytest.mark.parametrize(
    ("prompt", "code", "missing"),
    [
        ("cumulative rain as a line", 'df.plot(x="day", y="rain")', ["cumulative"]),
        ("cumulative rain as a line", "df.rain.cumsum().plot()", []),
        ("read all csv files", 'pd.read_csv("a.csv")', ["all csv files"]),
        ("a stack with push and is_empty", "class Stack: ...", ["is_empty"]),
        ("a bar plot without a histogram", "ax.bar(x, y)", []),
        ("rows that say 'cumulative'", "df[df.note == 'cumulative']", []),
    ],
)
def test_an_operation_without_a_sign_in_the_code_was_not_done(prompt: str, code: str, missing: list[str]) -> None:
    assert evidence.missing(prompt, code) == missing


@pytest.mark.parametrize(
    ("prompt", "is_outside"),
    [
        ("email me the table", True),
        ("order a pizza", True),
        ("please send it by mail to my boss", True),
        ("switch off the lights", True),
        ("order by price", False),
        ("turn off the grid", False),
        ("find the e-mail addresses in text", False),
        ("call the function area", False),
    ],
)
def test_what_is_to_be_done_outside_the_notebook_gets_a_no(prompt: str, is_outside: bool) -> None:
    assert evidence.outside(prompt) is is_outside


def test_an_example_that_takes_the_place_of_a_variable_is_said() -> None:
    assert evidence.overwritten("the trace of A", "A = [[1, 2]]\nprint(A)", SPACE) == ["A"]
    assert evidence.overwritten("the trace of A", "A = A * 2", SPACE) == []
    assert evidence.unlike_examples("best mark", "df = 1", SPACE) == ["marks"]


def test_gaps_are_not_filled_where_nobody_asked_for_that() -> None:
    assert evidence.uninvited("who handled the most tickets", "t.n = t.n.fillna(0)")
    assert not evidence.uninvited("fill the gaps of n", "t.n = t.n.fillna(0)")


def test_a_fragment_goes_on_from_the_request_before_it_and_says_so() -> None:
    space = namespace.read("wind: DataFrame (10 × 3): site str, day str(dates), speed float64")
    asked = Request(text="only for January", namespace=space, before=("mean speed by site",))
    answer = RecipeEngine().reply(asked)
    assert "month == 1" in answer.cells[0].source
    assert 'groupby("site")["speed"].mean()' in answer.cells[0].source
    assert "go on from “mean speed by site”" in answer.notes


def test_a_file_that_is_to_be_read_is_never_written() -> None:
    code = 'file = Path("settings.json")\nfile.write_text(json.dumps(data))'
    assert evidence.overwrites("load settings.json and show the days", code)
    assert not evidence.overwrites("save data to settings.json", code)
    assert not evidence.overwrites("load settings.json", 'json.loads(Path("settings.json").read_text())')


def test_panels_and_a_file_that_may_not_be_there_leave_a_sign() -> None:
    assert evidence.missing("plot heights and weights in two subplots", "fig, ax = plt.subplots()\nax.plot(a, b)") == [
        "subplots"
    ]
    assert evidence.missing("plot both in two subplots", "fig, axes = plt.subplots(1, 2)") == []
    assert evidence.missing("read data.csv if it exists", 'pd.read_csv("data.csv")') == ["if it exists"]
