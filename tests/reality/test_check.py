"""The reality check on single lines: what does not exist is found, what exists is silent."""

from __future__ import annotations

import importlib.machinery
import sys
import types

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.linalg
import scipy.stats
import seaborn as sns
import sklearn.feature_extraction.text
import sklearn.linear_model
import sklearn.preprocessing

from spark_jupyter.reality import Checker, check

LOADED = (plt, scipy.stats, sns, sklearn.linear_model, sklearn.preprocessing, sklearn.feature_extraction.text)


@pytest.fixture
def namespace():
    penguins = pd.DataFrame({"species": ["a", "b"], "mass": [1.0, 2.0], "year": [2007, 2008]})
    return {
        "np": np,
        "pd": pd,
        "plt": plt,
        "sns": sns,
        "stats": scipy.stats,
        "df": penguins,
        "names": ["a"],
        "text": "a",
    }


def rules(source, namespace, **options):
    return [finding.rule for finding in check(source, namespace, **options)]


INVENTED = [
    ("undefined-name", "total", "print(total)"),
    ("undefined-name", "bar", "def f():\n    return bar\n"),
    ("undefined-name", "x", "x = 1\ndel x\nx"),
    ("undefined-name", "i", "[i for j in range(3)]"),
    ("undefined-name", "item", "len(item for item in names)\nitem"),
    ("missing-module", "numpyy", "import numpyy"),
    ("missing-module", "scipy.statistics", "import scipy.statistics"),
    ("missing-module", "nothing_here", "from nothing_here import it"),
    ("missing-attribute", "arrange", "from numpy import arrange"),
    ("missing-attribute", "eigenvals", "np.linalg.eigenvals(np.eye(2))"),
    ("missing-attribute", "append_all", "names.append_all([1])"),
    ("missing-attribute", "uper", "text.uper()"),
    ("missing-attribute", "uper", "f'{text}'.uper()"),
    ("missing-attribute", "push", "[1, 2].push(3)"),
    ("missing-attribute", "has_key", "{}.has_key('a')"),
    ("missing-attribute", "reshapes", "np.arange(6).reshapes(2, 3)"),
    ("missing-attribute", "meann", "(np.zeros(3) * 2 + 1).meann()"),
    ("missing-attribute", "meann", "np.random.default_rng().normal(size=3).meann()"),
    ("missing-attribute", "coeff_", "m = sklearn.linear_model.LinearRegression().fit(X, y)\nm.coeff_"),
    ("missing-attribute", "groupBy", "df.groupBy('species')"),
    ("missing-attribute", "to_list", "df.groupby('species').agg('mean').reset_index().to_list()"),
    ("missing-attribute", "uppercase", "df['species'].str.uppercase()"),
    ("missing-attribute", "colour", "df.colour"),
    ("missing-attribute", "shape", "df.head.shape"),
    ("unknown-keyword", "seperator", "pd.read_csv(text, seperator=';')"),
    ("unknown-keyword", "ascnding", "df.sort_values('mass', ascnding=False)"),
    ("unknown-keyword", "axes", "np.concatenate([a, b], axes=0)"),
    ("unknown-keyword", "keepdim", "np.zeros((2, 2)).sum(keepdim=True)"),
    ("unknown-keyword", "scal", "stats.norm.rvs(scal=2)"),
    ("unknown-keyword", "intercept", "sklearn.linear_model.LinearRegression(intercept=True)"),
    ("unknown-keyword", "z", "def f(x, y=2):\n    return x + y\n\nf(1, z=3)"),
    ("too-many-arguments", "2", "def f(x, y=2):\n    return x\n\nf(1, 2, 3)"),
    ("too-many-arguments", "upper", "'a'.upper(1)"),
    ("missing-argument", "new", "'a'.replace('b')"),
    ("missing-column", "sepal", "df['sepal']"),
    ("missing-column", "sepal", "df[['mass', 'sepal']]"),
    ("missing-column", "sepal", "df['x'] = df['sepal'] * 2"),
    ("missing-column", "sepal", "df['sepal'] += 1"),
    ("missing-column", "sepal", "df.groupby('sepal').mean()"),
    ("missing-column", "sepal", "df.groupby('species')['sepal'].mean()"),
    ("missing-column", "sepal", "df.groupby('species').agg(m=('sepal', 'mean'))"),
    ("missing-column", "sepal", "df.agg({'sepal': 'mean'})"),
    ("missing-column", "sepal", "df.sort_values(['mass', 'sepal'])"),
    ("missing-column", "sepal", "df.drop(columns='sepal')"),
    ("missing-column", "sepal", "df.drop('sepal', axis=1)"),
    ("missing-column", "sepal", "df.drop_duplicates(subset=['sepal'])"),
    ("missing-column", "sepal", "df.set_index('sepal')"),
    ("missing-column", "sepal", "df.pivot(index='sepal', columns='year', values='mass')"),
    ("missing-column", "sepal", "df.merge(df, on='sepal')"),
    ("missing-column", "sepal", "pd.merge(df, df, on='sepal')"),
    ("missing-column", "sepal", "df.loc[:, 'sepal']"),
    ("missing-column", "sepal", "df.loc[df['mass'] > 1, 'sepal']"),
    ("missing-column", "sepal", "df[df['mass'] > 1]['sepal']"),
    ("missing-column", "sepal", "df.assign(b=lambda d: d['sepal'])"),
    ("missing-column", "sepal", "sns.scatterplot(data=df, x='sepal', y='mass')"),
    ("missing-column", "sepal", "df.plot(x='sepal')"),
    ("missing-column", "mass", "df2 = df.rename(columns={'mass': 'grams'})\ndf2['mass']"),
    ("missing-column", "mass", "df.drop(columns=['mass'])['mass']"),
    ("missing-column", "b", "pd.DataFrame({'a': [1]})['b']"),
    ("missing-column", "b", "pd.DataFrame([[1]], columns=['a'])['b']"),
    ("missing-column", "b", "pd.DataFrame([{'a': 1}])['b']"),
]


