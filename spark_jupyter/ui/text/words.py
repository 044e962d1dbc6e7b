"""Sentences about turns, proposals, findings, trials and races.

One place for the terminal, the widget, the notebook's output and the command line. A line may be printed as it stands: what a model or a
user wrote can't control a terminal (:func:`printable`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from spark_jupyter.protocol.constants import EMPTY_CELL, PASSIVE_LINE, REPAIRED, TERMINAL_SEQUENCE, TEXTS
from spark_jupyter.protocol.messages import TurnEnded
from spark_jupyter.protocol.meter_messages import Meter
from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.prompt_offers import is_refusal
from spark_jupyter.protocol.proof_values import Proof
from spark_jupyter.protocol.proposal_messages import AttemptChanged, Findings
from spark_jupyter.protocol.provider_messages import PolicyInfo
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import Aside, Effect, Finding, Output, Proposal, Surprise, Turn
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text.meter_text import meter_text

WRITES_HERE = "type to steer, Enter sends, Ctrl-C cancels"
ALLOW, DENY = "%spark allow", "%spark deny"
CANCELLED = "It was cancelled."
ACCEPT_ANYWAY = "This cell does not parse. Press “Accept anyway” to keep it."
RUN_ANYWAY = "A finding blocks this cell. Press “Run anyway” to run it."
NONE_PASSED = "No attempt passed. Use %spark accept 1 to keep it anyway, or %spark run to run it."
KEEP_ONE = "%spark attempts 1 or %spark attempts 2 keeps one."
AFTER_RACE = "%spark attempts lists them, %spark attempts N proposes another."
NOT_CONNECTED = "Not connected yet. Try again in a moment."
LIVE_ON = "Live is on: after every exception, a fix is tried in a copy and proposed. Switch it off: %spark live off"
LIVE_OFF = "Live is off: %spark fix proposes a fix. To get one after every exception: %spark live on"
AUTOLOAD_ON = "New kernels of this profile load Spark by themselves. Switch it off: %spark autoload off"
AUTOLOAD_OFF = "New kernels need %load_ext spark_jupyter first. To load it in all of them: %spark autoload on"
LIVE_FIX = "⚡ Proposing a fix, because live is on. Switch it off: %spark live off"

OUTCOMES = {"completed": "completed", "cancelled": "stopped", "superseded": "steered", "failed": "failed"}
"""Outcomes of a turn, in the words of the panel."""

STATES = {
    "streaming": "writing …",
    "ready": "not accepted yet",
    "blocked": "blocked: review it before you run it",
    "accepted": "accepted",
    "rejected": "rejected",
    "reverted": "reverted",
}
"""States of a proposal."""

OPERATIONS = {"delete": "deletes the cell", "move": "moves the cell", "run": "runs the cell as it is"}
"""What a proposal does that changes no text."""

DOING = {"streaming": "writes", "trying": "is tried"}
"""Activity of an attempt that has not ended."""

BEGINNING = 6
"""So many lines of an attempt's source stand in the table of a race."""

_TERMINAL_SEQUENCE = re.compile(TERMINAL_SEQUENCE)


# --- a turn ------------------------------------------------------------------------------------------------------------


def problem_line(message: str, remedy: str = "") -> str:
    return printable(f"✗ {message} {remedy}".rstrip())


def outcome_text(ended: TurnEnded, meter: Meter | None = None, *, notes: str = "") -> str:
    """Outcome of a turn, and its cost. Why one failed has been said as a problem; a refusal, which ``notes`` tell, is no success."""
    reason = f" {ended.reason}" if ended.reason and ended.outcome != "failed" else ""
    outcome = outcome_word(ended.outcome, notes)
    return printable(" · ".join(part for part in (f"{outcome}.{reason}", meter_text(meter)) if part))


def outcome_word(outcome: str, notes: str = "") -> str:
    """An outcome in a word or two; what refuses, by its ``notes``, is no success."""
    return "no answer" if outcome == "completed" and is_refusal(notes) else OUTCOMES[outcome]


MARKED = re.compile(r"`([^`\n]+)`|\*\*([^\s*][^*\n]*)\*\*|(?<![\w*])\*([^\s*][^*\n]*)\*(?![\w*])")
"""Code, bold and emphasised words in Markdown."""


def plain_prose(text: str) -> str:
    """Markdown words as plain text: emphasis loses its asterisks, code keeps its backticks."""
    return printable(MARKED.sub(lambda found: found[2] or found[3] or found[0], text))


