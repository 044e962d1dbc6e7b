"""Builders that gather a copy's messages into trial results.

One for a single cell, one for a whole answer with a result for each cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from spark_jupyter.protocol.constants import PICTURES
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.values import Effect, Output, Permission
from spark_jupyter.sandbox.copy_protocol import Did, Ended, Measured, Ran, Said, Wrote
from spark_jupyter.sandbox.limit_sentences import Limit, sentence
from spark_jupyter.sandbox.surprises.surprise_sentences import REASONS, reasons_for_model, surprises_of
from spark_jupyter.session.answer_trials import AnswerTrial, Broken
from spark_jupyter.session.trial_failures import line_in
from spark_jupyter.source.abridged_text import error_line

if TYPE_CHECKING:
    from spark_jupyter.sandbox.starting_state import Source

PERMISSIONS: dict[str, Permission] = {"file": "files", "network": "network", "shell": "shell", "package": "shell"}
"""Permissions for effects outside the copy, by their kind; other kinds stay within the copy."""

_WITHIN = {("file", "used"), ("file", "read"), ("package", "used")}
"""A file that the kernel has open is a copy of its own here, and to read one or to load a package changes nothing."""

_DECISIVE = 120
"""Characters of the line that says most."""

Result = TypeVar("Result", TrialResult, AnswerTrial)


class ResultBuilder:
    """Builder for one cell, which is source 0."""

    def __init__(self, *, turn_id: str, cell_id: str, source_hash: str, moving: bool) -> None:
        self._first = TrialResult(turn_id=turn_id, cell_id=cell_id, source_hash=source_hash, moving=moving)
        self._outputs: list[Output] = []
        self._seen: list[Effect] = []
        self._ran: list[Ran] = []
        self._ended = Ended()
        self.apart = False
        """True if its changes were inspected before the next cell ran."""

    def receive(self, message: Said) -> None:
        match message:
            case Wrote(output=output):
                self._write(output)
            case Did(effect=effect):
                self._seen.append(effect)
            case Ran():
                self._ran.append(message)
            case Measured(effects=effects, memory=memory, sightings=sightings):
                self.apart = True
                self._ended = Ended(effects=effects, memory=memory, sightings=sightings)
            case Ended():
                effects = (*self._ended.effects, *message.effects)  # what ran behind it counts, too
                sightings = (*self._ended.sightings, *message.sightings)
                self._ended = structs.replace(message, effects=effects, sightings=sightings)
            case _:
                pass

    def surprised(self, source: str) -> tuple[str, ...]:
        """Sentences about the surprises for a model that wrote ``source``."""
        if any(ran.error and not ran.limit for ran in self._ran):
            return ()
        return reasons_for_model(self._ended.sightings, source)

    def result(self, problem: str = "") -> TrialResult:
        """All of it. ``problem`` says why it did not end as it should."""
        failed = next((ran for ran in self._ran if ran.error and not ran.limit), None)
        limited = next((ran for ran in self._ran if ran.limit), None)
        ended = failed or next((ran for ran in self._ran if ran.error), None)
        problem = problem or self._ended.problem
        limit = problem if isinstance(problem, Limit) else limited.limit if limited is not None else ""
        effects = (*self._ended.effects, *self._seen)
        result = {
            "outputs": tuple(map(_as_on_screen, self._outputs)),
            "effects": effects,
            "error": ended.error if ended else "",
            "error_line": ended.line if ended else None,
            "refused": failed is None and bool(limit) and (not problem or isinstance(problem, Limit)),
            "not_tried": str(limit),  # a plain text: msgspec encodes no subclass
            "problem": sentence(problem),
            "seconds": sum(ran.seconds for ran in self._ran),
            "peak_memory": self._ended.memory,
            "surprises": surprises_of(self._ended.sightings) if failed is None else (),
        }
        return concluded(structs.replace(self._first, **result))

    def _write(self, output: Output) -> None:
        last = self._outputs[-1] if self._outputs else None
        if last is not None and output.kind == last.kind and output.kind in ("stdout", "stderr"):
            self._outputs[-1] = Output(kind=last.kind, text=last.text + output.text)
        else:
            self._outputs.append(output)


def _as_on_screen(output: Output) -> Output:
    """The output as a notebook shows it: what stands behind a carriage return is written over what stood before, as in progress bars."""
    if "\r" not in output.text or output.kind == "error":
        return output
    return structs.replace(output, text="\n".join(map(_overwritten, output.text.split("\n"))))


def _overwritten(line: str) -> str:
    shown: list[str] = []
    for part in line.split("\r"):
        shown[: len(part)] = part
    return "".join(shown)


class AnswerResultBuilder:
    """Builder for a whole answer: ``sources`` that are its cells or lead up to them, then checks, of which only their errors matter."""

    def __init__(self, cells: Sequence[ResultBuilder], sources: Sequence[Source]) -> None:
        self._cells = cells
        self._sources = sources
        self._ran: list[Ran] = []
        self._last = 0
        """The index of the cell that ran last, or runs."""

    def receive(self, message: Said) -> None:
        if isinstance(message, Ended) or (isinstance(message, Measured) and self._cell_of(message.number) is not None):
            self._cells[self._last].receive(message)
        if isinstance(message, Ended | Measured):
            return
        own = self._cell_of(
            message.number if isinstance(message, Wrote) else len(self._ran)
        )  # a figure is shown when its cell has run
        if own is not None:
            self._last = own
            self._cells[own].receive(message)
        if isinstance(message, Ran):
            self._ran.append(message)

    def _cell_of(self, number: int) -> int | None:
        """The index of a source's cell; None of one between cells, of a check, and of a number that a copy made up."""
        return self._sources[number].index if 0 <= number < len(self._sources) else None

    def result(self, problem: str = "") -> AnswerTrial:
        """All of it. ``problem`` says why it did not end as it should; it is that of the cell that ran."""
        if (why := self._early(problem)) is not None:
            return AnswerTrial(problem=f"The cells before it, which come first, fail in a copy: {why}")
        at, count = len(self._ran), len(self._sources)
        done = [one.index for one in self._sources[:at] if one.index is not None]
        results = [cell.result() for cell in self._cells[: len(done)]]
        stands = self._sources[at] if at < count else None
        if problem and stands is not None and stands.index is not None and not any(one.error for one in self._ran):
            results.append(self._cells[stands.index].result(problem))
        early = [
            one if cell.apart else _effects_later(one) for one, cell in zip(results[:-1], self._cells, strict=False)
        ]
        return AnswerTrial(
            results=(*early, *results[-1:]),
            checks=tuple(_check_error(one) for one in self._ran[count:]),
            problem=problem,
            broken=self._broken(problem),
            surprised=self._surprised(len(results)),
        )

    def _surprised(self, count: int) -> tuple[tuple[str, ...], ...]:
        """Sentences for the model about the surprises of the first cells."""
        texts = {source.index: source.text for source in self._sources}
        found, left = [], REASONS
        for index, cell in enumerate(self._cells[:count]):
            found.append(cell.surprised(texts[index])[:left])
            left -= len(found[-1])
        return tuple(found)

    def _early(self, problem: str) -> str | None:
        """Why what comes before the first of its cells failed; None where it did not."""
        first = next((place for place, one in enumerate(self._sources) if one.index is not None), 0)
        failed = next((one.error for one in self._ran[:first] if one.error), "")
        return failed or (problem if len(self._ran) < first else "") or None

    def _broken(self, problem: str) -> Broken | None:
        """The cell between its own, or behind them, that failed."""
        for source, ran in zip(self._sources, self._ran, strict=False):
            if ran.error and source.index is None:
                refused = ran.refused or ran.late or ran.name == PermissionError.__name__
                line = line_in(source.text, ran.line)
                return Broken(cell_id=source.cell_id, error=ran.error, line=line, refused=refused)
        at = len(self._ran)
        if problem and at < len(self._sources) and self._sources[at].index is None:
            return Broken(cell_id=self._sources[at].cell_id, error=problem, refused=True)
        return None


