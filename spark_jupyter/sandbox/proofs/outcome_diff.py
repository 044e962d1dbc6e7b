"""Differences between the outcomes of two copies.

The sentences about them are made in :mod:`spark_jupyter.sandbox.proofs.proof_summary`. All input comes from copies: its schema has bounded
it, it is shown to a person, and no model is told any of it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from spark_jupyter.protocol.constants import PICTURES
from spark_jupyter.protocol.values import Output
from spark_jupyter.sandbox.copy_protocol import Ran
from spark_jupyter.sandbox.proofs.proof_messages import Described, Node, Value
from spark_jupyter.source.abridged_text import error_line
from spark_jupyter.source.changed_names import last_name
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import tree_of

MOST_TOLD = 5
"""So many differences are told one by one."""
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_WARNING = re.compile(r"[^\n]*?:\d+: (?=\w+(?:Warning|Error): )")
"""Beginning of a warning: the place where it was raised. It is an output of its own (:mod:`spark_jupyter.sandbox.copy.output_capture`)."""
_RULED = re.compile(r"(?:\s|─|═|-{2,})+")

_Paths = Iterable[Sequence[str]]


class Outcome(Struct, frozen=True, kw_only=True):
    """Outcome of one copy. ``problem`` is why it did not end as it should."""

    ran: tuple[Ran, ...] = ()
    outputs: tuple[Output, ...] = ()
    described: Described = Described(values=())
    problem: str = ""

    @property
    def error(self) -> Ran | None:
        return next((one for one in self.ran if one.error), None)

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.ran)


class OutcomeDifference(Struct, frozen=True, kw_only=True):
    """A difference. Where both have rows at ``path``, they can be asked for which of them differ."""

    kind: str
    name: str
    detail: str
    path: str = ""


class IntendedChanges(Struct, frozen=True, kw_only=True):
    """Changes that a refactoring intends: variables that are ``gone`` from its text and those that are ``fresh`` in it, and a ``column``
    with another name (before, now); ``files`` that are written. A variable that is gone is one that is fresh where both hold the same."""

    gone: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    column: tuple[str, str] | None = None
    files: frozenset[str] = frozenset()


_NOTHING = IntendedChanges()
_CODE = frozenset({"function", "module"})
"""Kinds of variables that are code: functions and classes, and what is imported."""


def outcome_differences(old: Outcome, new: Outcome, meant: IntendedChanges = _NOTHING) -> list[OutcomeDifference]:
    """Differences between two outcomes: errors first, then variables, output, files, and other state."""
    return [
        *_errors(old, new),
        *_variables(old.described, new.described, meant),
        *_outputs(old, new, meant),
        *(spot for spot in _files(old, new) if spot.name not in meant.files),
        *_state(old, new),
    ]


def unclear_in(old: Outcome, new: Outcome) -> list[str]:
    """Parts that can't be compared, in sentences."""
    said = []
    before = {value.name: value for value in old.described.values}
    for value in new.described.values:
        other = before.get(value.name)
        if value.kind == "function" and other is not None and other.kind == "function" and other.mark != value.mark:
            said.append(f"The code of `{value.name}` changed; calls of it are not compared.")
    for value in (*old.described.values, *new.described.values):
        said += [f"The content of {one} can't be inspected." for one in value.opaque]
        if value.partly:
            said.append(f"Only a part of `{value.name}` was compared: it is too large.")
    failed = next((one.error for one in (old, new) if one.error is not None and one.error.refused), None)
    if failed is not None:
        said.append(f"A copy can't run all of it: {error_line(failed.error)}")
    return list(dict.fromkeys(said))


# --- what differs ------------------------------------------------------------------------------------------------------


def _errors(old: Outcome, new: Outcome) -> list[OutcomeDifference]:
    before, after = (_raised(one.error) for one in (old, new))
    if before == after:
        return []
    change = f"{before} → {after}" if before and after else f"raises {after}" if after else f"no longer raises {before}"
    return [OutcomeDifference(kind="error", name="error", detail=change)]


def _raised(ran: Ran | None) -> str:
    return _ADDRESS.sub("0x…", error_line(ran.error)) if ran is not None else ""


def _variables(old: Described, new: Described, meant: IntendedChanges) -> list[OutcomeDifference]:
    after = {value.name: value for value in new.values}
    called = _renamed({value.name: value for value in old.values}, after, meant)
    before = {called.get(value.name, value.name): value for value in old.values}
    found = [
        _difference(before[name], after[name])
        for name in after
        if name in before and before[name].mark != after[name].mark and not _both_functions(before[name], after[name])
    ]
    less, more = [name for name in before if name not in after], [name for name in after if name not in before]
    if not (set(less) & meant.gone and any(name in meant.fresh and after[name].kind != "function" for name in more)):
        less, more = (
            [name for name in less if name not in meant.gone],
            [name for name in more if name not in meant.fresh],
        )
    more = [name for name in more if after[name].kind not in _CODE]  # by itself it changes nothing
    for names, said in ((less, "is no longer defined"), (more, "is newly defined")):
        found += [OutcomeDifference(kind="variable", name=name, detail=said) for name in names]
    aliases = tuple(tuple(_path(path, called) for path in paths) for paths in old.aliases)
    differing = {one.name for one in found}
    return [*found, *_aliases(aliases, new.aliases, before.keys() & after.keys(), differing)]


