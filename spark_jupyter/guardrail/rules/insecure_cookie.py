"""Cookies sent unencrypted or readable by scripts."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN, words

_HARMLESS: Final = re.compile(
    r"lang|theme|colou?r|locale|tz|timezone|consent|banner|view|sort|page|font", re.IGNORECASE
)
_SECURE: Final = words("SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE REMEMBER_COOKIE_SECURE SECURE_SSL_REDIRECT")
_HIDDEN: Final = words("SESSION_COOKIE_HTTPONLY CSRF_COOKIE_HTTPONLY REMEMBER_COOKIE_HTTPONLY")


def _set(call: Call, state: State) -> Hit | None:
    key = call.argument(0, "key", "name").known_text or ""
    if len(call.args) + len(call.kwargs) < 2:
        return None
    if _HARMLESS.search(key) or "**" in call.kwargs:
        return None
    secure, hidden = (
        call.kwargs.get("secure", UNKNOWN),
        call.kwargs.get("httponly", call.kwargs.get("httpOnly", UNKNOWN)),
    )
    if call.kwargs.get("max_age", UNKNOWN).const == 0:
        return None
    if "secure" not in call.kwargs or secure.const is False:
        return Hit(call.node)
    if ("httponly" not in call.kwargs and "httpOnly" not in call.kwargs) or hidden.const is False:
        return Hit(
            call.node, cwe=1004, message="Scripts in the page can read this cookie.", remedy="Set httponly=True."
        )
    return None


def _assign(event: Assign, state: State) -> Hit | None:
    name = event.key or event.name.rpartition(".")[2]
    if event.value.const is False and name in _SECURE:
        return Hit(event.node)
    if event.value.const is False and name in _HIDDEN:
        return Hit(event.node, cwe=1004, message="Scripts in the page can read this cookie.", remedy="Set it to True.")
    return None


RULE: Final = Rule(
    id="insecure-cookie",
    cwe=614,
    severity="warn",
    message="This cookie is also sent without encryption, where anyone on the way reads it.",
    remedy='set_cookie(..., secure=True, httponly=True, samesite="Lax").',
    bad=(
        'response.set_cookie("session", value)',
        "app.config['SESSION_COOKIE_HTTPONLY'] = False",
        'response.set_cookie("sid", value, secure=True)',
    ),
    good=(
        'response.set_cookie("session", value, secure=True, httponly=True, samesite="Lax")',
        'response.set_cookie("theme", "dark")',
        "SESSION_COOKIE_SECURE = True",
    ),
    methods=on("set_cookie", _set),
    assign=_assign,
)
