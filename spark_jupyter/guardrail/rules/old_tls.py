"""TLS connections of a broken version."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, always, on
from spark_jupyter.guardrail.taint_state import State


def _context(call: Call, state: State) -> Hit | None:
    version = call.argument(0, "protocol", "method")
    old = version.name.endswith(("PROTOCOL_SSLv23", "SSLv23_METHOD", "PROTOCOL_SSLv2", "PROTOCOL_SSLv3"))
    return Hit(call.node) if old else None


RULE: Final = Rule(
    id="old-tls",
    cwe=327,
    severity="warn",
    message="This accepts versions of TLS that are broken.",
    remedy="Use ssl.create_default_context().wrap_socket(sock, server_hostname=host).",
    bad=("import ssl, socket\nssl.wrap_socket(socket.socket())", "import ssl\nssl.SSLContext(ssl.PROTOCOL_SSLv3)"),
    good=("import ssl\nssl.create_default_context().wrap_socket(s, server_hostname='a.org')",),
    calls={"ssl.wrap_socket": always, **on("ssl.SSLContext OpenSSL.SSL.Context SSL.Context", _context)},
)
