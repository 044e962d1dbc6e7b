"""``spark-jupyter ask``: a prompt whose answer lands in a notebook file."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from msgspec import Struct, structs

from spark_jupyter.engine.engine import Engine
from spark_jupyter.engine.follow import DeepChain
from spark_jupyter.exceptions import ConfigurationError, NotebookError, SessionError
from spark_jupyter.guardrail.syntax_check import RULE as DOES_NOT_PARSE
from spark_jupyter.ids import new_turn_id
from spark_jupyter.protocol.deep_messages import BeginDeep
from spark_jupyter.protocol.hunks import unified_diff
from spark_jupyter.protocol.message_frames import encode
from spark_jupyter.protocol.messages import Event, Prompt, Steer, TurnEnded
from spark_jupyter.protocol.notebook import Notebook, cells_of, other_language
from spark_jupyter.protocol.notebook_changes import apply
from spark_jupyter.protocol.proposal_messages import CellsChanged, ProposalChanged
from spark_jupyter.protocol.provenance import provenance, with_provenance
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Attempts, CellChange, NotebookCell, Proposal, ReplaceSource, Target
from spark_jupyter.session.answer_trials import TryAnswer
from spark_jupyter.session.job_owners import TurnOwner
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.cli.notebook_files import check_writable, new_notebook, read_notebook, stamp, write_notebook
from spark_jupyter.ui.terminal import TerminalFront, TerminalView, View
from spark_jupyter.ui.text.words import CANCELLED, kept_text, not_run, nothing_done

if TYPE_CHECKING:
    from spark_jupyter.sandbox.notebook_trials import FileTrials

EXIT_CODES = {"completed": 0, "cancelled": 130, "superseded": 1, "failed": 1}


class Question(Struct, frozen=True, kw_only=True):
    """Arguments of ``ask``. ``after`` and ``edit`` are cell ids; ``at`` a place from 0; ``edit`` may be a place, too."""

    text: str
    notebook: Path | None = None
    after: str | None = None
    at: int | None = None
    edit: str | None = None
    apply: bool = False
    run: bool = False
    try_first: bool = False
    confirmed: bool = False
    attempts: Attempts = Attempts()
    deep: bool = False
    read: str = ""
    """The stamp of the notebook as it was read."""


class _Recorder:
    """Passes events on to a view and keeps what is needed for the file."""

    def __init__(self, view: View) -> None:
        self.state = TurnView()
        self.changes: list[CellChange] = []
        self._view = view

    def receive(self, event: Event) -> None:
        if isinstance(event, ProposalChanged) and event.proposal.cell_id not in self.state.proposals:
            self._begin(event.proposal)
        self.state.receive(event)
        if isinstance(event, CellsChanged):
            self.changes += event.changes
        self._view.receive(event)

    def _begin(self, proposal: Proposal) -> None:
        """The changes of an edit are those of its draft, which begins empty."""
        if proposal.kind == "edit":
            self.changes.append(ReplaceSource(cell_id=proposal.cell_id, source=proposal.source))

    def draw(self, typed: str = "", *, live: bool = True) -> None:
        self._view.draw(typed, live=live)


class JsonView:
    """Every event as a line of JSON, when it happens."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def receive(self, event: Event) -> None:
        """Print one event, in ASCII: no encoding of a terminal or a pipe lacks anything of it."""
        text = encode(event).decode()
        self._out.write((text if text.isascii() else json.dumps(json.loads(text))) + "\n")
        self._out.flush()

    def draw(self, typed: str = "", *, live: bool = True) -> None:
        """Nothing is drawn."""


def ask(
    engine: Engine,
    question: Question,
    *,
    out: TextIO,
    as_json: bool = False,
    steer_from: Iterable[str] | None = None,
    keys: TextIO | None = None,
    trials: FileTrials | None = None,
) -> int:
    """Ask, show, and do with the answer what was asked for. Returns the exit code. ``trials`` is what tries it.

    Raises :class:`~spark_jupyter.exceptions.SparkError` for a notebook or a place that does not exist; nothing is sent then.
    """
    read = stamp(question.notebook) if question.notebook else ""
    before = _read(question)
    cells = cells_of(before)
    prompt = _prompt(question, cells)
    question = structs.replace(question, edit=prompt.target.edit, read=read)
    if trials is not None:
        trials.begin_with(prompt)
    recorder = _Recorder(JsonView(out) if as_json else TerminalView(out))
    front = TerminalFront(engine, recorder, new_turn_id=new_turn_id, keys=keys, everything=as_json)
    if steer_from is not None:
        _steer_from(steer_from, engine, front)
    try:
        ended = _answered(engine, front, prompt, deep=question.deep)
        if ended.outcome != "completed":
            _show_what_came(question, before, recorder, out, as_json)
            return EXIT_CODES[ended.outcome]
        return _settle(engine, question, before, recorder, ended, out, as_json, trials)
    except KeyboardInterrupt:  # while it is tried or run: the turn itself turns one into a Cancel
        _say(out, as_json, CANCELLED)
        return EXIT_CODES["cancelled"]


