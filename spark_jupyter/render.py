"""A :class:`~spark_jupyter.turnview.TurnView` as HTML and as plain text. Pure.

All that a model or a user wrote is escaped; nothing here can become live markup. Colours are those of the theme where Jupyter has
variables for them, so light and dark both hold.
"""

from __future__ import annotations

from html import escape

from spark_jupyter.messages import Findings, Meter, Proposal, TrialResult, Turn
from spark_jupyter.terminal import meter_text, trial_lines
from spark_jupyter.turnview import TurnView

_STATES = {
    "streaming": "writing …",
    "ready": "ready",
    "blocked": "blocked: look before you run it",
    "accepted": "accepted",
    "rejected": "rejected",
}
_FRAME = "border-left:3px solid var(--jp-brand-color1,#1976d2);padding:2px 0 2px 10px;margin:4px 0"
_CODE = "margin:2px 0;padding:6px 8px;background:var(--jp-cell-editor-background,rgba(127,127,127,.12));overflow-x:auto"
_SMALL = "font-size:85%;color:var(--jp-ui-font-color2,#777)"
_COLOURS = {"block": "var(--jp-error-color1,#d32f2f)", "warn": "var(--jp-warn-color1,#b26a00)"}


def turn_html(view: TurnView, turn: Turn) -> str:
    """One turn: prompt, notes, proposals with findings, meter."""
    parts = [f'<div style="{_SMALL}"><b>⚡ {escape(turn.prompt)}</b> {escape(_state(turn))}</div>']
    if turn.notes.strip():
        parts.append(f'<div style="white-space:pre-wrap">{escape(turn.notes.strip())}</div>')
    parts += [_cut_html(cut) for cut in view.cuts.get(turn.id, [])]
    parts += [_proposal_html(view, proposal, number) for number, proposal in enumerate(view.of_turn(turn.id), 1)]
    if turn.withheld:
        parts.append(f'<div style="{_SMALL}">withheld from the prompt: {escape(", ".join(turn.withheld))}</div>')
    parts += [
        f'<div style="color:{_COLOURS["block"]}">{escape(problem.message)} {escape(problem.remedy)}</div>'
        for problem in view.problems
        if problem.turn_id == turn.id
    ]
    meter = view.meters.get(turn.id)
    if meter is not None:
        parts.append(f'<div style="{_SMALL}">{escape(meter_text(meter))}</div>')
    return f'<div class="spark-turn" style="{_FRAME}">{"".join(parts)}</div>'


def turn_text(view: TurnView, turn: Turn) -> str:
    """The same as plain text, for front ends without HTML and for notebooks that are read as text."""
    lines = [f"⚡ {turn.prompt} {_state(turn)}".rstrip()]
    if turn.notes.strip():
        lines.append(turn.notes.strip())
    for number, proposal in enumerate(view.of_turn(turn.id), 1):
        lines += [f"[{number}] {proposal.cell_type} · {_STATES[proposal.state]}", proposal.source]
        lines += [f"  ▲ line {f.line}: {f.message} [{f.rule}] {f.remedy}".rstrip() for f in proposal.findings]
        if proposal.cell_id in view.trials:
            lines += trial_lines(view.trials[proposal.cell_id])
    lines += [f"✗ {p.message} {p.remedy}".rstrip() for p in view.problems if p.turn_id == turn.id]
    meter: Meter | None = view.meters.get(turn.id)
    return "\n".join([*lines, meter_text(meter)] if meter is not None else lines)


def _state(turn: Turn) -> str:
    if turn.outcome is None:
        return "…"
    return "" if turn.outcome == "completed" and not turn.reason else f"({turn.outcome}) {turn.reason}".rstrip()


def _cut_html(cut: Findings) -> str:
    return f'<pre style="{_CODE}"><s style="color:{_COLOURS["block"]}">{escape(cut.cut.rstrip())}</s></pre>' + "".join(
        _finding_html(f.severity, f"{f.message} {f.remedy}", f.rule) for f in cut.findings if f.blocks
    )


def _proposal_html(view: TurnView, proposal: Proposal, number: int) -> str:
    kind = "edit" if proposal.kind == "edit" else proposal.cell_type
    head = f'<div style="{_SMALL}">[{number}] {kind} · {escape(_STATES[proposal.state])}</div>'
    code = f'<pre style="{_CODE}"><code>{escape(proposal.source)}</code></pre>'
    findings = "".join(
        _finding_html(
            finding.severity,
            f"line {finding.line}: {finding.message} {finding.remedy}"
            + (f" (allowed: {finding.allowed})" if finding.allowed else ""),
            finding.rule,
        )
        for finding in proposal.findings
    )
    trial = view.trials.get(proposal.cell_id)
    return head + code + findings + (_trial_html(trial) if trial is not None else "")


def _finding_html(severity: str, text: str, rule: str) -> str:
    return f'<div style="color:{_COLOURS[severity]}">▲ {escape(text)} <code>{escape(rule)}</code></div>'


def _trial_html(trial: TrialResult) -> str:
    return f'<pre style="{_CODE}">{escape(chr(10).join(trial_lines(trial)))}</pre>'
