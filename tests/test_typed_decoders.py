"""Decoders that several threads build at once: msgspec alone ends the process there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import spark_jupyter

ROOT = Path(spark_jupyter.__file__).parent
BUILDERS = {"Decoder", "decode", "convert"}

AT_ONCE = """
import os, sys, threading
from typing import Any
import msgspec
from spark_jupyter.typed_decoders import convert, decode_json, json_decoder, msgpack_decoder

sys.setswitchinterval(1e-6)
fields = "".join(f"    f{n}: 'list[int] | None' = None\\n" for n in range(30))
source = f"class Inner(msgspec.Struct):\\n{fields}\\nclass Outer(msgspec.Struct):\\n{fields}    inner: 'Inner | None' = None\\n"
value = {"f29": [1], "inner": {"f29": [2]}}
text, packed = msgspec.json.encode(value), msgspec.msgpack.encode(value)
ways = [
    lambda kind: decode_json(text, kind),
    lambda kind: json_decoder(kind).decode(text),
    lambda kind: msgpack_decoder(kind).decode(packed),
    lambda kind: convert(value, kind),
]
for _ in range(150):
    exec(source)
    start, answers = threading.Barrier(len(ways)), []
    def build(way, kind=Outer):
        start.wait()
        answers.append(way(kind).inner.f29)
    threads = [threading.Thread(target=build, args=[way]) for way in ways]
    [thread.start() for thread in threads]
    child = os.fork()
    if child == 0:  # whatever the other threads were at, the copy can build
        class Later(msgspec.Struct):
            a: int
        os._exit(decode_json(b'{"a": 7}', Later).a)
    [thread.join() for thread in threads]
    assert answers == [[2]] * len(ways), answers
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


def test_threads_that_build_decoders_at_once_and_forks_beside_them_do_no_harm():
    done = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")


def test_nothing_else_in_the_package_builds_a_typed_decoder():
    elsewhere = []
    for path in ROOT.rglob("*.py"):
        if path.name == "typed_decoders.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BUILDERS):
                continue
            whole = ast.unparse(node.func)
            is_typed = any(keyword.arg == "type" for keyword in node.keywords) or whole == "msgspec.convert"
            if whole.startswith("msgspec.") and (is_typed or (whole.endswith(".Decoder") and node.args)):
                elsewhere.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not elsewhere
