"""Repairs are judged by running: the broken cell raises, the repaired cell gives what was meant."""

from __future__ import annotations

import traceback

import pytest

from spark_jupyter.prompting.budget import describe
from spark_jupyter.prompting.kernel_context import gather
from spark_jupyter.server.engines import namespace as names
from spark_jupyter.server.engines.repairs import Repair, read_failure, repair

PENGUINS = """
import pandas as pd
df = pd.DataFrame({"bill_length": [1.0, 2.0, 4.0], "species": ["a", "b", "a"], "price": ["1", "2", "x"]})
"""

SEMICOLONS = (
    "import io\nimport pandas as pd\ntext = 'land;year\\nIT;2010\\nIT;2011'\ngdp = pd.read_csv(io.StringIO(text))"
)
GDP = "import pandas as pd\ngdp = pd.Series(['3.807,4', '12,5'])"


def broken(source: str, setup: str = "") -> tuple[str, dict[str, object]]:
    """The traceback of a cell that is run after ``setup``, as a kernel's user sees it, and the namespace."""
    space: dict[str, object] = {"__name__": "__main__"}
    exec(setup, space)
    try:
        exec(compile(source, "<ipython-input-1>", "exec"), space)
    except BaseException as error:
        return "".join(traceback.format_exception(error)), space
    raise AssertionError("the cell did not fail")


def repaired(source: str, setup: str = "", earlier: tuple[str, ...] = ()) -> Repair:
    text, _ = broken(source, setup)
    before: dict[str, object] = {"__name__": "__main__"}
    exec(setup, before)
    lines = describe(gather({k: v for k, v in before.items() if not k.startswith("__")}), budget_tokens=4000)
    failure = read_failure(text, source=source, namespace=names.read(lines), earlier=earlier)
    assert failure is not None
    found = repair(failure)
    assert found is not None, text
    return found


def run(source: str, setup: str = "") -> dict[str, object]:
    space: dict[str, object] = {"__name__": "__main__"}
    exec(setup, space)
    exec(source, space)
    return space


