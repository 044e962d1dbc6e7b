"""Does what is about to run hold what a finding blocks? Pure. The last gate before the kernel: it knows no gesture, only text."""

from __future__ import annotations

from collections.abc import Iterable

from spark_jupyter.protocol.values import DECIDED, Finding, Proposal


def blocked_in(text: str, cell_id: str | None, proposals: Iterable[Proposal]) -> Finding | None:
    """The finding for which ``text``, sent from the cell ``cell_id`` where that is known, must not run without a second yes: it is the
    text of an undecided proposal, or a part of it in which such a finding is. None where nothing stands against it."""
    for proposal in proposals:
        if proposal.state in DECIDED or proposal.may_run != "when-confirmed":
            continue
        blocking = [finding for finding in proposal.findings if finding.blocks]
        whole = proposal.kind == "insert" and proposal.cell_id == cell_id
        for finding in blocking:
            if whole or _holds(text, proposal.source, finding):
                return finding
    return None


def _holds(text: str, source: str, finding: Finding) -> bool:
    """Whether ``text`` is a stretch of ``source`` with the place of the finding in it. Indentation and empty lines make no difference."""
    sent = [line for line in map(str.strip, text.splitlines()) if line]
    lines = [(number, line.strip()) for number, line in enumerate(source.splitlines(), 1) if line.strip()]
    if not sent:
        return False
    starts = range(len(lines) - len(sent) + 1)
    stretches = [lines[start : start + len(sent)] for start in starts]
    places = [{number for number, _ in stretch} for stretch in stretches if [line for _, line in stretch] == sent]
    found = {finding.line, *finding.also}
    return any(found & place for place in places) or (len(sent) == 1 and _is_most_of(sent[0], source, finding))


def _is_most_of(fragment: str, source: str, finding: Finding) -> bool:
    """Whether a fragment of the finding's line begins before it and is the greater part of the line: less of it is another statement."""
    lines = source.splitlines()
    line = lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""
    at = line.find(fragment)
    return 0 <= at <= finding.column and 2 * len(fragment) >= len(line.strip())