@pytest.mark.parametrize(("rule", "name", "source"), INVENTED)
def test_what_does_not_exist_is_found(namespace, rule, name, source):
    findings = check(source, {**namespace, "sklearn": sklearn, "X": 1, "y": 1, "a": 1, "b": 1})
    assert [finding.rule for finding in findings] == [rule]
    assert name in findings[0].message
    assert findings[0].origin == "reality"
    assert findings[0].cwe is None


VALID = [
    "import os.path\nos.path.join('a')",
    "import xml.etree.ElementTree as ET\nET.parse('f')",
    "try:\n    import cudf as frames\nexcept ImportError:\n    import pandas as frames\nframes.DataFrame()",
    "try:\n    nothing\nexcept NameError:\n    nothing = 1\nnothing",
    "import contextlib\nwith contextlib.suppress(KeyError):\n    df['sepal']",
    "if 'sepal' in df:\n    df['sepal']",
    "if 'sepal' in df.columns and len(df['sepal']):\n    pass",
    "hasattr(np, 'foo') and np.foo",
    "x = df['sepal'] if 'sepal' in df else 1",
    "def f():\n    return later\nlater = 1\nf()",
    "class A:\n    b = 1\n    c = b\n    def m(self):\n        return self.zzz\n",
    "for i in range(3):\n    pass\ni",
    "for k in range(2):\n    if k:\n        df['new']\n    df['new'] = k",
    "while False:\n    w = 1\nw",
    "if df is None:\n    v = 1\nelse:\n    v = 2\nv",
    "with open('f') as f:\n    pass\nf",
    "[a for a in range(3) if (b := a)]\nb",
    "match df:\n    case {'k': v, **rest}:\n        v, rest\n    case [first, *others]:\n        first, others",
    "lambda q, *r, s=1, **t: (q, r, s, t)",
    "exec('z = 1')\nz",
    "globals()['z'] = 1\nz",
    "from numpy.linalg import *\nnorm([1])",
    "from . import local\nlocal.x",
    "global g\ng = 1\ng",
    "get_ipython().run_line_magic('x', '')\ndisplay(df)\nIn, Out, _, __, _i, _1, _oh",
    "__name__, __file__",
    "import asyncio\nawait asyncio.sleep(0)",
    "async with open('x') as f:\n    pass",
    "df.mass, df.species, df.shape, df.T, df.iloc[0].mass",
    "df['new'] = 1\ndf['new'], df.new, df[['new']]",
    "df.loc[:, 'new'] = 1\ndf['new']",
    "df.insert(0, 'first', 1)\ndf['first']",
    "df.columns = ['a', 'b', 'c']\ndf['a']",
    "df2 = df\ndf2['new'] = 1\ndf['new']",
    "df.rename(columns={'mass': 'm'}, inplace=True)\ndf['m']",
    "df.rename(columns=str.upper)['MASS']",
    "df.groupby('species').mean().reset_index()['species']",
    "df.groupby('species', as_index=False).agg(m=('mass', 'mean'))['m']",
    "df.groupby('species')['mass'].agg(['mean', 'std'])['mean']",
    "df.groupby('species').mass.mean()",
    "df.set_index('species').sort_values('species').reset_index().species",
    "df.merge(df, on='species')['mass_x']",
    "df.merge(df, on='species', suffixes=('_l', '_r'))['mass_l']",
    "df.melt(id_vars='species')['variable']",
    "df.melt(id_vars='species', var_name='k')['k']",
    "df.pivot_table(index='species', columns='year', values='mass')[2007]",
    "pd.get_dummies(df)['species_a']",
    "pd.concat([df, df], axis=1)['mass']",
    "df.describe().loc['mean', 'mass']",
    "df.apply(lambda row: row['mass'], axis=1)",
    "df.assign(a=1, b=lambda d: d['a'])['b']",
    "df.eval('q = mass * 2')['q']",
    "def add(frame):\n    frame['new'] = 1\nadd(df)\ndf['new']",
    "df.drop(columns='sepal', errors='ignore')",
    "df.filter(items=['sepal'])",
    "pd.Series({'a': 1}).a",
    "s = pd.Series([1], index=['lab'])\ns.lab",
    "np.sign(df).head()",
    "np.array([(1, 2)], dtype=[('x', int), ('y', int)]).view(np.recarray).x",
    "np.float64(1).is_integer()",
    "np.float64.mro()",
    "np.linalg.eig(np.eye(2)).eigenvalues",
    "u, s, vt = np.linalg.svd(np.eye(2))\ns.max()",
    "stats.norm(loc=1).rvs(size=3, random_state=1).mean()",
    "stats.linregress([1, 2], [1, 2]).slope",
    "a, b = stats.gamma.fit([1, 2])[:2]",
    "plt.subplots(subplot_kw={'projection': '3d'})[1].plot_surface(1, 2, 3)",
    "ax = plt.gca()\nax.set_zlim(1)",
    "plt.plot([1], [2], color='red', label='x')",
    "df.plot.bar(x='species', y='mass').set_ylabel('mass')",  # pandas says of itself that it gives an accessor
    "sns.scatterplot(data=df, x='mass', y='year', hue='species')",
    "sns.scatterplot(data=df, x=df['mass'], y=[1, 2])",
    "v = sklearn.feature_extraction.text.TfidfVectorizer().fit_transform(['a'])\nv.toarray()",
    "s = sklearn.preprocessing.StandardScaler().set_output(transform='pandas')\ns.fit_transform(df).head()",
    "import types\nn = types.SimpleNamespace(a=1)\nn.a",
    "import argparse\nargparse.ArgumentParser().parse_args().verbose",
    "class T(Exception):\n    pass\ntry:\n    raise T\nexcept T as e:\n    e.extra",
    "from enum import Enum\nclass C(Enum):\n    RED = 1\nC.RED.value, C['RED'], C(1).name",
    "from collections import namedtuple\nP = namedtuple('P', 'x y')\nP(1, 2).x",
    "from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int\nD(a=1).a",
    "import unittest.mock\nunittest.mock.Mock().anything.at.all(1, x=2)",
    "setattr(df, 'note', 1)\ndf.note",
    "np.extra = 1\nnp.extra",
    "print(*names, **{'sep': ''})",
    "dict(a=1)['a']",
    "''.join(str(x) for x in [1])",
    "def deco(f):\n    def g(*a, **k):\n        return f(a[0])\n    return g\n@deco\ndef g(x):\n    return x\ng(1, anything=2)",
    "x: int = 1\nx",
    "from __future__ import annotations\nq: Undefined = 1",
    "%matplotlib inline\n!ls -l\nfiles = !ls\nfiles[0]\n%time r = 1\nr\ndf?\n?df",
    "%%time\nx = 1\nx",
    "%%bash\nnot python $x",
    "%%html\n<b>x</b>",
    "ls\npwd",
    "%run other.py\nfrom_other",
    "!pip install notthere\nimport notthere",
    "!{sys.executable} -m pip install notthere\nimport notthere",
    "x = (\n",
    "for x in\nprint(x)",
    "",
    "\n\n# only a comment",
    "'''a string\nspread'''",
]  # fmt: skip


