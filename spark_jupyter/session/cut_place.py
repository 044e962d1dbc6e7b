"""Place from which a cut answer is to be written again."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from spark_jupyter.protocol.values import Finding
from spark_jupyter.session.draft import Draft
from spark_jupyter.source.cutting import split_at_statement
from spark_jupyter.source.value_origin import origin_line


def place_of_cut(
    drafts: Sequence[Draft], draft: Draft, blocking: Sequence[Finding]
) -> tuple[Draft, int, tuple[Finding, ...]]:
    """The cell and the line, from 1, at which an answer begins again, and the findings with the line of their cause there.

    It is the statement at fault in ``draft``, or the statement above it that makes the value at fault, also in an earlier one of the
    answer's new cells, ``drafts``, on which nobody has decided.
    """
    code = [one for one in drafts if one.cell_type == "code"]
    above = code[: code.index(draft)] if draft in code else []
    while any(one.decided or one.kind == "edit" for one in above):
        above.pop(0)
    before = "".join(f"{one.source.rstrip()}\n" for one in above)
    offset = before.count("\n")
    blamed = [_with_cause(finding, before, draft.source) for finding in blocking]
    line = min(finding.cause or finding.line + offset for finding in blamed)
    for one in above:
        height = one.source.rstrip().count("\n") + 1
        if line <= height:
            return one, line, tuple(structs.replace(finding, cause=line) for finding in blamed)
        line -= height
    return draft, line, tuple(structs.replace(finding, cause=max(finding.cause - offset, 0)) for finding in blamed)


def _with_cause(finding: Finding, before: str, source: str) -> Finding:
    """The finding with the line of its cause, counted from the top of the earlier cells ``before`` its own; 0: the statement itself."""
    offset = before.count("\n")
    if finding.cause or not finding.wrong:
        return structs.replace(finding, cause=finding.cause + offset if finding.cause else 0)
    own = "".join(split_at_statement(source, finding.line))  # the text behind it may be half a statement
    cause = origin_line(before + own, finding.line + offset, finding.wrong)
    if not cause and before:  # they do not parse together
        cause = origin_line(own, finding.line, finding.wrong)
        cause += offset if cause else 0
    return structs.replace(finding, cause=cause)
