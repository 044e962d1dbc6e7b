"""Code injection through eval, exec and their kind.

They run text that somebody else may have written.
"""

from __future__ import annotations

import ast
from typing import Final

from spark_jupyter.guardrail.encoded_constants import is_unread
from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import Danger, Trust, words


def _check(call: Call, state: State) -> Hit | None:
    code = call.argument(0, "source", "expression")
    if is_unread(code, call.node):
        return Hit(call.node, severity="warn", message=_HIDDEN, remedy=_READABLE)
    if code.is_constant or not (code.flows or call.args):
        return None
    if call.tail == "compile" and call.name == "compile":
        flows = state.certain(code, Danger.CODE, Trust.LOCAL)
        return Hit(call.node, flows=flows) if flows else None
    if code.safe and code.text is None:
        return None
    certain = state.certain(code, Danger.CODE, Trust.FILE)
    if certain:
        return Hit(call.node, severity="block" if certain[0][0].trust >= Trust.LOCAL else "warn")
    if code.name.startswith("pandas.") and call.name not in ("eval", "exec"):
        return None
    # what was given to __init__ is the object's own by now
    doubted = not state.checked(code, Danger.CODE) and any(
        origin.trust != Trust.PARAMETER or origin.parameter in state.scope.variables for origin, _ in code.flows
    )
    return Hit(call.node, severity="warn" if doubted else "hint")


_HIDDEN: Final = "The code that runs here is packed or encoded, so that nobody can read it."
_READABLE: Final = "Unpack it, read it, and write it down as code."


def _method(call: Call, state: State) -> Hit | None:
    if call.receiver.name in ("ast",) or call.name in ("eval", "exec", "builtins.eval", "builtins.exec"):
        return None
    code = call.argument(0, "expr")
    flows = state.certain(code, Danger.CODE, Trust.LOCAL)
    return (
        Hit(call.node, flows=flows, severity="warn" if call.tail in ("query", "eval") else "block") if flows else None
    )


def _frame(call: Call, state: State) -> Hit | None:
    """``df.query(text)`` and ``df.eval(text)`` run what the text calls (``@f(...)``)."""
    flows = state.certain(call.argument(0, "expr"), Danger.CODE, Trust.LOCAL)
    by_pandas = state.uses("pandas") or call.given(-1, "engine")
    if not flows or not by_pandas or state.uses("sqlalchemy", "sqlite3"):
        return None
    return Hit(call.node, flows=flows, severity="warn")


def _repl(call: Call, state: State) -> Hit | None:
    """A tool that runs Python for a model: ``PythonREPL().run(answer)``."""
    if "REPL" not in call.receiver.name or not call.args or call.args[0].is_constant:
        return None
    certain = state.certain(call.args[0], Danger.CODE, Trust.NETWORK)
    return Hit(call.node, flows=certain, severity="block" if certain else "warn")


def _symbolic(call: Call, state: State) -> Hit | None:
    """sympy reads formulas with ``eval``."""
    flows = state.certain(call.argument(0, "a", "s"), Danger.CODE, Trust.LOCAL)
    if flows:
        return Hit(call.node, flows=flows, severity="block" if flows[0][0].trust == Trust.REMOTE else "warn")
    return None


def _named(call: Call, state: State) -> Hit | None:
    """``globals()[name]()``."""
    function = call.node.func
    key = function.slice if isinstance(function, ast.Subscript) else None
    found = state.lookup(key.id) if isinstance(key, ast.Name) else None
    flows = state.certain(found, Danger.CODE, Trust.NETWORK) if found is not None else ()
    return Hit(call.node, flows=flows, severity="warn", cwe=470, message=_WHICH, remedy=_TABLE) if flows else None


_WHICH: Final = "Whoever sends the request chooses the function that is called here."
_TABLE: Final = "Choose from a dict of the functions that may be called."


def _import(call: Call, state: State) -> Hit | None:
    flows = state.certain(call.argument(0, "name"), Danger.CODE, Trust.LOCAL)
    if flows:
        return Hit(
            call.node,
            flows=flows,
            severity="warn",
            cwe=470,
            message="Input decides which module is loaded here.",
            remedy="Choose from a list of allowed modules.",
        )
    return None


def _library(call: Call, state: State) -> Hit | None:
    flows = state.dangerous(call.argument(0, "name"), Danger.PATH, Trust.LOCAL)
    return Hit(call.node, flows=flows, cwe=114, message=_CODE_OF, remedy=_TABLE_OF_LIBRARIES) if flows else None


_CODE_OF: Final = "Input decides which library is loaded here, and so whose code runs."
_TABLE_OF_LIBRARIES: Final = "Choose from a dict of the libraries that may be loaded."


def _loader(event: Assign, state: State) -> Hit | None:
    """``os.environ["LD_PRELOAD"] = path``: programs that are started from then on load it."""
    flows = state.certain(event.value, Danger.PATH, Trust.LOCAL) if event.key in _LOADED_FROM else ()
    return Hit(event.node, flows=flows, severity="warn", cwe=426, message=_CODE_OF) if flows else None


_LOADED_FROM: Final = words(
    "LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES PYTHONPATH PYTHONSTARTUP BASH_ENV NODE_OPTIONS PERL5LIB"
)


def _attribute(call: Call, state: State) -> Hit | None:
    flows = state.certain(call.argument(1), Danger.CODE, Trust.NETWORK)
    if flows:
        return Hit(
            call.node,
            flows=flows,
            severity="warn",
            cwe=470,
            message="Whoever sends the request chooses the attribute that is used here.",
            remedy="Choose from a dict of allowed names.",
        )
    return None


RULE: Final = Rule(
    id="code-injection",
    cwe=94,
    severity="block",
    local=True,
    message="This runs text as Python: whoever controls the text does whatever they like with your computer.",
    remedy="For values use ast.literal_eval or json.loads; for choices use a dict of functions.",
    bad=(
        "import sympy\nsympy.sympify(request.args['f'])",
        "name = request.args['f']\nglobals()[name]()",
        "import ctypes\ndef codec(name):\n    return ctypes.CDLL(name)\ncodec(request.args['c'])",
    ),
    good=(
        "import sympy\nsympy.sympify('x**2')",
        "globals()['run']()",
        "import ctypes\ndef codec(name):\n    return ctypes.CDLL(LIBRARIES[name])\nctypes.CDLL('libm.so.6')",
    ),
    calls={
        **on(
            (
                "eval exec builtins.eval builtins.exec __builtins__.eval __builtin__.eval execfile compile "
                "code.InteractiveInterpreter().runsource code.InteractiveConsole().push code.InteractiveConsole().runsource "
                "get_ipython().run_cell get_ipython().ex get_ipython()"
                ".ev timeit.timeit numexpr.evaluate"
            ),
            _check,
        ),
        **on("__import__ importlib.import_module", _import),
        **on("getattr", _attribute),
        **on("ctypes.CDLL ctypes.PyDLL ctypes.WinDLL ctypes.cdll.LoadLibrary ctypes.windll.LoadLibrary", _library),
        **on("sympy.sympify sympy.parse_expr sympy.parsing.sympy_parser.parse_expr sympy.S", _symbolic),
        **on("globals()[] locals()[]", _named),
    },
    assign=_loader,
    methods={
        **on("run_code runcode runsource run_cell", _method),
        **on("query eval", _frame),
        **on("run", _repl),
    },
)
