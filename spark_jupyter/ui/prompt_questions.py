"""Input transformer for prompts that end with a question mark.

IPython reads ``%spark which category sells best?`` as a request for help on ``best``. ``%spark?`` stays help.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from tokenize import DEDENT, INDENT, TokenInfo
from typing import TYPE_CHECKING, ClassVar

from IPython.core.inputtransformer2 import EscapedCommand, HelpEnd

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell


class _Question(EscapedCommand):
    """A line magic with words and a question mark at its end. Transformed as any line magic, but before :class:`HelpEnd`."""

    priority = HelpEnd.priority - 1
    names: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> _Question | None:
        """The first such line, None where there is none."""
        for line in tokens_by_line:
            tokens = [token for token in line if token.type not in (INDENT, DEDENT)]
            texts = [token.string for token in tokens]
            if texts[:1] == ["%"] and len(texts) > 4 and texts[1] in cls.names and texts[2] != "?" == texts[-2]:
                return cls(tokens[0].start)
        return None


def keep_questions(shell: InteractiveShell, *, names: Sequence[str]) -> Callable[[], None]:
    """Let questions behind the magics ``names`` be prompts, also in the cell that runs now. Returns what ends that."""
    _keep_in_this_cell(shell, names)
    transformer = type("Question", (_Question,), {"names": frozenset(names)})
    shell.input_transformer_manager.token_transformers.append(transformer)
    return lambda: shell.input_transformer_manager.token_transformers.remove(transformer)


def _keep_in_this_cell(shell: InteractiveShell, names: Sequence[str]) -> None:
    """The cell that loads the extension was transformed before: until it ends, its calls for help prompt instead."""
    history = shell.history_manager
    lines = history.input_hist_raw[-1].splitlines() if history is not None else []
    beginnings = tuple(f"%{name} " for name in names)
    questions = [line.strip() for line in lines if line.strip().startswith(beginnings) and line.rstrip().endswith("?")]
    if not questions or "run_line_magic" in vars(shell):  # it was loaded before in this cell
        return
    asked = {shell.transform_cell(question).strip(): question for question in questions}

    def run(name: str, line: str, _stack_depth: int = 1) -> object:
        if question := asked.get(f"get_ipython().run_line_magic({name!r}, {line!r})"):
            name, line = question[1:].split(maxsplit=1)
        return type(shell).run_line_magic(shell, name, line, _stack_depth=_stack_depth + 1)

    def end(result: object) -> None:
        del vars(shell)["run_line_magic"]
        shell.events.unregister("post_run_cell", end)

    vars(shell)["run_line_magic"] = run
    shell.events.register("post_run_cell", end)
