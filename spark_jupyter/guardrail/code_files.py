"""Reader of scripts, notebooks and Markdown as pieces of code."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from spark_jupyter.protocol.notebook import (
    Cell,
    contradicts_itself,
    in_another_language,
    is_for_a_shell,
    other_language,
    runs_another_language,
    source_of,
)
from spark_jupyter.protocol.notebook_validation import OF_SOURCE, fault_of_cell, why_not_json
from spark_jupyter.source.lexer import plain

_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})\s*(\{code-cell\}\s*|\{)?\.?([\w+-]*)")
MARKDOWN: Final = (".md", ".markdown", ".qmd", ".rmd")
_CHUNK: Final = re.compile(r"^[\s>]*(`{3,})\s*(\{)(python|bash|sh|zsh)\b[^}]*\}\s*$")
"""A cell of Quarto, R Markdown and knitr, which run it however far it is indented or quoted."""
_CLOSING: Final = re.compile(r"([\s>]*)(`{3,}|~{3,})\s*$")
_RUN: Final = re.compile(r"\{(?:python|bash|sh|zsh|code-cell\})")
"""The beginning of what Quarto, R Markdown, knitr and MyST run."""
_FRONT: Final = re.compile(r"\A---\n.*?\n---$", re.MULTILINE | re.DOTALL)
_FORMAT: Final = re.compile(r"^ *format_name:(?! *markdown)", re.MULTILINE)
_KERNEL: Final = re.compile(r"^ +name: *\S*python", re.MULTILINE)
_OPTION: Final = re.compile(r":[\w-]+:(?:\s|$)")
_PYTHON: Final = frozenset({"", "py", "python", "python3", "ipython", "ipython3", "pycon", "jupyter"})
_SHELLS: Final = frozenset({"bash", "sh", "zsh"})

_JUPYTEXT: Final = re.compile(r"\A(?:#!.*\n)?# ---\n(?:#.*\n)*?#\s+jupytext:")
_MAGIC_LINE: Final = re.compile(r"^(\s*)# (?=!(?!\[)|%(?!%))", re.MULTILINE)
_SHELL_CELL: Final = re.compile(r'^# (?:%%|\+).*\blanguage="(?:bash|sh|zsh)".*\n((?:#.*(?:\n|\Z))+)', re.MULTILINE)
_DATABRICKS: Final = "# Databricks notebook source"
_MAGIC: Final = "# MAGIC"


class OtherLanguage(ValueError):
    """A notebook whose kernel does not run Python, so that the guardrail can't check it."""


class Piece(Struct, frozen=True):
    """Code of one cell or fence. ``first_line`` is where it begins in the file as it is edited: for a notebook the line
    within the cell (1), for a script 1, for a fence its line within the Markdown. ``warn_only``: a Markdown cell's fence
    is not run, so nothing in it blocks. ``foreign``: it says that it is of another language, and need not parse."""

    name: str
    source: str
    first_line: int = 1
    warn_only: bool = False
    foreign: bool = False


def pieces(text: str, *, path: str = "") -> list[Piece]:
    """The code in ``text``: a notebook where ``path`` ends in .ipynb, or the text is one; else one script.

    Raises ValueError for a .ipynb that is no notebook and for what is no text; :class:`OtherLanguage` for one of R, Julia, …
    """
    if "\0" in text:
        raise ValueError("not a text: it has NUL characters")
    if path.lower().endswith(MARKDOWN):
        return fences(text, name="fence", is_file=True)
    if not path.lower().endswith(".ipynb") and not _is_notebook(text):
        return _scripts(text)
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not a notebook: {why_not_json(text.encode(errors='replace'))}") from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or notebook.get("nbformat") != 4:  # an older one has its code elsewhere
        raise ValueError("not a notebook of format 4: open it in Jupyter and save it again")
    language, is_shell, claims_python = other_language(notebook), is_for_a_shell(notebook), contradicts_itself(notebook)
    if claims_python and not is_shell:
        raise ValueError(f"its kernel is {language}, and it says that it is Python: make them agree")
    if language and not is_shell and runs_another_language(notebook):
        raise OtherLanguage(f"a notebook for {language}, which was not checked: the guardrail reads Python")
    for number, cell in enumerate(cells, 1):
        if fault := fault_of_cell(cell, number, OF_SOURCE):
            raise ValueError(f"not a valid notebook: {fault}")
    found = [piece for number, cell in enumerate(cells, 1) for piece in _cell(cell, number)]
    if is_shell:
        return [one if one.warn_only else _script(one, one.source) for one in found]
    if language:  # which its kernel's name does not say
        return [replace(piece, foreign=True) for piece in found]
    return [
        _in_databricks(piece, piece.source) if in_another_language(notebook, piece.source) else piece for piece in found
    ]


def _scripts(text: str) -> list[Piece]:
    if text.startswith(_DATABRICKS):
        return _databricks(text)
    return _jupytext(text) if _JUPYTEXT.match(text) else [Piece("script", text)]


