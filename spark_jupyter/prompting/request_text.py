"""Text layout of a request to the model.

A user message has sections, of which only ``## Request`` is always there::

    ## Earlier           in the first message: the requests before it, a line each, with what was decided
    ## Steer             what is to be different, where an answer is being redirected
    ## Request           the user's words
    ## Intent            fix, explain, edit or plan
    ## Plan              the whole task and its steps, where the request is one of them
    ## Checks            what must hold once the answer has run, one a line
    ## Variables         one a line
    ## Last error        a traceback
    ## Mentioned         what the request points at with @, in detail
    ## Cells             ### id=ID code, then the source in a fence, its output and its error in fences of their own;
                         ### id=ID code as before, where an earlier message has it as it still is
    ## Active cell       its id
    ## Edit cell ID      the cell's source in a fence
    ## Answer so far     where an answer is being redirected: as it came, up to its last whole line, to the end of
    the message

A fence is longer than any run of backticks inside it, and a line of free text that looks like a heading gets a
backslash before it, so that no content can pass for a section. The embedded server reads this again
(``server/engines/parsing.py``); nothing else does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.prompting.conversation import Answer, Block, Conversation, Exchange, Question, shown
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import CellType, NotebookCell
from spark_jupyter.providers.base import Message

if TYPE_CHECKING:
    from collections.abc import Sequence


def prediction(asked: Question) -> str | None:
    """Text that the answer will largely repeat: the source of the cell that is edited, as the model is shown it."""
    return asked.edit.source if asked.edit is not None and asked.edit.source else None


# --- Questions -------------------------------------------------------------------------------------------------------


def question(
    prompt: Prompt, *, surroundings: Surroundings, cells: Sequence[NotebookCell], earlier: tuple[Exchange, ...] = ()
) -> Question:
    """What a prompt asks. A cell that ``earlier`` has as it still is is not said again."""
    known = shown(earlier)
    return Question(
        request=prompt.text,
        intent=prompt.intent,
        checks=prompt.attempts.checks,
        variables=surroundings.variables,
        last_error=surroundings.last_error,
        mentioned=surroundings.mentioned,
        cells=tuple(cell for cell in cells if cell.id != prompt.target.edit),
        as_before=frozenset(cell.id for cell in cells if known.get(cell.id) == cell),
        active=prompt.active if any(cell.id == prompt.active for cell in cells) else None,
        edit=_edited(prompt.target.edit, cells),
    )


def _edited(cell_id: str | None, cells: Sequence[NotebookCell]) -> NotebookCell | None:
    return next((cell for cell in cells if cell.id == cell_id), None) if cell_id else None


# --- Text ------------------------------------------------------------------------------------------------------------


def messages(conversation: Conversation) -> tuple[Message, ...]:
    """The model's input, oldest first."""
    earlier = [message for exchange in conversation.earlier for message in exchange_messages(exchange)]
    first, *others = (*earlier, Message("user", question_text(conversation.question)))
    return (Message("user", "\n\n".join(filter(None, [earlier_text(conversation.folded), first.text]))), *others)


def earlier_text(folded: Sequence[str]) -> str:
    """The section with what is told of the conversation in lines; empty where nothing was folded."""
    return _section("Earlier", "\n".join(f"- {line}" for line in folded))


def exchange_messages(exchange: Exchange) -> tuple[Message, Message]:
    """A question and its answer."""
    answer = exchange.answer if isinstance(exchange.answer, str) else answer_text(exchange.answer)
    return Message("user", question_text(exchange.question)), Message("assistant", answer)


def question_text(asked: Question) -> str:
    """The text of a user's message."""
    so_far = answer_so_far(asked.answer)
    sections = [
        f"## Request\n{_escaped(asked.request)}",
        _section("Intent", "" if asked.intent == "generate" else asked.intent),
        _section("Plan", asked.plan),
        _section("Checks", "\n".join(asked.checks)),
        _section("Variables", asked.variables),
        _section("Last error", asked.last_error),
        _section("Mentioned", asked.mentioned),
        "## Cells\n" + "\n".join(_listed(cell, asked.as_before) for cell in asked.cells) if asked.cells else "",
        _section("Active cell", asked.active or ""),
        "" if asked.edit is None else _edit_text(asked.edit),
        _section("Steer", "\n\n".join(asked.steers)),  # behind what the model has read already
        f"## Answer so far\n{so_far}" if so_far else "",
    ]
    return "\n\n".join(section for section in sections if section)


def _section(title: str, text: str) -> str:
    return f"## {title}\n{_escaped(text)}" if text.strip("\n") else ""


def _escaped(text: str) -> str:
    return re.sub(r"^(?=\\*## )", r"\\", text.strip("\n"), flags=re.MULTILINE)


_LANGUAGES: dict[CellType, str] = {"code": "python", "markdown": "markdown", "raw": "raw"}


def _listed(cell: NotebookCell, as_before: frozenset[str]) -> str:
    return f"### id={cell.id} {cell.cell_type} as before" if cell.id in as_before else _cell_text(cell)


def _cell_text(cell: NotebookCell) -> str:
    texts = [f"### id={cell.id} {cell.cell_type}", fenced(_LANGUAGES[cell.cell_type], cell.source)]
    if cell.outputs:
        texts.append(fenced("output", cell.outputs))
    if cell.error:
        texts.append(fenced("error", cell.error))
    return "\n".join(texts)


def _edit_text(cell: NotebookCell) -> str:
    texts = [f"## Edit cell {cell.id}", *_cell_text(cell).split("\n")[1:]]
    return "\n".join(texts)


def fenced(language: str, text: str) -> str:
    """``text`` in a fence that is longer than any run of backticks in it."""
    fence = _fence(text)
    return f"{fence}{language}\n{text}\n{fence}"


def answer_text(answer: Answer) -> str:
    """The text of a whole answer that says exactly this. Notes come last: a fence that is open in them ends nothing."""
    return "\n\n".join([*map(_closed, answer.blocks), answer.notes.strip()]).strip("\n") + "\n"


def answer_so_far(answer: Answer) -> str:
    """The text of an answer that is not whole, up to its last whole line; empty where it has none."""
    if not answer.parts:
        return ""
    *before, last = answer.parts
    texts = [_closed(part) if isinstance(part, Block) else part.text.strip("\n") for part in before]
    if not isinstance(last, Block):
        end = last.text[: last.text.rfind("\n") + 1].strip("\n")
    elif last.open:
        end = f"{_opening(last)}\n{last.source[: last.source.rfind(chr(10)) + 1]}".rstrip("\n")
    else:
        end = _closed(last)
    text = "\n\n".join(text for text in [*texts, end] if text)
    return f"{text}\n" if text else ""


def _closed(block: Block) -> str:
    return f"{_opening(block)}\n{block.source}\n{_fence(block.source)}"


def _opening(block: Block) -> str:
    """The line that opens a block: its fence is longer than any run of backticks in it."""
    place = f" cell={block.cell_id}" if block.kind == "edit" else ""
    return f"{_fence(block.source)}{_LANGUAGES[block.cell_type]}{place}"


def _fence(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)
