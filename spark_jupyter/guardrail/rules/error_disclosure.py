"""Error messages that show strangers the program's inside."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Return, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Fact


def _returned(event: Return, state: State) -> Hit | None:
    if not event.handler or not isinstance(event.node, ast.Return) or event.node.value is None:
        return None
    value = event.value
    if value.name in ("traceback.format_exc()", "traceback.format_tb()", "traceback.format_exception()"):
        return Hit(event.node)
    if len(ast.dump(event.node.value)) >= 5_000 or not _tells(event.node.value, state):
        return None
    status = value.items[1].const if isinstance(value.items, list) and len(value.items) > 1 else None
    own = isinstance(status, int) and 400 <= status < 500  # the caller's own mistake
    return Hit(event.node, severity="hint" if own else None)


def _raised(call: Call, state: State) -> Hit | None:
    """``HTTPException(500, detail=str(error))``. What a 4xx says is about the caller's own request."""
    status = call.argument(0, "status_code").const
    detail = next((word.value for word in call.node.keywords if word.arg == "detail"), None)
    if detail is None and len(call.node.args) > 1:
        detail = call.node.args[1]
    if detail is None or not isinstance(status, int) or status < 500:
        return None
    return Hit(call.node) if len(ast.dump(detail)) < 5_000 and _tells(detail, state) else None


def _written(call: Call, state: State) -> Hit | None:
    """``self.wfile.write(f"failed: {error}".encode())``, ``self.send_error(500, str(error))``."""
    if not state.handler_class or not call.name.startswith(
        ("self.wfile.", "self.write", "self.send_error", "self.finish")
    ):
        return None
    return Hit(call.node) if any(len(ast.dump(arg)) < 5_000 and _tells(arg, state) for arg in call.node.args) else None


def _tells(node: ast.expr, state: State) -> bool:
    structured = any(isinstance(part, ast.Dict) or _is_json(part) for part in ast.walk(node))
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found = state.lookup(part.id)
            if found is not None and found.fact is Fact.EXCEPTION and not structured:
                return True
        if isinstance(part, ast.Attribute) and part.attr in ("format_exc", "exc_info", "format_exception", "format_tb"):
            return True
    return False


def _is_json(node: ast.AST) -> bool:
    """``jsonify(…)``: a message of an interface for programs, which is made to say what was wrong."""
    return isinstance(node, ast.Name) and node.id in ("jsonify", "JsonResponse", "JSONResponse")


RULE: Final = Rule(
    id="error-disclosure",
    cwe=209,
    severity="warn",
    message="The client sees internal error details: paths, queries, names of libraries.",
    remedy="Log it, and answer with a plain message.",
    bad=(
        (
            "class Job(HTTPHandler):\n    def do_GET(self):\n        try:\n            work()\n        except OSError as error:\n"
            '            self.wfile.write(f"failed: {error}".encode())'
        ),
        (
            'import traceback\n@app.route("/")\ndef index():\n    try:\n        work()\n    except Exception:\n'
            "        return traceback.format_exc()"
        ),
        '@app.route("/")\ndef index():\n    try:\n        work()\n    except Exception as error:\n        return str(error), 500',
    ),
    good=(
        (
            "class Job(Handler):\n    def do_GET(self):\n        try:\n            work()\n        except OSError as error:\n"
            "            log(error)\n            self.send_error(500)"
        ),
        "try:\n    work()\nexcept ValueError as error:\n    raise HTTPException(status_code=400, detail=str(error))",
        (
            '@app.route("/")\ndef index():\n    try:\n        work()\n    except Exception as error:\n'
            '        log.exception("work")\n        return "Sorry", 500'
        ),
    ),
    calls=on("fastapi.HTTPException starlette.exceptions.HTTPException HTTPException", _raised),
    methods=on("write send_error finish", _written),
    returned=_returned,
)
