"""TLS contexts, connections and private keys."""

from __future__ import annotations

from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_values import Fact, Value


def context(event: Call) -> Value | None:
    """``ssl.SSLContext(…)`` checks certificates only where it is asked for a client's."""
    if event.name != "ssl.SSLContext" or event.argument(0, "protocol").name.endswith(("_CLIENT", "_SERVER")):
        return None
    return Value("ssl.SSLContext()", fact=Fact.UNVERIFIED)


def connection(event: Call) -> Value | None:
    """Value of a connection to another computer that begins unencrypted."""
    address = event.argument(0, "host", "uri", "url").known_text or ""
    ldap = event.name in ("ldap.initialize", "ldap3.Server") and address.startswith("ldap://")
    mail = event.name in ("smtplib.SMTP", "imaplib.IMAP4", "poplib.POP3")
    near = address.removeprefix("ldap://").startswith(("localhost", "127.", "::1"))
    return Value(f"{event.name}()", fact=Fact.IN_THE_CLEAR) if (ldap or mail) and not near else None


def private_bytes(event: Call) -> Value | None:
    """Value of a serialised private key; with a passphrase it is harmless."""
    open_to_all = event.argument(2, "encryption_algorithm").name.endswith("NoEncryption()")
    return None if open_to_all else Value()
