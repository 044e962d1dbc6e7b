"""Edits of our own making, of cells as people write them: after some nothing should follow, after others something should."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

SALES = (
    "import pandas as pd\nimport numpy as np\nimport matplotlib.pyplot as plt",
    'df = pd.read_csv("sales.csv", parse_dates=["date"])\ndf.head()',
    'df["total"] = df["price"] * df["qty"]\nmonthly = df.groupby("region")["total"].sum().reset_index()',
    'top = monthly.sort_values("total", ascending=False).head(5)\nprint(f"best: {top[\'region\'].iloc[0]}")',
    'fig, ax = plt.subplots()\nax.bar(top["region"], top["total"])\nax.set_title("Sales by region")',
    'def describe(table, column, digits=2):\n    """Say how it is."""\n    mean = table[column].mean()\n    return round(mean, digits)',
    'describe(df, "total")\ndescribe(monthly, column="total", digits=1)',
)
MODEL = (
    "from sklearn.linear_model import LinearRegression\nfrom sklearn.model_selection import train_test_split\nfrom math import sqrt",
    'features = ["rooms", "area"]\nX = homes[features]\ny = homes["price"]',
    "X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)",
    "model = LinearRegression()\nmodel.fit(X_train, y_train)\npredicted = model.predict(X_test)",
    "error = sqrt(((predicted - y_test) ** 2).mean())\nerror",
    "def score(model, X, y):\n    return model.score(X, y)\n\nscore(model, X_test, y_test)",
    "%time model.fit(X, y)\nresults = {}\nfor name in features:\n    results[name] = homes[name].corr(y)",
)
SCRIPT = (
    "import json\nfrom pathlib import Path\n\nfolder = Path('data')\nlimit = 3",
    "def load(path, encoding='utf-8'):\n    with open(path, encoding=encoding) as file:\n        return json.load(file)",
    "records = [load(path) for path in folder.glob('*.json')]\nrecords = [r for r in records if r]",
    "names = {r['name'] for r in records}\ncount = len(names)\nif count > limit:\n    print(count, 'names')",
    (
        "class Store:\n    limit = 10\n\n    def __init__(self, records):\n        self.records = records\n\n"
        "    def first(self):\n        return self.records[: self.limit]"
    ),
    "store = Store(records)\nstore.first()\nstore.limit",
    "total = 0\nfor record in records:\n    total += record.get('amount', 0)\ntotal",
)
BOOKS = (SALES, MODEL, SCRIPT)


class Edit(NamedTuple):
    """One cell of a notebook becomes another text. ``expected`` are the cells that should follow, as they should be."""

    name: str
    cells: tuple[str, ...]
    at: int
    before: str
    expected: Mapping[int, str] = MappingProxyType({})


def _of(book: tuple[str, ...], at: int, old: str, new: str, name: str, expected: dict[int, str] | None = None) -> Edit:
    before = book[at]
    assert old in before, (name, old)
    cells = (*book[:at], before.replace(old, new, 1), *book[at + 1 :])
    return Edit(name, cells, at, before, expected or {})


def _everywhere() -> Iterator[Edit]:
    """What is done to any cell."""
    for book in BOOKS:
        for at, source in enumerate(book):
            lines = source.split("\n")
            grown = {
                "a comment below": f"{source}\n# checked",
                "a comment above": f"# checked\n{source}",
                "an empty line": f"{source}\n",
                "a line that uses nothing": f"{source}\nprint('done')",
                "a new variable": f"{source}\nfresh_value = 42",
                "a new function": f"{source}\n\ndef fresh_helper(value):\n    return value",
                "a line gone": "\n".join(lines[:-1]) or "pass",
                "half a line typed": f"{source}\nfresh = (1,",
                "space at a line's end": source.replace("\n", "  \n", 1) + " ",
                "wrapped in an if": "if True:\n" + "\n".join(f"    {line}" for line in lines),
            }
            for name, text in grown.items():
                if text != source:
                    cells = (*book[:at], text, *book[at + 1 :])
                    yield Edit(f"{name}: {lines[0][:30]}", cells, at, source)


_NOTHING = (
    (SALES, 1, '"sales.csv"', '"sales-2024.csv"', "another file"),
    (SALES, 1, "df.head()", "df.tail()", "another method"),
    (SALES, 1, "df.head()", "df.head(10)", "an argument"),
    (SALES, 2, "sum()", "mean()", "another aggregate"),
    (SALES, 2, '* df["qty"]', '* df["qty"] * 1.2', "a factor"),
    (SALES, 2, 'groupby("region")', 'groupby("date")', "another group"),
    (SALES, 2, 'df["price"] *', 'df["net"] *', "a column that is read"),
    (SALES, 3, "ascending=False", "ascending=True", "a constant"),
    (SALES, 3, "head(5)", "head(limit)", "a name for a number"),
    (SALES, 3, "best:", "top:", "words of an f-string"),
    (SALES, 3, "monthly.sort", "df.sort", "a variable that is read"),
    (SALES, 4, "Sales by region", "Revenue by region", "a title"),
    (SALES, 4, "fig, ax", "figure, ax", "a variable that nothing reads"),
    (SALES, 4, "ax.bar", "ax.barh", "another plot"),
    (SALES, 5, "digits=2", "digits=3", "a default"),
    (SALES, 5, "digits=2", "digits=2, unit=''", "a parameter with a default"),
    (SALES, 5, "mean = table[column].mean()", "mean = table[column].median()", "a function's body"),
    (SALES, 5, "Say how it is.", "How it is.", "a docstring"),
    (SALES, 6, 'describe(df, "total")', 'describe(df, "price")', "an argument of a call"),
    (SALES, 6, "describe(df", "describe(top", "another table for a call"),
    (SALES, 0, "import numpy as np\n", "", "an import that nothing uses"),
    (SALES, 0, "import numpy as np", "import numpy as np\nimport os", "one import more"),
    (SALES, 0, "import pandas as pd", "import polars as pd", "another library by the same name"),
    (MODEL, 0, "from math import sqrt", "from math import sqrt, pi", "one name more"),
    (MODEL, 0, "from math import sqrt", "from numpy import sqrt", "the same name from elsewhere"),
    (MODEL, 1, '"rooms", "area"', '"rooms", "area", "year"', "an element more"),
    (MODEL, 1, '"rooms", "area"', '"area", "rooms"', "another order"),
    (MODEL, 1, 'homes["price"]', 'homes["rent"]', "another target"),
    (MODEL, 2, "random_state=0", "random_state=1", "a seed"),
    (MODEL, 3, "LinearRegression()", "LinearRegression(fit_intercept=False)", "a keyword"),
    (MODEL, 3, "model.fit(X_train, y_train)", "model.fit(X, y)", "variables that are read"),
    (MODEL, 4, "mean()", "max()", "another function"),
    (MODEL, 5, "model.score(X, y)", "model.score(X, y) * 100", "a body"),
    (MODEL, 5, "score(model, X_test", "score(model, X_train", "a call"),
    (MODEL, 6, "%time model.fit(X, y)", "%timeit model.fit(X, y)", "a magic"),
    (MODEL, 6, "homes[name]", "homes[name].abs()", "an expression"),
    (SCRIPT, 0, "limit = 3", "limit = 5", "a value"),
    (SCRIPT, 0, "Path('data')", "Path('more data')", "a folder"),
    (SCRIPT, 1, "encoding='utf-8'", "encoding='latin-1'", "a default of a function"),
    (
        SCRIPT,
        1,
        "as file:\n        return json.load(file)",
        "as f:\n        return json.load(f)",
        "a local name, all of it",
    ),
    (
        SCRIPT,
        2,
        "[r for r in records if r]",
        "[one for one in records if one]",
        "a comprehension's own name, all of it",
    ),
    (SCRIPT, 2, "'*.json'", "'*.txt'", "a pattern"),
    (SCRIPT, 3, "r['name']", "r['title']", "a key that is read"),
    (SCRIPT, 3, "count > limit", "count >= limit", "a comparison"),
    (SCRIPT, 3, "'names'", "'different names'", "a word"),
    (SCRIPT, 4, "limit = 10", "limit = 20", "a class attribute's value"),
    (SCRIPT, 4, "def first(self)", "def last(self)", "a method's name, which an attribute may be"),
    (SCRIPT, 5, "store.first()", "store.records", "an attribute"),
    (SCRIPT, 6, "record.get('amount', 0)", "record.get('amount', 1)", "a constant in a loop"),
    (SCRIPT, 6, "total = 0\n", "total = 0.0\n", "another number"),
)


def _twins() -> Iterator[Edit]:
    """A cell that was copied is made another one: what reads the first one's names still means the first."""
    copied = 'df = pd.read_csv("a.csv")'
    later = ("df.head()", "print(df.shape)")
    for new in ("df2", "other", "costs", "raw", "right"):
        yield Edit(f"a copy becomes {new}", (copied, copied.replace("df", new), *later), 1, copied)
        yield Edit(
            f"a copy with another file becomes {new}", (copied, f'{new} = pd.read_csv("b.csv")', *later), 1, copied
        )
    for new in ("y", "z", "w"):
        yield Edit(f"{new} is there already", ("x = 1", f"{new} = 2", f"{new} = 1", f"print(x, {new})"), 2, "x = 1")
    yield Edit("another value takes the name below", ("y = 1", "x = 2", "print(x)"), 0, "x = 1")
    yield Edit("a comprehension has a name of its own", ("n = 1", "[m for m in range(3)]"), 0, "m = 1")
    yield Edit("a parameter has a name of its own", ("n = 1", "def f(m):\n    return m"), 0, "m = 1")
    yield Edit("an attribute is called so", ("n = 1", "o.m = 2\no.m"), 0, "m = 1")
    yield Edit("a string says so", ("n = 1", "print('m')"), 0, "m = 1")
    yield Edit("a keyword is called so", ("n = 1", "f(m=2)"), 0, "m = 1")


