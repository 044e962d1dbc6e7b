"""Bounded samples of lazy frames for a Try."""

from __future__ import annotations

import keyword
import re
import types
from collections.abc import Collection, Mapping

from spark_jupyter.frames.frame_kinds import kind_of
from spark_jupyter.sandbox.copy import clusters
from spark_jupyter.sandbox.copy.bytecode_names import names_in

_NAME = re.compile(r"[^\W\d]\w*")


def sampled_names(source: str, namespace: Mapping[str, object]) -> list[str]:
    """The names of the kernel's lazy frames that a source, its queries and the functions that it names use, where their first rows cost
    little. Those on a cluster are left out: a copy can't reach it."""
    used = _used(source, namespace)
    return [
        name
        for name, value in namespace.items()
        if name in used
        and not keyword.iskeyword(name)
        and (kind := kind_of(type(value))) is not None
        and kind.first
        and not clusters.used_by([name], namespace)
    ]


def _used(source: str, namespace: Mapping[str, object]) -> set[str]:
    """All names that stand in a source, and in the user's functions that it may call."""
    used: set[str] = set()
    more = set(_NAME.findall(source))
    while more:
        used |= more
        functions = (value for name in more if type(value := namespace.get(name)) is types.FunctionType)
        more = {name for one in functions if one.__globals__ is namespace for name in names_in(one.__code__)} - used
    return used


def sampling_source(names: Collection[str], namespace: Mapping[str, object], rows: int) -> str:
    """Code that puts the first rows of each frame in its place."""
    kinds = {name: kind_of(type(namespace[name])) for name in names}
    return "\n".join(f"{name} = {kind.first.format(frame=name, rows=rows)}" for name, kind in kinds.items() if kind)
