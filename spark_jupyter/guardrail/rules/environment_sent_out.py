"""Environment variables sent to another machine.

The whole environment holds every key that the program was given.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import PRIVATE, words

_SENDS: Final = re.compile(r"\b(?:curl|wget|nc|ncat)\b")
_ALL: Final = re.compile(
    r"\$\((?:env|printenv)\)|`(?:env|printenv)`|\$\(cat\s+[^)]{0,200}(?:\.env|id_rsa|credentials)|"
    r"@[^\s@]{0,200}(?:\.env|id_rsa|\.aws/credentials)"
)
_PIPED: Final = re.compile(
    r"(?:\b(?:env|printenv)\b|\.ssh/?(?=[\s\"'])|\.ssh/id_(?!\w{1,20}\.pub)\w{1,20}|\.aws(?:/credentials|/?(?=[\s\"']))|"
    r"\.(?:netrc|git-credentials|pgpass)\b)[^|]{0,200}\|"
)
_ENDS: Final = re.compile(r"[;\n]|&&|\|\|")


_OPENED_HERE: Final = words("cert verify auth timeout")
"""Arguments that name a file of keys which the client itself reads, and does not send."""


def _check(call: Call, state: State) -> Hit | None:
    sent = [value for name, value in call.kwargs.items() if name not in _OPENED_HERE]
    labels = {origin.label for value in [*call.args, *sent] for origin, _ in value.flows}
    if "the whole environment" in labels:
        return Hit(call.node)
    return (
        Hit(call.node, message=_KEYS, remedy="Name the one value that the other side needs.")
        if PRIVATE in labels
        else None
    )


_KEYS: Final = "A file with your own keys or passwords is sent over the network."


def _command(event: Command, state: State) -> Hit | None:
    """``curl -d "$(env)" …``, ``env | curl …``. One expression for both takes the cube of time."""
    for text in _ENDS.split(event.text):
        sends, piped = _SENDS.search(text), _PIPED.search(text)
        given = sends is not None and _ALL.search(text, sends.end()) is not None
        if given or (piped is not None and _SENDS.search(text, piped.end())):
            return Hit(event.node)
    return None


RULE: Final = Rule(
    id="environment-sent-out",
    cwe=201,
    severity="block",
    message="All of the environment is sent over the network, with every key and password in it.",
    remedy='Send only the value that is needed: os.environ["NAME"].',
    bad=(
        'import os, openai\nopenai.OpenAI().responses.create(input=f"Explain {dict(os.environ)}")',
        'import os, requests\nrequests.post("https://a.org", json=dict(os.environ))',
        'import os, requests\nsecrets = {k: v for k, v in os.environ.items()}\nrequests.post("https://a.org", data=secrets)',
    ),
    good=(
        'import os, requests\nrequests.get("https://a.org", headers={"Authorization": os.environ["TOKEN"]})',
        'import os, requests\nrequests.get(os.environ["URL"])',
        "import os, subprocess\nsubprocess.run(['a'], env=dict(os.environ))",
    ),
    calls=on(
        " ".join(
            f"{client}.{verb}"
            for client in ("requests", "httpx", "requests.Session()", "aiohttp.ClientSession()")
            for verb in ["get", "post", "put", "patch", "request"]
        )
        + " urllib.request.urlopen urllib.request.Request",
        _check,
    ),
    methods={"create": _check}
    | on("sendall send sendto", lambda call, state: _check(call, state) if "sock" in call.name.lower() else None),
    command=_command,
)
