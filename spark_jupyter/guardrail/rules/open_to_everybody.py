"""Cloud machines, databases and rights open to everybody."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Literal, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN, Value

_ANYWHERE: Final = ("0.0.0.0/0", "::/0")
_WEB: Final = (80, 443)
_ALL: Final = re.compile(r'"Action"\s*:\s*(?:\[\s*)?"\*"')
_RIGHTS: Final = "This policy allows everything: one leaked key is enough to lose the account."
_FEW: Final = "Name the few actions and resources that are needed."


def _ingress(call: Call, state: State) -> Hit | None:
    """``authorize_security_group_ingress(CidrIp="0.0.0.0/0", FromPort=22, …)``. Pages are meant for everybody."""
    own: dict[object, Value] = dict(call.kwargs.items())
    groups = call.argument(-1, "IpPermissions").items
    rules = [group.items for group in groups if isinstance(group.items, dict)] if isinstance(groups, list) else [own]
    return Hit(call.node) if any(map(_lets_all_in, rules)) else None


def _lets_all_in(rule: dict[object, Value]) -> bool:
    port = rule.get("FromPort", UNKNOWN).const
    ranges = rule.get("IpRanges", UNKNOWN).items
    cidrs = [rule.get("CidrIp", UNKNOWN)]
    for one in ranges if isinstance(ranges, list) else ():
        cidrs += [one.items.get("CidrIp", UNKNOWN)] if isinstance(one.items, dict) else []
    return port not in _WEB and any(cidr.const in _ANYWHERE for cidr in cidrs)


def _database(call: Call, state: State) -> Hit | None:
    if call.argument(-1, "PubliclyAccessible").const is True:
        return Hit(
            call.node, message="This database can be reached from everywhere.", remedy="PubliclyAccessible=False."
        )
    plain = call.argument(-1, "StorageEncrypted").const is False
    if plain:
        return Hit(
            call.node, cwe=311, message="The data stored here is not encrypted.", remedy="StorageEncrypted=True."
        )
    return None


def _policy(event: Literal, state: State) -> Hit | None:
    return Hit(event.node, cwe=269, message=_RIGHTS, remedy=_FEW) if _ALL.search(event.text) else None


RULE: Final = Rule(
    id="open-to-everybody",
    cwe=284,
    severity="warn",
    message="Every computer in the world may try to log in here.",
    remedy="Name the addresses that may, or use a bastion or the provider's session manager.",
    bad=(
        'ec2.authorize_security_group_ingress(GroupId=g, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="0.0.0.0/0")',
        (
            'ec2.authorize_security_group_ingress(GroupId=g, IpPermissions=[{"IpProtocol": "tcp", "FromPort": 5432,'
            ' "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}])'
        ),
        'rds.create_db_instance(DBInstanceIdentifier="d", PubliclyAccessible=True)',
    ),
    good=(
        'ec2.authorize_security_group_ingress(GroupId=g, IpProtocol="tcp", FromPort=22, ToPort=22, CidrIp="10.0.0.0/8")',
        'ec2.authorize_security_group_ingress(GroupId=g, IpProtocol="tcp", FromPort=443, ToPort=443, CidrIp="0.0.0.0/0")',
        'rds.create_db_instance(DBInstanceIdentifier="d", PubliclyAccessible=False, StorageEncrypted=True)',
    ),
    methods={
        **on("authorize_security_group_ingress authorize_ingress", _ingress),
        **on("create_db_instance create_db_cluster modify_db_instance", _database),
    },
    literal=_policy,
)
