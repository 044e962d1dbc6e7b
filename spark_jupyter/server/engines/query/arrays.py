"""What is asked of arrays: linear algebra, rows and columns, cuts of them. Pure. Each rule is a pattern and a function of its match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import N, T
from spark_jupyter.server.engines.query.naming import flat, kind, matrix

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from spark_jupyter.server.engines.query.naming import Named

    Maker = Callable[[re.Match[str], Named], str | None]

X, Y = rf"(?P<x>{T})", rf"(?P<y>{T})"
_THE = r"(?:\b(?:the|a|an|of|for|in|from|all|every|each|calculate|compute|find|give|me|what|is|are|matrix|vector|array)\s+)*"
_ORDINALS = {"first": "0", "second": "1", "third": "2", "fourth": "3", "fifth": "4", "last": "-1"}
_SIGNS = (
    r"(?P<op>>=|<=|>|<|==|(?:greater|larger|higher|bigger|more|less|lower|smaller) than|above|over|below|under"
    r"|at least|at most|equal to)"
)
_HOW = "|".join(sorted(lexicon.AGGREGATES, key=len, reverse=True))


def sign(said: str) -> str:
    """The comparison that words say."""
    plain = {"at least": ">=", "at most": "<=", "above": ">", "over": ">", "below": "<", "under": "<", "equal to": "=="}
    return plain.get(said) or (said if said[0] in "<>=" else "<" if said[:2] in ("le", "lo", "sm", "fe", "sh") else ">")


def _of_array(template: str, *, square: bool = False) -> Maker:
    def make(found: re.Match[str], named: Named) -> str | None:
        one = named.of(found)
        if kind(one) != "array" or (square and not matrix(one)):
            return None
        return template.format(x=one.name)

    return make


def _product(found: re.Match[str], named: Named) -> str | None:
    a, b = named.of(found), named.of(found, "y")
    if kind(a) != "array" or kind(b) != "array":
        return None
    by_element = "element" in found[0].lower()
    return f"{a.name} * {b.name}" if by_element else f"{a.name} @ {b.name}"


def _solve(found: re.Match[str], named: Named) -> str | None:
    a, b = named.of(found), named.of(found, "y")
    if not matrix(a) or kind(b) != "array":
        return None
    return f"solution = np.linalg.solve({a.name}, {b.name})\nsolution"


def _line_of(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not matrix(one):
        return None
    at = _ORDINALS.get(found["at"].lower())
    return f"{one.name}[{at}]" if found["what"].lower() == "row" else f"{one.name}[:, {at}]"


def _best_line(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    how = lexicon.AGGREGATES.get((found["how"] or "sum").lower(), "")
    if not matrix(one) or how not in ("sum", "mean", "max", "min", "std", "median"):
        return None
    axis = 1 if found["what"].lower() == "row" else 0
    along = f"np.median({one.name}, axis={axis})" if how == "median" else f"{one.name}.{how}(axis={axis})"
    best = "argmin" if found["way"].lower() in lexicon.FEW.split("|") else "argmax"
    return f"{along}.{best}()  # counted from 0"


def _lines_where(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not matrix(one):
        return None
    test = f"{one.name} {sign(found['op'].lower())} {named.value(found, 'n')}"
    every = "any" if found["every"].lower().startswith(("any", "some", "one", "at")) else "all"
    if found["what"].lower().startswith("row"):
        return f"{one.name}[({test}).{every}(axis=1)]"
    return f"{one.name}[:, ({test}).{every}(axis=0)]"


def _set_where(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) != "array":
        return None
    mask = f"{one.name} {sign(found['op'].lower())} {named.value(found, 'n')}"
    return f"{one.name} = np.where({mask}, {named.value(found, 'to')}, {one.name})\n{one.name}"


def _turned(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not matrix(one):
        return None
    return f"{one.name}[:, ::-1]" if found["what"].lower() == "row" else f"{one.name}[::-1]"


def _shaped(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    return f"{one.name}.reshape({named.value(found, 'n')}, {named.value(found, 'm')})" if kind(one) == "array" else None


def _middle(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if not matrix(one):
        return None
    high, wide = named.value(found, "n"), named.value(found, "m")
    return "\n".join(
        (
            f"top, left = ({one.name}.shape[0] - {high}) // 2, ({one.name}.shape[1] - {wide}) // 2",
            f"{one.name}[top : top + {high}, left : left + {wide}]",
        )
    )


def _running(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    return f"np.cumsum({one.name})" if kind(one) == "numbers" or (kind(one) == "array" and flat(one)) else None


def _smoothed(found: re.Match[str], named: Named) -> str | None:
    one, window = named.of(found), named.value(found, "n") if found["n"] else "3"
    if not (kind(one) == "numbers" or (kind(one) == "array" and flat(one))):
        return None
    return f'np.convolve({one.name}, np.ones({window}) / {window}, mode="valid")'


def _steps(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    return f"np.diff({one.name})" if kind(one) in ("numbers", "array") else None


def _scaled(found: re.Match[str], named: Named) -> str | None:
    one = named.of(found)
    if kind(one) not in ("numbers", "array"):
        return None
    lines = [f"values = np.asarray({one.name}, dtype=float)"] if kind(one) == "numbers" else []
    name = "values" if lines else one.name
    return "\n".join([*lines, f"({name} - {name}.min()) / ({name}.max() - {name}.min())"])


RULES: tuple[tuple[str, Maker], ...] = (
    (rf"{_THE}\b(?:determinant|det)\s+of\s+{_THE}{X}", _of_array("np.linalg.det({x})", square=True)),
    (rf"{_THE}\b(?:inverse\s+of|invert)\s+{_THE}{X}", _of_array("np.linalg.inv({x})", square=True)),
    (
        rf"{_THE}\beigen\s?values?\s+and\s+(?:the\s+)?(?:eigen\s?)?vectors?\s+of\s+{_THE}{X}",
        _of_array("values, vectors = np.linalg.eig({x})\nvalues, vectors", square=True),
    ),
    (
        rf"{_THE}\beigen\s?vectors?\s+of\s+{_THE}{X}",
        _of_array(
            "values, vectors = np.linalg.eig({x})\nvectors  # one a column, in the order of `values`", square=True
        ),
    ),
    (rf"{_THE}\beigen\s?values?\s+of\s+{_THE}{X}", _of_array("np.linalg.eigvals({x})", square=True)),
    (rf"{_THE}\brank\s+of\s+{_THE}{X}", _of_array("np.linalg.matrix_rank({x})", square=True)),
    (rf"{_THE}\btrace\s+of\s+{_THE}{X}", _of_array("np.trace({x})", square=True)),
    (rf"{_THE}\b(?:norm|length|magnitude)\s+of\s+{_THE}vector\s+{X}", _of_array("np.linalg.norm({x})")),
    (rf"{_THE}\bnorm\s+of\s+{_THE}{X}", _of_array("np.linalg.norm({x})")),
    (rf"{_THE}\bdiagonal\s+of\s+{_THE}{X}", _of_array("np.diag({x})", square=True)),
    (
        rf"(?:\b(?:check|test|whether|if|is)\s+)*{_THE}{X}\s+(?:is\s+)?symmetric(?:al)?",
        _of_array("bool(np.allclose({x}, {x}.T))", square=True),
    ),
    (rf"\bsolve\s+(?:the\s+)?(?:(?:linear\s+)?(?:system|equations?)\s+)?{X}\s*[@*]?\s*[a-z]?\s*=\s*{Y}(?:\s+for\s+[a-z]\b)?", _solve),
    (
        rf"\bsolve\s+(?:the\s+)?(?:linear\s+)?(?:system|equations?)\s+(?:with|of|given\s+by)\s+{X}\s+and\s+{Y}(?:\s+for\s+[a-z]\b)?",
        _solve,
    ),
    (
        (rf"\b(?:multiply|(?:matrix\s+|dot\s+|scalar\s+|inner\s+)?product\s+of)\s+{X}\s+(?:by|with|and|times)\s+"
            rf"{Y}(?:\s+element\s?-?\s?wise)?"),
        _product,
    ),
    (rf"{_THE}{X}\s+(?:times|multiplied\s+by|dot|@)\s+{Y}", _product),
    (rf"{_THE}\b(?P<at>first|second|third|fourth|fifth|last)\s+(?P<what>row|column)\s+(?:of|in|from)\s+{_THE}{X}", _line_of),
    (
        (rf"{_THE}(?:which\s+)?\b(?P<what>row|column)\s+(?:of\s+{_THE}{T}\s+)?(?:with|that\s+has|has)\s+(?:the\s+)?"
        rf"(?P<way>{lexicon.MANY}|{lexicon.FEW})\s+(?P<how>{_HOW})?(?:\s+value)?\s*(?:of|in)\s+{_THE}{X}"),
        _best_line,
    ),
    (
        (rf"(?P<what>rows|columns)\s+(?:of|in|from)\s+{_THE}{X}\s+(?:(?:where|in\s+which|with|that|have|has|only)\s+)*"
        rf"(?P<every>every|all|any|some|each|at\s+least\s+one)(?:\s+(?:the|of|its|values?|elements?|numbers?|en"
            rf"try|entries|are|is))*\s+{_SIGNS}\s*(?P<n>{N})"),
        _lines_where,
    ),
    (
        (rf"\b(?:set|replace|change|clip|cap)\s+(?:all\s+|the\s+|every\s+|any\s+)*(?:values?|elements?|numbers?|entries)?\s*(?:of|in)?\s*"
        rf"(?:{_SIGNS})\s*(?P<n>{N})\s+(?:in|of)\s+{_THE}{X}\s+(?:to|with|by)\s+(?P<to>{N})"),
        _set_where,
    ),
    (
        (rf"\b(?:set|replace|change)\s+(?:all\s+|the\s+|every\s+|any\s+)*(?:values?|elements?|numbers?|entries)\s+(?:of|in)\s+{_THE}{X}\s+"
        rf"(?:that\s+are\s+|which\s+are\s+)?{_SIGNS}\s*(?P<n>{N})\s+(?:to|with|by)\s+(?P<to>{N})"),
        _set_where,
    ),
    (rf"\b(?:reverse|flip)\s+{_THE}(?P<what>row|column)s?\s+(?:of|in)\s+{_THE}{X}", _turned),
    (rf"\breshape\s+{_THE}{X}\s+(?:in\s*to|to|as)\s+(?:a\s+)?(?P<n>{N})\s*(?:x|by|,|×|rows\s+and)\s*(?P<m>{N})(?:\s+columns)?", _shaped),
    ((rf"{_THE}\b(?:middle|centre|center|central)\s+(?P<n>{N})\s*(?:x|by|×)\s*(?P<m>{N})(?:\s+(?:block|part|s"
            rf"quare|values?))?\s+(?:of|in|from)\s+{_THE}{X}"), _middle),
    (rf"\bflatten\s+{_THE}{X}", _of_array("{x}.ravel()")),
    (rf"\btranspose(?:d)?(?:\s+of)?\s+{_THE}{X}", _of_array("{x}.T")),
    (rf"{_THE}\b(?:running|cumulative)\s+(?:totals?|sums?)\s+of\s+{_THE}{X}", _running),
    (
        (rf"{_THE}\b(?:moving|rolling)\s+(?:average|mean)\s+of\s+{_THE}{X}(?:\s+(?:over|with|using|of)\s+(?:a\s+)?(?:window\s+(?:of\s+)?)?"
        rf"(?P<n>{N})(?:\s+(?:values|points|window|elements))?)?"),
        _smoothed,
    ),
    (
        (rf"{_THE}\bdifferences?\s+between\s+(?:neighbou?ring|consecutive|successive|adjacent)\s+(?:values|eleme"
            rf"nts|numbers|entries)\s+(?:of|in)\s+{_THE}{X}"),
        _steps,
    ),
    (
        (rf"\b(?:scale|rescale|normali[sz]e)\s+{_THE}{X}\s+(?:(?:so\s+that\s+it\s+(?:goes|runs|is)|to|from|between|into|the\s+range)\s*)+"
        rf"(?P<n>{N})\s*(?:\.\.+|-|to|and|,|…)\s*(?P<m>{N})"),
        _scaled,
    ),
)  # fmt: skip
"""Patterns over a marked prompt, the most telling first."""
