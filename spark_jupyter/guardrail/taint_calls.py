"""Taint of call results.

A call gives new input, hands input on, makes it harmless, or returns what a function of the notebook returns.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from spark_jupyter.guardrail import (
    html_results,
    language_models,
    record_classes,
    stored_rows,
    taint_catalogue,
    transport_security,
)
from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_state import State, Summary
from spark_jupyter.guardrail.taint_values import (
    EVERYTHING,
    HOLE,
    MISSING,
    SAFE,
    UNKNOWN,
    Danger,
    Fact,
    Flows,
    Trust,
    Value,
    concatenate,
    merge_flows,
    without,
    words,
)

_FORWARDING: Final = frozenset({"x-forwarded-for", "x-real-ip", "http_x_forwarded_for", "client-ip", "x-client-ip"})
_CONTENT: Final = Danger.HTML | Danger.LOG | Danger.HEADER
_LINE_BREAKS: Final = Danger.LOG | Danger.HEADER
_STRING_METHODS: Final = words(
    "strip lstrip rstrip lower upper title capitalize encode decode split rsplit splitlines partition "
    "swapcase zfill expandtabs casefold removeprefix removesuffix translate"
)


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
    if source is None and language_models.asks(event.name, event.tail, state):
        return ("a model's answer", Trust.NETWORK)
    return source


_OF_NUMBERS: Final = frozenset({"max", "min", "abs", "round", "sum"})
"""Functions with a harmless result for harmless arguments: ``max(0, int(text))``."""


def _all_safe(values: Sequence[Value]) -> bool:
    return bool(values) and all(value.safe or value.is_constant for value in values)


def _given_by_own(event: Call, result_name: str, state: State) -> Value | None:
    """Value of a call of a function of the notebook, also through ``map``."""
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
    if flows and name not in taint_catalogue.HANDS_ON and taint_catalogue.SANITISER_NAME.search(tail):
        return ()
    return flows


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
    """Value of one element of an iterable."""
    if value.fact is Fact.ENUMERATION:
        return SAFE
    items = list(value.items.values()) if isinstance(value.items, dict) else value.items
    if isinstance(value.items, dict):
        return Value(flows=value.flows, safe=True)
    if items and len(items) <= 16:
        if all(item.is_constant or item.safe for item in items):
            return SAFE if not all(item.items for item in items) else Value(safe=True)
        if len(items) == 1:
            return items[0]
    name = f"{value.name}[]" if value.name else ""
    return Value(name, flows=value.flows, safe=value.safe or value.is_constant)


def repr_of(value: Value) -> Value:
    """``repr(value)``: line breaks are written out."""
    return Value(flows=without(value.flows, _LINE_BREAKS), text=HOLE, safe=value.safe or value.is_constant)


def _format(event: Call) -> Value | None:
    """``"…{}…".format(…)``."""
    template = event.receiver.text
    if event.receiver.name.endswith("Markup()"):  # it escapes what is put in
        given = merge_flows(*[value.flows for value in (*event.args, *event.kwargs.values())])
        return Value(event.receiver.name, flows=merge_flows(event.receiver.flows, without(given, Danger.HTML)))
    if template is None or not isinstance(event.node.func, ast.Attribute):
        return None
    pieces: list[Value] = []
    position = 0
    rest = template.replace("{{", "").replace("}}", "")
    while (start := rest.find("{")) >= 0:
        end = rest.find("}", start)
        if end < 0:
            break
        pieces.append(Value(text=rest[:start], const=rest[:start]))
        field = rest[start + 1 : end]
        name, _, spec = field.partition(":")
        name = name.partition("!")[0].partition(".")[0].partition("[")[0]
        value = _field(event, name, position)
        position += not name
        pieces.append(SAFE if spec[-1:] in ("d", "f", "x", "g", "e") else value)
        rest = rest[end + 1 :]
    pieces.append(Value(text=rest, const=rest))
    result = concatenate(
        [piece if piece.text is not None or piece.is_constant else piece.but(text=HOLE) for piece in pieces]
    )
    extra = merge_flows(event.receiver.flows, result.flows)
    return result.but(flows=extra)


def _field(event: Call, name: str, position: int) -> Value:
    if not name:
        return event.argument(position)
    return event.argument(int(name)) if name.isdecimal() and len(name) < 4 else event.argument(-1, name, "**")


def _join(event: Call) -> Value | None:
    """``sep.join(parts)``."""
    if event.receiver.text is None or len(event.args) != 1:
        return None
    parts = event.args[0]
    if isinstance(parts.items, list) and parts.fact is not Fact.REPEATED:
        pieces: list[Value] = []
        for index, item in enumerate(parts.items):
            if index:
                pieces.append(event.receiver)
            pieces.append(item if item.text is not None else item.but(text=HOLE))
        return concatenate(pieces) if pieces else Value(const="", text="")
    inner = parts.items[0] if isinstance(parts.items, list) and parts.items else parts
    text = f"{inner.text}{HOLE}" if parts.fact is Fact.REPEATED and inner.is_built else HOLE
    return Value(text=text, flows=parts.flows, safe=parts.safe or inner.safe)


def _replace(event: Call) -> Value | None:
    """``s.replace(a, b)``: taking out line breaks makes a log line harmless."""
    receiver = event.receiver
    if len(event.args) < 2 or not isinstance(event.node.func, ast.Attribute):
        return None
    old, new = event.args[0], event.args[1]
    if receiver.name.startswith(("pandas", "df")) and receiver.text is None:
        return None
    flows = receiver.flows
    if isinstance(old.const, str) and ("\n" in old.const or "\r" in old.const):
        flows = without(flows, _LINE_BREAKS)
    if old.const == '"' and new.const == '""':  # SQL's own rule for a quoted name
        flows = without(flows, Danger.SQL)
    return Value(receiver.name, flows=merge_flows(flows, new.flows), text=HOLE, safe=receiver.safe and new.is_constant)


def _sub(event: Call) -> Value | None:
    """``re.sub(pattern, replacement, text)``: keeping only a class of characters is a sanitiser."""
    if event.name == "re.sub" and len(event.args) >= 3:
        pattern, subject = event.args[0].known_text, event.args[2]
    elif event.name.startswith("re.compile()") and len(event.args) >= 2:
        pattern, subject = event.receiver.known_text, event.args[1]
    else:
        return None
    bits = 0
    if pattern is not None and pattern.startswith("[^"):
        bits = EVERYTHING if "." not in pattern and "/" not in pattern else EVERYTHING & ~int(Danger.PATH)
    elif pattern is not None and ("\\n" in pattern or "\n" in pattern or "\\s" in pattern):
        bits = _LINE_BREAKS
    return Value("re.sub()", flows=without(subject.flows, bits), text=HOLE)


def _compile(event: Call) -> Value | None:
    """Value of a compiled pattern, with its text for later conditions."""
    if event.name != "re.compile" or not event.args:
        return None
    pattern = event.args[0]
    return Value("re.compile()", text=pattern.text, flows=pattern.flows, const=pattern.const)


def _get(event: Call) -> Value | None:
    """``mapping.get(key, default)`` of a mapping written in the notebook gives one of its constants."""
    items = event.receiver.items
    if not isinstance(items, dict) or not event.args:
        return None
    key = event.args[0].const
    if key is not MISSING and key in items:
        return items[key]
    default = event.args[1] if len(event.args) > 1 else SAFE
    if items and all(item.is_constant or item.safe for item in items.values()):
        return SAFE if not default.flows else default
    return None


def _string_method(event: Call) -> Value | None:
    receiver = event.receiver
    if receiver.name.endswith("from_pretrained()") or event.name in taint_catalogue.HANDS_ON:
        return None  # a tokenizer, which gives a text for a model's answer; shlex.split, re.split
    if receiver.is_constant:
        text = receiver.text if event.tail in ("strip", "encode", "decode", "lstrip", "rstrip") else HOLE
        if text is not None and text != HOLE:
            return Value(const=text, text=text)
        return Value(text=HOLE, safe=True)
    name = f"{event.name}()" if event.name else ""
    return Value(name, text=receiver.text, flows=receiver.flows, safe=receiver.safe, items=None)


def _expanduser(event: Call) -> Value | None:
    """``os.path.expanduser("~")`` is the home; of any other path it is that path."""
    path = event.argument(0, "path")
    known = path.known_text
    if known in ("~", "~/"):
        return None
    return path.but(const=MISSING, text=HOLE + known[1:] if known is not None and known.startswith("~") else HOLE)


def _getattr(event: Call) -> Value | None:
    """``getattr(yaml, "SafeLoader")`` is ``yaml.SafeLoader``."""
    name = event.argument(1).const
    if event.name != "getattr" or not isinstance(name, str) or not event.args[0].name or event.args[0].flows:
        return None
    return Value(f"{event.args[0].name}.{name}")


def _str(event: Call) -> Value | None:
    """``str(value)`` of what has no input in it stays what it was made by."""
    if event.name != "str" or len(event.args) != 1 or not event.args[0].safe or event.args[0].flows:
        return None
    return event.args[0].but(text=HOLE)


def _enumerate(event: Call) -> Value | None:
    """``enumerate(rows)``: the number is the program's own."""
    if event.name != "enumerate" or not event.args:
        return None
    pair = Value(items=[SAFE, element_of(event.args[0])], flows=event.args[0].flows)
    return Value(items=[pair], flows=pair.flows, fact=Fact.REPEATED)


_SPECIAL: Final = {
    "private_bytes": transport_security.private_bytes,
    "enumerate": _enumerate,
    "to_html": html_results.table,
    **dict.fromkeys(("make_response", "Response"), html_results.response),
    "pipeline": language_models.pipeline,
    "namedtuple": record_classes.named,
    "SSLContext": transport_security.context,
    **dict.fromkeys(("initialize", "Server", "SMTP", "IMAP4", "POP3"), transport_security.connection),
    "str": _str,
    "getattr": _getattr,
    "expanduser": _expanduser,
    "format": _format,
    "join": _join,
    "replace": _replace,
    "sub": _sub,
    "compile": _compile,
    "get": _get,
    **dict.fromkeys(_STRING_METHODS, _string_method),
}
