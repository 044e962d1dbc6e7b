"""Bodies of functions, lambdas and methods are judged with what a call gives them; where nothing is known, nothing is said."""

# ruff: noqa: E501 (a case a line)

from __future__ import annotations

import functools

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from spark_jupyter.reality import Checker, check


@pytest.fixture
def namespace():
    df = pd.DataFrame({"city": ["a"], "price": [2], "qty": [1]})
    return {"df": df, "pd": pd, "np": np, "plt": plt, "functools": functools}


INVENTED = r"""
def g(d):\n    return d["prise"]\ng(df.copy())
def g(d):\n    return d.groupby("citty").mean()\nresult = g(df)
def g(d):\n    d = d.assign(t=1)\n    return d\nx = g(df)\nx["tt"]
def g(a, d=df):\n    return d["prise"]\ng(1)
def g(d: pd.DataFrame):\n    return d.sort_value("a")
def g(x: str):\n    return x.uper()
def g(*, d):\n    return d["prise"]\ng(d=df)
def g(*args):\n    return args[0]["prise"]\ng(df, 1)
def inner(d):\n    return d["prise"]\ndef outer(d):\n    return inner(d)\nouter(df)
def timer(f):\n    def wrapper(*a, **k):\n        return f(*a, **k)\n    return wrapper\n@timer\ndef g(d):\n    return d["prise"]\ng(df)
class A:\n    def __init__(self, d):\n        self.d = d\n    def run(self):\n        return self.d["prise"]\nA(df).run()
class A:\n    def __init__(self, d):\n        self.d = d\n    def run(self):\n        return self.dd\na = A(df)\na.run()
class A:\n    def __init__(self, d):\n        self.d = d\na = A(df)\na.runn()
class A:\n    @staticmethod\n    def f(d):\n        return d["prise"]\nA.f(df)
class A:\n    @property\n    def f(self):\n        return df["prise"]\nA().f
class A:\n    @classmethod\n    def make(cls, d):\n        return cls(d)\n    def __init__(self, d):\n        self.d = d\nA.make(df).d["prise"]
df.pipe(lambda d: d["prise"])
def s(d, c):\n    return d["prise"]\ndf.pipe(s, 1)
df.assign(a=1, b=lambda d: d["aa"])
def f(row):\n    return row["prise"]\ndf.apply(f, axis=1)
df.groupby("city").apply(lambda g: g["prise"].sum())
df.groupby("city")["price"].agg(lambda s: s.meann())
df.groupby("city").agg(x=("price", lambda s: s.meann()))
df[lambda d: d["prise"] > 1]
df.loc[lambda d: d["prise"] > 1]
for c in ["price", "prise"]:\n    df[c].mean()
[df[c].mean() for c in ["price", "prise"]]
def g(d, how="a"):\n    if how == "a":\n        return d["prise"]\n    return d\ng(df)
g = lambda d: d["prise"]\ng(df)
def load():\n    return pd.DataFrame({"a": [1]})\nload()["b"]
def main():\n    d = pd.DataFrame({"a": [1]})\n    print(d["b"])\nif __name__ == "__main__":\n    main()
def g(d):\n    d["new"] = 1\n    return d\ng(df)["neww"]
"""

