"""Text layout of a request to the model.

A user message has sections, of which only ``## Request`` is always there. What changes least stands first, the request last, so that
requests share a prefix that providers keep in their caches::

    ## Earlier           in the first message: the requests before it, a line each, with what was decided
    ## Project rules     of the user's AGENTS.md files, where they are new or have changed
    ## Plan, of which the request is one step
                         the whole task and its steps
    ## Cells             ### id=ID code, then the source in a fence, its output and its error in fences of their own;
                         ### as before: ID, ID … where an earlier message has them as they still are; ID … ID are all of those
                         between them there;
                         ### id=ID code, source as before, and fences for output and error alone;
                         ### id=ID code, block N of the answer above, where the model itself wrote the source
    ## Files             the head of each file that the request names
    ## Versions          of Python and of the packages in use, those that are new
    ## Variables         those that are new or have changed (:mod:`spark_jupyter.prompting.variable_entries`), with details in indented
                         lines; "Gone: NAME, NAME …"; last the prompt's words in tables
    ## Tried in a copy of the kernel
                         what it showed of earlier cells, a line each
    ## Last error        a traceback, or "As before."
    ## Mentioned         what the request points at with @, in detail
    ## Images            the names of the images that go along, in their order
    ## Active cell       the id of the one that "this cell" means, where that is neither edited nor the last
    ## Proposed by you, not decided on
                         the ids of such cells, with commas
    ## Edit cell ID      the cell's source in a fence, or the words for a source that stands above
    ## Checks that run after your cells
                         asserts that must pass, one a line
    ## Skill             the instructions that the request calls for by its /name
    ## Request           the user's words
    ## Intent            draft, fix, explain, edit or plan, and what that asks for
    ## Steer             what is to be different, where an answer is being redirected
    ## Answer so far     as it came, up to its last whole line, to the end of the message

A fence is longer than any run of backticks inside it, and a line of free text that looks like a heading gets a
backslash before it, so that no content can pass for a section. The embedded server reads this again
(``request_parser.py``); nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import groupby

from spark_jupyter.prompting.budget import MORE
from spark_jupyter.prompting.conversation import Answer, Block, Conversation, Exchange, Question
from spark_jupyter.prompting.instructions import HINT_STEPS, INTENTS
from spark_jupyter.prompting.known_facts import KnownFacts, known_facts, versions
from spark_jupyter.prompting.plan_prompts import INTENT, PLAN_INTENT
from spark_jupyter.prompting.surroundings import Surroundings
from spark_jupyter.prompting.variable_entries import PROMPT_WORDS, entries, shortened
from spark_jupyter.protocol.constants import MOST_IMAGES
from spark_jupyter.protocol.messages import Prompt
from spark_jupyter.protocol.values import CellType, NotebookCell
from spark_jupyter.providers.base import Message


def prediction(asked: Question) -> str | None:
    """Text that the answer will largely repeat: the source of the cell that is edited, as the model is shown it."""
    return asked.edit.source if asked.edit is not None and asked.edit.source else None


# --- Questions -------------------------------------------------------------------------------------------------------


def question(
    prompt: Prompt,
    *,
    surroundings: Surroundings,
    cells: Sequence[NotebookCell],
    earlier: tuple[Exchange, ...] = (),
    proposed: Collection[str] = (),
    whole_edit: bool = False,
) -> Question:
    """The question that a prompt asks. Facts that ``earlier`` tells already are only named; with ``whole_edit`` the source of the cell to
    be edited is there in any case."""
    known = known_facts(earlier)
    listed = tuple(cell for cell in cells if cell.id != prompt.target.edit)
    as_before = frozenset(cell.id for cell in listed if known.cells.get(cell.id) == cell)
    rest = [cell for cell in listed if cell.id not in as_before]
    edit = _edited(prompt.target.edit, cells)
    if edit is not None and not whole_edit:
        rest.append(edit)
    same = frozenset(cell.id for cell in rest if _is_told(cell, known))
    blocks = (
        (cell.id, known.block_of(cell.source)) for cell in rest if cell.cell_type == "code" and cell.id not in same
    )
    variables = entries(surroundings.variables)
    files = entries(surroundings.files).values()
    # a repair needs the traceback at hand; other requests know it once it was told
    same_error = (
        bool(known.last_error)
        and surroundings.last_error == known.last_error
        and prompt.intent not in ("fix", "explain")
    )
    return Question(
        request=prompt.text,
        intent=f"hints {prompt.hint}" if prompt.hint else prompt.intent,
        checks=prompt.attempts.checks,
        variables=shortened(variables, known.variables),
        prompt_words=tuple(line for line in surroundings.variables.splitlines() if line.startswith(PROMPT_WORDS)),
        gone_variables=()
        if MORE.partition(":")[0] in variables
        else tuple(name for name in known.variables if name not in variables),
        versions=", ".join(one for one in versions(surroundings.versions) if one not in known.versions),
        files="\n".join(text for text in files if text not in known.files),
        rules=_new_rules(surroundings.rules, known.rules),
        skill=surroundings.skill,
        tried=tuple(line for line in surroundings.tried if line not in known.tried),
        last_error="" if same_error else surroundings.last_error,
        same_error=same_error,
        mentioned=surroundings.mentioned,
        images=(*prompt.images, *surroundings.images)[:MOST_IMAGES],
        cells=listed,
        order=known.order,
        as_before=as_before,
        same_source=same,
        answered=tuple((cell_id, number) for cell_id, number in blocks if number),
        active=prompt.active if any(cell.id == prompt.active for cell in cells) else None,
        proposed=tuple(cell.id for cell in listed if cell.id in proposed),
        edit=edit,
    )


_NO_RULES = "None any more."


def _new_rules(now: str, known: str) -> str:
    """The rules where they are others than the model knows; empty where they are not."""
    now = now or (_NO_RULES if known else "")
    return "" if now == known else now


def _is_told(cell: NotebookCell, known: KnownFacts) -> bool:
    before = known.cells.get(cell.id)
    return before is not None and before.source == cell.source


def _edited(cell_id: str | None, cells: Sequence[NotebookCell]) -> NotebookCell | None:
    return next((cell for cell in cells if cell.id == cell_id), None) if cell_id else None


# --- Text ------------------------------------------------------------------------------------------------------------


def messages(conversation: Conversation) -> tuple[Message, ...]:
    """The model's input, oldest first."""
    return _in_order(conversation.earlier, conversation.folded, _message(conversation.question))


