"""Turns, proposals and trials as HTML.

All that a model or a user wrote is escaped; nothing here can become live markup. Colours are those of the theme where Jupyter has
variables for them, so light and dark both hold; what follows a comma in them is for front ends that have none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from spark_jupyter.protocol.constants import PICTURES
from spark_jupyter.protocol.html_sanitiser import sanitise
from spark_jupyter.protocol.hunks import unified_diff
from spark_jupyter.protocol.proposal_messages import AttemptChanged, Findings
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.protocol.turn_view import TurnView
from spark_jupyter.protocol.values import TAKEN_BACK, Finding, Output, Proposal, Surprise, Turn
from spark_jupyter.redaction.redactor import Redactor
from spark_jupyter.ui.text.meter_text import meter_text
from spark_jupyter.ui.text.words import (
    MARKED,
    allowed_text,
    aside_lines,
    attempt_line,
    blocking,
    comparison_lines,
    decision_magics,
    effect_lines,
    folded_text,
    hints_text,
    lines_text,
    output_text,
    proof_lines,
    raised_text,
    split_hints,
    standing,
    standing_of_turn,
    surprise_text,
)

MOST_HIGHLIGHTED = 20_000
"""Characters of a cell up to which it is coloured while it grows: lexing that many takes a few milliseconds."""

_BRAND = "var(--jp-brand-color1,#1976d2)"
_FRAME = f"border-left:3px solid {_BRAND};padding:2px 0 2px 12px;margin:4px 0;line-height:1.5"
_CODE = (
    "margin:4px 0 8px;padding:8px 10px;line-height:1.4;white-space:pre;overflow:auto;border-radius:3px;"
    "font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px);"
    "color:var(--jp-content-font-color1,inherit);background:var(--jp-cell-editor-background,rgba(127,127,127,.1));"
    "border:1px solid var(--jp-cell-editor-border-color,rgba(127,127,127,.3))"
)
_BARE = "background:none;padding:0;border:0;color:inherit;font:inherit;white-space:inherit"
"""Rendered HTML has a ground of its own for ``code``, which is not the one of a cell, and breaks its lines anywhere."""
_TAIL = "max-height:26em;overflow:auto;display:flex;flex-direction:column-reverse"
"""Keeps the end of what grows in sight: in a reversed column a browser's scroll position counts from the bottom."""
_SMALL = "font-size:90%;color:var(--jp-ui-font-color2,#777)"
_CLOSE = "line-height:1.4;white-space:normal"
"""A widget's text is set as high as its buttons otherwise."""
_PICTURE = "display:block;max-width:100%;max-height:24em;margin:4px 0 8px;background:white"
_COLUMN = "flex:1 1 20em;min-width:0;padding:4px 8px;border:1px solid var(--jp-border-color2,#ccc);border-radius:3px"
_TABLE = "max-height:24em;overflow:auto;margin:4px 0 8px;padding:0"
_COLOURS = {"block": "var(--jp-error-color1,#d32f2f)", "warn": "var(--jp-warn-color1,#b26a00)", "hint": "inherit"}
_ADDED = "background:rgba(46,160,67,.18)"
_REMOVED = "background:rgba(220,60,60,.18)"
_SYNTAX: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "color:var(--jp-mirror-editor-comment-color,#6a8759);font-style:italic"),
    (Keyword, "color:var(--jp-mirror-editor-keyword-color,#2e7d32);font-weight:bold"),
    (Operator.Word, "color:var(--jp-mirror-editor-keyword-color,#2e7d32);font-weight:bold"),
    (Operator, "color:var(--jp-mirror-editor-operator-color,#a2f)"),
    (String, "color:var(--jp-mirror-editor-string-color,#ba2121)"),
    (Number, "color:var(--jp-mirror-editor-number-color,#388e3c)"),
    (Name.Builtin, "color:var(--jp-mirror-editor-builtin-color,#2e7d32)"),
    (Name.Function, "color:var(--jp-mirror-editor-def-color,#1565c0)"),
    (Name.Class, "color:var(--jp-mirror-editor-def-color,#1565c0)"),
)
_LEXER = PythonLexer(stripnl=False, ensurenl=False)
_BLANKS = re.compile(r"\s{200}")
"""So much of nothing but lines: the lexer goes through them again from each of them, which takes seconds for some thousand."""


