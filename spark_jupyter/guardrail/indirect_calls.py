"""Calls of a function under another name, or by one that it is given to.

``map(f, xs)``, ``pool.submit(f, x)``, ``sorted(xs, key=f)``, ``Thread(target=f, args=(x,))`` call ``f``, and are judged
as its call is; a ``partial``, a ``methodcaller`` and a module's dictionary stand for the function that is in them, and a
function of a C library for Python's of the same name.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.evaluator import Evaluator
from spark_jupyter.guardrail.rule import Assign, Call
from spark_jupyter.guardrail.taint_calls import element_of
from spark_jupyter.guardrail.taint_state import Scope, State
from spark_jupyter.guardrail.taint_values import UNKNOWN, Fact, Value, words

_EACH: Final = words(
    "map imap imap_unordered map_async filter apply applymap map_elements transform reduce accumulate starmap filterfalse "
    "takewhile dropwhile"
)
"""Functions that call the first argument with each element of the others, or of their own object."""
_LATER: Final = {
    **dict.fromkeys(words("submit to_thread call_soon call_soon_threadsafe add_task delay apply_async partial"), 0),
    **dict.fromkeys(words("run_in_executor call_later call_at"), 1),
    "atexit.register": 0,
    "callback": 0,
    "weakref.finalize": 1,
}
"""Position of the function that is called with the arguments behind it."""
_STARTED: Final = words("Thread Process Timer")
_KEYED: Final = words("sorted sort min max groupby nlargest nsmallest")
_RUNS_WITHIN, _CALLS = 3, 4
"""Lambdas in lambdas that are run with what they are given, and calls in an owner that is evaluated again: each time doubles the work."""
_SETTING: Final = words("setdefault putenv setenv")
_NAMESPACES: Final = words("globals() locals() sys.modules __builtins__")
_SAME: Final = words("staticmethod classmethod functools.cache functools.lru_cache")
"""Decorators that give back the function that they are given."""
_CANONICAL: Final = {
    "Cryptodome": "Crypto",
    "IPython.get_ipython": "get_ipython",
    "IPython.get_ipython()": "get_ipython()",
    "IPython.core.getipython.get_ipython": "get_ipython",
    "IPython.utils.process": "get_ipython()",
    "__builtins__.__import__": "__import__",
    "builtins.__import__": "__import__",
    "posix": "os",
    "nt": "os",
    "cPickle": "pickle",
    "_pickle": "pickle",
    "pickle5": "pickle",
    "cloudpickle": "pickle",
    "urllib2": "urllib.request",
    "ldap3.core": "ldap3",
    "xml.etree.cElementTree": "xml.etree.ElementTree",
}
_RENAMED: Final = ("IPython.", "ctypes.", "cffi.", "__builtins__.", "builtins.")
_C_LIBRARY: Final = re.compile(
    r"(?:ctypes\.(?:CDLL\(\)|PyDLL\(\)|WinDLL\(\)|pythonapi|(?:cdll|windll|oledll|pydll)\b[\w.()\[\]]*)|cffi\.FFI\(\)\.dlopen\(\))\."
    r"_?(system|popen|exec[lv]p?e?|posix_spawn|fork|kill|unlink|remove|rmdir|rename)"
)


def canonical(name: str) -> str:
    """The name under which rules know a function or module."""
    if name in _CANONICAL:
        return _CANONICAL[name]
    for known in _parents(name):
        if known in _CANONICAL:
            return _CANONICAL[known] + name[len(known) :]
    found = _C_LIBRARY.fullmatch(name)
    return f"os.{found[1]}" if found else name


def _parents(name: str) -> list[str]:
    first, _, rest = name.partition(".")
    return [f"IPython.{'.'.join(rest.split('.')[:2])}"] if first == "IPython" else [first]


def renamed(name: str) -> str:
    """The canonical name of an attribute, where its owner is one that has another."""
    return canonical(name) if name.startswith(_RENAMED) else name


def made(event: Call, it: Evaluator) -> Call | None:
    """Call of a named function that another call makes, now or later."""
    args, tail = event.args, event.tail
    if tail in _STARTED:
        return _call(event, *_started(event), it)
    if tail == "partial" and not any(value.flows for value in args):
        return None  # judged where it is called
    at = _LATER.get(event.name if event.name in _LATER else tail)
    if (
        at is None
        and len(args) > 1
        and (tail == "lambda" or tail in it.state.context.functions)
        and it.knows(args[0].name)
    ):
        at = 0  # ``call(os.system, text)`` of the notebook's own
    if at is not None and len(args) > at + 1:
        rest = args[at + 1 :]
        if tail == "apply_async" and isinstance(rest[0].items, list):
            rest = rest[0].items
        return _call(event, args[at], _argument(event, at), rest, it)
    if tail in _EACH and args:
        return _call(event, args[0], _argument(event, 0), _elements(event), it)
    if tail in _KEYED and "key" in event.kwargs:
        each = element_of(args[0] if args else event.receiver)
        return _call(event, event.kwargs["key"], _keyword(event, "key"), [each], it)
    return None


def _started(event: Call) -> tuple[Value, ast.expr | None, list[Value]]:
    """Function and arguments of a thread, a process or a timer."""
    at, name = (1, "function") if event.tail == "Timer" else (-1, "target")
    given = event.argument(2 if at > 0 else -1, "args").items
    node = _keyword(event, name) or _argument(event, at)
    return event.argument(at, name), node, given if isinstance(given, list) else []


def _elements(event: Call) -> list[Value]:
    if len(event.args) == 1:
        return [element_of(event.receiver)] if event.receiver is not UNKNOWN else []
    if event.tail == "starmap":
        items = element_of(event.args[1]).items
        return items if isinstance(items, list) else [element_of(element_of(event.args[1]))]
    each = [element_of(value) for value in event.args[1:]]
    return each[:1] * 2 if event.tail in ("reduce", "accumulate") else each


def _argument(event: Call, at: int) -> ast.expr | None:
    return event.node.args[at] if 0 <= at < len(event.node.args) else None


def _keyword(event: Call, name: str) -> ast.expr | None:
    return next((word.value for word in event.node.keywords if word.arg == name), None)


def run_lambda(node: ast.Lambda, args: list[Value], it: Evaluator) -> Value:
    """Result of a lambda, with these arguments bound in a scope of its own."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    defaults: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(reversed(positional), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    rest = [one for one in (given.vararg, given.kwarg) if one is not None]
    variables = {one.arg: Value(one.arg) for one in (*positional, *given.kwonlyargs, *rest)}
    variables |= {one.arg: it.evaluate(default) for one, default in defaults if default is not None}
    variables |= {one.arg: value for one, value in zip(positional, args, strict=False)}
    scope = Scope("lambda", indent=it.state.scope.indent)
    scope.variables = variables
    it.state.scopes.append(scope)
    try:
        return it.evaluate(node.body)
    finally:
        it.state.scopes.remove(scope)


