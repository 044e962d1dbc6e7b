"""Taint of call results.

A call gives new input, hands input on, makes it harmless, or returns what a function of the notebook returns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from spark_jupyter.guardrail import marked_paths, record_classes, stored_rows, taint_catalogue, taint_text_calls
from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State, Summary
from spark_jupyter.guardrail.taint_values import (
    EVERYTHING,
    HOLE,
    LISTED,
    MISSING,
    SAFE,
    UNKNOWN,
    Danger,
    Fact,
    Flows,
    Trust,
    Value,
    merge_flows,
    without,
    words,
)


# --- TLS contexts, connections and private keys ---
def context(event: Call) -> Value | None:
    """``ssl.SSLContext(…)`` checks certificates only where it is asked for a client's."""
    if event.name != "ssl.SSLContext" or event.argument(0, "protocol").name.endswith(("_CLIENT", "_SERVER")):
        return None
    return Value("ssl.SSLContext()", fact=Fact.UNVERIFIED)


def connection(event: Call) -> Value | None:
    """Value of a connection to another computer that begins unencrypted."""
    address = event.argument(0, "host", "uri", "url").known_text or ""
    ldap = event.name in ("ldap.initialize", "ldap3.Server") and address.startswith("ldap://")
    mail = event.name in ("smtplib.SMTP", "imaplib.IMAP4", "poplib.POP3")
    near = address.removeprefix("ldap://").startswith(("localhost", "127.", "::1"))
    return Value(f"{event.name}()", fact=Fact.IN_THE_CLEAR) if (ldap or mail) and not near else None


def private_bytes(event: Call) -> Value | None:
    """Value of a serialised private key; with a passphrase it is harmless."""
    open_to_all = event.argument(2, "encryption_algorithm").name.endswith("NoEncryption()")
    return None if open_to_all else Value()


# --- Taint of calls whose result is escaped HTML or JSON ---
def table(event: Call) -> Value | None:
    """``df.to_html()`` escapes what is in the table, unless it is told not to."""
    escape = event.argument(-1, "escape")
    if escape.const is False or not event.receiver.name.startswith("pandas."):
        return None
    return Value(f"{event.name}()", flows=without(event.receiver.flows, Danger.HTML))


def response(event: Call) -> Value | None:
    """Flask's ``make_response({…})`` is an answer in JSON."""
    body = event.argument(0, "response")
    if not isinstance(body.items, dict):
        return None
    return Value(f"{event.name}()", flows=without(body.flows, Danger.HTML))


# --- Calls to language models ---
# An answer is somebody else's text, and may be anything.
_TAILS: Final = words("create invoke ainvoke run predict apredict complete chat generate completion")
_CHAINS: Final = ("langchain", "langchain_core", "langchain_openai", "langchain_community", "langchain_anthropic")
_CALLS: Final = re.compile(
    r"(?:completions?|responses|messages|Completion|ChatCompletion)\.create$|^(?:ollama|litellm)"
    r"\.\w+$|(?:llm|chain|agent|chat_model)\.(?:invoke|run|predict|complete)$|"
    r"(?:Chat\w*|LLM\w*|AI|Ollama|Pipeline|Chain|Agent|Anthropic)\(\)\.(?:a?invoke|a?predict|run|complete)$|from_pretrained\(\)\.generate$"
)


def asks(name: str, tail: str, state: State) -> bool:
    """True if a call asks a model: of a service, of LangChain or on this machine."""
    if tail not in _TAILS:
        return False
    chain = not name and tail in ("invoke", "ainvoke") and state.uses(*_CHAINS)  # prompt | model | parser
    return chain or _CALLS.search(name) is not None


def pipeline(event: Call) -> Value | None:
    """``pipeline("text-generation")`` of transformers writes, where others measure or choose."""
    task = event.argument(0, "task").known_text or ""
    writes = "text" in task.split("2")[-1] and "classification" not in task
    return Value("transformers.pipeline(text)") if event.name == "transformers.pipeline" and writes else None


_FORWARDING: Final = frozenset({"x-forwarded-for", "x-real-ip", "http_x_forwarded_for", "client-ip", "x-client-ip"})
_CONTENT: Final = Danger.HTML | Danger.LOG | Danger.HEADER


