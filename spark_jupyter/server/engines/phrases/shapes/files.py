"""Files that are named: how many lines, one key of a JSON file, which there are. Pure."""

from __future__ import annotations

import re

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


_CALLS = {
    "csv": "read_csv",
    "excel": "read_excel",
    "xlsx": "read_excel",
    "json": "read_json",
    "parquet": "read_parquet",
}


def _folder(said: Said) -> str:
    """Where the files are, as source."""
    words = said.found["folder"].split() if said.has("folder") else []
    name = "".join(said.marked.value(one) for one in words).strip("/").removeprefix("./") or "."
    if name in ("folder", "directory"):
        raise UnknownError  # "the files of a folder": of which?
    if any(one in ("my", "current", "same", "this", "working") for one in words) or not re.fullmatch(r"[\w./-]+", name):
        name = "."
    return f"Path({quoted(name)})"


def _files(said: Said) -> tuple[str, str]:
    """The files of a kind in a folder, as source, and what reads one."""
    word = said.found["kind"].strip().lower()
    ending = {"excel": "xlsx", "text": "txt"}.get(word, word)
    return f'{_folder(said)}.glob("*.{ending}")', _CALLS.get(word, "")


def _combined(said: Said) -> str:
    """All files of a folder as one table."""
    files, call = _files(said)
    if not call:
        raise UnknownError
    name = said.free(said.word("name") if said.has("name") else "df")
    more = ".assign(file=path.name)" if said.has("file") else ""
    said.before.append(f"{name} = pd.concat([pd.{call}(path){more} for path in sorted({files})], ignore_index=True)")
    return name


def _in_folder(said: Said) -> str:
    if said.has("kind"):
        files, _ = _files(said)
    else:
        files = f"{_folder(said)}.iterdir()"
    return f"len(list({files}))" if said.has("number") else f"sorted(path.name for path in {files})"


def _appended(said: Said) -> str:
    """A table's rows behind those of a file, with its header where the file is new."""
    table, name = said.variable("t"), said.word("f")
    if table.type != "DataFrame" or table.polars or not name.endswith(".csv"):
        raise UnknownError
    path = f"Path({quoted(name)})"
    said.before.append(f'{table.name}.to_csv({path}, mode="a", header=not {path}.exists(), index=False)')
    return f'print("appended", len({table.name}), "rows to", {quoted(name)})'


_HERE = (
    "[here|in here|in this folder|in folder|in current folder|in directory|there are|are there|are here|are in folder]"
)

_READ = "(read|load|import|open|read in|load in)"
_KIND = "(csv|excel|xlsx|json|parquet|txt|text:KIND)"
_INSIDE = (
    "(in|from|of|inside) [folder|directory|subfolder|called|named|path|folder called] "
    "({any:folder}|{w:folder} / |. / {w:folder}) [/] [folder|directory]"
)
_INTO = "(into|in|to|as) (one|single|one big|one single) (dataframe|table|df|frame|data frame)"
_NAME = "(called|named|as) {w:name}"
_THEM = "(combine|concat|concatenate|stack|merge|put|join|append)"
_TOGETHER = f"[{_INTO}] [and] [{_THEM}] [(them|all|it|all of them)] [together] [{_INTO}] [{_NAME}]"
_FILE = "[(with|and add|and) [extra|new] [column] [(for|with|of|showing)] (file name|filename|file|source file:FILE)]"

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
        f"{_READ} [all|every|per] {_KIND} [files|file] {_INSIDE} {_TOGETHER} {_FILE}",
        (f"(combine|concat|concatenate|merge|join|stack|append|put together) [all|every|per] {_KIND} [files|file] {_INSIDE} [{_INTO}] "
         f"[{_NAME}] {_FILE}"),
        f"{_READ} [all|every|per] {_KIND} (files|file) [{_INTO}] [{_NAME}] {_INSIDE} {_FILE}",
    ), _combined, "stored"),
    Shape((
        f"(number of|how many:NUMBER) {_KIND} files [are|do I have|are there] {_INSIDE}",
        f"(list|show|which|what) [all|every] {_KIND} files [are] [there] {_INSIDE}",
        f"(list|show|which|what) [all|every] files [are] [there] {_INSIDE}",
        f"(number of|how many:NUMBER) files [are|do I have|are there] {_INSIDE}",
    ), _in_folder, "stored"),
    Shape((
        "(append|add) [rows of] {t:t} (to|at end of|to end of) [file] {f:f} [without (index|header|row numbers)]",
        "(save|write) {t:t} (to|into) [file] {f:f} (in append mode|appending|without overwriting|by appending)",
    ), _appended, "stored"),
    Shape((
        f"[list|show|which|what] [all|every] {{w:kind}} files {_HERE}",
    ), _listed, "loose"),
)  # fmt: skip
"""What is asked of files."""
