"""Sentences about a table that are understood whole, and those that are not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.protocol.offers import is_refusal
from spark_jupyter.server.engines import namespace, phrases, request, sentences
from spark_jupyter.server.engines.phrases import cursor, things
from spark_jupyter.server.engines.recipes import RecipeEngine

if TYPE_CHECKING:
    from collections.abc import Callable

HIKES = pd.DataFrame(
    {
        "route": ["Ridge", "Lake", "Gorge", "Peak"],
        "region": ["north", "south", "north", "south"],
        "climb_m": [900, 120, 400, 1500],
        "hours": [6.0, 2.0, 3.5, 9.0],
        "walked": pd.to_datetime(["2024-05-01", "2024-05-20", "2024-06-02", "2024-06-30"]),
        "guided": [True, False, True, False],
    }
)


def known(prompt: str, **variables: object) -> namespace.Namespace:
    """What the kernel would tell of the variables."""
    return namespace.read(describe(gather(variables, prompt=prompt, time_cap=60.0), budget_tokens=4000, prompt=prompt))


def result(prompt: str) -> object:
    """What the sentence's code gives."""
    said = phrases.understood(prompt, known(prompt, hikes=HIKES))
    assert said is not None
    space = {"hikes": HIKES.copy()}
    *lines, last = said.code.split("\n")
    exec("\n".join(lines), space)
    return eval(last, space)


@pytest.mark.parametrize(
    ("prompt", "routes"),
    [
        ("guided hikes in the north with more than 500 climb_m", ["Ridge"]),
        ("hikes from May 2024 or with climb_m above 1000", ["Ridge", "Lake", "Peak"]),
        ("drop rows where hours is below 3", ["Ridge", "Gorge", "Peak"]),
        ("hikes between 2024-05-10 and 2024-06-30", ["Lake", "Gorge", "Peak"]),
        ("top 2 by climb_m", ["Peak", "Ridge"]),
        ("hike with the highest hours per region", ["Ridge", "Peak"]),
        ("oldest hike of each region", ["Ridge", "Lake"]),
    ],
)
def test_conditions_and_orders_choose_rows(prompt: str, routes: list[str]) -> None:
    found = result(prompt)
    assert isinstance(found, pd.DataFrame)
    assert list(found["route"]) == routes


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("mean of climb_m / hours per region", [(150 + 400 / 3.5) / 2, (60 + 1500 / 9) / 2]),
        ("share of the total climb_m in each region in percent", [100 * 1300 / 2920, 100 * 1620 / 2920]),
        ("total climb_m per month", [1020, 1900]),
        ("how many hikes per region", [2, 2]),
    ],
)
def test_groups_are_summed_up(prompt: str, wanted: list[float]) -> None:
    found = result(prompt)
    assert isinstance(found, pd.Series)
    assert list(found) == pytest.approx(wanted)


CAMPS = pd.DataFrame(
    {
        "camp_id": ["c1", "c2", "c3", "c4", "c5"],
        "site": [" dune camp", "Lake  site ", "DUNE CAMP", "Hill", "Hill"],
        "guests": [12, 30, 8, 45, 44],
        "fee": [100.0, 2500.0, None, 300.0, 300.0],
        "opened": pd.to_datetime(["2024-05-02", "2024-08-01", "2024-05-20", "2024-06-11", "2024-06-11"]),
        "closed": pd.to_datetime(["2024-05-04", "2024-08-09", "2024-05-21", "2024-06-12", "2024-06-12"]),
        "open air": ["yes", "No", "Y", "n", "no"],
        "state": ["full", "closed", "full", "open", "open"],
    }
)
HOSTS = pd.DataFrame({"camp_id": ["c1", "c2", "c9"], "host": ["Ida", "Pia", "Ole"]})


def of_camps(prompt: str) -> object:
    """What a sentence about camps, and who is host there, gives."""
    said = phrases.understood(prompt, known(prompt, camps=CAMPS, hosts=HOSTS))
    assert said is not None
    space = {"camps": CAMPS.copy(), "hosts": HOSTS.copy()}
    *lines, last = said.code.split("\n")
    exec("\n".join(lines), space)
    return eval(last, space)


