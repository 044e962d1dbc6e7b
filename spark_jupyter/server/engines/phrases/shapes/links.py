"""How two of the user's tables belong together: which columns are the key of one in the other, be it under another name. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines import columns as names
from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.query.sources import listed
from spark_jupyter.server.engines.query.tables import singular
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column, Variable
    from spark_jupyter.server.engines.phrases.shapes.shape import Said

KEYS = frozenset(map(names.plain, ("id", "name", "no", "nr", "number", "code", "key", "nbr", "num")))
_NAME = names.plain("name")
_SAME = tuple(
    frozenset(map(names.plain, alike.split()))
    for alike in (
        "symbol ticker stock",
        "employee emp staff person people",
        "customer client",
        "product item article sku",
    )
)
"""Words of which each may stand for the other in a key's name."""


def words_of(name: str) -> set[str]:
    found = {names.plain(singular(word)) for word in names.plain(name).split()}
    for alike in _SAME:
        if found & alike:
            found = (found - alike) | {min(alike)}
    return found


def _likeness(one: Column, of: Variable, other: Column, at: Variable) -> int:
    """How surely a column is the key to another table's: 4 where the names are the same; 0 where nothing says so."""
    kinds = {one.kind, other.kind}
    if kinds != {one.kind} or one.kind not in ("text", "number") or (one.dtype.startswith("float") and not one.gaps):
        return 0
    first, second = words_of(one.name), words_of(other.name)
    if names.plain(one.name) == names.plain(other.name):
        return 4 if other.name == at.columns[0].name or first & KEYS or one.kind == "text" else 0
    tables = (words_of(singular(of.name)), words_of(singular(at.name)))
    alike = (
        (bool(first - KEYS) and first - KEYS == second - KEYS)  # "emp" of "Emp ID"
        or (first - KEYS == tables[1] and second <= KEYS)  # "patient" of the ID in patients
        or (second - KEYS == tables[0] and first <= KEYS)
        or (first == tables[1] and other.name.lower() == f"{at.name[0].lower()}id")  # "user" of the uid in users
        or (second == tables[0] and one.name.lower() == f"{of.name[0].lower()}id")
    )
    named = _NAME in first | second
    if not alike and one.kind == "text" and second < first and other.name == at.columns[0].name and tables[1] <= second:
        return 1  # "start_station" of the station in stations
    return 0 if not alike else 2 if named else 3


def linked(one: Variable, other: Variable, by: str = "") -> list[tuple[str, str]]:
    """The columns by which two tables belong together; ``by``: the one that is said. Raises :class:`UnknownError` where nothing says
    which, or several do."""
    found = [
        (_likeness(left, one, right, other), left.name, right.name)
        for left in one.columns
        for right in other.columns
        if by in ("", left.name) or one.column(by) is None
    ]
    best = max((score for score, _, _ in found), default=0)
    pairs = [(left, right) for score, left, right in found if score == best]
    keyed = [pair for pair in pairs if words_of(pair[0]) & KEYS]
    pairs = pairs if len(pairs) == 1 else keyed
    if best == 0 or len(pairs) != 1:
        raise UnknownError
    return pairs


def names_itself(one: Variable) -> bool:
    """Whether the first column is the table's own key, and does not point to another's rows: the ID of people, not that of trainings."""
    return bool(one.columns) and words_of(one.columns[0].name) - KEYS <= words_of(singular(one.name))


def frames(said: Said) -> list[Variable]:
    """The user's tables."""
    return [one for one in said.namespace.of_kind("DataFrame") if not one.polars]


def other_of(said: Said, one: Variable, wanted: list[str], by: str = "") -> Variable:
    """The only other table that has these columns, and a key to this one. Raises :class:`UnknownError`."""
    found = []
    for table in frames(said):
        if table.name == one.name or any(table.column(name) is None for name in wanted):
            continue
        try:
            linked(one, table, by)
        except UnknownError:
            continue
        found.append(table)
    if len(found) != 1:
        raise UnknownError
    return found[0]


def frame(said: Said, group: str) -> Variable:
    """The table in this place. Raises :class:`UnknownError` where there is none."""
    found = said.namespace.get(said.word(group))
    if found is None or found.type != "DataFrame" or found.polars:
        raise UnknownError
    return found


def merged(left: str, right: str, keys: list[tuple[str, str]], how: str) -> str:
    """A join as source."""
    if all(one == other for one, other in keys):
        on = f"on={listed([one for one, _ in keys]) if len(keys) > 1 else quoted(keys[0][0])}"
    else:
        one, other = (
            listed([pair[side] for pair in keys]) if len(keys) > 1 else quoted(keys[0][side]) for side in (0, 1)
        )
        on = f"left_on={one}, right_on={other}"
    return f'{left}.merge({right}, {on}, how="{how}")'


def reaches(one: Variable, other: Variable, by: str = "") -> bool:
    """Whether it is known how they belong together."""
    try:
        return bool(linked(one, other, by))
    except UnknownError:
        return False


def having(said: Said, group: str) -> list[Variable]:
    """The tables that have the column in this place."""
    return [one for one in frames(said) if one.column(said.word(group)) is not None]
