"""Tokens accepted without verification of their signature."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN


def _decode(call: Call, state: State) -> Hit | None:
    if call.kwargs.get("verify", UNKNOWN).const is False:
        return Hit(call.node)
    options = call.argument(-1, "options").items
    if isinstance(options, dict):
        for key in ("verify_signature", "verify_exp", "verify_aud"):
            if key in options and options[key].const is False:
                return Hit(call.node, severity=None if key == "verify_signature" else "warn")
    algorithms = call.argument(2, "algorithms", "algorithm")
    listed = algorithms.items if isinstance(algorithms.items, list) else [algorithms]
    if any(isinstance(one.const, str) and one.const.lower() == "none" for one in listed):
        return Hit(call.node)
    if any("get_unverified_header()" in one.name for one in listed):
        return Hit(
            call.node,
            severity="warn",
            message="The token says itself how it is to be checked: whoever writes one can choose a weaker way.",
        )
    return None


def _encode(call: Call, state: State) -> Hit | None:
    algorithm = call.argument(2, "algorithm")
    if isinstance(algorithm.const, str) and algorithm.const.lower() == "none":
        return Hit(call.node, message="A token without a signature can be made by anybody.")
    return None


def _process(call: Call, state: State) -> Hit | None:
    return Hit(
        call.node,
        severity="warn",
        message=f"{call.tail} reads a token without checking who signed it.",
        remedy="Use the function that verifies it, with the key and the allowed algorithms.",
    )


RULE: Final = Rule(
    id="jwt-not-verified",
    cwe=347,
    severity="block",
    message="The token's signature is not checked: anyone can write one that says what they like.",
    remedy='jwt.decode(token, key, algorithms=["HS256"]) checks it.',
    bad=(
        "import jwt\njwt.decode(token, verify=False)",
        'import jwt\njwt.decode(token, key, options={"verify_signature": False})',
        "import python_jwt as jwt\njwt.process_jwt(token)",
    ),
    good=(
        "from jose import jwt\nkid = jwt.get_unverified_header(token)['kid']",
        'import jwt\njwt.decode(token, key, algorithms=["HS256"])',
        'text.decode("utf-8")',
    ),
    calls={
        **on(
            "jwt.decode jose.jwt.decode jwt.api_jwt.decode authlib.jose.jwt.decode jwt.JWT().decode flask_jwt.decode",
            _decode,
        ),
        **on("jwt.encode jose.jwt.encode", _encode),
        **on(
            "python_jwt.process_jwt jwt.process_jwt jwt.get_unverified_claims jose.jwt.get_unverified_claims",
            _process,
        ),
    },
)
