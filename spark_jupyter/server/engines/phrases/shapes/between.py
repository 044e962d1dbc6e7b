"""What is calculated of two tables or more: how many rows one has for each row of the other, their sums as a column, one column times
another that lies elsewhere, what was sold for. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines import words
from spark_jupyter.server.engines.phrases.cursor import NUMBERED
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.links import (
    frame,
    frames,
    linked,
    merged,
    names_itself,
    reaches,
    words_of,
)
from spark_jupyter.server.engines.phrases.shapes.named import name_of, plain
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed, number_of
from spark_jupyter.server.engines.query.tables import is_leftover, singular
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column, Variable


def spoken(said: Said, group: str) -> Variable:
    """The table that a word speaks of, be it in the singular or in a plural that it has not. Raises :class:`UnknownError`."""
    mark = said.found[group]
    if mark.startswith("⟨t"):
        return frame(said, group)
    if mark.startswith("⟨c"):  # "trip", of trips that begin with ``trip_id``, "leave" of leaves beside a ``leave_type``
        word = singular(said.plainly(mark).lower())
        named = [held for held in frames(said) if singular(held.name.lower()) == word]
        if len(named) == 1:
            return named[0]
        one = [held for held in frames(said) if held.columns and held.columns[0].name == said.word(group)]
        if len(one) != 1 or not NUMBERED.search(one[0].columns[0].name):
            raise UnknownError
        return one[0]
    stem = words.stem(said.plainly(said.found[group]).lower())
    found = [one for one in frames(said) if words.stem(one.name.lower()) == stem]
    if len(found) != 1:
        raise UnknownError
    return found[0]


def of_each(said: Said, other: Variable) -> Variable:
    """The table with one row for each of those that are spoken of: "per patient", of patients. Raises :class:`UnknownError`."""
    if said.has("a"):
        found = [frame(said, "a")]
    else:
        whose = words_of(said.word("k")) if said.has("k") else set()
        found = [
            one
            for one in frames(said)
            if one is not other
            and one.columns
            and whose
            and whose <= (words_of(singular(one.name)) | words_of(one.columns[0].name))
            and reaches(one, other)
        ]
    if len(found) > 1:  # the key is called the same in both
        found = [one for one in found if names_itself(one)] or [
            one for one in found if len({*linked(one, other)[0]}) == 1
        ]
    if len(found) != 1 or found[0] is other:
        raise UnknownError
    return found[0]


def _put(said: Said, own: Variable, name: str, made: str) -> str:
    new = name_of(said) if said.has("name") else said.new(name)
    if said.has("asks"):
        return f"{own.name}.assign({new}={made})"
    said.before.append(f"{own.name}[{quoted(new)}] = {made}")
    return own.name


def _counted(said: Said) -> str:
    """How many rows the other table has for each row."""
    other = spoken(said, "o")
    own = of_each(said, other)
    if (
        said.has("asks")
        and said.has("k")
        and other.column(said.word("k"))
        and not words_of(said.word("k")) & words_of(singular(own.name))
    ):
        raise UnknownError  # "how many absences does every student have": each absence has its student
    ((key, behind),) = linked(own, other)
    made = f"{own.name}[{quoted(key)}].map({other.name}[{quoted(behind)}].value_counts()).fillna(0).astype(int)"
    return _put(said, own, f"number_of_{other.name}", made)


def _per_each(said: Said) -> str:
    """How many rows, or what of them, for each row of a table that they point to."""
    other = spoken(said, "o")
    own = of_each(said, other)
    behind = quoted(linked(own, other)[0][1])
    if not said.has("v"):
        return f"{other.name}.groupby({behind}).size()"
    value = other.column(said.word("v"))
    how = _FIRSTS.get(said.word("how").lower()) or said.how()
    if (
        value is None
        or NUMBERED.search(value.name)
        or not (_is_number(value) or value.kind == "date" or value.holds.startswith("dates"))
    ):
        raise UnknownError
    _made_ready(said, other.name, value)
    return f"{other.name}.groupby({behind})[{value.source}].{how}()"


_FIRSTS = {"last": "max", "latest": "max", "newest": "max", "most recent": "max", "first": "min", "earliest": "min"}


def _summed(said: Said) -> str:
    """The sum, the mean or the last of what the other table has for each row."""
    holding = [one for one in frames(said) if one.column(said.word("v")) is not None]
    other = spoken(said, "o") if said.has("o") else None
    if other is None:
        own = frame(said, "a") if said.has("a") else None
        holding = [one for one in holding if one is not own and (own is None or reaches(own, one))]
        if len(holding) != 1:
            raise UnknownError
        other = holding[0]
    own, value = of_each(said, other), other.column(said.word("v"))
    how = _FIRSTS.get(said.word("how").lower()) or said.how()
    if value is None or NUMBERED.search(value.name) or (how in ("sum", "mean", "median") and not _is_number(value)):
        raise UnknownError
    if value.kind == "text" and not _is_number(value) and not value.holds.startswith("dates"):
        raise UnknownError
    ((key, behind),) = linked(own, other)
    _made_ready(said, other.name, value)
    made = f"{own.name}[{quoted(key)}].map({other.name}.groupby({quoted(behind)})[{value.source}].{how}())"
    filled = ".fillna(0)" if how == "sum" else ""
    return _put(said, own, f"{said.word('how').lower().replace(' ', '_')}_{plain(value.name)}", f"{made}{filled}")


def _is_number(one: Column) -> bool:
    return one.kind == "number" or one.holds.startswith("numbers")


def _made_ready(said: Said, table: str, one: Column) -> None:
    """Texts that are numbers or dates become such first."""
    name = f"{table}[{one.source}]"
    if one.holds.startswith("numbers"):
        said.first_do(f"{name} = {number_of(name, comma=one.holds == 'numbers, decimal comma')}")
    elif one.holds.startswith("dates"):
        more = ", dayfirst=True" if "day first" in one.holds else ""
        said.first_do(f"{name} = pd.to_datetime({name}{more})")


_SIGNS = {"times": "*", "x": "*", "*": "*", "multiplied": "*", "multiply": "*", "product": "*", "by": "*", "·": "*", "×": "*", "and": "*",
          "with": "*", "plus": "+", "+": "+", "minus": "-", "-": "-", "/": "/", "divided": "/"}  # fmt: skip


def _calculated(said: Said) -> str:
    """One column with another, of which the second may lie in the table that the first points to."""
    first, second = said.word("x"), said.word("y")
    if said.has("number"):
        return _by_a_number(said)
    sign = _SIGNS[said.found["sign"].split()[0].lower()]
    own = _home(said, first, second)
    for name in (first, second):
        held = own.column(name)
        if held is not None:
            if not _is_number(held):
                raise UnknownError
            _made_ready(said, own.name, held)
    parts = [_looked_up(said, own, name) for name in (first, second)]
    return _put(said, own, "total" if sign == "*" else "result", f"{parts[0]} {sign} {parts[1]}")


def _by_a_number(said: Said) -> str:
    """A column with a number, as a column of its own."""
    if said.source is None:
        raise UnknownError
    sign = {"multiply": "*", "divide": "/"}[said.word("sign").lower()]
    name = said.ready("x")
    said.before.append(
        f"{said.table}[{quoted(said.new(plain(name) + '_new'))}] = {said.table}[{name}] {sign} {said.number('number')}"
    )
    return said.table


def _home(said: Said, first: str, second: str) -> Variable:
    """The table that gets the column: the one that is named, else the one with both, else the one that points to the other."""
    if said.has("a"):
        return frame(said, "a")
    both = [one for one in frames(said) if one.column(first) is not None and one.column(second) is not None]
    some = both or [
        one
        for one in frames(said)
        if (one.column(first) is None) != (one.column(second) is None)
        and not (said.has("o") and one is frame(said, "o"))
        and _points(one, [second if one.column(first) is not None else first], said)
    ]
    return _only(said, some)


def _only(said: Said, found: list[Variable]) -> Variable:
    """The only one, or the only one that is no part of another. Raises :class:`UnknownError`."""
    whole = found if len(found) == 1 else [one for one in found if not is_leftover(one, frames(said))]
    if len(whole) != 1:
        raise UnknownError
    return whole[0]


def _points(one: Variable, wanted: list[str], said: Said) -> bool:
    """Whether another table that has the columns has one row for each of its keys: the key stands first there."""
    return any(
        all(other.column(name) is not None for name in wanted)
        and reaches(one, other)
        and linked(one, other)[0][1] == other.columns[0].name
        and linked(one, other)[0][0] != one.columns[0].name
        for other in frames(said)
        if other is not one
    )


def _looked_up(said: Said, own: Variable, name: str) -> str:
    """The column as source, through the key where it is another table's."""
    if own.column(name) is not None:
        return f"{own.name}[{quoted(name)}]"
    found = [one for one in frames(said) if one is not own and one.column(name) is not None and reaches(own, one)]
    if said.has("o"):
        found = [one for one in found if one is frame(said, "o")]
    held = found[0].column(name) if len(found) == 1 else None
    if held is None or not _is_number(held):
        raise UnknownError
    _made_ready(said, found[0].name, held)
    ((key, behind),) = linked(own, found[0])
    told = f"{found[0].name}.drop_duplicates({quoted(behind)}).set_index({quoted(behind)})[{quoted(name)}]"
    return f"{own.name}[{quoted(key)}].map({told})"


