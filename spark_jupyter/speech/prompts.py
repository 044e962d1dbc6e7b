"""Instructions and context → the model's input, and back. Pure.

A user message has sections, of which only ``## Request`` is always there::

    ## Steer             what is to be different, where an answer is being redirected
    ## Request           the user's words
    ## Intent            fix, explain or edit
    ## Checks            what must hold once the answer has run, one a line
    ## Variables         one a line
    ## Last error        a traceback
    ## Cells             ### id=ID code, then the source in a fence, its output and its error in fences of their own;
                         ### id=ID code as before, where an earlier message has it as it still is
    ## Edit cell ID      the cell's source in a fence
    ## Answer so far     where an answer is being redirected: as it came, up to its last whole line, to the end of
    the message

A fence is longer than any run of backticks inside it, and a line of free text that looks like a heading gets a
backslash before it, so that no content can pass for a section. :func:`parse_request` reads this again, for the
embedded server's engines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from spark_jupyter.providers.base import Message
from spark_jupyter.wire.messages import CellType, Finding, NotebookCell, Prompt, Proposal

if TYPE_CHECKING:
    from collections.abc import Sequence

CHARACTERS_PER_TOKEN = 4
"""A common rule of thumb for English and code; usage that the provider reports corrects it elsewhere."""

_FORMAT = """\
You are a pair programmer in a Jupyter notebook with a Python kernel (IPython). Answer in Markdown; your answer becomes
cells while you write it.

- Each ```python block is a new code cell, each ```markdown block a new Markdown cell. All other text is shown as notes
  beside the notebook: keep it to a sentence or two.
- ```python cell=ID replaces the whole source of the existing cell ID: write all of it. The user sees a diff and
  decides.
- Close every block with its own line of ```. A block that contains such a line is fenced by four backticks.
- A cell given "as before" is still what an earlier message showed.
- Code runs as it stands, top to bottom, after the cells given. Use the variables and columns that are there; do not
  invent any. Import what is not imported yet. Install with %pip, use the shell with %%bash at the top of a ```python
  block.
- Take credentials from the environment or getpass, never write them down; a placeholder such as <withheld> stays as
  it is.
- What stands under 'Checks' is run after your cells and must pass. Do not write it into a cell.
- If a request can't be met, say so in one sentence and write no cell.
"""

_INTENTS = {
    "generate": "",
    "edit": "The user wants the cell under 'Edit cell' changed: answer with one block for that cell.\n",
    "fix": "The user wants the last error repaired: change the cell that failed, in a block for that cell, "
    "and say why in a sentence.\n",
    "explain": "The user wants an explanation: answer in prose, and with a cell only if it shows what prose can't.\n",
}

_STEERING = """\
Where the message has a section 'Steer', the user has redirected an answer, and what is said there overrides the
request. The answer so far stands in the notebook, cut at its last whole line. Either go on with its last block: begin
with ```python continue and write only what follows its last line. Or, if something that stands there is wrong now,
begin again with the first block and write everything.
"""


def instructions(prompt: Prompt) -> str:
    """The instructions that go with a prompt: the answer's format, and what the intent asks for."""
    return f"{_FORMAT}{_INTENTS[prompt.intent]}{_STEERING}"


def prediction(prompt: Prompt) -> str | None:
    """Text that the answer will largely repeat: the source of the cell that is edited."""
    edited = _edited(prompt.target.edit, prompt.cells)
    return edited.source if edited is not None and edited.source else None


# --- Building --------------------------------------------------------------------------------------------------------


