"""Effects of a cell on variables: snapshots before and after, compared.

``before = snapshot_all(namespace, keep=True)``, the code runs, ``compare(before, snapshot_all(namespace))``.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from spark_jupyter.protocol.values import Effect
from spark_jupyter.sandbox.copy.bytecode_names import names_in
from spark_jupyter.sandbox.values.snapshot import Snapshot, Snapshotter, words

_SHOWN = 3
"""So many differences are shown as a sample."""
_COLUMNS = 12
"""So many columns are named."""
_OURS = re.compile(r"^(In|Out|exit|quit|open|get_ipython|_+|_i+|_i?\d+|_dh|_ih|_oh|_exit_code|__\w+__)$")


def snapshot_all(
    namespace: Mapping[str, object], *, hidden: Collection[str] = (), keep: bool = False
) -> dict[str, Snapshot]:
    """A snapshot of every name of the user's. ``keep`` keeps what is small, so that later a difference can be shown."""
    snapshotter = Snapshotter(keep=keep, namespace=namespace)
    names = [name for name in namespace if isinstance(name, str) and name not in hidden and not _OURS.match(name)]
    return {name: snapshotter.snapshot(namespace[name]) for name in names}


def is_of_the_user(name: str) -> bool:
    """True for a name of the user, not of IPython."""
    return not _OURS.match(name)


def compare(
    before: Mapping[str, Snapshot], after: Mapping[str, Snapshot], *, written: Collection[str] = ()
) -> list[Effect]:
    """New, changed and deleted variables, in this order. ``written`` names large values into whose memory something was written."""
    effects = [
        Effect(
            kind="variable",
            action="new",
            name=name,
            after=snapshot.words,
            detail=_columns_text(snapshot, before.values()),
        )
        for name, snapshot in after.items()
        if name not in before
    ]
    for name in before.keys() & after.keys():
        if effect := _changed(name, before[name], after[name], name in written):
            effects.append(effect)
    order = {name: place for place, name in enumerate(after)}
    effects.sort(key=lambda effect: (effect.action != "new", order[effect.name]))
    return effects + [
        Effect(kind="variable", action="deleted", name=name, before=snapshot.words)
        for name, snapshot in before.items()
        if name not in after
    ]


def used_packages(before: Collection[str], after: Iterable[str], wanted: Collection[str]) -> list[Effect]:
    """The packages among ``wanted`` that were loaded: top-level modules outside the standard library."""
    if not wanted:
        return []
    tops = {name.partition(".")[0] for name in after} - {name.partition(".")[0] for name in before}
    named = sorted(top for top in tops & set(wanted) if top not in sys.stdlib_module_names)
    return [Effect(kind="package", action="used", name=name) for name in named]


def names_touched(code: types.CodeType, namespace: Mapping[str, object]) -> set[str]:
    """The names that the code, and the user's functions, can reach: whose large values are worth a closer look."""
    touched = names_in(code)
    for value in namespace.values():
        if type(value) is types.FunctionType and value.__globals__ is namespace:
            touched |= names_in(value.__code__)
    return touched


def _changed(name: str, before: Snapshot, after: Snapshot, written: bool) -> Effect | None:
    same = before.identity == after.identity
    if before.mark == after.mark and before.kind == after.kind and not (same and written):
        return None
    details = [part for part in (_table_difference(before, after), _sample(before, after)) if part]
    if same and before.kind not in ("int", "float", "str"):
        details.insert(0, "in place")
    return Effect(
        kind="variable",
        action="changed",
        name=name,
        before=before.words,
        after=after.words,
        detail="; ".join(details),
    )


def _columns_text(snapshot: Snapshot, others: Iterable[Snapshot]) -> str:
    """The columns of a new table: those that no table before had come first."""
    known = {name for other in others for name in other.columns}
    names = sorted(snapshot.columns, key=lambda name: name in known) if known else list(snapshot.columns)
    return _some([f"{name} {snapshot.columns[name][0]}" for name in names])


def _some(columns: list[str]) -> str:
    """The first columns, and how many more there are."""
    more = len(columns) - _COLUMNS
    return ", ".join(columns) if more <= 1 else f"{', '.join(columns[:_COLUMNS])} and {more} more"


