"""Next lines: in a cell, and in an empty one below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from spark_jupyter.completions.offline.cursor import code_above, is_text
from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation
from spark_jupyter.source.strings import is_plain

_MADE = re.compile(r"(?P<name>[^\W\d]\w*)\s*=(?!=)")
_CALLED = re.compile(r"[^\W\d]\w*(?:\.\w+)*\.(?P<method>\w+)\((?P<quote>[\"']?)")
_PAIRS = {"xlabel": "ylabel", "set_xlabel": "set_ylabel"}
_HABIT = 2
"""Times that something was done, after which it is a habit."""


# --- A new line ----------------------------------------------------------------------------------------------------


def next_line(situation: Situation, facts: Facts) -> Iterator[str]:
    """On an empty line: what followed such a line before; a first look at what was read; a model that was made is fitted."""
    above, newline, line = situation.before.rpartition("\n")
    last = above.rpartition("\n")[2]
    if (
        line
        or not newline
        or situation.line_after.strip()
        or is_text(situation)
        or not last.strip()
        or last[0].isspace()
    ):
        return
    found = [*_after_such(last, situation), *_look_at(last, situation), *_fit(last, facts)]
    yield from (text for text in found if text not in above.split("\n"))


def _after_such(last: str, situation: Situation) -> Iterator[str]:
    """Return the lines that stood below one that calls the same."""
    call = _CALLED.match(last)
    if call is None:
        return
    lines = [line for text in code_above(situation) for line in [*text.split("\n"), ""]][:-2]
    followed = (below for one, below in pairwise(lines) if _method(one) == call["method"])
    heads = [head for below in followed if (head := _head(below))]
    pair = _PAIRS.get(call["method"])
    yield from heads or ([f'{last[: call.start("method")]}{pair}("'] if pair else [])


def _method(line: str) -> str:
    match = _CALLED.match(line)
    return match["method"] if match is not None else ""


def _head(line: str) -> str:
    """Return the beginning of a line that calls a module's function: up to the text that it shows, which is another one each time."""
    match = re.match(r"(?:plt|sns)\.\w+\((?:\)|[\"'])?", line)
    return match[0] if match is not None else ""


def _look_at(last: str, situation: Situation) -> Iterator[str]:
    """Return the kind of value of a statement: a table that was read; anything, where this notebook has looked at such things before."""
    made = _MADE.match(last)
    if made is None:
        return
    if re.search(r"\.read_(?:csv|excel|json|parquet|table)\(", last):
        yield f"{made['name']}.head()"
        return
    habits = 0
    for cell in situation.above:
        lines = cell.source.split("\n")
        before = _MADE.match(lines[-2]) if len(lines) > 1 else None
        habits += before is not None and lines[-1] == before["name"]
    if habits >= _HABIT:
        yield made["name"]


def _fit(last: str, facts: Facts) -> Iterator[str]:
    """``model = LinearRegression()`` stands there, and what it can be fitted to."""
    match = re.match(r"(?P<name>[^\W\d]\w*) = (?P<kind>[A-Z]\w+)\(.*\)\Z", last)
    if match is not None and {"fit", "predict"} <= set(facts.members(match["kind"])):
        given = next((pair for pair in (("X_train", "y_train"), ("X", "y")) if all(map(facts.is_defined, pair))), None)
        yield f"{match['name']}.fit({', '.join(given)})" if given else f"{match['name']}.fit("


# --- The next cell -------------------------------------------------------------------------------------------------


def next_cell(situation: Situation, facts: Facts) -> Iterator[str]:
    """An empty cell: suggest to read the file in the folder, to look at a new table, and then to describe it."""
    code = [cell for cell in situation.above if cell.cell_type == "code" and cell.source.strip()]
    if situation.before.strip() or situation.after.strip() or not code or code[-1].execution_count is None:
        return
    texts = [cell.source for cell in code]
    yield from _read(texts, facts)
    yield from _looked_into(texts, facts)


def _read(texts: list[str], facts: Facts) -> Iterator[str]:
    """pandas is there, one file of data lies there, and no cell has read any."""
    files = [name for name in facts.files() if name.lower().endswith(".csv")]
    if facts.kind("pd") == "pandas" and len(files) == 1 and not re.search(r"\.read_|DataFrame\(", "\n".join(texts)):
        stem = files[0].partition(".")[0]
        if stem.isidentifier() and is_plain(files[0]) and not facts.is_defined(stem):
            yield f'{stem} = pd.read_csv("{files[0]}")'


def _looked_into(texts: list[str], facts: Facts) -> Iterator[str]:
    last = next(line for line in reversed(texts[-1].split("\n")) if line.strip())
    if (made := _MADE.match(last)) is not None:
        if facts.kind(made["name"]) == "DataFrame" and not _is_looked_at(made["name"], texts):
            yield f"{made['name']}.head()"
        return
    looked = re.fullmatch(r"(?P<name>[^\W\d]\w*)\.(?P<how>head|info)\(\)", last)
    if looked is None or facts.kind(looked["name"]) != "DataFrame":
        return
    name = looked["name"]
    steps = [f"{name}.info()", f"{name}.isna().sum()" if facts.has_gaps(name) else f"{name}.describe()"]
    step = steps[0] if looked["how"] == "head" else steps[1]
    if not any(step in text for text in texts):
        yield step


def _is_looked_at(name: str, texts: list[str]) -> bool:
    looked_at = re.compile(rf"\b{name}(?:\.(?:head|info|describe|sample|tail)\(|\s*$)")
    return any(looked_at.search(text) for text in texts)
