"""A list cut into groups: of so many each, so many of them, in order or by chance. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.naming import kind

_EVEN = "What does not fill a group makes a smaller one at the end."


def _listed(said: Said) -> str:
    one = said.variable("x")
    if kind(one) not in ("numbers", "texts", "list", "str", "set"):
        raise UnknownError
    if said.has("random") or said.has("random2"):
        if kind(one) == "str":
            raise UnknownError
        name = said.free("shuffled")
        said.before += ["import random", "", f"{name} = random.sample(list({one.name}), len({one.name}))"]
        return name
    return f"list({one.name})" if kind(one) == "set" else one.name


def _number(said: Said) -> str:
    number = "2" if said.has("pairs") else said.number("n")
    if not number.isdigit() or int(number) < 1:
        raise UnknownError
    return number


def _of_so_many(said: Said) -> str:
    values, number = _listed(said), _number(said)
    said.says.append(_EVEN)
    return f"[{values}[start : start + {number}] for start in range(0, len({values}), {number})]"


def _so_many(said: Said) -> str:
    values, number = _listed(said), _number(said)
    return f"[{values}[start::{number}] for start in range({number})]"


_CUT = "[(split|cut|divide|break|chunk|make|form|build|create|put|sort|arrange|assign|generate|draw|group)]"
_GROUPS = "(chunks|pieces|groups|parts|sublists|blocks|teams|lists|batches)"
_RANDOM = "[(random|randomly|shuffled:RANDOM)]"
_AT_RANDOM = "[(randomly|at random|by chance|in random order|random:RANDOM2)]"
_EACH = "[elements|items|numbers|people|names|students|persons|players|pupils|each|{t:w}] [each]"
_ALL = "[all] [elements of|items of|items in|everyone in|people in|values in|list of|list]"

SHAPES = (
    Shape((
        f"{_CUT} {_ALL} {{t:x}} [up] {_AT_RANDOM} (in|into|to) {_RANDOM} {_GROUPS} of [size|length] {{num:n}} {_EACH} {_AT_RANDOM}",
        f"{_CUT} {_ALL} {{t:x}} [up] {_AT_RANDOM} (in|into|to) {_RANDOM} (pairs|twos:PAIRS)",
        f"{_CUT} {_RANDOM} {_GROUPS} of [size|length] {{num:n}} {_EACH} (from|of|with|out of|in) {_ALL} {{t:x}} {_AT_RANDOM}",
        f"{_CUT} {_RANDOM} (pairs:PAIRS) (from|of|with|out of) {_ALL} {{t:x}} {_AT_RANDOM}",
        f"{_CUT} {{t:x}} {_AT_RANDOM} (in|into) {{num:n}} - (person|people|player|student|element) {_GROUPS} {_AT_RANDOM}",
        "[(split|cut|divide|group|batch|chunk)] {t:x} {num:n} by {num:m}",
    ), _of_so_many, "things"),
    Shape((
        (f"{_CUT} {_ALL} {{t:x}} [up] {_AT_RANDOM} (in|into) {{num:n}} {_RANDOM} [equal|even|equally large|equally sized] "
            f"{_GROUPS} {_AT_RANDOM}"),
        f"{_CUT} {{num:n}} {_RANDOM} [equal|even] {_GROUPS} (from|out of|of) {_ALL} {{t:x}} {_AT_RANDOM}",
    ), _so_many, "things"),
)  # fmt: skip
"""What is asked of the groups of a list."""