# source, setup, expression that holds in the repaired cell's namespace
CASES = {
    "a file with semicolons that was read with commas": (
        "import io\ngdp = pd.read_csv(io.StringIO(text))\nx = gdp['year'].tolist()",
        SEMICOLONS,
        "x == [2010, 2011]",
    ),
    "a decimal comma": ("x = float('12,5')", "", "x == 12.5"),
    "a decimal comma that is to be a whole number": ("x = int('12,5')", "", "x == 12"),
    "a decimal comma with thousands": ("x = float('3.807,4')", "", "x == 3807.4"),
    "commas between thousands": ("x = int('1,234,567')", "", "x == 1234567"),
    "a price with a sign": ("x = float('12,50 €')", "", "x == 12.5"),
    "a column with decimal commas": ("x = gdp.astype(float).tolist()", GDP, "x == [3807.4, 12.5]"),
    "a column with decimal commas that is parsed": ("x = pd.to_numeric(gdp).tolist()", GDP, "x == [3807.4, 12.5]"),
    "a slip in the name of a module of scikit-learn": (
        "from sklearn.linear_models import LinearRegression\nx = LinearRegression().fit([[1], [2]], [2, 4]).coef_[0]",
        "",
        "round(x, 6) == 2",
    ),
    "a slip in the end of a column's name": ("x = df.prise.tolist()", PENGUINS, "x == ['1', '2', 'x']"),
    "a slip in the end of a column's name in brackets": ("x = df['prise'].tolist()", PENGUINS, "x == ['1', '2', 'x']"),
    "a slip in the name of a module with an alias": ("import matplotlib.piplot as plt\nx = plt.get_backend()", "", "x"),
    "a slip in the name of a standard module": ("import os.paths\nx = os.path.join('a', 'b')", "", "x"),
    "numpy is imported": ("x = np.arange(3).sum()", "", "x == 3"),
    "a name from the standard library is imported": ("c = Counter('aab')", "", "c['a'] == 2"),
    "Path is imported": ("p = Path('a') / 'b'", "", "str(p).endswith('b')"),
    "an import goes below a comment and a future import": (
        "# title\nfrom __future__ import annotations\nx = math.pi",
        "",
        "x > 3",
    ),
    "a misspelled variable": ("total = pricse + 1", "prices = 4", "total == 5"),
    "a misspelled builtin": ("prnt = 1\nx = lenght([1, 2])", "", "x == 2"),
    "true in small letters": ("flag = true\nother = null", "", "flag is True and other is None"),
    "a file with semicolons for which a comma is named": (
        "import io\ngdp = pd.read_csv(\n    io.StringIO(text),\n    sep=',',  # a comma\n)\nx = gdp['year'].tolist()",
        SEMICOLONS,
        "x == [2010, 2011]",
    ),
    "a file with semicolons whose call ends with a comma": (
        "import io\ngdp = pd.read_csv(\n    io.StringIO(text),\n)\nx = gdp['year'].tolist()",
        SEMICOLONS,
        "x == [2010, 2011]",
    ),
    "a misspelled function of the cell": ("def double(n):\n    return 2 * n\n\n\nx = duoble(4)", "", "x == 8"),
    "a misspelled column": ("m = df['bill_lenght'].mean()", PENGUINS, "round(m, 2) == 2.33"),
    "a column in another case": ("m = df['Species'].nunique()", PENGUINS, "m == 2"),
    "a misspelled column among several": ("m = df[['specis', 'bill_length']].shape", PENGUINS, "m == (3, 2)"),
    "a misspelled column after a dot": ("m = df.bil_length.max()", PENGUINS, "m == 4"),
    "a misspelled method": ("m = df.grouby('species').size()", PENGUINS, "m['a'] == 2"),
    "a misspelled key": ("stock = {'apples': 3}\nn = stock['aples']", "", "n == 3"),
    "a key that may be missing": ("stock = {'apples': 3}\nn = stock['zebra']", "", "n is None"),
    "append of pandas 1": ("df = df.append({'species': 'c'})", PENGUINS, "len(df) == 4"),
    "push of another language": ("xs = [1]\nxs.push(2)", "", "xs == [1, 2]"),
    "length of another language": ("n = 'abc'.length", "", "n == 3"),
    "contains of another language": ("found = 'abc'.contains('b')", "", "found is True"),
    "has_key of Python 2": ("found = {'a': 1}.has_key('a')", "", "found is True"),
    "upper case of another language": ("s = 'abc'.toUpperCase()", "", "s == 'ABC'"),
    "the result of sort": ("xs = [2, 1]\nxs = xs.sort()\nn = xs.index(2)", "", "n == 1"),
    "the result of an inplace method": (
        "df = df.rename(columns={'price': 'p'}, inplace=True)\nn = df.shape",
        PENGUINS,
        "n == (3, 3)",
    ),
    "datetime the module": ("import datetime\nnow = datetime.now()", "", "now.year > 2000"),
    "a misspelled function of a module": ("import math\nx = math.sqroot(4)", "", "x == 2"),
    "a type that numpy took away": (
        "import numpy as np\nx = np.zeros(2, dtype=np.float)",
        "",
        "x.dtype.name == 'float64'",
    ),
    "text and a number": ("age = 3\ns = 'I am ' + age", "", "s == 'I am 3'"),
    "text and a number in the middle": ("n = 3\ns = 'a' + n + 'b'", "", "s == 'a3b'"),
    "text and a known variable": ("s = name + age", "name = 'x'\nage = 3", "s == 'x3'"),
    "a number looped over": ("t = 0\nfor i in 3:\n    t += i", "", "t == 3"),
    "a length looped over": ("t = 0\nxs = [5, 6]\nfor i in len(xs):\n    t += xs[i]", "", "t == 11"),
    "half a range": ("t = list(range(6 / 2))", "", "t == [0, 1, 2]"),
    "a float as index": ("xs = [1, 2, 3]\nm = xs[len(xs) / 2]", "", "m == 2"),
    "a list called": ("xs = [4, 5]\ny = xs(1)", "", "y == 5"),
    "square brackets at a function": ("y = len[[1, 2]]", "", "y == 2"),
    "a method without self": (
        "class A:\n    def hi():\n        return 1\n\n\ny = A().hi()",
        "",
        "y == 1",
    ),
    "a mean over text": ("m = df.groupby('species').mean()", PENGUINS, "m.loc['a', 'bill_length'] == 2.5"),
    "and between columns": ("m = df[df['bill_length'] > 1 and df['species'] == 'a']", PENGUINS, "len(m) == 1"),
    "not of a column": ("m = df[not df['species'] == 'a' or df.bill_length > 3]", PENGUINS, "len(m) == 2"),
    "text that is no number in a column": ("n = df['price'].astype(float).sum()", PENGUINS, "n == 3"),
    "a number with a comma": ("x = float('1,234.5')", "", "x == 1234.5"),
    "a number with a point": ("x = int('3.7')", "", "x == 3"),
    "a dict unpacked": ("d = {'abc': 1, 'cde': 2}\nt = 0\nfor k, v in d:\n    t += v", "", "t == 3"),
    "one column for scikit-learn": (
        "from sklearn.linear_model import LinearRegression\nm = LinearRegression().fit(df['bill_length'], [1, 2, 4])",
        PENGUINS,
        "m.coef_.shape == (1,)",
    ),
    "a range that is too long": ("xs = [1, 2]\nt = 0\nfor i in range(len(xs) + 1):\n    t += xs[i]", "", "t == 3"),
    "the neighbour behind the last": (
        "xs = [1, 3, 6]\nd = []\nfor i in range(len(xs)):\n    d.append(xs[i + 1] - xs[i])",
        "",
        "d == [2, 3]",
    ),
    "the item at len": ("xs = [1, 2]\ny = xs[len(xs)]", "", "y == 2"),
    "a missing colon": ("if 1 < 2\n    y = 1", "", "y == 1"),
    "a missing colon after a function": ("def f(x)\n    return x\ny = f(1)", "", "y == 1"),
    "a missing bracket": ("y = max((1, 2)\nz = 3", "", "y == 2 and z == 3"),
    "a missing bracket at the end": ("y = [1, 2, 3", "", "y == [1, 2, 3]"),
    "a missing bracket before a colon": ("t = 0\nfor i in range(len('ab'):\n    t += 1", "", "t == 2"),
    "a bracket too many": ("y = len('ab'))", "", "y == 2"),
    "a bracket of the wrong kind": ("y = [1, 2)", "", "y == [1, 2]"),
    "a missing quote": ("y = len('ab)", "", "y == 2"),
    "a missing quote at the end": ('y = "ab\nz = 1', "", "y == 'ab' and z == 1"),
    "an apostrophe": ("y = 'it's'", "", 'y == "it\'s"'),
    "print of Python 2": ("x = 1\nprint 'a', x", "", "x == 1"),
    "one equals sign": ("x = 1\nif x = 1:\n    y = 2", "", "y == 2"),
    "else if": ("x = 2\nif x == 1:\n    y = 1\nelse if x == 2:\n    y = 2", "", "y == 2"),
    "plus plus": ("x = 1\nx++", "", "x == 2"),
    "and of another language": ("y = 1 if (1 < 2 && 2 < 3) else 0", "", "y == 1"),
    "typographic quotes": ("y = “ab”", "", "y == 'ab'"),
    "a missing comma": ("y = [1 2, 3]", "", "y == [1, 2, 3]"),
    "a missing comma between keys": ("y = {'a': 1\n     'b': 2}", "", "y == {'a': 1, 'b': 2}"),
    "a block that is not indented": ("for i in range(2):\ny = i", "", "y == 1"),
    "a line that is indented too far": ("x = 1\n  y = 2", "", "y == 2"),
    "a cell that is indented as a whole": ("    x = 1\n    y = 2", "", "y == 2"),
    "an indentation that fits nothing": ("if True:\n        x = 1\n    y = 2", "", "y == 2"),
    "two mistakes": ("def f(x)\n    return (x + 1\ny = f(1)", "", "y == 2"),
    "braces": ("x = 1\nif x == 1 {\n    y = 2", "", "y == 2"),
}


