"""``spark-jupyter check --fix``: repairs in place, the rest byte for byte."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from spark_jupyter.guardrail import Context, learn
from spark_jupyter.guardrail.code_files import MARKDOWN, pieces
from spark_jupyter.guardrail.fixes import mended
from spark_jupyter.guardrail.severities import Policy
from spark_jupyter.protocol.values import Finding
from spark_jupyter.ui.cli.notebook_files import bytes_of, replace_file
from spark_jupyter.ui.cli.text_files import encoding_of

Gone = list[tuple[str, Finding]]


def mend_file(name: str, policy: Policy) -> Gone:
    """Mend a script or a notebook; what is gone, with its cell. The file is written only where something was mended, and as a whole.
    Raises ValueError where it can't be read in its encoding, NotebookError for a pipe or a device, OSError where it can't be written."""
    path = Path(os.path.realpath(name))
    data = bytes_of(path)
    encoding = encoding_of(data, name)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"not fixed: it is not {encoding} ({error.reason})") from None
    if name.lower().endswith(MARKDOWN):
        return []
    pieces(text, path=name)  # says what is no notebook, or none of Python
    better, gone = _notebook(text, policy) if name.endswith(".ipynb") else _script(text, policy)
    if gone:
        replace_file(path, better.encode(encoding))
    return gone


def _script(text: str, policy: Policy) -> tuple[str, Gone]:
    better, gone = mended(text, policy=policy)
    return better, [("script", finding) for finding in gone]


def _notebook(text: str, policy: Policy) -> tuple[str, Gone]:
    """The notebook with its code cells mended; all else in it stays as it is written."""
    notebook = json.loads(text)
    context = Context()
    all_gone: Gone = []
    better_text, place = text, 0
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        raw = cell.get("source", "")
        source = "".join(map(str, raw)) if isinstance(raw, list) else str(raw)
        better, gone = mended(source, context=context, policy=policy)
        context = learn(better, context)
        if gone:
            kept = better.splitlines(keepends=True) if isinstance(raw, list) else better
            cell["source"] = kept
            better_text, place = _with_source(better_text, place, raw, kept)
            all_gone += [(f"cell {number}", finding) for finding in gone]
    if all_gone and _decoded(better_text) != notebook:
        better_text = _whole(notebook)
    return better_text, all_gone


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


_SOURCE = re.compile(r'(?<!\\)"source"\s*:\s*')


def _with_source(text: str, start: int, old: object, new: list[str] | str) -> tuple[str, int]:
    """The notebook's text in which the first source after ``start`` that is the old one is the new one, and where that ends. Whether
    this was the right place the caller sees by what the whole says then."""
    for match in _SOURCE.finditer(text, start):
        value, end = json.JSONDecoder().raw_decode(text, match.end())
        if value == old:
            written = _written(new, text[match.end() : end])
            return text[: match.end()] + written + text[end:], match.end() + len(written)
    return text, start


def _written(new: list[str] | str, before: str) -> str:
    """A source in the layout that it had before."""
    plain = "\\u" in before
    indents: list[str] = re.findall(r"\r?\n[ \t]*(?=[\"\]])", before)
    if not isinstance(new, list) or len(indents) < 2:
        return json.dumps(new, ensure_ascii=plain)
    items = [indents[0] + json.dumps(line, ensure_ascii=plain) for line in new]
    return "[" + ",".join(items) + indents[-1] + "]"


def _whole(notebook: object) -> str:
    """As Jupyter writes it; all of it escaped where it holds half a character, which UTF-8 has not."""
    text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(notebook, indent=1) + "\n"
    return text