def standing_of_turn(view: TurnView, turn: Turn) -> str:
    """State of a turn, in brackets behind its prompt; nothing if all went well. A reason that is told as a problem is left out."""
    if turn.outcome is None:
        return "…"
    told = (f"{problem.message} {problem.remedy}".strip() for problem in view.problems_of(turn.id))
    reason = "" if turn.reason in told else turn.reason
    return "" if turn.outcome == "completed" and not reason else f"({OUTCOMES[turn.outcome]}) {reason}".rstrip()


def turn_text(view: TurnView, turn: Turn, *, placed: bool = False) -> str:
    """A turn as plain text, for front ends without HTML and for notebooks that are read as text. ``placed``: new cells stand in the
    notebook, so their code is left out."""
    lines = [f"⚡ {turn.prompt} {standing_of_turn(view, turn)}".rstrip()]
    if turn.notes.strip():
        lines += map(plain_prose, turn.notes.strip().split("\n"))
    for cut in view.cuts_of(turn.id):
        lines += [f"✗ cut: {line}" for line in cut.cut.splitlines()]
        lines += [f"  {finding_line(finding)}" for finding in blocking(cut)]
    for number, proposal in enumerate(view.of_turn(turn.id), 1):
        lines.append(f"[{number}] {proposal.cell_type} · {standing(proposal)}")
        lines += [] if placed and proposal.kind == "insert" else [proposal.source]
        lines += [f"  {line}" for line in (*finding_lines(proposal.findings), *aside_lines(proposal.asides))]
        if proposal.cell_id in view.trials:
            lines += trial_lines(view.trials[proposal.cell_id])
    lines += [problem_line(p.message, p.remedy) for p in view.problems_of(turn.id)]
    lines += attempts_lines(view.attempts_of(turn.id))
    if turn.outcome is not None:
        ended = TurnEnded(turn_id=turn.id, outcome=turn.outcome)
        lines.append(outcome_text(ended, view.meters.get(turn.id), notes=turn.notes))
    elif meter := meter_text(view.meters.get(turn.id)):
        lines.append(meter)
    return "\n".join(lines)


# --- a proposal --------------------------------------------------------------------------------------------------------


def standing(proposal: Proposal) -> str:
    """State of a proposal."""
    unfinished = f". {proposal.unfinished}" if proposal.unfinished and proposal.state == "ready" else ""
    repaired = REPAIRED[min(proposal.repairs, len(REPAIRED) - 1)] if proposal.state in ("ready", "blocked") else ""
    operation = OPERATIONS[proposal.operation.kind] if proposal.operation is not None else ""
    state = ", ".join(filter(None, [STATES[proposal.state], operation, repaired]))
    return state + (", is being tried in a copy …" if proposal.trying else "") + unfinished


_PASSIVE_LINE = re.compile(PASSIVE_LINE)


def first_line(source: str) -> str:
    """The name of a cell, as in the panel: its first line that is no import, comment or magic."""
    lines = [line.strip()[:60] for line in source.splitlines() if line.strip()]
    return next((line for line in lines if not _PASSIVE_LINE.match(line)), lines[0] if lines else EMPTY_CELL)


def name_of(proposal: Proposal) -> str:
    """Name of a proposal's cell for a person: an input of IPython by its number, a cell of a notebook by its id."""
    return "new cell" if proposal.kind == "insert" else re.sub(r"^in-(\d+)$", r"[\1]", proposal.cell_id)


def left_text(info: PolicyInfo) -> str:
    """The prompts that are left; empty where they are not limited."""
    return "" if info.prompts_left is None else f"{info.prompts_left} of {info.prompt_limit} prompts left."


def logged_text(info: PolicyInfo) -> str:
    """Who reads the prompts; empty where nobody does."""
    return f"Your prompts in this notebook are logged. Who can read them: {info.logged_by}." if info.logged_by else ""


def decision_magics(proposals: Sequence[Proposal], *, attempts: int = 0) -> list[str]:
    """The magics that can be said to proposals that wait; ``attempts`` is how many answers raced for them."""
    if not any(proposal.state in ("ready", "blocked") for proposal in proposals):
        return []
    diff = ["diff"] if any(proposal.kind == "edit" for proposal in proposals) else []
    begin = ["continue", "accept"] if any(proposal.unfinished for proposal in proposals) else ["accept", "run"]
    said = [f"%spark {verb}" for verb in (*begin, *diff, "reject")]
    return [*said, "%spark attempts N"] if attempts > 1 else said


def not_run(blocked: Iterable[Proposal]) -> str:
    """On the command line: why nothing was run, and what to say to have it run all the same."""
    reasons = " ".join(finding.message for one in blocked for finding in one.findings if finding.blocks)
    return printable(f"Not run, because a finding blocks it: {reasons} Use --yes to run it anyway.")


