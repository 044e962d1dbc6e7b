"""Programs that are downloaded and run unchecked.

Whoever can change them on the way, or where they lie, runs what they like here.
"""

from __future__ import annotations

import ast
from itertools import pairwise
from typing import Final

from spark_jupyter.guardrail.rule import Call, Command, Compare, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import SAFE, Trust, Value, words

_OPENED: Final = "\0opened"
_FETCHED: Final = "\0fetched:"
_COMPARED: Final = "\0compared"
"""Variables that no code can name: the file that was opened last to be written, as the code writes its path; each into which something of
the network went; that the digest of something was compared."""


def _opened(call: Call, state: State) -> Hit | None:
    if call.node.args and set(call.argument(1, "mode").known_text or "") & set("wx"):
        state.store(_OPENED, Value(_path(call.node.args[0], call.args[0])))
    return None


def _written(call: Call, state: State) -> Hit | None:
    """``file.write(answer.content)``, ``path.write_bytes(answer.content)``."""
    if not any(origin.trust == Trust.NETWORK for origin, _ in call.argument(0, "data").flows):
        return None
    function, opened = call.node.func, state.lookup(_OPENED)
    if call.tail in ("write_bytes", "write_text") and isinstance(function, ast.Attribute):
        state.store(_FETCHED + _path(function.value, call.receiver), SAFE)
    elif opened is not None:
        state.store(_FETCHED + opened.name, SAFE)
    return None


def _retrieved(call: Call, state: State) -> Hit | None:
    if len(call.node.args) > 1:
        state.store(_FETCHED + _path(call.node.args[1], call.args[1]), SAFE)
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
    if not call.node.args:
        return None
    given, value = call.node.args[0], call.args[0]
    parts = given.elts[:2] if isinstance(given, ast.List | ast.Tuple) else [given]
    if _program(value) not in _INTERPRETERS:
        parts = parts[:1]
    items = value.items if isinstance(value.items, list) else [value]
    runs = any(_is_fetched(_path(part, item), state) for part, item in zip(parts, items, strict=False))
    return Hit(call.node) if runs or _names_fetched(value.command, state) else None


def _is_fetched(path: str, state: State) -> bool:
    return state.lookup(_FETCHED + path.removeprefix("./")) is not None and state.lookup(_COMPARED) is None


def _command(event: Command, state: State) -> Hit | None:
    """``!bash setup.sh``, ``%run setup.py``; ``!wget https://a.org/setup.sh`` is noted."""
    if _names_fetched(event.text, state):
        return Hit(event.node)
    program, *given = event.text.split()[:20] or [""]
    if program in ("curl", "wget"):
        named = [word for option, word in pairwise(given) if option in _NAMED]
        for path in named or [word.rstrip("\"'").rpartition("/")[2] for word in given if "://" in word]:
            state.store(_FETCHED + path.removeprefix("./"), SAFE)
    return None


_NAMED: Final = words("-o -O --output --output-document -sLo -Lo -so -fsSLo -LO -qO")


def _names_fetched(command: str, state: State) -> bool:
    program, *given = command.split()[:9] or [""]
    script = next((word for word in given if not word.startswith("-")), "") if program in _INTERPRETERS else program
    return _is_fetched(script.strip("\"'"), state)


def _imported(node: ast.stmt, state: State) -> Hit | None:
    """A module that was fetched runs when it is imported; many courses hand out their helpers so."""
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return Hit(node, severity="hint") if any(_is_fetched(f"{name}.py", state) for name in names) else None


def _module(call: Call, state: State) -> Hit | None:
    return Hit(call.node) if _is_fetched(f"{call.argument(0, 'name').known_text}.py", state) else None


def _program(command: Value) -> str:
    first = command.items[0] if isinstance(command.items, list) and command.items else command
    return (first.known_text or first.name).rpartition("/")[2]


_CHECKERS: Final = words("sha256sum sha512sum shasum gpg cosign minisign")
_INTERPRETERS: Final = words("sh bash zsh source . python python3 perl node sudo %run sys.executable")


def _path(node: ast.expr, value: Value) -> str:
    """The path, where it is known, or as it is written: ``str(path)`` is ``path``, and so is ``Path(path)``."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and ast.unparse(node.func).rpartition(".")[2] in _SAME:
        node = node.args[0]
    text = value.known_text or (node.value if isinstance(node, ast.Constant) else None)
    return text.removeprefix("./") if isinstance(text, str) else ast.unparse(node)


_SAME: Final = words("str fspath Path PurePath")


RULE: Final = Rule(
    id="fetched-program",
    cwe=494,
    severity="warn",
    message="This program was fetched from the network and runs without a check of its hash: it may have been replaced.",
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
        **on(
            "subprocess.check_output subprocess.getoutput os.system os.popen runpy.run_path get_ipython().system", _run
        ),
        **on("runpy.run_module importlib.import_module __import__", _module),
    },
    methods={**on("write write_bytes write_text", _written), **on("verify verify_signature", _checked)},
    compare=_compared,
    command=_command,
    statement=_imported,
)
