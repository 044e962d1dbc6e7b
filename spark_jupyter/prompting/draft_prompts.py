"""Prompts for drafts, and the answers of those that are taken."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.exceptions import SessionError
from spark_jupyter.prompting.conversation import Answer, Block, Note
from spark_jupyter.protocol.draft_messages import BeginDraft
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import NotebookCell, Target

_WHOLE = {
    "function": "Write this function whole, with its body:\n\n```python\n{}\n```",
    "cell": "Write this cell whole. It begins with these lines, as they are:\n\n```python\n{}\n```",
}
_MARKS = re.compile(r"^[ \t]*#+[ \t]*", re.MULTILINE)
"""Of a heading or a comment."""


def draft_prompt(asked: BeginDraft) -> Prompt:
    """The prompt for a draft. What grows with each key is in its last lines alone, so that the rest stays in the provider's cache."""
    if asked.kind == "prompt":  # as it will be sent
        return Prompt(
            turn_id=asked.draft_id,
            text=asked.words,
            target=asked.target,
            cells=asked.cells,
            active=asked.cell_id,
            by=asked.by,
        )
    ids = [cell.id for cell in asked.cells]
    place = ids.index(asked.cell_id) if asked.cell_id in ids else len(ids)
    cells = list(asked.cells)
    after = ids[place - 1] if place else None
    if place < len(cells):
        above = "\n".join(cells[place].source.rstrip().split("\n")[: -asked.lines or None])
        cells[place : place + 1] = [structs.replace(cells[place], source=above)] if above.strip() else []
        after = asked.cell_id if above.strip() else after
    text = _WHOLE[asked.kind].format(asked.words) if asked.kind in _WHOLE else _MARKS.sub("", asked.words)
    return Prompt(
        turn_id=asked.draft_id,
        text=text,
        target=Target(after=after),
        cells=tuple(cells),
        active=after,
        intent="draft",
        by=asked.by,
    )


def below(asked: BeginDraft, source: str) -> str:
    """What of a drafted cell stands below the words: of a function its body, and what it needs that the model wrote above it; nothing of a
    cell that begins in another way than the one that is being written."""
    place = _head(asked, source)
    if asked.kind == "cell" and (place is None or place[0] > 0):
        return ""
    if place is None:
        return source
    lines, (start, end) = source.split("\n"), place
    return "\n".join((*_indented(lines[:start]), *lines[end:]))


def line_below(asked: BeginDraft, source: str, line: int) -> int:
    """The line of :func:`below` for a line of a drafted cell, both from 1."""
    place = _head(asked, source)
    if place is None or line <= place[0]:
        return line
    start, end = place
    return line - end + len(_indented(source.split("\n")[:start]))


def _head(asked: BeginDraft, source: str) -> tuple[int, int] | None:
    """The lines, from 0, that repeat what is typed of a function or a cell: the first, and the one behind the last; None where none do."""
    if asked.kind not in _WHOLE:
        return None
    head, lines = asked.words.rstrip().split("\n"), source.split("\n")
    start = next((number for number, line in enumerate(lines) if line.strip() == head[0].strip()), None)
    if start is None:
        return None
    known = {line.strip() for line in head}
    end = start + 1
    while end < len(lines) and lines[end].strip() in known:
        end += 1
    return start, end


def _indented(lines: Sequence[str]) -> list[str]:
    """What the model wrote above a function, as the beginning of its body: imports, constants, helpers."""
    kept = "\n".join(line for line in lines if not line.startswith("from __future__")).rstrip()
    return [f"    {line}" if line else "" for line in kept.split("\n")] if kept else []


def taken(asked: BeginDraft, prompt: Prompt, sources: Sequence[str]) -> Answer:
    """The answer to a prompt that takes a draft: new cells below a Markdown cell, else more lines of the cell.

    Raises :class:`~spark_jupyter.exceptions.SessionError` where the words are no longer there."""
    cell = next((one for one in prompt.cells if one.id == asked.cell_id), None)
    sources = first_lines(sources, prompt.lines) if prompt.lines else sources
    if cell is None or cell.source.rstrip().split("\n")[-asked.lines :] != asked.words.rstrip().split("\n"):
        raise SessionError("The words of that draft have changed.", remedy="Go on typing: another one comes.")
    if asked.kind == "markdown":
        return Answer(tuple(_new(prompt, number, source, cell) for number, source in enumerate(sources, 1)))
    text = "\n".join((cell.source.rstrip(), *sources))
    return Answer((Block(cell_id=cell.id, source=text, kind="edit", base=cell.source),))


def first_lines(sources: Sequence[str], lines: int) -> tuple[str, ...]:
    """The first lines of cells, each cell as far as they reach."""
    kept: list[str] = []
    for source in sources:
        part = source.rstrip().split("\n")[:lines]
        lines -= len(part)
        kept += ["\n".join(part)] if part else []
    return tuple(kept)


def taken_prompt(asked: BeginDraft, prompt: Prompt, notes: str, blocks: Sequence[Block]) -> Answer:
    """The answer to a prompt that was drafted while it was typed: all of it, as it came. Raises
    :class:`~spark_jupyter.exceptions.SessionError` where the prompt or its place has changed."""
    if (prompt.text, prompt.target) != (asked.words, asked.target):
        raise SessionError("The words of that draft have changed.", remedy="Send the prompt once more.")
    return Answer((*((Note(notes),) if notes else ()), *blocks))


def _new(prompt: Prompt, number: int, source: str, cell: NotebookCell) -> Block:
    after = cell.id if number == 1 else f"{prompt.turn_id}-{number - 1}"
    return Block(cell_id=f"{prompt.turn_id}-{number}", source=source, after=after)