@pytest.mark.parametrize(
    ("prompt", "ids"),
    [
        ("camps opened in the second quarter", ["c1", "c3", "c4", "c5"]),
        ("camps opened in Q3 2024", ["c2"]),
        ("camps that have no fee recorded", ["c3"]),
        ("which camps took more than 1 day", ["c1", "c2"]),
        ("camps opened between 1 and 12 June 2024", ["c4", "c5"]),
        ("camps over 2000", ["c2"]),
        ("the closed ones", ["c2"]),
        ("top 1 by guests in each state", ["c4", "c2", "c1"]),
        ("biggest camp by guests per state", ["c2", "c1", "c4"]),
        ("find duplicate rows in camps", []),
        ("camps with guests above average", ["c2", "c4", "c5"]),
        ("camps opened from June 2024 onwards", ["c2", "c4", "c5"]),
        ("camps opened before June 2024", ["c1", "c3"]),
        ("camps opened between 1 may and 30 june 2024", ["c1", "c3", "c4", "c5"]),
        ("camps whose site is dune camp", ["c1", "c3"]),
        ("camps with a missing value", ["c3"]),
        ("first camp of each state", ["c1", "c4", "c2"]),
        ("sort camps by opened, newest first", ["c1", "c2", "c3", "c4", "c5"]),
    ],
)
def test_of_times_gaps_and_amounts_the_rows_that_are_meant_are_chosen(prompt: str, ids: list[str]) -> None:
    found = of_camps(prompt)
    assert isinstance(found, pd.DataFrame)
    assert sorted(found["camp_id"]) == sorted(ids)


@pytest.mark.parametrize(
    ("prompt", "column", "values"),
    [
        ("site is a mess, strip the spaces and use title case", "site", ["Dune Camp", "Lake  Site", "Dune Camp", "Hill", "Hill"]),
        ("fix the site names: trim, single spaces, lower case", "site", ["dune camp", "lake site", "dune camp", "hill", "hill"]),
        ("open air should be True/False only", "open air", [True, False, True, False, False]),
        ("fill missing fee with the mean of the state group", "fee", [100.0, 2500.0, 100.0, 300.0, 300.0]),
        ("set fee to 0 where guests is below 10", "fee", [100.0, 2500.0, 0.0, 300.0, 300.0]),
        ("guests above 40 is a typo, set it to 40", "guests", [12, 30, 8, 40, 40]),
        ("days from 2024-05-01 to opened for every camp as new column wait", "wait", [1, 92, 19, 41, 41]),
        ("label guests as small (<10), medium (10 to 30) and large (>30) in a new column size", "size",
         ["medium", "medium", "small", "large", "large"]),
        ("add the host from hosts to camps", "host", ["Ida", "Pia", None, None, None]),
    ],
)  # fmt: skip
def test_columns_are_cleaned_made_and_brought(prompt: str, column: str, values: list[object]) -> None:
    found = of_camps(prompt)
    assert isinstance(found, pd.DataFrame)
    assert list(found[column].astype(object).where(found[column].notna(), None)) == values


@pytest.mark.parametrize(
    ("prompt", "wanted"),
    [
        ("average stay in days per state", {"closed": 8.0, "full": 1.5, "open": 1.0}),
        ("states with more than 50 guests in total", {"open": 89}),
        ("fee per guests for each state", {"closed": 2500 / 30, "full": 5.0, "open": 600 / 89}),
        ("which state has the most missing fee", None),
        ("what percentage of fee is missing", 20.0),
        ("share of guests from Hill", 89 / 139),
    ],
)
def test_rates_spans_and_gaps_are_summed_up(prompt: str, wanted: object) -> None:
    if wanted is None:
        assert phrases.understood(prompt, known(prompt, camps=CAMPS, hosts=HOSTS)) is None
        return
    found = of_camps(prompt)
    assert (dict(found) if isinstance(found, pd.Series) else found) == pytest.approx(wanted)


