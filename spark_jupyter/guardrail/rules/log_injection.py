"""Line breaks from input in logs.

They forge lines of the log.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust

_OWN: Final = ("the command line", "the option", "a model")
"""Sources of people who start the program: they may forge its log anyway."""


_VERB: Final = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?([a-zA-Z])")
_WRITTEN_OUT: Final = (["r"], ["a"], ["d"], ["i"], ["f"], ["g"], ["x"])
"""Formats that print no line break: a value as it is written in code, or a number."""


def _check(call: Call, state: State) -> Hit | None:
    base = call.name.lower()
    if "log" not in base and "app.logger" not in base:
        return None
    verbs = _VERB.findall((call.argument(0).known_text or "").replace("%%", ""))
    given = [
        value for index, value in enumerate(call.args) if not index or verbs[index - 1 : index] not in _WRITTEN_OUT
    ]
    for value in [*given, *call.kwargs.values()]:
        flows = state.dangerous(value, Danger.LOG, Trust.LOCAL)
        flows = tuple(flow for flow in flows if flow[0].trust > Trust.PARAMETER and not flow[0].label.startswith(_OWN))
        if flows:
            return Hit(call.node, flows=flows)
    return None


RULE: Final = Rule(
    id="log-injection",
    cwe=117,
    severity="warn",
    message="Input goes into a log as it is: with a line break in it, it forges lines.",
    remedy="Take the line breaks out (value.replace('\\n', ' ')) or log repr(value): logger.info('%r', value).",
    bad=(
        'import logging\nlogging.info("name: " + request.args["name"])',
        'app.logger.error("%s", request.args["x"])',
        'import logging\nlog = logging.getLogger()\nname = input()\nlog.warning(f"bad name {name}")',
    ),
    good=(
        'import logging\nlogging.info("name: " + request.args["name"].replace("\\n", " "))',
        'import logging\nlogging.info("name: %r", request.args["name"])',
        'import logging\nlogging.info("name: %r (%s)", request.args["name"], "new" if fresh else "old")',
    ),
    methods=on("debug info warning warn error critical exception log", _check),
)
