"""Values by the time that they are used: behind a dataclass, a generator, an operator, a mask, a library's own call. Each snippet is run,
too, and Python says the same of it."""

from __future__ import annotations

import duckdb
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
import seaborn as sns

from spark_jupyter.reality import check

DATACLASS = "from dataclasses import asdict, dataclass, field, replace\n"
LEDGER = r"""from dataclasses import dataclass, field
@dataclass
class Ledger:
    entries: pd.DataFrame = field(default_factory=lambda: pd.DataFrame({"account": ["x"], "amount": [5.0]}))
    currency: str = "EUR"
    notes: list = field(default_factory=list)
    def total(self):
        return self.entries["amount"].sum()
"""
LIGHT = r"""from enum import Enum
class Light(Enum):
    RED = 1
    GREEN = 2
    def opposite(self):
        return Light.GREEN if self is Light.RED else Light.RED
"""
MISSING = [
    ('rows = [{"a": 1}, {"a": 2}]\nsorted(rows, key=lambda r: r["a"])[0].itemss()', "itemss"),
    ("total = []\nfor n in range(3):\n    total.append(str(n))\ntotal[0].uper()", "uper"),
    ('[word.upper() for word in "a b".split()][0].uper()', "uper"),
    ('for place, word in enumerate(["a".upper(), "b".upper()]):\n    word.uper()', "uper"),
    ('for one, two in zip("ab", "cd"):\n    one.uper()', "uper"),
    ('def words():\n    yield "a".upper()\nmax(words()).uper()', "uper"),
    ("{n: str(n) for n in range(3)}[1].uper()", "uper"),
    (LEDGER + 'Ledger().entries["amountt"]', "amountt"),
    (LEDGER + "Ledger().curr", "curr"),
    (LEDGER + 'Ledger(currenci="USD")', "currenci"),
    (LEDGER + "Ledger().currency.upperr()", "upperr"),
    (LEDGER + 'Ledger(df, "USD").entries["amount"]', "amount"),
    (LEDGER + "Ledger().totall()", "totall"),
    (LEDGER + "@dataclass(eq=False)\nclass More(Ledger):\n    limit: int = 3\nMore(limitt=2)", "limitt"),
    (LEDGER + "@dataclass\nclass More(Ledger):\n    limit: int = 3\nMore().entries['limit']", "limit"),
    (
        DATACLASS
        + "@dataclass\nclass A:\n    x: str = 'a'\n    def __post_init__(self):\n        self.y = self.x.upperr()\nA()",
        "upperr",
    ),
    ("def parts(v):\n    for n in range(2):\n        yield v[n:]\nfor part in parts(a):\n    part.meann()", "meann"),
    ("def parts(t):\n    yield t\n[one['prise'] for one in parts(df)]", "prise"),
    ("def parts(v):\n    yield v.meann()\nlist(parts(a))", "meann"),
    (
        "def inner(t):\n    yield t\ndef parts(t):\n    yield from inner(t)\nfor t in parts(df):\n    t['prise']",
        "prise",
    ),
    ("(pl.col('a') * 2).alis('b')", "alis"),
    ("(2 - pl.col('a')).sum().alis('b')", "alis"),
    ("(pl.col('a') > 1).alis('b')", "alis"),
    ("(~(pl.col('a') > 1)).alis('b')", "alis"),
    ("df.loc[df['price'] > 1].copyy()", "copyy"),
    ("x = df.loc[df['price'] > 1].copy()\nx['prise']", "prise"),
    ("df.loc[df['price'] > 1, 'price'].meann()", "meann"),
    ("df.loc[:, ['price', 'qty']]['city']", "city"),
    ("x = np.ones(3) / np.sqrt(a.shape[0])\nx.meann()", "meann"),
    ("v = np.eye(4) @ np.ones(4)\nv /= np.linalg.norm(v)\nv.argmaxx()", "argmaxx"),
    ("x = np.random.default_rng(0).normal(size=(4, 2))\n(x[:, 0] > 0).as_type(int)", "as_type"),
    ("np.random.default_rng(0).normal(0, 1, 50).meann()", "meann"),
    (
        "from sklearn.linear_model import LinearRegression\nLinearRegression().fit([[1]], [1]).coef_.rounded(1)",
        "rounded",
    ),
    ("pd.to_datetime(df['day']).dt.tz_localise('UTC')", "tz_localise"),
    ("pd.to_datetime(df['day']).dt.tz_localize('UTC').dt.tz_converted('UTC')", "tz_converted"),
    ("pd.to_numeric(df['price']).summ()", "summ"),
    ("pd.crosstab(df['city'], df['day'], values=df['price'], aggfunc='summ')", "summ"),
    ("sns.catplot(data=df, x='city', y='price', kind='bar', heighting=3)", "heighting"),
    ("sns.relplot(data=df, x='qty', y='price', kind='line', line_width=3)", "line_width"),
    ("sns.displot(data=df, x='price', binz=3)", "binz"),
    ("sns.catplot(data=df, x='city', y='price').set_axis_label('a', 'b')", "set_axis_label"),
    ("from pathlib import Path\nPath('a.csv').suffix.lstripp('.')", "lstripp"),
    ("from pathlib import Path\nPath('a/b.csv').parent.namee", "namee"),
    ("duckdb.connect().executes('SELECT 1')", "executes"),
    ("duckdb.connect().execute('SELECT 1 AS one').df().heads()", "heads"),
    ("shop.join(shop, on='a', how='iner')", "iner"),
    (LIGHT + "Light.REDD", "REDD"),
    (LIGHT + "Light.RED.names", "names"),
    (
        LIGHT + "def step(light):\n    return Light.GREEN if light is Light.RED else Light.YELOW\nstep(Light.GREEN)",
        "YELOW",
    ),
    ("f, axes = plt.subplots(len('ab'), 2, squeeze=False)\nfor ax in axes.ravel():\n    ax.imshow_df(1)", "imshow_df"),
]
REGISTER = r"""def register(**options):
    def wrap(kind):
        kind.__init__ = lambda self, *parts, **more: None
        return kind
    return wrap
"""
THERE = [
    REGISTER + "@register()\nclass A:\n    x: int = 1\nA(1, 2, z=3).x",
    REGISTER + "@register(order=True)\nclass A:\n    x: int = 1\nA(1, 2, z=3).x",
    LIGHT
    + "Light(1).name, Light['RED'].value.bit_length(), [l.value for l in Light], Light.RED.opposite().name, Light.__members__",
    LIGHT + "Light.RED.value.bit_length(), Light.GREEN.name.lower(), Light.mro(), Light.RED == Light.GREEN, len(Light)",
    "from enum import Flag, auto\nclass F(Flag):\n    A = auto()\n    B = auto()\n(F.A | F.B).value, F.A.name",
    "from enum import Enum\nclass E(str, Enum):\n    A = 'x'\nE.A.upper()",
    "from enum import StrEnum, auto\nclass E(StrEnum):\n    A = auto()\nE.A.upper(), E.A.value.title(), E.A.name",
    "from enum import IntEnum\nclass E(IntEnum):\n    A = 1\nE.A.bit_length(), E.A.value + 1",
    "f, axes = plt.subplots(1, 2, squeeze=False)\naxes[0, 1].plot([1]), axes.shape, axes[0][0].grid(True)",
    LEDGER
    + 'Ledger(df).entries["price"], Ledger().total(), Ledger(notes=[1]).notes.append(2), Ledger().currency.lower()',
    LEDGER + 'book = Ledger()\nbook.more = 1\nbook.more.bit_length()\nbook.entries["new"] = 1\nbook.entries["new"]',
    DATACLASS + "@dataclass(order=True)\nclass A:\n    x: int\n    y: int = 2\nasdict(replace(A(1), y=3))",
    DATACLASS
    + "from dataclasses import KW_ONLY\n@dataclass\nclass A:\n    x: int\n    _: KW_ONLY\n    y: int = 2\nA(1, y=3).y",
    DATACLASS + "@dataclass\nclass A:\n    x: int\n@dataclass\nclass B(A):\n    y: int = 2\nB(1, y=3).y.bit_length()",
    DATACLASS + "@dataclass(kw_only=True)\nclass A:\n    x: int\n    y: int = 2\nA(y=3, x=1).y.bit_length()",
    DATACLASS + "@dataclass\nclass A:\n    x: int = field(init=False, default=1)\nA().x",
    DATACLASS
    + "from typing import ClassVar\n@dataclass\nclass A:\n    seen: ClassVar[set] = set()\n    x: int = 1\nA.seen.add(A(2).x)",
    "def parts(v):\n    for n in range(2):\n        yield v[n:]\nfor part in parts(a):\n    part.mean()\nnext(parts(a)).sum()",
    "def either(t, yes):\n    if yes:\n        yield t\n    yield 'text'\nfor one in either(df, False):\n    one.upper()",
    "from contextlib import contextmanager\n@contextmanager\ndef kept(t):\n    yield t\nwith kept(df) as t:\n    t['price']",
    "def echo():\n    got = yield\n    got.append(1)\ng = echo()\nnext(g)",
    "prices = df.set_index(pd.to_datetime(df['day']))\nprices.index.max().strftime('%d')",
    "df.loc[df['price'] > 1].sum(), df.loc[df['price'] > 1, 'price'].mean(), df.loc[[0]]['price'], df.loc[0]['price']",
    "df.loc[df['price'] > 0, ['price', 'city']]['city'].str.upper()",
    "df.set_index('city').loc['a', 'price'] + 1",
    "rows, columns = np.eye(3).shape\nrows.bit_length(), np.eye(3).shape[0].bit_length(), np.eye(3).shape[1:]",
    "v = np.ones(3)\nv *= 2\nv -= v.mean()\nv.round(2)",
    "x = np.ones(3)\nx = x + pd.Series([1, 2, 3])\nx.to_frame()",
    "rng = np.random.default_rng(0)\nrng.normal().is_integer(), rng.choice(['a', 'b']).upper(), rng.integers(3) + 1",
    "rng = np.random.default_rng(0)\nrng.choice(5, 3).mean(), rng.normal(0, 1, (2, 2)).T, rng.permutation(3).sum()",
    "pd.to_datetime('2024-01-01').strftime('%d'), pd.to_datetime(['2024-01-01']).strftime('%d'), pd.to_numeric('3')",
    "pd.to_datetime(df['day']).dt.isocalendar().week, pd.to_datetime(df['day']).dt.to_period('M').dt.month",
    "pd.to_datetime(df['day']).dt.floor('D').dt.strftime('%d').str.zfill(3)",
    "sns.catplot(data=df, x='city', y='price', kind='bar', errorbar=None, edgecolor='k', width=0.5).set_axis_labels('a', 'b')",
    "sns.relplot(data=df, x='qty', y='price', kind='line', linewidth=2, marker='o', col='city')",
    "sns.relplot(data=df, x='qty', y='price', s=40, alpha=0.5, edgecolor='w')",
    "sns.displot(data=df, x='price', bins=2, kde=True, element='step', stat='density')",
    "sns.catplot(data=df, x='city', y='price', kind='box', whis=2, fliersize=3, showfliers=False)",
    "connection = duckdb.connect()\nconnection.register('t', df)\nconnection.execute('SELECT price FROM t').df()['price']",
    "duckdb.connect().execute('SELECT 1').fetchall()[0]\nduckdb.sql('SELECT 1 AS one').df()['one']",
    "from pathlib import Path\nPath('a/b.csv').parent.name.upper(), Path('a.csv').stem, Path('a').parents[0], Path('a').parts",
    "pd.crosstab(df['city'], df['day'], values=df['price'], aggfunc='sum')",
    "shop.join(shop, on='a', how='left')",
]


@pytest.fixture
def namespace() -> dict[str, object]:
    mpl.use("agg")
    days = ["2024-01-01", "2024-01-02", "2024-01-03"]
    return {
        "pd": pd,
        "np": np,
        "pl": pl,
        "plt": plt,
        "sns": sns,
        "duckdb": duckdb,
        "a": np.arange(4.0),
        "df": pd.DataFrame({"price": [1, 2, 3], "qty": [3, 4, 5], "city": list("aba"), "day": days}),
        "shop": pl.DataFrame({"a": [1]}),
    }


def run(source: str, namespace: dict[str, object]) -> None:
    exec(compile(source, "<cell>", "exec", dont_inherit=True), {**namespace, "__name__": "__main__"})


@pytest.mark.parametrize(("source", "name"), MISSING)
def test_what_is_not_there_is_found(namespace: dict[str, object], source: str, name: str) -> None:
    (finding,) = check(source, namespace)
    assert f"`{name}`" in finding.message
    with pytest.raises(Exception, match=name):
        run(source, namespace)


@pytest.mark.parametrize("source", THERE)
def test_what_is_there_is_not_reported(namespace: dict[str, object], source: str) -> None:
    assert check(source, namespace) == []
    run(source, namespace)