def needing_none() -> list[Edit]:
    """Edits after which nothing is to be done."""
    return [*_everywhere(), *(_of(*one) for one in _NOTHING), *_twins()]


def _follows(book: tuple[str, ...], at: int, old: str, new: str, name: str, *pairs: tuple[int, str, str]) -> Edit:
    """``pairs``: in which cell every ``old`` text becomes the ``new`` one."""
    cells = {}
    for index, was, becomes in pairs:
        cells[index] = cells.get(index, book[index] if index != at else book[at].replace(old, new, 1)).replace(
            was, becomes
        )
    return _of(book, at, old, new, name, cells)


def _renames() -> Iterator[Edit]:
    yield from _renames_of_tables()
    yield from _renames_of_a_model()
    yield from _renames_of_a_script()


def _renames_of_tables() -> Iterator[Edit]:
    for new in ("sales", "orders", "data_2024", "d", "table1", "rows", "all_sales", "frame"):
        yield _follows(
            SALES,
            1,
            "df = ",
            f"{new} = ",
            f"df to {new}",
            (1, "df.head", f"{new}.head"),
            (2, "df", new),
            (6, "df", new),
        )
    for new in ("by_region", "per_month", "m", "grouped", "sums"):
        yield _follows(
            SALES, 2, "monthly = ", f"{new} = ", f"monthly to {new}", (3, "monthly", new), (6, "monthly", new)
        )
    for new in ("best", "first", "winners", "leaders"):
        yield _follows(SALES, 3, "top = ", f"{new} = ", f"top to {new}", (3, "top[", f"{new}["), (4, "top", new))
    for new in ("summarize", "tell", "mean_of", "average"):
        yield _follows(SALES, 5, "def describe", f"def {new}", f"describe to {new}", (6, "describe", new))
    for new in ("table_", "t", "data", "source"):
        yield _follows(SALES, 5, "(table,", f"({new},", f"a parameter to {new}", (5, "table[", f"{new}["))
    for new in ("average", "value", "m"):
        yield _follows(SALES, 5, "    mean = ", f"    {new} = ", f"a local to {new}", (5, "round(mean", f"round({new}"))
    for new in ("axes", "plot", "chart"):
        yield _follows(SALES, 4, "fig, ax", f"fig, {new}", f"ax to {new}", (4, "ax.", f"{new}."))