# --- a turn as a whole -------------------------------------------------------------------------------------------------


def turn_html(view: TurnView, turn: Turn, *, placed: bool = False) -> str:
    """One turn: prompt, notes, proposals with findings, meter. ``placed``: new cells stand in the notebook, so their code is left out."""
    proposals = view.of_turn(turn.id)
    parts = [head_html(view, turn)]
    parts += [proposal_html(view, proposal, number, placed=placed) for number, proposal in enumerate(proposals, 1)]
    parts.append(foot_html(view, turn))
    if said := decision_magics(proposals, attempts=len(view.attempts_of(turn.id))):
        parts.append(f'<div style="{_SMALL}">{" · ".join(f"<code>{magic}</code>" for magic in said)}</div>')
    return f'<div class="spark-turn" style="{_FRAME}">{"".join(parts)}</div>'


def head_html(view: TurnView, turn: Turn) -> str:
    """HTML above a turn's proposals: the prompt, its state, the notes, the lines that were cut."""
    state = f'<span style="{_SMALL}">{escape(standing_of_turn(view, turn))}</span>'
    parts = [f'<div style="{_CLOSE}"><b style="color:{_BRAND}">⚡ {escape(turn.prompt)}</b> {state}</div>']
    if turn.notes.strip():
        parts.append(f'<div style="white-space:pre-wrap;margin:2px 0">{_prose_html(turn.notes.strip())}</div>')
    parts += [_cut_html(cut) for cut in view.cuts_of(turn.id)]
    return "".join(parts)


def foot_html(view: TurnView, turn: Turn) -> str:
    """HTML below them: withheld values, errors, the meter."""
    parts = []
    if turn.withheld:
        parts.append(f'<div style="{_SMALL}">Withheld from the prompt: {escape(", ".join(turn.withheld))}</div>')
    if turn.folded:
        parts.append(f'<div style="{_SMALL}">{folded_text(turn.folded)}</div>')
    parts += [
        f'<div style="color:{_COLOURS["block"]}">✗ {escape(problem.message)} {escape(problem.remedy)}</div>'
        for problem in view.problems_of(turn.id)
    ]
    attempts = view.attempts_of(turn.id)
    shown = [_attempt_html(one) + "".join(map(trial_html, one.results)) for one in attempts]
    parts += [_columns_html(attempts, shown)] if any(one.prompt for one in attempts) else shown
    if meter := meter_text(view.meters.get(turn.id)):
        parts.append(f'<div style="{_SMALL}">{escape(meter)}</div>')
    return "".join(parts)


def _columns_html(attempts: Sequence[AttemptChanged], shown: Sequence[str]) -> str:
    """Two answers side by side, each with what is ``shown`` of it, and how they differ below."""
    columns = "".join(f'<div style="{_COLUMN}">{one}</div>' for one in shown)
    told = [line for one in attempts if one.compared is not None for line in comparison_lines(one.compared)]
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{columns}</div>' + "".join(map(small_html, told))


def _attempt_html(attempt: AttemptChanged) -> str:
    """An attempt of a race: how it ended, and its source behind that."""
    mark = "→ " if attempt.proposed else ""
    line = f'<span style="{_SMALL}">{escape(mark + attempt_line(attempt))}</span>'
    if not attempt.source or attempt.proposed:
        return f'<div style="{_CLOSE}">{line}</div>'
    code = f'<pre style="{_CODE}"><code style="{_BARE}">{code_html(attempt.source)}</code></pre>'
    return f'<details style="{_CLOSE}"><summary>{line}</summary>{code}</details>'


