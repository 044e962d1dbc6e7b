"""Secrets made with the module random.

It is for games and statistics: others can compute what it gives.
"""

from __future__ import annotations

import ast
import re
from typing import Final

from spark_jupyter.guardrail.rule import Assign, Call, Hit, Rule, on
from spark_jupyter.guardrail.taint_state import State
from spark_jupyter.guardrail.taint_values import SAFE, Fact

_SECRET: Final = re.compile(
    (
        r"token|secret|passw|pwd|session_?id|sessionid|otp|nonce|salt|api_?key|auth|csrf|reset|captcha|"
        r"verification|verify_?code|pin_?code|^pin$|credential|uuid|guid|activation|coupon|voucher|"
        r"invite|random_?key|private|encrypt|cipher|cookie|sid$|^iv$|_key$|^key$|unique_?id"
    ),
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    (
        r"secret_?(?:num|word|animal|colou?r|city|country|item)|tokeni|tokens|token_?(?:ids?|num|freq)|random_?state|rng|seed|author|"
        r"_(?:len(?:gth)?|count|size|age|strength|score|position|index|indices|rank|weight)(?:e?s)?(?:_|$)"
    ),
    re.IGNORECASE,
)
_STRING: Final = re.compile(
    r"random_?(?:string|str|chars?|text|word)|(?:string|str|id)_?generator|(?:make|generate|gen|create)_?(?:random|id|code)",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"token|secret|passw|session|csrf|reset", re.IGNORECASE)
_ONE_CASE: Final = ({"ascii_lowercase"}, {"ascii_uppercase"}, {"digits"})
"""Alphabets of names and sequences of test data; passwords and tokens are drawn from more."""
_ALPHABETS: Final = frozenset({"ascii_letters", "hexdigits", "letters"}).union(*_ONE_CASE)
_CALLS: Final = (
    "random.random random.randint random.choice random.choices random.randrange random.sample "
    "random.getrandbits random.uniform random.shuffle random.randbytes numpy.random.randint numpy.random.rand "
    "numpy.random.choice numpy.random.random numpy.random.bytes random.Random"
)


def _is_kept(statement: ast.stmt | None) -> bool:
    """True if the drawn value goes into a variable that is named like a secret: many small draws make a long text."""
    targets = statement.targets if isinstance(statement, ast.Assign) and not _is_guessed(statement) else []
    return any(_secret(ast.unparse(target)) for target in targets)


def _is_guessed(statement: ast.stmt | None) -> bool:
    """``secret = random.randint(1, 100)``: a number to guess, too small to protect anything."""
    call = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func).rpartition(".")[2] not in ("randint", "randrange"):
        return False
    if call.keywords or len(call.args) > 2:
        return False  # several numbers, or ends that are not looked at
    return all(isinstance(end, ast.Constant) and isinstance(end.value, int) and end.value <= 100 for end in call.args)


_BY_THE_CLOCK: Final = "uuid.uuid1()"
"""The time and the computer (RFC 9562, 8: not to be used for what must not be guessed)."""


def _secret(name: str) -> bool:
    return _SECRET.search(name) is not None and _NOT.search(name) is None


def _is_game(call: Call) -> bool:
    """True for a die or a list of greetings: nobody gains by guessing them."""
    if call.tail in ("randint", "randrange"):
        ends = [arg.const for arg in call.args]
        return all(isinstance(end, int) and abs(end) <= 100 for end in ends)
    words = call.argument(0, "seq", "population").items
    return call.tail == "choice" and isinstance(words, list) and all(len(one.known_text or "") > 2 for one in words)


def _generator(call: Call, state: State) -> Hit | None:
    """numpy's ``rng.choice(letters)`` in a function that is said to make a secret."""
    function = next((scope for scope in reversed(state.scopes) if scope.kind == "function"), None)
    return Hit(call.node) if function is not None and _secret(function.name) else None


def _call(call: Call, state: State) -> Hit | None:
    function = next((scope for scope in reversed(state.scopes) if scope.kind == "function"), None)
    secret = function is not None and _secret(function.name)
    if _is_game(call) and not (secret and isinstance(state.statement, ast.Return)) and not _is_kept(state.statement):
        return None
    if secret:
        return Hit(call.node)
    if any(
        isinstance(node, ast.Name) and _secret(node.id) and "password" in node.id.lower()
        for arg in call.node.args
        for node in ast.walk(arg)
    ):
        return Hit(call.node)
    if (
        function is not None
        and _STRING.search(function.name)
        and call.tail in ("choice", "choices", "sample", "shuffle")
    ):
        return Hit(call.node, cwe=331)
    if not state.handler and state.lookup(_REPEATABLE) is not None:
        return None
    nodes = (node for arg in call.node.args[:1] for node in ast.walk(arg))
    alphabets = {node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in _ALPHABETS}
    if alphabets and alphabets not in _ONE_CASE:
        return Hit(call.node, cwe=331)
    if state.handler and call.tail != "Random":
        return Hit(call.node, cwe=330)
    return None


def _clock(call: Call, state: State) -> Hit | None:
    function = next((scope for scope in reversed(state.scopes) if scope.kind == "function"), None)
    return Hit(call.node, cwe=340) if function is not None and _TOKEN.search(function.name) else None


