"""Notes to the model about proposals that ran.

They are in our own words: of what the code raised or printed, and of the user's data, they have nothing but the class of an error of
Python's, a line number, the shapes of tables that the model named itself, and the id and the advice of a surprise rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.trial_failures import error_kind, line_in

_TABLE = re.compile(
    r"(?:polars\.)?(?:DataFrame|Series|ndarray)"
    r"(?: [uU]?[iI]nt(?:8|16|32|64)| [fF]loat(?:16|32|64)| bool(?:ean)?| object| str(?:ing)?| category| datetime64\[[mun]?s\])?"
    r" \(\d{1,9}(?: × \d{1,9})?\)"
)
_MOST_TOLD = 2
"""Tables, and surprises: which of them is told is what runs in the copy's choice (SECURITY.md has the bound)."""
_LARGE = re.compile(r"(?<=[( ])\d{3,}")


def trial_notes(drafts: Iterable[Draft]) -> tuple[str, ...]:
    """A line for each proposal that nobody has decided on and that was tried as it stands, oldest first."""
    return tuple(
        f"{draft.cell_id}: {_note(draft, draft.trial)}"
        for draft in drafts
        if draft.trial is not None and not draft.decided and draft.trial.source_hash in ("", content_hash(draft.source))
    )


def _note(draft: Draft, trial: TrialResult) -> str:
    line = line_in(draft.source, trial.error_line)
    where = f" in line {line}" if line else ""
    if trial.problem:
        return f"not tried: {trial.problem}"
    if trial.refused:
        return (
            f"not tried{where}: a copy has no {', '.join(trial.lacked) or 'such access'}; that is no fault of the code"
        )
    if trial.error:
        return f"raised {error_kind(trial.error)}{where}"
    tables = [
        f"{one.name}: {_LARGE.sub(_rounded, one.after)}"
        for one in trial.effects
        if _is_told(one.kind, one.name, one.after, draft)
    ]
    made = f", made {'; '.join(sorted(tables)[:_MOST_TOLD])}" if tables else ""
    known = sorted({f"; surprise {one.rule}: {one.remedy}" for one in trial.surprises})
    surprises = "".join(known[:_MOST_TOLD])
    return f"ran without error{made}{surprises}"


def _rounded(number: re.Match[str]) -> str:
    """A size in two digits: all of them could say something else."""
    text = number[0].lstrip("0") or "0"
    return text if len(text) < 3 else f"about {text[:2]}{'0' * (len(text) - 2)}"


def _is_told(kind: str, name: str, after: str, draft: Draft) -> bool:
    """True if a variable is a table whose name the model wrote: everything else is the user's data."""
    return (
        kind == "variable"
        and bool(re.search(rf"\b{re.escape(name)}\b", draft.source))
        and bool(_TABLE.fullmatch(after))
    )