def _cut_html(cut: Findings) -> str:
    line = f'<pre style="{_CODE}"><s style="color:{_COLOURS["block"]}">{escape(cut.cut.rstrip())}</s></pre>'
    return line + "".join(map(_finding_html, blocking(cut)))


# --- one proposal ------------------------------------------------------------------------------------------------------


def proposal_html(
    view: TurnView, proposal: Proposal, number: int, *, as_diff: bool | None = None, placed: bool = False
) -> str:
    """One proposal: its state, its source (an edit as a diff, unless ``as_diff`` says otherwise; with ``placed`` only that of an
    edit), findings, the result of a Try.

    An accepted one is selected as a whole by a click, to be copied.
    """
    kind = "edit" if proposal.kind == "edit" else "cell" if proposal.cell_type == "code" else "Markdown cell"
    head = f'<div style="{_SMALL}">[{number}] {kind} · {escape(standing(proposal))}</div>'
    if proposal.state in TAKEN_BACK:
        return head
    trial = view.trials.get(proposal.cell_id)
    return (
        head
        + ("" if placed and proposal.kind == "insert" else _source_html(proposal, as_diff))
        + _findings_html(proposal.findings)
        + "".join(map(small_html, aside_lines(proposal.asides)))
        + (trial_html(trial) if trial is not None else "")
    )


def _source_html(proposal: Proposal, as_diff: bool | None) -> str:
    if as_diff is None:
        as_diff = proposal.kind == "edit" and proposal.state in ("ready", "blocked")
    if as_diff:
        return diff_html(proposal)
    style = _CODE + (";user-select:all" if proposal.state == "accepted" else "")
    code = f'<pre style="{style}"><code style="{_BARE}">{code_html(proposal.source, proposal.cell_type)}</code></pre>'
    return f'<div style="{_TAIL}">{code}</div>' if proposal.state == "streaming" else code


def diff_html(proposal: Proposal) -> str:
    """Change of a cell as a unified diff without file names. A page like this is kept in the notebook, so a credential that stood in the
    cell is not repeated here: the change may be what takes it out."""
    hide = Redactor().withhold
    hide(proposal.base)  # what one line gives away as a secret is one in all of them
    lines = unified_diff(proposal.base, proposal.source, name=proposal.cell_id).splitlines()[2:]
    lines = [line if line.startswith("+") else hide(line) for line in lines]
    shown = "".join(f'<div style="{_diff_style(line)}">{escape(line) or "&nbsp;"}</div>' for line in lines)
    return f'<pre style="{_CODE}">{shown or "No changes."}</pre>'


def _diff_style(line: str) -> str:
    if line.startswith("@@"):
        return "color:var(--jp-ui-font-color2,#777)"
    return _ADDED if line.startswith("+") else _REMOVED if line.startswith("-") else ""


def trial_html(trial: TrialResult) -> str:
    """Result of a Try: its summary, its outputs, the changes that it would have made."""
    outputs = "".join(map(_output_html, trial.outputs))
    told = [*(proof_lines(trial.proof) if trial.proof else []), *effect_lines(trial)]
    rest = escape("\n".join(line.removeprefix("  ") for line in told))
    changes = f'<pre style="{_CODE}">{rest}</pre>' if rest else ""
    said = trial.summary or trial.problem
    first = "".join(map(_surprise_html, trial.surprises))
    if trial.rehearsed and (outputs or changes):  # nobody asked for it: a line, until somebody does
        summary = f'<summary><span style="{_SMALL}">{escape(said)}</span></summary>'
        return f'{first}<details style="{_CLOSE}">{summary}{outputs}{changes}</details>'
    return first + small_html(said) + outputs + changes


def _surprise_html(surprise: Surprise) -> str:
    said = _prose_html(surprise_text(surprise))
    return f'<div style="color:{_COLOURS["warn"]};{_CLOSE}">! {said} <code>{escape(surprise.rule)}</code></div>'