def unenforced(result: Result, what: str) -> Result:
    """The result with a note on the walls that the copy lacked."""
    if isinstance(result, TrialResult):
        return structs.replace(result, unenforced=what)
    return structs.replace(result, results=tuple(structs.replace(each, unenforced=what) for each in result.results))


def _effects_later(result: TrialResult) -> TrialResult:
    """The effects of an answer are looked at once, behind its last cell."""
    said = f"ran in a copy in {_seconds(result.seconds)}; its effects are told with the last cell"
    return structs.replace(result, summary=said)


def _check_error(ran: Ran) -> str:
    """Message of a failed check: that of the assert, if it has one."""
    return ran.error.removeprefix("AssertionError: ") or (f"not tried: {ran.limit}" if ran.limit else "")


def concluded(result: TrialResult) -> TrialResult:
    """The result with what follows from its outputs and effects: the summary, what was real, which permissions were lacking."""
    wanted = [effect for effect in result.effects if effect.kind in PERMISSIONS]
    done = [effect for effect in wanted if not effect.refused and (effect.kind, effect.action) not in _WITHIN]
    lacked = dict.fromkeys(_needed(effect) for effect in wanted if effect.refused)
    return structs.replace(
        result, summary=_summary(result), decisive=_decisive(result), outside=bool(done), lacked=tuple(lacked)
    )


_TYPE_OF_SERIES = re.compile(r"(Freq: \S{1,20}, )?(Name: .{0,200}, )?(Length: \d+, )?dtype: \S+")
"""pandas' footer of a Series."""
_SIZE_OF_TABLE = re.compile(r"\[\d+ rows x \d+ columns\]|shape: \(.{1,40}\)")
"""Footer of a long pandas table, and header of a polars table."""
_ADDRESS = re.compile(r"<\S.{0,200} at 0x[0-9a-fA-F]+>")
"""Default representation of an object."""
_NUMPY_SCALAR = re.compile(
    r"\bnp\.(?:u?int\d+|(?:float|complex|datetime|timedelta)\d+|c?longdouble|u?longlong|str_|bytes_)\(([^()]*)\)"
)
"""Representation of a number in NumPy 2: the number says it all."""


