"""HTML cleaned with a regular expression.

Browsers accept far more than a pattern foresees.
"""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State

_SCRIPT: Final = re.compile(r"<\\?/?\s*(?:\\s\*)?\(?(?:script|iframe|style|object|img)\b|on\\w\+", re.IGNORECASE)


def _check(call: Call, state: State) -> Hit | None:
    text = call.argument(0, "pattern").known_text
    if text is not None and _SCRIPT.search(text) and call.argument(1, "repl").known_text is not None:
        return Hit(call.node)
    return None


def _replace(call: Call, state: State) -> Hit | None:
    text = call.argument(0).known_text
    if text is not None and text.lower().startswith(("<script", "</script")) and call.argument(1).known_text == "":
        return Hit(call.node)
    return None


RULE: Final = Rule(
    id="html-filter-by-pattern",
    cwe=116,
    severity="warn",
    message="Browsers read more as a script than this pattern finds: </script > and <scr<script>ipt> get through.",
    remedy="Escape the text (html.escape), or clean it with a library: nh3, bleach.",
    bad=("import re\nre.sub(r'<script.*?>.*?</script>', '', text)", 'text.replace("<script>", "")'),
    good=("import html\nhtml.escape(text)", "import re\nre.sub(r'\\d+', '', text)"),
    calls=on("re.sub", _check),
    methods=on("replace", _replace),
)
