"""Suggestions without a model.

They come from the kernel and the notebook.

Each source says what could follow, and each time that it says so is a vote. By itself the first is shown that is sure: the only one, what
got most votes, or what all that could follow have in common. Where somebody asks by a key, the first that was not shown yet.

A new source is a function here that says what may follow, and its line in :data:`_SOURCES`. What it asks of the kernel goes into
:class:`.kernel_facts.Facts` and is read in ``engine/facts.py``. ``python benchmarks/sessions.py --show`` tells what it is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from os.path import commonprefix

from spark_jupyter.completions.offline import (
    block_starts,
    call_arguments,
    importable,
    members,
    name_completion,
    next_lines,
    repeated_lines,
    string_values,
)
from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.offline.nearby_cells import near
from spark_jupyter.completions.screening import Judge
from spark_jupyter.completions.situation import Situation

Source = Callable[[Situation, Facts], Iterator[str]]

_SOURCES: tuple[Source, ...] = (
    string_values.columns,
    string_values.values,
    string_values.files,
    call_arguments.flags,
    call_arguments.keywords,
    importable.modules,
    importable.parts,
    repeated_lines.own_lines,
    repeated_lines.own_ends,
    block_starts.loops,
    block_starts.definitions,
    members.members,
    name_completion.names,
    next_lines.next_line,
    next_lines.next_cell,
)
_OPEN = ("(", "[", ",", "=", " ", "{", '"', "'", ":")
"""End of a suggestion that is to go on."""
_LEAST_COMMON = 3
"""Characters with which all begin that could follow: they are sure, too."""
LONGEST_LINE = 200
"""Characters before the cursor; a longer line is data, as a rule, and its brackets take long to match."""


def known(situation: Situation, facts: Facts, *, asked: bool) -> Sequence[str]:
    """Return the suggestions for the cursor, the best first; none where nothing is sure."""
    if situation.cell_type != "code" or situation.line_after.strip(" )]}\"',:"):
        return ()
    if len(situation.line_before) > LONGEST_LINE:
        return ()
    situation = near(situation)
    found: list[str] = []
    for source in _SOURCES:
        found += _sure(Counter(source(situation, facts)), situation, asked=asked)
        if found and not asked:
            break
    return tuple(dict.fromkeys(found))


def passed(situation: Situation, facts: Facts, judge: Judge, *, asked: bool) -> Iterator[str]:
    """The suggestions that the judges do not object to."""
    for text in known(situation, facts, asked=asked):
        if not judge(text, whole=not text.endswith(_OPEN)):
            yield text


def _sure(found: Counter[str], situation: Situation, *, asked: bool) -> Sequence[str]:
    ranked = [text for text, _ in found.most_common() if text not in situation.other_than]
    if asked or situation.other_than:
        return ranked if asked else ()
    counts = sorted(found.values(), reverse=True)
    if len(counts) == 1 or (len(counts) > 1 and counts[0] > counts[1]):
        return ranked[:1]
    common = commonprefix(ranked)
    return (common,) if len(common) >= _LEAST_COMMON else ()