def nothing_done(why: str) -> str:
    """On the command line: what was not done for this reason, and what to say to have it done all the same."""
    return f"{why}, so nothing was written or run. Use --yes to do it anyway."


def left_out(proposals: Sequence[Proposal]) -> str:
    """Number of proposals that *Accept all* leaves out, and the command that accepts them all the same; empty if it takes all."""
    left = [proposal for proposal in proposals if proposal.may_run != "freely"]
    if not left:
        return ""
    blocked = sum(proposal.may_run == "when-confirmed" for proposal in left)
    surprising = sum(proposal.may_run == "when-asked" and bool(proposal.surprises) for proposal in left)
    counts = {
        "blocked by a finding": blocked,
        "with a surprise": surprising,
        "not run well in a copy": len(left) - blocked - surprising,
    }
    why = [f"{count} {what}" for what, count in counts.items() if count]
    which = "1" if len(left) == 1 else f"N, from 1 to {len(left)},"
    return f"Left out: {', '.join(why)}. Use %spark accept {which} to accept it anyway, or %spark accept --yes to accept all."


def before_run(proposal: Proposal) -> list[str]:
    """Warnings before a Run: the surprises of its Try, and a source that has changed since."""
    since = since_the_try(proposal)
    return [*surprise_lines(proposal.surprises), *([since] if since else [])]


def since_the_try(proposal: Proposal) -> str:
    """Note that the source changed since it was tried; nothing if it never was."""
    if proposal.tried is None:
        return ""
    same = proposal.tried == content_hash(proposal.source)
    return "Exactly as it was tried." if same else "Edited since it was tried."


# --- findings ----------------------------------------------------------------------------------------------------------


def blocking(findings: Findings) -> list[Finding]:
    """Those for which a line was cut."""
    return [finding for finding in findings.findings if finding.blocks]


def allowed_text(finding: Finding) -> str:
    """The reason for which a finding is allowed, in brackets."""
    return f" (allowed: {finding.allowed})" if finding.allowed else ""


def raised_text(finding: Finding) -> str:
    """Error of the code itself, from its run in a copy."""
    return f" It raised: {finding.raised}" if finding.raised else ""


def rule_text(finding: Finding) -> str:
    """A finding's rule, and its number in the Common Weakness Enumeration where it has one."""
    return f"{finding.rule} CWE-{finding.cwe}" if finding.cwe else finding.rule


def finding_text(finding: Finding) -> str:
    """Text of a finding without its place: message, rule, remedy."""
    said = f"{finding.message}{allowed_text(finding)} [{rule_text(finding)}] {finding.remedy}".rstrip()
    said += raised_text(finding)
    return printable(said.rstrip())


def finding_line(finding: Finding) -> str:
    return f"▲ {lines_text(finding)}: {finding_text(finding)}"


def lines_text(finding: Finding) -> str:
    """All lines of which a finding says the same."""
    return f"line{'s' * bool(finding.also)} {', '.join(map(str, (finding.line, *finding.also)))}"


def finding_lines(findings: Iterable[Finding]) -> list[str]:
    """Findings in lines, each with its own; the hints together in one."""
    shown, hints = split_hints(findings)
    return [*map(finding_line, shown), *([f"· {hints_text(hints)}"] if hints else [])]


