"""A function whose formula the prompt tells: "function that turns points into a mark with 1 + 5 * points / 40". Pure."""

from __future__ import annotations

import ast
import builtins
import keyword
import re

from spark_jupyter.server.engines.phrases.shapes.shape import Made

_HEAD = re.compile(
    r"^\W*(?:(?:please|now|can|could|you|i|need|want|me|us|also)[\s,]+)*(?:(?:write|make|define|create|code|give|implement|"
    r"build)\s+(?:me\s+)?)?"
    r"(?:(?:an?|the|one)\s+)?(?:(?:small|simple|python|short|little|helper)\s+)*(?:function|func|def)\b",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_]\w*)\s*\((?P<takes>\s*[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*)\)")
_CALLED = re.compile(r"\b(?:called|named|call\s+it|name\s+it)\s+[`'\"]?(?P<name>[A-Za-z_]\w*)[`'\"]?", re.IGNORECASE)
_ATOM = r"(?:\d+(?:\.\d+)?|[A-Za-z_]\w*|\([^()]+\))"
_FORMULA = re.compile(
    r"(?:\b(?:with|as|by|using|returns?|is|calculates?|computes?|formula|through|via)\b(?:\s+the)?(?:\s+formula)?|"
    r"[:=])\s*(?:[a-z_]\w*\s*=\s*)?"
    rf"(?P<formula>{_ATOM}(?:\s*(?:\*\*|[-+*/^])\s*{_ATOM})+)(?P<behind>.*)$",
    re.IGNORECASE,
)
_INTO = re.compile(r"\b(?:in)?to\s+(?:(?:an?|the)\s+)?(?P<name>[a-z]+)\b", re.IGNORECASE)
_ROUNDED = re.compile(
    (
        r"^[\s,]*(?:and\s+)?(?:then\s+)?round(?:ed)?(?:\s+(?:it|the result))?(?:\s+to\s+(?P<n>\d|one|two|three)(?:\s+(?:decimals?|"
        r"digits?)(?:\s+places?)?)?)?\W*$"
    ),
    re.I,
)
_MORE = re.compile(
    r"\b(?:if|when|unless|except|limit|cap|clip|at most|at least|raise|error|default|list|each|every|for all|column|otherwise|else)\b",
    re.I,
)
_DIGITS = {"one": "1", "two": "2", "three": "3"}


def understood(prompt: str) -> Made | None:
    """The function with the formula that is told; None where there is none, or more is asked of it."""
    head = _HEAD.match(prompt)
    found = _FORMULA.search(prompt, head.end()) if head else None
    if head is None or found is None:
        return None
    behind = found["behind"].strip(" .!?)")
    rounded = _ROUNDED.match(behind) if behind else None
    before = prompt[head.end() : found.start()]
    if (behind and rounded is None) or _MORE.search(before):
        return None
    formula = found["formula"].replace("^", "**")
    try:
        tree = ast.parse(formula, mode="eval")
    except SyntaxError:
        return None
    takes = list(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)))
    signature = _SIGNATURE.search(before)
    if signature:
        told = re.findall(r"\w+", signature["takes"])
        if set(takes) - set(told):
            return None
        takes = told
    name = _name(before, signature, takes)
    if not takes or len(takes) > 4 or any(keyword.iskeyword(one) or hasattr(builtins, one) for one in (*takes, name)):
        return None
    if rounded:
        number = _DIGITS.get((rounded["n"] or "").lower(), rounded["n"] or "")
        formula = f"round({formula}{f', {number}' if number else ''})"
    return Made(f"def {name}({', '.join(takes)}):\n    return {formula}", ("Call it with a value to try it.",))


def _name(before: str, signature: re.Match[str] | None, takes: list[str]) -> str:
    """What the prompt calls the function, or what it makes."""
    called = signature or _CALLED.search(before)
    if called:
        return called["name"]
    into = _INTO.findall(before)
    made = f"to_{into[-1].lower()}" if into else "calculate"
    return made if made not in takes else "calculate"
