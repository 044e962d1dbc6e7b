"""Calls of Python that run a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spark_jupyter.guardrail.marked_paths import folder_of
from spark_jupyter.guardrail.rule import Call, Check, Hit, on
from spark_jupyter.guardrail.shell_reader import joined
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value, words
from spark_jupyter.protocol.values import Severity

RUNS: Final = (
    "os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen "
    "subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell get_ipython().system "
    "get_ipython().getoutput get_ipython().system_raw os.posix_spawn os.posix_spawnp asyncio.create_subprocess_exec "
    "pexpect.run pexpect.spawn os.execl os.execlp os.execv os.execvp os.execve os.execvpe pty.spawn"
)

_ONE_BY_ONE: Final = words("asyncio.create_subprocess_exec os.execl os.execlp")


def text_of(call: Call) -> str:
    """The command, also of one that is given as a list."""
    if call.name in _ONE_BY_ONE:
        return Value(items=call.args[call.name.startswith("os.") :]).command
    at = 1 if call.name.startswith(("os.exec", "os.posix_spawn")) else 0
    return call.argument(at, "args", "cmd", "command", "argv").command


def where(judge: Callable[[str, str], bool | Severity | None]) -> dict[str, Check]:
    """Checks that find such a call where this holds of its command in its folder, or gives a severity."""

    def check(call: Call, state: State) -> Hit | None:
        given = call.kwargs.get("cwd")
        found = judge(text_of(call), state.folder if given is None else joined(state.folder, folder_of(given)))
        return Hit(call.node, severity=found if isinstance(found, str) else None) if found else None

    return on(RUNS, check)


def methods_where(judge: Callable[[str, str], bool | Severity | None]) -> dict[str, Check]:
    """The same for methods of these names of any object, a C library's or one that nobody knows."""
    check = next(iter(where(judge).values()))
    return on("system popen getoutput exec_command exec_run", check)