_SAVING: Final = frozenset({"write", "writelines", "write_bytes", "copyfileobj"})


def _note_saving(tail: str, args: list[Value], state: State) -> None:
    if tail in _SAVING and any(origin.trust >= Trust.NETWORK for value in args for origin, _ in value.flows):
        state.saved_foreign_data()


def result(event: Call, function: Value, state: State) -> Value:
    """Value of a call; ``function`` is the called value."""
    name, tail, args = event.name, event.tail, event.args
    _note_saving(tail, args, state)
    result_name = f"{name}()" if name and len(name) < 100 else ""
    given = _given_by_own(event, result_name, state) or record_classes.made(event, function)
    if given is not None:
        return given
    rows = stored_rows.rows(event, result_name, state)
    if rows is not None:
        return rows
    source = _source(event, state)
    if source is not None:
        if (
            event.receiver is not UNKNOWN
            and name not in taint_catalogue.CALL_SOURCES
            and tail in taint_catalogue.METHOD_SOURCES
        ):
            result_name = name
        # who chooses a file does not write what is in it, yet may choose one that carries code
        inherited = without(merge_flows(*[arg.flows for arg in args]), _CONTENT) if source[1] == Trust.FILE else ()
        fact = _opened(event, state) if name == "open" else None
        return Value(result_name, flows=merge_flows(inherited, state.flow(*source)), fact=fact)
    if name in taint_catalogue.SAFE_SOURCES:
        few = name == "os.urandom" and args and isinstance(args[0].const, int) and args[0].const < 8
        return Value(result_name, safe=True, fact=Fact.FEW_RANDOM_BYTES if few else None)
    bits = taint_catalogue.SANITISERS.get(name)
    if bits is None and isinstance(event.node.func, ast.Attribute):
        bits = taint_catalogue.METHOD_SANITISERS.get(tail)
    if bits is not None:
        if name in ("int", "float") and args and any(origin.trust == Trust.REMOTE for origin, _ in args[0].flows):
            return Value(safe=True, fact=Fact.NUMBER_OF_A_REQUEST)
        return _sanitised(event, bits, result_name)
    if tail == "get" and args and isinstance(args[0].const, str) and function.flows and is_forwarding(args[0].const):
        return Value("", flows=state.flow("a forwarding header", Trust.REMOTE))
    special = _SPECIAL.get(tail)
    if special is not None:
        value = special(event)
        if value is not None:
            return value
    flows = _handed_on(event, function)
    safe = not flows and (event.receiver.safe or (name in _OF_NUMBERS and _all_safe(args)))
    text = HOLE if event.receiver.text is not None or name in ("str", "format") else None
    return Value(result_name, flows=flows, safe=safe, text=text)


def _source(event: Call, state: State) -> tuple[str, Trust] | None:
    """Label and trust of a call that brings input in."""
    source = taint_catalogue.CALL_SOURCES.get(event.name)
    if source is None and event.receiver is not UNKNOWN:
        source = taint_catalogue.METHOD_SOURCES.get(event.tail)
    if source is None and event.tail == "get_filename" and state.uses(*taint_catalogue.MAIL):
        return ("a mail's attachment", Trust.NETWORK)
    if source is None and asks(event.name, event.tail, state):
        return ("a model's answer", Trust.NETWORK)
    return source


_OF_NUMBERS: Final = frozenset({"max", "min", "abs", "round", "sum"})
"""Functions with a harmless result for harmless arguments: ``max(0, int(text))``."""


def _all_safe(values: Sequence[Value]) -> bool:
    return bool(values) and all(value.safe or value.is_constant for value in values)