def split_hints(findings: Iterable[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Divide findings into those to be read and the hints, which take no space."""
    every = list(findings)
    return [one for one in every if one.severity != "hint"], [one for one in every if one.severity == "hint"]


def hints_text(hints: Sequence[Finding]) -> str:
    """Hints in one line: which, and where."""
    which = ", ".join(f"{finding.rule} in {lines_text(finding)}" for finding in hints)
    return printable(f"{len(hints)} hint{'s' * (len(hints) > 1)}: {which}")


def aside_lines(asides: Iterable[Aside]) -> list[str]:
    """Asides, a line each."""
    return [printable(f"· line {aside.line}: {aside.message}") for aside in asides]


# --- a Try -------------------------------------------------------------------------------------------------------------


def trial_lines(result: TrialResult) -> list[str]:
    """A Try in lines: what surprises, then summary, output, effects, error. Of one that nobody asked for, the summary: it is more where
    somebody looks."""
    summary = [*surprise_lines(result.surprises), printable(result.summary or result.problem)]
    if result.rehearsed:
        return [*summary, *([printable(f"  → {result.decisive}")] if result.decisive else [])]
    outputs = [f"  | {line}" for output in result.outputs for line in output_text(output).splitlines()]
    return [*summary, *(proof_lines(result.proof) if result.proof else []), *outputs, *effect_lines(result)]


def surprise_lines(surprises: Iterable[Surprise]) -> list[str]:
    """Surprises, a line each."""
    return [f"! {surprise_text(surprise)}" for surprise in surprises]


def surprise_text(surprise: Surprise) -> str:
    """A surprise in a sentence, and one that says what to look at."""
    return printable(f"Surprise: {surprise.message} {surprise.remedy}".rstrip())


def proof_lines(proof: Proof) -> list[str]:
    """Details of a proof: the differences, and what could not be compared."""
    differences = [f"  ≠ {one.name}: {one.detail}" for one in proof.differences]
    more = [f"  ≠ {proof.more} more"] if proof.more else []
    return [
        printable(line)
        for line in (*differences, *more, *(f"  ? {one}" for one in proof.unclear if one not in proof.summary))
    ]


def rerun_lines(proof: Proof) -> list[str]:
    """Effect of an edit on the cells below it."""
    if not proof.below:
        return ["No cell that ran below reads what the edit changes."]
    many = f"{len(proof.below)} cell{'s' if len(proof.below) > 1 else ''} below ran in a copy behind the edit"
    return [printable(f"{many}: {proof.summary}"), *proof_lines(proof), "Nothing of it was kept."]


def output_text(output: Output) -> str:
    """One output as text, without the colours that a terminal would have."""
    texts = (output.data[kind] for kind in TEXTS if kind in output.data)
    return printable(_TERMINAL_SEQUENCE.sub("", output.text or next(texts, "")))


def effect_lines(result: TrialResult) -> list[str]:
    """Effects of a Try, and the error in which it ended."""
    lines = [f"  {_effect_text(effect)}" for effect in result.effects]
    return [*lines, printable(f"  ✗ {result.error}")] if result.error else lines


def _effect_text(effect: Effect) -> str:
    change = " → ".join(part for part in (effect.before, effect.after) if part)
    parts = (effect.action, effect.kind, effect.name, change, "(refused)" if effect.refused else "")
    detail = f": {effect.detail}" if effect.detail else ""
    return printable(" ".join(part for part in parts if part) + detail)


def kept_text(results: Collection[TrialResult]) -> str:
    """Said wherever a Try is shown as text: what was kept of it, and what did not hold it. What it was allowed to do outside the copy
    can't be taken back."""
    outside = any(result.outside for result in results)
    kept = "No variable was kept; its effects outside the copy are real." if outside else "Nothing of it was kept."
    return " ".join([kept, *dict.fromkeys(result.unenforced for result in results if result.unenforced)])


# --- a conversation ------------------------------------------------------------------------------------------------------


def folded_text(count: int) -> str:
    """Said where older turns go along in a line each."""
    turns = "one earlier turn" if count == 1 else f"{count} earlier turns"
    return f"Shortened for the model, because its context has no room for all: {turns}."


# --- a race ------------------------------------------------------------------------------------------------------------


def attempt_line(attempt: AttemptChanged) -> str:
    """An attempt in a line: ``2 failed (gpt-x): f(3) is 4``; of two that are compared with its prompt."""
    model = f" ({attempt.model})" if attempt.model else ""
    reason = ": " + "; ".join(attempt.reason.splitlines()) if attempt.reason else ""
    prompt = f" {attempt.prompt}:" if attempt.prompt else ""
    state = "not tried" if any(one.refused for one in attempt.results) else DOING.get(attempt.state, attempt.state)
    return printable(f"{attempt.index + 1}{prompt} {state}{model}{reason}")


def attempts_lines(attempts: Iterable[AttemptChanged]) -> list[str]:
    """The attempts of a race as a short table, the proposed one marked, each with the beginning of its source."""
    lines = []
    for attempt in attempts:
        lines.append(f"{'→' if attempt.proposed else ' '} {attempt_line(attempt)}")
        lines += [f"    | {printable(line)}" for line in attempt.source.splitlines()[:BEGINNING]]
        lines += result_lines(attempt)
    return lines


def result_lines(attempt: AttemptChanged) -> list[str]:
    """What an answer that is compared showed in its copy, and of the second how it differs."""
    lines = [f"    {line}" for result in attempt.results for line in trial_lines(result)]
    return [*lines, *(comparison_lines(attempt.compared) if attempt.compared is not None else [])]


def comparison_lines(proof: Proof) -> list[str]:
    """How the second answer's results differ from the first's."""
    said = "The results differ, from 1 to 2:" if proof.verdict == "differs" else f"1 and 2: {proof.summary}"
    return [printable(said), *proof_lines(proof)]


def recording_line(path: Path | None, count: int) -> str:
    """A sentence about the recording that goes on."""
    if path is None:
        return "Nothing is recorded. Record with %spark record FILE."
    answers = "1 answer" if count == 1 else f"{count} answers"
    return f"Recording into {path}: {answers} so far. Stop with %spark record off."
