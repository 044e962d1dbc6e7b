"""The columns as such: their names all at once, which of them stay, in which order. Pure."""

from __future__ import annotations

import re

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.rewrite import quoted


def _own(said: Said) -> None:
    """Raises :class:`UnknownError` where another table is named."""
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError


def _cased(said: Said) -> str:
    """All names in small letters, with underscores where that is asked."""
    _own(said)
    how = said.found["case"].lower()
    snake = "snake" in how or (said.has("under") and not said.has("keep"))
    calls = [".str.strip()"] if snake or said.has("strip") else []
    calls.append(
        ".str.upper()" if "upper" in how or "capital" in how else ".str.title()" if "title" in how else ".str.lower()"
    )
    calls += ['.str.replace(r"\\W+", "_", regex=True)', '.str.strip("_")'] if snake else []
    said.before.append(f"{said.table}.columns = {said.table}.columns{''.join(calls)}")
    return said.table


_SIGNS = {
    "underscore": "_", "underscores": "_", "dash": "-", "dashes": "-", "hyphen": "-", "hyphens": "-", "nothing": "", "space": " ",
    "spaces": " ", "blanks": " ", "dots": ".", "dot": ".", "whitespace": " ", "periods": ".",
}  # fmt: skip


def _swapped(said: Said) -> str:
    """A sign of the names for another, or for none."""
    _own(said)
    columns = f"{said.table}.columns"
    if said.has("ends"):
        said.before.append(f"{columns} = {columns}.str.strip()")
    elif said.has("special"):
        said.before.append(f'{columns} = {columns}.str.replace(r"[^\\w ]", "", regex=True)')
    else:
        first, second = (said.word(one) if said.has(one) else "" for one in ("first", "second"))
        old, new = _SIGNS.get(first.lower(), first), _SIGNS.get(second.lower(), second)
        if not old or (len(old) > 1 and not said.found["first"].startswith("⟨q")):
            raise UnknownError
        said.before.append(f"{columns} = {columns}.str.replace({quoted(old)}, {quoted(new)}, regex=False)")
    return said.table


def _fixed(said: Said) -> str:
    """Something before or behind every name."""
    _own(said)
    call = "add_prefix" if said.found["side"].startswith("prefix") or said.has("front") else "add_suffix"
    text = said.plainly(said.found["fix"]).strip("\"'")
    if not re.fullmatch(r"[\w.-]{1,20}", text):
        raise UnknownError
    said.before.append(f"{said.table} = {said.table}.{call}({quoted(text)})")
    return said.table


def _lacking(said: Said) -> str:
    """Without the columns that are empty, have a gap, or more of them than is said."""
    _own(said)
    if said.has("all"):
        said.before.append(f'{said.table} = {said.table}.dropna(axis="columns", how="all")')
    elif said.has("constant"):
        said.before.append(f"{said.table} = {said.table}.loc[:, {said.table}.nunique(dropna=False) > 1]")
    elif said.has("half") or said.has("n"):
        part = "0.5" if said.has("half") else f"{float(said.number('n')) / 100:g}"
        said.before.append(f"{said.table} = {said.table}.loc[:, {said.table}.isna().mean() <= {part}]")
    else:
        said.before.append(f'{said.table} = {said.table}.dropna(axis="columns")')
    return said.table


def _with_gaps(said: Said) -> str:
    """The columns that have gaps, with how many."""
    _own(said)
    said.before.append(f"{(gaps := said.free('gaps'))} = {said.table}.isna().sum()")
    return f"{gaps}[{gaps} > 0]"


def _gap_shares(said: Said) -> str:
    """What part of each column is missing."""
    _own(said)
    times = "" if said.found["how"].strip().lower() in ("share", "fraction", "proportion") else "100 * "
    return f"{times}{said.table}.isna().mean()"


def _gaps_of_rows(said: Said) -> str:
    """How many gaps each row has."""
    _own(said)
    rows = f"{said.table}[{listed([one.name for one in said.columns('cs')])}]" if said.has("cs") else said.table
    made = f"{rows}.isna().sum(axis=1)"
    if not (said.has("add") or said.has("new")):
        return made
    said.before.append(f"{said.table}[{quoted(said.new('missing'))}] = {made}")
    return said.table


def _kept(said: Said) -> str:
    """Only these columns stay."""
    _own(said)
    names = [one.name for one in said.columns("cs")]
    return f"{said.table}[{listed(names)}]"


