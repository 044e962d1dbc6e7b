"""Tests for the functions of a cell.

Each runs; what a function should give is for the user to say.
"""

from __future__ import annotations

import ast

from spark_jupyter.server.engines.edits import base
from spark_jupyter.server.engines.edits.hints import of_parameter, of_result

_VALUES = {"int": ("3", "0"), "float": ("2.5", "0.0"), "str": ('"abc"', '""'), "list": ("[3, 1, 2]", "[]"), "bool": ("True", "False"),
           "dict": ('{"a": 1}', "{}"), "set": ("{1, 2}", "set()"), "tuple": ("(1, 2)", "()")}  # fmt: skip
_OF_MANY = ("len", "sum", "max", "min", "sorted", "list", "set")
_WHAT = "    # What should it give? Write it here, for a usual case and for an odd one (empty, zero, negative):"


def write_tests(source: str) -> str | None:
    """A cell that tests the functions that ``source`` defines, None where it defines none.

    What a function should give can't be known from its code; the test says so where the user has to decide.
    """
    tree = base.parse(source)
    found = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith(("_", "test_"))
    ]
    if not found:
        return None
    tests = [_test(function) for function in found]
    calls = "\n".join(f"test_{function.name}()" for function in found)
    return "\n\n\n".join(tests) + f'\n\n\n{calls}\nprint("all tests passed")'


def _test(function: ast.FunctionDef) -> str:
    given = base.defaults(function)
    needed = [one for one in base.parameters(function) if one.arg not in given]
    hints = {
        one.arg: ast.unparse(one.annotation) if one.annotation else of_parameter(function, one.arg, None)
        for one in needed
    }
    hints |= {name: "list" for name, hint in hints.items() if not hint and _is_walked(function, name)}
    usual = [_VALUES.get(hints[one.arg].partition("[")[0], ("1", "0"))[0] for one in needed]
    call = f"{function.name}({', '.join(usual)})"
    result = (
        ast.unparse(function.returns)
        if function.returns
        else of_result(function, {k: v for k, v in hints.items() if v})
    )
    lines = [f"def test_{function.name}():", f"    result = {call}"]
    if result == "None":
        lines.append("    assert result is None")
    elif result.partition("[")[0] in _VALUES:
        lines.append(f"    assert isinstance(result, {result.partition('[')[0]})")
    else:
        lines.append("    assert result is not None")
    lines += [_WHAT, f"    # assert {call} == …"]
    return "\n".join(lines)


def _is_walked(function: ast.FunctionDef, name: str) -> bool:
    """True if the function loops over the parameter, takes items of it or asks for its length."""
    for node in base.own(function):
        if isinstance(node, (ast.For, ast.comprehension)) and getattr(node.iter, "id", "") == name:
            return True
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == name:
            return True
        called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
        if called in _OF_MANY and any(getattr(one, "id", "") == name for one in ast.iter_child_nodes(node)):
            return True
    return False
