"""Gate before the kernel: blocked code needs a second yes.

It looks at the text alone, so it holds for every way of running code.
"""

from __future__ import annotations

from collections.abc import Iterable

from spark_jupyter.protocol.values import DECIDED, Finding, Proposal


def blocked_in(text: str, cell_id: str | None, proposals: Iterable[Proposal]) -> Finding | None:
    """The finding for which ``text`` must not run without a second yes; None where there is none.

    ``text`` is refused where it is an undecided proposal, or a part of one that contains the place of a blocking finding. ``cell_id`` is
    the cell that it is run from, where that is known.
    """
    for proposal in proposals:
        if proposal.state in DECIDED or proposal.may_run != "when-confirmed":
            continue
        blocking = [finding for finding in proposal.findings if finding.blocks]
        is_whole_cell = proposal.kind == "insert" and proposal.cell_id == cell_id
        for finding in blocking:
            if is_whole_cell or _contains(text, proposal.source, finding):
                return finding
    return None


def _contains(text: str, source: str, finding: Finding) -> bool:
    """True if ``text`` is a stretch of ``source`` that contains the finding's line, ignoring indentation and empty lines."""
    sent = [line for line in map(str.strip, text.splitlines()) if line]
    lines = [(number, line.strip()) for number, line in enumerate(source.splitlines(), 1) if line.strip()]
    if not sent:
        return False
    starts = range(len(lines) - len(sent) + 1)
    stretches = [lines[start : start + len(sent)] for start in starts]
    places = [{number for number, _ in stretch} for stretch in stretches if [line for _, line in stretch] == sent]
    found = {finding.line, *finding.also}
    return any(found & place for place in places) or (len(sent) == 1 and _is_most_of_line(sent[0], source, finding))


def _is_most_of_line(fragment: str, source: str, finding: Finding) -> bool:
    """True if a fragment begins before the finding and is at least half of its line. A smaller part is another statement."""
    lines = source.splitlines()
    line = lines[finding.line - 1] if 0 < finding.line <= len(lines) else ""
    at = line.find(fragment)
    return 0 <= at <= finding.column and 2 * len(fragment) >= len(line.strip())
