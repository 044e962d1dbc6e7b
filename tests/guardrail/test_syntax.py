"""A cell that does not parse is a finding; what IPython transforms parses."""

from __future__ import annotations

import sys

import pytest

from spark_jupyter.guardrail.syntax_check import check_syntax

BLOCKS = 20 if sys.version_info < (3, 13) else 21
"""Blocks that may stand in each other."""


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = (1,", 1),
        ("x = 1\nThis prints the value.", 2),
        ("def f():\nreturn 1", 2),
        ("print 'a'", 1),
        ("x = 1\n%time y = 2\nz = = 3", 3),
        ("%%time\nx = = 1", 2),
        ("s = '''never closed", 1),
        ("<|im_end|>", 1),
        ("x = 1\nreturn x", 2),
        ("class A:\n    return 1", 2),
        ("x = [(yield) for _ in y]", 1),
        ("for x in y:\n    pass\nelse:\n    break", 4),
        ("for x in y:\n    def f():\n        continue", 3),
        ("def f(a, a):\n    pass", 1),
        ("def f():\n    x = 1\n    global x", 3),
        ("*a = 1", 1),
        ("x = 1\na, *b, *c = x", 2),
        ("def f():\n    await g()", 2),
        ("async def f():\n    yield 1\n    return 2", 3),
        ("match x:\n    case a:\n        pass\n    case b:\n        pass", 2),
        ("try:\n    pass\nexcept:\n    pass\nexcept OSError:\n    pass", 3),
        ("def f():\n    from os import *", 2),
        ("__debug__ = 1", 1),
        ("x = 1\nfrom __future__ import annotations\nreturn x", 3),
        ("".join(f"{' ' * depth}for a in b:\n" for depth in range(30)) + " " * 30 + "pass", BLOCKS + 1),
    ],
)
def test_what_does_not_parse_blocks_at_its_line(source: str, line: int) -> None:
    finding = check_syntax(source)
    assert finding is not None
    assert finding.blocks
    assert (finding.rule, finding.line) == ("does-not-parse", line)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "# only a comment",
        "%matplotlib inline\nimport os",
        "await f()\nasync for x in y:\n    break",
        "f = lambda: (yield)\ndef g():\n    class A:\n        def h(self):\n            return 1\n    return A",
        "while True:\n    try:\n        break\n    finally:\n        pass\nelse:\n    x = 1",
        "!ls -l 'x\nx = 1",
        "files = !ls\nfiles",
        "if True:\n    %time x = 1",
        "for f in []:\n    !echo {f}",
        "%%bash\nfor f in *; do echo $f; done",
        "%%html\n<b>x</b>",
        "%%writefile a.py\nx = = 1",
        "%%time\nx = 1",
        "%timeit -n 3 -r 2 sum([1, 2])",
        "print?\nos??",
        "await f()\nasync with g() as h:\n    pass",
        "    x = 1\n    y = 2",
        ">>> x = 1\n>>> def f():\n...     return x",
        "s = '''\n%d items\n!x\n'''",
        "s = '\\d'",
        "x = 1,\n,f a b",
        "x = 1\nfrom __future__ import annotations\ny = 2",
        "x = 1 is 1",
        "[await f(x) async for x in y]",
    ],
)
def test_what_ipython_runs_is_no_finding(source: str) -> None:
    assert check_syntax(source) is None


def nested_finally(depth: int, end: str) -> str:
    begun = "".join(f"{' ' * at}try:\n{' ' * at} pass\n{' ' * at}finally:\n" for at in range(depth))
    return begun + " " * depth + end


def test_blocks_whose_code_doubles_with_each_are_not_compiled() -> None:
    assert check_syntax(nested_finally(19, "pass")) is None
    assert check_syntax(nested_finally(19, "return")) is not None
    assert check_syntax(nested_finally(3, "*a = 1")) is not None
