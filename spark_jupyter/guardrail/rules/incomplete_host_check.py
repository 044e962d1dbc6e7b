"""Address checks that other addresses pass too."""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Compare, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Value
from spark_jupyter.source.changed_names import last_name

_HOST: Final = re.compile(
    r"^(?:https?://)?(?:www\.)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|edu|gov|co|dev|app|de|uk|eu|local)/?$|^\.(?:com|org|net)/?$"
)
_UNESCAPED: Final = re.compile(r"(?<!\\)[\w)]\.(?:[\w-]+(?:\\?\.))*(?:com|org|net|io|edu|gov)\b")
_URL_NAME: Final = re.compile(
    r"url|uri|link|host|domain|origin|referr?er|target|redirect|next|site|address", re.IGNORECASE
)


def _about_url(value: Value, node: ast.expr) -> bool:
    name = last_name(node)
    return bool(_URL_NAME.search(name) or _URL_NAME.search(value.name.rpartition(".")[2])) or any(
        _URL_NAME.search(origin.parameter) for origin, _ in value.flows
    )


def _compare(event: Compare, state: State) -> Hit | None:
    if len(event.node.ops) != 1 or not isinstance(event.node.ops[0], ast.In) or not isinstance(event.left.const, str):
        return None
    if not _HOST.match(event.left.const) or event.right.items is not None:
        return None
    return Hit(event.node) if _about_url(event.right, event.node.comparators[0]) else None


def _ends(call: Call, state: State) -> Hit | None:
    text = call.argument(0).known_text
    if text is None or not isinstance(call.node.func, ast.Attribute) or (text.startswith(".") and len(text) > 6):
        return None
    bare = _HOST.match(text) and (call.tail == "endswith" or not text.endswith("/"))
    if not bare or (call.tail == "startswith" and "." not in text):
        return None
    return Hit(call.node) if _about_url(call.receiver, call.node.func.value) else None


def _pattern(call: Call, state: State) -> Hit | None:
    text = call.argument(0, "pattern").known_text
    if text is None or len(text) > 300 or not _UNESCAPED.search(text):
        return None
    return Hit(
        call.node,
        message="In a pattern . stands for any character: another host matches this too.",
        remedy=r"Write \. for a dot, and end the pattern with $ or compare urlparse(url).hostname.",
    )


RULE: Final = Rule(
    id="incomplete-host-check",
    cwe=20,
    severity="warn",
    message="Other addresses pass this check too: example.com.evil.org and evil-example.com hold the same text.",
    remedy='Compare the host itself: urlparse(url).hostname == "example.com".',
    bad=(
        'if "example.com" in url:\n    go(url)',
        'url.endswith("example.com")',
        'import re\nre.compile("(www|beta).example.com/")',
    ),
    good=(
        'from urllib.parse import urlparse\nif urlparse(url).hostname == "example.com":\n    go(url)',
        'url.startswith("https://example.com/")',
        'name.endswith(".csv")',
    ),
    calls=on("re.compile re.match re.search re.fullmatch", _pattern),
    methods=on("endswith startswith", _ends),
    compare=_compare,
)