def _answered(engine: Engine, front: TerminalFront, prompt: Prompt, *, deep: bool) -> TurnEnded:
    """Ask, and show the answer as it comes; or have a slower model work on it, and show its log and what it proposes."""
    if not deep:
        return front.follow(prompt.turn_id, lambda: engine.say(prompt))
    begin = BeginDeep(
        work_id=prompt.turn_id,
        text=prompt.text,
        target=prompt.target,
        cells=prompt.cells,
        checks=prompt.attempts.checks,
    )
    ended = front.follow_chain(DeepChain(prompt.turn_id), lambda: engine.say(begin))
    assert ended is not None  # nobody pauses it, and its plan waits for nobody
    return ended


def _read(question: Question) -> Notebook:
    if question.notebook is None:
        return new_notebook()
    if question.apply:
        check_writable(question.notebook)
    if not question.notebook.exists() and question.apply and question.edit is None:
        return new_notebook()
    notebook = read_notebook(question.notebook)
    if language := other_language(notebook):
        raise NotebookError(
            f"{question.notebook} is a notebook for {language}; what is written and checked here is Python.",
            remedy="Give a Python notebook.",
        )
    return notebook


def _prompt(question: Question, cells: tuple[NotebookCell, ...]) -> Prompt:
    edit = _cell_at(question.edit, cells) if question.edit is not None else None
    after = question.after
    if after is not None and after not in {cell.id for cell in cells}:
        raise NotebookError(f"There is no cell {after!r}.", remedy=_ids(cells))
    if question.at is not None:
        if not 0 <= question.at <= len(cells):
            raise NotebookError(f"There is no place {question.at}.", remedy=f"Give a number from 0 to {len(cells)}.")
        if question.at == 0 and cells:
            raise ConfigurationError("A cell can't be put above the first one yet.", remedy="Use --at 1 and move it.")
        after = cells[question.at - 1].id if cells else None
    return Prompt(
        turn_id=new_turn_id(),
        text=question.text,
        target=Target(after=after, edit=edit),
        cells=cells,
        intent="edit" if edit else "generate",
        attempts=question.attempts,
    )


def _cell_at(name: str, cells: tuple[NotebookCell, ...]) -> str:
    """A cell by its id, or by its place from 0 where no cell has that id."""
    if any(cell.id == name for cell in cells):
        return name
    if name.isdecimal() and int(name) < len(cells):
        return cells[int(name)].id
    raise NotebookError(f"There is no cell {name!r}.", remedy=_ids(cells))


def _ids(cells: tuple[NotebookCell, ...]) -> str:
    return f"The cells are: {', '.join(cell.id for cell in cells)}." if cells else "The notebook has no cells."


def _steer_from(lines: Iterable[str], engine: Engine, front: TerminalFront) -> None:
    """Each line steers the turn that streams when it comes; one that comes too late is said to have no effect."""

    def read() -> None:
        for line in lines:
            if line.strip():
                try:
                    engine.say(Steer(turn_id=new_turn_id(), steers=front.turn_id, text=line.strip()))
                except SessionError as error:
                    print(printable(f"not steered: {error}"), file=sys.stderr)

    threading.Thread(target=read, name="spark-steer-from", daemon=True).start()


# --- what becomes of the answer ------------------------------------------------------------------------------------