def history_messages(earlier: Sequence[Exchange], folded: Sequence[str]) -> tuple[Message, ...]:
    """The beginning of :func:`messages`, independent of the prompt."""
    return _in_order(earlier, folded) if earlier else ()


def _in_order(earlier: Sequence[Exchange], folded: Sequence[str], *asked: Message) -> tuple[Message, ...]:
    first, *others = [*(message for exchange in earlier for message in exchange_messages(exchange)), *asked]
    text = "\n\n".join(filter(None, [earlier_text(folded), first.text]))
    return (Message("user", text, first.images), *others)


def _message(asked: Question) -> Message:
    return Message("user", question_text(asked), asked.images)


def earlier_text(folded: Sequence[str]) -> str:
    """The section with what is told of the conversation in lines; empty where nothing was folded."""
    return _section("Earlier", "\n".join(f"- {line}" for line in folded))


def exchange_messages(exchange: Exchange) -> tuple[Message, Message]:
    answer = exchange.answer if isinstance(exchange.answer, str) else answer_text(exchange.answer)
    return _message(exchange.question), Message("assistant", answer)


_INTENTS = {**INTENTS, INTENT: PLAN_INTENT, **{text.partition(":")[0]: text for text in HINT_STEPS}}


def question_text(asked: Question) -> str:
    so_far = answer_so_far(asked.answer)
    sections = [
        _section("Project rules", asked.rules),
        _section("Plan, of which the request is one step", asked.plan),
        f"## Cells\n{_cells_text(asked)}" if asked.cells else "",
        _section("Files", asked.files),
        _section("Versions", asked.versions),
        _section("Variables", _variables_text(asked)),
        _section("Tried in a copy of the kernel", "\n".join(asked.tried)),
        _section("Last error", "As before." if asked.same_error else asked.last_error),
        _section("Mentioned", asked.mentioned),
        _section("Images", "\n".join(image.name or "image" for image in asked.images)),
        _section("Active cell", _active_text(asked)),
        _section("Proposed by you, not decided on", ", ".join(asked.proposed)),
        "" if asked.edit is None else _edit_text(asked.edit, asked),
        _section("Checks that run after your cells", "\n".join(asked.checks)),
        _section("Skill", asked.skill),
        f"## Request\n{_escaped(asked.request)}",
        _section("Intent", _INTENTS.get(asked.intent, asked.intent)),
        _section("Steer", "\n\n".join([*asked.steers, *asked.corrections])),
        f"## Answer so far\n{so_far}" if so_far else "",
    ]
    return "\n\n".join(section for section in sections if section)