def _call(event: Call, function: Value, node: ast.expr | None, args: list[Value], it: Evaluator) -> Call | None:
    """``function(*args)``, which stands where the call stands that makes it."""
    if isinstance(node, ast.Lambda):
        if sum(scope.kind == "lambda" for scope in it.state.scopes) < _RUNS_WITHIN:
            run_lambda(node, args, it)
        return None
    if not function.name or not args:
        return None
    receiver = UNKNOWN
    if isinstance(node, ast.Attribute) and sum(isinstance(part, ast.Call) for part in ast.walk(node.value)) <= _CALLS:
        receiver = it.quietly(node.value)
    call = ast.copy_location(ast.Call(func=node or event.node.func, args=[], keywords=[]), event.node)
    call.end_lineno = event.node.end_lineno
    return bound(Call(call, function.name, function.name.rpartition(".")[2], args, {}, receiver), function)


def of_object(event: Call) -> Call:
    """``Path.unlink(path)`` is ``path.unlink()``."""
    if not event.args or event.name.rpartition(".")[0] not in _CLASSES or event.tail in ("home", "cwd"):
        return event
    return event._replace(receiver=event.args[0], args=event.args[1:])


_CLASSES: Final = words("pathlib.Path pathlib.PosixPath pathlib.WindowsPath")


