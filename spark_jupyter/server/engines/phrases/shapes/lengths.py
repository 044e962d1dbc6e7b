"""How long something took that begins on one date and ends on another, what is weighed of several columns, the body mass index. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.named import name_of
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.tables import singular
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column

_BEGINS = re.compile(
    r"start|begin|from|out|hire|check.?in|arriv|open|pick.?up|depart(?!ment)|admi|ordered|created|joined|borrow|sent",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"end|finish|until|back|return|left|check.?out|clos|drop.?off|deliver|discharge|arriv|resolved|received|due|depart(?!ment)",
    re.IGNORECASE,
)


def _ends(said: Said) -> tuple[Column, Column]:
    """The dates on which a row begins and ends. Raises :class:`UnknownError` where there are no such two."""
    dates = [
        one
        for one in said.by_name.values()
        if (one.kind == "date" or one.holds.startswith("dates")) and one.holds != "index"
    ]
    if len(dates) != 2:
        raise UnknownError
    first, second = dates
    if (
        _BEGINS.search(second.name)
        and _ENDS.search(first.name)
        and not (_BEGINS.search(first.name) and _ENDS.search(second.name))
    ):
        first, second = second, first
    if not (_BEGINS.search(first.name) or _ENDS.search(second.name)):
        raise UnknownError
    return first, second


_OWN = re.compile(
    r"row|stay|visit|case|trip|ticket|period|absence|loan|rental|project|job|task|booking|order", re.IGNORECASE
)


def _days(said: Said) -> str:
    """The days from one to the other, as source."""
    noun = said.plainly(said.found["noun"]).lower() if said.has("noun") else ""
    if (
        noun
        and singular(noun) not in (singular(said.table.lower()), said.table.lower())
        and not _OWN.fullmatch(singular(noun))
    ):
        raise UnknownError
    first, second = (said.date(one) for one in _ends(said))
    return f"({second} - {first}).dt.days"


def _length(said: Said) -> str:
    made = _days(said)
    if not (said.found[0].startswith(("add ", "create ", "make ", "insert ")) or said.has("new") or said.has("name")):
        return made
    name = name_of(said) if said.has("name") else said.new("days")
    said.before.append(f"{said.table}[{quoted(name)}] = {made}")
    return said.table


def _summed(said: Said) -> str:
    made, how = _days(said), said.how() or "mean"
    if not said.has("g"):
        return f"{made}.{how}()"
    keys = [f"{said.table}[{one.source}]" for one in said.columns("g")]
    by = keys[0] if len(keys) == 1 else f"[{', '.join(keys)}]"
    return f"{made}.groupby({by}).{how}()"


def _longer(said: Said) -> str:
    """The rows that took longer, or shorter, than is said, or a flag for them."""
    sign = ">" if re.search(r"more|over|longer|above|>", said.found["sign"]) else "<"
    test = f"{_days(said)} {sign} {said.number('n')}"
    if not said.has("flag"):
        return f"{said.table}[{test}]"
    name = said.plainly(said.found["label"]).strip() if said.has("label") else "flag"
    said.before.append(f"{said.table}[{quoted(name)}] = {test}")
    return said.table


_WEIGHT = re.compile(
    r"(?:(?P<n>⟨n\d+⟩) (?P<p>% |percent )?(?:of |\* |x |times )?(?P<c>⟨c\d+⟩) "
    r"|(?P<d>⟨c\d+⟩) (?:(?:counts|weighs|with|at|weighted|weight|\*|x|times|is|by|for|of) )*(?P<m>⟨n\d+⟩) "
    r"(?P<q>% |percent )?)(?:(?:and|\+|plus) )*",
    re.IGNORECASE,
)


def _weighted(said: Said) -> str:
    """ "40% midterm + 60% final": all the weights together are one."""
    text, at, parts, whole = said.found["parts"], 0, [], 0.0
    while at < len(text):
        found = _WEIGHT.match(text, at)
        if found is None:
            raise UnknownError
        number, percent, mark = (
            (found["n"], found["p"], found["c"]) if found["n"] else (found["m"], found["q"], found["d"])
        )
        weight = float(said.marked.value(number)) / (100 if percent else 1)
        said.found["part"] = f"{mark} "
        parts.append(f"{weight:g} * {said.table}[{said.ready('part')}]")
        whole += weight
        at = found.end()
    if len(parts) < 2 or abs(whole - 1) > 0.001:
        raise UnknownError
    name = name_of(said) if said.has("name") else said.new("weighted")
    said.before.append(f"{said.table}[{quoted(name)}] = {' + '.join(parts)}")
    return said.table


def _mass(said: Said) -> str:
    """Kilograms by metres squared."""
    found = [
        [
            one
            for one in said.by_name.values()
            if re.search(rf"(?<![a-z]){word}", one.name, re.IGNORECASE) and one.kind == "number"
        ]
        for word in ("weight", "height")
    ]
    if any(len(one) != 1 for one in found):
        raise UnknownError
    weight, height = (one[0] for one in found)
    if re.search(r"lb|pound|inch|feet|ft", f"{weight.name} {height.name}", re.IGNORECASE):
        raise UnknownError
    metres = re.search(r"(?:[_\W]m|met(?:er|re)s?)\W*$", height.name, re.IGNORECASE) is not None
    if not metres and "cm" not in height.name.lower():
        said.says.append(f"I took `{height.name}` to be in centimetres.")
    tall = f"{said.table}[{height.source}]" if metres else f"({said.table}[{height.source}] / 100)"
    said.before.append(f"{said.table}[{quoted(said.new('bmi'))}] = {said.table}[{weight.source}] / {tall} ** 2")
    return said.table


_LENGTH = "(length|duration|number of days|days|time|length in days|duration in days|lengths|durations)"
_OF = "(of|per|for|from|between start and end of)"
_EACH = "[each|every|per|all|single]"
_NOUN = "({t:noun}|{c:noun}|{w:noun})"
_PUTS = "(add|create|make|calculate|compute|insert)"
_SIGN = "(longer than|over|more than|above|>|shorter than|under|less than|below|<:SIGN)"

SHAPES = (
    Shape((
        f"{_PUTS} [new] column (for|with|of) {_LENGTH} {_OF} {_EACH} {_NOUN} [in days] [{{new:new}}]",
        f"{{add:add}} {_LENGTH} {_OF} {_EACH} {_NOUN} [in days] [{{new:new}}]",
        (f"{_PUTS} [new] [column] {{called:name}} [column] (with|for|=|showing|that is|which is|as) {_LENGTH} [{_OF} "
         f"{_EACH} {_NOUN}] [in days]"),
        f"{_LENGTH} {_OF} {_EACH} {_NOUN} [in days] [{{new:new}}]",
        f"how (long|many days) (did|does|was|is|has) {_EACH} {_NOUN} [last|lasted|take|took|been|have] [in days]",
        "{add:add} ({t:noun}|{c:noun}) (length|duration|days) [in days] [{new:new}]",
    ), _length),
    Shape((
        (f"(average|mean|avg|median|total|longest|maximum|max|shortest|minimum:HOW) {_LENGTH} [{_OF} {_EACH} {_NOUN}] [in "
         f"days] [(per|by|for each|of each) {{cs:g}}]"),
        ("(average|mean|avg|median|total|maximum|max|minimum:HOW) ({t:noun}|{c:noun}) (length|duration|days|time) [in "
         "days] [(per|by|for each) {cs:g}]"),
        f"(total|average|mean:HOW) (days|number of days) {_OF} {_NOUN} (per|by|for each) {{cs:g}}",
    ), _summed),
    Shape((
        (f"[which|all|list] ({{t:noun}}|{{c:noun}}) [that|which] [(lasted|last|took|are|were|was|is|with)] "
         f"[length|duration] {_SIGN} {{n:n}} days"),
        f"(flag|mark:FLAG) ({{t:noun}}|{{c:noun}}) [that|which] [(lasted|last|took|are|were)] {_SIGN} {{n:n}} days [as {{any:label}}]",
    ), _longer),
    Shape((
        f"[{_PUTS}] [new] [column] {{called:name}} [column] (=|is|:|as|with|which is|from) {{rest:parts}}",
        f"{_PUTS} [new] [column] {{called:name}} [column] {{rest:parts}}",
        f"[{_PUTS}] weighted (average|mean|grade|score|sum|total|{{t:w}}|{{c:w}}) [of|from|with|=|is] {{rest:parts}}",
    ), _weighted),
    Shape((
        ("[{add:add}] (bmi|body mass index) [column] [(of|for|per|to) [each|every|per|all] "
         "({t:t}|{c:who}|person|people|row)] [from {cs:from}] [{new:new}]"),
    ), _mass),
)  # fmt: skip
"""What is measured between dates, or weighed."""