VALID = r"""
def g(d):\n    return d["price"]\ng(df.copy())
def g(d):\n    return d.anything["at all"]
def g(d, how="a"):\n    if how == "a":\n        return d["prise"]\n    return d\ng(df, "b")
def g(x):\n    if isinstance(x, str):\n        return x.upper()\n    return x["price"]\ng(df)\ng("a")
def g(x):\n    if type(x) is str:\n        return x.upper()\n    return x["price"]\ng(df)\ng("a")
def g(x=None):\n    if x is None:\n        return 1\n    return x["price"]\ng(df)\ng()
def g(d):\n    d["new"] = 1\ng(df)\ndf["new"]
def g(d, c):\n    d[c] = 1\ng(df, "zz")\ndf["zz"]
def g(d):\n    try:\n        return d["prise"]\n    except KeyError:\n        return 0\ng(df)
def g(d):\n    if "prise" in d.columns:\n        return d["prise"]\ng(df)
class A:\n    def __init__(self, d):\n        self.d = d\n    def add(self):\n        self.d["new"] = 1\n        return self\n    def run(self):\n        return self.d["new"]\nA(df).add().run()
class A:\n    def __init__(self, d):\n        self.d = d\n    def fit(self):\n        self.m_ = 1\n        return self\nA(df).fit().m_
class A:\n    pass\na = A()\na.x = 1\na.x
class B:\n    def run(self):\n        return self.later()\nclass C(B):\n    def later(self):\n        return 1\nC().run()
class A(dict):\n    pass\nA().anything
class A:\n    def __getattr__(self, n):\n        return 1\nA().anything
x = df\nif len(df) > 3:\n    x = df.assign(z=1)\nx["z"]
def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)\nfact(3)
def g(d):\n    for c in ["a", "b"]:\n        d[c] = 1\n    return d[["a", "b"]]\ng(df)
for c in ["u", "v"]:\n    df[f"{c}_x"] = 1\ndf["u_x"]
def g(d, cols):\n    return d[cols]\ng(df, ["price"])
def gen():\n    yield 1\nfor i in gen():\n    i
async def co(d):\n    return d["zz"]\nawait co(df)
def g(d, kind):\n    if kind not in ("a", "b"):\n        raise ValueError\n    if kind == "a":\n        return d["price"]\n    return d.zzz()\ng(df, "a")
def g(d):\n    return d\nx = g(1) if df.empty else g(df)\nx["price"]
def cb(d):\n    return d["z"]\nunknown = print\nlist(map(cb, []))
df.groupby("city").apply(lambda g: g.nlargest(1, "price"))
df.apply(lambda c: c.max() - c.min())
df["price"].apply(lambda v: v.anything)
@np.vectorize\ndef f(x):\n    return x\nf(df["price"])
import functools\n@functools.lru_cache(maxsize=None)\ndef g(n):\n    return n\ng(1)\ng.cache_clear()
class A:\n    count = 0\n    def inc(self):\n        A.count += 1\n        self.count += 1\nA().inc()
def g(fig, ax=None):\n    ax = ax or plt.gca()\n    ax.plot([1])\n    return ax\ng(1).set_title("a")
from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    def m(self):\n        return self.a\nP(1).m()
"""


def sources(text: str) -> list[str]:
    """One a line, with its line breaks written out."""
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("source", sources(INVENTED))
def test_what_a_call_shows_to_be_missing_is_found(namespace, source):
    assert check(source, namespace) != []


@pytest.mark.parametrize("source", sources(VALID))
def test_what_may_be_right_for_a_call_is_not_reported(namespace, source):
    checker = Checker(namespace)
    assert [*checker.feed(source), *checker.flush()] == []
    assert checker.failures == 0


def test_a_finding_in_a_body_stands_at_its_line_and_is_said_once(namespace):
    source = "x = 1\n\ndef g(d):\n    e = d\n    return e['prise']\n\ng(df)\ng(df.copy())\n"
    (finding,) = check(source, namespace)
    assert (finding.rule, finding.line) == ("missing-column", 5)


def test_a_function_of_an_earlier_cell_is_followed_and_not_reported_itself(namespace):
    earlier = ["def g(d):\n    d['prise']\n    return d.assign(total=1)"]
    assert check("g(df)['total']", namespace, earlier=earlier) == []
    assert [finding.message for finding in check("g(df)['totals']", namespace, earlier=earlier)] == [
        "The DataFrame has no column `totals`."
    ]


def test_calls_that_call_each_other_without_end_are_left(namespace):
    source = "def f(d):\n    return g(d)\ndef g(d):\n    return f(d)\nf(df)\n" + "g(df)\n" * 50
    assert check(source, namespace) == []


def test_the_methods_of_an_object_are_judged_with_what_init_stored(namespace):
    source = "class Report:\n    def __init__(self, data):\n        self.data = data\n\n    def total(self):\n        return self.dta.sum()\n\nReport(df).total()"
    (finding,) = check(source, namespace)
    assert finding.message == "`Report` has no attribute `dta`."
    assert "`data`" in finding.remedy