_PRICE = re.compile(r"\bprices?\b")
_QUANTITY = re.compile(r"\b(?:qty|quantit\w*|units?|pieces|pcs|amount)\b")


def _sold(said: Said) -> str:
    """Price times quantity, which lie in two tables, be it by what a third one tells."""
    sold = [one for one in frames(said) if len(_called(one, _QUANTITY)) == 1 and not _called(one, _PRICE)]
    priced = [one for one in frames(said) if len(_called(one, _PRICE)) == 1]
    pairs = [(one, other) for one in sold for other in priced if one is not other and reaches(one, other)]
    own = _only(said, [one for one, _ in pairs])
    other = next(other for one, other in pairs if one is own)
    word = said.plainly(said.found["what"]).lower()
    if any(set(words_of(word)) & words_of(column.name) for one in frames(said) for column in one.columns):
        raise UnknownError  # a column is called so
    quantity, price = _called(own, _QUANTITY)[0], _called(other, _PRICE)[0]
    made = f"{own.name}[{quoted(quantity)}] * {_looked_up(said, own, price)}"
    said.says.append(f"I took “{word}” to be `{price}` × `{quantity}`.")
    if said.has("add"):
        return _put(said, own, "revenue", made)
    if not said.has("g"):
        return f"({made}).sum()"
    group = said.word("g")
    if own.column(group) is not None:
        return f"({made}).groupby({own.name}[{quoted(group)}]).sum()"
    told = [one for one in frames(said) if one is not own and one.column(group) is not None and reaches(own, one)]
    if len(told) != 1:
        raise UnknownError
    said.before.append(f"{(joined := said.free('joined'))} = {own.name}.assign(revenue={made})")
    columns = f"{told[0].name}[{listed([linked(own, told[0])[0][1], group])}]"
    part = f"{columns}.drop_duplicates({quoted(linked(own, told[0])[0][1])})"
    return f'{merged(joined, part, linked(own, told[0]), "left")}.groupby({quoted(group)})["revenue"].sum()'


