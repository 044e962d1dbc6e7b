"""Parser of our own requests, for the engines.

:mod:`spark_jupyter.prompting.request_text` has the layout.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.prompting.known_facts import fenced_blocks
from spark_jupyter.prompting.variable_entries import PROMPT_WORDS, entries, expanded
from spark_jupyter.protocol.values import CellType, NotebookCell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.providers.base import Message


class RequestParts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user message in parts. ``active`` is the id of the cell in which the user is (the edited or the last one where none is named),
    ``proposed`` those of cells on which the user has not decided, ``edit`` the cell to be edited, ``answer`` the answer so far where
    ``steer`` redirects it. Of ``cells`` and ``edit`` those in ``as_before`` are only named, and those in ``same_source`` come without their
    source: an earlier message has them. The source of those in ``answered`` is a block of the answer just before. ``runs`` leads from the
    first to the last of cells that stand so in the message before. ``gone_variables`` are names that an earlier message has and that are
    not there any more, ``prompt_words`` the lines on words of the prompt in tables."""

    request: str
    intent: str = "generate"
    plan: str = ""
    checks: str = ""
    variables: str = ""
    last_error: str = ""
    files: str = ""
    cells: tuple[NotebookCell, ...] = ()
    as_before: frozenset[str] = frozenset()
    same_source: frozenset[str] = frozenset()
    answered: tuple[tuple[str, int], ...] = ()
    runs: dict[str, str] = {}
    gone_variables: tuple[str, ...] = ()
    prompt_words: tuple[str, ...] = ()
    active: str = ""
    proposed: tuple[str, ...] = ()
    edit: NotebookCell | None = None
    steer: str = ""
    answer: str = ""


_HEADING = re.compile(
    r"## (?:(Earlier|Project rules|Plan, of which the request is one step|Cells|Files|Versions|Variables|Tried in a copy of the kernel|"
    r"Last error|Mentioned|Images|Active cell|Proposed by you, not decided on|Checks that run after your cells|Skill|Request|Intent|Steer|"
    r"Answer so far)|Edit cell ([A-Za-z0-9_-]+))\s*"
)
_FENCE = re.compile(r"(`{3,})(\w*)")
_CELL_TYPES: dict[str, CellType] = {"python": "code", "code": "code", "markdown": "markdown", "raw": "raw"}


def parse_request(text: str) -> RequestParts:
    """The parts of a user message. One that has no sections, or text before the first, is a request as it stands."""
    sections = _split(text)
    edit_id = next((title.removeprefix("Edit cell ") for title in sections if title.startswith("Edit cell ")), None)
    listed = _parse_cells(sections.get("Cells", ""))
    cells = tuple(listed.cells)
    edit = None
    if edit_id is not None:
        edit = listed.read_edited(edit_id, sections[f"Edit cell {edit_id}"])
    variables, gone_variables, prompt_words = _parse_variables(_unescaped(sections.get("Variables", "")))
    request = "\n\n".join(
        part for part in (sections.get("", "").strip("\n"), _unescaped(sections.get("Request", ""))) if part
    )
    return RequestParts(
        request=request,
        intent=_intent(sections.get("Intent", "")),
        plan=_unescaped(sections.get("Plan, of which the request is one step", "")),
        checks=_unescaped(sections.get("Checks that run after your cells", "")),
        variables=variables,
        gone_variables=gone_variables,
        prompt_words=prompt_words,
        last_error=_unescaped(sections.get("Last error", "")),
        files=_unescaped(sections.get("Files", "")),
        cells=cells,
        as_before=frozenset(listed.as_before),
        same_source=frozenset(listed.same_source),
        answered=tuple(listed.answered),
        runs=listed.runs,
        active=sections.get("Active cell", "").strip() or (edit_id if edit_id else cells[-1].id if cells else ""),
        proposed=tuple(filter(None, map(str.strip, sections.get("Proposed by you, not decided on", "").split(",")))),
        edit=edit,
        steer=_unescaped(sections.get("Steer", "")),
        answer=sections.get("Answer so far", ""),
    )