class RequestParts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user message in parts. ``edit`` is the cell to be edited, ``answer`` the answer so far where ``steer``
    redirects it. Of ``cells`` those in ``as_before`` are only named: an earlier message has them."""

    request: str
    intent: str = "generate"
    checks: str = ""
    variables: str = ""
    last_error: str = ""
    cells: tuple[NotebookCell, ...] = ()
    as_before: frozenset[str] = frozenset()
    edit: NotebookCell | None = None
    steer: str = ""
    answer: str = ""


def turn_input(
    prompt: Prompt,
    *,
    kernel: str,
    last_error: str,
    cells: Sequence[NotebookCell],
    history: Sequence[Message] = (),
) -> tuple[Message, ...]:
    """The conversation for a prompt: ``history``, and one user message. ``kernel`` is the variables' description. A cell that the
    history has as it still is is not said again."""
    known = told(history)
    parts = RequestParts(
        request=prompt.text,
        intent=prompt.intent,
        checks="\n".join(prompt.attempts.checks),
        variables=kernel,
        last_error=last_error,
        cells=tuple(cell for cell in cells if cell.id != prompt.target.edit),
        as_before=frozenset(cell.id for cell in cells if known.get(cell.id) == cell),
        edit=_edited(prompt.target.edit, cells),
    )
    return (*history, Message("user", build_request(parts)))


def _edited(cell_id: str | None, cells: Sequence[NotebookCell]) -> NotebookCell | None:
    return next((cell for cell in cells if cell.id == cell_id), None) if cell_id else None


def steer_input(conversation: Sequence[Message], *, answer: str, instruction: str) -> tuple[Message, ...]:
    """The conversation for a steer: its last user message again, with the instruction and the answer so far.

    An earlier instruction is kept before the new one. The answer is cut behind its last whole line, as the cell is.
    """
    *earlier, last = conversation
    parts = parse_request(last.text)
    steer = f"{parts.steer}\n\n{instruction}" if parts.steer else instruction
    whole = answer[: answer.rfind("\n") + 1]
    return (*earlier, Message("user", build_request(structs.replace(parts, steer=steer, answer=whole))))


def build_request(parts: RequestParts) -> str:
    """The text of a user message; :func:`parse_request` reads it again."""
    sections = [
        _section("Steer", parts.steer),
        f"## Request\n{_escaped(parts.request)}",
        _section("Intent", "" if parts.intent == "generate" else parts.intent),
        _section("Checks", parts.checks),
        _section("Variables", parts.variables),
        _section("Last error", parts.last_error),
        "## Cells\n" + "\n".join(_listed(cell, parts.as_before) for cell in parts.cells) if parts.cells else "",
        "" if parts.edit is None else _edit_text(parts.edit),
        f"## Answer so far\n{parts.answer}" if parts.answer else "",
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, text: str) -> str:
    return f"## {title}\n{_escaped(text)}" if text.strip("\n") else ""


def _escaped(text: str) -> str:
    return re.sub(r"^(?=\\*## )", r"\\", text.strip("\n"), flags=re.MULTILINE)


def _unescaped(text: str) -> str:
    return re.sub(r"^\\(?=\\*## )", "", text.strip("\n"), flags=re.MULTILINE)


_LANGUAGES: dict[CellType, str] = {"code": "python", "markdown": "markdown", "raw": "raw"}


def _listed(cell: NotebookCell, as_before: frozenset[str]) -> str:
    return f"### id={cell.id} {cell.cell_type} as before" if cell.id in as_before else _cell_text(cell)


def _cell_text(cell: NotebookCell) -> str:
    texts = [f"### id={cell.id} {cell.cell_type}", _fenced(_LANGUAGES[cell.cell_type], cell.source)]
    if cell.outputs:
        texts.append(_fenced("output", cell.outputs))
    if cell.error:
        texts.append(_fenced("error", cell.error))
    return "\n".join(texts)


def _edit_text(cell: NotebookCell) -> str:
    texts = [f"## Edit cell {cell.id}", *_cell_text(cell).split("\n")[1:]]
    return "\n".join(texts)


def _fenced(language: str, text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


# --- Reading ---------------------------------------------------------------------------------------------------------

_HEADING = re.compile(
    r"## (?:(Steer|Request|Intent|Checks|Variables|Last error|Cells|Answer so far)|Edit cell ([A-Za-z0-9_-]+))\s*"
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
        checks=_unescaped(sections.get("Checks", "")),
        variables=_unescaped(sections.get("Variables", "")),
        last_error=_unescaped(sections.get("Last error", "")),
        cells=tuple(cells),
        as_before=frozenset(as_before),
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


# --- History and corrections -----------------------------------------------------------------------------------------


def recent(history: Sequence[Message], *, budget_tokens: int) -> tuple[Message, ...]:
    """The youngest messages whose size, estimated, is within the budget, from a user's message on."""
    left = budget_tokens * CHARACTERS_PER_TOKEN
    kept: list[Message] = []
    for message in reversed(history):
        left -= len(message.text)
        if left < 0:
            break
        kept.append(message)
    while kept and kept[-1].role != "user":
        kept.pop()
    return tuple(reversed(kept))


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


def correction(findings: Sequence[Finding], line: str) -> str:
    """The steering text for findings that cut the answer at ``line``: what is wrong with it, why, and what to write
    instead."""
    quoted = line.strip("\n")
    reasons = [f"- {finding.rule}: {finding.message} {finding.remedy}".rstrip() for finding in findings]
    what = (
        [f"This was taken out of the cell, and must not be written again:\n{_fenced('python', quoted)}"]
        if quoted
        else []
    )
    return "\n".join(
        [
            *what,
            "The check says:",
            *reasons,
            "Go on with ```python continue from the line before it, and do it in the way named, or do without it.",
        ]
    )


# --- Attempts ----------------------------------------------------------------------------------------------------------


def answer_text(proposals: Sequence[Proposal], *, notes: str = "") -> str:
    """Cells and notes as an answer that says exactly these. Notes come last: a fence that is open in them ends nothing."""
    blocks = [_fenced(_block_info(proposal), proposal.source) for proposal in proposals]
    return "\n\n".join([*blocks, notes.strip()]).rstrip("\n") + "\n"


def answer_so_far(proposals: Sequence[Proposal]) -> str:
    """Cells as an answer that is still in its last block."""
    return answer_text(proposals).rstrip("`\n") + "\n" if proposals else ""


def _block_info(proposal: Proposal) -> str:
    language = _LANGUAGES[proposal.cell_type]
    return f"{language} cell={proposal.cell_id}" if proposal.kind == "edit" else language


def failure(reason: str, printed: str = "") -> str:
    """The steering text for an answer that was tried in a copy of the kernel and failed."""
    parts = [
        "The answer so far was run in a copy of the kernel, and it failed:",
        _fenced("text", reason),
        f"It had printed:\n{_fenced('text', printed[-2000:])}" if printed.strip() else "",
        "Find the cause and write the whole answer again, from its first block on, so that it runs and its checks pass.",
    ]
    return "\n".join(part for part in parts if part)
