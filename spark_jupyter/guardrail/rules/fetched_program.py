"""Programs that are downloaded and run unchecked.

Whoever can change them on the way, or where they lie, runs what they like here.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Compare, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import SAFE, Trust, Value, words

_OPENED: Final = "\0opened"
_FETCHED: Final = "\0fetched:"
_COMPARED: Final = "\0compared"
"""Variables that no code can name: the file that was opened last to be written, as the code writes its path; each into which something of
the network went; that the digest of something was compared."""


def _opened(call: Call, state: State) -> Hit | None:
    if call.node.args and set(call.argument(1, "mode").known_text or "") & set("wx"):
        state.store(_OPENED, Value(ast.unparse(call.node.args[0])))
    return None


def _written(call: Call, state: State) -> Hit | None:
    """``file.write(answer.content)``, ``path.write_bytes(answer.content)``."""
    if not any(origin.trust == Trust.NETWORK for origin, _ in call.argument(0, "data").flows):
        return None
    function, opened = call.node.func, state.lookup(_OPENED)
    if call.tail == "write_bytes" and isinstance(function, ast.Attribute):
        state.store(_FETCHED + ast.unparse(function.value), SAFE)
    elif opened is not None:
        state.store(_FETCHED + opened.name, SAFE)
    return None


def _retrieved(call: Call, state: State) -> Hit | None:
    if len(call.node.args) > 1:
        state.store(_FETCHED + ast.unparse(call.node.args[1]), SAFE)
    return None


def _compared(event: Compare, state: State) -> Hit | None:
    if any(side.name.endswith(("digest()", "checksum()")) for side in (event.left, event.right)):
        _note(state)
    return None


def _note(state: State) -> None:
    state.module.variables[_COMPARED] = SAFE  # wherever it is done: often in a helper


def _checked(call: Call, state: State) -> Hit | None:
    """Note a digest that ``hmac.compare_digest`` compares, or a signature that is verified."""
    _note(state)
    return None


def _run(call: Call, state: State) -> Hit | None:
    if _program(call.argument(0)) in _CHECKERS:
        _note(state)
    if not call.node.args or state.lookup(_COMPARED) is not None:
        return None
    given = call.node.args[0]
    parts = given.elts[:2] if isinstance(given, ast.List | ast.Tuple) else [given]
    if _program(call.argument(0)) not in _INTERPRETERS:
        parts = parts[:1]
    runs = any(state.lookup(_FETCHED + _path(part)) is not None for part in parts)
    return Hit(call.node) if runs else None


def _program(command: Value) -> str:
    first = command.items[0] if isinstance(command.items, list) and command.items else command
    return (first.known_text or first.name).rpartition("/")[2]


_CHECKERS: Final = words("sha256sum sha512sum shasum gpg cosign minisign")
_INTERPRETERS: Final = words("sh bash zsh python python3 perl node sudo sys.executable")


def _path(node: ast.expr) -> str:
    """``str(path)`` is ``path``."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("str", "os.fspath") and len(node.args) == 1:
        node = node.args[0]
    return ast.unparse(node)


RULE: Final = Rule(
    id="fetched-program",
    cwe=494,
    severity="warn",
    message="This program was fetched from the network and runs without anything having been compared: it may be another one.",
    remedy="Compare its SHA-256 with the one that its makers published, then run it.",
    bad=(
        (
            'import requests, subprocess\ndata = requests.get(URL, timeout=9).content\nwith open("tool", "wb") as f:\n    f.write(data)\n'
            'subprocess.run(["tool", "--init"])'
        ),
        (
            'import requests, subprocess\npath = Path("u.sh")\npath.write_bytes(requests.get(URL, timeout=9).content)\n'
            'subprocess.run(["/bin/sh", str(path)])'
        ),
        'import os, urllib.request\nurllib.request.urlretrieve(URL, "setup.exe")\nos.startfile("setup.exe")',
    ),
    good=(
        (
            "import hashlib, requests, subprocess\ndata = requests.get(URL, timeout=9).content\n"
            'if hashlib.sha256(data).hexdigest() != SHA256:\n    raise ValueError\nwith open("tool", "wb") as f:\n    f.write(data)\n'
            'subprocess.run(["tool", "--init"])'
        ),
        (
            "import requests, subprocess\ndef same(data):\n    return hashlib.sha256(data).hexdigest() == SHA256\n"
            'path = Path("u.sh")\npath.write_bytes(requests.get(URL, timeout=9).content)\nsubprocess.run(["/bin/sh", str(path)])'
        ),
        (
            'import requests, subprocess\nwith open("a.zip", "wb") as f:\n    f.write(requests.get(URL, timeout=9).content)\n'
            'subprocess.run(["unzip", "a.zip"])'
        ),
    ),
    calls={
        "open": _opened,
        "urllib.request.urlretrieve": _retrieved,
        "hmac.compare_digest": _checked,
        **on(
            "os.startfile os.execv os.execl subprocess.run subprocess.call subprocess.check_call subprocess.Popen", _run
        ),
        "subprocess.check_output": _run,
    },
    methods={**on("write write_bytes", _written), **on("verify verify_signature", _checked)},
    compare=_compared,
)
