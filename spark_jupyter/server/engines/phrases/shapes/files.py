"""Files that are named: how many lines, one key of a JSON file, which there are. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted


def _text_file(said: Said) -> str:
    name = said.word("f")
    if not name.endswith((".txt", ".md", ".log", ".csv", ".tsv")):
        raise UnknownError
    return f'Path({quoted(name)}).read_text(encoding="utf-8")'


def _lines(said: Said) -> str:
    return f"len({_text_file(said)}.splitlines())"


def _words(said: Said) -> str:
    return f"len({_text_file(said)}.split())"


def _json(said: Said) -> str:
    name = said.word("f")
    if not name.endswith(".json"):
        raise UnknownError
    made = said.free("loaded")
    said.before.append(f'{made} = json.loads(Path({quoted(name)}).read_text(encoding="utf-8"))')
    return f"{made}[{quoted(said.word('key'))}]" if said.has("key") else made


def _listed(said: Said) -> str:
    ending = {"text": "txt", "excel": "xlsx", "python": "py", "images": "png"}.get(
        said.word("kind").lower(), said.word("kind").lower()
    )
    if ending not in ("csv", "txt", "json", "xlsx", "py", "png", "parquet", "log", "md", "ipynb"):
        raise UnknownError
    return f'sorted(path.name for path in Path(".").glob("*.{ending}"))'


_HERE = (
    "[here|in here|in this folder|in folder|in current folder|in directory|there are|are there|are here|are in folder]"
)

SHAPES = (
    Shape((
        "number of lines (does|do|has|have|in|of|are in) [file|text file] {f:f} [have|contain|has]",
        "count lines (in|of) [file] {f:f}",
    ), _lines, "loose"),
    Shape((
        "number of words (does|do|has|in|of|are in) [file|text file] {f:f} [have|contain]",
        "count words (in|of) [file] {f:f}",
    ), _words, "loose"),
    Shape((
        "(load|read|open|read in|import) {f:f} [as dict|as dictionary|into dict|into dictionary]",
        "(load|read|open|read in) {f:f} and (show|print|give|get|tell) [me] [value of|key|field|entry] {w:key}",
        "(value of|key|field|entry) {w:key} (in|of|from) {f:f}",
    ), _json, "loose"),
    Shape((
        f"[list|show|which|what] [all|every] {{w:kind}} files {_HERE}",
    ), _listed, "loose"),
)  # fmt: skip
"""What is asked of files."""
