"""Suggestions without a model, by the code before the cursor and the kernel."""

from __future__ import annotations

import pytest

from spark_jupyter.completions.offline import known
from spark_jupyter.completions.situation import Situation
from spark_jupyter.protocol.values import NotebookCell
from tests.completions.offline.kernel import Kernel

KERNEL = Kernel(
    kinds={
        "pd": "pandas",
        "plt": "matplotlib.pyplot",
        "df": "DataFrame",
        "cities": "list",
        "ages": "dict",
        "grade": "function",
        "model": "LogisticRegression",
    },
    attributes={
        "pd": ["DataFrame", "DateOffset", "DatetimeIndex", "read_csv", "read_excel", "api"],
        "plt": ["plot", "plot_date", "show", "title", "xlabel", "ylabel"],
        "df": ["groupby", "head", "drop", "dropna", "drop_duplicates", "sort_values", "sort_index", "swapaxes"],
        "model": ["fit", "predict", "score"],
        "LogisticRegression": ["fit", "predict", "score"],
    },
    given={"df.sort_values": {"by": None, "ascending": True}, "df.reset_index": {"drop": False}},
    tables={"df": ["start", "station", "fare", "weather"]},
    modules=("numpy", "pandas", "matplotlib", "seaborn", "sklearn"),
    lying=("orders.csv", "grades.xlsx", "it's.csv"),
)


def suggested(before: str, *above: str, after: str = "") -> str:
    cells = tuple(NotebookCell(id=f"c{at}", source=text, execution_count=at + 1) for at, text in enumerate(above))
    return next(iter(known(Situation(before=before, after=after, above=cells), KERNEL, asked=False)), "")


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("sales = pd.Da", "taFrame("),
        ("x = pd.read_e", "xcel("),
        ("df.gr", "oupby("),
        ("df.dropn", "a("),
        ("df.swa", "paxes"),
        ("plt.sh", "ow()"),
        ("model.pr", "edict("),
        ('df["x"].me', "an()"),
        ('df.groupby("x")["y"].su', "m()"),
        ('df["when"].dt.mo', "nth"),
        ('df["name"].str.co', "ntains("),
        ("df.", ""),
        ("df.g", ""),
        ("df.sort_values", ""),
        ("unknown.gr", ""),
        ('"df.gr', ""),
        ("x = 1  # df.gr", ""),
    ],
)
def test_behind_a_dot_stands_what_is_there_the_usual_first(before, shown):
    assert suggested(before) == shown


def test_behind_a_dot_stands_what_this_notebook_uses_most():
    assert suggested("df.so", "df.sort_index()", "df.sort_index()") == "rt_index()"


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("cit", "ies"),
        ("x = len(cit", "ies"),
        ("gra", "de("),
        ("prin", "t("),
        ('f"{cit', "ies"),
        ('f"cit', ""),
        ('"cit', ""),
        ("ci", ""),
        ("def cit", ""),
        ("import cit", ""),
        ("x.cit", ""),
        ("cities", ""),
        ("x = df.apply(gra", "de"),
        ("sorted(cities, key=gra", "de"),
        ("x = map(gra", "de"),
        ("df.apply(lambda row: gra", "de("),
        ("rai", ""),
        ("retu", ""),
        ("def f():\n    retu", "rn"),
        ("if x:\n    rai", "se"),
    ],
)
def test_a_name_is_finished_where_it_can_be_only_one(before, shown):
    assert suggested(before) == shown


def test_at_the_beginning_of_a_line_a_name_is_not_taken_for_print_nor_print_for_a_name():
    assert suggested("pri", "price = 2") == ""
    assert suggested("    pri", "price = 2") == ""
    assert suggested("x = pri", "price = 2") == "ce"
    assert suggested("prin", "price = 2") == "t("


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ('df["fa', 're"]'),
        ('df.groupby("station")["fa', 're"]'),
        ('df.groupby("station")[["fa', 're"]]'),
        ('df.groupby("station").agg({"fa', 're"'),
        ('df.dropna(subset=["fa', 're"])'),
        ('df.drop(columns="we', 'ather")'),
        ('df.plot(kind="bar", y="fa', 're")'),
        ('df.plot.scatter(x="fare", y="we', 'ather")'),
        ('df.fillna({"fa', 're"'),
        ('df.plot(kind="sta', ""),
        ('df.drop("fa', ""),
        ('cities.dropna(subset=["fa', ""),
    ],
)
def test_where_a_call_names_a_column_the_columns_of_the_table_stand(before, shown):
    assert suggested(before) == shown


def test_the_title_of_another_figure_is_not_said_again():
    above = 'by_city.plot()\nplt.title("Fares by city")\nplt.ylabel("fare")\nplt.savefig("city.png")'
    assert suggested('plt.title("', above) == ""
    assert suggested("plt.title(", above) == ""
    assert suggested('plt.savefig("', above) == ""
    assert suggested('plt.ylabel("', above) == 'fare")'


def test_of_names_that_begin_alike_what_they_have_in_common_is_suggested():
    assert suggested("tot", "total_by_city = 1\ntotal_by_year = 2") == "al_by_"


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("for ", ""),
        ("for c", "ity in cities:"),
        ("for city", " in cities:"),
        ("for city i", "n cities:"),
        ("    for city in", " cities:"),
        ("for x", ""),
        ("x = [len(city) for ", "city in cities"),
        ("x = [len(other) for ", ""),
        ("x = {city: grade(city) for c", "ity in cities"),
        ("# for c", ""),
    ],
)
def test_a_loop_goes_through_what_there_is(before, shown):
    assert suggested(before) == shown