def _renames_of_a_model() -> Iterator[Edit]:
    for new in ("columns", "inputs", "names", "cols"):
        yield _follows(
            MODEL,
            1,
            "features = ",
            f"{new} = ",
            f"features to {new}",
            (1, "[features]", f"[{new}]"),
            (6, "features", new),
        )
    for new in ("regression", "line", "fitted", "lm"):
        yield _follows(
            MODEL,
            3,
            "model = ",
            f"{new} = ",
            f"model to {new}",
            (3, "model.", f"{new}."),
            (5, "score(model, X_test", f"score({new}, X_test"),
            (6, "model.", f"{new}."),
        )
    for new in ("guessed", "y_hat", "forecast", "estimate", "fit"):
        yield _follows(MODEL, 3, "predicted = ", f"{new} = ", f"predicted to {new}", (4, "predicted", new))
    for new in ("target", "prices", "goal"):
        yield _follows(
            MODEL,
            1,
            "y = ",
            f"{new} = ",
            f"y to {new}",
            (2, "(X, y,", f"(X, {new},"),
            (6, "(X, y)", f"(X, {new})"),
            (6, "corr(y)", f"corr({new})"),
        )


def _renames_of_a_script() -> Iterator[Edit]:
    for new in ("directory", "base", "root"):
        yield _follows(SCRIPT, 0, "folder = ", f"{new} = ", f"folder to {new}", (2, "folder", new))
    for new in ("read", "load_json", "parse"):
        yield _follows(SCRIPT, 1, "def load", f"def {new}", f"load to {new}", (2, "load(", f"{new}("))
    for new in ("unique", "titles", "people"):
        yield _follows(SCRIPT, 3, "names = ", f"{new} = ", f"names to {new}", (3, "len(names)", f"len({new})"))
    for new in ("Cache", "Box", "Shelf"):
        yield _follows(SCRIPT, 4, "class Store", f"class {new}", f"Store to {new}", (5, "Store(", f"{new}("))
    for new in ("box", "shelf", "s"):
        yield _follows(SCRIPT, 5, "store = ", f"{new} = ", f"store to {new}", (5, "store.", f"{new}."))
    for new in ("row", "item", "one"):
        yield _follows(SCRIPT, 6, "for record in", f"for {new} in", f"record to {new}", (6, "record.get", f"{new}.get"))
    for new in ("amount", "sum_all", "acc"):
        yield _follows(
            SCRIPT,
            6,
            "total = 0",
            f"{new} = 0",
            f"total to {new}",
            (6, "total +=", f"{new} +="),
            (6, "\ntotal", f"\n{new}"),
        )


