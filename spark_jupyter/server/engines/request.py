"""Request of a conversation: prompt, steers and context."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from spark_jupyter.prompting import request_parser
from spark_jupyter.prompting.mentions import with_quoted_names, without_marks
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.providers.base import Message
from spark_jupyter.server.engines import namespace as names
from spark_jupyter.server.engines.namespace import Namespace


class Request(Struct, frozen=True, kw_only=True):
    """A request and its context. ``steers`` are the instructions given since, oldest first; ``so_far`` is the answer that the last
    one interrupts; ``edit`` is the cell to be changed, ``proposed`` the last one of code on which the user has not decided;
    ``before`` the requests of the turns before, oldest first."""

    text: str
    intent: str = "generate"
    steers: tuple[str, ...] = ()
    so_far: str = ""
    error: str = ""
    cells: tuple[NotebookCell, ...] = ()
    edit: NotebookCell | None = None
    proposed: NotebookCell | None = None
    namespace: Namespace = names.Namespace()
    before: tuple[str, ...] = ()


def read(conversation: Sequence[Message]) -> Request:
    """The request that the last user message makes."""
    asked = [request_parser.parse_request(message.text) for message in conversation if message.role == "user"]
    parts = request_parser.asked_last(conversation)
    cells = (*parts.cells, parts.edit) if parts.edit else parts.cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    files = "\n".join(one.files for one in asked if one.files)
    return Request(
        text=with_quoted_names(without_marks(parts.request.strip()), files),
        intent=parts.intent,
        steers=tuple(map(without_marks, _instructions(parts.steer))),
        so_far=parts.answer,
        error=parts.last_error,
        cells=parts.cells,
        edit=parts.edit,
        proposed=next(
            (cell for cell in reversed(parts.cells) if cell.id in parts.proposed and cell.cell_type == "code"), None
        ),
        namespace=names.read(parts.variables, sources, files),
        before=tuple(with_quoted_names(without_marks(one.request.strip()), files) for one in asked[:-1]),
    )


def _instructions(text: str) -> list[str]:
    """The instructions in a Steer section: they stand a blank line apart, and a fenced block stays whole."""
    found, fence = [""], ""
    for line in text.split("\n"):
        ticks = line[: len(line) - len(line.lstrip("`"))]
        if len(ticks) >= 3 and (not fence or line == fence):
            fence = "" if fence else ticks
        if line.strip() or fence:
            found[-1] += line + "\n"
        elif found[-1]:
            found.append("")
    return [instruction.strip() for instruction in found if instruction.strip()]
