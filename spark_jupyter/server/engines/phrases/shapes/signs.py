"""Texts of a column sign by sign: only their digits, without some signs, filled up, put together, their length, their first words. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.named import plain
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted


def _text(said: Said, group: str = "x") -> str:
    """A column of texts as source. Raises :class:`UnknownError` where it has others."""
    column = said.column(group)
    if column.kind != "text" or column.holds.startswith("truth"):
        raise UnknownError
    return f"{said.table}[{column.source}]"


def _put(said: Said, usual: str, made: str) -> str:
    """In the column itself, or in a new one where that is asked."""
    name = quoted(said.new(usual)) if said.has("add") or said.has("new") else said.column("x").source
    said.before.append(f"{said.table}[{name}] = {made}")
    return said.table


def _digits(said: Said) -> str:
    return _put(said, f"{plain(said.column('x').name)}_digits", f'{_text(said)}.str.replace(r"\\D", "", regex=True)')


_SIGNS = {
    "dash": "-", "hyphen": "-", "minus": "-", "underscore": "_", "slash": "/", "comma": ",", "space": " ", "blank": " ", "colon": ":",
    "dot": ".", "period": ".", "point": ".", "semicolon": ";", "bracket": "()[]", "parenthese": "()", "parenthesis": "()",
    "parentheses": "()", "hash": "#", "hashtag": "#", "quote": "\"'", "apostrophe": "'", "plus": "+", "dollar": "$", "euro": "€",
    "pound": "£", "percent": "%", "asterisk": "*", "star": "*", "whitespace": " ", "exclamation mark": "!", "question mark": "?",
    "at": "@", "currency": "$€£",
}  # fmt: skip
_BETWEEN = re.compile(r"\s*(?:,|\band\b|\bor\b)\s*")


def _pattern(text: str) -> str:
    """The signs that are listed as a pattern of any of them. Raises :class:`UnknownError` where one is none."""
    signs = ""
    for part in filter(None, _BETWEEN.split(text.lower().replace("all ", "").replace("any ", "").strip())):
        word = re.sub(r"\s+(?:signs?|symbols?|characters?)$", "", part)
        found = (
            _SIGNS.get(part)
            or _SIGNS.get(part.removesuffix("s"))
            or _SIGNS.get(part.removesuffix("es"))
            or _SIGNS.get(word)
        )
        found = found or _SIGNS.get(word.removesuffix("s")) or (part if len(part) == 1 and not part.isalnum() else "")
        if not found:
            raise UnknownError
        signs += "".join(one for one in found if one not in signs)
    if not signs:
        raise UnknownError
    return f"[{re.escape(signs)}]".replace("\\ ", " ") if len(signs) > 1 else signs


def _without(said: Said) -> str:
    """Some signs taken out, or put in the place of others."""
    name = _text(said)
    if said.has("q") or said.has("letter"):
        text = said.marked.said.get(said.found["q"].strip(), said.word("q")) if said.has("q") else said.word("letter")
        made = f'{name}.str.replace({quoted(text)}, "", regex=False)'
    elif said.has("punctuation"):
        made = f'{name}.str.replace(r"[^\\w\\s]", "", regex=True)'
    elif said.has("numbers"):
        made = f'{name}.str.replace(r"\\d+", "", regex=True)'
    else:
        signs = said.plainly(said.found["signs"]).lower()
        stripped = said.found[0].startswith(("strip ", "trim ")) and re.fullmatch(
            r"(?:all )?(?:spaces?|blanks)", signs.strip()
        )
        if re.search(r"white ?space|extra|trailing|leading", signs) or (stripped and not said.has("inside")):
            raise UnknownError  # those at the ends
        pattern = _pattern(signs)
        to = said.plainly(said.found["to"]).strip() if said.has("to") else "nothing"
        other = (
            ""
            if to.lower() in ("nothing", "empty string", "empty text")
            else _SIGNS.get(to.lower().removesuffix("s"), to.strip("\"'"))
        )
        if len(other) > 1 and not said.found["to"].startswith("⟨q"):
            raise UnknownError
        regex = len(pattern) > 1
        source = f'r"{pattern}"' if regex else quoted(pattern)
        made = f"{name}.str.replace({source}, {quoted(other)}, regex={regex})"
    if said.column("x").holds.startswith("numbers") and not said.has("to"):
        raise UnknownError  # it becomes a number: another shape's
    return _put(said, f"{plain(said.column('x').name)}_clean", made)


def _padded(said: Said) -> str:
    column = said.column("x")
    whole = f"{said.table}[{column.source}]" + (".astype(str)" if column.kind == "number" else "")
    return _put(said, f"{plain(column.name)}_padded", f"{whole}.str.zfill({said.number('n')})")


def _capital(said: Said) -> str:
    return _put(said, f"{plain(said.column('x').name)}_capitalized", f"{_text(said)}.str.capitalize()")


def _joined(said: Said) -> str:
    """Two columns or three in one, with a space between or what is said."""
    found = said.columns("cs")
    if not 2 <= len(found) <= 4 or all(one.kind == "number" for one in found):
        raise UnknownError
    sign = " "
    if said.has("q"):
        sign = said.word("q")
    elif said.has("sep"):
        word = said.word("sep").lower()
        sign = {"comma": ", ", "space": " ", "comma and space": ", "}.get(word) or _SIGNS.get(word, word)
    parts = [f"{said.table}[{one.source}]" + ("" if one.kind == "text" else ".astype(str)") for one in found]
    names = [plain(one.name).lower() for one in found]
    usual = "full_name" if all(re.search(r"name", one) for one in names) else "_".join(names)
    name = said.new(usual)
    said.before.append(f"{said.table}[{quoted(name)}] = {f' + {quoted(sign)} + '.join(parts)}")
    return said.table


def _measured(said: Said) -> str:
    """How many letters or words each text has."""
    count = ".str.split().str.len()" if said.has("words") else ".str.len()"
    made = f"{_text(said)}{count}"
    if not (said.has("add") or said.has("new")):
        return made
    return _put(said, f"{plain(said.column('x').name)}_{'words' if said.has('words') else 'length'}", made)


def _item(said: Said) -> str:
    """The first or the last of what each text lists."""
    place = "0" if said.word("end").lower() == "first" else "-1"
    word = said.marked.said.get(said.found["x"].strip(), "").lower()
    if not re.search(r" (?:of|from|in) ⟨c", said.found[0]) and f"{word}s" != said.column("x").name.lower():
        raise UnknownError  # "the first crop", of ``crops``
    made = f'{_text(said)}.str.split(r"\\s*[;,|/]\\s*", regex=True).str[{place}]'
    return (
        _put(said, f"{said.word('end').lower()}_{plain(said.column('x').name)}", made)
        if said.has("new") or said.has("add")
        else made
    )


def _items(said: Said) -> str:
    """How many things each text lists."""
    made = f'{_text(said)}.str.split(r"\\s*[;,|]\\s*", regex=True).str.len()'
    return _put(said, f"number_of_{plain(said.column('x').name)}", made) if said.has("new") or said.has("add") else made


def _cut(said: Said) -> str:
    """As many new columns as there are parts."""
    column = said.column("x")
    sign = (
        said.word("q")
        if said.has("q")
        else {"comma": ",", "space": " "}.get(said.word("sep").lower()) or _pattern(said.word("sep"))
    )
    made = f"{_text(said)}.str.split({quoted(sign)}, expand=True).add_prefix({quoted(plain(column.name) + '_')})"
    said.before.append(f"{said.table} = {said.table}.join({made})")
    return said.table


def _initials(said: Said) -> str:
    column = said.column("x") if said.has("x") else None
    if column is None:
        named = [one for one in said.by_name.values() if re.fullmatch(r"(?:full.?)?name", one.name, re.IGNORECASE)]
        column = named[0] if len(named) == 1 else None
    if column is None or column.kind != "text":
        raise UnknownError
    made = f'{said.table}[{column.source}].str.findall(r"\\b[^\\W\\d_]").str.join("").str.upper()'
    if column.holds.startswith("names, last first"):
        made = f'{said.table}[{column.source}].str.findall(r"\\b[^\\W\\d_]").str[::-1].str.join("").str.upper()'
    if not (said.has("add") or said.has("new")):
        return made
    said.before.append(f"{said.table}[{quoted(said.new('initials'))}] = {made}")
    return said.table


_DROP = "(remove|delete|drop|strip|get rid of|take out|take away|erase|strip out|cut out)"
_FROM = "(from|in|of|out of|(inside|within|between:INSIDE))"
_ONLY = "(keep|leave|extract|get|take) only [the] (digits|numbers|numeric characters|numerals)"
_COL = "[all] {c:x} [numbers|values|entries|texts|names|column|strings]"
_CLEAN = "(clean|clean up|strip|fix|format|normalize|normalise|standardize|standardise|reduce)"
_WORDS = "(number of words|word count|words:WORDS)"

SHAPES = (
    Shape((
        f"{_ONLY} {_FROM} {_COL} [{{new:new}}]",
        f"{_CLEAN} {_COL} [so] [that] [it|they] [only|just] [has|have|contain|contains|to|keep] [only] digits [are] [left|remain|stay]",
        f"{_CLEAN} {_COL} [so] [that] only (digits|numbers) (are left|remain|stay|are kept|left)",
        (f"{_DROP} (everything|all|anything|all characters|every character) (except|but|other than|except for|that is "
         f"not|that are not|that isn't|which is not) [a] (digits|digit|numbers|number|numeric) {_FROM} {_COL}"),
        (f"{_DROP} [all] (non digits|non-digits|nondigits|non numeric characters|non-numeric characters|non digit "
         f"characters|non-digit characters|letters and signs) {_FROM} {_COL}"),
    ), _digits),
    Shape((
        f"{_DROP} [all] (punctuation|punctuation marks|special characters:PUNCTUATION) {_FROM} {_COL}",
        f"{_DROP} [all] (digits|numbers:NUMBERS) {_FROM} {_COL}",
        f"{_DROP} (letter|letters|character|sign) {{w:letter}} {_FROM} {_COL}",
        f"{_DROP} [word|words|text|string|letters] ({{q:q}}|{{v:q}}) {_FROM} {_COL}",
        f"{_DROP} (word|text|string) {{w:letter}} {_FROM} {_COL}",
        f"{_DROP} {{rest:signs}} {_FROM} {_COL}",
        f"(replace|change|turn|swap) {{rest:signs}} {_FROM} {_COL} (with|by|to|into) ({{w:to}}|{{q:to}}|empty string|-:TO)",
        f"(replace|change) {{rest:signs}} (with|by) ({{w:to}}|{{q:to}}) {_FROM} {_COL}",
    ), _without),
    Shape((
        (f"(pad|fill up|zero pad|left pad|zero-pad) {_COL} [with [leading] zeros] to [length] [of] {{n:n}} "
         f"[digits|characters|places|letters|signs] [with [leading] zeros]"),
        f"(make|write) {_COL} {{n:n}} digits [long] with leading zeros",
    ), _padded),
    Shape((
        (f"(capitalize|capitalise|uppercase|upper case|make) [only] first letter {_FROM} [each|every] {_COL} "
         f"[uppercase|upper case|capital|big]"),
    ), _capital),
    Shape((
        ("(combine|join|concatenate|merge|put together|concat|paste) {cs:cs} [columns] [together] [(with|by|using|separated by) "
         "({q:q}|(space|comma|dash|hyphen|underscore|slash|comma and space:SEP)) [between|as separator]] [{new:new}]"),
        ("{add:add} {cs:cs} [(combined|joined|together|concatenated|put together)] [(with|by|separated by) "
         "({q:q}|(space|comma|dash|hyphen|underscore|slash:SEP)) [between]]"),
        ("(add|create|make|build) [new] [column] {called:add_0} [column] (from|out of|by combining|by joining|which "
         "is|with|=|of|that combines|combining) "
         "{cs:cs} [(combined|joined|together|concatenated)] [(with|by|separated by) "
         "({q:q}|(space|comma|dash|hyphen|underscore|slash:SEP)) [between]]"),
        "(combine|join|concatenate|merge) {cs:cs} (into|to|as|in) {called:add_0} [(in|of|for) {t:t}]",
    ), _joined),
    Shape((
        ("[{add:add}] (length|text length|number of characters|number of letters|character count) [of|in] "
         "[each|every|per] {c:x} [{new:new}]"),
        f"[{{add:add}}] {_WORDS} (in|of|per) [each|every|per] {{c:x}} [{{new:new}}]",
        "how long (is|are) [each|every|per] {c:x} [{new:new}]",
        "number of words (are in|does|has) [each|every|per] {c:x} [have]",
    ), _measured),
    Shape((
        "(extract|get|take|find) (first|last:END) (item|entry|word|one|element|value|part|{c:what}) [of|from|in] {c:x} [{new:new}]",
        "(extract|get|take) (first|last:END) {c:x} {new:new}",
        "[{add:add}] (first|last:END) (item|entry|element|value|one) (of|from|in) [each|every] {c:x} [{new:new}]",
    ), _item),
    Shape((
        ("(split|separate|cut|break up|split up) {c:x} (at|by|on|with|using) [each|every] ({q:q}|{w:sep}) [sign|character] "
         "[(into|in|to) [several|separate|new|more|different] columns]"),
    ), _cut),
    Shape((
        "[{add:add}] initials [of|for|per] [each|every|per] [{t:t}|{c:who}|person|row] [{new:new}]",
        "[{add:add}] initials (of|from) {c:x} [{new:new}]",
    ), _initials),
)  # fmt: skip
"""What is asked of the signs of texts."""