def _intent(text: str) -> str:
    """The intent; who knows an answer to a request has the same one for a draft of it."""
    intent = text.partition(":")[0].strip()
    return "generate" if intent in ("", "draft") else intent


def _split(text: str) -> dict[str, str]:
    """Title → body. Headings inside a fence are none, except that only Cells and Edit have fences that count."""
    sections: dict[str, list[str]] = {"": []}
    title, fence = "", ""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        heading = None if fence else _HEADING.fullmatch(line)
        if heading is None:
            sections[title].append(line)
            if title == "Cells" or title.startswith("Edit cell "):
                fence = _fence_after(line, fence)
            continue
        title = heading[1] or f"Edit cell {heading[2]}"
        if title == "Answer so far":
            return {**_bodies(sections), title: "\n".join(lines[number + 1 :])}
        sections[title] = []
    return _bodies(sections)


def _fence_after(line: str, fence: str) -> str:
    if fence:
        return "" if line == fence else fence
    found = _FENCE.fullmatch(line)
    return found[1] if found else ""


def _bodies(sections: dict[str, list[str]]) -> dict[str, str]:
    return {title: "\n".join(lines) for title, lines in sections.items()}


class _Listed:
    """The cells of a section, and those of which something stands in earlier messages."""

    def __init__(self) -> None:
        self.cells: list[NotebookCell] = []
        self.as_before: list[str] = []
        self.same_source: list[str] = []
        self.answered: list[tuple[str, int]] = []
        self.runs: dict[str, str] = {}

    def begin(self, cell_id: str, cell_type: CellType, where: str, block: str) -> None:
        """A heading names a cell."""
        self.cells.append(NotebookCell(id=cell_id, cell_type=cell_type))
        if block:
            self.answered.append((cell_id, int(block)))
        elif where:
            self.same_source.append(cell_id)

    def read_edited(self, cell_id: str, body: str) -> NotebookCell:
        """The cell that is to be edited, which is not one of the ``cells``."""
        where, _, rest = body.partition("\n")
        known = _CELL.fullmatch(f"### id={cell_id} code, {where}")
        read = _parse_cells(f"{known[0]}\n{rest}" if known else f"### id={cell_id} code\n{body}")
        self.same_source += read.same_source
        self.answered += read.answered
        return read.cells[0]

    def name(self, cell_ids: str) -> None:
        """A heading names cells that are as before."""
        first, run, last = cell_ids.partition(" … ")
        if run:
            self.runs[first] = last
            cell_ids = f"{first}, {last}"
        ids = cell_ids.split(", ")
        self.cells += [NotebookCell(id=cell_id) for cell_id in ids]
        self.as_before += ids


_CELL = re.compile(
    r"### id=([A-Za-z0-9_-]+)(?: (code|markdown|raw))?(, source as before|, block (\d+) of the answer above)?\s*"
)
_AS_BEFORE = re.compile(r"### as before: ([A-Za-z0-9_-]+(?:(?:, | … )[A-Za-z0-9_-]+)*)\s*")


def _parse_cells(text: str) -> _Listed:
    listed = _Listed()
    lines = iter(text.split("\n"))
    for line in lines:
        if heading := _CELL.fullmatch(line):
            listed.begin(heading[1], _CELL_TYPES[heading[2] or "code"], heading[3] or "", heading[4] or "")
        elif named := _AS_BEFORE.fullmatch(line):
            listed.name(named[1])
        elif (fence := _FENCE.fullmatch(line)) and listed.cells:
            body = "\n".join(iter(lambda: next(lines, fence[1]), fence[1]))
            listed.cells[-1] = _with_body(listed.cells[-1], fence[2], body)
    return listed


