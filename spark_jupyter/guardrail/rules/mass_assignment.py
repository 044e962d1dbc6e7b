"""Objects filled with all fields of a request.

Fields that nobody offered are written, too.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust

_WHOLE: Final = re.compile(
    r"(?:json|form|args|values|data|GET|POST|query_params|params|body|to_dict|loads|(?:POST|GET|form|args)\.dict)(?:\(\)|\[\])*$"
)


def _check(call: Call, state: State) -> Hit | None:
    given = call.kwargs.get("**")
    if given is None or given.items is not None:
        return None
    if not _WHOLE.search(given.name):
        return None
    flows = state.certain(given, Danger.DATA, Trust.REMOTE)
    last = call.name.rpartition(".")[2]
    model = last[:1].isupper() or call.tail in ("create", "update", "update_or_create", "get_or_create", "filter_by")
    return Hit(call.node, flows=flows) if flows and model else None


def _setattr(call: Call, state: State) -> Hit | None:
    flows = state.dangerous(call.argument(1), Danger.DATA, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows else None


def _update(call: Call, state: State) -> Hit | None:
    """``user.__dict__.update(request.json)``."""
    if not call.name.endswith(("__dict__.update", "vars().update")):
        return None
    flows = state.certain(call.argument(0), Danger.DATA, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows else None


def _stored(call: Call, state: State) -> Hit | None:
    """``users.insert_one(request.json)``, ``users.update_one({…}, {"$set": request.json})``."""
    given = call.argument(0 if call.tail == "insert_one" else 1, "document", "update")
    given = given.items.get("$set", given) if isinstance(given.items, dict) else given
    if given.items is not None or not _WHOLE.search(given.name):
        return None
    flows = state.certain(given, Danger.DATA, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows else None


RULE: Final = Rule(
    id="mass-assignment",
    cwe=915,
    severity="warn",
    message="Every field of the request is taken over: also is_admin, if somebody sends it.",
    remedy="Name the fields that may be set: User(name=data['name']).",
    bad=(
        "user.__dict__.update(request.json)",
        'users.update_one({"_id": me}, {"$set": request.get_json()})',
        "def save(request):\n    return User.objects.create(**request.POST.dict())",
    ),
    good=(
        'users.update_one({"_id": me}, {"$set": {"name": str(request.get_json()["name"])}})',
        "seen.update(request.json)",
        'user = User(name=request.json["name"])',
    ),
    methods={"*": _check, "update": _update, **on("insert_one update_one find_one_and_update", _stored)},
    calls=on("setattr", _setattr),
)