def _table_difference(before: Snapshot, after: Snapshot) -> str:
    old, new = before.columns, after.columns
    if not (old or new) or any(one.rows < 0 and not one.columns for one in (before, after)):
        return ""
    counted = before.rows >= 0 and after.rows >= 0  # a lazy frame's rows are not
    parts = [f"rows {before.rows} → {after.rows}"] if counted and before.rows != after.rows else []
    if added := [f"{name} {new[name][0]}" for name in new if name not in old]:
        parts.append("new columns: " + _some(added))
    if gone := [name for name in old if name not in new]:
        parts.append("columns gone: " + _some(gone))
    both = [name for name in old if name in new]
    if retyped := [f"{name} {old[name][0]} → {new[name][0]}" for name in both if old[name][0] != new[name][0]]:
        parts.append("types: " + _some(retyped))
    if before.rows == after.rows:
        changed = [name for name in both if old[name][1] != new[name][1] and old[name][0] == new[name][0]]
        if changed:
            parts.append("values in: " + _some(changed))
    return "; ".join(parts)


# --- a sample of the difference ------------------------------------------------------------------------------------


def _sample(before: Snapshot, after: Snapshot) -> str:
    old, new = before.kept, after.kept
    if old is None or new is None or before.kind != after.kind:
        return ""
    if before.rows >= 0:
        return _table_sample(old, new)
    if before.kind == "module":
        names = [name for name in {**old, **new} if old.get(name, _sample) is not new.get(name, _sample)]
        return ", ".join(f".{name}" for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
    if isinstance(old, dict):
        return _listed(_dict_differences(old, new), len(old), len(new))
    if isinstance(old, (list, tuple)):
        return _listed(
            (f"[{place}]: {_short(a)} → {_short(b)}" for place, (a, b) in enumerate(zip(old, new, strict=False)) if not _same(a, b)),
            len(old), len(new),
        )  # fmt: skip
    if isinstance(old, set):
        added = (
            [f"+{_short(one)}" for one in new if not any(_same(one, other) for other in old)] if len(new) < 200 else []
        )
        gone = (
            [f"−{_short(one)}" for one in old if not any(_same(one, other) for other in new)] if len(old) < 200 else []
        )
        return ", ".join([*added[:_SHOWN], *gone[:_SHOWN]])
    if type(old).__name__ == "ndarray":
        return _array_sample(old, new)
    return ""


def _listed(differences: Iterable[str], old: int, new: int) -> str:
    shown: list[str] = []
    for difference in differences:
        if len(shown) == _SHOWN:
            shown.append("…")
            break
        shown.append(difference)
    if old != new:
        shown.insert(0, f"length {old} → {new}")
    return ", ".join(shown)


def _dict_differences(old: dict[Any, Any], new: dict[Any, Any]) -> Iterable[str]:
    simple = (str, int, float, bool, tuple)
    for key, value in new.items():
        if type(key) not in simple:
            continue
        if key not in old:
            yield f"+[{_short(key)}]: {_short(value)}"
        elif not _same(old[key], value):
            yield f"[{_short(key)}]: {_short(old[key])} → {_short(value)}"
    for key in old:
        if type(key) in simple and key not in new:
            yield f"−[{_short(key)}]"


def _array_sample(old: Any, new: Any) -> str:
    if old.shape != new.shape or not old.ndim:
        return ""
    different = (old != new) & ~((old != old) & (new != new))  # only NaN is not itself
    places = different.nonzero()
    count = len(places[0])
    shown = []
    for at in zip(*(one[:_SHOWN].tolist() for one in places), strict=True):
        shown.append(f"[{', '.join(map(str, at))}]: {_number(old[at])} → {_number(new[at])}")
    return ", ".join(shown) + (f" … ({count} values)" if count > _SHOWN else "")


def _table_sample(old: Any, new: Any) -> str:
    """The first values that differ in columns and rows that both have."""
    if len(old) != len(new):
        return ""
    shown: list[str] = []
    pairs = [("", old, new)] if old.ndim == 1 else [
        (str(name), old[name], new[name]) for name in old.columns if name in new.columns
    ]  # fmt: skip
    for name, before, after in pairs:
        if getattr(before, "ndim", 1) != 1 or getattr(after, "ndim", 1) != 1:
            continue  # several columns of one name
        for place, (a, b) in enumerate(zip(before.tolist()[:5_000], after.tolist()[:5_000], strict=True)):
            if not _same(a, b):
                shown.append(f"{f'{name}, ' if name else ''}row {place}: {_short(a)} → {_short(b)}")
                if len(shown) == _SHOWN:
                    return ", ".join([*shown, "…"])
    return ", ".join(shown)


def _same(one: object, other: object) -> bool:
    """True if two values are the same, without calling the user's classes."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    return Snapshotter().mark(one) == Snapshotter().mark(other)


def _number(value: Any) -> str:
    return str(value)[:40]


def _short(value: object) -> str:
    if type(value) in (int, float, str, bool, bytes, type(None)):
        text = repr(value)
        return text if len(text) <= 40 else text[:39] + "…"
    if type(value).__module__ in ("numpy", "pandas") and not hasattr(value, "__len__"):
        return str(value)[:40]
    return words(value)
