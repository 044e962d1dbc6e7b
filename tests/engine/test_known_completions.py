"""Ghost text without a model: the embedded server, or a provider that can't be reached, and a kernel with real tables."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.profiles import Settings
from spark_jupyter.routing.link import linker
from tests.engine.test_completer import Typist

SALES = pd.DataFrame({"city": ["Rome", "Oslo"], "amount": [1.0, 2.0], "date": pd.to_datetime(["2026-01-01"] * 2)})
PEOPLE = pd.DataFrame({"name": ["Ann"], "age": [3], "area": ["north"]})


def cell(source: str, *, ran: bool = True, number: int = 1) -> NotebookCell:
    return NotebookCell(id=f"c{number}", source=source, execution_count=number if ran else None)


@pytest.fixture(scope="module")
def asks():
    """A front end of an engine whose provider can't be reached."""
    namespace = {"sales": SALES, "people": PEOPLE, "pd": pd}
    engine = Engine(linker(Settings(base_url="http://127.0.0.1:9", model="m")), kernel=Kernel(lambda: namespace))
    typist = Typist(engine)
    typist.namespace = namespace
    yield typist
    engine.close()


@pytest.fixture
def suggest(asks):
    def make(before: str, **fields: object) -> str:
        number = f"c{len(asks.told)}"
        asks.complete(before, completion_id=number, **fields)
        return asks.done(number).text

    return make


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ('sales["ci', "", 'ty"]'),
        ('sales["ci', '"]', "ty"),
        ("x = sales['am", "", "ount']"),
        ('sales[["city", "am', "", 'ount"]]'),
        ('people["a', "", ""),
        ('sales["', "", ""),
        ('sales.groupby("ci', ")", 'ty"'),
        ('sales[sales["city"] == "Ro', "", 'me"]'),
        ('print(sales[sales["city"] == "Ro', ")", 'me"]'),
        ('total = (sales["am', "", 'ount"])'),
        ('sales.groupby("ci', "", 'ty")'),
        ("sales[sales.city == 'Os", "']", "lo"),
        ('sales[sales["amount"] == "1', "", ""),
        ("pd.read_csv('a.csv', index_", ")", "col="),
        ("sales.sort_values('city', asc", ")", "ending=False"),
        ("nowhere['ci", "", ""),
        ("import num", "", "py as np"),
        ("x = 'some te", "", ""),
        ("x = pd.DataF", "", "rame("),
        ("sales.gr", "", "oupby("),
        ('sales.groupby("city")["amount"].su', "", "m()"),
        ("sales.sort_values('city', ascending=", ")", "False"),
        ("print(peop", ")", "le"),
    ],
)
def test_what_the_kernel_knows_is_suggested_where_it_is_one_thing(suggest, before, after, shown):
    assert suggest(before, after=after) == shown


def test_what_could_be_several_is_suggested_where_a_key_asks_one_after_the_other(suggest):
    first = suggest('people["a', asked=True)
    assert first in ('ge"]', 'rea"]')
    assert {first, suggest('people["a', asked=True, other_than=(first,))} == {'ge"]', 'rea"]'}


def test_a_line_of_the_notebook_is_suggested_where_it_begins_again(suggest):
    cells = (cell("total = sales['amount'].sum()\nprint(total)"),)
    assert suggest("total = sa", cells=cells, position=1) == "les['amount'].sum()"


def test_a_chain_of_another_table_comes_with_this_ones_name_where_it_fits(suggest):
    cells = (cell("sales.drop_duplicates().reset_index(drop=True)"), cell("sales['city'].unique()", number=2))
    assert suggest("people.drop_d", cells=cells, position=2) == "uplicates().reset_index(drop=True)"
    cells = (cell("sales.dropna(subset=['city'])"),)
    assert suggest("people.drop", cells=cells, position=1) == "", "people have no city"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("import n", "\nx = np.arange(3)", "umpy as np"),
        ("", "\nx = np.arange(3)", "import numpy as np"),
        ("import n", "\nx = pd.Series()", "umpy as np"),
    ],
)
def test_what_is_used_and_not_imported_is(suggest, before, after, shown):
    assert suggest(before, after=after) == shown


def test_an_empty_cell_below_one_that_made_a_table_looks_at_it(suggest):
    made = cell("import pandas as pd\nsales = pd.read_csv('sales.csv')")
    assert suggest("", cells=(made,), position=1) == "sales.head()"
    assert suggest("", cells=(cell(made.source, ran=False),), position=1) == ""
    assert suggest("", cells=(made, cell("sales.head()", number=2), made), position=3) == ""


def test_where_nothing_is_known_a_key_is_told_why(asks):
    asks.complete("x = ", completion_id="why", asked=True)
    assert asks.done("why").problem


def test_with_the_embedded_server_nothing_is_asked_of_it():
    engine = Engine(linker(Settings(profile="embedded")), kernel=Kernel(lambda: {"sales": SALES}))
    try:
        asks = Typist(engine)
        asks.complete('sales["ci')
        done = asks.done()
        assert (done.text, done.first_text, done.cost) == ('ty"]', None, None)
        asks.complete("x = ", completion_id="c2", asked=True)
        assert "without a model" in asks.done("c2").problem
    finally:
        engine.close()


@pytest.mark.parametrize(
    "before",
    ['tricky["', "tricky['", 'tricky["a', 'tricky.groupby("', "tricky['name'] == 'x", 'tricky["name"] == "y'],
)
def test_a_name_or_text_that_would_end_its_string_or_is_not_seen_is_not_suggested(asks, suggest, before):
    for odd in ("a']; evil(); tricky['b", 'a"]; evil(); tricky["b', "a\u202eb", "a\nevil()", "a\x1b[31m", "a\\"):
        asks.namespace["tricky"] = pd.DataFrame({odd: [1.0], "name": [f"x{odd}"]})
        asks.namespace["tricky"].loc[1, "name"] = f"y{odd}"
        said = suggest(before, asked=True)
        assert "evil" not in said
        assert said.isprintable()


def test_names_and_attributes_that_hold_code_are_not_suggested(asks, suggest):
    class Thing:
        pass

    setattr(Thing, "plot\nevil()", 1)
    asks.namespace |= {"thing": Thing(), "zebra\nevil()": 1}
    assert suggest("zeb", asked=True) == ""
    assert suggest("thing.plo", asked=True) == ""


def test_files_that_lie_in_the_working_folder_are_suggested(asks, suggest, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("orders.csv", "grades.xlsx", "x');evil(.csv"):
        (tmp_path / name).write_text("")
    assert suggest("pd.read_csv('or") == "ders.csv')"
    assert suggest("pd.read_excel('") == "grades.xlsx')"
    assert suggest("pd.read_csv('x", asked=True) == ""