def _called(one: Variable, pattern: re.Pattern[str]) -> list[str]:
    return [column.name for column in one.columns if _is_number(column) and pattern.search(names.spaced(column.name))]


_EACH = "[each|every|per|all|single]"
_HOW = f"(total|sum|average|mean|avg|median|highest|max|maximum|lowest|min|minimum|{'|'.join(_FIRSTS)}:HOW)"
_OWN = "({t:a}|{c:k}|{w:k})"
_OF = "(per|for|of|by|from|for each|of each)"
_WHOSE = f"{_OF} {_EACH} {_OWN}"
_TO = "(to|in|into|on|onto|as column in|as new column in|as column to|as new column to)"
_AT = f"{_TO} {_EACH} {{t:a}}"
_TIMES = "(times|x|*|multiplied by|multiplied with|·|×|plus|+|minus|-|/|divided by:SIGN)"
_IS = "[=|is|as|:|which is|that is|with|showing|containing|being|calculated as|calculated from|from|equal to|for]"
_FROM = "[(from|in|out of) {t:o}]"
_PUTS = "(add|create|make|insert|calculate|compute) [new] [column] {called:name} [column]"
_REVENUE = "(total revenue|revenue|revenues|turnover|total sales|sales|sales value|total value|income:WHAT)"
_ROWS = "({t:o}|{c:o}|{w:o})"
_VALUE = "[of] [({t:o}|{c:o})] {c:v} [(of|from|in) {t:o}]"
_HAD = "(has|had|made|placed|have|got|did|took|wrote|make|place|get)"
_LAST = "(last|latest|first|earliest|most recent|newest:HOW)"
_PRODUCT = (
    f"{_PUTS} {_TO} {{t:a}} {_IS} {{c:x}} {_TIMES} {{c:y}} {_FROM}",
    f"{_PUTS} [(per|for|of) {_EACH} ({{t:a}}|{{c:noun}}|row|order|line|item)] {_IS} {{c:x}} {_TIMES} {{c:y}} {_FROM}",
    f"{{called:name}} (=|is|equals) {{c:x}} {_TIMES} {{c:y}} {_FROM}",
    f"{{add:add}} {{c:x}} {_TIMES} {{c:y}} {_FROM} [{_TO} {{t:a}}]",
    f"(multiply:SIGN) {{c:x}} [(from|in|of) {{t:a}}] (by|with|and) {{c:y}} {_FROM} {{new:new}}",
    "(multiply|divide:SIGN) {c:x} by {n:number} {new:new}",
    f"in {{t:a}} [add] [new] [column] {{called:name}} {_IS} {{c:x}} {_TIMES} {{c:y}} {_FROM}",
)

