"""Tab completion in magics: commands behind ``%spark``, skills behind a ``/``, names behind an ``@``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from spark_jupyter.working_folder import working_folder

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_MENTION = re.compile(r"(?<![\w.@])@([\w.~/-]*)$")


def complete_magics(shell: InteractiveShell, *, names: Sequence[str]) -> Callable[[], None]:
    """Complete in the lines of the magics ``names``. Returns what ends that."""
    magic = "|".join(map(re.escape, names))
    asks = re.compile(rf"\s*%{{1,2}}(?:{magic})\b")
    first_word = re.compile(rf"\s*%{{1,2}}(?:{magic})\s+(\w*)$")

    first_skill = re.compile(rf"\s*%{{1,2}}(?:{magic})\s+/([a-z0-9-]*)$")

    @context_matcher()  # type: ignore[untyped-decorator]  # IPython's own is not typed
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.line_with_cursor[: context.cursor_position]
        if begun := first_word.match(line):
            from spark_jupyter.ui.magics.verbs import VERBS

            return _result([verb for verb in VERBS if verb.startswith(begun[1])], begun[1])
        if begun := first_skill.match(line):
            from spark_jupyter.ui.rule_files import project_rules

            skills = [skill.name for skill in project_rules(working_folder()).skills]
            return _result([name for name in skills if name.startswith(begun[1])], begun[1])
        mention = _MENTION.search(line)
        if mention is None or not asks.match(context.full_text):
            return SimpleMatcherResult(completions=[])
        from spark_jupyter.ui.mention_lookup import completions

        return _result(completions(mention[1], shell.user_ns, folder=working_folder()), mention[1])

    matcher.matcher_identifier = "spark_magics"
    shell.Completer.custom_matchers.append(matcher)
    return lambda: shell.Completer.custom_matchers.remove(matcher)


def _result(found: Sequence[str], fragment: str) -> SimpleMatcherResult:
    return SimpleMatcherResult(
        completions=[SimpleCompletion(text, type="spark") for text in found],
        matched_fragment=fragment,
        suppress=bool(found),
    )
