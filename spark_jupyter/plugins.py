"""Plug-ins of other installed packages, found by their entry points.

Each group is loaded when it is first needed, once in a process. A plug-in that can't be used is left out and named: stderr says it once,
and ``doctor`` and ``%spark status`` list it. Packages in the working folder are not looked at: a folder with a notebook would run its code.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Collection
from typing import Any, Literal, TypeVar

from msgspec import Struct

Group = Literal["dialects", "profiles", "rules", "surprises", "engines", "commands"]
GROUPS: tuple[Group, ...] = ("dialects", "profiles", "rules", "surprises", "engines", "commands")
Found = TypeVar("Found")
_PREFIX = "spark_jupyter."
_faults: dict[tuple[str, str], PluginFault] = {}


class SlashCommand(Struct, frozen=True, kw_only=True):
    """A plug-in's ``/name``: ``instructions`` that go along with the prompt behind it, as those of a skill do."""

    description: str
    instructions: str


class PluginFault(Struct, frozen=True, kw_only=True):
    """A plug-in that is left out, or one whose code has failed, with the reason."""

    group: str
    name: str
    package: str
    reason: str

    def __str__(self) -> str:
        return f"The plug-in {self.name} of {self.package} ({_PREFIX}{self.group}) was left out: {self.reason}"


def load_plugins(
    group: Group, accept: Callable[[str, Any], Found], *, taken: Collection[str] = ()
) -> dict[str, tuple[str, Found]]:
    """The plug-ins of a group by name, each with the package that it comes from.

    Args:
        accept: makes the usable object from a name and the object behind its entry point; raises TypeError or ValueError where it can't.
        taken: names that this package has itself. A plug-in can't take their place.
    """
    found: dict[str, tuple[str, Found]] = {}
    for name, package, entry_point in _entry_points().get(group, ()):
        try:
            if name in taken or name in found:
                raise ValueError("there is one of that name already")
            found[name] = package, accept(name, entry_point.load())
        except (Exception, SystemExit) as error:  # whatever another package's code does, Spark goes on without it
            report_fault(group, name, package, error)
    return found


def report_fault(group: Group, name: str, package: str, error: BaseException) -> None:
    """Say once on stderr that a plug-in failed, and remember it."""
    from spark_jupyter.source.invisible_text import printable
    from spark_jupyter.standard_error import tell

    reason = printable(" ".join(f"{type(error).__name__}: {error}".split()))[:300]
    fault = PluginFault(group=group, name=printable(name), package=printable(package), reason=reason)
    if _faults.setdefault((group, name), fault) is fault:
        tell(fault)


def plugin_faults() -> tuple[PluginFault, ...]:
    """The plug-ins that were left out so far."""
    return tuple(_faults.values())


def installed_plugins() -> tuple[str, ...]:
    """The plug-ins that are installed: package, group and name."""
    found = _entry_points()
    return tuple(f"{package}: {group}.{name}" for group in GROUPS for name, package, _ in found.get(group, ()))


@functools.cache
def _entry_points() -> dict[str, list[tuple[str, str, Any]]]:
    from importlib.metadata import distributions

    found: dict[str, list[tuple[str, str, Any]]] = {}
    here = os.path.realpath(os.getcwd())
    seen: set[str] = set()
    for distribution in distributions(path=[path for path in sys.path if path and os.path.realpath(path) != here]):
        text = distribution.read_text("entry_points.txt") or ""
        package = str(distribution.metadata["Name"]) if f"[{_PREFIX}" in text else ""
        if not package or package in seen:
            continue
        seen.add(package)
        for entry_point in distribution.entry_points:
            if entry_point.group.startswith(_PREFIX):
                group = entry_point.group.removeprefix(_PREFIX)
                found.setdefault(group, []).append((entry_point.name, package, entry_point))
    return {group: sorted(entries, key=lambda entry: entry[:2]) for group, entries in found.items()}
