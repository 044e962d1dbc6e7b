"""Commands and calls that delete data for good."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import words

_FLAGS: Final = r"(?:-[\w-]{0,40}\s+){0,9}"
_REMOVE: Final = re.compile(
    rf"(?:^|[;&|]\s*|sudo\s+)rm\s+{_FLAGS}(?:-\w{{0,20}}[rR]\w{{0,20}}|--recursive)\s+{_FLAGS}"
    r"[\"']?(?:/|~|\$HOME|/\*|\*|\.|\.\.|~/\*|/(?:home|etc|usr|var|opt|root)(?:/[\w*]*)?)/?[\"']?(?=\s|$|;|&)"
)
_DEVICE: Final = re.compile(
    r"\bmkfs(?:\.\w+)?\s|\bdd\b.*\bof=/dev/|>\s*/dev/(?:sd|nvme|hd)|:\(\)\s*\{.*\};:|\bshred\s+.*/dev/|"
    r"\bformat\s+[cC]:|\bdel\s+/[sS]\s+/[qQ]\s+[cC]:"
)
_PLACES: Final = words("/ ~ /home /etc /usr /var . .. C:\\ C:/ /* *")


def _command(event: Command, state: State) -> Hit | None:
    return Hit(event.node) if _REMOVE.search(event.text) or _DEVICE.search(event.text) else None


def _shell(call: Call, state: State) -> Hit | None:
    text = call.argument(0, "command", "args").command
    return Hit(call.node) if _REMOVE.search(text) or _DEVICE.search(text) else None


def _tree(call: Call, state: State) -> Hit | None:
    path = call.argument(0, "path")
    where = path.known_text in _PLACES or path.name in (
        "os.path.expanduser()",
        "pathlib.Path.home()",
        "os.getcwd()",
        "pathlib.Path.cwd()",
    )
    return Hit(call.node) if where else None


RULE: Final = Rule(
    id="destructive-command",
    cwe=73,
    severity="block",
    message="This deletes everything below a place that matters, and can't be undone.",
    remedy="Name the one folder that you mean, and look at what is in it first.",
    bad=(
        "!rm -rf /",
        "!sudo rm -rf ~/*",
        "%%bash\nrm -rf *",
    ),
    good=(
        "!rm -rf build",
        "!rm data.csv",
        'import shutil\nshutil.rmtree("build")',
    ),
    calls={
        **on(
            (
                "os.system subprocess.run subprocess.call subprocess.getoutput os.popen get_ipython().system "
                "subprocess.Popen subprocess.check_output subprocess.check_call subprocess.getstatusoutput "
                "get_ipython().getoutput get_ipython().system_raw asyncio.create_subprocess_shell"
            ),
            _shell,
        ),
        "shutil.rmtree": _tree,
    },
    command=_command,
)
