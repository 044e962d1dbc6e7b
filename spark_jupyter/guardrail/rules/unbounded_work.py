"""Work of a size that the request decides."""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.rules._numbers import is_chosen
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Fact, Trust


def _sleep(call: Call, state: State) -> Hit | None:
    seconds = call.argument(0, "seconds", "secs")
    flows = state.certain(seconds, Danger.DATA, Trust.REMOTE)
    return Hit(call.node, flows=flows) if flows or seconds.fact is Fact.NUMBER_OF_A_REQUEST else None


def _sized(call: Call, state: State) -> Hit | None:
    """``range(n)``, ``bytes(n)``, ``numpy.zeros(n)``."""
    return Hit(call.node) if state.handler and any(is_chosen(arg, state) for arg in call.node.args) else None


def _unpacked(call: Call, state: State) -> Hit | None:
    """``gzip.decompress(request.data)``: a thousand times as much as came."""
    flows = state.certain(call.argument(0, "data"), Danger.DATA, Trust.REMOTE)
    if not flows or len(call.args) > 1 or "max_length" in call.kwargs:
        return None
    return Hit(call.node, cwe=409, flows=flows, message=_GROWS, remedy=_BOUNDED)


def _shaped(call: Call, state: State) -> Hit | None:
    """``numpy.random.normal(size=(n, n))``, ``secrets.token_bytes(n)``."""
    sizes = [*call.node.args, *[word.value for word in call.node.keywords if word.arg in ("size", "shape", "nbytes")]]
    parts = [part for size in sizes for part in (size.elts if isinstance(size, ast.Tuple | ast.List) else [size])]
    return Hit(call.node, cwe=770) if state.handler and any(is_chosen(part, state) for part in parts) else None


def _repeated(node: ast.BinOp, state: State) -> Hit | None:
    """``[0] * n``, ``"x" * n``."""
    if not isinstance(node.op, ast.Mult) or not state.handler:
        return None
    is_sequence = isinstance(node.left, ast.List) or (
        isinstance(node.left, ast.Constant) and isinstance(node.left.value, str | bytes)
    )
    return Hit(node, cwe=770) if is_sequence and is_chosen(node.right, state) else None


_SIZED: Final = "range bytes bytearray"
_SHAPED: Final = (
    "numpy.zeros numpy.ones numpy.empty numpy.arange numpy.full numpy.linspace numpy.eye numpy.identity numpy.random.rand "
    "numpy.random.randn numpy.random.normal numpy.random.uniform numpy.random.random numpy.random.randint torch.zeros torch.ones "
    "torch.rand torch.randn os.urandom secrets.token_bytes secrets.token_hex PIL.Image.new"
)
_GROWS: Final = "Whoever sends this decides how large it becomes: a thousand times as much as came, in memory."
_BOUNDED: Final = "Set a limit: gzip.GzipFile(fileobj=…).read(LIMIT + 1), and refuse what is longer."

RULE: Final = Rule(
    id="unbounded-work",
    cwe=400,
    severity="warn",
    message="Whoever sends the request decides how long this takes.",
    remedy="Set a limit: min(n, 1000).",
    bad=(
        'import time\ntime.sleep(request.args["t"])',
        'import time\ntime.sleep(float(request.args["t"]))',
        '@app.route("/")\ndef index():\n    for i in range(int(request.args["n"])):\n        work()',
    ),
    good=(
        'import gzip\ngzip.decompress(open("a.gz", "rb").read())',
        'import numpy as np\n@app.get("/")\ndef noise(n: int = Query(10, le=500)):\n    return np.random.normal(size=(n, n)).mean()',
        "import numpy as np\ndef noise(n: int):\n    return np.random.normal(size=(n, n)).mean()",
    ),
    calls={
        **on("time.sleep asyncio.sleep", _sleep),
        **on(_SIZED, _sized),
        **on(_SHAPED, _shaped),
        **on("gzip.decompress zlib.decompress bz2.decompress lzma.decompress", _unpacked),
    },
    division=_repeated,
)
