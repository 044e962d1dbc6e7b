"""Twenty tasks in a notebook, with data and checks.

The data is made here: nothing is downloaded, nothing depends on chance.
"""

from __future__ import annotations

from msgspec import Struct


class Task(Struct, frozen=True, kw_only=True):
    """``setup`` is the cell above, ``prompt`` what is asked, ``checks`` what must hold when the answer has run."""

    name: str
    prompt: str
    checks: tuple[str, ...]
    setup: str = "import pandas as pd"


_SALES = """\
import pandas as pd

sales = pd.DataFrame(
    {
        "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-15", "2024-02-01", "2024-02-03", "2024-02-20"]),
        "city": ["Bern", "Basel", "Bern", "Chur", "Basel", "Bern"],
        "price": [10.0, 20.0, None, 40.0, 5.0, 25.0],
        "count": [1, 2, 3, 4, 5, 6],
    }
)"""
_PEOPLE = """\
import pandas as pd

people = pd.DataFrame({"name": ["Ann", "Bo", "Cy", "Di"], "city": ["Bern", "Chur", "Bern", "Oslo"], "age": [30, 41, 25, 25]})
cities = pd.DataFrame({"city": ["Bern", "Chur"], "country": ["CH", "CH"]})"""
_TEXT = """\
text = "It was a bright cold day in April, and the clocks were striking thirteen. It was late, it was cold."
log = [
    "2024-05-01 12:00:01 INFO started",
    "2024-05-01 12:00:07 ERROR disk full on /dev/sda1",
    "2024-05-01 12:01:00 WARNING slow",
    "2024-05-02 00:00:00 ERROR timeout after 30 s",
]"""
_ORDERS = """\
orders = [
    {"id": 1, "customer": {"name": "Ann"}, "items": [{"sku": "a", "n": 2, "price": 3.5}, {"sku": "b", "n": 1, "price": 10}]},
    {"id": 2, "customer": {"name": "Bo"}, "items": []},
    {"id": 3, "customer": {"name": "Ann"}, "items": [{"sku": "a", "n": 1, "price": 3.5}]},
]"""

