"""Access to a running IPython: cells, names, failures, and running code.

Nothing else reads or drives the shell. No code of the user's is called: sources come from the history, names from the namespace, errors as
they were raised.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from spark_jupyter.prompting.mentions import mentions
from spark_jupyter.protocol.constants import ID_PATTERN
from spark_jupyter.protocol.values import NotebookCell
from spark_jupyter.source.ipython_lines import asks_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from IPython.core.interactiveshell import InteractiveShell

    from spark_jupyter.protocol.messages import Prompt

MOST_CELLS = 200
"""So many inputs of the history go into the choice of what a prompt takes along."""


class Failure(Struct, frozen=True, kw_only=True):
    """The cell that failed last."""

    cell_id: str
    source: str
    error: BaseException


class Shell:
    """One IPython shell, in a kernel or in a terminal."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.last_failure: Failure | None = None
        self._ran_well: set[str] = set()
        """The cells that ran well since that failure."""
        self.last_source = ""
        self.moment = 0
        """Another one whenever a cell has begun to run or has ended."""
        self.on_failure: Callable[[Failure], None] | None = None
        """Called after each cell that failed; never for an interrupt or the wish to leave."""
        self.may_run: Callable[[str], None] | None = None
        """Called with what is about to run, whoever sent it, before anything of it has run; what it raises stops that."""
        self.runs: Callable[[str], None] | None = None
        """Called with what runs now."""
        self._process = os.getpid()
        shell.events.register("post_run_cell", self._after_cell)
        shell.events.register("pre_run_cell", self._before_cell)
        shell.input_transformers_cleanup.append(self._gate)

    def leave(self) -> None:
        """Stop to listen."""
        self._shell.events.unregister("post_run_cell", self._after_cell)
        self._shell.events.unregister("pre_run_cell", self._before_cell)
        self._shell.input_transformers_cleanup.remove(self._gate)

    # --- what it knows -------------------------------------------------------------------------------------------------

    @property
    def interactive(self) -> InteractiveShell:
        """IPython's own object."""
        return self._shell

    @property
    def kernel(self) -> Any:
        """The kernel where there is one, else None."""
        return getattr(self._shell, "kernel", None)

    @property
    def namespace(self) -> Mapping[str, object]:
        """The user's names, live."""
        namespace: Mapping[str, object] = self._shell.user_ns
        return namespace

    @property
    def is_run_by_program(self) -> bool:
        """True if a program runs the notebook: nbclient and papermill say that they allow no standard input; IPython's application does
        not go on after a script or ``-c``."""
        if self.kernel is None:
            return not getattr(self._shell.parent, "interact", True)
        return not self._parent().get("content", {}).get("allow_stdin", True)

    @property
    def is_terminal(self) -> bool:
        """True if only printed text is sure to be seen: in a terminal, and in a console of a kernel, such as Jupyter console and
        QtConsole. These know no update of a display, and tell nothing of a cell; notebooks, and JupyterLab's consoles, do."""
        return self.kernel is None or not (self.is_run_by_program or self._parent().get("metadata"))

    @property
    def waits(self) -> bool:
        """True if a turn should block its cell: in a terminal, and if a program runs the notebook."""
        return self.is_terminal or self.is_run_by_program

    @property
    def cell_id(self) -> str | None:
        """The id of the cell that runs, where the front end says it and it can be one."""
        cell_id = self._parent().get("metadata", {}).get("cellId", "")
        return cell_id if re.fullmatch(ID_PATTERN, cell_id or "") else None

    def cells(self, *, all_inputs: bool = False) -> tuple[NotebookCell, ...]:
        """The inputs so far as they were typed, oldest first: what there is of a notebook where no front end sends it.

        The last one is left out, as that is the magic which asks; ``all_inputs`` is for whoever asks from outside a cell.
        """
        history = self._shell.history_manager
        inputs: list[str] = list(history.input_hist_raw) if history is not None else []
        first = max(1, len(inputs) - MOST_CELLS)
        return tuple(
            NotebookCell(id=f"in-{number}", source=source, execution_count=number)
            for number, source in enumerate(inputs[first:] if all_inputs else inputs[first:-1], first)
            if source.strip()
        )

    @property
    def inputs(self) -> dict[int, str]:
        """Inputs as they were typed, by their numbers."""
        history = self._shell.history_manager
        return dict(enumerate(history.input_hist_raw)) if history is not None else {}

    def failure_for(self, prompt: Prompt) -> Failure | None:
        """The last failure, where a prompt is to be told of it: while the cell that failed has neither been changed nor run well since.

        Where only the inputs so far are known, nobody changes one: there it is told until something else ran well. A fix of that cell, and
        a prompt that mentions ``@error``, are told of it in any case.
        """
        failure = self.last_failure
        if failure is None or (prompt.intent == "fix" and prompt.target.edit == failure.cell_id):
            return failure
        if any(mention.kind == "error" for mention in mentions(prompt.text)):
            return failure
        if failure.cell_id in self._ran_well:
            return None
        now = next((cell for cell in prompt.cells if cell.id == failure.cell_id), None)
        if now is None:
            of_a_notebook = any(not cell.id.startswith("in-") for cell in prompt.cells)
            return None if of_a_notebook or self._ran_well else failure
        return failure if now.source.strip() == failure.source.strip() else None

    # --- what it does --------------------------------------------------------------------------------------------------

    def run(self, source: str) -> bool:
        """Run a cell as if the user had typed it. Whether it ended well."""
        return bool(self._shell.run_cell(source, store_history=True).success)

    def set_next_input(self, source: str) -> None:
        """Put a cell below (in a notebook) or at the next prompt (in a terminal)."""
        self._shell.set_next_input(source, replace=False)

    # --- inside --------------------------------------------------------------------------------------------------------

    def _parent(self) -> dict[str, Any]:
        kernel = self.kernel
        parent: dict[str, Any] = kernel.get_parent("shell") if kernel is not None else {}
        return parent or {}

    def _gate(self, lines: list[str]) -> list[str]:
        """As one of IPython's transformers of input: the only step before a cell that may refuse it. A forked copy is no such place."""
        if self.may_run is not None and os.getpid() == self._process:
            self.may_run("".join(lines))
        return lines

    _gate.has_side_effects = True  # type: ignore[attr-defined]  # IPython leaves it out where it only asks whether a cell is complete

    def _before_cell(self, info: Any) -> None:
        self.moment += 1
        if self.runs is not None and os.getpid() == self._process:
            self.runs(info.raw_cell)

    def _after_cell(self, result: Any) -> None:
        self.moment += 1
        source = result.info.raw_cell if result.info is not None else ""
        if asks_spark(source):
            return
        self.last_source = source
        error = result.error_in_exec or result.error_before_exec
        cell_id = getattr(result.info, "cell_id", None) or ""
        usable = cell_id if re.fullmatch(ID_PATTERN, cell_id) else f"in-{result.execution_count or 0}"
        if error is None:
            self._ran_well.add(usable)
            return
        self._ran_well.clear()
        self.last_failure = Failure(cell_id=usable, source=source, error=error)
        here = os.getpid() == self._process  # a copy has no engine that could be asked for a fix
        if here and self.on_failure is not None and not isinstance(error, (KeyboardInterrupt, SystemExit)):
            self.on_failure(self.last_failure)


def joined(sources: Sequence[str]) -> str:
    """Several cells as one input."""
    return "\n\n".join(source.rstrip("\n") for source in sources)
