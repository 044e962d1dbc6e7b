"""Style sheets and XML text built from input."""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust


def _check(call: Call, state: State) -> Hit | None:
    flows = state.certain(call.argument(0), Danger.XML, Trust.NETWORK)
    if flows and (call.tail == "XSLT" or "tree" in call.name or "parse()" in call.name):
        return Hit(call.node, flows=flows)
    return None


RULE: Final = Rule(
    id="xml-injection",
    cwe=91,
    severity="warn",
    message="A style sheet from input reads files and runs what it likes.",
    remedy="Use only style sheets of your own.",
    bad=('from lxml import etree\netree.XSLT(etree.XML(request.args["x"]))',),
    good=('from lxml import etree\netree.XSLT(etree.parse("a.xsl"))',),
    calls=on("lxml.etree.XSLT etree.XSLT", _check),
    methods=on("xslt", _check),
)
