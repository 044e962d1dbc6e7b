"""Arrays that are made of nothing but what the sentence says: random ones, of zeros, evenly spaced numbers. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape


def _size(said: Said) -> str:
    return f"({said.number('n')}, {said.number('m')})" if said.has("m") else said.number("n")


def _named(said: Said, made: str, default: str) -> str:
    name = said.free(said.word("name") if said.has("name") else default)
    said.before.append(f"{name} = {made}")
    return name


def _random(said: Said) -> str:
    rng = said.free("rng")
    said.before.append(f"{rng} = np.random.default_rng(0)")
    size = _size(said)
    if said.has("whole"):
        low, high = said.number("a"), said.number("b")
        return _named(said, f"{rng}.integers({low}, {high}, size={size}, endpoint=True)", "values")
    if said.has("normal"):
        mean, spread = said.number("a") or "0", said.number("b") or "1"
        return _named(said, f"{rng}.normal({mean}, {spread}, size={size})", "values")
    if said.has("b"):
        return _named(said, f"{rng}.uniform({said.number('a')}, {said.number('b')}, size={size})", "values")
    return _named(said, f"{rng}.random({size})", "values")


def _filled(said: Said) -> str:
    word = said.found["what"].strip().lower()
    call = "ones" if word.startswith("one") else "zeros"
    return _named(said, f"np.{call}({_size(said)})", call)


def _identity(said: Said) -> str:
    if said.has("m") and said.number("m") != said.number("n"):
        raise UnknownError
    return _named(said, f"np.eye({said.number('n')})", "identity")


def _spaced(said: Said) -> str:
    return _named(said, f"np.linspace({said.number('a')}, {said.number('b')}, {said.number('n')})", "values")


def _stepped(said: Said) -> str:
    low, high, step = (float(said.number(one)) for one in ("a", "b", "n"))
    if step <= 0 or low >= high:
        raise UnknownError
    count = round((high - low) / step)
    if abs(low + count * step - high) > 1e-9 * max(1, abs(high)):
        raise UnknownError
    return _named(said, f"np.linspace({said.number('a')}, {said.number('b')}, {count + 1})", "values")


_MAKE = "[create|make|generate|give|get|build|produce|draw|sample|I need]"
_ARRAY = "(array|numpy array|np array|matrix|grid|vector|2d array)"
_NAME = "[(called|named) {w:name}|and call it {w:name}]"
_BY = "(by|x|times|and|×|\\*)".replace("|\\*", "")
_SHAPE = f"[shape|size|dimension|dimensions] {{n:n}} {_BY} {{n:m}}"
_ROWS = "{n:n} rows and {n:m} columns"

SHAPES = (
    Shape((
        (f"{_MAKE} [{_ARRAY} (of|with)] {{n:n}} random (integers|ints|whole numbers:WHOLE) (between|from|in range) {{n:a}} (and|to) "
         f"{{n:b}} as {_ARRAY} {_NAME}"),
        (f"{_MAKE} {_ARRAY} (of|with) {{n:n}} random (integers|ints|whole numbers:WHOLE) (between|from|in range) {{n:a}} (and|to) "
         f"{{n:b}} {_NAME}"),
        (f"{_MAKE} [{_ARRAY} (of|with)] {{n:n}} random (numbers|values|floats|floating point numbers) [(between|from|in range) {{n:a}} "
         f"(and|to) {{n:b}}] {_NAME}"),
        f"{_MAKE} random {_ARRAY} (of|with) ({_SHAPE}|{_ROWS}|length {{n:n}}) {_NAME}",
        f"{_MAKE} [random] {{n:n}} {_BY} {{n:m}} (random) {_ARRAY} {_NAME}",
        f"{_MAKE} {{n:n}} {_BY} {{n:m}} {_ARRAY} (of|with) random (numbers|values) [(between|from) {{n:a}} (and|to) {{n:b}}] {_NAME}",
        (f"{_MAKE} [{_ARRAY} (of|with)] {{n:n}} [random] [values|samples|numbers|draws|points] [drawn|sampled] (from|of|following) "
         f"[standard] (normal|gaussian:NORMAL) distribution [with mean [of|=] {{n:a}} and (std|standard deviation|sd|sigma|stdev) "
         f"[of|=] {{n:b}}] {_NAME}"),
        (f"{_MAKE} {{n:n}} [random] (normally distributed|gaussian|normal:NORMAL) [random] (values|samples|numbers) [with mean [of|=] "
         f"{{n:a}} and (std|standard deviation|sd|sigma|stdev) [of|=] {{n:b}}] {_NAME}"),
        (f"{_MAKE} (normal|gaussian:NORMAL) [distribution] (sample|samples|distribution) with mean [of|=] {{n:a}} and (std|standard "
         f"deviation|sd|sigma) [of|=] {{n:b}} [with] {{n:n}} (values|samples|points|numbers) {_NAME}"),
        (f"{_MAKE} (sample|samples) of {{n:n}} (values|numbers) from (normal|gaussian:NORMAL) distribution with mean [of|=] {{n:a}} "
         f"and (std|standard deviation|sd) [of|=] {{n:b}} {_NAME}"),
    ), _random, "loose"),
    Shape((
        (f"{_MAKE} {_ARRAY} (of|with|full of|filled with) [only|all] (zeros|ones|zeroes:WHAT) (with|of|in) ({_SHAPE}|{_ROWS}|length "
         f"{{n:n}}) {_NAME}"),
        f"{_MAKE} {{n:n}} {_BY} {{n:m}} {_ARRAY} (of|with|full of|filled with) [only|all] (zeros|ones|zeroes:WHAT) {_NAME}",
        f"{_MAKE} {_ARRAY} (of|with) {{n:n}} (zeros|ones|zeroes:WHAT) {_NAME}",
        f"{_MAKE} (zero|zeros|ones:WHAT) {_ARRAY} (of|with) ({_SHAPE}|{_ROWS}|length {{n:n}}) {_NAME}",
    ), _filled, "loose"),
    Shape((
        f"{_MAKE} {{n:n}} {_BY} {{n:m}} (identity|unit) matrix {_NAME}",
        f"{_MAKE} (identity|unit) matrix (of|with) [size|dimension] {{n:n}} [{_BY} {{n:m}}] {_NAME}",
    ), _identity, "loose"),
    Shape((
        (f"{_MAKE} [{_ARRAY} (of|with)] {{n:n}} (evenly|equally|linearly|uniformly) (spaced|distributed) (values|numbers|points) "
         f"(between|from) {{n:a}} (and|to) {{n:b}} {_NAME}"),
        (f"{_MAKE} [{_ARRAY} (of|with)] {{n:n}} (values|numbers|points) (between|from) {{n:a}} (and|to) {{n:b}} "
         f"(evenly|equally|linearly) spaced {_NAME}"),
        f"{_MAKE} linspace from {{n:a}} to {{n:b}} with {{n:n}} (points|values) {_NAME}",
    ), _spaced, "loose"),
    Shape((
        (f"{_MAKE} [{_ARRAY}] [of|with] [all] (numbers|values|points) (from|between) {{n:a}} (to|and) {{n:b}} (in|with|at) "
         f"(steps|step|intervals|increments|stepsize|step size) of {{n:n}} {_NAME}"),
        f"{_MAKE} {_ARRAY} from {{n:a}} to {{n:b}} (in|with) (steps|step|stepsize|step size) [of] {{n:n}} {_NAME}",
    ), _stepped, "loose"),
)  # fmt: skip
"""What is made of nothing."""