def test_what_is_asked_of_a_mean_in_percent_is_no_share() -> None:
    found = result("mean of hours per region in percent")
    assert isinstance(found, pd.Series)
    assert list(found) == [475.0, 550.0]


def test_years_that_a_column_holds_are_compared_as_dates_are() -> None:
    maps = pd.DataFrame({"title": ["A", "B", "C"], "year": [1931, 1970, 2004], "price": [1.0, None, 3.0]})
    for prompt, code in (
        ("maps printed before 1950 or after 2000", '(maps["year"] < 1950) | (maps["year"] > 2000)'),
        ("maps printed in 1970 or later", 'maps["year"] >= 1970'),
        ("make a column decade from year", 'maps["decade"] = maps["year"] // 10 * 10'),
        ("mean price w/o missing values, treat missing price as 0", 'maps["price"] = maps["price"].fillna(0)'),
        ("drop duplicates, keep one row per title", 'maps = maps.drop_duplicates(["title"])'),
    ):
        said = phrases.understood(prompt, known(prompt, maps=maps))
        assert said is not None, prompt
        assert code in said.code


def test_a_pivot_table_has_its_totals_and_its_zeros() -> None:
    found = result(
        "table with region as rows, guided as columns and the sum of hours, zeros where there is nothing, with totals"
    )
    assert isinstance(found, pd.DataFrame)
    assert found.to_numpy().tolist() == [[0.0, 9.5, 9.5], [11.0, 0.0, 11.0], [11.0, 9.5, 20.5]]


@pytest.mark.parametrize(
    "prompt", ["mean climb_m per region by wavelet", "hikes that Ann liked", "how many blisters", "hikes in the west"]
)
def test_a_word_that_is_not_understood_makes_it_no_answer(prompt: str) -> None:
    assert phrases.understood(prompt, known(prompt, hikes=HIKES)) is None


def test_a_sentence_about_a_list_is_understood_whole_or_not_at_all() -> None:
    prompt = "count how often each fruit occurs"
    code = things.understood(prompt, known(prompt, fruits=["fig", "kiwi", "fig"]))
    assert code is not None
    assert "Counter(fruits)" in code[0]
    assert things.understood("fruits that taste sour", known("", fruits=["fig", "kiwi", "fig"])) is None


def test_a_very_long_prompt_is_none_of_its_sentences() -> None:
    prompt = "hikes with hours above 3 and " * 400
    assert phrases.understood(prompt, known("hikes", hikes=HIKES)) is None


@pytest.mark.parametrize("prompt", ["( " * 78, "(hours + " * 26, "not (hours or (guided and " * 9])
def test_a_prompt_that_could_be_read_in_very_many_ways_is_given_up(
    prompt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    monkeypatch.setattr(cursor.Cursor, "__init__", _noticed(steps))
    assert phrases.understood(f"hikes {prompt}", known(prompt, hikes=HIKES)) is None
    assert max(one.steps for one in steps) <= cursor.MOST_STEPS + 1


def _noticed(found: list[cursor.Cursor]) -> Callable[..., None]:
    init = cursor.Cursor.__init__

    def noticed(self: cursor.Cursor, *given: Any) -> None:
        init(self, *given)
        found.append(self)

    return noticed


@pytest.mark.parametrize(
    "prompt",
    ["sorted, newest first", "camps between 3 may and 4", "newest first", "date 2024-05-02", "fee may above 3 may"],
)
def test_what_is_no_whole_sentence_is_no_crash(prompt: str) -> None:
    sentences.attempt(prompt, known(prompt, camps=CAMPS, hosts=HOSTS))


def test_what_would_be_an_answer_to_another_question_is_a_no_that_says_so() -> None:
    prompt = "describe hours by wavelet"
    answer = RecipeEngine().reply(request.Request(text=prompt, namespace=known(prompt, hikes=HIKES)))
    assert not answer.cells
    assert is_refusal(answer.notes)
