"""Shells that start a program without need."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Value


def _shell(call: Call, state: State) -> Hit | None:
    command = call.argument(0, "command", "cmd")
    if state.dangerous(command, Danger.SHELL) or not (command.safe or command.is_constant) or _is_chosen(command):
        return None
    words = (command.known_text or "x x").split()
    if len(words) > 1 and not (command.safe and command.flows) and "quote()" not in command.name:
        return Hit(call.node, severity="hint" if command.is_constant else None)
    return None


def _is_chosen(command: Value) -> bool:
    """True for one of several commands that the program says whole: ``"cls" if windows else "clear"``."""
    return command.safe and command.text is None and not command.name and command.items is None


def _process(call: Call, state: State) -> Hit | None:
    shell = call.kwargs.get("shell")
    if shell is None or shell.const is not True:
        return None
    command = call.argument(0, "args", "cmd")
    harmless = command.is_constant and len((command.known_text or "").split()) < 3
    if isinstance(command.items, list):
        return Hit(call.node, message="With shell=True only the first word of a list is the command.")
    if not (harmless or _is_chosen(command)) and (command.safe or command.is_constant) and not command.flows:
        return Hit(call.node, severity="hint" if command.is_constant else None)
    return None


RULE: Final = Rule(
    id="shell-without-need",
    cwe=78,
    severity="warn",
    message="A shell runs this: one changed word later it is a command injection.",
    remedy="Give the program a list of arguments without a shell: subprocess.run(['git', 'log']).",
    bad=(
        'import os\nos.system("git log -n 3")',
        'import subprocess\nsubprocess.run("ls -l | wc", shell=True)',
        'import os\nos.popen("kill %d" % 3)',
    ),
    good=(
        'import os\nos.system("clear")',
        'import subprocess\nsubprocess.run(["ls", "-l"])',
        'import os, shlex\nos.system("ping " + shlex.quote(input()))',
    ),
    calls={
        **on("os.system os.popen commands.getoutput commands.getstatusoutput subprocess.getoutput", _shell),
        **on("subprocess.run subprocess.call subprocess.Popen subprocess.check_call subprocess.check_output", _process),
    },
)