@pytest.mark.parametrize(("source", "setup", "holds"), CASES.values(), ids=CASES)
def test_a_repaired_cell_runs_and_does_what_was_meant(source: str, setup: str, holds: str) -> None:
    found = repaired(source, setup)
    assert found.source is not None, found.says
    space = run(found.source, setup)
    assert eval(holds, space), found.source


def test_a_cell_that_uses_two_modules_gets_both_imports() -> None:
    space = run(repaired("x = np.arange(3)\ny = pd.Series(x).sum()").source or "")
    assert space["y"] == 3


def test_a_package_is_installed_by_its_own_name() -> None:
    failure = read_failure("ModuleNotFoundError: No module named 'cv2'", source="import cv2")
    assert failure is not None
    found = repair(failure)
    assert found is not None
    assert found.source == "%pip install opencv-python\nimport cv2"


def test_an_unknown_package_is_never_guessed() -> None:
    failure = read_failure("ModuleNotFoundError: No module named 'qwertzlib'", source="import qwertzlib")
    assert failure is not None
    found = repair(failure)
    assert found is not None
    assert found.source is None
    assert "pip" not in found.says


def test_a_misspelled_module_is_corrected_rather_than_installed() -> None:
    failure = read_failure("ModuleNotFoundError: No module named 'pandsa'", source="import pandsa as pd")
    assert failure is not None
    found = repair(failure)
    assert found is not None
    assert found.source == "import pandas as pd"