def _parse_variables(text: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """The section's entries, the names that are gone, and the lines on words of the prompt."""
    lines = text.split("\n")
    words = tuple(line for line in lines if line.startswith(PROMPT_WORDS))
    lines = [line for line in lines if not line.startswith(PROMPT_WORDS)]
    gone = tuple(lines.pop().removeprefix("Gone: ").split(", ")) if lines and lines[-1].startswith("Gone: ") else ()
    return "\n".join(lines).rstrip("\n"), gone, words


def _with_body(cell: NotebookCell, language: str, body: str) -> NotebookCell:
    if language == "output":
        return structs.replace(cell, outputs=body)
    if language == "error":
        return structs.replace(cell, error=body)
    return structs.replace(cell, source=body, cell_type=_CELL_TYPES.get(language, cell.cell_type))


class _Told(Struct, frozen=True):
    """Texts that a conversation has shown last: cells by their ids, and which in which order; entries of variables by their names; the
    blocks of its last answer."""

    cells: dict[str, NotebookCell]
    order: tuple[str, ...]
    variables: dict[str, str]
    last_error: str
    blocks: tuple[str, ...]


def _told(conversation: Sequence[Message]) -> _Told:
    known = _Told({}, (), {}, "", ())
    for message in conversation:
        if message.role == "assistant":
            known = structs.replace(known, blocks=fenced_blocks(message.text))
            continue
        parts = _resolved(parse_request(message.text), known)
        shown = parts.cells if parts.edit is None else (*parts.cells, structs.replace(parts.edit, error=""))
        known.cells.update({cell.id: cell for cell in shown})
        known.variables.clear()
        known.variables.update(entries(parts.variables))
        known = structs.replace(
            known,
            order=tuple(cell.id for cell in parts.cells),
            last_error=parts.last_error or known.last_error,
            blocks=(),
        )
    return known


def _resolved(parts: RequestParts, known: _Told) -> RequestParts:
    """The parts with what they only name."""
    answered = dict(parts.answered)
    edit = () if parts.edit is None else (parts.edit,)
    here = {cell.id for cell in (*parts.cells, *edit)}

    def cell_of(cell: NotebookCell) -> NotebookCell:
        before = known.cells.get(cell.id)
        number = answered.get(cell.id, 0)
        if cell.id in parts.as_before or cell.id not in here:
            return before or cell
        if cell.id in parts.same_source and before is not None:
            return structs.replace(cell, source=before.source)
        if 0 < number <= len(known.blocks):
            return structs.replace(cell, source=known.blocks[number - 1])
        return cell

    new = expanded(parts.variables, known.variables)
    same = [text for name, text in known.variables.items() if name not in new and name not in parts.gone_variables]
    listed = [one for cell in parts.cells for one in _run_of(cell, parts.runs, known)]
    return structs.replace(
        parts,
        cells=tuple(map(cell_of, listed)),
        last_error=known.last_error if parts.last_error == "As before." else parts.last_error,
        edit=cell_of(parts.edit) if parts.edit is not None else None,
        variables="\n".join([*new.values(), *same, *parts.prompt_words]),
        as_before=frozenset(),
        same_source=frozenset(),
        answered=(),
        gone_variables=(),
        prompt_words=(),
        runs={},
    )


def _run_of(cell: NotebookCell, runs: dict[str, str], known: _Told) -> list[NotebookCell]:
    """The cell, and where a run begins with it those up to the run's last, which is listed itself."""
    last = runs.get(cell.id, "")
    if cell.id not in known.order or last not in known.order:
        return [cell]
    between = known.order[known.order.index(cell.id) + 1 : known.order.index(last)]
    return [cell, *(NotebookCell(id=one) for one in between)]


def asked_last(conversation: Sequence[Message]) -> RequestParts:
    """Parts of the last user message, completed from earlier messages where it only names a text."""
    last = next((number for number in reversed(range(len(conversation))) if conversation[number].role == "user"), None)
    if last is None:
        return RequestParts(request="")
    return _resolved(parse_request(conversation[last].text), _told(conversation[:last]))


def _unescaped(text: str) -> str:
    return re.sub(r"^\\(?=\\*## )", "", text.strip("\n"), flags=re.MULTILINE)
