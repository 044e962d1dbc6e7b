"""NoSQL queries with input as an object or expression."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust, Value

_JSON: Final = re.compile(r"(?:get_json\(\)|\.json(?:\(\))?|json\.loads\(\))(?:\[\]|\.get\(\))$")


def _find(call: Call, state: State) -> Hit | None:
    query = call.argument(0, "filter", "query")
    where = query.items.get("$where") if isinstance(query.items, dict) else None
    if where is not None and (where.is_built or state.certain(where, Danger.NOSQL)):
        return Hit(call.node)
    if call.tail in ("find", "find_one", "aggregate", "update_one", "delete_one", "delete_many", "count_documents"):
        whole = (
            query.items is None
            and query.text is None
            and (
                query.name.endswith(("json", "get_json()", "json()", "form", "loads()"))
                or _JSON.search(query.name) is not None
                or any(origin.parameter and origin.trust == Trust.REMOTE for origin, _ in query.flows)
            )
        )
        flows = state.certain(query, Danger.NOSQL, Trust.LOCAL)
        if isinstance(query.items, dict) and state.uses("pymongo", "flask_pymongo", "motor"):
            return _operator(call, query.items, state)
        by_mongo = state.uses("pymongo", "flask_pymongo", "motor", "mongoengine") or "mongo" in call.name.lower()
        if whole and flows and by_mongo:
            return Hit(call.node, flows=flows)
    return None


def _operator(call: Call, items: dict[object, Value], state: State) -> Hit | None:
    """A value of a JSON body may be an object: ``{"$ne": null}`` instead of a password."""
    for value in items.values():
        flows = state.certain(value, Danger.NOSQL, Trust.REMOTE)
        if flows and value.text is None and _JSON.search(value.name):
            return Hit(
                call.node,
                flows=flows,
                severity="warn",
                message='JSON input need not be text: {"$ne": null} matches everything here.',
            )
    return None


def _expression(call: Call, state: State) -> Hit | None:
    for key in ("FilterExpression", "KeyConditionExpression", "ConditionExpression", "UpdateExpression"):
        value = call.kwargs.get(key, Value())
        if value.is_built:
            return Hit(call.node, severity="block" if state.dangerous(value, Danger.NOSQL) else "warn")
    return None


RULE: Final = Rule(
    id="nosql-injection",
    cwe=943,
    severity="block",
    message="Input changes what this database query asks.",
    remedy="Take single values and turn them into text: {'name': str(data['name'])}; never $where or built expressions.",
    bad=(
        'import pymongo\n@app.post("/")\ndef find(query: dict = Body(...)):\n    return list(items.find(query))',
        "wanted = request.get_json()\nmongo.db.users.find(wanted, {'_id': 0})",
        "from pymongo import MongoClient\nitems = MongoClient().a.items\nitems.find(request.get_json()['filter'])",
    ),
    good=(
        'mongo.db.users.find({"city": str(request.get_json()["city"])})',
        'table.scan(FilterExpression="user = :u", ExpressionAttributeValues={":u": request.args["u"]})',
        'import pymongo\ndb.users.find_one({"name": str(request.args["n"])})',
    ),
    methods={
        **on("find find_one aggregate update_one delete_one delete_many count_documents find_one_and_update", _find),
        **on("scan query delete_item update_item put_item get_item", _expression),
    },
)
