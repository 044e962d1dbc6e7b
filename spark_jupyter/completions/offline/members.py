"""Attributes after a dot.

Only attributes that exist; usual ones and those that this notebook uses come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.completions.offline.common_members import TABLES, USUAL
from spark_jupyter.completions.offline.cursor import code_above, is_text
from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation
from spark_jupyter.source.strings import closing

_MEMBER = re.compile(r"\.(?P<typed>[^\W\d]\w*)\Z")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_STEP = re.compile(r"\.(?P<name>[^\W\d]\w*)|(?P<open>[(\[])")
_USE = re.compile(r"(?<=[\w)\]]\.)[^\W\d]\w*(?:\(\)?)?")
_SURE = 2
"""Characters after the dot from which a name is suggested, for kinds with a list of usual attributes; one more for others."""
_ESTIMATOR = ("fit", "predict")


def members(situation: Situation, facts: Facts) -> Iterator[str]:
    """``df.gro``: attributes of the value, the usual ones first."""
    line = situation.line_before
    match = _MEMBER.search(line)
    if match is None or is_text(situation) or situation.line_after[:1] in ("(", "["):
        return
    typed = match["typed"]
    receiver = _receiver(line[: match.start()])
    kind = kind_of(receiver, facts)
    usual = [text for text in USUAL.get(kind, ()) if text.startswith(typed)]
    there = (
        [name for name in facts.members(receiver) if name.startswith(typed)] if _DOTTED.fullmatch(receiver) else None
    )
    if there is not None:
        usual = [text for text in usual if _name(text) in there]
    ours = [one for one in _uses(situation) if one.startswith(typed) and (there is None or _name(one) in there)]
    if typed in map(_name, (*usual, *ours, *(there or ()))):
        return  # what is typed is a member's whole name already
    if len(typed) >= _SURE and usual:
        yield usual[0][len(typed) :]
    elif len(typed) > _SURE and there is not None and len(there) == 1:
        yield there[0][len(typed) :]
    yield from (one[len(typed) :] for one in ours if len(typed) >= _SURE)


def kind_of(expression: str, facts: Facts) -> str:
    """Return the type of an expression of names, brackets and dots, as :data:`USUAL` names it; empty where it is not known."""
    base = re.match(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*", expression)
    if base is None:
        return ""
    name, rest = base[0], expression[base.end() :]
    kind = _known(name, facts)
    while not kind and "." in name:  # the end of it is a method, or an attribute
        name, _, last = name.rpartition(".")
        rest = f".{last}{rest}"
        kind = _known(name, facts)
    while kind and rest:
        step = _STEP.match(rest)
        if step is None:
            return ""
        end = step.end() if step["name"] else closing(rest, 0)
        if end <= 0:
            return ""
        kind = _after(kind, step["name"] or rest[:end])
        rest = rest[end:]
    return kind


def _known(name: str, facts: Facts) -> str:
    kind = facts.kind(name)
    if kind in USUAL:
        return kind
    return "estimator" if kind and set(_ESTIMATOR) & set(facts.members(name)) else ""


def _after(kind: str, step: str) -> str:
    """The kind of value after a step: the name of an attribute, or brackets with their content."""
    if step[0] == "(":
        return kind
    if kind in TABLES:
        if step[0] == "[":
            return "Series" if re.match(r"\[\s*[\"']", step) else kind
        return {"groupby": "GroupBy", "dt": "dt", "str": "text column", "to_list": "list", "shape": ""}.get(step, kind)
    if kind == "GroupBy":
        return kind if step[0] == "[" or step in ("rolling", "resample") else "Series"
    if kind in ("dt", "text column"):
        return "Series"
    if kind == "pandas":
        if step.startswith("read_") or step in ("DataFrame", "concat", "merge"):
            return "DataFrame"
        return "Series" if step == "Series" else ""
    return ""


def _receiver(text: str) -> str:
    """The expression that ends a text: names, dots and brackets."""
    at = len(text)
    while at > 0:
        if text[at - 1] in ")]":
            at = _opening(text, at - 1)
            if at < 0:
                return ""
        elif text[at - 1].isalnum() or text[at - 1] in "_.":
            at -= 1
        else:
            break
    return text[at:]


def _opening(text: str, end: int) -> int:
    """Return the place of the bracket that is closed at ``end``; -1 where none is."""
    return next((at for at in range(end - 1, -1, -1) if text[at] in "([" and closing(text, at) == end + 1), -1)


def _uses(situation: Situation) -> list[str]:
    """Attributes in this notebook, as they are written: ``mean()``, ``groupby(``."""
    code = "\n".join([*code_above(situation), _MEMBER.sub("", situation.line_before)])
    return _USE.findall(code)


def _name(text: str) -> str:
    return re.split(r"\W", text, maxsplit=1)[0]
