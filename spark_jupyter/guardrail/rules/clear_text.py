"""Protocols that send passwords and data unencrypted.

Everyone on the way can read them.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, always, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN, Fact


def _login(call: Call, state: State) -> Hit | None:
    """``smtp.login(…)``, ``ldap.simple_bind_s(…)`` before anything made the connection private."""
    return Hit(call.node) if call.receiver.fact is Fact.IN_THE_CLEAR and len(call.args) + len(call.kwargs) > 1 else None


def _bound(call: Call, state: State) -> Hit | None:
    """ldap3's ``Connection(server, user, password)``."""
    server = call.argument(0, "server")
    return Hit(call.node) if server.fact is Fact.IN_THE_CLEAR and call.given(2, "password") else None


def _made_private(call: Call, state: State) -> Hit | None:
    target = call.node.func
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        state.store(target.value.id, call.receiver.but(fact=None))
    return None


def _web(call: Call, state: State) -> Hit | None:
    url = call.argument(1 if call.tail == "request" else 0, "url").text or ""
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
        'import smtplib\ns = smtplib.SMTP("localhost")\ns.login("me", p)',
        'import smtplib\ns = smtplib.SMTP("mail.a.org")\ns.starttls(context=c)\ns.login("me", p)',
        'import ldap\nc = ldap.initialize("ldap://a.org")\nc.start_tls_s()\nc.simple_bind_s("cn=me", p)',
    ),
    calls={
        **on("ftplib.FTP telnetlib.Telnet", always),
        "ldap3.Connection": _bound,
    },
    methods={
        **on("post get put patch request", _web),
        **on("login simple_bind_s simple_bind bind_s", _login),
        **on("starttls start_tls start_tls_s stls", _made_private),
    },
)