def _decisive(result: TrialResult) -> str:
    """The line of the output that says most: the last value or the last words printed; of a table its size, of a Series its extremes.
    An error says more than what came before it."""
    if result.refused and result.not_tried:
        return f"not tried: {result.not_tried}"
    if result.error or result.problem:
        return error_line(result.error or result.problem)
    said = (output for output in reversed(result.outputs) if output.kind != "stderr" and not _is_picture(output))
    line = _NUMPY_SCALAR.sub(r"\1", " ".join(next(filter(None, map(_line_of, said)), "").split()))
    return line if len(line) <= _DECISIVE else f"{line[: _DECISIVE - 1]}…"


def _line_of(output: Output) -> str:
    """Most telling line of an output; empty if there is none."""
    text = output.text or output.data.get("text/plain", "")
    lines = [line for line in map(str.rstrip, text.splitlines()) if line and not _ADDRESS.fullmatch(line)]
    size = next((line for line in lines[:1] + lines[-1:] if _SIZE_OF_TABLE.fullmatch(line)), None) or _size_of(output)
    if size or not lines:
        return size
    if len(lines) > 2 and lines[0].startswith(" ") and {len(line) for line in lines} == {len(lines[0])}:
        # a table of pandas in a terminal: its names stand above, and all lines are as wide
        return _count(len(lines) - 1, "row")
    if _depth(lines[0]) > 0 > _depth(lines[-1]):
        return f"{lines[0]} … {lines[-1]}"  # a tuple, a list, an array
    if len(lines) == 1 or not _TYPE_OF_SERIES.fullmatch(lines[-1]):
        return lines[-1]
    values = [line for line in lines[:-1] if len(line) == len(lines[-2])]
    if len(values) > 1 and len(values[0].split()) < len(values[1].split()):
        del values[0]  # the index' name above them
    first, last = _extremes(values)
    return first if first == last else f"{first} … {last}"


def _depth(line: str) -> int:
    """How many brackets a line opens that it does not close."""
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))


def _extremes(lines: Sequence[str]) -> tuple[str, str]:
    """Of a Series' lines those of the smallest and the largest number, in their order; the ends where they are equal or no numbers."""
    try:
        numbers = [float(line.split()[-1]) for line in lines]
    except ValueError:
        return lines[0], lines[-1]
    known = [number for number in numbers if number == number]
    if not known or min(known) == max(known):
        return lines[0], lines[-1]
    low, high = sorted((numbers.index(min(known)), numbers.index(max(known))))
    return lines[low], lines[high]


def _size_of(output: Output) -> str:
    """Size of a pandas table that is shown completely, without its own footer. Empty where it is none."""
    html = output.data.get("text/html", "")
    rows = html.partition("<tbody>")[2].partition("</tbody>")[0].split("<tr")[1:]
    known = html.count("<table") == 1 and rows
    return f"{_count(len(rows), 'row')} × {_count(rows[0].count('<td'), 'column')}" if known else ""


def _is_picture(output: Output) -> bool:
    return any(kind in output.data for kind in PICTURES)


def _needed(effect: Effect) -> Permission:
    return "read" if effect.action == "read" else PERMISSIONS[effect.kind]


def _summary(result: TrialResult) -> str:
    """A Try in one line: ``ran in a copy in 0.3 s: 2 new variables, 1 figure``."""
    if result.refused and result.not_tried:
        where = f" (line {result.error_line})" if result.error_line else ""
        rest = ", ".join(_effects_text(result.effects))
        return f"not tried: {result.not_tried}{where}" + (f"; the rest ran in a copy: {rest}" if rest else "")
    if result.problem:
        return f"tried in a copy: {result.problem}"
    took = f"in a copy in {_seconds(result.seconds)}"
    parts = _effects_text(result.effects)
    figures = sum("image/png" in output.data for output in result.outputs)
    if figures:
        parts.append(_count(figures, "figure"))
    if result.moving:
        parts.append("while the kernel was running a cell")
    text = f"{'failed' if result.error else 'ran'} {took}"
    if result.error:
        where = f" (line {result.error_line})" if result.error_line else ""
        parts.insert(0, error_line(result.error) + where)
    return f"{text}: {', '.join(parts)}" if parts else f"{text}: no effects"


def _effects_text(effects: Sequence[Effect]) -> list[str]:
    parts = []
    variables = [effect for effect in effects if effect.kind == "variable" and not effect.after.startswith("module ")]
    for action in ("new", "changed", "deleted"):
        if count := sum(effect.action == action for effect in variables):
            parts.append(_count(count, f"{action} variable"))
    for kind, word in (("file", "file"), ("network", "network peer"), ("shell", "process"), ("thread", "thread")):
        for refused in (False, True):
            if count := sum(effect.kind == kind and effect.refused == refused for effect in effects):
                parts.append(_count(count, word) + (" refused" if refused else ""))
    return parts


def _count(number: int, word: str) -> str:
    plural = word + ("es" if word.endswith("s") else "s")
    return f"{number} {word if number == 1 else plural}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 0.05 else f"{seconds * 1000:.0f} ms"
