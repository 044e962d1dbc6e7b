"""Taint of the results of string methods and regular expressions.

Each function gives the value of one call, or None where the call is another one of the same name.
"""

from __future__ import annotations

import ast
import shlex
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from spark_jupyter.guardrail import encoded_constants, taint_catalogue
from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_values import (
    EVERYTHING,
    HOLE,
    ITEM_LIMIT,
    MISSING,
    SAFE,
    Danger,
    Fact,
    Value,
    concatenate,
    merge_flows,
    without,
    words,
)

LINE_BREAKS: Final = Danger.LOG | Danger.HEADER
"""Dangers that need a line break."""
_LONGEST: Final = 4_000
"""Characters of a constant that is split."""
_STRING_METHODS: Final = words(
    "strip lstrip rstrip lower upper title capitalize encode decode split rsplit splitlines partition "
    "swapcase zfill expandtabs casefold removeprefix removesuffix translate"
)


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
    if (said := encoded_constants.joined_characters(event)) is not None:
        return said
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
    if len(event.args) == 2 and (said := encoded_constants.replaced(receiver.const, old.const, new.const)) is not None:
        return said
    if receiver.name.startswith(("pandas", "df")) and receiver.text is None:
        return None
    flows = receiver.flows
    if isinstance(old.const, str) and ("\n" in old.const or "\r" in old.const):
        flows = without(flows, LINE_BREAKS)
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
        bits = LINE_BREAKS
    return Value("re.sub()", flows=without(subject.flows, bits), text=HOLE)


def _compile(event: Call) -> Value | None:
    """Value of a compiled pattern, with its text for later conditions; of constant code that is compiled, the code."""
    if event.name == "compile" and event.args and event.args[0].is_constant:
        return event.args[0]
    if event.name != "re.compile" or not event.args:
        return None
    pattern = event.args[0]
    return Value("re.compile()", text=pattern.text, flows=pattern.flows, const=pattern.const)


def _string_method(event: Call) -> Value | None:
    receiver = event.receiver
    if event.tail == "decode" and (said := encoded_constants.decoded_text(event)) is not None:
        return said
    if event.name == "shlex.split":
        return _words_of(event.argument(0, "s").known_text, shlex.split)
    if receiver.name.endswith("from_pretrained()") or event.name in taint_catalogue.HANDS_ON:
        return None  # a tokenizer, which gives a text for a model's answer; re.split
    if receiver.is_constant:
        if event.tail == "split" and not event.args and (found := _words_of(receiver.known_text, str.split)):
            return found
        known = receiver.const if isinstance(receiver.const, str) else receiver.text
        text = known if event.tail in ("strip", "encode", "decode", "lstrip", "rstrip") else HOLE
        if text is not None and text != HOLE:
            return Value(const=text, text=text)
        return Value(text=HOLE, safe=True)
    name = f"{event.name}()" if event.name else ""
    return Value(name, text=receiver.text, flows=receiver.flows, safe=receiver.safe, items=None)


def _words_of(text: str | None, split: Callable[[str], list[str]]) -> Value | None:
    """``"rm -rf build".split()``: the words that a constant has."""
    if text is None or len(text) > _LONGEST:
        return None
    with suppress(ValueError):  # of a quote that does not close
        return Value(items=[Value(const=word, text=word) for word in split(text)[:ITEM_LIMIT]], safe=True)
    return None


def _expanduser(event: Call) -> Value | None:
    """``os.path.expanduser("~")`` is the home; of any other path it is that path."""
    path = event.argument(0, "path")
    known = path.known_text
    if known in ("~", "~/") or not event.args:
        return None
    return path.but(const=MISSING, text=HOLE + known[1:] if known is not None and known.startswith("~") else HOLE)


def _str(event: Call) -> Value | None:
    """``str(value)`` of what has no input in it stays what it was made by."""
    if event.name != "str" or len(event.args) != 1 or not event.args[0].safe or event.args[0].flows:
        return None
    return event.args[0].but(text=HOLE)


RESULTS: Final[dict[str, Callable[[Call], Value | None]]] = {
    "str": _str,
    "expanduser": _expanduser,
    "format": _format,
    "join": _join,
    "replace": _replace,
    "sub": _sub,
    "compile": _compile,
    **dict.fromkeys(encoded_constants.DECODERS, encoded_constants.decoded),
    **dict.fromkeys(_STRING_METHODS, _string_method),
}
"""The value of a call by the last part of its name."""
