"""Conditions that make input harmless.

A line checks a value before the next one uses it.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail import taint_calls
from spark_jupyter.guardrail.evaluator import Evaluator
from spark_jupyter.guardrail.rule import Call
from spark_jupyter.guardrail.taint_catalogue import CHECK_NAME, GUARD_NAME
from spark_jupyter.guardrail.taint_values import EVERYTHING, UNKNOWN, Danger, Fact, Flows, Value, merge_flows, words
from spark_jupyter.source.changed_names import last_name

INTERPOLATION: Final = re.compile(r"\{\s*([A-Za-z_]\w*)[^{}]*\}|\$([A-Za-z_]\w*)")
_WEB: Final = Danger.URL | Danger.REDIRECT
_CHARACTER_CLASS: Final = words("isalnum isdigit isnumeric isalpha isidentifier isdecimal")
_NORMALISED: Final = ("realpath", "abspath", "normpath", "resolve", "safe_join")
_HOST: Final = ("netloc", "hostname", "host", "scheme", "domain")
_EXISTENCE: Final = words("exists lexists isfile isdir islink is_file is_dir access")
_ANSWERS: Final = _CHARACTER_CLASS | words(
    "match fullmatch search startswith endswith any all bool is_relative_to isinstance"
)
_NETWORK: Final = ("is_private", "is_loopback", "is_global", "is_reserved", "is_link_local", "is_multicast")
_BOOKKEEPING: Final = re.compile(r"(?:^|[._])(?:added|seen|visited|done|processed|handled)(?:_\w+)?$", re.IGNORECASE)
"""Names of collections of things seen before: membership in them checks nothing."""
_CLASS: Final = re.compile(r"\[\^?\]?[^\]]*\]")
"""A character class: a dot in it is a dot."""
_MEANINGFUL: Final = re.compile(r"[A-Za-z_'\"`;|&$<>]")
"""Characters that can form code, a command, a page or SQL."""
_TIGHT_HOST: Final = re.compile(r"https?://[^/\s]+/")


def guard(test: ast.expr, it: Evaluator) -> None:
    """Clear the inputs that ``test`` checks. Both branches count as checked: a check that is made is meant."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            guard(value, it)
    elif isinstance(test, ast.UnaryOp):
        guard(test.operand, it)
    elif isinstance(test, ast.NamedExpr):
        guard(test.value, it)
    elif isinstance(test, ast.Compare):
        _comparison(test, it)
    elif isinstance(test, ast.Call):
        _call(test, it)
    elif isinstance(test, ast.Name):
        _forget_number(test, it)
    elif isinstance(test, ast.Attribute) and test.attr in (*_HOST, *_NETWORK):
        it.state.clear(it.quietly(test).flows, _WEB)


def condition(test: ast.expr, it: Evaluator) -> None:
    """Clear the inputs that a whole condition checks, and note them as checked by the function around it."""
    _note_checks(test, it)
    guard(test, it)


def answer(value: ast.expr, it: Evaluator) -> bool:
    """True if a returned expression is a check: ``return name in NAMES``, ``return bool(PATTERN.match(name))``."""
    asks = isinstance(value, ast.Compare | ast.BoolOp) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    )
    if asks or (
        isinstance(value, ast.Call)
        and (name := last_name(value.func))
        and (name in _ANSWERS or GUARD_NAME.search(name))
    ):
        condition(value, it)
        return True
    return isinstance(value, ast.Constant) and isinstance(value.value, bool)


def _note_checks(test: ast.expr, it: Evaluator) -> None:
    summary = next((scope.summary for scope in reversed(it.state.scopes) if scope.summary), None)
    if summary is None:
        return
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and (found := it.state.lookup(node.id)) is not None:
            summary.checks.update(origin.parameter for origin, _ in found.flows if origin.parameter)
        elif isinstance(node, ast.Call) and last_name(node.func) in _EXISTENCE:
            return  # a file that exists is not harmless for that


def statement(node: ast.expr, it: Evaluator) -> None:
    """Clear the arguments of a call that raises on bad input: ``validate(path)``, ``path.relative_to(base)``."""
    if isinstance(node, ast.Await):
        node = node.value
    if not isinstance(node, ast.Call):
        return
    name = last_name(node.func)
    if name == "relative_to":
        _relative(node, it)
    elif name in ("int", "float", "UUID"):
        it.state.clear(_argument_flows(node, it), EVERYTHING)  # the call raises where the text is no such value
    elif CHECK_NAME.match(name) and name not in ("check_output", "check_call", "assertEqual"):
        it.state.clear(_vouched(node, name, it), EVERYTHING)


