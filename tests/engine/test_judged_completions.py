"""Ghost text before the judges: a real engine and real tables, with a model that is played."""

from __future__ import annotations

import pandas as pd
import pytest

from spark_jupyter.engine.kernel_access import Kernel
from spark_jupyter.protocol.completion_messages import Mend
from spark_jupyter.protocol.values import NotebookCell
from tests.engine.test_completer import Typist

SALES = pd.DataFrame({"city": ["Rome", "Oslo"], "amount": [1.0, 2.0]})


@pytest.fixture
def suggest(make_engine):
    """What is shown of what a model says behind a text, where the kernel has a table of sales."""

    def make(before: str, said: str, **fields: object):
        engine = make_engine([{"answer": said}], kernel=Kernel(lambda: {"sales": SALES, "pd": pd})).engine
        asks = Typist(engine)
        asks.complete(before, **fields)
        return asks.done()

    return make


@pytest.mark.parametrize(
    ("before", "said", "shown"),
    [
        ("sales.groupby(", "'city')['amount'].sum()", "'city')['amount'].sum()"),
        ('sales["', 'ammount"].mean()', 'amount"].mean()'),
        ("sales.", "gruopby('city').size()", "groupby('city').size()"),
        ("pd.", "read_csvv('x')", "read_csv('x')"),
        ("sales.sort_values('amount', ", "ascendng=False)", "ascending=False)"),
        ('sales["', 'city_name"].unique()', 'city"].unique()'),
        ("x = ", "unheard_of(3)", ""),
        ('sales["', 'zzzz"]', ""),
        ("", "total = sales['amount'].sum()\nprint(qqqq)", "total = sales['amount'].sum()"),
        ("import os\n", "os.system(input())", ""),
        (
            "if True:\n    ",
            "total = sales['amount'].sum()\n    print(total)",
            "total = sales['amount'].sum()\n    print(total)",
        ),
        ("def f(a):\n    return ", "a + undefined_thing", ""),
        ("%ti", "meit sales.sum()", "meit sales.sum()"),
    ],
)
def test_only_what_exists_and_nothing_that_is_blocked_is_shown(suggest, before, said, shown):
    assert suggest(before, said).text == shown


def test_a_mend_says_what_was_wrong_and_where(suggest):
    assert suggest('sales["', 'ammount"].mean()').mends == (Mend(start=0, wrong="ammount", right="amount"),)


def test_what_a_cell_above_defines_may_be_used_before_it_has_run(suggest):
    cells = (NotebookCell(id="a", source="rate = 3"), NotebookCell(id="b", source="later = 4"))
    assert suggest("x = ", "rate * 2", cells=cells, position=1).text == "rate * 2"
    assert suggest("x = ", "later * 2", cells=cells, position=1).text == ""


def test_what_the_cell_defined_above_the_cursor_may_be_used(suggest):
    assert suggest("rate = 3\nx = ", "rate * 2").text == "rate * 2"


def test_in_markdown_only_the_text_is_fitted(suggest):
    assert suggest("The sum of", " all amounts in `sales`", cell_type="markdown").text == " all amounts in `sales`"


def test_a_suggestion_that_was_not_taken_leaves_nothing_behind(make_engine):
    namespace = {"sales": SALES.copy()}
    answers = [
        {"match": "first", "answer": "sales['margin'] = 1"},
        {"match": "second", "answer": "sales['margin'].sum()"},
    ]
    asks = Typist(make_engine(answers, kernel=Kernel(lambda: namespace)).engine)
    asks.complete("sales.head()\n# first\n", completion_id="c1")
    assert asks.done("c1").text == "sales['margin'] = 1"
    asks.complete("sales.head()\n# second\n", completion_id="c2")
    assert asks.done("c2").text == ""


def test_what_a_cell_changes_when_it_runs_is_known_to_the_next_completion(make_engine):
    namespace = {"sales": SALES.copy()}
    runs = iter(range(100))
    answer = {"answer": "sales['margin'].sum()", "repeat": True}
    asks = Typist(make_engine([answer], kernel=Kernel(lambda: namespace, lambda: next(runs))).engine)
    asks.complete("sales.head()\nx = ", completion_id="c1")
    assert asks.done("c1").text == ""
    namespace["sales"]["margin"] = 1
    asks.complete("sales.head()\nx = ", completion_id="c2")
    assert asks.done("c2").text == "sales['margin'].sum()"


def test_a_cell_that_ran_in_another_kernel_defines_its_names_all_the_same(suggest):
    cells = (NotebookCell(id="a", source="rate = 3\nimport numpy as np\n\ndef f(x):\n    return x", execution_count=7),)
    assert suggest("x = ", "f(rate) + np.pi", cells=cells, position=1).text == "f(rate) + np.pi"


def test_a_prompt_that_is_typed_in_a_cell_is_not_completed(suggest):
    assert suggest("%spark make a plot of ", "sales", asked=True).text == ""
