"""Values of a column for others, one by one: "Y and N with Yes and No", "agree 4, neutral 3"; gaps for a value. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.prompting.column_profile import MOST_VALUES
from spark_jupyter.server.engines.phrases.cursor import SEX_NAMES
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import number_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_GAP = frozenset(["missing", "nan", "null", "none", "na", "empty", "blank", "nothing"])
_SIGN = r"(?:->|=>|→|=|:|\bto\b|\binto\b|\bas\b|\bis\b|\bare\b|\bbecomes?\b|\bwith\b|\bby\b|\bgets?\b|\bmeans?\b|\bshould be\b)"
_PAIR = re.compile(rf"(?P<a>.+?)\s*{_SIGN}\s*(?P<b>[^=>]+)", re.IGNORECASE)
_BESIDE = re.compile(r"(?P<a>.*[^\W\d].*?)\s+(?P<b>-?\d+)|(?P<c>-?\d+)\s+(?P<d>.*[^\W\d].*?)")
_PARTS = re.compile(r"\s*(?:,\s*and\b|,|;|\band\b)\s*", re.IGNORECASE)
_REST = re.compile(
    r"(?:(?:all |the )*(?:others?|rest)|(?:everything|anything) else|otherwise|else)(?: values| ones)?", re.IGNORECASE
)
_LEAD = re.compile(r"^(?:values?|all|the|every|codes?|from|to|:|-)\s+", re.IGNORECASE)
_SIDES = re.compile(r"\s+(?:with|by|to|into|->|→)\s+", re.IGNORECASE)
_VERB = re.compile(
    r"^.*?\b(?:replace|change|turn|recode|map|rename|swap|set|translate|convert|make|encode)\s+(?:(?:all|the|values?)\s+)*",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"^(?:\s*(?:column|values?|answers?|codes?|names?|(?:in|of)\s+(?:the\s+)?⟨t⟩|"
    r"(?:in|to|into|as|for)\s+(?:an?\s+)?(?:numbers?|numeric|scores?|integers?|words?|labels?|full words|text|codes?)(?!\w)|"
    r"as follows|like this|with|so that|using|by|where|like|replace|change|turn|map|recode|:|;|,|-(?!>)|\())*\s*",
    re.IGNORECASE,
)
"""What stands between a column and the values that are told of it."""


def _column(said: Said) -> Column:
    found = said.column("x")
    if found.kind not in ("text", "number") or found.holds.startswith("dates"):
        raise UnknownError
    return found


def _plain(text: str) -> str:
    plain = text.strip(" .\"'")
    while (shorter := _LEAD.sub("", plain)) != plain:
        plain = shorter
    return plain


def _key(column: Column, text: str) -> str:
    """A value that the column has, as source. Raises :class:`UnknownError` where it is not known to have it."""
    plain = _plain(text)
    if column.kind == "number":
        if not _NUMBER.fullmatch(plain):
            raise UnknownError
        return plain
    known = (*column.values, *(way for ways in column.spellings for way in ways))
    found = [one for one in known if one == plain] or [one for one in known if one.strip().lower() == plain.lower()]
    if not found and not (re.fullmatch(r"\s*[\"'].+[\"']\s*", text) or len(column.values) >= MOST_VALUES):
        raise UnknownError
    return quoted(found[0] if found else plain)


def _value(text: str) -> str:
    """What is put there, as source. Raises :class:`UnknownError` where it is no value."""
    plain = _plain(text)
    if not plain or len(plain.split()) > 4 or re.search(r"[<>=]", plain):
        raise UnknownError
    if plain.lower() in _GAP:
        return "None"
    if plain.lower() in ("true", "false"):
        return plain.title()
    return plain if _NUMBER.fullmatch(plain) and not re.search(r"[\"']", text) else quoted(plain)


def _pairs(column: Column, text: str) -> tuple[dict[str, str], str]:
    """The values with what each becomes, as source, and what the others become, if that is said."""
    sides = [[one for one in _PARTS.split(side) if one.strip()] for side in _SIDES.split(text)]
    if len(sides) == 2 and len(sides[0]) == len(sides[1]) > 1:  # "Y and N with Yes and No"
        return {_key(column, one): _value(other) for one, other in zip(*sides, strict=True)}, ""
    found: dict[str, str] = {}
    rest = ""
    for part in filter(None, (one.strip(" .)") for one in _PARTS.split(text))):
        pair = _PAIR.fullmatch(part) or _BESIDE.fullmatch(part)
        if pair is None:
            raise UnknownError
        first, second = (one for one in pair.groups() if one is not None)
        if _REST.fullmatch(_plain(first)):
            rest = _value(second)
        elif column.kind == "text" and _NUMBER.fullmatch(first.strip()):  # "1 = low", of a column that has "low"
            found[_key(column, second)] = _value(first)
        else:
            found[_key(column, first)] = _value(second)
    if not found:
        raise UnknownError
    return found, rest


def _told(said: Said) -> str:
    """The part of the prompt, as it was typed, that tells the values."""
    whole = said.marked.prompt
    for mark, sign in ((said.found["x"].strip(), "⟨c⟩"), (said.found["t"].strip() if said.has("t") else "", "⟨t⟩")):
        word = said.marked.said.get(mark, said.marked.value(mark)) if mark else ""
        if word:
            whole = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", sign, whole, count=1)
    before, _, behind = whole.partition("⟨c⟩")
    behind = _BEHIND.sub("", behind)
    lead = re.sub(r"(?:\b(?:in|of)\s+(?:the\s+)?(?:column\s+)?)$", "", _VERB.sub("", before).rstrip() + " ").strip()
    if not said.has("first"):
        return behind
    return f"{lead} with {_SIDES.sub('', ' ' + behind)}" if said.has("second") else lead


def _recoded(said: Said) -> str:
    """Values for others, of the column that is named before or behind them."""
    column = _column(said)
    pairs, rest = _pairs(column, _told(said))
    name = f"{said.table}[{column.source}]"
    new = f"{said.table}[{quoted(said.new(''))}]" if said.has("new") else name
    listed = f"{{{', '.join(f'{one}: {other}' for one, other in pairs.items())}}}"
    made = [*pairs.values(), *([rest] if rest else [])]
    numbers = all(map(_NUMBER.fullmatch, made))
    plain = numbers or all(one in ("True", "False") for one in made)
    if rest:
        said.before.append(f"{new} = {name}.map({listed}).fillna({rest}){'.astype(int)' if numbers else ''}")
    elif plain and column.kind == "text":
        said.before.append(f"{new} = {name}.map({listed})")
    else:
        said.before.append(f"{new} = {name}.replace({listed})")
    return said.table


def _as_yes_or_no(said: Said) -> str:
    """One spelling of yes and one of no."""
    column = said.column("x")
    yes, no = column.spellings
    if not yes:
        raise UnknownError
    one, none = (said.word(side) if said.has(side) else usual for side, usual in (("one", "yes"), ("none", "no")))
    if one.lower()[0] not in "yt1" or none.lower()[0] not in "nf0":
        raise UnknownError
    values = [
        text if _NUMBER.fullmatch(text) else text.title() if text.lower() in ("true", "false") else quoted(text)
        for text in (one, none)
    ]
    if said.has("numbers"):
        values = ["1", "0"]
    name = f"{said.table}[{column.source}]"
    listed = ", ".join(f"{quoted(way)}: {value}" for ways, value in ((yes, values[0]), (no, values[1])) for way in ways)
    said.before.append(f"{name} = {name}.map({{{listed}}})")
    return said.table


def _filled(said: Said) -> str:
    """What stands where nothing is known."""
    column = _column(said)
    mark = said.found["v"].strip()
    value = said.marked.value(mark)
    word = re.fullmatch(r"[^\W\d_]+", mark) is not None
    if word and not (value[:1].isupper() or value.lower() in _USUAL):
        raise UnknownError
    number = _NUMBER.fullmatch(value) is not None
    if column.kind == "number" and not number:
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    if number and column.holds.startswith("numbers"):
        said.before.append(f"{name} = {number_of(name, comma=column.holds == 'numbers, decimal comma')}")
    said.before.append(f"{name} = {name}.fillna({value if number else quoted(value)})")
    return said.table


_USUAL = frozenset(
    [
        "unknown",
        "other",
        "others",
        "none",
        "unspecified",
        "no",
        "yes",
        "undefined",
        "nothing",
        "na",
        "unassigned",
    ]
)
_BAD = re.compile(
    r"^(?:(?:⟨[vqn]\d+⟩|and|with|or|all|anything|everything|else|that|is|are|not|no|numbers?|numeric|what|which|whatever|can't|cannot|can|be|converted"
    r"|rest|others|other|texts?|words?|letters|invalid|bad|wrong|non|errors?|values?|entries|ones|become|becomes|should|set|turn|turned|into|to|as|make"
    r"|replace|replaced|by|like|such|treat|treated|count|counts|it|them|for|in|where|on|coerce|coerced|abs|absent|n/a|n|a|/|-|--|\?|unknown"
    r"|missing|nan|nans|null|none|na|empty) )*$",
    re.IGNORECASE,
)


def _to_number(said: Said) -> str:
    """Texts as numbers, and what is none becomes a gap."""
    column = said.column("x")
    bad = said.found["bad"] if said.has("bad") else ""
    if column.kind != "text" or column.holds.startswith(("dates", "truth")) or not _BAD.match(bad):
        raise UnknownError
    if (
        bad
        and not said.has("gap")
        and not re.search(r"\b(?:missing|nan|nans|null|none|na|empty|coerced?|errors?)\b", bad, re.IGNORECASE)
    ):
        raise UnknownError
    if not bad and not column.holds.startswith("numbers") and column.dtype != "object":
        raise UnknownError  # texts, as far as it is told
    name = f"{said.table}[{column.source}]"
    comma = column.holds == "numbers, decimal comma"
    made = (
        number_of(name, comma=comma)
        if column.holds.startswith("numbers")
        else f'pd.to_numeric({name}, errors="coerce")'
    )
    said.before.append(f"{name} = {made}")
    if not column.holds.startswith("numbers"):
        said.says.append("What is no number becomes missing.")
    return said.table


def _emptied(said: Said) -> str:
    """Texts that say nothing become gaps."""
    column = said.column("x")
    if column.kind != "text":
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    said.before.append(f'{name} = {name}.mask({name}.str.strip() == "")')
    return said.table


def _sexes(said: Said) -> str:
    """One word for each sex, told by the first letter."""
    column = said.column("x")
    if column.kind != "text" or column.name.lower() not in SEX_NAMES:
        raise UnknownError
    words = (
        [said.plainly(said.found[one]).strip("\"'") for one in ("one", "none")]
        if said.has("one")
        else ["female", "male"]
    )
    women = [one for one in words if one[:1].lower() in "fw"]
    men = [one for one in words if one[:1].lower() == "m"]
    if len(women) != 1 or len(men) != 1:
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    first = f"{name}.str.strip().str.lower().str[0]"
    to = f'{{"f": {quoted(women[0])}, "w": {quoted(women[0])}, "m": {quoted(men[0])}}}'
    said.before.append(f"{name} = {first}.map({to}).fillna({name})")
    return f"{name}.value_counts()"


def _to_these(said: Said) -> str:
    """Every spelling of the words that are listed becomes that word: "full time" and "Full-time" are "full-time"."""
    column = _column(said)
    words = [_plain(one) for one in _PARTS.split(_BEHIND.sub("", _told(said))) if one.strip()]
    keys = [re.sub(r"[^a-z0-9]", "", one.lower()) for one in words]
    if (
        column.kind != "text"
        or len(words) < 2
        or len(set(keys)) < len(words)
        or not all(keys)
        or any(len(one.split()) > 3 for one in words)
    ):
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    listed = ", ".join(f"{quoted(key)}: {quoted(word)}" for key, word in zip(keys, words, strict=True))
    bare = f'{name}.str.lower().str.replace(r"[^a-z0-9]", "", regex=True)'
    said.before.append(f"{name} = {bare}.map({{{listed}}}).fillna({name})")
    return f"{name}.value_counts()"


def _filled_by(said: Said) -> str:
    """Gaps get the mean of their group, which stands before it: "the department median"."""
    value, group = said.ready("x"), said.column("g")
    if group.name == said.column("x").name or (group.kind == "number" and group.dtype.startswith("float")):
        raise UnknownError
    name = f"{said.table}[{value}]"
    said.before.append(
        f"{name} = {name}.fillna({said.table}.groupby({group.source})[{value}].transform({quoted(said.how())}))"
    )
    return said.table


_NUM = (
    "(number|numbers|numeric|numerical|float|floats|int|integer|integers|numeric values|numeric column|number column)"
)
_TURN = "(convert|turn|make|change|parse|cast|transform|coerce)"
_MISSING = "(missing|empty|blank|nan|nans|null|nulls|na|none|gaps|gap|blanks|not available)"
_TO = "(to|with|by|as|into|=)"
_UNIFY = "(unify|standardise|standardize|clean|clean up|normalise|normalize|harmonise|harmonize|fix)"
_RECODE = "(map|recode|encode|replace|convert|turn|change|translate|transform|make|set)"
_SPELLING = "[values|answers|spelling|spellings]"
_OTHERS = "(others|rest|everything else|all others|other ones|other values|remaining)"
_CELLS = "[values|value|cells|entries|ones] [(in|of|for)]"

SHAPES = (
    Shape((
        f"({_UNIFY}|{_RECODE}) {{rest:some}} {_TO} {{w:one}} and {_OTHERS} {_TO} {{w:none}} (in|of) {{c:x}}",
        (f"({_UNIFY}|{_RECODE}) {_SPELLING} [of|in] {{c:x}} {_SPELLING} [consistent] [so that it is] [{_TO}] [only|just] "
         "{w:one} (and|/|or) {w:none} [only]"),
        f"{_UNIFY} {_SPELLING} [of|in] {{c:x}} {_SPELLING}",
        f"make {_SPELLING} [of|in] {{c:x}} {_SPELLING} (consistent|uniform|same)",
        f"{_TURN} {{c:x}} {_TO} (numbers|0 and 1|1 and 0|numeric|binary:NUMBERS)",
    ), _as_yes_or_no),
    Shape((
        f"{_UNIFY} {_SPELLING} [of|in] {{c:x}} {_SPELLING}",
        f"make {_SPELLING} [of|in] {{c:x}} {_SPELLING} (consistent|uniform|same)",
        (f"({_UNIFY}|{_RECODE}) {_SPELLING} [of|in] {{c:x}} {_SPELLING} [consistent] [so] [that] [it|there|they] [is|are] "
         f"[{_TO}] [only|just] "
         "({w:one}|{v:one}|{q:one}) (and|/|or) ({w:none}|{v:none}|{q:none}) [only]"),
    ), _sexes),
    Shape((
        (f"{_RECODE} (empty|blank) [texts|strings|cells|values|entries] [(in|of)] {{c:x}} "
         f"[texts|strings|cells|values|entries] {_TO} {_MISSING}"),
        f"(treat|count) (empty|blank) [texts|strings|cells|values|entries] [(in|of)] {{c:x}} as {_MISSING}",
        f"{_RECODE} (empty|blank) (texts|strings|cells|values) {_TO} {_MISSING} in {{c:x}}",
    ), _emptied),
    Shape((
        f"{_RECODE} [values|all|codes|answers] [of|in] {{c:x}} {{rest:pairs}}",
        "(in|for) {c:x} (replace|map|change|turn|recode) {rest:pairs}",
        f"({_RECODE}|rename|swap) {{rest:first}} (in|of) {{c:x}} [(in|of) {{t:t}}]",
        f"({_RECODE}|swap) {{rest:first}} (in|of) {{c:x}} (with|by|to|into) {{rest:second}}",
    ), _recoded),
    Shape((
        (f"(set|fill|replace|make|change|turn|fill in|put|write|impute) {_MISSING} {_CELLS} {{c:x}} [values|value|entries] "
         f"{_TO} {{any:v}}"),
        f"(set|fill|replace|change|turn|fill in) {{c:x}} {_TO} {{any:v}} (where|if|when) [it is|is|it's] {_MISSING}",
        f"(where|if|when) {{c:x}} is {_MISSING} (set|write|put|use|fill) [it] [{_TO}] {{any:v}}",
        f"(fill|fill in) {_MISSING} (with|by) {{any:v}} in {{c:x}}",
        f"{{c:x}} {_MISSING} [values] (to|=|as|become|becomes|should be) {{any:v}}",
    ), _filled),
    Shape((
        (f"{_UNIFY} {_SPELLING} [of|in] {{c:x}} {_SPELLING} [so] [that] [it|there|they] [is|are] "
         f"(to|as|into|either|only|just) [either|only|just] "
         "{rest:values}"),
    ), _to_these),
    Shape((
        f"(fill|fill in|replace|impute) {_MISSING} {_CELLS} {{c:x}} [values] (with|by|using) {{c:g}} (median|mean|average|max|min:HOW)",
        "(fill|fill in|impute) {c:x} (gaps|missing values|nan) (with|by|using) {c:g} (median|mean|average|max|min:HOW)",
    ), _filled_by),
    Shape((
        f"{_TURN} {{c:x}} [column] [in|into|to|as] [proper|real] {_NUM} {{rest:bad}}",
        f"{_RECODE} {{rest:bad}} (in|of) {{c:x}} {_TO} ({_MISSING}:GAP) and {_TURN} [it|column|rest] [in|into|to|as] {_NUM}",
    ), _to_number),
)  # fmt: skip
"""What is said of values and gaps."""
