"""Shell commands with values that somebody else may have written."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import HOLE, UNKNOWN, Danger, Flows, Trust, Value, words

_SHELL: Final = (
    "os.system os.popen os.popen2 os.popen3 os.popen4 popen2.popen2 popen2.popen3 popen2.popen4 "
    "subprocess.getoutput subprocess.getstatusoutput "
    "commands.getoutput commands.getstatusoutput commands.getstatus asyncio.create_subprocess_shell "
    "asyncio.subprocess.create_subprocess_shell pty.spawn "
    "platform.popen invoke.run fabric.api.run fabric.api.sudo fabric.api.local get_ipython().system "
    "get_ipython().getoutput get_ipython().system_raw pexpect.run pexpect.spawn"
)
_BARE: Final = "system popen"
_PROCESS: Final = "subprocess.run subprocess.call subprocess.Popen subprocess.check_call subprocess.check_output"
_OPTIONS_RUN: Final = words(
    "awk curl env find gcc git hg man nmap openssl perl php python python3 rsync ruby scp sed sendmail sftp sh sort ssh "
    "svn sudo tar tcpdump vim wget xargs zip"
)
"""Programs with an option that runs a command, or reads or writes any file (their manuals)."""
_SHELLS: Final = " ".join(
    f"{library}.{shell}"
    for library in ("sh", "sh.contrib", "plumbum.cmd")
    for shell in ("sh", "bash", "zsh", "dash", "ksh")
)
_EXEC: Final = (
    "os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp os.execvpe os.spawnl "
    "os.spawnle os.spawnlp os.spawnv os.spawnve os.spawnvp os.startfile os.posix_spawn "
    "asyncio.create_subprocess_exec"
)


def _shell(call: Call, state: State) -> Hit | None:
    return _judge(call, call.argument(0, "command", "cmd", "args"), state)


def _judge(call: Call, command: Value, state: State) -> Hit | None:
    flows = state.dangerous(command, Danger.SHELL, Trust.ENVIRONMENT)
    certain = state.certain(command, Danger.SHELL, Trust.LOCAL)
    if certain:
        return Hit(call.node, flows=certain)
    if command.safe or command.is_constant:
        return None
    if not flows and state.checked(command, Danger.SHELL):
        return None
    if command.is_built:
        return Hit(call.node, severity="block" if flows else "warn")
    if flows:
        return Hit(call.node, severity="warn")
    if isinstance(command.items, list) and all(item.is_constant for item in command.items):
        return None
    return Hit(
        call.node,
        severity="warn",
        message="A shell runs a command here that is not written in this line: make sure nobody else can.",
    )


def _bare(call: Call, state: State) -> Hit | None:
    """``check_output(…, shell=True)`` whose import was not seen."""
    if call.name.startswith("subprocess.") or call.kwargs.get("shell", UNKNOWN).const is not True:
        return None
    return _judge(call, call.argument(0, "args", "cmd", "command"), state)


def _process(call: Call, state: State) -> Hit | None:
    command = call.argument(0, "args", "cmd")
    if (
        call.kwargs.get("shell") is not None
        and call.kwargs["shell"].const is not False
        and call.kwargs["shell"].const is not None
    ):
        return _judge(call, command, state)
    first = command.items[0] if isinstance(command.items, list) and command.items else command
    flows: Flows = state.certain(first, Danger.SHELL, Trust.LOCAL)
    if flows and first.text is None:
        return Hit(
            call.node,
            flows=flows,
            severity="block" if flows[0][0].trust >= Trust.NETWORK else "warn",
            message="The program that is run here is named by input: whoever gives it runs what they like.",
        )
    if command.name == "shlex.split()" and state.certain(command, Danger.SHELL, Trust.NETWORK):
        return Hit(call.node, severity="warn", cwe=88, message=_ARGUMENT, remedy=_BEFORE)
    script = _script(command.items) if isinstance(command.items, list) else None
    if script is not None and (script.is_built or state.certain(script, Danger.SHELL)):
        return Hit(call.node, severity="block" if state.dangerous(script, Danger.SHELL) else "warn")
    program = _interpreted(command.items) if isinstance(command.items, list) else None
    if program is not None and (flows := state.dangerous(program, Danger.CODE)):
        return Hit(call.node, flows=flows, cwe=94, message=_PROGRAM, remedy=_BY_ARGUMENT)
    if command.items is None and command.is_built and state.certain(command, Danger.SHELL):
        return Hit(call.node)
    if isinstance(command.items, list) and _takes_options(command.items, state):
        return Hit(
            call.node,
            severity="warn",
            cwe=88,
            message=_ARGUMENT,
            remedy=_BEFORE,
        )
    return None


_ARGUMENT: Final = "Input of a request becomes an argument of a program: one that begins with - becomes an option."
_BEFORE: Final = 'Check it against what is allowed, or put "--" before it.'
_SCRIPT: Final = re.compile(r"/c|/C|-Command|-[a-z]*c")
"""Options after which a shell takes a script: ``-c``, ``-lc``, ``-exc``."""
_WITHIN: Final = re.compile(r"\b(?:ba|da|z)?sh\s+-[a-z]*c\b")


def _takes_options(items: list[Value], state: State) -> bool:
    """True if input can become an option of a program whose options run commands or write files."""
    program = (items[0].known_text or "").rpartition("/")[2] if items else ""
    if program not in _OPTIONS_RUN:
        return False
    for item in items[1:]:
        if item.const == "--":
            return False
        if (item.text is None or item.text.startswith(HOLE)) and state.certain(item, Danger.SHELL, Trust.NETWORK):
            return True
    return False


def _script(items: list[Value]) -> Value | None:
    """The text that a shell is given in a list, also one that another program starts (``sudo``, ``docker exec``) or that is far away:
    ``ssh host "ls folder"``."""
    known = [item.known_text or "" for item in items]
    programs = [text.rpartition("/")[2] for text in known]
    shell = next((at for at, program in enumerate(programs) if program in _PROGRAMS), None)
    if shell is not None:
        before = known[shell]
        for option, text in zip(known[shell + 1 :], items[shell + 2 :], strict=False):
            if _SCRIPT.fullmatch(option):
                return text
            if option[:1] not in "-+/" and not before.endswith("o"):  # a script of its own: bash -o pipefail build.sh
                return None
            before = option
        return None
    last = items[-1] if len(items) > 2 and programs[0] in ("ssh", "sshpass") else None
    return last if last is not None and " " in (last.text or "") else None


_PROGRAMS: Final = words("sh bash zsh dash ksh cmd cmd.exe powershell powershell.exe pwsh")


def _interpreted(items: list[Value]) -> Value | None:
    """The program that an interpreter is given as a text: ``python -c``, ``perl -e``, ``node -e``."""
    name = "python" if items and items[0].name == "sys.executable" else _interpreter(items)
    for option, program in pairwise(items[1:]) if name in _INTERPRETERS else ():
        if option.known_text in ("-c", "-e"):
            return program
    return None


def _interpreter(items: list[Value]) -> str:
    return (items[0].known_text or "").rpartition("/")[2].rstrip("0123456789.") if items else ""


_INTERPRETERS: Final = words("python perl ruby node php Rscript")
_PROGRAM: Final = "This text is run as a program: whoever controls the text does whatever they like with your computer."
_BY_ARGUMENT: Final = "Write the program yourself, and give it the input as an argument behind it."


def _container(call: Call, state: State) -> Hit | None:
    """``container.exec_run(f"sh -c '…'")``, ``docker.containers.run(image, …)``."""
    command = call.argument(0 if call.tail == "exec_run" else 1, "cmd", "command")
    script = _script(command.items) if isinstance(command.items, list) else None
    if script is not None:
        command = script
    elif not command.is_built or not _WITHIN.search(command.text or ""):
        return None
    flows = state.dangerous(command, Danger.SHELL, Trust.ENVIRONMENT)
    return Hit(call.node, flows=flows) if flows else None


def _task(call: Call, state: State) -> Hit | None:
    """``connection.run(…)`` of fabric and invoke, which is given to a shell."""
    if call.name.endswith("containers.run"):
        return _container(call, state)
    by_task = state.uses("fabric", "invoke") and not call.name.startswith("subprocess")
    return _judge(call, call.argument(0, "command"), state) if by_task else _bare(call, state)


def _called_shell(call: Call, state: State) -> Hit | None:
    """``sh.bash("-c", text)`` of sh and plumbum, whose other programs get their arguments without a shell."""
    options = zip(call.args, call.args[1:], strict=False)
    script = next((text for option, text in options if _SCRIPT.fullmatch(option.known_text or "")), None)
    return _judge(call, script, state) if script is not None else None


def _exec(call: Call, state: State) -> Hit | None:
    for value in call.args[:6]:
        flows = state.certain(value, Danger.SHELL, Trust.LOCAL)
        if flows:
            remote = any(origin.trust >= Trust.NETWORK for origin, _ in flows)
            return Hit(call.node, flows=flows, severity="block" if remote else "warn")
    return None


def _remote(call: Call, state: State) -> Hit | None:
    if not any(word in call.name.lower() for word in ("ssh", "paramiko", "client", "conn", "session", "channel")):
        return None
    command = call.argument(0, "command")
    if state.checked(command, Danger.SHELL):
        return None
    if command.is_built and (state.dangerous(command, Danger.SHELL) or not command.safe):
        return Hit(call.node, severity="block" if state.certain(command, Danger.SHELL) else "warn")
    flows = state.dangerous(command, Danger.SHELL)
    return Hit(call.node, flows=flows) if flows else None


def _command(event: Command, state: State) -> Hit | None:
    if event.text.startswith("%") or HOLE not in (event.value.text or ""):
        return None
    flows = state.certain(event.value, Danger.SHELL, Trust.LOCAL)
    return Hit(event.node, flows=flows) if flows else None


RULE: Final = Rule(
    id="command-injection",
    cwe=78,
    severity="block",
    local=True,
    message="A shell runs this text, and part of it is not yours: whoever controls that part runs any command.",
    remedy="Give the program a list of arguments without a shell: subprocess.run(['ls', path]); or quote with shlex.quote.",
    bad=(
        'import os\nos.system("ping " + input())',
        'import subprocess\nhost = request.args["host"]\nsubprocess.run(f"ping {host}", shell=True)',
        'import subprocess as sp\nsp.check_output("ls %s" % input(), shell=True)',
    ),
    good=(
        'import subprocess\nsubprocess.run(["ping", input()])',
        'import os\nos.system("clear")',
        'import os, shlex\nos.system("ping " + shlex.quote(input()))',
    ),
    calls={
        **on(_SHELL + " " + _BARE, _shell),
        **on(_PROCESS, _process),
        **on(_EXEC, _exec),
        **on(_SHELLS, _called_shell),
    },
    methods=on("exec_command sudo run_command send_command", _remote)
    | on("check_output check_call Popen call getoutput local", _bare)
    | {"run": _task, "exec_run": _container},
    command=_command,
)
