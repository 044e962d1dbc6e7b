"""Notes to the model about proposals that ran.

They are in our own words: of what the code raised or printed, and of the user's data, they have nothing but the class of an error of
Python's, a line number, the shapes of tables that the model named itself, and the id and the advice of a surprise rule.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Set

from spark_jupyter.protocol.notebook import content_hash
from spark_jupyter.protocol.trial_messages import TrialResult
from spark_jupyter.session.draft import Draft
from spark_jupyter.session.trial_failures import error_kind, line_in
from spark_jupyter.source.lexer import python_only
from spark_jupyter.source.python_parser import body_of

_TABLE = re.compile(
    r"(?:polars\.)?(?:DataFrame|Series|ndarray)"
    r"(?: [uU]?[iI]nt(?:8|16|32|64)| [fF]loat(?:16|32|64)| bool(?:ean)?| object| str(?:ing)?| category| datetime64\[[mun]?s\])?"
    r" \(\d{1,9}(?: × \d{1,9})?\)"
)
_MOST_TOLD = 2
"""Tables, and surprises: which of them is told is what runs in the copy's choice (SECURITY.md has the bound)."""
_CHOICES = 16
"""So many variables of a cell, its first ones, may be told of."""
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
    names = _names(draft.source) if trial.effects else set()
    tables = {
        one.name: f"{one.name}: {_LARGE.sub(_rounded, one.after)}"
        for one in trial.effects
        if one.kind == "variable" and one.name in names and _TABLE.fullmatch(one.after)
    }
    made = f", made {'; '.join(sorted(tables.values())[:_MOST_TOLD])}" if tables else ""
    known = sorted({f"; surprise {one.rule}: {one.remedy}" for one in trial.surprises})
    surprises = "".join(known[:_MOST_TOLD])
    return f"ran without error{made}{surprises}"


def _rounded(number: re.Match[str]) -> str:
    """A size in two digits: all of them could say something else."""
    text = number[0].lstrip("0") or "0"
    return text if len(text) < 3 else f"about {text[:2]}{'0' * (len(text) - 2)}"


def _names(source: str) -> Set[str]:
    """The first variables of a source: the model wrote them, everything else is the user's data."""
    nodes = [node for one in body_of(python_only(source)) for node in ast.walk(one) if isinstance(node, ast.Name)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return set([*dict.fromkeys(node.id for node in nodes)][:_CHOICES])