SHAPES = (
    Shape((
        f"[{{add:add}}] number of {_ROWS} [{_WHOSE}] {_AT} [{{new:new}}]",
        f"{{add:add}} number of {_ROWS} {_WHOSE} [{{new:new}}]",
        f"{{add:add}} [how many] {_ROWS} {_EACH} {_OWN} {_HAD} [{{w:verb}}] [{_TO} {{t:a}}]",
        f"{_PUTS} {_AT} {_IS} number of {_ROWS} [{_WHOSE}]",
        f"number of {_ROWS} (did|does|do|has:ASKS) {_EACH} {_OWN} {_HAD}",
        f"{{add:add}} [column] {{t:o}} count {_TO} {{t:a}}",
        f"(count|count how many) {_ROWS} {_WHOSE} and (add|put|store|write) [it|them|that|result] {_TO} {{t:a}}",
    ), _counted, "tables"),
    Shape((
        f"[{{add:add}}] {_HOW} {_VALUE} [{_WHOSE}] {_AT} [{{new:new}}]",
        f"{{add:add}} {_HOW} {_VALUE} {_WHOSE} {_FROM} [{{new:new}}]",
        f"{_PUTS} {_AT} {_IS} {_HOW} {_VALUE} [{_WHOSE}] {_FROM}",
        f"{{add:add}} {{c:v}} of [each|every|their|{{w:whose}}] {_LAST} ({{t:o}}|{{c:o}}) {_AT} [{{new:new}}]",
        f"{{add:add}} {_EACH} {_OWN} {_HOW} {{c:v}} {_FROM} [{_TO} {{t:a}}] [{{new:new}}]",
    ), _summed, "tables"),
    Shape((
        f"number of {_ROWS} (per|for each|of each|by) {{t:a}}",
        f"{_HOW} ({{t:o}}|{{c:o}}) {{c:v}} (per|for each|of each|by) {{t:a}}",
    ), _per_each, "tables"),
    Shape(_PRODUCT, _calculated, "table"),
    Shape(_PRODUCT, _calculated, "tables"),
    Shape((
        f"{_REVENUE} [(per|by|for|of|for each|of each|in each) {{c:g}}]",
        f"{{add:add}} {_REVENUE} [{_TO} {{t:a}}]",
    ), _sold, "tables"),
)  # fmt: skip
"""What is calculated between tables."""
