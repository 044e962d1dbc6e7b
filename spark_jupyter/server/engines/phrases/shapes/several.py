"""What is done to several columns at once: "q1 to q4", "both quiz columns", "all the dates". They become dates or numbers, lose spaces, and
values in them become missing. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed, number_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column

SEVERAL = (
    "({c:from} (to|through|until|till|up to|-) {c:last}|[(all|both|every|each|all of|both of)] {cs:cs}"
    "|(all|both|every|each|other|all other|two|three:ALL) [of] ({w:stem}|{t:stemt}) (columns|column|questions|items|variables)"
    "|(all|every|each|whole) (columns|column|{t:whole}:EVERYTHING)|(everywhere|whole table|all over {t:where}|{t:everything}:EVERYTHING))"
)
"""Template of several columns."""
_DAY_FIRST = re.compile(
    r"^(?:(?:day|date|dd?|d) )(?:(?:is|comes|goes|stands|before|/|-|\.|month|mm?|first|year|yy(?:yy)?) )*$|^(?:european|german|british) "
)
_MONTH_FIRST = re.compile(
    r"^(?:(?:month|mm?) )(?:(?:is|comes|goes|before|/|-|\.|day|dd?|first|year|yy(?:yy)?) )*$|^american "
)
_AROUND = re.compile(
    r"^(?:(?:they|it|with|in|format|formatted|as|style|written|are|is|dates|texts?|strings?|and|,|\() )*"
)
_LISTED = re.compile(r",|&|\+|/|;|\b(?:and|or|both|all|as well as)\b", re.IGNORECASE)
_CODE = re.compile(r"⟨[nvq]\d+⟩|-?\d+|[^\W\d_][\w/.-]*")
_KINDS = {"text": "text", "string": "text", "numeric": "number", "number": "number"}


def several(said: Said) -> list[Column]:
    """The columns that are told, in the order of the table. Raises :class:`UnknownError` where there is only one, or none."""
    own = [one for one in said.by_name.values() if one.holds != "index"]
    if said.has("from"):
        first, last = own.index(said.column("from")), own.index(said.column("last"))
        found = own[first : last + 1]
    elif said.has("cs"):
        found = said.columns("cs")
        if not _LISTED.search(said.marked.prompt):
            raise UnknownError  # a second column behind the first one takes its place: "histogram of price quantity", behind a Steer
    elif said.has("everything"):
        found = own
    else:
        stem = said.plainly(said.found["stem"] or said.found["stemt"]).lower()
        kind = _KINDS.get(stem)
        found = [one for one in own if (one.kind == kind if kind else _is_called(one.name, stem))]
        if "both" in said.found["all"].lower() and len(found) != 2:
            raise UnknownError
    if len(found) < 2:
        raise UnknownError
    return found


def _is_called(name: str, stem: str) -> bool:
    """Whether a column is one of the "q columns", or of the "quiz columns"."""
    parts = names.plain(name).split()
    return (
        words.stem(stem) in map(words.stem, parts)
        or re.fullmatch(rf"{re.escape(stem.rstrip('s'))}_?\d+\w?", name, re.I) is not None
    )


def _dates(said: Said) -> str:
    """Texts as dates; which of day and month comes first is said, or told by the values."""
    found = several(said)
    how = _AROUND.sub("", said.found["how"].lower()) if said.has("how") else ""
    if how and not _DAY_FIRST.match(how) and not _MONTH_FIRST.match(how):
        raise UnknownError
    if any(one.kind != "text" for one in found):
        raise UnknownError
    day = _DAY_FIRST.match(how) or (not how and any("day first" in one.holds for one in found))
    more = ", dayfirst=True" if day else ""
    if len(found) == 1:
        said.before.append(f"{said.table}[{found[0].source}] = pd.to_datetime({said.table}[{found[0].source}]{more})")
        return said.table
    said.before += [
        f"for name in {listed([one.name for one in found])}:",
        f"    {said.table}[name] = pd.to_datetime({said.table}[name]{more})",
    ]
    return said.table


def _numbers(said: Said) -> str:
    """Texts as numbers; what is none becomes missing."""
    found = several(said)
    if any(one.kind not in ("text", "number") or one.holds.startswith(("dates", "truth")) for one in found):
        raise UnknownError
    marked = said.has("bad")
    if marked and not _codes(said, "bad"):
        raise UnknownError
    name = f"{said.table}[name]"
    signs = any(one.holds.startswith("numbers") for one in found)
    comma = any(one.holds == "numbers, decimal comma" for one in found)
    made = number_of(name, comma=comma) if signs and not marked else f'pd.to_numeric({name}, errors="coerce")'
    said.before += [f"for name in {listed([one.name for one in found])}:", f"    {name} = {made}"]
    said.says.append("What is no number becomes missing.")
    return said.table


def _codes(said: Said, group: str) -> list[str]:
    """The values that stand for nothing."""
    text = re.sub(r"\b(?:and|or|values?|all|every|codes?|text|entries|/)\b", " ", said.found[group])
    found = _CODE.findall(text)
    if not found or " ".join(found).split() != text.split():
        raise UnknownError
    return [said.marked.value(one) for one in found]


def _missing(said: Said) -> str:
    """Values that stand for nothing become gaps, in several columns or in all."""
    codes = _codes(said, "codes")
    numbers = all(re.fullmatch(r"-?\d+(?:\.\d+)?", one) for one in codes)
    if not numbers and not any(said.found["codes"].split()[0].startswith(sign) for sign in ("⟨v", "⟨q")):
        raise UnknownError
    made = ", ".join(one if numbers else quoted(one) for one in codes)
    made = made if len(codes) == 1 else f"[{made}]"
    if said.has("everything"):
        for group in ("whole", "where", "everything"):
            if said.word(group) in said.namespace.names and said.word(group) != said.table:
                raise UnknownError
        said.before.append(f"{said.table} = {said.table}.replace({made}, np.nan)")
        return said.table
    found = listed([one.name for one in several(said)])
    said.before += [f"answers = {found}", f"{said.table}[answers] = {said.table}[answers].replace({made}, np.nan)"]
    return said.table


def _stripped(said: Said) -> str:
    """Spaces around texts are taken away in several columns."""
    found = [one for one in several(said) if one.kind == "text"]
    if not found:
        raise UnknownError
    call = (
        {"l": ".str.lower()", "u": ".str.upper()"}.get(said.found["case"].strip().lower()[:1], "")
        if said.has("case")
        else ".str.strip()"
    )
    said.before += [
        f"for name in {listed([one.name for one in found])}:",
        f"    {said.table}[name] = {said.table}[name]{call}",
    ]
    return said.table


def _dropped(said: Said) -> str:
    name = said.free("smaller")
    said.before.append(f"{name} = {said.table}.drop(columns={listed([one.name for one in several(said)])})")
    return name


def _gaps(said: Said) -> str:
    return f"{said.table}[{listed([one.name for one in several(said)])}].isna().sum()"


def _of_each_row(said: Said) -> str:
    """One number for each row, from columns of numbers."""
    found = several(said)
    if any(one.kind != "number" for one in found):
        raise UnknownError
    made = f"{said.table}[{listed([one.name for one in found])}].{said.how()}(axis=1)"
    if not said.has("add") and not said.has("new"):
        return made
    said.before.append(f"{said.table}[{quoted(said.new(said.how()))}] = {made}")
    return said.table


def _histograms(said: Said) -> str:
    found = several(said)
    if any(one.kind != "number" for one in found):
        raise UnknownError
    more = f", bins={said.number('n')}" if said.has("n") else ""
    said.before.append(
        f'{said.table}[{listed([one.name for one in found])}].hist(figsize=(8, 6), edgecolor="white"{more})'
    )
    return "plt.tight_layout()\nplt.show()"


_TURN = "(convert|turn|make|change|parse|cast|transform|set|bring|read|interpret|treat)"
_DATES = (
    "[in|into|to|as] [real|proper|actual|true|pandas] (date|dates|datetime|datetimes|date columns|timestamps|date type|"
    "datetime columns)"
)
_NUM = (
    "[in|into|to|as] [real|proper] (number|numbers|numeric|float|floats|int|integer|integers|numeric columns|numerical)"
)
_TEXT = "(is|are) [both|all|still|only|just] [stored as|saved as|as|of type] (text|texts|string|strings|str|object|objects|strings)"
_GAP = (
    "(missing|nan|null|na|none|empty|missing value|missing values|nothing|no answer|not answered|no response|no data|unknown|don't know|"
    "did not answer|didn't answer|refused|not applicable|invalid|np . nan|blank|not available)"
)
_SET = "(set|make|turn|replace|change|treat|recode|mark|convert|put|code)"
_SO = f"[and|so|then|please] [{_SET}] [(it|them|that|those)] [to|into|with|by|as|=] [{_GAP}]"
_STRIP = (
    "(strip|trim|remove|delete|get rid of|cut) [leading and trailing|leading|trailing|extra|surrounding|all|white] (spaces|"
    "whitespace|blanks|space)"
)

SHAPES = (
    Shape((
        f"{_TURN} {SEVERAL} {_DATES} {{rest:how}}",
        f"{SEVERAL} {_TEXT} [so|and|but|please] (make|turn|convert|change|parse) them {_DATES} {{rest:how}}",
        f"{SEVERAL} (should be|as|to|are|into) {_DATES} {{rest:how}}",
    ), _dates),
    Shape((
        f"{_SET} {{rest:bad}} (to|with|by|as|into|=) {_GAP} and {_TURN} {SEVERAL} {_NUM}",
        f"{_SET} {{rest:bad}} (in|of) {SEVERAL} (to|with|by|as|into|=) {_GAP} and {_TURN} them {_NUM}",
        f"{_TURN} {SEVERAL} {_NUM} {{rest:bad}} [should|has to|to] (become|becomes|is|be|as|to|into|=|means) {_GAP}",
        f"{_TURN} {SEVERAL} {_NUM}",
        f"{SEVERAL} {_TEXT} [so|and|but|please] (make|turn|convert|change|parse) them {_NUM}",
    ), _numbers),
    Shape((
        f"{{rest:codes}} (means|mean|is|are|stands for|stand for|=|was|were|codes|marks) [really|actually] {_GAP} {_SO} [in|for] {SEVERAL}",
        f"{{rest:codes}} in {SEVERAL} (means|mean|is|are|stands for|=) [really|actually] {_GAP} {_SO}",
        f"in {SEVERAL} {{rest:codes}} (means|mean|is|are|stands for|=) {_GAP} {_SO}",
        f"{_SET} {{rest:codes}} [in|for|of] {SEVERAL} (to|with|by|as|into|=) {_GAP}",
        f"{_SET} {{rest:codes}} (to|with|by|as|into|=) {_GAP} [in|for|of] {SEVERAL}",
        f"in {SEVERAL} {_SET} {{rest:codes}} (to|with|by|as|into|=) {_GAP}",
    ), _missing),
    Shape((
        f"{_STRIP} (in|from|of|around|around values in) {SEVERAL}",
        f"(strip|trim) {SEVERAL}",
        f"(lowercase|uppercase:CASE) {SEVERAL}",
        f"(make|turn|convert|put) {SEVERAL} [to|into|in] (lower case|lowercase|lower|upper case|uppercase|upper:CASE)",
    ), _stripped),
    Shape((f"(drop|remove|delete|get rid of|leave out) {SEVERAL} [from {{t:t}}]",), _dropped),
    Shape((
        f"(number of|count|count of) (missing|empty|nan|null|na) [values|entries|answers|cells] [are] [there] (in|of|for) {SEVERAL}",
        f"(missing|empty|nan|null|na) (values|entries|answers|cells) (in|of|for) {SEVERAL}",
    ), _gaps),
    Shape((
        (f"[{{add:add}}] [row] (mean|average|sum|total|median|min|max|minimum|maximum|highest|lowest|std:HOW) of {SEVERAL} "
        "(per|for each|of each|for every|for|each|in each|across each) [single] (row|{t:t}|{w:who}) [{new:new}]"),
    ), _of_each_row),
    Shape((f"(histogram|histograms|distribution|distributions) (of|for) {SEVERAL} [with {{n:n}} bins]",), _histograms),
)  # fmt: skip
"""What is done to several columns."""