@pytest.mark.parametrize("source", VALID)
def test_what_can_be_is_not_reported(namespace, source):
    assert check(source, {**namespace, "sklearn": sklearn}) == []


def test_the_nearest_real_name_and_its_signature_are_in_the_remedy(namespace):
    (finding,) = check("df.sort_value('mass')", namespace)
    assert "`sort_values`" in finding.remedy
    assert "sort_values(by" in finding.remedy
    assert (finding.line, finding.column) == (1, 3)
    (finding,) = check("x = 1\ndf['spcies']", namespace)
    assert finding.line == 2
    assert "`species`" in finding.remedy
    assert "mass" in finding.remedy
    (finding,) = check("pd.read_csv('f', seperator=',')", namespace)
    assert "`sep`" in finding.remedy


def test_a_module_that_pip_knows_under_another_name_says_so(namespace):
    (finding,) = check("import serial", namespace)
    assert "pyserial" in finding.remedy


def test_earlier_cells_define_names_and_are_not_reported_themselves(namespace):
    earlier = ["import math as m\nundefined_there", "df['new'] = 1\ndef helper(a): pass"]
    assert check("m.sqrt(2)\ndf['new']\nhelper(1)", namespace, earlier=earlier) == []
    assert rules("m.squirt(2)\nhelper(b=1)", namespace, earlier=earlier) == ["missing-attribute", "unknown-keyword"]