def _vouched(node: ast.Call, name: str, it: Evaluator) -> Flows:
    """Flows that a helper checks: by its body if it was read, else by its name."""
    summary = it.state.context.functions.get(name)
    if summary is None:
        return _argument_flows(node, it)
    keywords = {word.arg: it.quietly(word.value) for word in node.keywords if word.arg is not None}
    event = Call(node, name, name, [it.quietly(arg) for arg in node.args], keywords, UNKNOWN)
    return merge_flows(*[taint_calls.passed(event, summary.parameters, one).flows for one in summary.checks])


def _argument_flows(node: ast.Call, it: Evaluator) -> Flows:
    return merge_flows(
        *[it.quietly(arg).flows for arg in node.args], *[it.quietly(word.value).flows for word in node.keywords]
    )


def _forget_number(node: ast.expr, it: Evaluator) -> None:
    """Mark a number of a request as checked once it is compared."""
    if isinstance(node, ast.Name):
        found = it.state.lookup(node.id)
        if found is not None and found.fact is Fact.NUMBER_OF_A_REQUEST:
            it.state.store(node.id, Value(safe=True))


def _comparison(test: ast.Compare, it: Evaluator) -> None:
    for side in (test.left, *test.comparators):
        _forget_number(side, it)
    left, right = it.quietly(test.left), it.quietly(test.comparators[0])
    if isinstance(test.ops[0], ast.In | ast.NotIn):
        _membership(left, right, it, in_text=_is_text(test.comparators[0]))
    elif isinstance(test.ops[0], ast.Eq | ast.NotEq):
        for one, other in ((left, right), (right, left)):
            if one.flows and not other.flows:
                last = one.name.rstrip("()[]").rpartition(".")[2]
                if last in _HOST:
                    it.state.clear(one.flows, _WEB)
                elif last in ("commonpath", "commonprefix", "dirname", "basename", "realpath", "parent", "normpath"):
                    it.state.clear(one.flows, Danger.PATH)
            elif one.flows and "basename" in other.name:
                it.state.clear(one.flows, Danger.PATH)
        if isinstance(test.left, ast.Call):
            _call(test.left, it)
    elif isinstance(test.ops[0], ast.LtE) and left.name == right.name == "set()":
        _few_characters(left.flows, _const_argument(test.comparators[0], it), it)
    elif isinstance(test.ops[0], ast.Is | ast.IsNot) and isinstance(test.left, ast.Call):
        _call(test.left, it)


def _is_text(node: ast.expr) -> bool:
    """``title.lower()``: what is searched for in a text is not checked by that."""
    return isinstance(node, ast.Call) and last_name(node.func) in ("lower", "upper", "casefold")


def _few_characters(flows: Flows, allowed: Value, it: Evaluator) -> None:
    """Clear a text that contains only harmless characters."""
    if allowed.known_text is not None and not _MEANINGFUL.search(allowed.known_text):
        it.state.clear(flows, EVERYTHING)


def _const_argument(node: ast.expr, it: Evaluator) -> Value:
    return it.quietly(node.args[0]) if isinstance(node, ast.Call) and len(node.args) == 1 else UNKNOWN


def _membership(left: Value, right: Value, it: Evaluator, *, in_text: bool) -> None:
    if isinstance(left.const, str):
        if left.const in ("..", "/", "../", "\\", "\\\\"):
            it.state.clear(right.flows, Danger.PATH)
        elif left.const in ("\n", "\r", "\r\n"):
            it.state.clear(right.flows, Danger.LOG | Danger.HEADER)
    elif left.flows and right.text is None and not right.flows and not in_text and not _BOOKKEEPING.search(right.name):
        last = left.name.rstrip("()[]").rpartition(".")[2]
        it.state.clear(left.flows, _WEB if last in _HOST else EVERYTHING)
    elif "parents" in right.name:
        it.state.clear(right.flows, Danger.PATH)


