"""A loop that fills, counts, adds up or looks for something has a candidate in one line; what means more, or says why, has none."""

from __future__ import annotations

import pytest

from spark_jupyter.refactoring.simplify import shorter


@pytest.mark.parametrize(
    ("source", "becomes", "words"),
    [
        ("out = []\nfor x in xs:\n    if x > 1:\n        out.append(x * 2)\nout", "out = [x * 2 for x in xs if x > 1]\nout", "5 lines → 2"),
        ("out = []\nfor i in range(len(prices)):\n    out.append(prices[i] * 2)", "out = [price * 2 for price in prices]", "3 lines → 1"),
        ("out = []\nfor i in range(len(xs)):\n    out.append(xs[i] * i)", "out = [xs[i] * i for i in range(len(xs))]", "3 lines → 1"),
        ("d = {}\nfor k, v in pairs:\n    d[k] = v + 1", "d = {k: v + 1 for k, v in pairs}", "3 lines → 1"),
        ("s = set()\nfor x in xs:\n    s.add(x % 3)", "s = {x % 3 for x in xs}", "3 lines → 1"),
        ("n = 0\nfor x in xs:\n    if x:\n        n += 1", "n = sum(1 for x in xs if x)", "4 lines → 1"),
        ("ok = False\nfor x in xs:\n    if x > 3:\n        ok = True\n        break", "ok = any(x > 3 for x in xs)", "5 lines → 1"),
        ("if a:\n    x = 1_000\nelse:\n    x = \"b\"", "x = 1_000 if a else \"b\"", "4 lines → 1"),
        ("t = df.groupby('a')\nt = t['b'].sum()\nt = t.reset_index()\nt", "t = df.groupby('a')['b'].sum().reset_index()\nt", "4 lines → 2"),
        ("ü = 'é'\nn = 0\nfor x in xs:\n    n += x  \nprint(ü)", "ü = 'é'\nn = sum(x for x in xs)  \nprint(ü)", "5 lines → 3"),
    ],
)  # fmt: skip
def test_what_is_said_at_length_is_said_in_a_line(source, becomes, words):
    assert tuple(next(shorter(source))) == (becomes, words)


def test_two_loops_of_a_cell_are_first_shortened_both_then_each_by_itself():
    a, b = "a = []\nfor x in xs:\n    a.append(x + 1)\n", "b = []\nfor y in ys:\n    b.append(y + 1)\n"
    both, one, other = (found.source for found in shorter(a + b))
    assert both == "a = [x + 1 for x in xs]\nb = [y + 1 for y in ys]\n"
    assert one == "a = [x + 1 for x in xs]\n" + b
    assert other == a + "b = [y + 1 for y in ys]\n"


@pytest.mark.parametrize(
    "source",
    [
        "a = []\nfor x in xs:\n    # this one first, since it is cheap\n    a.append(x)",
        "seen = []\nfor x in xs:\n    if x not in seen:\n        seen.append(x)",
        "a = [0]\nfor x in xs:\n    a.append(x)",
        "a = b = []\nfor x in xs:\n    a.append(x)",
        "a = []\nfor x in xs:\n    a.append(x)\n    print(x)",
        "a = []\nfor x in xs:\n    a.append(x)\nelse:\n    print(a)",
        "a = []\nfor x in xs:\n    b.append(x)",
        "a = []\nfor x in xs:\n    a.append(lambda: x)",
        "a = []\nfor x in xs:\n    a.append((y := x))",
        "out = []\nfor i in range(len(prices)):\n    out.append(prices[i] + price)\nprice = i",
        "a = []\nfor x in xs:\n    a.append(x, 1)",
        f"a = []\nfor x in xs:\n    a.append(x + {'1' * 90})",
        "n = 1\nfor x in xs:\n    n += x",
        "n = 0\nfor x in xs:\n    n -= x",
        "ok = False\nfor x in xs:\n    if x:\n        ok = True",
        "if a:\n    x = 1\nelse:\n    y = 2",
        "if a:\n    x = 1",
        "t = load()\nt = t.dropna()",
        "t = load()\nt = t.join(t)\nt = t.dropna()",
        "x = 1\ny = 2",
        "for x in xs print(x)",
        "!ls\na = []\nfor x in xs:\n    a.append(x)",
    ],
)
def test_what_means_more_or_is_hardly_shorter_is_left_alone(source):
    wanted = "price + price" if "price + " in source else ""
    assert [one.source for one in shorter(source) if wanted in one.source] == []