def _renamed(before: dict[str, Value], after: dict[str, Value], meant: IntendedChanges) -> dict[str, str]:
    """Variables that have another name now, by the one that they had."""
    called: dict[str, str] = {}
    for name in before.keys() & meant.gone - after.keys():
        same = (one for one in after.keys() & meant.fresh - before.keys() if after[one].mark == before[name].mark)
        other = next((one for one in sorted(same) if one not in called.values()), None)
        if other is not None:
            called[name] = other
    return called


def _path(path: str, called: dict[str, str]) -> str:
    name = root(path)
    return called.get(name, name) + path[len(name) :]


def _both_functions(old: Value, new: Value) -> bool:
    return old.kind == new.kind == "function"


def _difference(old: Value, new: Value) -> OutcomeDifference:
    """The first part that differs, as far inside as parts are told."""
    before, after = ({node.path: node for node in value.nodes} for value in (old, new))
    gone, fresh = [path for path in before if path not in after], [path for path in after if path not in before]
    differing = [path for path, node in after.items() if path in before and before[path].mark != node.mark]
    inner = next((path for path in differing if not any(_within(other, path) for other in differing)), old.name)
    if gone or fresh:
        parts = [f"{path.removeprefix(old.name)} is gone" for path in gone[:3]] + [
            f"{path.removeprefix(old.name)} is new" for path in fresh[:3]
        ]
        return OutcomeDifference(
            kind="variable", name=old.name, detail=_change(before, after, old.name) + "; ".join(parts)
        )
    alike = inner in before and before[inner].words == after[inner].words
    rows = alike and before[inner].rows and after[inner].rows
    detail = _change(before, after, inner).removesuffix("; ") or "holds other values"
    return OutcomeDifference(kind="variable", name=inner, detail=detail, path=inner if rows else "")


def _change(before: dict[str, Node], after: dict[str, Node], path: str) -> str:
    if path not in before or path not in after or before[path].words == after[path].words:
        return ""
    return f"{before[path].words} → {after[path].words}; "


def _within(inner: str, outer: str) -> bool:
    return inner != outer and inner.startswith(outer) and inner[len(outer)] in ".["


def _aliases(old: _Paths, new: _Paths, both: Iterable[str], differing: set[str]) -> list[OutcomeDifference]:
    """Two names that are one object change together: whether they are is part of the result."""
    before, after = (alias_pairs(paths, set(both)) for paths in (old, new))
    found = []
    for groups, others, said in (
        (before, after, "is no longer the same object as {} (or shares no memory with it)"),
        (after, before, "is the same object as {} now, or shares its memory"),
    ):
        for one, other in sorted(groups - others):
            if root(one) not in differing and root(other) not in differing:
                found.append(OutcomeDifference(kind="variable", name=other, detail=said.format(one)))
    return found[:MOST_TOLD]


def alias_pairs(aliases: _Paths, names: Collection[str]) -> set[tuple[str, str]]:
    """The paths of these variables that are one object, two by two."""
    pairs = set()
    for paths in aliases:
        known = sorted(path for path in paths if root(path) in names)
        pairs |= {(known[0], other) for other in known[1:]}
    return pairs