def _call(test: ast.Call, it: Evaluator) -> None:
    function, name = test.func, last_name(test.func)
    receiver = it.quietly(_plain(function.value)) if isinstance(function, ast.Attribute) else None
    if name in _CHARACTER_CLASS and receiver is not None:
        it.state.clear(receiver.flows, EVERYTHING)
    elif name == "startswith" and receiver is not None:
        _prefix(test, receiver, it)
    elif name in ("endswith", "allowed_file", "allowed_extension", "is_allowed_file"):
        it.state.clear(receiver.flows if receiver and name == "endswith" else _argument_flows(test, it), Danger.UPLOAD)
    elif name in ("match", "fullmatch", "search"):
        _pattern(test, name, receiver, it)
    elif name == "is_relative_to":
        _relative(test, it)
    elif name in ("url_has_allowed_host_and_scheme", "is_safe_url", "url_is_safe"):
        it.state.clear(_argument_flows(test, it), _WEB)
    elif name in ("any", "all", "bool", "isinstance", "compare_digest", "len"):
        _parts(test, it)
    elif GUARD_NAME.search(name) or _is_answer(name, it):
        it.state.clear(merge_flows(_vouched(test, name, it), receiver.flows if receiver else ()), EVERYTHING)


def _is_answer(name: str, it: Evaluator) -> bool:
    """True if a function of the notebook does nothing but answer yes or no, whatever its name."""
    summary = it.state.context.functions.get(name)
    return summary is not None and bool(summary.answers)


def _plain(node: ast.expr) -> ast.expr:
    """``str(path)`` is asked what ``path`` is."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and len(node.args) == 1:
        return node.args[0]
    return node


def _parts(test: ast.Call, it: Evaluator) -> None:
    if isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2:
        kind = test.args[1]
        if isinstance(kind, ast.Name) and kind.id in ("int", "float", "bool"):
            it.state.clear(it.quietly(test.args[0]).flows, EVERYTHING)
        elif isinstance(kind, ast.Name) and kind.id == "str":
            it.state.clear(it.quietly(test.args[0]).flows, Danger.NOSQL)
        return
    for arg in test.args:
        if isinstance(arg, ast.GeneratorExp | ast.ListComp):
            it.quietly(arg)
            guard(arg.elt, it)
            _each_character(arg, it)


def _each_character(every: ast.GeneratorExp | ast.ListComp, it: Evaluator) -> None:
    """``any(c not in "0123456789." for c in text)``."""
    test, target = every.elt, every.generators[0].target
    if (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], ast.In | ast.NotIn)
        and ast.dump(test.left).partition("ctx")[0] == ast.dump(target).partition("ctx")[0]
    ):
        _few_characters(it.quietly(every.generators[0].iter).flows, it.quietly(test.comparators[0]), it)


def _prefix(test: ast.Call, receiver: Value, it: Evaluator) -> None:
    argument = it.quietly(test.args[0]) if test.args else None
    if argument is None or not receiver.flows:
        return
    if any(word in receiver.name for word in _NORMALISED):
        it.state.clear(receiver.flows, Danger.PATH)
    starts = _starts(argument)
    tight = bool(starts) and all(_TIGHT_HOST.match(start) for start in starts)
    if tight or (not starts and not argument.flows and "path" not in receiver.name):
        it.state.clear(receiver.flows, _WEB)
    if ".." in starts:
        it.state.clear(receiver.flows, Danger.PATH)
    if "//" in starts:  # //host leaves the site; who looks for that looks for a host
        it.state.clear(receiver.flows, Danger.REDIRECT)


def _starts(argument: Value) -> list[str]:
    """Known prefixes of a ``startswith`` call: one, or a tuple of them."""
    each = argument.items if isinstance(argument.items, list) else [argument]
    return [text for one in each if (text := one.known_text) is not None]


def _pattern(test: ast.Call, name: str, receiver: Value | None, it: Evaluator) -> None:
    compiled = receiver is not None and receiver.name not in ("re", "regex")
    if not compiled and len(test.args) < 2:
        return
    pattern = receiver if compiled else it.quietly(test.args[0])
    subject = it.quietly(test.args[0 if compiled else 1]) if test.args else None
    if subject is None or pattern is None:
        return
    text = pattern.known_text
    anchored = name == "fullmatch" or text is None or text.endswith(("$", "\\Z", "\\z"))
    begins = name != "search" or text is None or text.startswith(("^", "\\A"))
    loose = text is not None and re.search(r"\.[*+]", _CLASS.sub("", text)) is not None
    if anchored and begins and not loose:
        it.state.clear(subject.flows, EVERYTHING)


def _relative(node: ast.Call, it: Evaluator) -> None:
    if isinstance(node.func, ast.Attribute):
        receiver = it.quietly(node.func.value)
        it.state.clear(receiver.flows, Danger.PATH)
