"""Scripts from the network that run unread."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State

_PIPED: Final = re.compile(
    r"\b(?:curl|wget)\b[^|;&]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:curl|wget)\b[^|;&]*\|\s*(?:sudo\s+)?(?:python3?|perl|ruby|node)\b|(?:ba)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\()\s*(?:curl|wget)|"
    r"\b(?:eval|source|\.)\s+[\"']?(?:<\(|\$\()\s*(?:curl|wget)|"
    r"\b(?:curl|wget)\b[^|;&]*(?:/|-[oO]\s*)([\w.-]+)[\"']?(?:\s[^|;&]*)?(?:&&|;)(?:.*(?:&&|;))?\s*(?:sudo\s+)?"
    r"(?:(?:(?:ba|z|da)?sh|python3?|source|\.)\s+(?:-\w+\s+)*)?(?:\./)?\1(?:\s|$)"
)
_LOADED: Final = re.compile(r"^%(?:run|load|loadpy)\s+(?:-\w+\s+)*https?://")


def _command(event: Command, state: State) -> Hit | None:
    return Hit(event.node) if _PIPED.search(event.text) or _LOADED.search(event.text) else None


def _shell(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if _PIPED.search(call.argument(0, "command", "args").command) else None


def _hub(call: Call, state: State) -> Hit | None:
    value = call.kwargs.get("trust_remote_code")
    if value is not None and value.const is True:
        return Hit(
            call.node,
            message="The model's own code is fetched and run, whatever it is.",
            remedy="Leave trust_remote_code off, or pin a revision that you have read.",
        )
    return None


RULE: Final = Rule(
    id="remote-script",
    cwe=494,
    severity="warn",
    message="A script from the network runs here before anyone has read it.",
    remedy="Download it, read it, then run it.",
    bad=(
        "!curl -s https://a.org/install.sh | bash",
        "%%bash\nwget -qO- https://a.org/x | sh",
        "%run https://a.org/x.py",
    ),
    good=("!curl -O https://a.org/data.csv", "%run helper.py", "!wget https://a.org/a.zip"),
    calls=on(
        "os.system subprocess.run subprocess.call subprocess.check_output subprocess.Popen os.popen get_ipython().system",
        _shell,
    ),
    methods=on("from_pretrained load_dataset pipeline", _hub),
    command=_command,
)
