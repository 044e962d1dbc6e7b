"""Invisible characters in code.

The text that is read is not the code that runs (CVE-2021-42574, "Trojan Source").
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.rule import Hit, Rule
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.source.invisible_text import far_code, hidden, visible
from spark_jupyter.source.ipython_lines import LINE_BREAKS, escape

_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_PLACE: Final = ast.Constant(value=None, lineno=1, col_offset=0)
_SPLIT: Final = "IPython begins a new line inside this one, at a character that nobody sees."
_FAR: Final = "This line has code behind a gap so wide that nobody sees it without scrolling."
_NEARER: Final = "Put it on a line of its own, where it is seen."


def _check(line: str, state: State) -> Hit | None:
    broken = LINE_BREAKS.search(line)
    if broken and any(map(escape, [line, *LINE_BREAKS.split(line)[1:]])):
        return Hit(_PLACE, severity="block", message=_SPLIT)
    found = hidden(line)
    if not found:
        return Hit(_PLACE, message=_FAR, remedy=_NEARER) if far_code(line) else None
    names = ", ".join(dict.fromkeys(visible(one).strip("<>") for one in found[:4]))
    return Hit(
        _PLACE,
        severity="block" if _BIDI.intersection(found) else "warn",
        message=f"There are characters in this line that nobody sees ({names}): what is read is not what runs.",
    )


RULE: Final = Rule(
    id="hidden-characters",
    cwe=1007,
    severity="warn",
    message="There are characters in this line that nobody sees: what is read is not what runs.",
    remedy="Leave them out, or write them as escapes in a string: '\\u200b'.",
    bad=(
        'access = "user\u202e \u2066# admin\u2069 \u2066"',
        "total\u200b = 1",
        "x = 1  # fine\u202e or not",
        'name = "a\U000e0041\U000e0042b"',
        "# nothing to see\u2067",
        "x = 1" + " " * 100 + "; y = 2",
        "%%time\x0bdelete()",
        'x = """a"""' + " " * 100 + "; y = 2",
        "if x:\n" + " " * 200 + "y = 2",
        "f(x,\n" + " " * 200 + "y())",
        "x = f'a" + " " * 100 + "{y()}'",
    ),
    good=(
        'family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"',
        'heart = "\u2764\ufe0f"',
        'word = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"',
        "flag = '\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f'",
        "text = 'zero width: \\\\u200b'",
        "grüße = 'naïve'",
        "x = 1" + " " * 100 + "# a comment at the far right",
        "line = 'left" + " " * 100 + "right'",
        'text = """\nleft' + " " * 100 + 'right\n"""',
        "x = 1  # don't" + " " * 100 + "write 'so'",
    ),
    line=_check,
)
