"""Systems of linear equations as people write them: "solve 3x + 2y = 12 and x - y = 1". Pure."""

from __future__ import annotations

import re

_EQUATION = r"[\d\s.a-z*+-]+=[\d\s.a-z*+-]+"
_SOLVE = re.compile(
    rf"^\W*(?:please\s+)?(?:solve|solution\s+of|find\s+[a-z](?:\s*(?:,|and)\s*[a-z])*\s+(?:for|from|in|where|such\s+that|with))\s+"
    rf"(?:the\s+)?(?:(?:linear\s+)?(?:system|equations?|of|for)\s*)*:?\s*(?P<all>{_EQUATION}(?:(?:,|;|\band\b|\n){_EQUATION})*)[.?!\s]*$",
    re.IGNORECASE,
)
_TERM = re.compile(r"(?P<sign>[+-]?)\s*(?P<number>\d+(?:\.\d+)?)?\s*\*?\s*(?P<name>[a-z])?")


def solved(prompt: str) -> str | None:
    """The source that solves the equations in the prompt; None where it has none, or not as many as unknowns."""
    found = _SOLVE.match(prompt.replace("−", "-"))
    if found is None:
        return None
    rows = [_row(one) for one in re.split(r",|;|\band\b|\n", found["all"]) if one.strip()]
    known = [row for row in rows if row is not None]
    names = sorted({name for row in known for name in row if name})
    if len(known) < len(rows) or not names or len(names) != len(rows):
        return None
    matrix = ", ".join(f"[{', '.join(f'{row.get(name, 0):g}' for name in names)}]" for row in known)
    right = ", ".join(f"{-row.get('', 0):g}" for row in known)
    unknowns = ", ".join(names) + ("," if len(names) == 1 else "")
    return f"A = np.array([{matrix}])\nb = np.array([{right}])\n{unknowns} = np.linalg.solve(A, b)\n{unknowns}"


def _row(equation: str) -> dict[str, float] | None:
    """What each unknown is multiplied with, all on one side; the number under the empty name."""
    found: dict[str, float] = {}
    for side, way in zip(equation.split("="), (1, -1), strict=False):
        text, at = side.strip().lower(), 0
        while at < len(text):
            term = _TERM.match(text, at)
            if term is None or term.end() == at or not (term["number"] or term["name"]) or (at and not term["sign"]):
                return None
            value = float(term["number"] or 1) * (-1 if term["sign"] == "-" else 1) * way
            found[term["name"] or ""] = found.get(term["name"] or "", 0) + value
            at = term.end() + len(text[term.end() :]) - len(text[term.end() :].lstrip())
    return found