def _columns() -> Iterator[Edit]:
    for new in ("revenue", "amount", "sum", "worth", "value"):
        yield _follows(
            SALES,
            2,
            'df["total"]',
            f'df["{new}"]',
            f"a column to {new}",
            (2, '["total"].sum', f'["{new}"].sum'),
            (3, '"total"', f'"{new}"'),
            (4, 'top["total"]', f'top["{new}"]'),
            (6, '"total"', f'"{new}"'),
        )
    made = (
        't = pd.DataFrame({"a": [1], "b": [2]})',
        't["a"].sum()\nt.query("a > 1")',
        't.groupby("b").agg({"a": "max"})',
    )
    for new in ("x", "first", "amount", "key"):
        yield _follows(
            made,
            0,
            '"a"',
            f'"{new}"',
            f"a column of a dictionary to {new}",
            (1, '["a"]', f'["{new}"]'),
            (1, '"a >', f'"{new} >'),
            (2, '{"a"', f'{{"{new}"'),
        )
    read = ('t = pd.read_csv("a.csv")', 't["old"].sum()\nt.old', 't.sort_values("old")')
    for new in ("fresh", "price", "cost", "unit"):
        renamed = f'{read[0]}\nt = t.rename(columns={{"old": "{new}"}})'
        yield Edit(
            f"renamed to {new} from now on",
            (renamed, *read[1:]),
            0,
            read[0],
            {1: f't["{new}"].sum()\nt.{new}', 2: f't.sort_values("{new}")'},
        )
    grown = ('g = df.groupby("k").agg(high=("v", "max"))', 'g["high"].plot()\ng.high')
    for new in ("top", "peak", "largest"):
        yield _follows(grown, 0, "high=", f"{new}=", f"an aggregate to {new}", (1, "high", new))


