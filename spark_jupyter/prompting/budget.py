"""Selection of variables and cells within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from spark_jupyter.prompting.variable_entries import PROMPT_WORDS

if TYPE_CHECKING:
    from spark_jupyter.prompting.kernel_context import KernelContext
    from spark_jupyter.prompting.variables import Variable
    from spark_jupyter.protocol.values import CellId, NotebookCell
    from spark_jupyter.providers.base import Message

OUTPUT_CHARACTERS = 1500
"""An output longer than this goes into a prompt with its middle left out."""

_CELL_OVERHEAD = 12
"""Tokens for a cell's heading and fence in the prompt."""

HOSTED_WINDOW = 128_000
"""Tokens: that of gpt-5.3-codex-spark and of gpt-oss, assumed for a hosted model whose profile does not say."""
LOCAL_WINDOW = 32_000
"""Tokens, assumed for a model on this machine whose profile does not say: its server is often started with less than it could have."""
INPUT_SHARE = 3 / 4
"""Of the window; the rest is for the answer."""
ANSWER_SHARE = 1 - INPUT_SHARE
"""Of the window: the most that a model on this machine may write, where no provider stops one that goes on without end."""
HISTORY_SHARE = 1 / 2
"""Of the window, at most, for the turns before."""
MOST_HISTORY = 32_000
"""Tokens, at most, for the turns before: a large window is no reason to pay for all of them with every request."""
FOLDED_SHARE = 1 / 20
"""Of the window, at most, for the turns before those, in a line each."""
RULES_SHARE = 1 / 8
"""Of the window, at most, for the project's rules."""
CELLS_SHARE = 2 / 5
"""Of the window, at most, for the cells: so that the message that shows them can stay as the history of the next turns."""

# --- Tokens ----------------------------------------------------------------------------------------------------------


