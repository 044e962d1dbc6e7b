"""Statement-by-statement runner of a cell, as IPython runs whole ones.

What belongs to the cell happens once: its begin and end are announced to IPython's extensions (the inline backend shows and closes the
figures at the end), and only the result of its last statement is shown. All statements of a cell have one file name, so that lines and
sources in tracebacks are the cell's. Runs in the copy only.
"""

from __future__ import annotations

import ast
import asyncio
import linecache
import sys
from collections.abc import Coroutine
from typing import Any

from IPython.core.interactiveshell import ExecutionInfo

from spark_jupyter.sandbox.copy.context_variables import CellContext
from spark_jupyter.sandbox.copy.output_capture import Hook


class StatementRunner:
    """The cells of a turn, one after the other. ``cells`` gives the number of a cell by its file name."""

    def __init__(self, shell: Any, loop: asyncio.AbstractEventLoop, context: CellContext, *, in_kernel: bool) -> None:
        self._shell = shell
        self._loop = loop
        self._context = context
        self._in_kernel = in_kernel
        self._number = -1
        self._name = ""
        self._text = ""
        self._raised: Any = None
        self._show_traceback = shell.showtraceback
        self.cells: dict[str, int] = {}

    def run(self, text: str, *, line: int, number: int) -> BaseException | None:
        """Run a statement of a cell; what it raised. Raises :class:`SyntaxError` and the like for what can't be read."""
        if number != self._number:
            self._begin(number)
        transformed = self._shell.transform_cell(text)
        self._remember(transformed, line)
        hook = self._hook
        hook.source, hook.held, hook.holds = text, [], self._shell.ast_node_interactivity != "all"
        self._shell.showtraceback = self._keep_traceback
        try:
            return self._finish(self._statement(transformed, line), waits=self._waits(text, transformed))
        finally:
            self._shell.showtraceback = self._show_traceback
            hook.holds = False

    def end(self) -> None:
        """The cell is whole. Raises what showing its result or its figures raises."""
        self._number = -1
        hook = self._hook
        held, hook.held = hook.held, []
        for value in held:
            hook(value)
        raised, self._raised = self._raised, None
        if raised is not None:
            self._show_traceback(raised, running_compiled_code=True)
        self._shell.events.trigger("post_execute")

    # --- inside --------------------------------------------------------------------------------------------------------

    @property
    def _hook(self) -> Hook:
        hook: Hook = self._shell.displayhook
        return hook

    def _begin(self, number: int) -> None:
        self._number = number
        self._text = ""
        self._name = self._shell.compile.cache(f"# {number}", self._shell.execution_count)
        self.cells[self._name] = number
        self._hook.held = []
        self._shell.events.trigger("pre_execute")
        self._shell.events.trigger("pre_run_cell", ExecutionInfo("", False, False, True, None))  # %autoreload listens

    def _remember(self, transformed: str, line: int) -> None:
        """For tracebacks and :func:`inspect.getsource`."""
        missing = line - 1 - self._text.count("\n")
        self._text += "\n" * missing + transformed
        lines = self._text.splitlines(keepends=True)
        linecache.cache[self._name] = (len(self._text), None, lines, self._name)

    def _keep_traceback(self, *args: Any, **options: Any) -> None:
        """It is shown at the end of the cell: to write it takes longer than most statements, and what is wrong is to be said soon."""
        self._raised = sys.exc_info()

    async def _statement(self, transformed: str, line: int) -> BaseException | None:
        shell = self._shell
        with shell.builtin_trap, shell.display_trap:
            tree = shell.compile.ast_parse(transformed, filename=self._name)
            tree = shell.transform_ast(ast.increment_lineno(tree, line - 1))
            result = _Result()
            interactivity = shell.ast_node_interactivity
            await shell.run_ast_nodes(
                tree.body, self._name, interactivity=interactivity, compiler=shell.compile, result=result
            )
        return result.error_before_exec or result.error_in_exec

    def _waits(self, text: str, transformed: str) -> bool:
        return bool(self._shell.should_run_async(text, transformed_cell=transformed))

    def _finish(self, work: Coroutine[Any, Any, BaseException | None], *, waits: bool) -> BaseException | None:
        """In a kernel cells run within a loop; in a terminal only those that await something do."""
        if waits or self._in_kernel:
            return self._context.complete(self._loop, work)
        try:
            self._context.call(lambda: work.send(None))
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]
        raise RuntimeError("The statement awaits what it did not say it awaits.")


class _Result:
    """Object in which IPython stores a statement's error."""

    error_before_exec: BaseException | None = None
    error_in_exec: BaseException | None = None
