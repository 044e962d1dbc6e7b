"""Sentences of the kernel that the panel has in other languages."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "labextension" / "src"
MODULES = ("kernelTexts", "surpriseTexts", "findingTexts", "sessionTexts", "answerTexts")
_PLACE = re.compile(r"%\d")
_SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[A-Z])")


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    lines = [line for name in MODULES for line in (SOURCES / f"{name}.ts").read_text(encoding="utf-8").splitlines()]
    texts = [ast.literal_eval(line.strip().rstrip(",")) for line in lines if line.startswith(("  '", '  "'))]
    return tuple(re.compile(".+".join(map(re.escape, _PLACE.split(text)))) for text in texts)


def is_translated(sentence: str) -> bool:
    """True if a form has this text, or one has each of its sentences."""
    return any(
        all(any(form.fullmatch(one) for form in _forms()) for one in parts)
        for parts in ([sentence], _SENTENCE_END.split(sentence))
    )


def sentences(path: Path) -> set[str]:
    """The sentences for a person that a module of Python writes, with x for each value; not its docstrings and examples."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    left_out = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            left_out |= {id(part) for part in node.values}
        if isinstance(node, ast.keyword) and node.arg in ("bad", "good", "more", "tells", "why"):
            left_out |= {id(part) for part in ast.walk(node.value)}
    texts = {_text(node).strip() for node in nodes if id(node) not in left_out}
    return {text for text in texts if re.match(r"[A-Z`=].*[a-z]{2} .*[.?]$", text) and "\n" not in text}


def notes(path: Path) -> set[str]:
    """The texts that a module of deep work notes in its log, with x for each value; not those that are values as a whole."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    noted = [call.args[0] for call in calls if getattr(call.func, "attr", "") in ("note", "_note") and call.args]
    texts = [_text(one) for node in noted for one in (node.values if isinstance(node, ast.BoolOp) else [node])]
    return {re.sub(r"(?<=[a-z]{3})x\b", "s", text) for text in texts if text}


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "x" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and type(node.value) is str else ""
