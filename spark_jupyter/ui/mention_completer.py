"""Tab behind an ``@`` in a magic's prompt: what may be pointed at (:mod:`spark_jupyter.ui.mention_lookup`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from spark_jupyter.ui.mention_lookup import completions

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_POINTED = re.compile(r"(?<![\w.@])@([\w.~/-]*)$")


def complete_mentions(shell: InteractiveShell, *, names: Sequence[str]) -> Callable[[], None]:
    """Complete what a prompt of the magics ``names`` points at. Returns what ends that."""
    asks = re.compile(rf"\s*%{{1,2}}(?:{'|'.join(map(re.escape, names))})\b")

    @context_matcher()  # type: ignore[untyped-decorator]  # IPython's own is not typed
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        pointed = _POINTED.search(context.line_with_cursor[: context.cursor_position])
        if pointed is None or not asks.match(context.full_text):
            return SimpleMatcherResult(completions=[])
        found = completions(pointed[1], shell.user_ns, folder=Path.cwd())
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text, type="spark") for text in found],
            matched_fragment=pointed[1],
            suppress=bool(found),
        )

    matcher.matcher_identifier = "spark_mentions"
    shell.Completer.custom_matchers.append(matcher)
    return lambda: shell.Completer.custom_matchers.remove(matcher)
