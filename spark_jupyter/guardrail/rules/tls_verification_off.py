"""TLS without verification of certificates, or with broken protocols."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Command, Hit, Return, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN, Fact, Value, words

_UNVERIFIED: Final = "OpenSSL.SSL.Context()"
_OLD: Final = tuple(
    "PROTOCOL_SSLv2 PROTOCOL_SSLv3 PROTOCOL_TLSv1 PROTOCOL_TLSv1_1 SSLv2_METHOD SSLv3_METHOD TLSv1_METHOD "
    "TLSv1_1_METHOD TLSVersion.TLSv1 TLSVersion.TLSv1_1 TLSVersion.SSLv3".split()
)


_OFF: Final = ("verify", "verify_ssl", "ssl", "verify_certs", "validate_certs", "check_hostname", "ssl_verify")
_WEB: Final = re.compile(
    r"request|http|session|client|api|conn|url|aiohttp|soap|rest|web|server|fetch|download|upload", re.IGNORECASE
)
_VERB: Final = words("get post put patch delete head options request send stream")


_NEAR: Final = ("localhost", "127.0.0.1", "::1")
_ACCEPTING: Final = (
    "tlsAllowInvalidCertificates tlsAllowInvalidHostnames tlsInsecure ssl_no_verify trust_server_certificate".split()
)


def _verify(call: Call, state: State) -> Hit | None:
    if any(call.kwargs[name].const is True for name in _ACCEPTING if name in call.kwargs):
        return Hit(call.node)
    if call.argument(-1, "sslmode").const == "disable" and call.argument(-1, "host").const not in _NEAR:
        return Hit(
            call.node,
            severity="warn",
            cwe=319,
            message="Queries to this database go over the network unencrypted.",
        )
    for name in ("context", "ssl_context", "ssl"):
        if name in call.kwargs and call.kwargs[name].fact is Fact.UNVERIFIED:
            return _bare(call)
    for name in _OFF:
        value = call.kwargs.get(name)
        if value is not None and value.const is False and _is_about_tls(call, name):
            return Hit(call.node)
    required = call.kwargs.get("cert_reqs")
    if required is not None and (required.const == "CERT_NONE" or required.name.endswith("ssl.CERT_NONE")):
        return Hit(call.node, severity="warn" if call.tail == "wrap_socket" else "block")
    version = call.argument(0, "protocol", "ssl_version", "method")
    if call.given(0, "protocol", "ssl_version", "method") and version.name.endswith(_OLD):
        return Hit(
            call.node,
            cwe=327,
            severity="warn",
            message="This version of TLS is broken.",
            remedy="Use ssl.create_default_context().",
        )
    return None


def _is_about_tls(call: Call, name: str) -> bool:
    """``verify`` and ``ssl`` are words of other trades, too: of a token, of an index."""
    if name == "ssl":
        return "aiohttp" in call.name or "session" in call.name
    if name != "verify":
        return not call.name.startswith(("jwt", "jose"))
    if call.tail in ("decode", "load", "check", "process_jwt") or call.name.startswith(("jwt", "jose")):
        return False
    return call.tail in _VERB or _WEB.search(call.name) is not None


def _ssl(call: Call, state: State) -> Hit | None:
    if call.tail == "wrap_socket":
        if call.name != "ssl.wrap_socket":
            server = call.kwargs.get("server_side", UNKNOWN).const is True
            return _bare(call) if call.receiver.fact is Fact.UNVERIFIED and not server else None
        required = call.argument(-1, "cert_reqs")
        if call.kwargs.get("ssl_version") is not None and call.kwargs["ssl_version"].name.endswith(_OLD):
            return Hit(call.node, cwe=327, severity="warn")
        return None if required.name.endswith("CERT_REQUIRED") else Hit(call.node, severity="warn")
    if call.tail == "SSLContext":
        version = call.argument(0, "protocol")
        return Hit(call.node, cwe=327, severity="warn") if version.name.endswith(_OLD) else None
    return Hit(call.node)


def _bare(call: Call) -> Hit:
    return Hit(
        call.node,
        severity="warn",
        message="A context that is made by SSLContext() checks no certificate unless it is told to.",
        remedy="Use ssl.create_default_context().",
    )


def _starttls(call: Call, state: State) -> Hit | None:
    """smtplib, imaplib, ftplib: without a context the certificate is not looked at (their manuals)."""
    if call.args or call.kwargs or call.name.startswith(("ldap", "self.starttls")):
        return None
    return Hit(call.node, severity="warn", remedy="starttls(context=ssl.create_default_context()).")


def _context(call: Call, state: State) -> Hit | None:
    """OpenSSL: ``context.set_verify(SSL.VERIFY_NONE, …)``; ``Context(SSL.SSLv3_METHOD)``."""
    mode = call.argument(0)
    if mode.name.endswith("VERIFY_NONE"):
        return Hit(call.node)
    if call.tail != "Context":
        _set_up(call, state)
    return Hit(call.node, cwe=327, severity="warn") if mode.name.endswith(_OLD) else None


def _set_up(call: Call, state: State) -> None:
    """Clear the suspicion of a pyOpenSSL context once it is set up as a server's, which need not verify."""
    target = call.node.func
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and call.receiver.name == _UNVERIFIED:
        state.store(target.value.id, call.receiver.but(name=""))


