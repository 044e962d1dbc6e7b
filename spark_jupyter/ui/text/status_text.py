"""The text of ``%spark status`` and ``%spark models``."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

from spark_jupyter.protocol.provider_messages import Models
from spark_jupyter.source.invisible_text import printable
from spark_jupyter.ui.text.deep_text import handed_text, status_lines
from spark_jupyter.ui.text.words import (
    NOT_CONNECTED,
    STATES,
    aside_lines,
    finding_lines,
    first_line,
    folded_text,
    outcome_word,
    rule_text,
)

if TYPE_CHECKING:
    from spark_jupyter.session.session import Session


MOST_TURNS = 20
"""So many are listed; the youngest."""


class Chosen(Protocol):
    """Model of a link, and the reason for its choice."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def tiers(self) -> tuple[str, ...]:
        """The tiers at which its provider serves."""

    @property
    def banner(self) -> str:
        """A sentence."""


def status_text(
    session: Session, link: Chosen | None, *, silent_tools: Collection[str] = (), no_rehearsal: str = ""
) -> str:
    """Describe connection, turns, proposals, findings, corrections and withheld values; the linters that did not
    work; the reason why nothing is rehearsed."""
    lines = [model_text(session.model, link) if link is not None else NOT_CONNECTED]
    turns = session.turns
    if len(turns) > MOST_TURNS:
        lines.append(f"… {len(turns) - MOST_TURNS} turns before these")
    for number, turn in [*enumerate(turns, 1)][-MOST_TURNS:]:
        outcome = outcome_word(turn.outcome, turn.notes) if turn.outcome else STATES["streaming"]
        corrected = f", corrected {turn.corrections}×" if turn.corrections else ""
        lines.append(f"turn {number}: {outcome}{corrected} · {turn.prompt[:60]!r}")
        lines += [f"  corrected: {found.message} [{rule_text(found)}]" for found in session.corrected(turn.id)]
        for place, draft in enumerate(session.store.of_turn(turn.id), 1):
            trying = ", is being tried" if draft.trying else ""
            lines.append(f"  [{place}] {draft.kind}, {STATES[draft.state]}{trying} · {first_line(draft.source)}")
            lines += [f"    {line}" for line in (*finding_lines(draft.findings), *aside_lines(draft.asides))]
    if session.dialogue.folded:
        lines.append(folded_text(session.dialogue.folded))
    lines += status_lines(session.deep_works)
    lines += [handed_text(offered.reason) for offered in list(session.deep_offers.values())[-1:]]
    if session.history.withheld:
        lines.append(f"withheld from prompts: {', '.join(session.history.withheld)}")
    if no_rehearsal:
        lines.append(f"Cells are not run in a copy while they are written. {no_rehearsal}")
    if silent_tools:
        lines.append(f"linters that do not work: {', '.join(sorted(silent_tools))} (spark-jupyter doctor says more)")
    return printable("\n".join(lines))


def model_text(model: str, link: Chosen | None, *, tier: str | None = None) -> str:
    """Name the model that answers and its tier, and the reason for its choice, unless another one was chosen since."""
    if link is None and not model:
        return NOT_CONNECTED
    served = f" Tier: {tier}." if tier else ""
    tiers = link.tiers if link is not None else ()
    offered = f" It is served at the tiers {', '.join(tiers)}: %spark model --tier NAME." if tiers and not tier else ""
    told = link.banner if link is not None and model == link.model else f"Model: {model}."
    return printable(f"{told}{served}{offered}")


def models_text(models: Models, *, files: Collection[str] = ()) -> str:
    """The provider's models, the one in use marked, and the ``files`` that could be run here."""
    lines = []
    for model in models.models:
        mark = "*" if model.id == models.selected else " "
        price = ""
        if model.input_price is not None and model.output_price is not None:
            price = f"  ${model.input_price:g} in, ${model.output_price:g} out per million tokens"
            if not (model.input_price or model.output_price):
                price = "  free"
        lines.append(f"{mark} {model.id}{price}{f'  {model.ending}' if model.ending else ''}")
    listed = "\n".join(lines) or "The provider lists no models."
    return printable("\n".join([listed, *(f"  {name}  (a file of yours: %spark model {name})" for name in files)]))
