"""New columns of labels that depend on conditions: branches, bands, marks, seasons. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.named import name_of, plain
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.rewrite import quoted


def _label(said: Said, tokens: list[str]) -> str:
    """A label as source: a number, or the words as they are said. Raises :class:`UnknownError` where it can be none."""
    text = said.plainly(" ".join(tokens)).strip("\"' ")
    if (
        not tokens
        or len(tokens) > 2
        or re.search(
            r"^(?:is|are|it|and|if|or|than|then|to|not|nothing|when)$|^(?:that|which|says|telling|saying)\b|[<>=]",
            text,
            re.IGNORECASE,
        )
    ):
        raise UnknownError
    if text.lower() in ("true", "false"):
        return text.title()
    return text if re.fullmatch(r"-?\d+(?:\.\d+)?", text) else quoted(text)


_COMPARED = re.compile(
    r"(⟨c\d+⟩) (?:is |was )?(?:>|>=|<|<=|above|below|over|under|(?:more|less|greater|higher|lower|larger|bigger) than) (⟨c\d+⟩)"
)


def _test(said: Said, tokens: list[str], earlier: str) -> str:
    """A condition as source; "if less" compares what the one before it compared."""
    text = " ".join(tokens)
    sign = {"less": "<", "lower": "<", "smaller": "<", "fewer": "<", "equal": "==", "same": "==", "they are equal": "==", "tied": "==",
            "more": ">", "higher": ">", "they are same": "==", "both are equal": "==", "both are same": "==", "greater": ">",
            "it is less": "<", "it is equal": "==", "vice versa": "<", "other way round": "<"}.get(text.lower())  # fmt: skip
    pair = _COMPARED.search(earlier)
    if sign is not None and pair:
        first, second = (f"{said.table}[{quoted(said.marked.value(one))}]" for one in pair.groups())
        turned = sign == "<" and re.search(r"<|below|under|less|lower", pair[0]) is not None
        return f"{first} {'>' if turned else sign} {second}"
    said.found["branch"] = f"{text} "
    return said.condition("branch")


def _branches(said: Said, group: str) -> tuple[list[tuple[str, str]], str | None]:
    """The conditions with their labels, and the label of what is left. "A if x, B if y, otherwise C" and "if x then A, else B"."""
    tokens = said.found[group].split()
    lower = [one.lower() for one in tokens]
    rest: str | None = None
    for place in range(len(tokens) - 1, 0, -1):
        if lower[place] in ("otherwise", "else") and "if" not in lower[place:] and "when" not in lower[place:]:
            behind = tokens[place + 1 :]
            while behind and behind[0].lower() in ("it", "is", "be", "as", "with"):
                behind = behind[1:]
            rest = _label(said, behind)
            tokens, lower = tokens[:place], lower[:place]
            break
    while lower and lower[-1] in ("and", "or"):
        tokens, lower = tokens[:-1], lower[:-1]
    ifs = [place for place, one in enumerate(lower) if one in ("if", "when", "where")]
    if not ifs:
        raise UnknownError
    found: list[tuple[str, str]] = []
    if "then" in lower or ifs[0] == 0:
        for start, end in zip(ifs, [*ifs[1:], len(tokens)], strict=True):
            part, low = tokens[start + 1 : end], lower[start + 1 : end]
            while low and low[-1] in ("else", "otherwise", "and", "elif"):
                part, low = part[:-1], low[:-1]
            if "then" not in low and "than" not in low:
                raise UnknownError
            then = low.index("then" if "then" in low else "than")  # "if less than away": mended from "then"
            found.append((_test(said, part[:then], " ".join(tokens[:start])), _label(said, part[then + 1 :])))
        return found, rest
    return _labels_first(said, tokens, ifs), rest


def _labels_first(said: Said, tokens: list[str], ifs: list[int]) -> list[tuple[str, str]]:
    """The longest condition that is understood between one label and the next."""
    found: list[tuple[str, str]] = []
    begin = 0
    for number, place in enumerate(ifs):
        label = _label(said, [one for one in tokens[begin:place] if one.lower() not in ("and", "or")])
        end = ifs[number + 1] if number + 1 < len(ifs) else len(tokens)
        for cut in (end - 1, end - 2) if number + 1 < len(ifs) else (end,):
            part = [*tokens[place + 1 : cut]]
            while part and part[-1].lower() in ("and", "or"):
                part = part[:-1]
            try:
                found.append((_test(said, part, " ".join(tokens[:place])), label))
            except UnknownError:
                continue
            begin = cut
            break
        else:
            raise UnknownError
    return found


def _selected(said: Said, name: str, found: list[tuple[str, str]], rest: str | None) -> str:
    labels = [label for _, label in found] + ([rest] if rest else [])
    texts = any(label.startswith('"') for label in labels)
    if texts and not all(label.startswith('"') or label == "None" for label in labels):
        raise UnknownError
    target = f"{said.table}[{quoted(name)}]"
    if len(found) == 1 and (found[0][1], rest) in (("True", None), ("True", "False"), ("False", "True")):
        said.before.append(f"{target} = {found[0][0] if found[0][1] == 'True' else f'~({found[0][0]})'}")
        return said.table
    if len(found) == 1 and rest is not None:
        said.before.append(f"{target} = np.where({found[0][0]}, {found[0][1]}, {rest})")
        return said.table
    tests = "".join(f"        {test},\n" for test, _ in found)
    chosen = ", ".join(label for _, label in found)
    default = rest or ("None" if texts else "np.nan")
    said.before.append(f"{target} = np.select(\n    [\n{tests}    ],\n    [{chosen}],\n    default={default},\n)")
    return said.table


def _branched(said: Said) -> str:
    found, rest = _branches(said, "branches")
    if said.plainly(said.found["add_0"]).lower() in _NO_NAMES:
        raise UnknownError
    return _selected(said, said.new("label", "add"), found, rest)


def _marked_as(said: Said) -> str:
    test = said.condition("cond")
    column = next((one for one in said.by_name.values() if f"[{quoted(one.name)}]" in test), None)
    label, other = (_label(said, said.found[one].split()) for one in ("label", "other"))
    name = said.new(f"{column.name if column else 'row'}_group", "new")
    return _selected(said, name, [(test, label)], other)


def _flagged(said: Said) -> str:
    """A column of true and false."""
    test = said.condition("cond")
    missing = re.fullmatch(r'\w+\["([^"\]]+)"\]\.isna\(\)', test)
    usual = f"{plain(missing[1])}_missing" if missing else "flag"
    name = name_of(said) if said.has("name") else said.new(usual, "new")
    said.before.append(f"{said.table}[{quoted(name)}] = {test}")
    return said.table


_BAND = re.compile(
    r"(?:(?:if |is |= )?(?P<low>below|under|less than|fewer than|<|up to|until|to|at most|<=|max) (?P<n>⟨n\d+⟩) "
    r"|(?P<a>⟨n\d+⟩) (?:to|-|and) (?P<b>⟨n\d+⟩) "
    r"|(?:between|from) (?P<c>⟨n\d+⟩) (?:to|-|and) (?P<d>⟨n\d+⟩) "
    r"|(?:if |is |= )?(?P<high>above|over|more than|>|from|at least|>=) (?P<m>⟨n\d+⟩) "
    r"|(?P<e>⟨n\d+⟩) (?!to |- |and )"
    r"|(?P<rest>else|otherwise|rest|everything else|others|anything else|all others) )(?:(?:is|are|as|=|means|called) )?"
    r"(?P<label>(?:⟨[qcwv]\d+⟩|[^\W\d_⟨][\w'’-]*) )(?:(?:and|or) )?"
)


_LABELLED = re.compile(
    r"(?<!⟩ )\b([^\W\d_⟨]+) ((?:if |is |= )?(?:from|above|over|at least|>=|>|below|under|less than|<|up to|until|<=|more than)) "
    r"(⟨n\d+⟩) (?:and )?"
)
"""The label before its band, "A from 85"."""
_RANGED = re.compile(r"\b([^\W\d_⟨]+) ((?:between |from )?⟨n\d+⟩ (?:to|-|and) ⟨n\d+⟩) ")
_LAST = re.compile(r"\b([^\W\d_⟨]+) (above|over|below|under)(?: that)? $")
"""The label of what is left, "expensive above"."""


_NO_NAMES = frozenset(
    [
        "bin",
        "band",
        "group",
        "split",
        "cut",
        "classify",
        "categorise",
        "categorize",
        "bucket",
        "divide",
        "flag",
        "boolean",
        "indicator",
        "new",
        "column",
        "label",
    ]
)


def _bands(said: Said) -> str:
    """ "below 25 low, up to 40 mid, else high"."""
    if said.has("add_0") and said.plainly(said.found["add_0"]).lower() in _NO_NAMES:
        raise UnknownError
    value = said.ready("v")
    first = re.match(rf"(?!⟨){_LABELLED.pattern.removeprefix('(?<!⟩ )')}", said.found["bands"])
    labelled = re.compile(_LABELLED.pattern.removeprefix("(?<!⟩ )")) if first else _LABELLED  # "A from 90, B from 80"
    text = _LAST.sub(lambda one: f"rest {one[1]} ", said.found["bands"])
    text = _RANGED.sub(lambda one: f"{one[2]} {one[1]} ", text) if first else text
    text, at = labelled.sub(lambda one: f"{one[2]} {one[3]} {one[1]} ", text), 0
    found: list[tuple[str, str]] = []
    rest: str | None = None
    column = f"{said.table}[{value}]"
    while at < len(text):
        one = _BAND.match(text, at)
        if one is None or rest is not None:
            raise UnknownError
        at = one.end()
        label = _label(said, one["label"].split())
        if one["rest"]:
            rest = label
        elif one["low"]:
            sign = "<" if one["low"].lower() in ("below", "under", "less than", "fewer than", "<") else "<="
            found.append((f"{column} {sign} {said.marked.value(one['n'])}", label))
        elif one["high"]:
            sign = ">" if one["high"].lower() in ("above", "over", "more than", ">") else ">="
            found.append((f"{column} {sign} {said.marked.value(one['m'])}", label))
        elif one["e"]:
            found.append((f"{column} == {said.marked.value(one['e'])}", label))
        else:
            low, high = (
                said.marked.value(part) for part in ((one["a"], one["b"]) if one["a"] else (one["c"], one["d"]))
            )
            found.append((f"{column}.between({low}, {high})", label))
    if len(found) + bool(rest) < 2:
        raise UnknownError
    if rest is not None and rest.startswith('"') and said.column("v").gaps:
        found.insert(0, (f"{column}.isna()", "None"))
    return _selected(said, said.new(f"{value[1:-1]}_group"), found, rest)


_SEASON = re.compile(
    r"(?P<a>[a-z]{3,9})\W? ?(?:-|to|until|through|–)? ?(?P<b>[a-z]{3,9}) (?:is |are |= |as )?(?P<label>[^\W\d_]+) (?:and )?",
    re.IGNORECASE,
)


def _seasons(said: Said) -> str:
    """ "jun-aug summer, sep-nov autumn": months by the label of their season."""
    text, at = re.sub(r"[-–]", " ", said.found["seasons"]), 0
    labels: dict[int, str] = {}
    while at < len(text):
        one = _SEASON.match(text, at)
        first, last = (lexicon.MONTHS.get(one[part].lower()) if one else None for part in "ab")
        if one is None or first is None or last is None:
            raise UnknownError
        at, month = one.end(), first
        while True:
            labels[month] = one["label"]
            if month == last:
                break
            month = month % 12 + 1
    if len(set(labels.values())) < 2:
        raise UnknownError
    dates = said.date(said.dates())
    name = said.new("season")
    made = ", ".join(f"{month}: {quoted(label)}" for month, label in sorted(labels.items()))
    said.before.append(f"{said.table}[{quoted(name)}] = {dates}.dt.month.map({{{made}}})")
    return said.table


_OTHERS = "(others|rest|everyone else|everybody else|all others|everything else|other ones|otherwise|else)"
_MAKE = "(add|create|make|insert|derive)"
_SAYS = (
    "(that says|which says|that shows|showing|saying|telling|that tells|indicating|that indicates|to indicate|to show|to mark|"
    "for|with|that is true|which is true|that's true|is true|true|= true|= whether) [true]"
)
_AS = "[as|is|are|=|be|to be|with]"

SHAPES = (
    Shape((
        "[{add:add}] seasons [from months|by month|are] {rest:seasons} [{new:new}]",
        "[{add:add}] season [column] [from date|from month|by month|of {c:d}] {rest:seasons} [{new:new}]",
    ), _seasons),
    Shape((
        ("[{add:add}] {c:v} (bands|band|groups|group|categories|category|classes|class|bins|level|levels) [as|with|are|where|=] "
         "{rest:bands} [{new:new}]"),
        ("(bin|band|group|recode|classify|categorise|categorize|bucket|cut|split|divide|sort) {c:v} [values] [into|in|as|to] [groups|"
         "bands|bins|categories|classes] {rest:bands} [{new:new}]"),
        ("[(add|create|make|give|assign)] ({w:add_0}|{t:add_0}|{c:add_0}) [column|label] "
         "[for|of] [each|every|per] [{c:v}] {rest:bands} [(based on|by|from|using|"
         "depending on|according to) {c:v}]"),
        ("(give|assign|add|make|create|calculate) (letter grade|letter grades|[letter] "
         "{t:noun}|grade|grades|letters|label|labels|category|"
         "categories|rating|level|levels|mark|marks) [column] [(for|to|of|by|from|based on|according to)] "
         "[each|every|per] {c:v} {rest:bands}"),
        "[{add:add}] (label|classify|categorise|categorize|group) [rows|{t:t}] by {c:v} {rest:bands} [{new:new}]",
    ), _bands),
    Shape((
        ("(add|create|make|insert|derive) [new|another] (column|label|flag) [(called|named)] {w:add_0} [=|is|as|with|that is|"
         "which is|should be|says|:] {rest:branches}"),
        ("(add|create|make|insert|derive) [new|another] (column|label|flag) [(called|named)] {c:add_0} [=|is|as|with|that is|"
         "which is|should be|says] {rest:branches}"),
        "[new] column [called|named] ({w:add_0}|{c:add_0}) [=|is|as|with|that is|should be] {rest:branches}",
        "(add|create|make) {w:add_0} [column] [=|is|as|with|that is|should be] {rest:branches}",
        "{w:add_0} (=|is|should be) {rest:branches}",
    ), _branched),
    Shape((
        (f"(mark|label|flag|tag|classify|call|name) [rows|those|all|everyone|everybody|{{t:t}}|{{c:who}}] [who are|that are|with|"
         f"where|who were|that were|whose] {{rest:cond}} as {{any:label}} [and] {_OTHERS} {_AS} {{any:other}} [{{new:new}}]"),
        f"{{rest:cond}} (is|are|as|count as|means|=) {{any:label}} [and] {_OTHERS} {_AS} {{any:other}} [{{new:new}}]",
    ), _marked_as),
    Shape((
        (f"{_MAKE} [new] [boolean|bool|true/false|yes/no] (column|flag|indicator|field) [{{called:name}}] {_SAYS} "
         "(if|whether|when|where) {rest:cond}"),
        f"{_MAKE} [new] [boolean|bool] {{called:name}} (flag|indicator|column) {_SAYS} (if|whether|when|where) {{rest:cond}}",
        (f"{_MAKE} [new] (flag|indicator|flag column|boolean column|indicator column) [{{called:name}}] (for|if|when|where) "
         "[rows|{t:t}|{c:who}|values] [(with|that have|who have|where)] {rest:cond}"),
        ("(flag|mark|tag) [all] [rows|{t:t}|{c:who}|records|entries|people|everyone] [(with|where|that have|who have|having|"
         "whose|if|when|who are|that are)] {rest:cond} [{new:new}]"),
    ), _flagged),
)  # fmt: skip
"""What is labelled."""