_MOMENTS: Final = re.compile(r"\b(?:time(?:\.time(?:_ns)?)?|now|utcnow|today|getpid|uuid1|perf_counter)\(")
_UNGUESSABLE: Final = re.compile(r"urandom|secrets|token_|uuid4|SystemRandom|getrandom|secret|salt|key", re.IGNORECASE)


def _digest(call: Call, state: State) -> Hit | None:
    """``hashlib.sha256(f"{user}{time.time()}")`` as a token: who knows about when it was made can try the moments."""
    texts = [ast.unparse(arg) for arg in call.node.args[:1]]
    if not texts or not _MOMENTS.search(texts[0]) or _UNGUESSABLE.search(texts[0]):
        return None
    node, function = state.statement, next((s for s in reversed(state.scopes) if s.kind == "function"), None)
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = [ast.unparse(target) for target in targets] + ([function.name] if function is not None else [])
    made = any(_TOKEN.search(name) and not _NOT.search(name) for name in names)
    return Hit(call.node, cwe=340, message=_OF_THE_CLOCK) if made else None


_OF_THE_CLOCK: Final = "The time can be guessed, so a value made of it is not secret, even when hashed."


def _assign(event: Assign, state: State) -> Hit | None:
    name = event.key or event.name.rpartition(".")[2] or ""
    inside = event.name + event.key
    if not (_secret(name) or (event.key and "session" in event.name)) or _NOT.search(inside):
        return None
    found = _joined(state) or (_random(event) and not _is_guessed(state.statement))
    return Hit(event.node) if found else None


def _joined(state: State) -> bool:
    """``"".join(random.choice(letters) for _ in range(9))``, ``bytes(random.randrange(256) …)``, ``f"{random.getrandbits(64):x}"``."""
    node = state.statement
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    joins = (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("join", "format")
    )
    makes = joins or (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in ("bytes", "str", "hex", "bytearray")
    )
    shows = isinstance(value, ast.JoinedStr) or (
        isinstance(value, ast.BinOp) and isinstance(value.left, ast.Constant) and isinstance(value.left.value, str)
    )
    if value is None or not (makes or shows) or not state.uses("random", "numpy"):
        return False
    return any(_draws(part, state) for part in ast.walk(value))


_GENERATORS: Final = ("random", "random.Random()", "np.random", "numpy.random")


def _draws(node: ast.AST, state: State) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr == "SystemRandom":
        return False
    found = state.lookup(function.value.id) if isinstance(function.value, ast.Name) else None
    of = found.name if found is not None and found.name else ast.unparse(function.value)
    return of in _GENERATORS or of.startswith("numpy.random.default_rng(")


def _random(event: Assign) -> bool:
    value = event.value
    if value.name.startswith(_BY_THE_CLOCK):
        return _TOKEN.search(event.key or event.name) is not None
    found = [value, *(value.items if isinstance(value.items, list) else [])]
    return any(
        one.name.startswith(("random.", "numpy.random.", "uuid.uuid1()"))
        and one.name.endswith(("()", "()[]"))
        and "SystemRandom" not in one.name
        for one in found
    )


_REPEATABLE: Final = "random.seed()"
"""A variable that no code can name: the program fixes the seed, as it wants the same numbers each time. What is called a secret in it is
found all the same."""


def _seed(call: Call, state: State) -> Hit | None:
    if call.argument(0, "a").is_constant and call.args:
        state.store(_REPEATABLE, SAFE)
    if call.argument(0, "a").fact is Fact.FEW_RANDOM_BYTES:
        return Hit(
            call.node,
            cwe=339,
            message="So short a seed can be found by trying them all, and with it every number that follows.",
        )
    if (call.args and state.uses("Crypto", "cryptography")) or state.handler:
        return Hit(call.node, cwe=335)
    return None


RULE: Final = Rule(
    id="predictable-random",
    cwe=338,
    severity="warn",
    message="random can be predicted: whoever has seen some of its numbers knows the next ones.",
    remedy="Use the module secrets: secrets.token_urlsafe(32), secrets.choice(...), secrets.randbelow(n).",
    bad=(
        "import random\ntoken = random.randint(0, 999999)",
        'import random, string\ndef make_password(n):\n    return "".join(random.choice(string.ascii_letters) for _ in range(n))',
        'import random\nsession["id"] = random.random()',
    ),
    good=(
        "import secrets\ntoken = secrets.token_hex(16)",
        '@app.post("/roll")\ndef roll():\n    value = random.randint(1, 6)\n    return jsonify(value=value)',
        'import random\nGREETINGS = ["Hello", "Good day"]\ndef send_reset(to):\n    mail(to, random.choice(GREETINGS))',
    ),
    calls={
        **on(_CALLS, _call),
        **on(
            "numpy.random.default_rng().choice numpy.random.default_rng().integers numpy.random.default_rng().bytes",
            _generator,
        ),
        **on("hashlib.md5 hashlib.sha1 hashlib.sha256 hashlib.sha512 hashlib.blake2b hashlib.sha3_256", _digest),
        "random.seed": _seed,
        "uuid.uuid1": _clock,
    },
    assign=_assign,
)