def _called(said: Said) -> str:
    """The columns whose names begin, end or go on in some way, or that are of a kind."""
    _own(said)
    if said.has("kind"):
        kind = {"n": "number", "t": "object", "s": "object"}.get(said.word("kind").lower()[0], "")
        if kind == "object":
            return f'{said.table}.select_dtypes(exclude=["number", "bool", "datetime"])'
        return f'{said.table}.select_dtypes("{kind}")' if kind else f'{said.table}.select_dtypes("datetime")'
    text = said.marked.said.get(said.found["part"].strip(), said.word("part"))
    how = said.found["how"].split()[0].lower()
    test = {"s": "startswith", "b": "startswith", "e": "endswith"}.get(how[0])
    chosen = f"name.{test}({quoted(text)})" if test else f"{quoted(text)} in name"
    names = f"[name for name in {said.table}.columns if {chosen}]"
    if said.has("drop"):
        said.before.append(f"{said.table} = {said.table}.drop(columns={names})")
        return said.table
    return f"{said.table}[{names}]"


def _ordered(said: Said) -> str:
    """In the order of the alphabet, or with some in front."""
    _own(said)
    if said.has("cs"):
        names = listed([one.name for one in said.columns("cs")])
        if len(said.columns("cs")) < 2:
            raise UnknownError
        said.before.append(
            f"{said.table} = {said.table}[{names} + [name for name in {said.table}.columns if name not in {names}]]"
        )
        return said.table
    said.before.append(f'{said.table} = {said.table}.sort_index(axis="columns")')
    return said.table


def _beside(said: Said) -> str:
    """One column before or behind another."""
    _own(said)
    moved, by = said.column("x"), said.column("y")
    if moved.name == by.name:
        raise UnknownError
    behind = re.search(r"after|behind|next|right", said.found["where"]) is not None
    order = said.free("order")
    said.before += [
        f"{order} = [name for name in {said.table}.columns if name != {moved.source}]",
        f"{order}.insert({order}.index({by.source}){' + 1' if behind else ''}, {moved.source})",
        f"{said.table} = {said.table}[{order}]",
    ]
    return said.table


_HEADS = "(headers|header|column headers|columns|column names|names of columns|headers of columns|column titles)"
_OF = "[(of|in) {t:t}]"
_CASE = (
    "(lower case|lowercase|small letters|lower|snake case|snake_case|snake-case|upper case|uppercase|capital letters|title case|"
    "upper:CASE)"
)
_UNDER = (
    "(with underscores instead of spaces|with underscores for spaces|with underscores|and underscores|and use underscores|without spaces|"
    "and replace spaces (with|by) underscores|and spaces (with|by|to) underscores|with _ instead of spaces:UNDER)"
)
_CHANGE = "(rename|make|convert|turn|change|put|write|set|transform|format|clean|clean up)"
_MISSING = "(missing|nan|nans|null|nulls|empty|gaps|missing data|na)"
_DROP = "(drop|remove|delete|get rid of|throw away)"
_KEEP = "(select|keep|show|list|choose|take|pick|get|(drop|remove|delete:DROP))"