def _variables_text(asked: Question) -> str:
    gone = f"Gone: {', '.join(asked.gone_variables)}" if asked.gone_variables else ""
    return "\n".join(filter(None, [asked.variables, gone, *asked.prompt_words]))


def _active_text(asked: Question) -> str:
    """The id of the active cell, where it is not plain which one it is."""
    plain = asked.edit.id if asked.edit is not None else asked.cells[-1].id if asked.cells else ""
    return asked.active if asked.active and asked.active != plain else ""


def _section(title: str, text: str) -> str:
    return f"## {title}\n{_escaped(text)}" if text.strip("\n") else ""


def _escaped(text: str) -> str:
    return re.sub(r"^(?=\\*## )", r"\\", text.strip("\n"), flags=re.MULTILINE)


_LANGUAGES: dict[CellType, str] = {"code": "python", "markdown": "markdown", "raw": "raw"}


def _cells_text(asked: Question) -> str:
    """The cells in the notebook's order; neighbours that an earlier message has share a line."""
    lines: list[str] = []
    for known, group in groupby(asked.cells, key=lambda cell: cell.id in asked.as_before):
        if known:
            lines.append(f"### as before: {_run([cell.id for cell in group], asked.order)}")
            continue
        for cell in group:
            where = _source_elsewhere(cell, asked)
            heading = f"### id={cell.id} {cell.cell_type}"
            lines += [f"{heading}, {where}"] if where else [heading, fenced(_LANGUAGES[cell.cell_type], cell.source)]
            lines += _results(cell, asked.last_error)
    return "\n".join(lines)


def _source_elsewhere(cell: NotebookCell, asked: Question) -> str:
    """Words for the place at which the model has the cell's source; empty where it has not."""
    if cell.id in asked.same_source:
        return "source as before"
    number = dict(asked.answered).get(cell.id, 0)
    return f"block {number} of the answer above" if number else ""


_SHORTEST_RUN = 4


def _run(cell_ids: Sequence[str], order: Sequence[str]) -> str:
    """The ids; of many that stand so in the message before only the first and the last."""
    at = order.index(cell_ids[0]) if cell_ids[0] in order else 0
    if len(cell_ids) < _SHORTEST_RUN or list(order[at : at + len(cell_ids)]) != list(cell_ids):
        return ", ".join(cell_ids)
    return f"{cell_ids[0]} … {cell_ids[-1]}"


def _results(cell: NotebookCell, last_error: str) -> list[str]:
    """The fences of output and error. A traceback that is told under 'Last error' is not told twice."""
    texts = [fenced("output", cell.outputs)] if cell.outputs else []
    if cell.error:
        texts.append(fenced("error", _ELSEWHERE if _same_error(cell.error, last_error) else cell.error))
    return texts


_ELSEWHERE = "see 'Last error'"


def _same_error(error: str, last_error: str) -> bool:
    """Return whether a cell's traceback and the last error end in the same line. The last error may go on with values."""
    last = error.strip().rpartition("\n")[2].strip()
    return bool(last) and last in (line.strip() for line in last_error.split("\n"))


def _edit_text(cell: NotebookCell, asked: Question) -> str:
    source = _source_elsewhere(cell, asked) or fenced(_LANGUAGES[cell.cell_type], cell.source)
    return "\n".join([f"## Edit cell {cell.id}", source, *_results(cell, asked.last_error)])


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
