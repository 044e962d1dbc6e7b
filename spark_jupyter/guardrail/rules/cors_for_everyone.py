"""Responses that every other site may read with the visitor's cookies."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust, Value


def _everyone(origins: Value) -> bool:
    if isinstance(origins.items, list):
        return any(item.const == "*" for item in origins.items)
    return origins.const == "*" or origins.known_text in (".*", "https?://.*")


def _middleware(call: Call, state: State) -> Hit | None:
    if not call.argument(0).name.endswith("CORSMiddleware"):
        return None
    everyone = any(_everyone(call.argument(-1, name)) for name in ("allow_origins", "allow_origin_regex"))
    if not everyone:
        return None
    return Hit(call.node) if call.argument(-1, "allow_credentials").const is True else _read(call.node)


def _flask(call: Call, state: State) -> Hit | None:
    if call.argument(-1, "supports_credentials").const is not True:
        given = call.given(-1, "origins") or call.given(-1, "resources")
        return _read(call.node) if not given or _everyone(call.argument(-1, "origins")) else None
    resources = call.argument(-1, "resources").items
    for options in resources.values() if isinstance(resources, dict) else ():
        if isinstance(options.items, dict) and "origins" in options.items and _everyone(options.items["origins"]):
            return Hit(call.node)
    origins = call.argument(-1, "origins")
    return (
        Hit(call.node) if _everyone(origins) or not (call.given(-1, "origins") or call.given(-1, "resources")) else None
    )


def _read(node: ast.AST) -> Hit:
    """Hit for access without credentials, which only matters for a server in a private network."""
    return Hit(node, severity="hint", message="Pages of any website may read what this server answers.")


def _reflected(event: Assign, state: State) -> Hit | None:
    if event.name in ("CORS_ALLOW_ALL_ORIGINS", "CORS_ORIGIN_ALLOW_ALL") and event.value.const is True:
        return _read(event.node)
    if event.key.lower() != "access-control-allow-origin":
        return None
    if event.value.const == "*":
        return _read(event.node)
    flows = state.certain(event.value, Danger.HEADER, Trust.REMOTE)
    return Hit(event.node, flows=flows) if flows else None


RULE: Final = Rule(
    id="cors-for-everyone",
    cwe=942,
    severity="warn",
    message="Any website may send requests with your visitors' cookies and read the responses.",
    remedy="Name the sites that may: origins=['https://app.example.com']; or do without credentials.",
    bad=(
        (
            'from fastapi.middleware.cors import CORSMiddleware\napp.add_middleware(CORSMiddleware, allow_origins=["*"],'
            " allow_credentials=True)"
        ),
        "from flask_cors import CORS\nCORS(app, supports_credentials=True)",
        "from flask_cors import CORS\nCORS(app)",
    ),
    good=(
        'from fastapi.middleware.cors import CORSMiddleware\napp.add_middleware(CORSMiddleware, allow_origins=["https://a.b"])',
        'from flask_cors import CORS\nCORS(app, origins=["https://app.example.com"], supports_credentials=True)',
        'from flask_cors import CORS\nCORS(app, resources={"/*": {"origins": ["https://a.b"]}}, supports_credentials=True)',
    ),
    calls=on("flask_cors.CORS CORS", _flask),
    methods=on("add_middleware", _middleware),
    assign=_reflected,
)