def _given_by_own(event: Call, result_name: str, state: State) -> Value | None:
    """Value of a call of a function of the notebook, also through ``map``."""
    if state.made is not None and state.made[0] is event.node and state.made[1] is not None:
        return state.made[1]
    own = _own(event.name, event.tail, state)
    if own is not None:
        fact = Fact.MAY_BE_NONE if own.may_be_none else own.fact
        return Value(own.gives or result_name, fact=fact, flows=_returned(event, own.parameters, own.returned))
    if event.name != "map" or len(event.args) != 2:
        return None
    mapped = state.context.functions.get(event.args[0].name)
    if mapped is None:
        return None
    each = event._replace(args=[element_of(event.args[1])], kwargs={})
    return Value(result_name, flows=_returned(each, mapped.parameters, mapped.returned))


def _own(name: str, tail: str, state: State) -> Summary | None:
    """The notebook's own function that is called: what it does says more than its name. A method of any object is looked up only where
    its name promises something."""
    functions = state.context.functions
    own = functions.get(name.removeprefix("self.").removeprefix("cls."))
    if own is None and tail in functions and taint_catalogue.SANITISER_NAME.search(tail):
        return functions[tail]
    return own


def _opened(event: Call, state: State) -> Fact | None:
    """Note a file that is opened to write; recognise one that the program wrote itself."""
    path, mode = event.argument(0, "file").known_text, event.argument(1, "mode").known_text or "r"
    if path is None:
        return None
    if set(mode) & set("wx"):
        state.wrote(path)
        return None
    return Fact.OWN_FILE if state.has_written(path) else None


def _sanitised(event: Call, bits: int, result_name: str) -> Value:
    if bits == EVERYTHING:
        return Value(result_name, safe=True)
    everything = [event.receiver, *event.args, *event.kwargs.values()]
    flows = without(merge_flows(*[value.flows for value in everything]), bits)
    flows = elsewhere(flows) if event.tail in _LAST_PARTS else flows
    return Value(result_name, flows=flows, text=HOLE, safe=bool(bits & (Danger.SHELL | Danger.SQL)))


def _handed_on(event: Call, function: Value) -> Flows:
    name, tail = event.name, event.tail
    method = isinstance(event.node.func, ast.Attribute)
    values = [function] if method else []
    if (
        name in taint_catalogue.HANDS_ON
        or tail in taint_catalogue.MIXING_METHODS
        or name.endswith("from_pretrained().decode")
    ):
        values = [*values, *event.args, *event.kwargs.values()]
    elif method and tail in ("get", "pop") and len(event.args) > 1:
        values = [*values, event.args[1]]
    elif not method and name not in taint_catalogue.HANDS_ON and taint_catalogue.SANITISER_NAME.search(tail):
        return ()
    flows = merge_flows(*[value.flows for value in values])
    if tail in _LAST_PARTS:
        flows = elsewhere(flows)
    if flows and name not in taint_catalogue.HANDS_ON and taint_catalogue.SANITISER_NAME.search(tail):
        return ()
    return flows


_LAST_PARTS: Final = frozenset({"relative_to", "relpath", "listdir", "basename"})


def elsewhere(flows: Flows) -> Flows:
    """Flows of a path's last part, which says nothing of the folder."""
    return tuple(flow for flow in flows if flow[0].trust != Trust.OWN)


def _returned(event: Call, parameters: list[str], returned: Flows) -> Flows:
    """Flows that a function of the notebook returns, with the caller's arguments put in for its parameters."""
    flows: list[Flows] = []
    for origin, bits in returned:
        if origin.trust != Trust.PARAMETER:
            flows.append(((origin, bits),))
            continue
        value = passed(event, parameters, origin.parameter)
        flows.append(tuple((inner, inner_bits & bits) for inner, inner_bits in value.flows if inner_bits & bits))
    return merge_flows(*flows)


def passed(event: Call, parameters: list[str], parameter: str) -> Value:
    """Argument that a call gives for a parameter."""
    if parameter in event.kwargs:
        return event.kwargs[parameter]
    if parameter in parameters:
        position = parameters.index(parameter)
        made = event.tail[:1].isupper()  # an object of a class: self is not given
        if parameters[0] in ("self", "cls") and (made or isinstance(event.node.func, ast.Attribute)):
            position -= 1
        if 0 <= position < len(event.args):
            return event.args[position]
    if f"*{parameter}" in parameters:
        return Value(flows=merge_flows(*[value.flows for value in event.args]))
    if f"**{parameter}" in parameters:
        return Value(flows=merge_flows(*[value.flows for value in event.kwargs.values()]))
    return UNKNOWN


