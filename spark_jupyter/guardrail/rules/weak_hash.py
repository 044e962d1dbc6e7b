"""Broken hashes and cheap key derivation."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.rules._passwords import about_password
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

_WEAK: Final = "md5 sha1 md4 md2 ripemd160"


def _check(call: Call, state: State) -> Hit | None:
    if call.kwargs.get("usedforsecurity", Value()).const is False:
        return None
    if call.tail == "new" and call.name.startswith("hashlib"):
        name = call.argument(0, "name").const
        if not isinstance(name, str) or name.lower().replace("-", "") not in _WEAK.split():
            return None
    if about_password(call, state):
        return Hit(call.node, severity="warn", cwe=328)
    return Hit(call.node, severity="hint" if _is_checksum(state) or _is_of_file(call.node) else "warn", cwe=327)


_CHECKSUM: Final = re.compile(
    r"checksum|md5|cache|etag|dedup|(?:file|content|image|hash)_?(?:hash|of|file)|bucket|shard", re.IGNORECASE
)


_TELLS_APART: Final = re.compile(r"checksum|cache|etag|dedup|bucket|shard", re.IGNORECASE)


def _is_checksum(state: State) -> bool:
    """True if the function's name, or the variable's, says that its hash only tells files or texts apart."""
    node = state.statement
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(_TELLS_APART.search(ast.unparse(target)) for target in targets) or any(
        scope.kind == "function" and _CHECKSUM.search(scope.name) for scope in state.scopes
    )


def _is_of_file(call: ast.Call) -> bool:
    """``hashlib.md5(open(path, "rb").read())``, ``hashlib.md5(Path(path).read_bytes())``: it tells files apart."""
    read = call.args[0] if len(call.args) == 1 else None
    if not isinstance(read, ast.Call) or not isinstance(read.func, ast.Attribute):
        return False
    opened = read.func.value.func if isinstance(read.func.value, ast.Call) else None
    by_open = read.func.attr == "read" and isinstance(opened, ast.Name) and opened.id == "open"
    return by_open or read.func.attr == "read_bytes"


def _derive(call: Call, state: State) -> Hit | None:
    salt, rounds = call.argument(2, "salt"), call.argument(3, "iterations")
    name = call.argument(0, "hash_name").const
    if isinstance(salt.const, str | bytes):
        return Hit(
            call.node,
            severity="warn",
            cwe=760,
            message="The salt is the same for everybody: one table of guesses fits all.",
            remedy="Make one for each: os.urandom(16).",
        )
    if isinstance(name, str) and name.lower() in ("md5", "sha1"):
        return Hit(call.node, severity="warn")
    if isinstance(rounds.const, int) and rounds.const < 50_000:
        return Hit(
            call.node,
            severity="warn",
            cwe=916,
            message="So few rounds make guessing passwords cheap.",
            remedy="Use 600,000 rounds, or scrypt.",
        )
    return None


def _kdf(call: Call, state: State) -> Hit | None:
    """cryptography's PBKDF2HMAC, which names what hashlib's has in places."""
    names = ("salt", "iterations")
    salt, rounds = (call.argument(at, name) for at, name in zip((2, 3), names, strict=True))
    return _derive(call._replace(args=[Value(), Value(), salt, rounds], kwargs={}), state)


def _hmac(call: Call, state: State) -> Hit | None:
    digest = call.argument(2, "digestmod")
    weak = digest.name.endswith(("md5", "sha1")) or digest.const in ("md5", "sha1")
    return Hit(call.node, severity="warn") if weak and digest.const != "sha1" else None


RULE: Final = Rule(
    id="weak-hash",
    cwe=328,
    severity="warn",
    message="This hash is broken: other data with the same hash can be made.",
    remedy="Use hashlib.sha256 (for passwords hashlib.scrypt, argon2 or bcrypt); for a checksum say usedforsecurity=False.",
    bad=(
        "import hashlib\nhashlib.md5(password.encode()).hexdigest()",
        "from hashlib import sha1\nsha1(data)",
        'import hashlib\nhashlib.new("md5")',
    ),
    good=(
        "import hashlib\nhashlib.sha256(data).hexdigest()",
        "import hashlib\nhashlib.md5(data, usedforsecurity=False)",
        'import hashlib, os\nhashlib.pbkdf2_hmac("sha256", password, os.urandom(16), 600000)',
    ),
    calls={
        **on(
            " ".join(f"hashlib.{name}" for name in _WEAK.split())
            + " md5.new md5 sha.new sha1 Crypto.Hash.MD5.new Crypto.Hash.MD4.new Crypto.Hash.MD2.new Crypto.Hash.SHA.new "
            "Crypto.Hash.SHA1.new MD5.new SHA.new SHA1.new cryptography.hazmat.primitives.hashes.MD5 "
            "cryptography.hazmat.primitives.hashes.SHA1 hashes.MD5 hashes.SHA1 hashlib.new md5.md5 sha.sha "
            "passlib.hash.md5_crypt.hash passlib.hash.ldap_md5.hash",
            _check,
        ),
        **on("hashlib.pbkdf2_hmac", _derive),
        **on("cryptography.hazmat.primitives.kdf.pbkdf2.PBKDF2HMAC PBKDF2HMAC", _kdf),
        **on("hmac.new hmac.HMAC hmac.digest", _hmac),
    },
)