def test_statements_after_a_fault_in_the_text_are_still_judged(namespace):
    assert rules("x = = 1\ndf['sepal']\n", namespace) == ["missing-column"]


def test_a_statement_is_judged_when_it_is_complete(namespace):
    checker = Checker(namespace)
    assert checker.feed("df['se") == []
    assert checker.feed("pal'] + (") == []
    assert checker.feed("1\n") == []
    (finding,) = checker.feed(")\n")
    assert finding.rule == "missing-column"
    assert checker.feed("if df.empty:\n    np.foo\n") == []
    (finding,) = checker.feed("y = 1\n")
    assert (finding.rule, finding.line) == ("missing-attribute", 4)
    assert checker.feed("zzz") == []
    (finding,) = checker.flush()
    assert finding.rule == "undefined-name"


@pytest.mark.parametrize("size", [1, 2, 7])
def test_any_cutting_of_the_text_gives_the_same_findings(namespace, size):
    source = "\n".join(case[2] for case in INVENTED)
    whole = check(source, namespace)
    checker = Checker(namespace, patience=60)
    found = []
    for start in range(0, len(source), size):
        found += checker.feed(source[start : start + size])
    found += checker.flush()
    assert sorted(found, key=lambda f: (f.line, f.column, f.rule)) == sorted(
        whole, key=lambda f: (f.line, f.column, f.rule)
    )


def test_windows_line_ends_change_nothing(namespace):
    source = "x = 1\ndf['sepal']\nif x:\n    np.foo\n"
    assert check(source.replace("\n", "\r\n"), namespace) == check(source, namespace)


def test_a_live_instance_is_known_with_its_own_attributes(namespace):
    class Thing:
        def __init__(self):
            self.a = 1

        def set(self):
            self.later = 2

    thing = Thing()
    thing.own = 3
    namespace["thing"] = thing
    assert check("thing.a, thing.own, thing.later, thing.set()", namespace) == []
    assert rules("thing.b", namespace) == ["missing-attribute"]
    assert rules("thing.set(1)", namespace) == ["too-many-arguments"]


