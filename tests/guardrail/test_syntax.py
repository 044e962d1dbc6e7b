"""A cell that does not parse is a finding; what IPython transforms parses."""

from __future__ import annotations

import pytest

from spark_jupyter.guardrail.syntax_check import check_syntax


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
    ],
)
def test_what_ipython_runs_is_no_finding(source: str) -> None:
    assert check_syntax(source) is None
