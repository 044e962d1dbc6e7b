"""XPath expressions built from input.

They select more than they should.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.rules._queries import in_query
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger


def _check(call: Call, state: State) -> Hit | None:
    path = call.argument(0, "path", "_path", "query")
    if call.tail in ("find", "findall", "iterfind", "findtext", "select") and not (
        state.uses("lxml", "xml", "elementpath") and "[" in (path.text or "")
    ):
        return None
    if call.tail == "select" and "elementpath" not in call.name:
        return None
    return in_query(call.node, path, "[", Danger.XPATH, state)


RULE: Final = Rule(
    id="xpath-injection",
    cwe=643,
    severity="block",
    message="Input is part of an XPath expression: with a quote in it, it selects everything.",
    remedy="Pass it as a variable: tree.xpath('//user[@name=$n]', n=name).",
    bad=(
        'from lxml import etree\ntree = etree.parse("a.xml")\ntree.xpath("/tag[@id=\'%s\']" % request.args["id"])',
        (
            'import xml.etree.ElementTree as ET\nroot = ET.parse("u.xml").getroot()\nroot.findall("./user[@name=\'" '
            '+ request.args["u"] + "\']")'
        ),
    ),
    good=(
        'from lxml import etree\ntree = etree.parse("a.xml")\ntree.xpath("/tag[@id=$i]", i=request.args["id"])',
        'import xml.etree.ElementTree as ET\nroot = ET.parse("u.xml").getroot()\nroot.findall("user")',
    ),
    calls=on("lxml.etree.XPath etree.XPath elementpath.select", _check),
    methods=on("xpath find findall iterfind findtext xpathEval", _check),
)
