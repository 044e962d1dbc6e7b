"""Parser of our own requests, for the engines.

:mod:`spark_jupyter.prompting.request_text` has the layout.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.protocol.values import CellType, NotebookCell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_jupyter.providers.base import Message


class RequestParts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user message in parts. ``active`` is the id of the cell in which the user is, ``edit`` the cell to be edited, ``answer`` the
    answer so far where ``steer`` redirects it. Of ``cells`` those in ``as_before`` are only named: an earlier message has them."""

    request: str
    intent: str = "generate"
    plan: str = ""
    checks: str = ""
    variables: str = ""
    last_error: str = ""
    cells: tuple[NotebookCell, ...] = ()
    as_before: frozenset[str] = frozenset()
    active: str = ""
    edit: NotebookCell | None = None
    steer: str = ""
    answer: str = ""


_HEADING = re.compile(
    r"## (?:(Earlier|Steer|Request|Intent|Plan|Checks|Variables|Last error|Mentioned|Cells|Active cell|Answer so far)|"
    r"Edit cell ([A-Za-z0-9_-]+))\s*"
)
_FENCE = re.compile(r"(`{3,})(\w*)")
_CELL_TYPES: dict[str, CellType] = {"python": "code", "code": "code", "markdown": "markdown", "raw": "raw"}


def parse_request(text: str) -> RequestParts:
    """The parts of a user message. One that has no sections, or text before the first, is a request as it stands."""
    sections = _split(text)
    edit_id = next((title.removeprefix("Edit cell ") for title in sections if title.startswith("Edit cell ")), None)
    edit = None
    if edit_id is not None:
        (edit,), _ = _parse_cells(f"### id={edit_id} code\n{sections[f'Edit cell {edit_id}']}")
    cells, as_before = _parse_cells(sections.get("Cells", ""))
    request = "\n\n".join(
        part for part in (sections.get("", "").strip("\n"), _unescaped(sections.get("Request", ""))) if part
    )
    return RequestParts(
        request=request,
        intent=sections.get("Intent", "").strip() or "generate",
        plan=_unescaped(sections.get("Plan", "")),
        checks=_unescaped(sections.get("Checks", "")),
        variables=_unescaped(sections.get("Variables", "")),
        last_error=_unescaped(sections.get("Last error", "")),
        cells=tuple(cells),
        as_before=frozenset(as_before),
        active=sections.get("Active cell", "").strip(),
        edit=edit,
        steer=_unescaped(sections.get("Steer", "")),
        answer=sections.get("Answer so far", ""),
    )


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


def _parse_cells(text: str) -> tuple[list[NotebookCell], list[str]]:
    """The cells, and the ids of those that are only named."""
    cells: list[NotebookCell] = []
    named: list[str] = []
    lines = iter(text.split("\n"))
    for line in lines:
        heading = re.fullmatch(r"### id=([A-Za-z0-9_-]+)(?: (code|markdown|raw))?( as before)?\s*", line)
        if heading:
            cells.append(NotebookCell(id=heading[1], cell_type=_CELL_TYPES[heading[2] or "code"]))
            if heading[3]:
                named.append(heading[1])
        elif (fence := _FENCE.fullmatch(line)) and cells:
            body = "\n".join(iter(lambda: next(lines, fence[1]), fence[1]))
            cells[-1] = _with_body(cells[-1], fence[2], body)
    return cells, named


def _with_body(cell: NotebookCell, language: str, body: str) -> NotebookCell:
    if language == "output":
        return structs.replace(cell, outputs=body)
    if language == "error":
        return structs.replace(cell, error=body)
    return structs.replace(cell, source=body, cell_type=_CELL_TYPES.get(language, cell.cell_type))


def told(conversation: Sequence[Message]) -> dict[str, NotebookCell]:
    """The cells by their ids as the conversation has shown them last."""
    shown: dict[str, NotebookCell] = {}
    for message in conversation:
        if message.role == "user":
            parts = parse_request(message.text)
            shown.update({cell.id: cell for cell in parts.cells if cell.id not in parts.as_before})
    return shown


def asked_last(conversation: Sequence[Message]) -> RequestParts:
    """What the last user message asks, with the cells that it only names as earlier messages have them."""
    texts = [message for message in conversation if message.role == "user"]
    if not texts:
        return RequestParts(request="")
    parts = parse_request(texts[-1].text)
    known = told(texts[:-1]) if parts.as_before else {}
    cells = tuple(known.get(cell.id, cell) if cell.id in parts.as_before else cell for cell in parts.cells)
    return structs.replace(parts, cells=cells, as_before=frozenset())


def _unescaped(text: str) -> str:
    return re.sub(r"^\\(?=\\*## )", "", text.strip("\n"), flags=re.MULTILINE)
