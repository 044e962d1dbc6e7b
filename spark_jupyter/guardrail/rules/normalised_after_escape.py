"""Text normalised after it was checked or escaped.

Normalisation can bring back the characters that were removed.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust


def _check(call: Call, state: State) -> Hit | None:
    text = call.argument(1, "unistr")
    if text.name.endswith("escape()") and any(
        origin.trust == Trust.REMOTE and not bits & Danger.HTML for origin, bits in text.flows
    ):
        return Hit(call.node)
    return None


RULE: Final = Rule(
    id="normalised-after-escape",
    cwe=176,
    severity="warn",
    message="Normalising after the check can bring forbidden characters back.",
    remedy="Normalise first, then check and escape.",
    bad=(
        'import unicodedata\nfrom markupsafe import escape\nt = escape(request.args["t"])\nunicodedata.normalize("NFKC", t)',
    ),
    good=('import unicodedata\nt = unicodedata.normalize("NFKC", request.args["t"])',),
    calls=on("unicodedata.normalize", _check),
)