def _jupytext(text: str) -> list[Piece]:
    """A notebook that jupytext keeps as a script, in which lines and cells with a magic are comments until it is opened."""
    cells = [
        _script(Piece("script", "", text.count("\n", 0, found.start(1)) + 1), re.sub("(?m)^# ?", "", found[1]))
        for found in _SHELL_CELL.finditer(text)
    ]
    return [Piece("script", _MAGIC_LINE.sub(r"\1", text)), *cells]


def _databricks(text: str) -> list[Piece]:
    """The cells of a script of Databricks', in which those with a magic are comments."""
    found, number = list[Piece](), 1
    for part in re.split(r"^# COMMAND -+[^\S\n]*$", text, flags=re.MULTILINE):
        lines = part.split("\n")
        told = [line.removeprefix(_MAGIC).removeprefix(" ") if line.startswith(_MAGIC) else "" for line in lines]
        begin = next((at for at, line in enumerate(told) if line), 0)
        source = "\n".join(told[begin:])
        piece = Piece("script", part, number)
        read = _in_databricks(replace(piece, first_line=number + begin), source) if source.strip() else piece
        if read is piece or read.foreign:  # of another language it is a comment
            found.append(piece)
        else:  # what stands beside a magic runs as a script
            beside = ["" if line.startswith(_MAGIC) else line for line in lines]
            found += [replace(piece, source="\n".join(beside)), read]
        number += len(lines) - 1
    return found


def _in_databricks(piece: Piece, source: str) -> Piece:
    """A cell with a magic of Databricks': ``%sh`` makes all of it a shell script, ``%python`` Python, another one another language."""
    if not source.lstrip().startswith("%"):
        return replace(piece, foreign=True)
    word, _, rest = source.partition("%")[2].partition("\n")
    name, _, behind = word.partition(" ")
    if name == "sh":
        return _script(piece, f"{behind}\n{rest}")
    if name == "python":
        return replace(piece, source=f"{behind}\n{rest}")
    return replace(piece, source=source, foreign=name not in ("pip", "run"))


def _script(piece: Piece, source: str) -> Piece:
    """A cell that a shell runs."""
    return replace(piece, source=f"%%sh\n{source}", first_line=piece.first_line - 1)


def _is_notebook(text: str) -> bool:
    if text.lstrip()[:1] != "{" or '"cells"' not in text:
        return False
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(notebook, dict) and "nbformat" in notebook


def _cell(cell: Cell, number: int) -> Sequence[Piece]:
    source = plain(source_of(cell))
    name = f"cell {number}"
    if cell.get("cell_type") == "code":
        return [Piece(name, source)]
    return fences(source, name=name) if cell.get("cell_type") == "markdown" else []


def fences(text: str, *, name: str, is_file: bool = False) -> list[Piece]:
    """The Python fences of Markdown (CommonMark 0.31, 4.5), of a file those that are cells of a notebook in Markdown, too. One that
    never closes ends with the text."""
    found: list[Piece] = []
    opened: re.Match[str] | None = None
    front = _FRONT.match(text) if is_file else None
    start = 0
    lines: list[str] = []

    def end() -> None:
        if opened is not None and (piece := _fenced(opened, lines, front[0] if front else "", is_file=is_file)):
            found.append(replace(piece, name=name, first_line=start + piece.first_line))

    for number, line in enumerate(text.split("\n"), 1):
        if opened is None:
            opened = _FENCE.match(line) or (_CHUNK.match(line) if is_file else None)
            start, lines = number, []
        elif (
            (closing := _CLOSING.match(line))
            and closing[2].startswith(opened[1])
            and _closes(closing[1], opened.string)
        ):
            end()
            opened = None
        else:
            lines.append(line.removeprefix(opened.string[: opened.start(1)]))
    end()
    return found


def _closes(indent: str, opening: str) -> bool:
    return indent in ("", " ", "  ", "   ") or _CHUNK.match(opening) is not None


def _fenced(opened: re.Match[str], lines: list[str], front: str, *, is_file: bool) -> Piece | None:
    """The code of a fence, with the document's ``front`` matter; none where it is of another language."""
    info, language = opened.string[opened.end(1) :].strip(), opened[3].lower()
    of_all = "jupytext:" in front and not _FORMAT.search(front)
    runs = is_file and (of_all or _RUN.match(info) is not None)
    piece = Piece("", "\n".join(_without_options(lines)), warn_only=not runs)
    if language in _PYTHON:
        return piece
    if runs and language in _SHELLS and not info.startswith("{code-cell}"):
        return _script(piece, piece.source)
    claims = info.startswith("{code-cell}") and _KERNEL.search(front) is not None
    return replace(piece, foreign=True) if runs and claims else None


def _without_options(lines: list[str]) -> list[str]:
    """A MyST cell without the options before its code (``:tags: [hide-input]``, or YAML between dashes), whose lines stay as empty ones."""
    if lines[:1] == ["---"] and "---" in lines[1:]:
        behind = lines.index("---", 1) + 1
        return [""] * behind + lines[behind:]
    first = next((place for place, line in enumerate(lines) if not _OPTION.match(line)), len(lines))
    return [""] * first + lines[first:]
