"""Passwords hashed fast or without a salt.

Two weaknesses, of which the graver one is named: of a hash that is broken as well, :mod:`weak_hash` says so, and here that there is
no salt (CWE-759, one-way hash without a salt); of the others that they are fast (CWE-916, insufficient computational effort).
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.rules._passwords import about_password, salted
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

_BROKEN: Final = ("md5", "sha1")
_FAST: Final = ("sha256", "sha512", "sha224", "sha384", "sha3_256", "sha3_512", "blake2b", "blake2s")


def _check(call: Call, state: State) -> Hit | None:
    """``hashlib.sha256(password)``, ``hashlib.new("md5", password)``."""
    position, algorithm = (1, call.argument(0, "name").const) if call.tail == "new" else (0, call.tail)
    if len(call.args) <= position:
        return None
    return _judge(call, state, algorithm)


def _update(call: Call, state: State) -> Hit | None:
    """``hasher.update(password)``."""
    if not call.name.startswith("hashlib.") or not call.args:
        return None
    made_by = call.receiver
    name = made_by.name.removeprefix("hashlib.").removesuffix("()")
    return _judge(call, state, "md5" if name == "new" else name)


def _judge(call: Call, state: State, algorithm: object) -> Hit | None:
    name = algorithm.lower().replace("-", "") if isinstance(algorithm, str) else ""
    kind = call.kwargs.get("usedforsecurity", Value())
    if name not in (*_BROKEN, *_FAST) or kind.const is False or not about_password(call, state):
        return None
    if name in _BROKEN and not salted(call):
        message = (
            "There is no salt: the same password has the same hash everywhere, and tables of such hashes are for sale."
        )
        return Hit(call.node, cwe=759, message=message)
    return Hit(call.node)


def _rounds(call: Call, state: State) -> Hit | None:
    """``bcrypt.gensalt(4)``: 2**4 rounds, where 12 is usual."""
    rounds = call.argument(0, "rounds").const
    if isinstance(rounds, int) and rounds < 10:
        return Hit(call.node, message="So few rounds are done in no time: passwords are guessed by the million.")
    return None


RULE: Final = Rule(
    id="password-hash",
    cwe=916,
    severity="warn",
    message="This hash is made to be fast: passwords hashed with it are guessed by the billion, with a salt too.",
    remedy="Use hashlib.scrypt, argon2 or bcrypt with a salt of its own for each.",
    bad=(
        "import bcrypt\nbcrypt.hashpw(password, bcrypt.gensalt(4))",
        "import hashlib\nhashlib.sha256(password.encode()).hexdigest()",
        "import hashlib\nhashlib.md5(password.encode()).hexdigest()",
    ),
    good=(
        "import bcrypt\nbcrypt.hashpw(password, bcrypt.gensalt(12))",
        "import hashlib\nhashlib.sha256(data).hexdigest()",
        "import hashlib\nhashlib.scrypt(password, salt=salt, n=2**14, r=8, p=1)",
    ),
    calls={
        **on(" ".join(f"hashlib.{name}" for name in (*_BROKEN, *_FAST, "new")), _check),
        "bcrypt.gensalt": _rounds,
    },
    methods=on("update", _update),
)
