"""Cloud storage that everybody can read or write.

Whoever knows or guesses the address reads it, or writes it.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

_READ: Final = frozenset({"public-read", "publicRead", "blob", "container"})
_WRITE: Final = frozenset({"public-read-write", "publicReadWrite"})


def _acl(call: Call, state: State) -> Hit | None:
    extra = call.argument(-1, "ExtraArgs").items
    for value in (
        call.argument(-1, "ACL", "predefined_acl", "public_access"),
        extra.get("ACL") if isinstance(extra, dict) else None,
    ):
        hit = _judge(call, value)
        if hit is not None:
            return hit
    return None


def _judge(call: Call, value: Value | None) -> Hit | None:
    grant = value.const if value is not None else None
    if grant in _WRITE:
        return Hit(call.node, severity="block", message="Everybody may change what is stored here.")
    return Hit(call.node) if grant in _READ else None


def _binding(event: Assign, state: State) -> Hit | None:
    """``{"role": …, "members": {"allUsers"}}`` of a policy of Google's."""
    members = event.value.items
    if event.key != "members" or not isinstance(members, list) or not state.uses("google", "googleapiclient"):
        return None
    return Hit(event.node) if any(one.const in _EVERYBODY for one in members) else None


_EVERYBODY: Final = ("allUsers", "allAuthenticatedUsers")
"""https://cloud.google.com/iam/docs/principals-overview"""


def _make_public(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if state.uses("google") else None


RULE: Final = Rule(
    id="public-storage",
    cwe=732,
    severity="warn",
    message="Everybody who knows or guesses the address may read what is stored here.",
    remedy="Keep it private, and give the recipient a signed address that expires (generate_presigned_url).",
    bad=(
        'import boto3\nboto3.client("s3").put_bucket_acl(Bucket="b", ACL="public-read")',
        'import boto3\nboto3.client("s3").upload_file(path, "b", "k", ExtraArgs={"ACL": "public-read-write"})',
        'import boto3\nboto3.resource("s3").Object("b", "k").put(Body=data, ACL="public-read")',
    ),
    good=(
        'import boto3\nboto3.client("s3").put_bucket_acl(Bucket="b", ACL="private")',
        'import boto3\nboto3.client("s3").upload_file(path, "b", "k", ExtraArgs={"ACL": "bucket-owner-full-control"})',
        'import boto3\nboto3.client("s3").generate_presigned_url("get_object", Params=which, ExpiresIn=600)',
    ),
    methods={
        **on(
            "put_bucket_acl put_object_acl create_bucket put_object copy_object upload_file upload_fileobj put copy_from "
            "upload_from_filename upload_from_string create_container set_container_access_policy",
            _acl,
        ),
        "make_public": _make_public,
    },
    assign=_binding,
)