def test_a_module_of_the_users_with_a_getattr_is_left_alone(namespace):
    module = types.ModuleType("mine")
    module.__getattr__ = lambda name: (_ for _ in ()).throw(AssertionError("user code was run"))
    namespace["mine"] = module
    assert check("mine.anything", namespace) == []


def test_a_lazy_module_has_what_a_function_that_its_getattr_calls_knows(namespace):
    namespace["go"] = pytest.importorskip("plotly.graph_objects")
    assert check("go.Bar(x=[1])\ngo.Figure()\ngo.FigureWidget", namespace) == []
    assert rules("go.Barr(x=[1])", namespace) == ["missing-attribute"]


def test_the_kernels_tables_are_not_changed_by_looking(namespace):
    before = namespace["df"].copy()
    check("df['new'] = 1\ndel df['mass']\ndf.drop(columns='year', inplace=True)", namespace)
    pd.testing.assert_frame_equal(namespace["df"], before)
    assert rules("df['mass']\ndf['new']", namespace) == ["missing-column"]


@pytest.mark.parametrize(
    "source",
    [
        "sales.groupby('region')['price'].mean().sort_values(ascending=False)",
        "sales.groupby('region')['price'].mean().round(2).sort_values()",
        "sales.groupby('region').size().sort_values()",
        "sales.groupby('region').price.sum().sort_values()",
    ],
)
def test_what_may_be_a_series_or_a_table_is_not_judged_as_a_table(source):
    sales = pd.DataFrame({"region": ["a", "b"], "price": [1.0, 2.0]})
    assert check(source, {"sales": sales}) == []


def test_what_only_a_docstring_says_is_a_warning():
    said, known = check("linalg.inv(a).to_frame()\na.to_frame()\n", {"linalg": scipy.linalg, "a": np.eye(2)})
    assert (said.rule, said.severity) == ("missing-attribute", "warn")
    assert (known.rule, known.severity) == ("missing-attribute", "block")


@pytest.mark.parametrize(
    "source",
    [
        "df.groupby('species')['mass'].median().round(2).sort_values()",
        "df.groupby('species').head(2).sort_values('mass')",
        "df.groupby('species')['mass'].tail(1).to_frame()",
        "df.groupby('species').nth(0).reset_index()",
        "df.groupby('species')['mass'].cumsum().round(1)",
        "df.groupby('species')['mass'].rank().astype(int)",
        "df.groupby('species').first().sort_index()",
        "df.rolling(2, on='year')['mass'].median().round(1)",
        "df['mass'].rolling(2).median().round(1)",
        "df['mass'].resample('D').median().round(1)",
        "df['mass'].expanding().max().round(1)",
        "sns.boxplot(data=df, x='species', y='mass', color='lightgrey')",
        "sns.stripplot(data=df, x='species', y='mass', size=3, color='black')",
    ],
)
def test_what_grouped_data_and_plots_give_is_known_for_what_it_is(source, namespace):
    assert check(source, namespace) == []


def test_the_modules_that_can_be_imported_are_known_by_the_names_of_their_files_alone(tmp_path, monkeypatch):
    from importlib import metadata

    from spark_jupyter.reality import module_lookup

    def fail(*args):
        raise AssertionError("the lists of all distributions take seconds")

    monkeypatch.setattr(metadata, "packages_distributions", fail)
    for name in ("own_module.py", "native.cpython-311-x86_64-linux-gnu.so", "notes.txt", "data.csv", "not-a-name.py"):
        (tmp_path / name).touch()
    (tmp_path / "own_package").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    known = module_lookup.known_names()
    assert {"numpy", "sklearn", "json", "own_module", "own_package"} <= set(known)
    assert not {"notes", "data", "not-a-name"} & set(known)


def test_nothing_is_missing_in_a_module_that_another_thread_still_imports(namespace, monkeypatch) -> None:
    half = types.ModuleType("half")
    half.__spec__ = importlib.machinery.ModuleSpec("half", None)
    half.__spec__._initializing = True
    monkeypatch.setitem(sys.modules, "half", half)
    source = "import half\nhalf.later()\nfrom half import later\nwhole.later()"
    assert rules(source, {**namespace, "whole": half}) == []
    half.__spec__._initializing = False
    assert rules(source, {**namespace, "whole": half}) == ["missing-attribute"] * 3


