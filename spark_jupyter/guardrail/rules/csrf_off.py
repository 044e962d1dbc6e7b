"""Disabled protection against cross-site request forgery.

Another site can make requests in the visitor's name.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Hit, Rule
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.source.changed_names import last_name


def _assign(event: Assign, state: State) -> Hit | None:
    name = event.key or event.name.rpartition(".")[2]
    if event.value.const is False and name in ("WTF_CSRF_ENABLED", "WTF_CSRF_CHECK_DEFAULT", "CSRF_ENABLED"):
        return Hit(event.node)
    return None


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, state: State) -> Hit | None:
    exempt = "csrf_exempt" in [
        *map(last_name, node.decorator_list),
        *[name.rpartition(".")[2] for name in state.scope.decorators],
    ]
    return Hit(node) if exempt else None


RULE: Final = Rule(
    id="csrf-off",
    cwe=352,
    severity="warn",
    message="Another site can make this request in your visitor's name.",
    remedy="Leave CSRF protection on, or check a token of your own.",
    bad=(
        "app.config['WTF_CSRF_ENABLED'] = False",
        "from django.views.decorators.csrf import csrf_exempt\n@csrf_exempt\ndef pay(request):\n    pass",
    ),
    good=(
        "app.config['WTF_CSRF_ENABLED'] = True",
        "from django.views.decorators.csrf import csrf_protect\n@csrf_protect\ndef pay(request):\n    pass",
    ),
    assign=_assign,
    function=_function,
)
