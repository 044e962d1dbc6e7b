"""Values, cells and files that a prompt mentions with an ``@``."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from rapidfuzz import process

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting import value_details
from spark_jupyter.prompting.mentions import Mention, mentions
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.ui.image_lookup import ENDINGS as IMAGES

LONGEST = 4_000
"""Characters about one thing that a prompt points at."""
_HEAD = 20
"""Lines of a file."""
_MOST_NAMES = 200
_ENDINGS = frozenset(
    {
        *(".csv", ".tsv", ".json", ".jsonl", ".txt", ".md", ".py", ".ipynb", ".yaml", ".yml", ".toml", ".ini"),
        *IMAGES,
        *(".parquet", ".feather", ".xlsx", ".xls", ".db", ".sqlite", ".duckdb", ".npy", ".npz", ".h5"),
    }
)
"""File name endings after an ``@``; a prompt also says ``@app.route`` and ``@scope/package``."""


def describe(prompt: Prompt, namespace: Mapping[str, object], *, folder: Path) -> str:
    """Describe in detail the things that the prompt mentions; empty if it mentions none. A word behind an ``@`` that is neither a name nor
    a file is a word.

    Raises :class:`~spark_jupyter.exceptions.SessionError` for a cell, a column, an output or a file that is not there.
    """
    texts = [_described(mention, prompt, namespace, folder) for mention in mentions(prompt.text)]
    return "\n\n".join(_bounded(text) for text in texts if text)


def completions(prefix: str, namespace: Mapping[str, object], *, folder: Path) -> list[str]:
    """Completions after ``@``: the youngest tables first, then other values, files and cells, at last functions and modules; a table's
    columns after its dot."""
    table, dot, begun = prefix.rpartition(".")
    if dot and table in namespace:
        columns = _beginning(value_details.columns(namespace[table]), begun)
        return [f"{table}.{column}" if column.isidentifier() else f'{table}["{column}"]' for column in columns]
    values, others = value_details.names(namespace)
    return _beginning([*values, *_files(folder), "cell ", "output", "error", "figure", *others], prefix)


def _beginning(shown: Sequence[str], begun: str) -> list[str]:
    return [text for text in shown if text.lower().startswith(begun.lower())][:_MOST_NAMES]


def _described(mention: Mention, prompt: Prompt, namespace: Mapping[str, object], folder: Path) -> str:
    match mention.kind:
        case "error" | "figure":
            return ""  # the last error goes along with every prompt, a figure as an image
        case "output":
            return _cell_text(mention, _last_with_output(prompt.cells))
        case "cell":
            return _cell_text(mention, _numbered(prompt.cells, int(mention.name)))
        case _:
            return _named(mention, namespace, folder)


def _named(mention: Mention, namespace: Mapping[str, object], folder: Path) -> str:
    name, _, label = mention.name.partition(".")
    label = mention.label or label
    if name in namespace and not mention.name.startswith("_"):
        text = value_details.describe(name, namespace[name], label=label)
        if text is not None:
            return f"{mention.text}\n{text}"
        columns = value_details.columns(namespace[name])
        if columns:
            near = process.extractOne(label, columns, score_cutoff=60)
            raise SessionError(
                f"{mention.text}: {name} has no column {label!r}.", remedy=f"Did you mean {near[0]!r}?" if near else ""
            )
        return f"{mention.text}\n{value_details.describe(name, namespace[name])}"
    path = folder / os.path.expanduser(mention.name)
    if path.suffix.lower() in _ENDINGS or mention.name.startswith(("/", "./", "../", "~/")) or path.is_file():
        return f"{mention.text}\n{_file_text(mention, path)}"
    return ""


def _file_text(mention: Mention, path: Path) -> str:
    """The head of a text file, the size of any other. What is no ordinary file is not opened: a pipe would be waited for."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise SessionError(f"{mention.text} is no ordinary file.")
            head = file.read(LONGEST)
    except (OSError, ValueError) as error:  # a name with a null in it is none
        reason = error.strerror if isinstance(error, OSError) else "no file is named so"
        raise SessionError(
            f"{mention.text} can't be read ({reason}).", remedy="Name a file in the working folder."
        ) from None
    size = f"{mention.name}: {status.st_size:,} bytes"
    if b"\0" in head:
        return size
    lines = head.decode("utf-8", "replace").split("\n")
    shown = lines[:-1] if len(lines) > 1 and len(head) == LONGEST else lines  # the last one may be cut
    return "\n".join([f"{size}, its first lines:", *shown[:_HEAD]])


def _cell_text(mention: Mention, cell: NotebookCell | None) -> str:
    if cell is None:
        raise SessionError(f"There is no {mention.text.removeprefix('@')} to point at.")
    texts = [f"{mention.text} (id={cell.id})", cell.source]
    texts += [f"Its output:\n{cell.outputs}"] if cell.outputs else []
    texts += [f"Its error:\n{cell.error}"] if cell.error else []
    return "\n".join(texts)


def _numbered(cells: Sequence[NotebookCell], number: int) -> NotebookCell | None:
    """The cell with that number: ``In [N]`` where only a history is known, else the N-th of the notebook."""
    by_input = next((cell for cell in cells if cell.id == f"in-{number}"), None)
    if by_input is not None or any(cell.id.startswith("in-") for cell in cells):
        return by_input
    return cells[number - 1] if 1 <= number <= len(cells) else None


def _last_with_output(cells: Sequence[NotebookCell]) -> NotebookCell | None:
    shown = [cell for cell in cells if cell.outputs or cell.error]
    return max(shown, key=lambda cell: cell.execution_count or 0, default=None)


def _files(folder: Path) -> list[str]:
    with os.scandir(folder) as entries:
        found = [entry.name for entry in islice(entries, 2_000) if Path(entry.name).suffix.lower() in _ENDINGS]
    return [name if " " not in name else f'"{name}"' for name in sorted(found) if not name.startswith(".")]


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
