"""Archive extraction that can write outside its folder.

Whoever made an archive decides where its files land: a name such as ``../../.bashrc`` leaves the folder.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust


def _extract(call: Call, state: State) -> Hit | None:
    name = call.receiver.name
    if "tar" not in name.lower() and "zip" not in name.lower() and "archive" not in name.lower():
        return None
    if "tar" in name.lower() and "zip" not in name.lower():
        checked = bool(call.receiver.flows) and not state.dangerous(call.receiver, Danger.PATH, Trust.FILE)
        guarded = checked or _filtered(call) or call.given(-1, "members")
        if guarded:
            return None
        return Hit(call.node, severity="block" if state.certain(call.receiver, Danger.PATH, Trust.NETWORK) else "warn")
    flows = state.certain(call.receiver, Danger.PATH, Trust.NETWORK)
    return Hit(call.node, severity="warn") if flows else None


def _filtered(call: Call) -> bool:
    """True if a filter is given that refuses anything; ``fully_trusted`` does not."""
    return call.given(-1, "filter") and call.argument(-1, "filter").const != "fully_trusted"


def _unpack(call: Call, state: State) -> Hit | None:
    if _filtered(call):
        return None
    name = call.argument(0, "filename").known_text or ""
    return None if name.endswith(".zip") else Hit(call.node, severity="warn")


RULE: Final = Rule(
    id="archive-extraction",
    cwe=22,
    severity="warn",
    message="An archive can hold names such as ../../.bashrc: unpacked without a filter, it writes outside the folder.",
    remedy='Give a filter: tar.extractall(folder, filter="data").',
    bad=(
        'import tarfile\ntarfile.open("a.tar").extractall("out")',
        'import tarfile\nwith tarfile.open(name) as tar:\n    for member in tar:\n        tar.extract(member, "out")',
        "import shutil\nshutil.unpack_archive(name)",
    ),
    good=(
        'import tarfile\ntarfile.open("a.tar").extractall("out", filter="data")',
        'import zipfile\nzipfile.ZipFile("a.zip").extractall("out")',
        "df.a.str.extract(r'(x)')",
    ),
    calls=on("shutil.unpack_archive", _unpack),
    methods=on("extractall extract", _extract),
)