def stands_for(event: Call) -> Value | None:
    """``functools.partial(f, x, key=y)`` is the function, with what it is given already; ``vars(os)`` is ``os.__dict__``."""
    if event.args and event.name in _OPERATORS and isinstance(event.args[0].const, str):
        return _partial(Value(event.name), event.args, event)
    if not event.args or not event.args[0].name:
        return None
    given = event.args[0]
    if event.tail in ("partial", "partialmethod"):
        return _partial(given, event.args[1:], event)
    if event.name in _SAME:
        return given
    return Value(f"{given.name}.__dict__") if event.name == "vars" and not given.flows else None


_OPERATORS: Final = words("operator.methodcaller operator.attrgetter")


def _partial(function: Value, args: list[Value], event: Call) -> Value:
    kwargs = Value(items=dict[object, Value](event.kwargs.items()))
    return function.but(items=[Value(items=args), kwargs], fact=Fact.PARTIAL)


def _operated(event: Call, before: list[Value]) -> Call:
    """``methodcaller("system", text)(os)`` is ``os.system(text)``, ``attrgetter("system")(os)`` is ``getattr(os, "system")``."""
    owner, tail = event.args[0], str(before[0].const)
    if event.name == "operator.attrgetter":
        return event._replace(name="getattr", tail="getattr", args=[owner, before[0]])
    return event._replace(name=renamed(f"{owner.name}.{tail}"), tail=tail, args=before[1:], receiver=owner)


def bound(event: Call, function: Value) -> Call:
    """The call with what a partial was given before."""
    if function.fact is not Fact.PARTIAL or not isinstance(function.items, list):
        return event
    args, kwargs = (part.items for part in function.items)
    before = args if isinstance(args, list) else []
    if function.name in _OPERATORS:
        return _operated(event, before) if event.args else event
    given = {key: value for key, value in kwargs.items() if isinstance(key, str)} if isinstance(kwargs, dict) else {}
    return event._replace(args=[*before, *event.args], kwargs={**given, **event.kwargs})


def member(base: Value, key: str, state: State) -> Value | None:
    """``os.__dict__["system"]``, ``globals()["os"]``, ``__builtins__["eval"]``: what stands under a name in a namespace."""
    if base.name in _NAMESPACES:
        return state.lookup(key) or Value(key)
    if _C_LIBRARY.fullmatch(function := f"{base.name}.{key}"):
        return Value(canonical(function))
    owner = base.name.removesuffix(".__dict__")
    return Value(f"{owner}.{key}") if owner != base.name and not base.flows else None


def of_plumbum(node: ast.Subscript, base: Value, index: Value, it: Evaluator) -> Value | None:
    """``local["bash"]`` of plumbum is a program, and ``bash["-c", text]`` that program with its arguments."""
    if not base.name.startswith("plumbum."):
        return None
    if base.name.endswith(".local"):
        return Value(f"plumbum.cmd.{(index.known_text or '').rpartition('/')[2]}")
    call = ast.copy_location(ast.Call(func=node.value, args=[], keywords=[]), node)
    args = index.items if isinstance(index.items, list) else [index]
    it.called(Call(call, base.name, base.name.rpartition(".")[2], args, {}, UNKNOWN))
    return base


def attribute_set(event: Call) -> ast.Attribute | None:
    """The target of ``setattr(session, "verify", False)``, where the call has its arguments itself and not from a ``partial``."""
    given = event.node.args
    is_direct = event.name == "setattr" and len(given) == len(event.args) == 3 and not isinstance(given[0], ast.Starred)
    name = event.args[1].const if is_direct else None
    return ast.Attribute(given[0], name, ast.Store()) if isinstance(name, str) else None


def assignments(event: Call) -> list[Assign]:
    """``partial(setattr, session, "verify", False)()``, ``os.environ.setdefault(key, value)``, ``app.config.update(KEY=value)``."""
    base, args = event.receiver, event.args
    if event.name == "setattr" and len(args) == 3 and isinstance(args[1].const, str) and attribute_set(event) is None:
        return [Assign(event.node, f"{args[0].name}.{args[1].const}", "", args[0], args[2])]
    if event.tail in _SETTING and len(args) > 1 and isinstance(args[0].const, str):
        return [Assign(event.node, base.name, args[0].const, base, args[1])]
    if event.tail in ("update", "from_mapping") and base.name.endswith(("config", "environ")):
        return [Assign(event.node, base.name, key, base, value) for key, value in event.kwargs.items()]
    return []
