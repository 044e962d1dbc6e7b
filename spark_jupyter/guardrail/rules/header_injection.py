"""Input in a response header.

It can add headers of its own.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust
from spark_jupyter.protocol.values import Severity


def _assign(event: Assign, state: State) -> Hit | None:
    if not event.key:
        return None
    name = event.name.lower()
    response = (
        (name.endswith((".headers", "headers()")) and not name.startswith(("requests", "httpx")))
        or name.endswith(("response()", "httpresponse()"))
        or name in ("response", "resp", "res", "response.headers")
    )
    if name.endswith("request.headers"):
        return None
    if not response or event.key.lower() == "location":
        return None
    flows = state.certain(event.value, Danger.HEADER, Trust.REMOTE)
    return Hit(event.node, flows=flows, severity=_severity(state)) if flows else None


def _severity(state: State) -> Severity:
    """Werkzeug and Django refuse line breaks themselves: what is left is a header that its sender chose."""
    return "hint" if state.uses("flask", "django", "quart", "werkzeug") else "warn"


def _call(call: Call, state: State) -> Hit | None:
    name = call.receiver.name.lower()
    if (
        call.tail in ("add", "set", "setdefault", "add_header", "append")
        and "header" not in name
        and call.tail != "add_header"
    ):
        return None
    if call.tail == "set_cookie":
        key = call.argument(0, "key")
        flows = state.certain(key, Danger.HEADER, Trust.REMOTE)
        value_flows = state.certain(call.argument(1, "value"), Danger.HEADER, Trust.REMOTE)
        if flows or value_flows:
            return Hit(call.node, flows=flows or value_flows, cwe=113 if flows else 20, severity=_severity(state))
        return None
    if len(call.args) < 2 or name.startswith(("urllib", "requests")):
        return None
    flows = state.certain(call.args[1], Danger.HEADER, Trust.REMOTE) or state.certain(
        call.args[0], Danger.HEADER, Trust.REMOTE
    )
    return Hit(call.node, flows=flows, severity=_severity(state)) if flows else None


def _wsgi(call: Call, state: State) -> Hit | None:
    """``start_response("200 OK", [("X-Name", value)])``: nothing between it and the connection looks at line breaks."""
    headers = call.argument(1).items
    for header in headers if isinstance(headers, list) else ():
        value = header.items[1] if isinstance(header.items, list) and len(header.items) == 2 else header
        flows = state.certain(value, Danger.HEADER, Trust.REMOTE)
        if flows:
            return Hit(call.node, flows=flows)
    return None


_MAIL: Final = re.compile(r"^(?:From|To|Cc|Subject|Reply-To):[^\n]*\0", re.IGNORECASE | re.MULTILINE)


def _mail(call: Call, state: State) -> Hit | None:
    """``smtp.sendmail(from, to, "Subject: " + subject + …)``."""
    message = call.argument(2, "msg", "message")
    flows = state.certain(message, Danger.HEADER, Trust.REMOTE)
    if not flows or not _MAIL.search(message.text or ""):
        return None
    return Hit(
        call.node,
        flows=flows,
        cwe=93,
        message="Input becomes a header of an email: with a line break in it, it adds headers and recipients of its own.",
        remedy="Let email.message.EmailMessage write the headers, and send_message send it.",
    )


RULE: Final = Rule(
    id="header-injection",
    cwe=113,
    severity="warn",
    message="Input becomes a header of the response: with a line break in it, it adds headers and pages of its own.",
    remedy="Choose the value from a list of allowed ones, or take the line breaks out.",
    bad=(
        'def application(environ, start_response):\n    start_response("200 OK", [("X-Path", environ["PATH_INFO"])])',
        'from flask import Response\nresponse = Response()\nresponse.headers["content-type"] = request.args["t"]',
        'smtp.sendmail(me, you, "Subject: " + request.form["s"] + "\\n\\nHello")',
    ),
    good=(
        'def application(environ, start_response):\n    start_response("200 OK", [("X-Length", str(len(environ["PATH_INFO"])))])',
        'smtp.sendmail(me, you, "Subject: Hello\\n\\n" + request.form["text"])',
        'from flask import Response\nresponse = Response()\nresponse.headers["content-type"] = "text/plain"',
    ),
    methods={
        **on("add set add_header set_header send_header set_cookie", _call),
        "sendmail": _mail,
        "start_response": _wsgi,
    },
    assign=_assign,
)
