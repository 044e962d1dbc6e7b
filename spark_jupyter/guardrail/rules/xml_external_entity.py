"""XML parsers that resolve external entities.

The XML reads files, calls addresses or grows without end while it is parsed.
"""

from __future__ import annotations

from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import UNKNOWN, Danger, Trust, Value

_STANDARD: Final = (
    "xml.etree.ElementTree.parse xml.etree.ElementTree.fromstring xml.etree.ElementTree.XML xml.etree.ElementTree.iter"
    "parse xml.dom.minidom.parse xml.dom.minidom.parseString "
    "xml.dom.pulldom.parse xml.dom.pulldom.parseString xml.dom.expatbuilder.parse xml.dom.expatbuilder.parseString "
    "xml.sax.parse xml.sax.parseString xml.etree.ElementTree.fromstringlist ET.fromstring ET.parse "
    "minidom.parseString minidom.parse pandas.read_xml"
)
_LXML: Final = (
    "lxml.etree.parse lxml.etree.fromstring lxml.etree.XML lxml.etree.iterparse etree.parse etree.fromstring "
    "lxml.objectify.fromstring lxml.objectify.parse"
)


def _parser(call: Call, state: State) -> Hit | None:
    entities = call.argument(-1, "resolve_entities")
    if entities.const is False:
        return None
    network = call.kwargs.get("no_network", UNKNOWN).const is False
    dtd = call.kwargs.get("load_dtd", UNKNOWN).const is True or call.kwargs.get("dtd_validation", UNKNOWN).const is True
    if entities.const is True or network or dtd or call.kwargs.get("huge_tree", UNKNOWN).const is True:
        return Hit(call.node, severity="block" if network or dtd else "warn")
    if call.tail == "XMLParser" and call.name.startswith(("lxml", "etree")):
        return Hit(call.node, severity="warn", cwe=827)
    return None


def _lxml(call: Call, state: State) -> Hit | None:
    parser = call.argument(1, "parser")
    if call.argument(-1, "resolve_entities").const is False:
        return None
    if call.given(1, "parser") and "XMLParser" in parser.name:
        return None
    flows = state.certain(call.argument(0, "source", "text"), Danger.XML, Trust.NETWORK)
    if flows:
        return Hit(call.node, flows=flows)
    named = state.dangerous(call.argument(0, "source", "text"), Danger.XML, Trust.LOCAL)
    return Hit(call.node, flows=named, severity="warn") if named else None


def _standard(call: Call, state: State) -> Hit | None:
    value = call.argument(0, "source", "text", "string", "file", "path_or_buffer")
    cwe = 611 if call.name.startswith(("xml.sax", "xml.dom.pulldom")) else 776
    flows = state.certain(value, Danger.XML, Trust.NETWORK)
    if flows:
        return Hit(call.node, flows=flows, severity="warn", cwe=cwe)
    if state.dangerous(value, Danger.XML) and call.tail in ("parse", "iterparse"):
        return Hit(call.node, severity="hint", cwe=cwe) if _xml_named(value) else None
    if state.dangerous(value, Danger.XML) and (call.tail in ("fromstring", "parseString", "XML") or _xml_named(value)):
        return Hit(call.node, severity="warn", cwe=cwe if cwe == 611 else 20)
    return None


def _xml_named(value: Value) -> bool:
    return any("xml" in origin.parameter.lower() for origin, _ in value.flows)


def _feature(call: Call, state: State) -> Hit | None:
    feature, on_ = call.argument(0), call.argument(1)
    if feature.name.endswith(("feature_external_ges", "feature_external_pes")) and on_.const in (True, 1):
        return Hit(call.node, severity="block")
    return None


def _entities(call: Call, state: State) -> Hit | None:
    """``xmltodict.parse(text, disable_entities=False)``."""
    return Hit(call.node) if call.kwargs.get("disable_entities", UNKNOWN).const is False else None


RULE: Final = Rule(
    id="xml-external-entity",
    cwe=611,
    severity="warn",
    message="XML can name files and addresses for the parser to read, and can grow until memory is full.",
    remedy="Use defusedxml, or lxml with XMLParser(resolve_entities=False, no_network=True).",
    bad=(
        "import xmltodict\nxmltodict.parse(request.data, disable_entities=False)",
        "from lxml import etree\netree.fromstring(request.data)",
        "from lxml import etree\nparser = etree.XMLParser(resolve_entities=True)",
    ),
    good=(
        "import xmltodict\nxmltodict.parse(request.data)",
        "from lxml import etree\nfor _, e in etree.iterparse(request.stream, resolve_entities=False, no_network=True):\n    pass",
        "from lxml import etree\nparser = etree.XMLParser(resolve_entities=False, no_network=True)\netree.fromstring(request.data, parser)",
    ),
    calls={
        **on("lxml.etree.XMLParser etree.XMLParser lxml.etree.XMLTreeBuilder lxml.etree.ETCompatXMLParser", _parser),
        **on(_LXML, _lxml),
        **on(_STANDARD, _standard),
        **on("xmltodict.parse", _entities),
    },
    methods=on("setFeature", _feature),
)
