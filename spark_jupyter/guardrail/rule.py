"""Definition of a security rule: messages, examples and checks.

A new rule is one file in ``guardrail/rules/``, named after its id (begin from ``ssrf.py``), whose ``RULE`` is a
:class:`Rule`. See first what ``spark-jupyter check`` says of its examples: another rule may find them already. A rule
names the events of the interpreter that it checks: ``calls`` by qualified name, ``methods`` by the last part of the
name, ``assign`` (see ``tls_verification_off.py``; an item's ``key`` only where it is constant). ``State.certain`` asks
for known input, ``State.dangerous`` for parameters too, each for a ``Danger`` and the least ``Trust`` (``taint_values.py``).
A safe mend is a function in ``fixes.py``. The examples are the tests: every rule leaves its good ones alone (``pytest
tests/guardrail/test_rules.py -k ID``), and ``make codegen`` writes its page in ``docs/rules`` from them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from spark_jupyter.guardrail.taint_values import UNKNOWN, Flows, Value
from spark_jupyter.protocol.values import Severity


class Call(NamedTuple):
    """A call that is about to happen. ``name`` is qualified as far as known (``subprocess.run``,
    ``sqlite3.connect().cursor().execute``), ``tail`` its last part; ``receiver`` the object of a method call."""

    node: ast.Call
    name: str
    tail: str
    args: list[Value]
    kwargs: dict[str, Value]
    receiver: Value

    def argument(self, position: int, *names: str) -> Value:
        """Argument by position (-1: by name only) or by one of its names; UNKNOWN if it is not given."""
        if 0 <= position < len(self.args):
            return self.args[position]
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return UNKNOWN

    def given(self, position: int, *names: str) -> bool:
        """True if the call has that argument."""
        return 0 <= position < len(self.args) or any(name in self.kwargs for name in names)


class Assign(NamedTuple):
    """``target = value``. ``name`` is what is assigned to: ``x``, ``app.secret_key``, ``app.config['X']`` (→ key)."""

    node: ast.AST
    name: str
    key: str
    base: Value
    value: Value


class Compare(NamedTuple):
    """``left == right`` with one operator."""

    node: ast.Compare
    left: Value
    right: Value


class Return(NamedTuple):
    """``return value`` in a function. ``handler``: the function answers requests."""

    node: ast.AST
    value: Value
    handler: bool


class Literal(NamedTuple):
    """A string literal of at least a dozen characters."""

    node: ast.AST
    text: str


class Command(NamedTuple):
    """A shell command of the notebook: ``!cmd``, ``%sx cmd``, a line of ``%%bash``. ``value`` has holes for ``{x}``; ``said``
    is the text with its variables, loops and nested shells written out."""

    node: ast.AST
    text: str
    value: Value
    magic: str
    said: str = ""


class Hit(NamedTuple):
    """A rule applies here. Fields that are None take the rule's own values. What is None is the rule's own. ``flows``: the input that
    makes it so; where it is only a function's parameter the finding waits for a call with real input (unless ``certain``). ``line`` is
    the cell's, where it is not in the logical line that is being read."""

    node: ast.AST
    severity: Severity | None = None
    cwe: int | None = None
    message: str = ""
    remedy: str = ""
    flows: Flows = ()
    line: int | None = None


Check = Callable[..., "Hit | None"]


class Rule(Struct, frozen=True, kw_only=True):
    """One weakness. ``bad`` must be found and ``good`` must not: they are the examples of its page and its first tests; the other tests
    stand in ``tests/guardrail/cases``.

    ``calls`` maps qualified names, ``methods`` last parts of a name, to checks that get (Call, State); the others get
    their event and the State; ``given`` a Call with a text that is put together as the program runs; ``line`` the text of each logical
    line that is not plain ASCII, comments included. ``local``: in a function, input that the program's own user typed counts too when it
    is called. ``spares``: which value, given to a function that hands it to the sink, does no harm there whatever it was made from
    (``"https://own.host/" + x``). ``built``: which value, given to such a function, is the weakness by itself: its parts are not looked
    at, as at the sink they would not be either.
    """

    id: str
    cwe: int
    severity: Severity
    message: str
    remedy: str
    bad: tuple[str, ...]
    good: tuple[str, ...]
    local: bool = False
    spares: Callable[[Value], bool] | None = None
    built: Callable[[Value], bool] | None = None
    calls: dict[str, Check] = {}
    methods: dict[str, Check] = {}
    assign: Check | None = None
    compare: Check | None = None
    returned: Check | None = None
    command: Check | None = None
    function: Check | None = None
    statement: Check | None = None
    literal: Check | None = None
    given: Check | None = None
    division: Check | None = None
    loop: Check | None = None
    line: Check | None = None
    has_page: bool = True
    """False for a plug-in's, which has none in docs/rules."""


def always(call: Call, _: object) -> Hit:
    """Check that finds every call."""
    return Hit(call.node)


def on(names: str, check: Check) -> dict[str, Check]:
    """``names`` (separated by spaces) all mapped to one check."""
    return dict.fromkeys(names.split(), check)
