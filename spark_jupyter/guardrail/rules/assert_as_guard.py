"""Assert statements that guard something.

Python leaves them out when it runs with ``-O``, and the guard with them.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Hit, Rule
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.source.changed_names import last_name

_RIGHT: Final = re.compile(
    r"^(?:is_?(?:admin|authenticated|authori[sz]ed|staff|superuser|owner|logged_?in|allowed|permitted)|"
    r"has_?(?:perm|perms|permission|permissions|role|access|scope)|check_(?:permission|access|password)\w*|"
    r"user_(?:has_access|can)\w*|can_(?:edit|delete|view|access|read|write)\w*|verify_(?:token|password|signature)\w*)$",
    re.IGNORECASE,
)


def _check(statement: ast.stmt, state: State) -> Hit | None:
    if not isinstance(statement, ast.Assert):
        return None
    for node in ast.walk(statement.test):
        name = last_name(node)
        if _RIGHT.match(name):
            tested = any(scope.name.startswith("test") for scope in state.scopes)
            return None if tested else Hit(statement)
    return None


RULE: Final = Rule(
    id="assert-as-guard",
    cwe=617,
    severity="warn",
    message="An assert decides here who may do this: python -O leaves it out.",
    remedy="Raise: if not user.is_admin: raise PermissionError(...).",
    bad=(
        "def delete(user, item):\n    assert user.is_admin\n    item.delete()",
        'def show(user, doc):\n    assert has_permission(user, doc), "not yours"',
    ),
    good=(
        "def delete(user, item):\n    if not user.is_admin:\n        raise PermissionError(user)\n    item.delete()",
        "assert x.shape == (3, 4)",
        "def test_admin(client):\n    assert client.user.is_admin",
    ),
    statement=_check,
)