def is_forwarding(header: str) -> bool:
    """True if a header names the origin of a request: its sender may forge it."""
    return header.lower() in _FORWARDING


def element_of(value: Value) -> Value:
    if value.fact is Fact.ENUMERATION:
        return SAFE
    items = list(value.items.values()) if isinstance(value.items, dict) else value.items
    if isinstance(value.items, dict):
        return Value(flows=value.flows, safe=True)
    if items and any(map(marked_paths.is_whole, items)):
        return Value(LISTED, flows=value.flows, fact=Fact.WHOLE)
    if items and len(items) <= 16:
        if all(item.is_constant or item.safe for item in items):
            return SAFE if not all(item.items for item in items) else Value(safe=True)
        if len(items) == 1:
            return items[0]
    fact = value.fact if value.fact in (Fact.WHOLE, Fact.HERE) else None
    name = f"{value.name}{LISTED}" if value.name or fact else ""
    return Value(name, flows=value.flows, safe=value.safe or value.is_constant, fact=fact)


def repr_of(value: Value) -> Value:
    """``repr(value)``: line breaks are written out."""
    return Value(
        flows=without(value.flows, taint_text_calls.LINE_BREAKS), text=HOLE, safe=value.safe or value.is_constant
    )


def _get(event: Call) -> Value | None:
    """``mapping.get(key, default)`` of a mapping written in the notebook gives one of its constants."""
    items = event.receiver.items
    if not isinstance(items, dict) or not event.args:
        return _taken(event)
    key = event.args[0].const
    if key is not MISSING and key in items:
        return items[key]
    default = event.args[1] if len(event.args) > 1 else SAFE
    if items and all(item.is_constant or item.safe for item in items.values()):
        return SAFE if not default.flows else default
    return None


def _taken(event: Call) -> Value | None:
    """``places.pop()``, ``next(iter(places))``, ``random.choice(places)``: a home folder where one is among them."""
    of = event.receiver if event.tail.startswith(("pop", "get")) else event.argument(0)
    one = element_of(of) if isinstance(of.items, list) or of.fact is Fact.WHOLE else UNKNOWN
    return one if one.fact is Fact.WHOLE else None


def _dict(event: Call) -> Value | None:
    """``dict(verify=False, timeout=5)`` is the dict that it spells."""
    start = event.args[0].items if event.args else {}
    if event.name != "dict" or not isinstance(start, dict):
        return None
    items: dict[object, Value] = dict(start)
    items.update(event.kwargs.items())
    flows = merge_flows(*[value.flows for value in [*event.args, *event.kwargs.values()]])
    return Value(items=items, flows=flows, safe=_all_safe([*items.values()]))


def _getattr(event: Call) -> Value | None:
    """``getattr(yaml, "SafeLoader")`` is ``yaml.SafeLoader``."""
    name = event.argument(1).const
    if event.name != "getattr" or not isinstance(name, str) or not event.args[0].name or event.args[0].flows:
        return None
    return Value(f"{event.args[0].name}.{name}")


def _enumerate(event: Call) -> Value | None:
    """``enumerate(rows)``: the number is the program's own."""
    if event.name != "enumerate" or not event.args:
        return None
    pair = Value(items=[SAFE, element_of(event.args[0])], flows=event.args[0].flows)
    return Value(items=[pair], flows=pair.flows, fact=Fact.REPEATED)


_SPECIAL: Final = {
    "private_bytes": private_bytes,
    "enumerate": _enumerate,
    "to_html": table,
    **dict.fromkeys(("make_response", "Response"), response),
    "pipeline": pipeline,
    "namedtuple": record_classes.named,
    "SSLContext": context,
    **dict.fromkeys(("initialize", "Server", "SMTP", "IMAP4", "POP3"), connection),
    "dict": _dict,
    "getattr": _getattr,
    **dict.fromkeys(("pop", "popleft", "get_nowait", "next", "iter", "choice"), _taken),
    "get": _get,
    **taint_text_calls.RESULTS,
}