def root(path: str) -> str:
    """The variable of a path."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _outputs(old: Outcome, new: Outcome, meant: IntendedChanges) -> list[OutcomeDifference]:
    more = Counter(warned(new)) - Counter(warned(old))
    if more:
        return [
            OutcomeDifference(kind="output", name="warning", detail=f"{next(iter(more)).splitlines()[0][:160]} is new")
        ]
    before, after = told(old, meant), told(new, meant)
    for place, (one, other) in enumerate(zip(before, after, strict=False), 1):
        if one != other:
            name, text = _first_line(one, other)
            return [OutcomeDifference(kind="output", name=name or f"output {place}", detail=text)]
    if len(before) != len(after):
        many = f"{len(before)} → {len(after)}"
        return [OutcomeDifference(kind="output", name="output", detail=f"pieces {many}")]
    return []


def warned(outcome: Outcome) -> list[str]:
    """The warnings that it showed, without where they were raised. One that goes is no difference."""
    return [_without_place(output.text) for output in outcome.outputs if _is_warning(output)]


def _is_warning(output: Output) -> bool:
    return output.kind == "stderr" and _WARNING.match(output.text) is not None


def _without_place(text: str) -> str:
    """Without the line of code that stands behind it, too."""
    return re.sub(r"\n  [^\n]*\n?$", "", _ADDRESS.sub("0x…", _WARNING.sub("", text, count=1))).rstrip("\n")


def told(outcome: Outcome, meant: IntendedChanges) -> list[tuple[str, str]]:
    """Displayed text, by kind, without the intended changes."""
    shown = _without_words_of_writing(_told(outcome.outputs), meant.files)
    return shown if meant.column is None else _loosely(shown, meant.column)


def _told(outputs: Iterable[Output]) -> list[tuple[str, str]]:
    """Displayed texts in order; neighbouring prints are one. Addresses and warnings are left out."""
    told: list[tuple[str, str]] = []
    for output in outputs:
        if output.kind == "error" or _is_warning(output):
            continue
        picture = next((output.data[kind] for kind in PICTURES if kind in output.data), "")
        text = output.text or picture or output.data.get("text/plain", "") + output.data.get("text/html", "")
        kind = "figure" if picture else output.kind
        if told and kind in ("stdout", "stderr") and told[-1][0] == kind:
            told[-1] = (kind, told[-1][1] + text)
        else:
            told.append((kind, text))
    return [(kind, text if kind == "figure" else _ADDRESS.sub("0x…", text)) for kind, text in told]


def _without_words_of_writing(told: list[tuple[str, str]], files: Iterable[str]) -> list[tuple[str, str]]:
    """Without what ``%%writefile`` says of these files."""
    for file in files:
        said = re.compile(rf"^(?:Writing|Overwriting) {re.escape(file)}\n", re.MULTILINE)
        told = [(kind, said.sub("", text) if kind == "stdout" else text) for kind, text in told]
    return [(kind, text) for kind, text in told if text]


def _loosely(told: list[tuple[str, str]], column: tuple[str, str]) -> list[tuple[str, str]]:
    """With the column under its new name everywhere, and nothing of the blanks and rules that a longer name moves."""
    word = re.compile(rf"(?<!\w){re.escape(column[0])}(?!\w)")
    return [(kind, text if kind == "figure" else _unruled(word.sub(lambda _: column[1], text))) for kind, text in told]


def _unruled(text: str) -> str:
    return "\n".join(_RULED.sub(" ", line) for line in text.splitlines())


def _first_line(old: tuple[str, str], new: tuple[str, str]) -> tuple[str, str]:
    if "figure" in (old[0], new[0]):
        return "figure", "shows something else" if old[0] == new[0] else f"{old[0]} → {new[0]}"
    for number, (one, other) in enumerate(zip(old[1].splitlines(), new[1].splitlines(), strict=False), 1):
        if one != other:
            return "", f"line {number}: {one.strip()[:80]} → {other.strip()[:80]}"
    return "", f"{len(old[1].splitlines())} → {len(new[1].splitlines())} lines"


def _files(old: Outcome, new: Outcome) -> list[OutcomeDifference]:
    before, after = ({one.name: one for one in side.described.files} for side in (old, new))
    found = []
    for name in sorted({*before, *after}):
        if name not in after or name not in before:
            found.append(
                OutcomeDifference(kind="file", name=name, detail="is not written" if name in before else "is written")
            )
        elif before[name].mark != after[name].mark:
            sizes = f"{before[name].size} → {after[name].size} bytes"
            found.append(OutcomeDifference(kind="file", name=name, detail=f"has different content ({sizes})"))
    return found


def _state(old: Outcome, new: Outcome) -> list[OutcomeDifference]:
    before = dict(old.described.state)
    return [
        OutcomeDifference(kind="state", name=name, detail="differs afterwards")
        for name, mark in new.described.state
        if before.get(name, mark) != mark
    ]


# --- what a text says of itself ---------------------------------------------------------------------------------------


_DRAWN = {"default_rng", "RandomState", "Random"}
_CHANCE = {"uuid1", "uuid4", "urandom", "token_hex", "token_bytes", "token_urlsafe", "SystemRandom"}
_CLOCK = {"now", "today", "utcnow", "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic"}


def random_calls(source: str) -> list[str]:
    """Sentences about calls whose result is random: random numbers without a seed, as far as the text shows."""
    names = [(last_name(call.func), not call.args and not call.keywords) for call in _calls(source)]
    found = [name for name, bare in names if name in _CHANCE or (bare and name in _DRAWN)]
    return [f"`{name}` gives a different result each time." for name in dict.fromkeys(found)]


def clock_in(source: str) -> bool:
    return any(last_name(call.func) in _CLOCK and not call.args for call in _calls(source))


def named_in(source: str) -> set[str]:
    """The names that stand in a source, as far as it is Python."""
    return {node.id for node in _nodes(source) if isinstance(node, ast.Name)}


def _calls(source: str) -> list[ast.Call]:
    return [node for node in _nodes(source) if isinstance(node, ast.Call)]


def _nodes(source: str) -> list[ast.AST]:
    tree = tree_of(python_only(source))
    return list(ast.walk(tree)) if tree is not None else []
