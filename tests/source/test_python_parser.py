"""Parsing that neither prints warnings nor changes what the user set."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import spark_jupyter
from spark_jupyter.source.python_parser import body_of, parse_python, symbols, tree_of

ROOT = Path(spark_jupyter.__file__).parent
ODD = ["x = '\\d'", "x = b'\\d'", "x = f'\\d{1}'", "x = 1if 1else 2", "x = '\\477'"]


@pytest.mark.parametrize("source", ODD)
@pytest.mark.parametrize("action", ["default", "always", "error"])
def test_it_says_nothing_whatever_the_user_set(source, action):
    program = f"""
import warnings
from spark_jupyter.source.python_parser import parse_python, symbols
parse_python("1")
warnings.simplefilter({action!r})
def own():
    return [one for one in warnings.filters if "<spark>" not in str(one)]
before = own()
parse_python({source!r})
symbols({source!r})
assert own() == before
warnings.warn("still the user's own", stacklevel=1)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode == 1) == (action == "error"), done.stderr
    assert "still the user's own" in done.stderr
    assert "invalid" not in done.stderr


def test_its_filter_stands_there_once_however_often_it_is_put_first():
    program = """
import warnings
from spark_jupyter.source.python_parser import FILENAME, parse_python
for number in range(5):
    warnings.filterwarnings("error", message=str(number))
    parse_python("x = '\\\\d'")
assert sum(FILENAME in str(one) for one in warnings.filters) == 1
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_it_reads_what_python_reads():
    assert isinstance(parse_python("a + b", "eval"), ast.Expression)
    assert isinstance(parse_python("await f()", top_level_await=True).body[0], ast.Expr)
    assert set(symbols("def f(): pass\ng = 1").get_identifiers()) == {"f", "g"}
    for wrong in ("a b", "a\0b", "'\\N{no such}'"):
        with pytest.raises((SyntaxError, ValueError)):
            parse_python(wrong)


ELSEWHERE = ("ast.parse", "symtable.symtable", "warnings.catch_warnings", "warnings.simplefilter")


def test_nothing_else_in_the_package_parses_python_or_changes_warnings():
    elsewhere = []
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "python_parser.py" or not any(name in text for name in ELSEWHERE):
            continue
        for node in ast.walk(parse_python(text)):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name in ELSEWHERE:
                elsewhere.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
    assert not elsewhere


def test_threads_that_parse_at_once_get_their_trees():
    """Python 3.11 raises a SystemError where another thread goes on in the middle of a tree, as at a collection of garbage."""
    program = """
import gc, sys, threading
from spark_jupyter.source.python_parser import parse_python

class Leaving:
    def __init__(self):
        self.itself = self
    def __del__(self):
        sum(range(50))

SOURCE = "\\n".join(f"def f{n}(a, b=1):\\n    return [a + b * {n} for x in range({n}) if x and (a or b)]" for n in range(60))
sys.setswitchinterval(1e-5)
gc.set_threshold(50)

def parse():
    for _ in range(150):
        for _ in range(30):
            Leaving()
        parse_python(SOURCE)

threads = [threading.Thread(target=parse) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert "Error" not in done.stderr, done.stderr


@pytest.mark.parametrize("text", ["%time x", "x = (1", "x = '\0'", "(" * 5_000 + ")" * 5_000])
def test_text_that_is_no_python_has_no_tree_and_no_statements(text):
    assert tree_of(text) is None
    assert body_of(text) == []


def test_statements_of_a_text_are_those_of_its_tree():
    assert [ast.unparse(one) for one in body_of("x = 1\nf(x)")] == ["x = 1", "f(x)"]
    assert tree_of("await f()") is not None
    assert tree_of("", top_level_await=True).body == []
