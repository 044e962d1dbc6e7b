"""A request that only asks, and yet changes something: a link in a mail, or a picture's address on another site, is enough."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.state import State

_STORE: Final = re.compile(r"session|objects|query|repo|collection|\bdb\b", re.IGNORECASE)
_CHANGES: Final = re.compile(r"^\s*(?:DELETE\s+FROM|UPDATE\s+\S+\s+SET|DROP\s+TABLE|TRUNCATE)\b", re.IGNORECASE)


def _on_get(state: State) -> bool:
    function = next((scope for scope in reversed(state.scopes) if scope.kind == "function"), None)
    return function is not None and function.on_get


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
    remedy='Take POST: @app.route("/delete", methods=["POST"]), and check a CSRF token.',
    bad=(
        '@app.route("/delete/<int:n>")\ndef delete(n):\n    db.session.delete(Post.query.get(n))',
        '@app.get("/close")\ndef close(n: int):\n    db.execute("UPDATE t SET open = 0 WHERE n = ?", (n,))',
        "class Remove(View):\n    def get(self, request, pk):\n        Post.objects.filter(pk=pk).delete()",
    ),
    good=(
        '@app.route("/delete/<int:n>", methods=["POST"])\ndef delete(n):\n    db.session.delete(Post.query.get(n))',
        '@app.route("/edit", methods=["GET", "POST"])\ndef edit():\n    if request.method == "POST":\n        db.session.delete(post)',
        '@app.get("/list")\ndef all():\n    return db.execute("SELECT * FROM t").fetchall()',
        "def clean():\n    db.session.delete(post)",
    ),
    methods={**on("delete delete_one delete_many", _delete), **on("execute run_sql execute_sql", _execute)},
)