def _served(call: Call, state: State) -> Hit | None:
    _set_up(call, state)
    return None


def _connection(call: Call, state: State) -> Hit | None:
    return _unverified(call.node, call.argument(0, "context"))


def _returned(event: Return, state: State) -> Hit | None:
    return _unverified(event.node, event.value)


def _unverified(node: ast.AST, context: Value) -> Hit | None:
    if context.name != _UNVERIFIED:
        return None
    message = "pyOpenSSL checks no certificate unless it is told to, and this context was not."
    return Hit(node, severity="warn", message=message, remedy="Call set_verify(SSL.VERIFY_PEER, callback) on it.")


def _paramiko(call: Call, state: State) -> Hit | None:
    policy = call.argument(0, "policy").name
    if "AutoAddPolicy" in policy or "WarningPolicy" in policy or policy.endswith("AutoAdd"):
        return Hit(
            call.node,
            severity="warn",
            message="SSH takes any host for the right one: someone between you and it can read everything.",
            remedy="Load known hosts and use RejectPolicy.",
        )
    return None


_UNCHECKED: Final = re.compile(
    r"\bcurl\b.*\s(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)(?:\s|$)|\bwget\b.*--no-check-certificate|"
    r"\bssh\b.*StrictHostKeyChecking[= ]no|\bgit\b.*http\.sslVerify[= ]false|\bpip3?\b.*--trusted-host"
)


_IN_CLEAR: Final = re.compile(r"\bpip3?\b.*\s(?:--(?:extra-)?index-url|-i)[= ]http://(?!localhost|127\.)")


def _command(event: Command, state: State) -> Hit | None:
    if _IN_CLEAR.search(event.text):
        return Hit(
            event.node,
            severity="warn",
            cwe=494,
            message="Packages come over a connection that anyone in between can change.",
        )
    return Hit(event.node, severity="warn") if _UNCHECKED.search(event.text) else None


_CHOICE: Final = words(
    "verify verify_ssl ssl_verify validate_cert validate_certs verify_certs verify_cert insecure cert_reqs check_hostname no_verify"
)


def _insecure(call: Call, state: State) -> Hit | None:
    """paho: ``client.tls_insecure_set(True)``."""
    return Hit(call.node) if call.argument(0, "value").const is True else None


def _option(call: Call, state: State) -> Hit | None:
    """python-ldap: ``set_option(ldap.OPT_X_TLS_REQUIRE_CERT, ldap.OPT_X_TLS_NEVER)``."""
    never = call.argument(1).name.endswith(("OPT_X_TLS_NEVER", "OPT_X_TLS_ALLOW"))
    return Hit(call.node, remedy="Use OPT_X_TLS_DEMAND.") if never else None


def _left_to_the_caller(state: State) -> bool:
    """True if the function has a parameter for it: then the calling line decides."""
    return any(scope.kind == "function" and not _CHOICE.isdisjoint(scope.variables) for scope in state.scopes)