SHAPES = (
    Shape((
        f"{_CHANGE} [all] {_HEADS} {_OF} [to|in|into|all|be] [all] {_CASE} [{_UNDER}]",
        f"(lowercase|lower case|uppercase|upper case|snake case|title case:CASE) [all] {_HEADS} {_OF} [{_UNDER}]",
        f"(strip:STRIP) [spaces] [from|of] [all] {_HEADS} {_OF} and (make|turn|convert) them {_CASE} [{_UNDER}]",
    ), _cased),
    Shape((
        (f"(replace|change|swap|turn) [all] ({{w:first}}|{{q:first}}) (in|of) [all] {_HEADS} {_OF} (with|by|to|into|for) "
         f"[an|a] ({{w:second}}|{{q:second}}|_:SECOND)"),
        f"(replace|change) [all] ({{w:first}}|{{q:first}}) (with|by|to|into) ({{w:second}}|{{q:second}}) (in|of) [all] {_HEADS} {_OF}",
        f"(strip|trim:ENDS) [spaces|whitespace] [(from|of|off|in|around)] [all] {_HEADS} {_OF}",
        (f"{_DROP} (leading and trailing spaces|extra spaces|spaces around|whitespace around|trailing spaces:ENDS) "
         f"(from|of|off|in) [all] {_HEADS} {_OF}"),
        f"{_DROP} [all] (special characters|special signs|punctuation|special letters:SPECIAL) (from|of|in) [all] {_HEADS} {_OF}",
        f"{_DROP} [all] ({{w:first}}|{{q:first}}) (from|of|in) [all] {_HEADS} {_OF}",
    ), _swapped),
    Shape((
        f"(add|put|set|use) (prefix|suffix:SIDE) {{called:fix}} (to|for|before|on) [all|every|each] {_HEADS} {_OF}",
        f"(add|put) {{called:fix}} as (prefix|suffix:SIDE) (to|for|of|on) [all|every|each] {_HEADS} {_OF}",
        f"(prefix|suffix:SIDE) [all|every|each] {_HEADS} {_OF} with {{called:fix}}",
    ), _fixed),
    Shape((
        (f"{_DROP} [all] columns {_OF} [that|which] (are|have|contain|with|is) (only|all|completely|entirely|fully|nothing "
         f"but:ALL) {_MISSING} [values|data]"),
        f"{_DROP} [all] (empty:ALL) columns {_OF}",
        (f"{_DROP} [all] columns {_OF} [that|which] [(have|with|having|contain|are)] (more than|over|at least|>) ((half|50 "
         f"%:HALF)|{{n:n}} [%|percent]) "
         f"[of] [values|their values|rows|data] [are|is|being] {_MISSING} [values|data]"),
        f"{_DROP} [all] columns {_OF} [that|which|where] (have|with|having|contain|containing) [any|some] {_MISSING} [values|value|data]",
        (f"{_DROP} [all] columns {_OF} [that|which] (have|with|having|contain) (only one value|one value only|one unique "
         f"value|single value|"
         "same value everywhere|only one unique value|just one value:CONSTANT)"),
        f"{_DROP} [all] (constant:CONSTANT) columns {_OF}",
    ), _lacking),
    Shape((
        f"[which|what|list|show] columns {_OF} [that|which] (have|with|contain|having|has) [any] {_MISSING} [values|data]",
    ), _with_gaps),
    Shape((
        (f"(percent|percentage|percentages|%|share|fraction|proportion:HOW) [of] {_MISSING} [values|data] (per|in|by|for "
         f"each|in each|of each) "
         f"(column|columns) {_OF}"),
    ), _gap_shares),
    Shape((
        (f"[{{add:add}}] (number of|count) {_MISSING} [values|cells|answers|fields|{{t:what}}] (per|of each|for each|in "
         f"each|in every) [{{t:who}}|{{c:who}}] row {_OF} [{{new:new}}]"),
        (f"[{{add:add}}] (number of|count) {_MISSING} [values|cells|answers|fields|{{t:what}}] per "
         f"({{t:who}}|{{c:who}}|person|student|respondent|row) [(in|over|of) {{cs:cs}}] [{{new:new}}]"),
        ("number of ({w:what}|{c:what}) (did|does|has) (each|every|per) ({t:who}|{c:who}|person|student|respondent|row) "
         "(leave|left) (empty|blank|out|unanswered)"),
    ), _gaps_of_rows),
    Shape((
        f"{_DROP} [all] [other] columns (except|but|except for|other than|apart from|besides) {{cs:cs}}",
        f"{_DROP} (everything|all) (except|but|except for|other than) {{cs:cs}}",
        f"(keep|select) only [columns] {{cs:cs}} [and] ({_DROP}) [all|rest|everything else|others]",
    ), _kept),
    Shape((
        (f"{_KEEP} [only|all] columns {_OF} [(that|which|whose names|whose name)] "
         f"(start|starts|starting|begin|begins|beginning|end|ends|ending:HOW) with "
         "({w:part}|{q:part}|{c:part}|{t:part})"),
        (f"{_KEEP} [only|all] columns {_OF} [(that|which|whose names|whose name|with)] (contain|contains|containing|include:HOW) "
         "({w:part}|{q:part}|{c:part}) [in name|in their name]"),
        f"{_KEEP} [only|all] (numeric|number|text|string|date|datetime:KIND) columns {_OF}",
    ), _called),
    Shape((
        (f"(reorder|rearrange|order|arrange) {_HEADS} {_OF} so that {{c:x}} (comes|is|stands|goes) [right|directly|just] "
         f"(after|before|behind|next to|"
         "left of|right of:WHERE) {c:y}"),
        "(move|put|place|bring|insert) {c:x} [right|directly|just] [to] (after|before|behind|next to|left of|right of:WHERE) {c:y}",
    ), _beside),
    Shape((
        f"(sort|order|arrange|reorder) {_HEADS} {_OF} (alphabetically|by name|by their names|in alphabetical order|from a to z|a to z)",
        f"(put|bring) {_HEADS} {_OF} in alphabetical order",
        (f"(reorder|rearrange|order|arrange) columns {_OF} [so that|as|to|in order|in this order|like this] {{cs:cs}} "
         f"[and] [then] [rest|others|everything else|remaining]"),
        "put columns in [this] order {cs:cs} [and] [then] [rest|others|everything else|remaining]",
    ), _ordered),
)  # fmt: skip
"""What is asked of the columns."""