def _signatures() -> Iterator[Edit]:
    f = (
        "def area(width, height):\n    return width * height",
        "area(2, 3)\narea(width=1, height=2)\nx = 4",
        "print(area(x, height=x))",
    )
    for new in ("w", "breadth", "size", "left"):
        yield _follows(
            f,
            0,
            "(width, height):\n    return width",
            f"({new}, height):\n    return {new}",
            f"a keyword to {new}",
            (1, "width=", f"{new}="),
        )
    yield Edit(
        "another order",
        ("def area(height, width):\n    return width * height", *f[1:]),
        0,
        f[0],
        {
            1: "area(3, 2)\narea(height=2, width=1)\nx = 4",
            2: "print(area(height=x, width=x))",
        },
    )
    yield Edit(
        "one less",
        ("def area(width):\n    return width * 2", *f[1:]),
        0,
        f[0],
        {1: "area(2)\narea(width=1)\nx = 4", 2: "print(area(x))"},
    )
    for name in ("x", "rate", "depth"):
        cells = (f[0].replace("height):", f"height, {name}):"), f"area(2, 3)\n{name} = 4", "area(1, height=2)")
        yield Edit(
            f"one more that is at hand: {name}",
            cells,
            0,
            f[0],
            {1: f"area(2, 3, {name})\n{name} = 4", 2: f"area(1, height=2, {name}={name})"},
        )


def _imports() -> Iterator[Edit]:
    uses = ("np.sum(np.arange(3))", "x = np.pi")
    for new in ("numpy", "nmp", "n"):
        line = "import numpy" if new == "numpy" else f"import numpy as {new}"
        yield Edit(
            f"np to {new}",
            (line, *uses),
            0,
            "import numpy as np",
            {1: uses[0].replace("np.", f"{new}."), 2: uses[1].replace("np.", f"{new}.")},
        )
    names = ("sqrt(4) + sqrt(x)", "y = sqrt(2)")
    for line, to in (
        ("import math", "math.sqrt"),
        ("import math as m", "m.sqrt"),
        ("from math import sqrt as root", "root"),
    ):
        yield Edit(
            f"sqrt to {to}",
            (line, *names),
            0,
            "from math import sqrt",
            {1: names[0].replace("sqrt", to), 2: names[1].replace("sqrt", to)},
        )
    for parts in (("sqrt", "pi"), ("floor", "e")):
        a, b = parts
        yield Edit(
            f"math.{a} to {a}",
            (f"from math import {a}, {b}", f"math.{a}(2)", f"math.{b} + math.{a}(3)"),
            0,
            "import math",
            {1: f"{a}(2)", 2: f"{b} + {a}(3)"},
        )


def needing_one() -> list[Edit]:
    """Edits after which something is to be done, with what that is."""
    return [*_renames(), *_columns(), *_signatures(), *_imports()]
