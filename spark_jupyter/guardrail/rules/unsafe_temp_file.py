"""Temporary files with a predictable name.

Others can create the file first.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, always, on
from spark_jupyter.guardrail.taint_state import State


def _open(call: Call, state: State) -> Hit | None:
    file = call.argument(0, "file")
    mode = call.argument(1, "mode").known_text or "r"
    shared = (file.text or "").startswith(("/tmp/", "/var/tmp/", "/dev/shm/")) or file.name == "tempfile.mktemp()"
    if shared and set(mode) & set("wa") and "x" not in mode:
        return Hit(
            call.node,
            cwe=379,
            message="Everybody can write in this folder: somebody else's file or link may wait under that name.",
        )
    return None


RULE: Final = Rule(
    id="unsafe-temp-file",
    cwe=377,
    severity="warn",
    message="Between choosing this name and opening the file, somebody else can put theirs there.",
    remedy="Use tempfile.NamedTemporaryFile() or tempfile.mkstemp().",
    bad=(
        "import tempfile\nname = tempfile.mktemp()",
        "import os\nos.tempnam()",
        'open("/tmp/result.txt", "w")',
    ),
    good=(
        "import tempfile\nf = tempfile.NamedTemporaryFile()",
        "import tempfile\nfd, name = tempfile.mkstemp()",
        'open("/tmp/result.txt")',
    ),
    calls={**on("tempfile.mktemp os.tempnam os.tmpnam mktemp", always), **on("open io.open", _open)},
)
