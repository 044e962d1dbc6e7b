"""Extraction of lines of a cell into a function."""

from __future__ import annotations

import ast
import re

from spark_jupyter.server.engines import alterations, scope
from spark_jupyter.server.engines.edits import base

_LINES = re.compile(r"\blines?\s+(?P<first>\d+)(?:\s*(?:-|–|to|until|through|and)\s*(?P<last>\d+))?", re.IGNORECASE)


def extract_function(source: str, instruction: str) -> str | None:
    """The code with the lines that ``instruction`` names (else everything but imports) as a function, and its call there.

    None where those lines are no whole statements of the cell's top level.
    """
    called = alterations.CALLED.search(instruction) or re.search(
        r"\bfunction\s+`?(?P<name>[a-z]\w*_\w+)`?", instruction
    )
    name = called["name"] if called else "step"
    tree = base.parse(source)
    lines = _LINES.search(instruction)
    if not lines:
        return alterations.as_function(source, name=name if called else "")
    first, last = int(lines["first"]), int(lines["last"] or lines["first"])
    chosen = [node for node in tree.body if first <= node.lineno and (node.end_lineno or node.lineno) <= last]
    cut = [node for node in tree.body if node.lineno <= last and (node.end_lineno or 0) >= first and node not in chosen]
    if not chosen or cut or any(isinstance(node, ast.Return) for node in chosen):
        return None
    text = source.split("\n")
    start, end = chosen[0].lineno - 1, chosen[-1].end_lineno or chosen[-1].lineno
    before, block, after = text[:start], text[start:end], text[end:]
    found = scope.names("\n".join(block))
    known = scope.names("\n".join(before)).defined if before else frozenset()
    fixed = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    fixed |= scope.names("\n".join(before)).imported if before else frozenset()
    takes = sorted((found.needed & known) - fixed)
    gives = sorted((found.defined - found.imported) & scope.names("\n".join(after)).needed) if after else []
    body = "\n".join(f"    {line}" if line.strip() else "" for line in block)
    result = f"\n    return {', '.join(gives)}" if gives else ""
    call = f"{name}({', '.join(takes)})"
    call = f"{', '.join(gives)} = {call}" if gives else call
    function = f"def {name}({', '.join(takes)}):\n{body}{result}\n\n"
    while before and not before[-1].strip():
        before.pop()
    return "\n".join([*before, *(["", ""] if before else []), function, call, *after]).strip("\n")
