"""Putting other names into code: by its meaning, and nowhere else."""

from __future__ import annotations

import ast

import pytest

from spark_jupyter.server.engines.binding import bind
from spark_jupyter.server.engines.book import BookCell, Entry, Replacement
from spark_jupyter.server.engines.composition import compose
from spark_jupyter.server.engines.namespace import Column, Namespace, Variable, read
from spark_jupyter.server.engines.rewrite import Change, Role, rewrite


@pytest.mark.parametrize(
    ("source", "token", "new", "role", "expected"),
    [
        ("df.head(); pdf = 1; x.df", "df", "sales", "name", "sales.head(); pdf = 1; x.df"),
        ("def f(df):\n    return df.df", "df", "t", "name", "def f(t):\n    return t.df"),
        ("def go(n):\n    return go(n - 1)", "go", "run", "name", "def run(n):\n    return run(n - 1)"),
        ("global_df = 'df'  # df", "df", "t", "name", "global_df = 'df'  # df"),
        ("print(f'{df.shape} df {df!r:>{df}}')", "df", "t", "name", "print(f'{t.shape} df {t!r:>{df}}')"),
        ("df['mass']; df.mass; 'mass of it'", '"mass"', '"price"', "column", "df['price']; df.price; 'mass of it'"),
        ("df.mass.mean()", '"mass"', '"Unit price"', "column", 'df["Unit price"].mean()'),
        ("px(x='mass', mass=1)", '"mass"', '"a b"', "column", "px(x='a b', **{\"a b\": 1})"),
        ("df.query('mass > 1 and biomass')", '"mass"', '"p"', "column", "df.query('p > 1 and biomass')"),
        ("df.query('mass > 1')", '"mass"', '"a b"', "column", "df.query('`a b` > 1')"),
        ("ax.set_title('Histogram of mass')", '"mass"', '"price"', "column", "ax.set_title('Histogram of price')"),
        ("ax.set_title('The mass')", '"mass"', "('x', 'max')", "column", "ax.set_title('The x max')"),
        ("ax.set(xlabel='mass')", '"mass"', "('x', 'max')", "column", "ax.set(xlabel='x max')"),
        ("ax.set(xlabel='mass')", '"mass"', "0", "column", "ax.set(xlabel='0')"),
        ("ax.set_title(f'{n} mass')", '"mass"', '"it\'s {1}"', "column", "ax.set_title(f'{n} it’s (1)')"),
        ("ax.set(ylabel=f'{n} mass')", '"mass"', '"p"', "column", "ax.set(ylabel=f'{n} p')"),
        ("x = 'mass'; note('the mass')", '"mass"', '"p"', "column", "x = 'p'; note('the mass')"),
        ("cut(x, bins=20, n=20)\nbins = 20", "20", "5", "literal", "cut(x, bins=5, n=5)\nbins = 5"),
        ("True == 1; 1.0", "1", "2", "literal", "True == 2; 1.0"),
        ("df[['a', 'b']]; ['a']", '["a", "b"]', '["c"]', "list", "df[[\"c\"]]; ['a']"),
        ("df.x.mean(); agg('mean')", "mean", "sum", "choice", "df.x.sum(); agg('mean')"),
        ("größe = 'ä'; df['é'] ; df", "df", "t", "name", "größe = 'ä'; t['é'] ; t"),
    ],
)
def test_only_what_is_meant_is_replaced(source: str, token: str, new: str, role: Role, expected: str) -> None:
    changed = rewrite(source, [Change(token=token, new=new, role=role)])
    assert changed == expected
    ast.parse(changed)


def test_a_keyword_restricts_a_number_to_its_argument() -> None:
    source = "def f(n=20):\n    return hist(x, bins=20, n=20)\nbins = 20\nother = 20"
    changed = rewrite(source, [Change(token="20", new="5", role="literal", keyword="bins")])
    assert changed == "def f(n=20):\n    return hist(x, bins=5, n=20)\nbins = 5\nother = 20"


def test_two_names_can_be_swapped() -> None:
    changes = [Change(token="a", new="b"), Change(token="b", new="a")]
    assert rewrite("a, b = f(a), g(b)", changes) == "b, a = f(b), g(a)"


NAMES = ['a"b', "a'b", "a\\b", "a{b}", "a\nb", "a`b", "💩", "class", "x y"]


def constants(source: str) -> set[object]:
    return {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("source", ['df["c"]', "df['c']", "df.c", "df.assign(c=1)", "df.query('c > 1')['c']"])
def test_any_column_name_gives_python_that_names_that_column(source: str, name: str) -> None:
    changed = rewrite(source, [Change(token='"c"', new=Column(name).source, role="column")])
    names = {node.attr for node in ast.walk(ast.parse(changed)) if isinstance(node, ast.Attribute)}
    assert name in constants(changed) | names | {
        k.arg for k in ast.walk(ast.parse(changed)) if isinstance(k, ast.keyword)
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_does_not_fit_an_f_string_leaves_the_book_s_own(name: str) -> None:
    entry = Entry(
        title="T",
        book="B",
        phrasings=("show {x}",),
        replacements=(
            Replacement(token="df", kind="DataFrame", slot="df"),
            Replacement(token='"c"', kind="column", slot="x"),
        ),
        setup=('df = {"c": 1}',),
        cells=(BookCell("print(f\"c: {df['c']}\")"),),
    )
    frame = Variable(name="t", type="DataFrame", columns=(Column(name),))
    namespace = Namespace((frame,))
    answer = compose(entry, bind(entry, "show it", namespace), namespace)
    source = "\n".join(cell.source for cell in answer.cells)
    assert name in constants(source) or {"c"} <= constants(source)
    exec(source, {"t": {name: 2}})


def test_a_column_whose_label_is_no_python_is_left_out() -> None:
    (table,) = read("df: DataFrame (3 × 4): {[]:1} int64, Period(1) int64, 2024 int64, a int64").variables
    assert [column.name for column in table.columns] == ["2024", "a"]
