"""LDAP filters and names built from input.

They find more than they should.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.rules._queries import in_query
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger


def _search(call: Call, state: State) -> Hit | None:
    if call.name.startswith("re.") or (
        not state.uses("ldap", "ldap3")
        and "ldap" not in call.name.lower()
        and not call.tail.endswith(("_s", "_ext", "_st"))
    ):
        return None
    given = [*call.args, *call.kwargs.values()]
    return next((hit for value in given if (hit := in_query(call.node, value, "=", Danger.LDAP, state))), None)


RULE: Final = Rule(
    id="ldap-injection",
    cwe=90,
    severity="block",
    message="Input is part of an LDAP query: with * or )( in it, it matches everybody.",
    remedy="Escape it: ldap3.utils.conv.escape_filter_chars, ldap.filter.escape_filter_chars, ldap.dn.escape_dn_chars.",
    bad=(
        'import ldap\nc = ldap.initialize("ldap://h")\nc.search_s("dc=x", ldap.SCOPE_SUBTREE, "(user={})".format(request.args["u"]))',
        'import ldap3\nconn = ldap3.Connection("h")\nconn.search("dc=x", f"(uid={input()})")',
        'import ldap\ndef find(c, username):\n    return c.search_s("dc=x", ldap.SCOPE_SUBTREE, "(uid=" + username + ")")',
    ),
    good=(
        (
            'import ldap, ldap.filter\nc = ldap.initialize("ldap://h")\nu = ldap.filter.escape_filter_chars(request.args["u"])'
            '\nc.search_s("dc=x", ldap.SCOPE_SUBTREE, "(user={})".format(u))'
        ),
        "import re\nre.search(\"a\", request.args['x'])",
    ),
    methods=on(
        "search search_s search_ext search_ext_s search_st simple_bind_s delete_s modify_s add_s compare_s paged_search",
        _search,
    ),
)