def test_a_loop_goes_through_the_only_thing_that_can_be_gone_through():
    kernel = Kernel(kinds={"cities": "list", "total": "int"})
    assert known(Situation(before="for "), kernel, asked=False) == ("city in cities:",)


def test_a_function_that_is_called_and_not_written_is_begun():
    assert suggested("def ", "clean(df)") == "clean(df):"
    assert suggested("def c", "clean(df)") == "lean(df):"
    assert suggested("def ", "def clean(df): pass", "clean(df)") == ""
    assert suggested("def ", "grade(1)") == ""
    assert suggested("def ", "clean(1)") == ""


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ("import p", "andas as pd"),
        ("import n", "umpy as np"),
        ("import m", "atplotlib.pyplot as plt"),
        ("import s", ""),
        ("import se", "aborn as sns"),
        ("import pl", ""),
        ("from sklearn.lin", "ear_model import "),
        ("from sklearn.model_selection import t", "rain_test_split"),
        ("from sklearn.model_selection import ", ""),
        ("from os import ", ""),
    ],
)
def test_what_is_usual_is_imported_where_it_lies_there(before, shown):
    assert suggested(before) == shown


def test_the_first_import_of_a_notebook_is_suggested_and_what_was_imported_is_not():
    assert suggested("import ") == "pandas as pd"
    assert suggested("import ", "import random") == ""
    assert suggested("import p", "import pandas as pd") == ""


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        ('df.sort_values("a", as', "cending=False"),
        ('df.sort_values("a", ascending=', "False"),
        ('df.sort_values("a", ascending=Fa', "lse"),
        ("df.reset_index(dr", "op=True"),
        ('print(df.sort_values("a", as', "cending=False"),
        ('df.sort_values("as', ""),
        ('df.sort_values("a")(as', ""),
    ],
)
def test_a_keyword_comes_with_the_other_of_two_values(before, shown):
    assert suggested(before) == shown


def test_a_file_of_that_kind_that_lies_there_is_read():
    assert suggested('pd.read_csv("') == 'orders.csv")'
    assert suggested('pd.read_excel("') == 'grades.xlsx")'
    assert suggested('pd.read_csv("it') == "", "its name would end the string"
    assert suggested('print("or') == ""


def test_a_call_ends_as_such_a_call_ended_above():
    assert suggested("tree.fit(", "model.fit(X_train, y_train)") == "X_train, y_train)"
    assert suggested("tree.fit(", "model.fit(X_train, y_train)", after=")") == "X_train, y_train"
    assert suggested("tree.fit(", "a.fit(X, y)", "b.fit(A, b)") == ""
    assert suggested("print(", "print(cities)") == ""


def test_on_a_new_line_stands_what_followed_such_a_line():
    chart = 'plt.plot(x)\nplt.title("Sales")\nplt.show()'
    assert suggested('plt.plot(y)\nplt.title("Others")\n', chart) == "plt.show()"
    assert suggested('plt.xlabel("x")\n') == 'plt.ylabel("'
    assert suggested('plt.title("x")\n') == ""
    assert suggested("model = LogisticRegression(max_iter=9)\n") == "model.fit("
    assert suggested('orders = pd.read_csv("orders.csv")\n') == "orders.head()"


def test_what_was_made_is_shown_where_this_notebook_does_that():
    assert suggested("c = 3\n", "a = 1\na", "b = 2\nb") == "c"
    assert suggested("c = 3\n", "a = 1\na") == ""


def test_what_was_read_is_not_read_again_under_its_name():
    assert suggested("orders = ", 'orders = pd.read_csv("orders.csv")') == ""
    assert suggested("orders =", 'orders = pd.read_csv("orders.csv")') == ""


def test_no_assignment_is_repeated_by_its_name_alone():
    assert suggested("by_month", "by_month = cities") == ""
    assert suggested("by_month ", "by_month = cities") == ""
    assert suggested("by_month = ci", "by_month = cities[0]") == "ties[0]"


def test_only_the_nearest_cells_and_no_endless_line_are_looked_through_at_each_key():
    line, typed = "df.assign(share=df.price / 7)", "df.assign(sh"
    assert suggested(typed, line, "x = 1\n" * 100) == "are=df.price / 7)"
    assert suggested(typed, line, "x = 1\n" * 10_000) == ""
    assert suggested("f(" * 20 + "df.gr") == "oupby("
    assert suggested("f(" * 200 + "df.gr") == ""


FAR = ["print(1)\n" * 1_000] * 12
"""More than is looked through at a key."""


def test_what_a_far_cell_imports_is_imported():
    first = "# what is needed\nimport pandas as pd\nimport numpy as np\nfrom math import factorial"
    assert suggested("import n", "print(np.pi)", *FAR) == "umpy as np"
    assert suggested("import n", first, *FAR) == ""
    assert suggested("import ", first, *FAR) == ""
    assert suggested("2 * fact", first, *FAR) == "orial"


def test_what_a_far_cell_names_is_known():
    far = "customers = [1, 2]\n\ndef discounted(price):\n    reduced = price * 0.9\n    return reduced"
    assert suggested("x = cust", far, *FAR) == "omers"
    assert suggested("x = discou", far, *FAR) == "nted"
    assert suggested("x = redu", far, *FAR) == ""
    assert suggested("x = cust", *[far] * 2_000, *FAR) == "omers"
