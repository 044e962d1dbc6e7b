"""Keys written to a file that everybody may read."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value

_KEYS: Final = ("private_bytes()", "Fernet.generate_key()", "export_key()", "exportKey()")


def _is_key(value: Value) -> bool:
    return value.name.removesuffix(".decode()").endswith(_KEYS)


def _write(call: Call, state: State) -> Hit | None:
    plain = call.receiver.name == "open()" or call.tail in ("write_bytes", "write_text")
    return Hit(call.node) if plain and _is_key(call.argument(0, "data")) else None


RULE: Final = Rule(
    id="readable-secret",
    cwe=732,
    severity="warn",
    message="A key is written into a file that others on this machine may read: open() leaves the mode to the umask.",
    remedy='Make it only yours: os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb").',
    bad=(
        'from cryptography.fernet import Fernet\nkey = Fernet.generate_key()\nwith open("k", "wb") as f:\n    f.write(key)',
        'pem = key.private_bytes(PEM, PKCS8, NoEncryption())\nwith open(path, "wb") as f:\n    f.write(pem)',
    ),
    good=(
        (
            "import os\npem = key.private_bytes(PEM, PKCS8, NoEncryption())\n"
            'with os.fdopen(os.open("k", FLAGS, 0o600), "wb") as f:\n    f.write(pem)'
        ),
        'pem = key.public_bytes(PEM, SPKI)\nwith open(path, "wb") as f:\n    f.write(pem)',
        'pem = key.private_bytes(PEM, PKCS8, BestAvailableEncryption(word))\nwith open(path, "wb") as f:\n    f.write(pem)',
    ),
    methods=on("write write_bytes write_text", _write),
)
