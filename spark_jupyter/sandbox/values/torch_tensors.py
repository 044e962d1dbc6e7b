"""Access to torch's tensors and modules for snapshots.

torch is touched only where it is loaded, and only its own code runs.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any


def is_tensor(value: object) -> bool:
    """True for a tensor or a parameter of torch."""
    kind = getattr(sys.modules.get("torch"), "Tensor", None)
    return isinstance(kind, type) and isinstance(value, kind)


def is_module(value: object) -> bool:
    """True for a torch module: a layer, or a model of several."""
    torch = sys.modules.get("torch")
    module = getattr(getattr(torch, "nn", None), "Module", None)
    return isinstance(module, type) and isinstance(value, module)


def as_array(value: Any) -> Any:
    """A tensor's memory as numpy's array, which shares it; None where numpy can't have it (on a GPU, sparse, bfloat16)."""
    if sys.modules.get("numpy") is None or value.device.type != "cpu":
        return None
    try:
        return value.detach().resolve_conj().resolve_neg().numpy()
    except (TypeError, RuntimeError):
        return None


def tensors_of(model: Any) -> Iterator[object]:
    """The parameters and buffers of a module and of those inside it, read from where torch keeps them."""
    waiting, seen = [model], {id(model)}
    while waiting:
        parts = object.__getattribute__(waiting.pop(), "__dict__")
        for held in ("_parameters", "_buffers"):
            yield from parts.get(held, {}).values()
        for inner in parts.get("_modules", {}).values():
            if is_module(inner) and id(inner) not in seen:
                seen.add(id(inner))
                waiting.append(inner)