def estimate_tokens(text: str) -> int:
    """Estimated tokens of ``text``: 3.6 ASCII characters each, as code has it, and 0.8 per other character.

    No tokenizer is loaded for it; :class:`TokenEstimator` corrects it by what the provider reports.
    """
    if text.isascii():
        return -(-len(text) * 10 // 36)
    ascii_count = len(text.encode("ascii", "ignore"))
    return int(ascii_count / 3.6 + (len(text) - ascii_count) * 0.8) + 1


def within_tokens(text: str, most: int) -> str:
    """The text, or where it is longer than ``most`` tokens its first lines."""
    while text and estimate_tokens(text) > most:
        text = text[: len(text) * 3 // 4].rpartition("\n")[0]
    return text


def message_tokens(message: Message) -> int:
    """About how many tokens a message is, with its images."""
    return estimate_tokens(message.text) + sum(image.tokens for image in message.images)


class TokenEstimator:
    """Ratio of the tokens that a provider counts to those of :func:`estimate_tokens`, learned of the usage that it reports."""

    def __init__(self, *, smoothing: float = 0.3) -> None:
        self.ratio = 1.0
        self._smoothing = smoothing

    def learn(self, text: str, *, reported: int) -> None:
        """The provider counted ``reported`` tokens in ``text``. Short texts teach nothing: overhead is most of them."""
        estimated = estimate_tokens(text)
        if estimated < 50 or reported <= 0:
            return
        seen = min(max(reported / estimated, 0.25), 4.0)
        self.ratio += self._smoothing * (seen - self.ratio)


# --- Variables -------------------------------------------------------------------------------------------------------


MORE = "…: more variables"
"""The last line where there was no room for every variable."""
_MORE_COST = 8


def describe(context: KernelContext, *, budget_tokens: int, prompt: str = "") -> str:
    """The variables, an entry for each, the most relevant first, in at most ``budget_tokens`` tokens (estimated).

    Relevant are, in this order: what ``prompt`` names, tables, arrays, other values, functions, modules; and of a kind
    what was defined last. A table that does not fit is shown without its profile, and then with fewer columns, before it is left out.
    """
    lines: list[str] = []
    left, more = budget_tokens - _MORE_COST, False
    for variable in sorted(context.variables, key=_relevance(prompt)):
        line = _fit(variable, left)
        if line is None:
            more = True
            continue
        lines.append(line)
        left -= estimate_tokens(line + "\n")
    for words in _prompt_words(context.variables):
        if (cost := estimate_tokens(words + "\n")) <= left:
            lines.append(words)
            left -= cost
    return "\n".join([*lines, MORE] if more and lines else lines)


def _prompt_words(variables: Sequence[Variable]) -> list[str]:
    """The lines that tell which words of the prompt are values of tables, one for those that have the same."""
    tables: dict[str, list[str]] = {}
    for variable in variables:
        if variable.found:
            tables.setdefault("; ".join(variable.found), []).append(variable.name)
    return [f"{PROMPT_WORDS}{', '.join(names)}: {found}" for found, names in tables.items()]


def _relevance(prompt: str) -> Callable[[Variable], tuple[bool, int, int]]:
    words = _words(prompt)
    return lambda variable: (variable.name not in words, variable.rank, variable.age)


def _fit(variable: Variable, left: int) -> str | None:
    if variable.profile and estimate_tokens((entry := variable.entry()) + "\n") <= left:
        return entry
    columns = len(variable.columns)
    while True:
        line = variable.line(columns=columns)
        if estimate_tokens(line + "\n") <= left:
            return line
        if columns <= 0:
            return None
        columns //= 2


# --- Cells -----------------------------------------------------------------------------------------------------------


def select_cells(
    cells: Sequence[NotebookCell],
    *,
    prompt: str,
    budget_tokens: int,
    anchor: CellId | None = None,
    edited: CellId | None = None,
) -> tuple[NotebookCell, ...]:
    """The cells that a model should see, in the notebook's order, in at most ``budget_tokens`` tokens (estimated).

    A cell counts by its nearness to ``anchor`` (the cell that the prompt is at or edits; None: the end), by the words
    that it shares with ``prompt``, by defining what the anchor uses, and by having failed. The anchor comes first and
    is never left out for another one. Long outputs lose their middle. The cell that is ``edited`` is there in any case, and whole.
    """
    if not cells:
        return ()
    at = next((i for i, cell in enumerate(cells) if cell.id == anchor), len(cells) - 1)
    wanted = _words(prompt) | _words(cells[at].source)
    scores = [(_score(cell, index - at, wanted), index) for index, cell in enumerate(cells)]
    chosen: dict[int, NotebookCell] = {}
    left = budget_tokens
    for _, index in sorted(scores, key=lambda pair: (-pair[0], pair[1])):
        cell = _shorten(cells[index])
        cost = _cost(cell)
        if cost > left and cell.outputs:
            cell = replace(cell, outputs="")
            cost = _cost(cell)
        if (cost <= left and (cell.source.strip() or cell.error)) or cell.id == edited:
            chosen[index] = cell
            left -= cost
    return tuple(chosen[index] for index in sorted(chosen))


def shown_tokens(cells: Sequence[NotebookCell], shown: Mapping[CellId, NotebookCell]) -> int:
    """Estimated tokens of the cells that the model was shown unchanged, and need not be shown again."""
    return sum(_cost(cell) for cell in map(_shorten, cells) if shown.get(cell.id) == cell)


def _cost(cell: NotebookCell) -> int:
    return estimate_tokens(cell.source) + estimate_tokens(cell.outputs) + estimate_tokens(cell.error) + _CELL_OVERHEAD


def _score(cell: NotebookCell, distance: int, wanted: frozenset[str]) -> float:
    if distance == 0:
        return float("inf")
    nearness = 1.0 / (1.0 + (abs(distance) if distance < 0 else 2 * distance) / 4)
    shared = len(_words(cell.source) & wanted)
    defines = len(_defined(cell.source) & wanted)
    return 2.0 * nearness + min(shared, 8) * 0.15 + min(defines, 4) * 0.5 + (1.0 if cell.error else 0.0)


def _shorten(cell: NotebookCell) -> NotebookCell:
    return replace(cell, outputs=_middle_out(_without_rules(cell.outputs)), error=_middle_out(cell.error))


_RULES = re.compile(r"^[ \u2500-\u257f-]*[\u2500-\u257f][ \u2500-\u257f-]*$\n?", re.MULTILINE)
_BARS = re.compile(r" *[\u2502\u2503\u2506\u2551] *")


def _without_rules(text: str) -> str:
    """An output without the border lines of tables that polars and duckdb draw, and without blanks at ends of lines: these are up to
    half of the tokens."""
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    return (_BARS.sub("|", _RULES.sub("", text)) if _RULES.search(text) else text).strip("\n")


def _middle_out(text: str) -> str:
    if len(text) <= OUTPUT_CHARACTERS:
        return text
    half = OUTPUT_CHARACTERS // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"


# --- Words -----------------------------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d]\w+|[^\W\d]", text))


def _defined(source: str) -> frozenset[str]:
    """Names that a cell defines, as far as the beginnings of its lines tell."""
    found = re.findall(r"(?m)^(?:(?:async\s+)?def\s+|class\s+)?([^\W\d]\w*)\s*(?:=(?!=)|\(|:)", source)
    imported = re.findall(r"(?m)^(?:import|from)\b.*?(\w+)\s*$", source)
    return frozenset(found) | frozenset(imported)
