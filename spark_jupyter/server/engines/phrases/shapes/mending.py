"""Values that are replaced, unified, made missing or made dates and numbers; duplicates by a key; the order of the columns. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed, number_of
from spark_jupyter.server.engines.rewrite import quoted


def _value(said: Said, mark: str, *, text: bool) -> str:
    """A value as source, quoted where the column has texts."""
    plain = said.marked.value(mark.strip())
    if not text and re.fullmatch(r"-?\d+(?:\.\d+)?", plain):
        return plain
    if not text:
        raise UnknownError
    return quoted(plain)


def _missing(said: Said) -> str:
    """A value that stands for nothing becomes a gap."""
    column = said.column("x")
    number = column.kind == "number"
    if column.kind not in ("number", "text"):
        raise UnknownError
    value = _value(said, said.found["a"], text=not number)
    name = f"{said.table}[{column.source}]"
    said.before.append(f"{name} = {name}.replace({value}, {'np.nan' if number else 'None'})")
    return said.table


def _swapped(said: Said) -> str:
    """A value for another in one column."""
    column = said.column("x")
    number = column.kind == "number"
    if column.kind not in ("number", "text") or column.holds.startswith(("dates", "numbers")):
        raise UnknownError
    first, second = (_value(said, said.found[one], text=not number) for one in ("a", "b"))
    name = f"{said.table}[{column.source}]"
    said.before.append(f"{name} = {name}.replace({first}, {second})")
    return said.table


_PAIR = re.compile(
    r"\s*(?P<a>⟨[vqt]\d+⟩|[^\W\d_⟨][\w./&-]*(?: (?!is\b|are\b|and\b|should\b|means\b)[\w./&-]+)?)\s+"
    r"(?:(?:is|are)\s+(?:the\s+)?same\s+as|is|are|should\s+be|means|stands\s+for|becomes|=|->|→|to|as)\s+(?:really\s+|just\s+|called\s+)?"
    r"(?P<b>⟨[vqt]\d+⟩|[^\W\d_⟨][\w./&-]*)\s*(?:,\s*and\b|,|;|\band\b|$|\.$)",
    re.IGNORECASE,
)


def _renamed_values(said: Said) -> str:
    """ "I.T. is IT and Human Resources is HR": of the one column that has them."""
    text = re.sub(
        r"^.*[(:]\s*|^.*\b(?:consistent|same|uniform)\b[\s,]*|^in\s+(?:the\s+)?⟨c\d+⟩\s*,?\s*",
        "",
        said.marked.text,
        flags=re.IGNORECASE,
    )
    text = re.sub(r"\)\s*$|\s+in\s+(?:the\s+)?⟨c\d+⟩\s*$", "", text).strip()
    pairs: dict[str, str] = {}
    at = 0
    held: dict[str, int] = {}
    while at < len(text):
        found = _PAIR.match(text, at)
        if found is None:
            raise UnknownError
        first, second = (said.marked.value(found[one]).strip() for one in "ab")
        for mark in (found["a"], found["b"]):
            for column in said.marked.holders.get(mark, ()):
                held[column] = held.get(column, 0) + 1
        pairs[first] = said.marked.typed.get(found["b"], second)
        at = found.end()
    holders = [one.name for one in said.columns("x")] if said.has("x") else []
    holders = holders or [name for name, times in held.items() if times == max(held.values(), default=0)]
    if len(holders) != 1 or not pairs or said.by_name[holders[0]].kind != "text":
        raise UnknownError
    return _mapped(said, said.by_name[holders[0]].source, pairs)


_ALIKE = re.compile(r"consistent|uniform|different ways|differently|unify|clean|harmoni|standardi|tidy", re.IGNORECASE)


def _mapped(said: Said, source: str, pairs: dict[str, str]) -> str:
    """Without regard to capitals and spaces around, as a cell would be read by a person; the others alike where that is asked."""
    name = f"{said.table}[{source}]"
    spelt = {one.lower(): other for one, other in pairs.items()}
    spelt |= {other.lower(): other for other in pairs.values()}
    made = ", ".join(f"{quoted(one)}: {quoted(other)}" for one, other in spelt.items())
    rest = f"{name}.str.strip()" + (".str.title()" if _ALIKE.search(said.marked.text) else "")
    said.before.append(f"{name} = {name}.str.strip().str.lower().map({{{made}}}).fillna({rest})")
    return f"{name}.value_counts()"


def _same(said: Said) -> str:
    """ "UK and U.K. are the same": written in the way that is said, or the first one."""
    whole = said.marked.text
    found = re.search(
        r"(?P<a>⟨[vq]\d+⟩|[^\W\d_⟨][\w./&-]*)\s*(?:,|and|&|/)\s*(?P<b>⟨[vq]\d+⟩|[^\W\d_⟨][\w./&-]*)\s+(?:are|is|as|become|mean)\b",
        whole,
    )
    if found is None:
        raise UnknownError
    first, second = (said.marked.value(found[one]) for one in "ab")
    to = said.marked.value(said.found["to"].strip()) if said.has("to") else ""
    if to and to.lower() not in (first.lower(), second.lower()):
        raise UnknownError
    held = [name for one in "ab" for name in said.marked.holders.get(found[one], ())]
    told = [one.name for one in said.columns("x")] if said.has("x") else []
    holders = set(told or held)
    if len(holders) != 1 or said.by_name[next(iter(holders))].kind != "text":
        raise UnknownError
    source = said.by_name[next(iter(holders))].source
    if first.strip().lower() == second.strip().lower():  # only capitals and spaces
        name = f"{said.table}[{source}]"
        said.before.append(f"{name} = {name}.str.strip().str.capitalize()")
        return f"{name}.value_counts()"
    target = to or first
    return _mapped(said, source, dict.fromkeys((first, second), target))


_DAY_FIRST = re.compile(r"d+\W*m+\W*y|day\W+month\W+year|day first|european|german|british", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"m+\W*d+\W*y|month\W+day\W+year|month first|american|us", re.IGNORECASE)


def _as_date(said: Said) -> str:
    """Texts as dates; which of day and month comes first is said, or told by the values."""
    column = said.column("x")
    if column.kind != "text" or (said.has("y") and said.word("y") != column.name):
        raise UnknownError
    how = said.found["how"]
    plain = re.sub(
        r"'s?\b|\b(?:it's|it|is|they|are|written|as|in|format|formatted|like|which|that|stored|the|/|-|\.|form|style)\b|[/.-]",
        " ",
        how,
    )
    order = re.sub(r"\W+", " ", how).strip()
    if _DAY_FIRST.search(order):
        more = ", dayfirst=True"
    elif _MONTH_FIRST.search(order):
        more = ""
    elif plain.split():
        raise UnknownError
    else:
        more = ", dayfirst=True" if "day first" in column.holds else ""
    words = re.sub(
        r"day|month|year|d{1,2}|m{1,2}|y{2,4}|first|european|german|british|american|us",
        " ",
        plain,
        flags=re.IGNORECASE,
    ).split()
    if words:
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    said.before.append(f"{name} = pd.to_datetime({name}{more})")
    return said.table


_MONEY = re.compile(
    r"(?:it|they|has|have|with|contains?|written|is|are|text|strings?|texts|stored|as|and|a|some|dollars?|euros?|pounds?|currency|percent|signs?"
    r"|symbols?|commas?|spaces?|units?|in|for|thousands?|separators?|km|kg|of|so|because|there|before|after|behind|\$|€|£|%|'|’"
    r"|(?P<dot>dots?|points?|periods?)|(?P<comma>decimal commas?|comma as decimal))(?!\w) *",
    re.IGNORECASE,
)


def _as_number(said: Said) -> str:
    """Texts as numbers, with what is said of their signs."""
    column = said.column("x")
    if not column.holds.startswith("numbers"):
        raise UnknownError
    dots = False
    text, at = said.found["how"], 0
    while at < len(text):
        found = _MONEY.match(text, at)
        if found is None or found.end() == at:
            raise UnknownError
        dots = dots or bool(found["dot"] or found["comma"])
        at = found.end()
    thousands = dots and re.search(r"thousand|decimal comma", text, re.IGNORECASE) is not None
    if dots and not thousands:
        raise UnknownError
    name = f"{said.table}[{column.source}]"
    said.before.append(f"{name} = {number_of(name, comma=thousands or column.holds == 'numbers, decimal comma')}")
    return said.table


def _once(said: Said) -> str:
    """One row for each key."""
    keys = said.columns("k")
    last = said.word("keep").lower() in ("last", "latest", "newest")
    if last and said.word("keep").lower() != "last":
        dates = said.dates()
        said.date(dates)
        said.first_do(f"{said.table} = {said.table}.sort_values({dates.source})")
    more = ', keep="last"' if last else ""
    names = quoted(keys[0].name) if len(keys) == 1 else listed([one.name for one in keys])
    said.before.append(f"{said.table} = {said.table}.drop_duplicates({names}{more})")
    return said.table


def _repeated(said: Said) -> str:
    if said.has("k"):
        keys = said.columns("k")
        names = quoted(keys[0].name) if len(keys) == 1 else listed([one.name for one in keys])
        return f"{said.table}[{said.table}.duplicated({names}, keep=False)].sort_values({names})"
    return f"{said.table}[{said.table}.duplicated(keep=False)]"


def _moved(said: Said) -> str:
    """Columns that come first, or last."""
    names = listed([one.name for one in said.columns("cs")])
    rest = f"[name for name in {said.table}.columns if name not in {names}]"
    order = (
        f"{rest} + {names}" if said.word("where").lower() in ("last", "end", "right", "back") else f"{names} + {rest}"
    )
    said.before.append(f"{said.table} = {said.table}[{order}]")
    return said.table


_GAP = "(missing|nan|null|empty|na|none|unknown|missing value|missing values|gap|no value|not available|not measured|no data)"
_NUM = "(number|numbers|numeric|float|floats|int|integer|integers)"
_ROWS = "(rows|row|entries|{t:t}|records|ones|lines|people|values)"
_DUPLICATE = "(duplicate|duplicates|duplicated|repeated|double|twice)"

SHAPES = (
    Shape((
        (f"[(replace|change|turn|set|make)] [values|value|all|every] {{any:a}} in {{c:x}} (with|by|to|into|as|means|is|are|"
         f"stands for|=|mean|to be) {_GAP}"),
        f"{{any:a}} (means|is|stands for|are|mean|marks|=) [really|actually] {_GAP} in {{c:x}}",
        (f"{{any:a}} in {{c:x}} (is|are|means|was|=) [really|just|actually] [error|mistake|wrong|sentinel|placeholder|code|invalid|{_GAP}] "
         f"[and|so] [(set|make|turn|replace|change|treat|count) [it|them|that] [to|into|with|as|by]] {_GAP}"),
        f"in {{c:x}} [value] {{any:a}} (means|is|stands for|mean|=) {_GAP}",
        f"(treat|read|count|regard|set) [value|values] {{any:a}} in {{c:x}} (as|to) {_GAP}",
        f"{{c:x}} {{any:a}} (means|is|stands for) {_GAP} [replace it|fix it|fix that]",
    ), _missing),
    Shape((
        "(replace|change|turn|swap) [value|values|all|every|word] {any:a} (with|by|to|into|for) {any:b} in {c:x}",
        "(replace|change|swap) [value|all|every|word] {any:a} in {c:x} (with|by|to|into|for) {any:b}",
        "in {c:x} (replace|change) {any:a} (with|by|to|into) {any:b}",
    ), _swapped),
    Shape((
        ("{any:a} and {rest:more} (are|is) same [{c:x}|thing|value|department|country|city|product|person] [(make|call|write|"
         "use|turn|put)] [(them|both|it|all)] [into|as] [{any:to}]"),
        ("(clean up|clean|fix|unify|harmonise|harmonize|standardise|standardize|tidy|correct) {c:x} [names|values|spelling] so "
         "[that] {any:a} and {rest:more} (are|is|become) same"),
    ), _same),
    Shape((
        "{c:x} is (written|spelled|spelt) in different ways make it (consistent|same|uniform) {rest:more}",
        ("(make|unify|clean|clean up|harmonise|harmonize|standardise|standardize|fix) {c:x} [consistent|uniform|names|values|"
         "spelling] {rest:more}"),
        "{rest:more} (is|are|should be|means|becomes) {any:last} [in {c:x}]",
        "in {c:x} {rest:more} (is|are|should be|means|becomes) {any:last}",
    ), _renamed_values),
    Shape((
        ("(turn|convert|parse|make|change|cast|transform) {c:x} [(in|of) {t:t}] [which is text|from text|text] [in|into|to|as] [real|"
         "proper|actual|true] (date|dates|datetime|datetimes|{c:y}) {rest:how}"),
        ("{c:x} [is|are] [stored as|as|only|still] (text|string|strings) (make|turn|convert|parse) it [in|into|to|as] [real|"
         "proper] (date|dates|datetime|{c:y}) {rest:how}"),
        "(parse|read) {c:x} as [real|proper] (date|dates|datetime|{c:y}) {rest:how}",
    ), _as_date),
    Shape((
        f"[make|turn|convert|change|parse|cast] {{c:x}} [in|into|to|as] [real|proper] {_NUM} {{rest:how}}",
        f"{{c:x}} {{rest:how}} (make|turn|convert|change|parse|cast) (it|them) [in|into|to|as] [real|proper] {_NUM}",
    ), _as_number),
    Shape((
        (f"(drop|remove|delete) [{_DUPLICATE}] [{_ROWS}|{_DUPLICATE}] (by|on|of|based on|with same|having same|in) {{cs:k}} "
         "[and] [keep|keeping] [only] [(first|last|latest|newest:KEEP)] [one|row|entry|of them]"),
        (f"(drop|remove|delete) {_DUPLICATE} [{_ROWS}] [and] (keep|keeping) [only] [one|(first|last|latest|newest:KEEP)] [row|"
         f"entry|one] (per|of|for) {{cs:k}}"),
        "(keep|keeping) [only] [one|(first|last|latest|newest:KEEP)] [row|entry|one] (per|for) {cs:k}",
    ), _once),
    Shape((
        (f"[which|all|list] {_ROWS} [(of|in) {{t:of}}] [that] (are|is|that are|appear|appears|occur|occurs|there|have|with|having) "
         f"[exactly|exact] {_DUPLICATE} [in table|in {{t:t}}] [by {{cs:k}}]"),
        f"{_DUPLICATE} {_ROWS} [in {{t:t}}|by {{cs:k}}|of {{t:t}}]",
        ("[there is|there are|is there|somebody is|someone is] [somebody|someone|something|rows|people|person] [is|are] [in "
         f"table] {_DUPLICATE} [in table] [show|find] [me] [{_DUPLICATE}] [rows|row|them|it]"),
    ), _repeated),
    Shape((
        "(reorder|rearrange|order|arrange|sort) columns [so] [that] {cs:cs} (comes|come|is|are|stands) (first|last|end:WHERE)",
        "(move|put|bring) {cs:cs} [column|columns] [to] (first|last|front|beginning|start|end|left|right|back:WHERE) [of {t:t}|position]",
        "(make|let) {cs:cs} (first|last:WHERE) [column|columns]", "{cs:cs} should (be|come) (first|last:WHERE) [column|columns]",
        "{cs:cs} as (first|last:WHERE) (column|columns)",
    ), _moved),
)  # fmt: skip
"""What is mended."""
