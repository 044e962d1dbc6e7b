"""Data formats that can carry code.

Whoever wrote the data runs it.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Return, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Fact, Trust, Value, words

_LOADS: Final = (
    "pickle.loads pickle.load pickle.Unpickler pickle.Unpickler().load dill.loads dill.load marshal.loads "
    "marshal.load jsonpickle.decode jsonpickle.loads "
    "jsonpickle.unpickler.decode joblib.load sklearn.externals.joblib.load hickle.load shelve.open "
    "shelve.DbfilenameShelf pandas.read_pickle cloudpickle.loads cloudpickle.load "
    "torch.load numpy.load numpy.lib.npyio.load rpyc.connect yaml.load yaml.load_all yaml.unsafe_load "
    "yaml.full_load yaml.unsafe_load_all yaml.full_load_all yaml.Loader "
    "ruamel.yaml.load ruamel.yaml.load_all skops.io.load keras.models.load_model tensorflow.keras.models.load_model"
)
_SAFE_LOADERS: Final = ("SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader", "safe_load")
_MODEL_FILES: Final = words(
    "joblib.load torch.load pandas.read_pickle numpy.load keras.models.load_model tensorflow.keras.models.load_model "
    "hickle.load skops.io.load"
)


def _check(call: Call, state: State) -> Hit | None:
    name = call.name
    if "yaml" in name:
        return _yaml(call, state)
    if name in ("numpy.load", "numpy.lib.npyio.load"):
        return Hit(call.node, severity="warn") if call.kwargs.get("allow_pickle", Value()).const is True else None
    if name == "torch.load" and call.kwargs.get("weights_only", Value()).const is True:
        return None
    if name.endswith("load_model") and call.kwargs.get("safe_mode", Value()).const is not False:
        return None
    data = call.argument(0, "file", "filename", "filepath_or_buffer", "f", "data", "s")
    if data.fact is Fact.OWN_FILE or (data.known_text is not None and state.has_written(data.known_text)):
        return None
    if data.name.endswith(("dumps()", "dump()")):
        if call.node.args and isinstance(call.node.args[0], ast.Call):  # a deep copy: nobody can change it on the way
            return None
        return Hit(
            call.node,
            severity="warn",
            message="Data that goes through pickle can carry code; this is safe only while nobody else can change it.",
        )
    if state.certain(data, Danger.DATA, Trust.LOCAL):
        return Hit(call.node, severity="block")
    if name == "joblib.load" and _own_path(data):
        return Hit(call.node, severity="hint")
    if name in _MODEL_FILES and data.known_text is not None and "://" not in (data.known_text or ""):
        return None if name == "pandas.read_pickle" else Hit(call.node, severity="warn")
    return Hit(call.node, severity="warn")


def _own_path(data: Value) -> bool:
    """True for a model path that the program itself names: in a table, below its own folder."""
    below = not data.flows and data.name.startswith("pathlib.Path()")
    return below or (data.safe and not data.flows and not data.is_constant)


def _dumped(call: Call, state: State) -> Hit | None:
    """``joblib.dump(model, "m.joblib")``: what is loaded from there later is the program's own."""
    path = call.argument(1, "filename", "f").known_text
    if path is not None:
        state.wrote(path)
    return None


def _yaml(call: Call, state: State) -> Hit | None:
    loader = call.argument(1, "Loader")
    if loader.name.endswith(_SAFE_LOADERS) or "Safe" in loader.name:
        return None
    if call.tail in ("load", "load_all") and call.name.startswith("ruamel") and not call.given(1, "Loader"):
        return Hit(call.node, severity="warn")
    if loader.name.endswith("FullLoader") or call.tail.startswith("full_load"):
        return Hit(call.node, severity="warn")
    data = call.argument(0, "stream")
    return Hit(
        call.node,
        severity="block" if state.certain(data, Danger.DATA, Trust.FILE) or not call.given(1, "Loader") else "warn",
    )


def _dangerous(call: Call, state: State) -> Hit | None:
    """LangChain: ``FAISS.load_local(folder, embeddings, allow_dangerous_deserialization=True)``."""
    allowed = call.kwargs.get("allow_dangerous_deserialization")
    return Hit(call.node, severity="warn") if allowed is not None and allowed.const is True else None


def _round_trip(call: Call, state: State) -> Hit | None:
    """ruamel.yaml's ``YAML(typ="unsafe")``; without a type it is the round trip, which makes no objects."""
    kinds = call.argument(-1, "typ")
    kinds = kinds.items[0] if isinstance(kinds.items, list) and kinds.items else kinds
    return Hit(call.node, severity="warn") if kinds.const in ("unsafe", "base-unsafe") else None


_RUNS: Final = words("os.system exec eval os.popen subprocess.Popen subprocess.call subprocess.run")


def _reduce(event: Return, state: State) -> Hit | None:
    """A ``__reduce__`` that gives a command: data made to run code where it is loaded."""
    items = event.value.items
    if state.scope.name not in ("__reduce__", "__reduce_ex__") or not isinstance(items, list) or not items:
        return None
    if items[0].name in _RUNS:
        return Hit(event.node, message="Loading this object runs a command on the computer of whoever loads it.")
    return None


RULE: Final = Rule(
    id="unsafe-deserialisation",
    cwe=502,
    severity="block",
    local=True,
    message="Loading this format can run code that is hidden in the data.",
    remedy="Use a format without code: JSON, CSV, Parquet, safetensors; yaml.safe_load; torch.load(..., weights_only=True).",
    bad=(
        "import pickle\npickle.loads(request.data)",
        "import pickle as pk\nwith open(input(), 'rb') as f:\n    pk.load(f)",
        "import yaml\nyaml.load(open('a.yml'))",
    ),
    good=(
        "import json\njson.loads(request.data)",
        "import yaml\nyaml.safe_load(open('a.yml'))",
        "import yaml\nyaml.load(text, Loader=yaml.SafeLoader)",
    ),
    calls={**on(_LOADS, _check), **on("joblib.dump torch.save", _dumped), "ruamel.yaml.YAML": _round_trip},
    methods=on("*", _dangerous),
    returned=_reduce,
)