def _assign(event: Assign, state: State) -> Hit | None:
    if event.name.endswith("_create_default_https_context") and "unverified" in event.value.name:
        return Hit(event.node)
    off = (event.name.endswith(".check_hostname") and event.value.const is False) or (
        event.name.endswith(".verify_mode") and event.value.name.endswith("CERT_NONE")
    )
    if off and event.base.name not in ("self", "cls"):  # a wrapper's own attribute is no context of ssl
        return Hit(event.node, severity="warn" if _left_to_the_caller(state) else "block")
    if event.name == "ssl.SSLContext().verify_mode" and event.value.name.endswith(("CERT_REQUIRED", "CERT_OPTIONAL")):
        _told(event, state)
    if event.name.endswith(".verify") and event.value.const is False and "ession" in event.base.name + event.name:
        return Hit(event.node)
    if event.name.endswith("minimum_version") and event.value.name.endswith(_OLD):
        return Hit(event.node, cwe=327, severity="warn")
    if event.name.endswith(".hostkeys") and "CnOpts" in event.base.name and event.value.const is None:
        return Hit(
            event.node, severity="warn", remedy="Give the file of known hosts: pysftp.CnOpts(knownhosts='known_hosts')."
        )
    if (event.key, event.value.const) in _UNSET:
        return Hit(event.node)
    if event.key == "verify" and event.value.const is False and not event.name and _options(state):
        return Hit(event.node, severity="warn")
    return None


_UNSET: Final = (("PYTHONHTTPSVERIFY", "0"), ("CURL_CA_BUNDLE", ""), ("REQUESTS_CA_BUNDLE", ""))
"""Variables of the environment that switch the check off for a whole program."""


def _options(state: State) -> bool:
    """``options = {"verify": False, "timeout": 9}``, for the calls that it is given to."""
    node = state.statement
    given = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    keys = {key.value for key in given.keys if isinstance(key, ast.Constant)} if isinstance(given, ast.Dict) else set()
    return state.uses("requests", "httpx") and not keys.isdisjoint({"timeout", "headers", "auth", "proxies", "cert"})


def _told(event: Assign, state: State) -> None:
    """Clear the suspicion of a context that verifies."""
    if isinstance(event.node, ast.Attribute) and isinstance(event.node.value, ast.Name):
        state.store(event.node.value.id, event.base.but(fact=None))


RULE: Final = Rule(
    id="tls-verification-off",
    cwe=295,
    severity="block",
    message="The other side's certificate is not checked: anyone in between can read and change everything.",
    remedy="Leave verification on; for an own certificate give its file: verify='ca.pem'.",
    bad=(
        'import requests\nrequests.get("https://a.b", verify=False)',
        "import ssl\nssl._create_default_https_context = ssl._create_unverified_context",
        "import ssl\ncontext = ssl.create_default_context()\ncontext.check_hostname = False\ncontext.verify_mode = ssl.CERT_NONE",
    ),
    good=(
        'import psycopg2\npsycopg2.connect(host="localhost", sslmode="disable")',
        "import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLSv1_2)\nc.verify_mode = ssl.CERT_REQUIRED\nurlopen(url, context=c)",
        "import ssl\nc = ssl.SSLContext(ssl.PROTOCOL_TLS)\nc.load_cert_chain('c.pem')\nc.wrap_socket(s, server_side=True)",
    ),
    calls={
        **on("ssl._create_unverified_context ssl.SSLContext", _ssl),
        **on("OpenSSL.SSL.Context SSL.Context", _context),
        "OpenSSL.SSL.Connection": _connection,
    },
    methods={
        **on("use_privatekey use_privatekey_file use_certificate use_certificate_file", _served),
        **on("set_missing_host_key_policy", _paramiko),
        **on("set_verify", _context),
        **on("set_option", _option),
        **on("tls_insecure_set", _insecure),
        **on("starttls", _starttls),
        **on("wrap_socket", _ssl),
        "*": _verify,
    },
    assign=_assign,
    command=_command,
    returned=_returned,
)