def _settle(
    engine: Engine,
    question: Question,
    before: Notebook,
    recorder: _Recorder,
    ended: TurnEnded,
    out: TextIO,
    as_json: bool,
    trials: FileTrials | None,
) -> int:
    proposals = [p for p in recorder.state.of_turn(ended.turn_id) if p.state in ("ready", "blocked")]
    about_all = recorder.state.turns[ended.turn_id].intent == "refactor"
    unasked = {p.cell_id for p in proposals if p.kind == "edit" and not about_all and p.cell_id != question.edit}
    for cell_id in sorted(unasked):
        _say(
            out,
            as_json,
            f"The cell {cell_id} was not changed, because its edit was not asked for. Use --edit {cell_id} to ask for it.",
        )
    proposals = [p for p in proposals if p.cell_id not in unasked]
    after = apply(before, [change for change in recorder.changes if change.cell_id not in unasked])
    why = "No attempt passed" if ended.none_passed else ""
    has_code = any(proposal.cell_type == "code" for proposal in proposals)  # a No has none
    if question.try_first and trials is not None and has_code and not question.attempts.races:
        why = _try(question, ended.turn_id, proposals, recorder, trials) or why
        _say(out, as_json, kept_text(recorder.state.trials.values()))
    if any(
        finding.rule == DOES_NOT_PARSE and finding.blocks for proposal in proposals for finding in proposal.findings
    ):
        why = "A cell does not parse"
    elif any(proposal.unfinished for proposal in proposals):
        why = "A cell is not finished"
    refused = bool(why) and not question.confirmed
    if refused or not question.apply:
        _show_diff(question, before, after, out, as_json)
    if refused:
        if question.apply or question.run or question.attempts.races:
            _say(out, as_json, nothing_done(why))
        return 1
    kept = engine.read(lambda session: [session.restored_source(proposal) for proposal in proposals])
    proposals = [structs.replace(p, source=source) for p, source in zip(proposals, kept, strict=True)]
    after = apply(after, [ReplaceSource(cell_id=p.cell_id, source=p.source) for p in proposals])
    turn = recorder.state.turns[ended.turn_id]
    for proposal in proposals:
        value = provenance(
            source=proposal.source,
            turn_id=turn.id,
            model=turn.model,
            prompt=turn.prompt,
            at=turn.started_at,
            findings=proposal.findings,
        )
        after = with_provenance(after, proposal.cell_id, value)
    code = 0
    if question.run:
        after, code = _run(question, after, proposals, out, as_json)
    if question.apply and proposals and question.notebook is not None and stamp(question.notebook) != question.read:
        _show_diff(question, before, after, out, as_json)
        raise NotebookError(
            f"{question.notebook} has changed since it was read, so it was left alone.",
            remedy="The answer is shown above. Ask again to have it written to the changed file.",
        )
    if question.notebook is not None:
        _keep(question.notebook, after, len(proposals), out, as_json, apply=question.apply)
    return code


def _keep(path: Path, notebook: Notebook, count: int, out: TextIO, as_json: bool, *, apply: bool) -> None:
    """Write the file where that was asked for, and say what became of it."""
    if not count:
        said = "The answer has no cells, so nothing was written."
    elif apply:
        write_notebook(path, notebook)
        said = f"{path}: {count} {'cell' if count == 1 else 'cells'} written."
    else:
        said = f"{path} is as it was; --apply writes it."
    _say(out, as_json, said)


def _try(question: Question, turn_id: str, proposals: list[Proposal], recorder: _Recorder, trials: FileTrials) -> str:
    """Try the answer in a copy, behind the notebook's own cells, and show what each cell did. What speaks against it; empty where
    nothing does."""
    code = [proposal for proposal in proposals if proposal.cell_type == "code"]
    answer = TryAnswer(
        owner=TurnOwner(turn_id), cells=tuple(proposal.source for proposal in code), allow=question.attempts.allow
    )
    trial = asyncio.run(trials.try_answer(answer))
    results = list(trial.results)
    if trial.problem and not any(result.problem for result in results):
        results.append(TrialResult(turn_id=turn_id, cell_id="", problem=trial.problem, summary=trial.problem))
    for proposal, result in zip(code, results, strict=False):
        recorder.receive(structs.replace(result, turn_id=turn_id, cell_id=proposal.cell_id))
    recorder.draw(live=False)
    if any(result.error or result.problem for result in results):
        return "The code fails in a copy"
    return "The code has a surprise in a copy" if any(result.surprises for result in results) else ""


def _run(
    question: Question, notebook: Notebook, proposals: list[Proposal], out: TextIO, as_json: bool
) -> tuple[Notebook, int]:
    """Run the notebook up to the last proposed cell, unless a finding stands."""
    blocked = [proposal for proposal in proposals if proposal.may_run == "when-confirmed"]
    if blocked and not question.confirmed:
        _say(out, as_json, not_run(blocked))
        return notebook, 1
    from spark_jupyter.ui.cli.notebook_runner import run_through

    folder = question.notebook.parent if question.notebook else Path()
    ran, error = run_through(notebook, [proposal.cell_id for proposal in proposals], folder=folder)
    for proposal in proposals:
        for cell in cells_of(ran):
            if cell.id == proposal.cell_id and cell.outputs:
                _say(out, as_json, cell.outputs.rstrip())
    if error:
        _say(out, as_json, error)
    return ran, 1 if error else 0


def _show_what_came(question: Question, before: Notebook, recorder: _Recorder, out: TextIO, as_json: bool) -> None:
    """A turn that did not complete changes no file, but what arrived is not lost."""
    if recorder.changes:
        _show_diff(question, before, apply(before, recorder.changes), out, as_json)


def _show_diff(question: Question, before: Notebook, after: Notebook, out: TextIO, as_json: bool) -> None:
    """Show the change of the notebook as a diff. Without one there is nothing to compare with: the cells were shown as they came."""
    if as_json or question.notebook is None:
        return
    sources = {cell.id: cell.source for cell in cells_of(before)}
    for cell in cells_of(after):
        out.write(printable(unified_diff(sources.get(cell.id, ""), cell.source, name=cell.id)))


def _say(out: TextIO, as_json: bool, text: str) -> None:
    print(json.dumps({"type": "Note", "text": text}) if as_json else printable(text), file=out, flush=True)
