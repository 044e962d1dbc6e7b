"""A prompt with the columns' own names where it speaks of them loosely. Each is told by the one column of one table that is meant; where
two could be, nothing is. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.wording import amounts, most, names, nearly, questions
from spark_jupyter.server.engines.wording.speech import Speech

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_jupyter.server.engines.namespace import Namespace


def told(text: str, namespace: Namespace) -> str:
    """The text with the columns' own names."""
    if not namespace.of_kind("DataFrame"):
        return text
    speech = Speech(text, namespace)
    for step in _STEPS if speech.tables else ():
        made = step(text, speech)
        if made != text:
            text, speech = made, Speech(made, namespace)
    return text


_STEPS: tuple[Callable[[str, Speech], str], ...] = (
    nearly.done_at, nearly.spelt, nearly.of_rows, nearly.by_initials, nearly.of_marks, nearly.both_sexes, nearly.accurate, nearly.doing_so,
    nearly.drawn, nearly.of_done, nearly.of_week, nearly.commonest,
    names.ranged, names.defined, names.partly, most.done_most, names.domains, names.swapped, names.mistyped, names.nouns, amounts.spent,
    amounts.averaged, questions.formulated, questions.valued, questions.amounted, questions.counted, questions.listed_once,
    questions.measured, most.since, most.when, most.most_done, most.superlatives, most.verbs, amounts.sums, amounts.in_total,
    amounts.years, amounts.compared, amounts.opposites, amounts.unreturned, amounts.spanned,
)  # fmt: skip
