"""What is asked of nothing that is there: numbers of a range, fizz and buzz, random numbers, small classes. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.holding import bands
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_EACH = {
    "square": "n**2", "cube": "n**3", "double": "2 * n", "number": "n", "integer": "n", "square root": "n**0.5", "power of two": "2**n",
    "power of 2": "2**n", "half": "n / 2", "whole number": "n",
}  # fmt: skip
_WHICH = {"even": "n % 2 == 0", "odd": "n % 2 == 1"}
_PRIME = "n > 1 and all(n % i for i in range(2, int(n**0.5) + 1))"


def _ends(said: Said) -> tuple[str, str]:
    first, last = said.number("a") or "1", said.number("b")
    if not re.fullmatch(r"-?\d+", first) or not re.fullmatch(r"-?\d+", last) or int(first) >= int(last):
        raise UnknownError
    return first, str(int(last) + (0 if said.has("below") else 1))


def _range(said: Said) -> str:
    """The numbers of a range, those that are meant, each as it is meant."""
    first, beyond = _ends(said)
    what = re.sub(r"s$", "", said.found["what"].strip().lower()) if said.has("what") else "number"
    what = {"halve": "half", "powers of two": "power of two", "powers of 2": "power of 2"}.get(what, what)
    which = said.found["which"].strip().lower() if said.has("which") else ""
    tests = [_WHICH[which]] if which in _WHICH else [_PRIME] if which.startswith("prime") or what == "prime" else []
    if said.has("k"):
        tests.append(f"n % {said.number('k')} == 0")
    each = _EACH.get("number" if what == "prime" else what)
    if each is None:
        raise UnknownError
    condition = f" if {' and '.join(tests)}" if tests else ""
    made = f"[{each} for n in range({first}, {beyond}){condition}]"
    if said.has("sum"):
        how = said.found["sum"].strip().lower()
        inside = made[1:-1] if condition or each != "n" else f"range({first}, {beyond})"
        if how == "product":
            return f"import math\n\nmath.prod({inside})"
        return (
            f"len({made})"
            if how in ("number", "count")
            else f"sum({made}) / len({made})"
            if how in ("average", "mean")
            else f"sum({inside})"
        )
    if said.has("loop") and not tests:
        return f"for n in range({first}, {beyond}):\n    print({each})"
    return made if condition or each != "n" else f"list(range({first}, {beyond}))"


def _first(said: Said) -> str:
    number, what = said.number("b"), said.found["what"].strip().lower()
    if not number.isdigit():
        raise UnknownError
    if "fibonacci" in what:
        return f"numbers = [0, 1]\nwhile len(numbers) < {number}:\n    numbers.append(numbers[-1] + numbers[-2])\nnumbers[:{number}]"
    if "prime" in what:
        return (f"primes = []\nn = 2\nwhile len(primes) < {number}:\n    if all(n % one for one in primes):\n        primes.append(n)\n"
                "    n += 1\nprimes")  # fmt: skip
    each = {
        "square": "n**2",
        "cube": "n**3",
        "even": "2 * n",
        "odd": "2 * n - 1",
        "natural": "n",
        "triangular": "n * (n + 1) // 2",
    }
    made = next(one for word, one in each.items() if word in what)
    return f"[{made} for n in range(1, {number} + 1)]"


def _fizz(said: Said) -> str:
    first, beyond = _ends(said)
    x, y = said.number("x") or "3", said.number("y") or "5"
    one, other = (
        said.word(group).strip("\"'").capitalize() if said.has(group) else word
        for group, word in (("f", "Fizz"), ("z", "Buzz"))
    )
    if said.has("raw"):
        one, other = said.word("f"), said.word("z")
    return "\n".join(
        [
            f"for n in range({first}, {beyond}):",
            f"    word = {quoted(one)} * (n % {x} == 0) + {quoted(other)} * (n % {y} == 0)",
            "    print(word or n)",
        ]
    )


def _random(said: Said) -> str:
    number, low, high = said.number("k") or "1", said.number("a"), said.number("b")
    seed = f"random.seed({said.number('s')})\n" if said.has("s") else ""
    what = said.found["what"].strip().lower()
    name = said.free("numbers")
    if what.startswith(("float", "decimal", "real")):
        made = f"random.uniform({low or 0}, {high or 1})"
    elif not (low and high):
        raise UnknownError
    elif said.has("once"):
        if int(high) - int(low) + 1 < int(number):
            raise UnknownError
        return f"import random\n\n{seed}{name} = random.sample(range({low}, {int(high) + 1}), {number})\n{name}"
    else:
        made = f"random.randint({low}, {high})"
    if number == "1":
        return f"import random\n\n{seed}{made}"
    return f"import random\n\n{seed}{name} = [{made} for _ in range({number})]\n{name}"


def _normal(said: Said) -> str:
    mean, spread = said.number("a") or "0", said.number("b") or "1"
    name = said.free("numbers")
    return f"rng = np.random.default_rng({said.number('s') or '0'})\n{name} = rng.normal({mean}, {spread}, {said.number('k')})\n{name}"


def _thrown(said: Said) -> str:
    """Dice and coins."""
    number, many = said.number("k") or "1", said.number("many") or "1"
    seed = f"random.seed({said.number('s')})\n" if said.has("s") else ""
    coin = said.found["what"].strip().lower().startswith("coin")
    one = 'random.choice(["heads", "tails"])' if coin else "random.randint(1, 6)"
    if many != "1":
        one = f"[{one} for _ in range({many})]"
        one = f"sum({one[1:-1]})" if said.has("sum") else one
    made = one if number == "1" else f"[{one} for _ in range({number})]"
    if said.has("counted"):
        return f"import random\n\n{seed}thrown = {made}\nCounter(thrown)"
    return f"import random\n\n{seed}{made}"


def _banded(said: Said) -> str:
    """A function that gives a letter for a number, by limits that the prompt tells."""
    name, parameter = said.word("name") or "grade", said.word("of") or "value"
    found = bands(said.found["bands"], said.marked.value)
    if found is None or not name.isidentifier() or not parameter.isidentifier() or name == parameter:
        raise UnknownError
    lines = [f"def {name}({parameter}):"]
    for label, how, limit in sorted(found[0], key=lambda one: -float(one[2])):
        lines += [f"    if {parameter} {how} {limit}:", f"        return {quoted(label)}"]
    return "\n".join([*lines, f"    return {quoted(found[1])}"])


def _until(said: Said) -> str:
    """A number that is halved or doubled until it has passed another one."""
    halves = said.found["how"].strip().lower().startswith("hal")
    below = said.found["end"].strip().lower() in ("below", "smaller than", "less than", "under")
    if halves != below:
        raise UnknownError
    start, limit = said.number("a"), said.number("b")
    return f"number = {start}\nwhile number {'>=' if below else '<='} {limit}:\n    number {'/' if halves else '*'}= 2\n    print(number)"


def _table(said: Said) -> str:
    number, last = said.number("n"), said.number("b") or "10"
    return f'for n in range(1, {last} + 1):\n    print(f"{{n}} x {number} = {{n * {number}}}")'


def _countdown(said: Said) -> str:
    return f"for n in range({said.number('n')}, {int(said.number('b') or 0) - 1}, -1):\n    print(n)"


_HOLDS = {
    "push": "items",
    "pop": "items",
    "peek": "items",
    "is_empty": "items",
    "deposit": "balance",
    "withdraw": "balance",
}
"""What an object has to hold that has the method."""
_DOES = frozenset(
    [
        *_HOLDS,
        "add",
        "average",
        "mean",
        "total",
        "area",
        "perimeter",
        "bark",
        "greet",
        "introduce",
        "__repr__",
        "full_name",
    ]
)
_NO_NAMES = frozenset(
    ["that", "which", "who", "can", "to", "has", "have", "method", "methods", "function", "when", "then",
     "with", "if", "is", "are", "for", "by", "of", "from", "in", "the", "it"]
)  # fmt: skip


def _class(said: Said) -> str | None:
    """A class with what it holds, and methods whose name says what they do."""
    name = said.word("name")
    told = [
        one
        for one in re.split(
            r"[\s,()]+", re.sub(r"\blist of\b", " ", said.found["held"].replace("_ _ repr__", "__repr__"))
        )
        if one and one != "and"
    ]
    more = (
        [one for one in re.split(r"[\s,()]+", said.found["methods"]) if one and one != "and"]
        if said.has("methods")
        else []
    )
    methods = [one for one in told if one in _DOES] + more
    held = list(
        dict.fromkeys([*(one for one in told if one not in _DOES), *(_HOLDS[one] for one in methods if one in _HOLDS)])
    )
    if (
        not all(one.isidentifier() and one not in _NO_NAMES for one in (name, *held, *methods))
        or not held
        or name[0].isdigit()
    ):
        return None
    usual = {
        one: " = 0" if one == "balance" else " = None"
        for one in held
        if one in _HOLDS.values() or (one not in more and "list of" in said.found["held"])
    }
    order = sorted(held, key=lambda one: one in usual)
    lines = [
        f"class {name[0].upper()}{name[1:]}:",
        f"    def __init__(self, {', '.join(one + usual.get(one, '').replace(' ', '') for one in order)}):",
    ]
    for one in held:
        lines.append(f"        self.{one} = {f'list({one} or [])' if usual.get(one) == ' = None' else one}")
    for method in methods:
        body = _body(method.lower(), held, name)
        if body is None:
            return None
        lines += ["", *(f"    {line}" for line in body)]
    return "\n".join(lines)


_STACK = {
    "push": ["def push(self, item):", "    self.items.append(item)"], "pop": ["def pop(self):", "    return self.items.pop()"],
    "peek": ["def peek(self):", "    return self.items[-1]"], "is_empty": ["def is_empty(self):", "    return not self.items"],
}  # fmt: skip


def _body(method: str, held: list[str], name: str) -> list[str] | None:
    """The lines of a method that is known by its name and by what the object holds."""
    many = [one for one in held if one.endswith("s") and not one.endswith("ss")]
    own = set(held)
    if method in _STACK and "items" in own:
        return _STACK[method]
    if method == "__repr__":
        return ["def __repr__(self):", f'    return f"{name}({", ".join(f"{one}={{self.{one}!r}}" for one in held)})"']
    if method in ("average", "mean", "total", "sum", "best", "highest", "add") and len(many) == 1:
        of = f"self.{many[0]}"
        if method == "add":
            return [f"def add(self, {many[0][:-1]}):", f"    {of}.append({many[0][:-1]})"]
        how = {"total": f"sum({of})", "sum": f"sum({of})", "best": f"max({of})", "highest": f"max({of})"}.get(
            method, f"sum({of}) / len({of})"
        )
        return [f"def {method}(self):", f"    return {how}"]
    known: dict[str, tuple[set[str], str]] = {
        "area": ({"width", "height"}, "self.width * self.height"), "perimeter": ({"width", "height"}, "2 * (self.width + self.height)"),
        "circumference": ({"radius"}, "2 * 3.141592653589793 * self.radius"),
        "full_name": ({"first", "last"}, 'f"{self.first} {self.last}"'), "total": ({"price", "quantity"}, "self.price * self.quantity"),
        "total_price": ({"price", "quantity"}, "self.price * self.quantity"),
    }  # fmt: skip
    if method == "area" and own == {"radius"}:
        return ["def area(self):", "    return 3.141592653589793 * self.radius ** 2"]
    if method in known and known[method][0] <= own:
        return [f"def {method}(self):", f"    return {known[method][1]}"]
    if method in ("deposit", "withdraw") and "balance" in own:
        sign = "+" if method == "deposit" else "-"
        guard = (
            ["    if amount > self.balance:", '        raise ValueError("not enough money")']
            if method == "withdraw"
            else []
        )
        return [f"def {method}(self, amount):", *guard, f"    self.balance {sign}= amount"]
    if method in ("greet", "introduce") and "name" in own:
        return [f"def {method}(self):", '    return f"Hello, I am {self.name}"']
    if method == "bark":
        return ["def bark(self):", '    return "Woof!"']
    return None


_NUMBERS = "(numbers|integers|whole numbers|squares|cubes|doubles|square roots|halves|number|square|cube|primes|prime)"
_LEAD = (
    "[write|make|create|build|use|generate|with|loop that prints|for|in] [for] [(loop:LOOP)] [that|to] [prints|print] "
    "[(list|comprehension|list comprehension|array)] [of|with|for|containing|from|for all] [all]"
)
_FROM = "[from|between|of|in range|in range of] [numbers] [from|between] {n:a} (to|and|up to|until|through|-) {n:b}"
_UPTO = "(up to|until|to|below|smaller than|less than|under:BELOW) {n:b}"
_TIMES = "(multiples of|divisible by|multiple of|numbers divisible by)"
_SUM = "[(sum|total|product|number|average|mean|add up|sum up:SUM)] [of]"
_SEED = "[(with|and|using) [random] (seed|random state) [=|of] {n:s}]"
_BUZZ = "(for|on|at|instead of|replace|when) [multiples of|numbers divisible by|divisible by|multiples]"
_MAKE = "[generate|create|make|draw|pick|choose|roll|throw|toss|flip|simulate|write|list of|list with|get]"

SHAPES = (
    Shape((
        f"{_LEAD} {_SUM} [all] [(even|odd|prime:WHICH)] [({_NUMBERS[1:-1]}:WHAT)] [of] {_FROM} [with loop|in loop|with list "
        f"comprehension|"
        "(using|with|in|by) (comprehension|list comprehension|loop|for loop)] [that are|which are] [{x}]".replace(" [{x}]", "")
        + f" [(that are|which are)] [{_TIMES} {{n:k}}]",
        (f"{_LEAD} {_SUM} [all] [(even|odd|prime:WHICH)] ({_NUMBERS[1:-1]}:WHAT) "
        "((up to|until)|(below|smaller than|less than|under:BELOW)) {n:b}"),
        f"{_LEAD} {_SUM} [all] [numbers] {_TIMES} {{n:k}} {_FROM}",
        f"{_LEAD} {_SUM} [all] [numbers] {_TIMES} {{n:k}} ((up to|until)|(below|smaller than|less than|under:BELOW)) {{n:b}}",
    ), _range, "loose"),
    Shape((
        ("[list of|generate|make] first {n:b} [{w:w}] (fibonacci numbers|primes|prime numbers|square numbers|squares|cubes|even "
        "numbers|odd numbers"
        "|natural numbers|triangular numbers:WHAT)"),
        "[list of|generate|make] first {n:b} [numbers of] (fibonacci:WHAT) [sequence|series|numbers]",
    ), _first, "loose"),
    Shape((
        (f"[print|write|do|loop over|go through|count] [numbers] [from] {{n:a}} (to|up to) {{n:b}} [but] [print] {{any:f}} "
            f"{_BUZZ} {{n:x}} [and] [print] "
         f"{{any:z}} {_BUZZ} {{n:y}} [(and {{w:b1}} for both|and both for both)]"),
        "[write|do|make|program] (fizzbuzz|fizz buzz) [for|from|game] [numbers] [from] [{n:a} to|up to|to|until] {n:b}",
        "[write|do|make|program] (fizzbuzz|fizz buzz) [for|from] [numbers] [from] {n:a} (to|up to) {n:b}",
    ), _fizz, "loose"),
    Shape((
        (f"{_MAKE} {{n:k}} [(unique|different|distinct:ONCE)] random (integers|numbers|whole numbers|ints|floats|decimals|real "
        f"numbers:WHAT) "
        f"[between|from|in range] [{{n:a}} (and|to) {{n:b}}] {_SEED}"),
        f"{_MAKE} random (integer|number|int|float|whole number:WHAT) (between|from) {{n:a}} (and|to) {{n:b}} {_SEED}",
        (f"{_MAKE} {{n:k}} (random) (integers|numbers:WHAT) (between|from) {{n:a}} (and|to) {{n:b}} (without "
        f"(repetition|repeats|duplicates):ONCE) {_SEED}"),
    ), _random, "loose"),
    Shape((
        (f"{_MAKE} {{n:k}} [random] [normally distributed|normal|gaussian] [random] (numbers|values|samples) [from normal "
        f"distribution] with mean [of|=] "
        f"{{n:a}} and (standard deviation|std|sd) [of|=] {{n:b}} {_SEED}"),
    ), _normal, "loose"),
    Shape((
        (f"{_MAKE} [{{w:many}}] (die|dice|coin|coins:WHAT) [{{n:k}} times|once|twice] [and (count|tally:COUNTED) [results|how "
        f"often each|outcomes]] {_SEED}"),
        f"{_MAKE} (sum:SUM) of {{w:many}} (dice:WHAT) [{{n:k}} times] {_SEED}",
    ), _thrown, "loose"),
    Shape((
        ("[write|make|define|create] function [called|named] [{w:name}] [that|which] (returns|gives|assigns|return|computes) [grade|letter|"
        "letter grade|mark] {rest:bands}"),
        ("[write|make|define|create] function [called|named] {w:name} {w:of} [that|which] (returns|gives|assigns|return) "
        "[grade|letter] {rest:bands}"),
    ), _banded, "loose"),
    Shape((
        ("[write] [while] (loop) [that] (halves|doubles|halving|doubling:HOW) {n:a} until it is (below|above|smaller than|less "
        "than|larger than|greater "
        "than|more than|over|under:END) {n:b}"),
        ("(halve|double:HOW) {n:a} until it is (below|above|smaller than|less than|larger than|greater than|more "
            "than|over|under:END) {n:b} "
        "[(with|in|using) [while] loop]"),
    ), _until, "loose"),
    Shape((
        ("simulate {n:k} (dice|coin|die:WHAT) (rolls|throws|tosses|flips|roll) [and] [(count|show|tally:COUNTED) [number of|how "
        "often] [times] [each|per|"
        "every] [number|side|result|outcome|face] [comes up|appears|occurs|is rolled|came up]]"),
    ), _thrown, "loose"),
    Shape((
        "[print|show|write] (multiplication table|times table|multiplication tables) (of|for) {n:n} [(up to|to) {n:b}]",
        "[print|show] {n:n} times table [(up to|to) {n:b}]",
    ), _table, "loose"),
    Shape((
        "(count down|countdown) from {n:n} [to {n:b}] [with loop|in loop|using loop|(with|using|in) while loop]",
        "print numbers [from] {n:n} (down to) {n:b}",
    ), _countdown, "loose"),
    Shape((
        ("[write|make|create|define] (class) [called|named] {w:name} [with|that has|which has|that stores|holding|storing] "
        "[attributes|attribute|fields] "
        "{rest:held} [and] [with] (method|methods|function) [that returns|called|named|for|to] {rest:methods}"),
        ("[write|make|create|define] (class) [called|named] {w:name} (with|that has|which has|that stores|holding|storing) "
        "[attributes|attribute|fields] "
        "{rest:held}"),
    ), _class, "loose"),
)  # fmt: skip
"""What students are asked to write."""
