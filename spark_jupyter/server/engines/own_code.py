"""Answers about the user's own code: repair and edit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.protocol.constants import REFUSAL
from spark_jupyter.protocol.prompt_offers import offer
from spark_jupyter.server.engines import edits, repairs
from spark_jupyter.server.engines.answer import Answer
from spark_jupyter.server.engines.book import BookCell

if TYPE_CHECKING:
    from spark_jupyter.protocol.values import NotebookCell
    from spark_jupyter.server.engines.request import Request

WHO = "A language model may be able to."
_FIX = re.compile(
    r"^\W*(?:please\s+|plz\s+|can you\s+|could you\s+)?(?:fix|repair|correct|debug|solve)\b"
    r"(?:.{0,40}\b(?:error|bug|cell|it|this|that|code|problem)\b|\W*$)|"
    r"\bwhat(?:'s| is| went) wrong\b|\bwhy (?:does|did|is|am) (?:it|this|that|i)\b.*\b(?:fail|error|work|get)|"
    r"\b(?:doesn'?t|not|won'?t) work\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:this|that|these|it|the above|above|(?:the|my) (?:cell|code|function|class|last|previous))\b", re.IGNORECASE
)

_EDITS = ("add type hints", "add a docstring")
"""Edits to offer in place of one that is not known, where they would change the cell."""
_NEW_FUNCTION = re.compile(
    r"\b(?:write|create|define|need|want|give me)\b[^.]{0,20}\bfunction\s+(?:that|which)\s", re.IGNORECASE
)
"""A function of its own: "that" is no cell there."""


def is_repair(asked: Request) -> bool:
    return asked.intent == "fix" or (asked.intent == "generate" and bool(asked.error) and wants_repair(asked.text))


def wants_repair(text: str) -> bool:
    """True if these words ask for a repair."""
    return _FIX.search(text) is not None


def reply(asked: Request) -> Answer | None:
    """The edit that the request asks for, else None."""
    instruction = " ".join((asked.text, *asked.steers))
    if asked.edit is not None:
        return edit(asked.edit, instruction)
    own = _meant(asked, instruction)
    return edit(own, instruction, sure=False) if own is not None else None


def fix(asked: Request) -> Answer:
    """The failing cell repaired, or advice; without a traceback, what is needed."""
    cell = _failing(asked)
    source = cell.source if cell else ""
    earlier = tuple(
        one.source for one in asked.cells if one.cell_type == "code" and (cell is None or one.id != cell.id)
    )
    text = asked.error or (cell.error if cell else "")
    failure = repairs.read_failure(text, source=source, namespace=asked.namespace, earlier=earlier) if text else None
    if failure is None:
        says = "I know of no error in the kernel, and am not told what failed in a copy"
        return Answer(notes=f"{REFUSAL} {says}: run the cell that fails, then ask again.")
    found = repairs.repair(failure)
    if found is None:
        said = f"{failure.type}: {failure.message}".rstrip(": ")
        return Answer(notes=f"{REFUSAL} Offline I can't repair “{said}”. {WHO}")
    notes = f"Offline repair for {failure.type}: {found.says}"
    if found.source is not None and cell is not None:
        return Answer(notes=notes, cells=(BookCell(found.source),), edit=cell.id, below=_cells(found.extra))
    return Answer(notes=notes, cells=_cells(found.source) + _cells(found.extra))


def _cells(source: str | None) -> tuple[BookCell, ...]:
    return (BookCell(source),) if source else ()


def _failing(asked: Request) -> NotebookCell | None:
    """The cell that failed: the one to be edited, the last with an error, or the last that has the failing line."""
    if asked.edit is not None:
        return asked.edit
    code = [cell for cell in asked.cells if cell.cell_type == "code" and cell.source.strip()]
    marked = [cell for cell in code if cell.error]
    if marked:
        return marked[-1]
    lines = [re.sub(r"^\s*(?:-+>\s*)?\d*\s*", "", line).strip() for line in asked.error.split("\n")]
    wanted = [line for line in lines if len(line) > 3]
    for cell in reversed(code):
        own = {line.strip() for line in cell.source.split("\n")}
        if any(line in own for line in wanted):
            return cell
    return code[-1] if code else None


def edit(cell: NotebookCell, instruction: str, *, sure: bool = True) -> Answer | None:
    """The cell edited as the instruction says. ``sure`` False: None instead of an honest no."""
    try:
        done = edits.asked_of(instruction, cell.source)
    except SyntaxError as error:
        if not sure:
            return None
        return Answer(
            notes=f"{REFUSAL} The cell does not parse (line {error.lineno}: {error.msg}). `%spark fix` may repair it."
        )
    if done is None:
        if not sure:
            return None
        known = "I can add docstrings, type hints and tests."
        refused = f"{REFUSAL} Offline I can't do “{instruction.strip()}” to a cell. {WHO} {known}"
        return Answer(notes="\n\n".join([refused, *filter(None, ["\n".join(map(offer, _fitting(cell.source)))])]))
    notes = f"Offline edit: {done.says}"
    if done.source is None:
        return Answer(notes=notes, cells=_cells(done.extra))
    return Answer(notes=notes, cells=(BookCell(done.source),), edit=cell.id, below=_cells(done.extra))


def _fitting(source: str) -> list[str]:
    """Edits that would change this source."""
    done = ((words, edits.asked_of(words, source)) for words in _EDITS)
    return [words for words, edited in done if edited is not None and edited.source not in (None, source)]


def _meant(asked: Request, instruction: str) -> NotebookCell | None:
    """The cell that a request without an edit is about: that of a function which it names, or the last one for "this"."""
    code = [cell for cell in asked.cells if cell.cell_type == "code" and cell.source.strip()]
    for cell in reversed(code):
        names = re.findall(r"(?m)^\s*(?:def|class)\s+(\w+)", cell.source)
        if any(re.search(rf"\b{name}\b", instruction) for name in names):
            return cell
    if _NEW_FUNCTION.search(instruction):
        return None
    return code[-1] if code and _OWN.search(instruction) else None
