"""Rights beyond what the work needs.

That includes power over other processes.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import EVERYTHING, Trust

_RAISE: Final = re.compile(
    r"^_*(?:raise|elevate|escalate|gain|acquire|drop_to_root|become_root)_?(?:privileges?|root|admin)", re.IGNORECASE
)


def _root(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if call.argument(0).const == 0 and call.args else None


def _kill(call: Call, state: State) -> Hit | None:
    flows = state.dangerous(call.argument(0, "pid"), EVERYTHING, Trust.LOCAL)
    if not flows:
        return None
    sure = flows if flows[0][0].trust > Trust.PARAMETER else ()
    return Hit(
        call.node,
        cwe=283,
        flows=sure,
        message="Input decides which process is ended here.",
        remedy="End only processes that this program started: keep the Popen objects.",
    )


def _function(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if _RAISE.match(call.tail) else None


RULE: Final = Rule(
    id="needless-privileges",
    cwe=250,
    severity="warn",
    message="From here on the program has full rights, and keeps them after an error.",
    remedy="Avoid it, or do only this step in a helper, and give the rights back in finally.",
    bad=(
        "import os\nos.setuid(0)",
        "import os, signal\ndef stop(pid):\n    os.kill(pid, signal.SIGKILL)",
        "raisePrivileges()",
    ),
    good=("import os\nos.setuid(1000)", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"),
    calls={**on("os.setuid os.seteuid os.setgid os.setegid os.setreuid", _root), **on("os.kill os.killpg", _kill)},
    methods=on(
        (
            "raisePrivileges raise_privileges raise_privilege elevate_privileges elevatePrivileges escalate_privileges "
            "escalatePrivileges gain_privileges gainPrivileges become_root"
        ),
        _function,
    ),
)