_TEX = re.compile(r"<[^>]*>|[$\\]")


def without_formulas(html: str) -> str:
    """The same HTML for a page that typesets formulas in outputs, as JupyterLab does: it finds none, as what would begin or end one stands
    in an element of its own. TeX has commands that load what they name."""
    return _TEX.sub(lambda found: found[0] if found[0][0] == "<" else f"<span>{found[0]}</span>", html)


def trial_output_data(output: Output) -> dict[str, str]:
    """One output of a Try as data to display: pictures, a harmless table, text. Its Markdown and TeX are left out, which load pictures."""
    data = {kind: output.data[kind] for kind in PICTURES if kind in output.data}
    if clean := sanitise(output.data.get("text/html", "")):
        data["text/html"] = without_formulas(clean)
    return {**data, "text/plain": output_text(output)}


def _output_html(output: Output) -> str:
    """One output: a picture, a table from which all that is live was taken, or text. It comes from a copy in which anything may have
    run, so what the copy says about it is not relied on."""
    for kind in PICTURES:
        if picture := output.data.get(kind):
            return f'<img style="{_PICTURE}" alt="Picture that the cell would show" src="data:{kind};base64,{escape(picture)}">'
    if clean := sanitise(output.data.get("text/html", "")):
        return f'<div class="jp-RenderedHTMLCommon" style="{_TABLE}">{clean}</div>'
    return f'<pre style="{_CODE}">{escape(output_text(output))}</pre>'


def _prose_html(text: str) -> str:
    """Words, escaped, with code, bold and emphasised ones marked."""
    return MARKED.sub(_marked_html, escape(text))


def _marked_html(found: re.Match[str]) -> str:
    tag = ("code", "b", "em")[(found.lastindex or 1) - 1]
    return f"<{tag}>{found[found.lastindex or 1]}</{tag}>"


def problem_html(message: str, remedy: str = "") -> str:
    """A sentence that says what went wrong, and one that says what to do."""
    sentence = f'<span style="color:{_COLOURS["block"]}">✗ {escape(message)}</span> {escape(remedy)}'
    return f'<div style="{_CLOSE}">{sentence}</div>'


def small_html(text: str) -> str:
    """A remark."""
    return f'<div style="{_SMALL};{_CLOSE}">{escape(text)}</div>' if text else ""


@lru_cache(maxsize=64)
def code_html(source: str, cell_type: str = "code") -> str:
    """A source, escaped, coloured where it is code. What is coloured for the eye reads the same as plain text."""
    if cell_type != "code" or len(source) > MOST_HIGHLIGHTED or _BLANKS.search(source):
        return escape(source)
    return "".join(_token_html(kind, text) for kind, text in _LEXER.get_tokens(source))


def _token_html(kind: _TokenType, text: str) -> str:
    style = next((style for parent, style in _SYNTAX if parent in kind.split()), "")
    return f'<span style="{style}">{escape(text)}</span>' if style else escape(text)


def _findings_html(findings: Sequence[Finding]) -> str:
    """Findings, each with its line; the hints folded behind one."""
    shown, hints = split_hints(findings)
    rows = [
        "".join(_finding_html(finding, place=f"{lines_text(finding)}: ") for finding in some) for some in (shown, hints)
    ]
    if not hints:
        return rows[0]
    summary = f'<summary style="{_SMALL}">{escape(hints_text(hints))}</summary>'
    return rows[0] + f'<details style="{_CLOSE}">{summary}{rows[1]}</details>'


def _finding_html(finding: Finding, *, place: str = "") -> str:
    said = f"{place}{finding.message} {finding.remedy}".rstrip() + allowed_text(finding) + raised_text(finding)
    return f'<div style="color:{_COLOURS[finding.severity]}">▲ {_prose_html(said)} <code>{escape(finding.rule)}</code></div>'