TASKS: tuple[Task, ...] = (
    Task(
        name="primes",
        prompt="Write a function primes(n) that returns the list of the first n prime numbers.",
        setup="",
        checks=("assert primes(5) == [2, 3, 5, 7, 11]", "assert primes(0) == []"),
    ),
    Task(
        name="sort-dicts",
        prompt="Sort the list of dictionaries `rows` by the key 'age', the oldest first, into a new list `ordered`.",
        setup="rows = [{'name': 'a', 'age': 3}, {'name': 'b', 'age': 9}, {'name': 'c', 'age': 5}]",
        checks=("assert [row['age'] for row in ordered] == [9, 5, 3]", "assert rows[0]['age'] == 3"),
    ),
    Task(
        name="group-sum",
        prompt="Put the sum of `count` per city of `sales` into a Series `per_city`, indexed by city.",
        setup=_SALES,
        checks=("assert per_city['Bern'] == 10 and per_city['Basel'] == 7 and per_city['Chur'] == 4",),
    ),
    Task(
        name="missing",
        prompt="Make a DataFrame `filled` from `sales` in which a missing price is the median price. Leave `sales` as it is.",
        setup=_SALES,
        checks=("assert filled['price'].tolist()[2] == 20.0", "assert sales['price'].isna().sum() == 1"),
    ),
    Task(
        name="revenue",
        prompt="Add a column revenue to `sales`: price times count. Where the price is missing it stays missing.",
        setup=_SALES,
        checks=("assert sales['revenue'].iloc[1] == 40.0", "assert pd.isna(sales['revenue'].iloc[2])"),
    ),
    Task(
        name="monthly",
        prompt="Make a DataFrame `monthly` with the total count of `sales` per calendar month: columns month (like '2024-01') and count.",
        setup=_SALES,
        checks=(
            "assert dict(zip(monthly['month'].astype(str), monthly['count'])) == {'2024-01': 6, '2024-02': 15}",
            "assert len(monthly) == 2",
        ),
    ),
    Task(
        name="pivot",
        prompt="Make `table` from `sales`: a row per city, a column per month number (1, 2), the sum of count, 0 where there is none.",
        setup=_SALES,
        checks=("assert table.loc['Bern', 1] == 4 and table.loc['Bern', 2] == 6 and table.loc['Chur', 1] == 0",),
    ),
    Task(
        name="join",
        prompt="Join `people` with `cities` on city into `joined`, keeping every person; an unknown country is missing.",
        setup=_PEOPLE,
        checks=("assert len(joined) == 4", "assert joined.set_index('name')['country'].isna()['Di']"),
    ),
    Task(
        name="filter",
        prompt="Put the names of the people of `people` who are younger than 40 and live in Bern into a list `names`, sorted.",
        setup=_PEOPLE,
        checks=("assert names == ['Ann', 'Cy']",),
    ),
    Task(
        name="rank",
        prompt="Add a column place to `people`: 1 for the oldest; those of the same age share the better place (1, 2, 3, 3).",
        setup=_PEOPLE,
        checks=(
            "assert people.set_index('name')['place'].astype(int).to_dict() == {'Bo': 1, 'Ann': 2, 'Cy': 3, 'Di': 3}",
        ),
    ),
    Task(
        name="bins",
        prompt="Add a column group to `people` with 'young' below 30 and 'old' from 30 on, as plain strings.",
        setup=_PEOPLE,
        checks=("assert people['group'].astype(str).tolist() == ['old', 'old', 'young', 'young']",),
    ),
    Task(
        name="rolling",
        prompt="Put the mean of each value of the Series `values` and the two before it into `smooth`; the first two are missing.",
        setup="import pandas as pd\n\nvalues = pd.Series([3.0, 6.0, 9.0, 0.0])",
        checks=("assert smooth.isna().tolist() == [True, True, False, False]", "assert smooth.iloc[3] == 5.0"),
    ),
    Task(
        name="words",
        prompt="Count the words of `text` without regard to case or punctuation into a dict `counts`.",
        setup=_TEXT,
        checks=("assert counts['it'] == 3 and counts['cold'] == 2 and counts['april'] == 1",),
    ),
    Task(
        name="log",
        prompt="Parse `log` into a list `errors` of (timestamp as a datetime, message) for the lines of level ERROR.",
        setup=_TEXT,
        checks=(
            "import datetime",
            "assert [when for when, _ in errors] == [datetime.datetime(2024, 5, 1, 12, 0, 7), datetime.datetime(2024, 5, 2)]",
            "assert errors[0][1] == 'disk full on /dev/sda1'",
        ),
    ),
    Task(
        name="nested",
        prompt="Put the total of each customer of `orders` (n times price, over all items) into a dict `totals` by name.",
        setup=_ORDERS,
        checks=("assert totals == {'Ann': 20.5, 'Bo': 0}",),
    ),
    Task(
        name="flatten",
        prompt="Make a DataFrame `items` with a row for each item of `orders`: columns order, customer, sku, n, price.",
        setup=_ORDERS,
        checks=(
            "assert len(items) == 3",
            "assert items['customer'].tolist() == ['Ann', 'Ann', 'Ann']",
            "assert list(items['order']) == [1, 1, 3]",
        ),
    ),
    Task(
        name="matrix",
        prompt="Solve the linear system A x = b with NumPy into `x`.",
        setup="import numpy as np\n\nA = np.array([[3.0, 1.0], [1.0, 2.0]])\nb = np.array([9.0, 8.0])",
        checks=("assert np.allclose(x, [2.0, 3.0])",),
    ),
    Task(
        name="distance",
        prompt="Put the Euclidean distances between all pairs of rows of `points` into a square array `distances`, without a Python loop.",
        setup="import numpy as np\n\npoints = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])",
        checks=("assert distances.shape == (3, 3)", "assert np.allclose(distances[0], [0.0, 5.0, 10.0])"),
    ),
    Task(
        name="memo",
        prompt="Write a function ways(n): in how many ways can n steps be climbed by one or two at a time? It must be quick for n = 300.",
        setup="",
        checks=("assert [ways(n) for n in (1, 2, 3, 10)] == [1, 2, 3, 89]", "assert ways(300) > 10**60"),
    ),
    Task(
        name="figure",
        prompt="Draw a bar chart of the total count per city of `sales` with Matplotlib, with the title 'Sales', into axes `ax`.",
        setup=_SALES,
        checks=(
            "assert ax.get_title() == 'Sales'",
            "assert sorted(round(bar.get_height()) for bar in ax.patches) == [4, 7, 10]",
        ),
    ),
)
