"""Groups of numbers that are told from where to where: "18-40, 41-60, 61+". Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query.marked import N
from spark_jupyter.server.engines.query.model import Change
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.query.marked import Marked

_RANGE = re.compile(
    rf"(?P<a>{N})\s*(?:-|–|to)\s*(?P<b>{N})|(?P<more>{N})\s*(?:\+|(?:and|or)\s+(?:over|more|older|above|up))|"
    rf"(?:at\s+least|from)\s+(?P<least>{N})"
)


def ranged(said: str, name: str, marked: Marked) -> Change | None:
    """Groups that are told from where to where, "18-40, 41-60, 61+"; None where they are not, or not in their order. Of two whole
    numbers next to each other what lies between belongs to the first."""
    found = [
        (marked.value(one["a"] or one["more"] or one["least"]), marked.value(one["b"]) if one["b"] else "")
        for one in _RANGE.finditer(said)
    ]
    firsts = [float(first) for first, _ in found]
    whole = len(re.findall(N, said)) == sum(2 if last else 1 for _, last in found)
    if not whole or len(found) < 2 or firsts != sorted(firsts) or not all(last for _, last in found[:-1]):
        return None
    column, new = f"{{t}}[{quoted(name)}]", f"{name}_group"
    lines = [f"{{t}}[{quoted(new)}] = None"]
    for (first, last), following in zip(found, [*(first for first, _ in found[1:]), ""], strict=True):
        close = following and 0 <= float(following) - float(last) <= 1
        upper = f" & ({column} < {following})" if close else f" & ({column} <= {last})" if last else ""
        label = f"{first}-{last}" if last else f"{first}+"
        lines.append(f"{{t}}.loc[({column} >= {first}){upper}, {quoted(new)}] = {quoted(label)}")
    return Change(lines=tuple(lines), shows=f"{{t}}[{quoted(new)}].value_counts()", columns=(new,))