def test_a_name_from_a_cell_that_has_not_run_is_told() -> None:
    found = repaired("y = rate * 2", earlier=("rate = 3",))
    assert found.source is None
    assert "another cell" in found.says


def test_a_name_that_nothing_resembles_is_not_invented() -> None:
    found = repaired("y = zzyzx + 1")
    assert found.source is None


def test_a_file_near_to_one_that_another_cell_uses_is_taken() -> None:
    found = repaired("t = open('slaes.csv').read()", earlier=("df.to_csv('sales.csv')",))
    assert found.source == "t = open('sales.csv').read()"


def test_a_file_that_is_nowhere_gets_a_cell_that_looks_for_it() -> None:
    found = repaired("t = open('nowhere-at-all.csv').read()")
    assert found.source is None
    assert found.extra is not None
    run(found.extra)


def test_the_last_error_of_a_chain_counts() -> None:
    text = (
        "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n"
        "Traceback (most recent call last):\nCell In[3], line 2\nNameError: name 'np' is not defined"
    )
    failure = read_failure(text, source="x = 1\ny = np.pi")
    assert failure is not None
    assert (failure.type, failure.line) == ("NameError", 2)


def test_colours_in_a_traceback_do_not_hide_the_error() -> None:
    failure = read_failure("\x1b[0;31mNameError\x1b[0m: name 'np' is not defined", source="np.pi")
    assert failure is not None
    assert failure.message == "name 'np' is not defined"


def test_text_without_an_error_is_no_failure() -> None:
    assert read_failure("all went well\n42") is None


def test_dates_in_several_forms_are_not_guessed() -> None:
    found = repaired("import pandas as pd\nd = pd.to_datetime(['2024-02-05', '08.02.2025'])")
    assert found.source is None


def test_an_unknown_kind_of_error_is_not_repaired() -> None:
    failure = read_failure("sqlite3.OperationalError: no such table: t", source="x")
    assert failure is not None
    assert repair(failure) is None


def test_a_module_that_a_package_lacks_is_not_installed() -> None:
    failure = read_failure("ModuleNotFoundError: No module named 'sklearn.quantum'", source="import sklearn.quantum")
    assert failure is not None
    found = repair(failure)
    assert found is not None
    assert found.source is None
    assert "pip" not in found.says
