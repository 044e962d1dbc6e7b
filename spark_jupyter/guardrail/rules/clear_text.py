"""Protocols that send passwords and data for everyone on the way to read."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.state import State
from spark_jupyter.guardrail.values import UNKNOWN


def _check(call: Call, state: State) -> Hit | None:
    return Hit(call.node)


def _web(call: Call, state: State) -> Hit | None:
    url = call.argument(0, "url").text or ""
    if not url.startswith("http://") or url.startswith(
        ("http://localhost", "http://127.", "http://0.0.0.0", "http://[::1]")
    ):
        return None
    secret = call.kwargs.get("auth", UNKNOWN) is not UNKNOWN or any(
        isinstance(call.kwargs.get(key, UNKNOWN).items, dict)
        and any(
            isinstance(name, str) and name.lower() in ("password", "passwd", "token", "authorization", "api_key")
            for name in call.kwargs[key].items or {}
        )
        for key in ("data", "json", "params", "headers")
    )
    return Hit(call.node) if secret else None


RULE: Final = Rule(
    id="clear-text",
    cwe=319,
    severity="warn",
    message="This goes over the network unencrypted: anyone on the way reads it, passwords too.",
    remedy="Use the encrypted form: HTTPS, SFTP or ftplib.FTP_TLS, SSH.",
    bad=(
        'import ftplib\nftplib.FTP("host")',
        'import telnetlib\ntelnetlib.Telnet("host")',
        'import requests\nrequests.post("http://a.org/login", data={"password": p})',
    ),
    good=(
        'import ftplib\nftplib.FTP_TLS("host")',
        'import requests\nrequests.post("https://a.org/login", data={"password": p})',
        'import requests\nrequests.get("http://a.org/data.csv")',
    ),
    calls={
        **on("ftplib.FTP telnetlib.Telnet", _check),
        **on("requests.post requests.get requests.put httpx.post httpx.get", _web),
    },
)