def test_a_name_that_the_kernel_has_is_not_missed_for_a_cell_above_that_would_delete_it(namespace):
    assert check("df.head()", namespace, earlier=["raw = df\ndel raw, df"]) == []


@pytest.mark.parametrize(
    ("earlier", "source"),
    [
        (["%%writefile own_helper.py\ndef f(): return 1\n"], "from own_helper import f\nf()"),
        (["%%writefile -a tools/own_helper.py\nx = 1\n"], "from tools import own_helper"),
        (["from pathlib import Path\nPath('own_helper.py').write_text('x = 1')"], "import own_helper\nown_helper.x"),
        (
            [],
            "with open('own_package/__init__.py', 'w') as f:\n    f.write('x = 1')\nimport own_package\nown_package.x",
        ),
        ([], "import sys\nsys.path.insert(0, '../src')\nfrom own_package.core import run\nrun()"),
        (["!git clone https://example.org/own.git\n%cd own"], "import own_package.core"),
        (["%cd ../project"], "import own_package"),
        ([], "import subprocess\nsubprocess.run(['pip', 'install', 'unheard-of'], check=True)\nimport unheard_of"),
        ([], "import importlib\nown = importlib.import_module('own_package')\nown.run()"),
        (["%%bash --out listing\nls"], "print(listing)"),
        (
            [],
            "@pd.api.extensions.register_dataframe_accessor('gaps')\nclass G:\n    def __init__(self, f):\n        self.f = f\ndf.gaps.f",
        ),
        (
            ["import polars as pl\n@pl.api.register_expr_namespace('own')\nclass O:\n    pass"],
            "pl.col('a').own.twice()",
        ),
        (["%%bigquery sales\nSELECT 1"], "sales.head()"),
        (["%reload_kedro"], "catalog.load('sales')"),
    ],
)
def test_what_a_cell_above_writes_installs_or_defines_is_not_missed(namespace, earlier, source):
    assert check(source, namespace, earlier=earlier) == []


def test_a_module_is_found_as_soon_as_it_is_written(namespace, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    assert [one.rule for one in check("import written_later", namespace)] == ["missing-module"]
    (tmp_path / "written_later.py").write_text("x = 1")
    assert check("import written_later", namespace) == []


def test_writing_one_module_brings_no_other(namespace):
    found = check("import unheard_of", namespace, earlier=["%%writefile own_helper.py\nx = 1"])
    assert [one.rule for one in found] == ["missing-module"]


@pytest.mark.parametrize(
    "unrun",
    [
        "df = df.drop(columns='n')",
        "df.drop(columns='n', inplace=True)",
        "df = df[['m']].rename(columns={'m': 'k'})",
        "df = 3",
        "del df",
    ],
)
def test_what_the_kernel_has_counts_whatever_a_cell_that_was_not_run_would_make_of_it(unrun):
    namespace = {"df": pd.DataFrame({"n": [1], "m": [2]})}
    assert check("df['n'].sum()\ndf.groupby('m')['n'].sum()", namespace, unrun=[unrun]) == []


def test_what_neither_the_kernel_nor_a_cell_that_was_not_run_has_is_missing():
    namespace = {"df": pd.DataFrame({"n": [1]})}
    unrun = ["df['k'] = 1", "other = df[['n']]"]
    missing = check("df['k']\ndf['z']\nother['k']", namespace, unrun=unrun)
    assert [(finding.line, finding.wrong) for finding in missing] == [(2, "z"), (3, "k")]
    assert check("df['n']", namespace, earlier=["df = df.drop(columns='n')"]) != []


@pytest.mark.parametrize("call", ["f(1, 2)", "f(1, fast=True)", "m.fit(1, 2)", "m.fit(1, weights=2)"])
def test_a_call_that_suits_the_kernels_or_what_was_not_run_is_none_of_what_does_not_exist(call):
    class Kernels:
        def fit(self, a, b): ...

    namespace = {"f": lambda a, b: 0, "m": Kernels()}
    unrun = ["def f(a, *, fast=False): ...", "class M:\n    def fit(self, a, *, weights=None): ...\nm = M()"]
    assert check(call, namespace, unrun=unrun) == []
    assert check(call.replace("1", "1, 2, 3"), namespace, unrun=unrun) != []
