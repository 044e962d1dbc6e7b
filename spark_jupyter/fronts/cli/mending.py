"""``spark-jupyter check --fix``: mends a file where it stands."""

from __future__ import annotations

import json
import os
from pathlib import Path

from spark_jupyter.exceptions import CheckError
from spark_jupyter.fronts.cli.files import replace_file
from spark_jupyter.guardrail import Context, learn
from spark_jupyter.guardrail.fixes import mended
from spark_jupyter.guardrail.policy import Policy
from spark_jupyter.guardrail.sources import pieces
from spark_jupyter.wire.values import Finding


def mend_file(name: str, policy: Policy) -> list[tuple[str, Finding]]:
    """Mend a script or a notebook; what is gone, with its cell. The file is written only where something was mended, and as a whole."""
    path = Path(os.path.realpath(name))
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise CheckError(
            f"{name} is not mended: it is not in UTF-8 ({error.reason}).", remedy="Save it as UTF-8."
        ) from None
    if name.endswith((".md", ".markdown")):
        return []
    pieces(text, path=name)  # says what is no notebook, or none of Python
    better, gone = _notebook(text, policy) if name.endswith(".ipynb") else _script(text, policy)
    if gone:
        replace_file(path, better.encode("utf-8"))
    return gone


def _script(text: str, policy: Policy) -> tuple[str, list[tuple[str, Finding]]]:
    better, gone = mended(text, policy=policy)
    return better, [("script", finding) for finding in gone]


def _notebook(text: str, policy: Policy) -> tuple[str, list[tuple[str, Finding]]]:
    """The notebook with its code cells mended; all else in it stays as it is."""
    notebook = json.loads(text)
    context = Context()
    all_gone = []
    for number, cell in enumerate(notebook["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        raw = cell.get("source", "")
        source = "".join(map(str, raw)) if isinstance(raw, list) else str(raw)
        better, gone = mended(source, context=context, policy=policy)
        context = learn(better, context)
        if gone:
            cell["source"] = better.splitlines(keepends=True) if isinstance(raw, list) else better
            all_gone += [(f"cell {number}", finding) for finding in gone]
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", all_gone
