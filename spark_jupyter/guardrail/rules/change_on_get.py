"""Changes made by a GET request.

A link in a mail, or a picture's address on another site, is enough to make the change in the visitor's name.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Compare, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import Scope, State
from spark_jupyter.guardrail.taint_values import UNKNOWN

_STORE: Final = re.compile(r"session|objects|get_object_or_404|query|repo|collection|\bdb\b", re.IGNORECASE)
_CHANGES: Final = re.compile(r"^\s*(?:DELETE\s+FROM|UPDATE\s+\S+\s+SET|DROP\s+TABLE|TRUNCATE)\b", re.IGNORECASE)


def _on_get(state: State) -> bool:
    function = next((scope for scope in reversed(state.scopes) if scope.kind == "function"), None)
    return function is not None and (function.on_get or _answers_all(function, state))


def _answers_all(function: Scope, state: State) -> bool:
    """True if a Django view answers requests of any method and has not asked for the method."""
    if not state.uses("django") or not function.handler or _ASKED in function.variables:
        return False
    first = function.summary.parameters[:1] if function.summary is not None else []
    limited = any(_LIMITS.search(name) for name in function.decorators)
    return first == ["request"] and not limited


_ASKED: Final = "request.method:"
"""Marker variable that no code can name: the function has looked at the method."""
_LIMITS: Final = re.compile(r"require_|api_view|action|http_methods")


def _compare(event: Compare, state: State) -> Hit | None:
    if any(
        ast.unparse(side) == "request.method"
        for side in (event.node.left, *event.node.comparators)
        if isinstance(side, ast.Attribute)
    ):
        state.scope.variables[_ASKED] = UNKNOWN
    return None


def _delete(call: Call, state: State) -> Hit | None:
    """``db.session.delete(post)``, ``Post.objects.filter(…).delete()``."""
    return Hit(call.node) if _on_get(state) and _STORE.search(call.name) else None


def _execute(call: Call, state: State) -> Hit | None:
    text = call.argument(0, "statement", "sql", "query").text or ""
    return Hit(call.node) if _CHANGES.match(text) and _on_get(state) else None


RULE: Final = Rule(
    id="change-on-get",
    cwe=352,
    severity="warn",
    message="This changes something for a request that only asks (GET): a link or a picture on any page can make it.",
    remedy='Use POST: @app.route("/delete", methods=["POST"]), and check a CSRF token.',
    bad=(
        "import django\ndef remove(request, pk):\n    get_object_or_404(Note, pk=pk).delete()",
        '@app.route("/delete/<int:n>")\ndef delete(n):\n    db.session.delete(Post.query.get(n))',
        '@app.get("/close")\ndef close(n: int):\n    db.execute("UPDATE t SET open = 0 WHERE n = ?", (n,))',
    ),
    good=(
        '@app.route("/delete/<int:n>", methods=["POST"])\ndef delete(n):\n    db.session.delete(Post.query.get(n))',
        '@app.route("/edit", methods=["GET", "POST"])\ndef edit():\n    if request.method == "POST":\n        db.session.delete(post)',
        '@app.get("/list")\ndef all():\n    return db.execute("SELECT * FROM t").fetchall()',
    ),
    compare=_compare,
    methods={**on("delete delete_one delete_many", _delete), **on("execute run_sql execute_sql", _execute)},
)
