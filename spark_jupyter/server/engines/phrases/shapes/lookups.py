"""Two tables, be it that their keys have different names: what one has and the other has not, a column brought, totals by what the
other tells, joins; and rows that point to other rows of their table. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.between import of_each, spoken
from spark_jupyter.server.engines.phrases.shapes.links import (
    KEYS,
    frame,
    frames,
    having,
    linked,
    merged,
    names_itself,
    other_of,
    reaches,
    words_of,
)
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.query.sources import listed, number_of
from spark_jupyter.server.engines.query.tables import singular
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Variable


def _absent(said: Said) -> str:
    """What has no row in the other table."""
    if said.has("who"):
        other = spoken(said, "o")
        own = of_each(said, other)
    elif said.has("a"):
        own = frame(said, "a")
        other = frame(said, "o") if said.has("o") else _done_in(said, own)
    elif said.has("k") and said.has("o"):
        other = frame(said, "o")
        name = said.word("k")
        holders = [
            one
            for one in frames(said)
            if one is not other and any(words_of(name) <= words_of(column.name) for column in one.columns)
        ]
        holders = [one for one in holders if reaches(one, other)]
        if said.has("did"):
            holders = [one for one in holders if one.name == said.word("did")]
        if len(holders) != 1:
            raise UnknownError
        own = holders[0]
    else:
        other = frame(said, "o")
        own = other_of(said, other, [])
    if own.name == other.name:
        raise UnknownError
    verb = said.plainly(said.found["verb"]).lower() if not said.has("what") else ""
    if verb and not _akin(verb, other.name):
        raise UnknownError
    ((key, behind),) = linked(own, other)
    rows = f"{own.name}[~{own.name}[{quoted(key)}].isin({other.name}[{quoted(behind)}])]"
    said.says.append(f"By `{key}`{f' and `{behind}`' if behind != key else ''}.")
    return f"{rows}[{quoted(key)}].unique()" if said.has("did") else rows


def _done_in(said: Said, own: Variable) -> Variable:
    """The other table, which tells what the verb says, if there is more than one. Raises :class:`UnknownError`."""
    verb = said.plainly(said.found["verb"]).lower()
    found = [one for one in frames(said) if one is not own and reaches(own, one) and verb and _akin(verb, one.name)]
    return found[0] if len(found) == 1 else other_of(said, own, [])


def _nobody(said: Said) -> str:
    """ "who was never absent", of people and their absences."""
    word = said.plainly(said.found["verb"]).lower()
    others = [one for one in frames(said) if _akin(word, one.name)] if said.has("state") else [spoken(said, "o")]
    if len(others) != 1:
        raise UnknownError
    owners = [one for one in frames(said) if one is not others[0] and reaches(one, others[0])]
    owners = [one for one in owners if linked(one, others[0])[0][0] == one.columns[0].name]
    owners = [one for one in owners if names_itself(one)] or owners
    if len(owners) != 1:
        raise UnknownError
    ((key, behind),) = linked(owners[0], others[0])
    return f"{owners[0].name}[~{owners[0].name}[{quoted(key)}].isin({others[0].name}[{quoted(behind)}])]"


_DEEDS = {
    "here": "visit|stay|appointment|booking", "bought": "order|sale|purchase|transaction", "purchased": "order|sale|purchase",
    "sold": "sale|order|transaction", "used": "trip|ride|loan|rental|booking", "been": "visit|stay|appointment",
    "lent": "loan|lend|borrow|checkout", "borrowed": "loan|lend|borrow|checkout", "paid": "payment",
    "attended": "session|visit|lesson|attend", "answered": "answer|response|survey", "watched": "view|stream",
    "played": "game|match|score", "reviewed": "review|rating", "rated": "rating|review",
}  # fmt: skip


def _akin(verb: str, table: str) -> bool:
    """Whether a deed is what the table has rows of: "ordered" of orders."""
    stem = singular(table.lower())
    return verb[:4] == stem[:4] or re.search(_DEEDS.get(verb, "^$"), table.lower()) is not None


def _without(said: Said) -> Variable:
    """The only table that has not the columns and can be told them. Raises :class:`UnknownError`."""
    wanted = [said.marked.value(one) for one in re.findall(r"⟨c\d+⟩", said.found["x"])]
    holding = [one for one in frames(said) if all(one.column(name) is not None for name in wanted)]
    found = [one for one in frames(said) if one not in holding and any(reaches(one, other) for other in holding)]
    if len(holding) != 1 or len(found) != 1:
        raise UnknownError
    return found[0]


def _chained(said: Said) -> str:
    """Three tables in one, each by what it shares with one of those before."""
    tables = [frame(said, one) for one in "aop"]
    if len({one.name for one in tables}) < 3:
        raise UnknownError
    joined = said.free("joined")
    first, *rest = tables
    held, lines = [first], f"{joined} = {first.name}"
    while rest:
        found = next(((one, by) for one in rest for by in held if reaches(by, one)), None)
        if found is None:
            raise UnknownError
        one, by = found
        lines = f"{merged(lines, one.name, linked(by, one), 'left')}"
        held.append(one)
        rest.remove(one)
    said.before.append(lines)
    return joined


def _brought(said: Said) -> str:
    """A column of the other table, by its key."""
    own = frame(said, "a") if said.has("a") else _without(said)
    wanted = [said.marked.value(one) for one in re.findall(r"⟨c\d+⟩", said.found["x"])]
    by = said.word("k") if said.has("k") else ""
    other = frame(said, "o") if said.has("o") else other_of(said, own, wanted, by)
    if other.name == own.name or any(other.column(name) is None or own.column(name) is not None for name in wanted):
        raise UnknownError
    ((key, behind),) = linked(own, other, by)
    if said.has("k") and not words_of(said.word("k")) & (words_of(key) | words_of(behind)):
        raise UnknownError
    if len(wanted) == 1:
        told = f"{other.name}.drop_duplicates({quoted(behind)}).set_index({quoted(behind)})[{quoted(wanted[0])}]"
        said.before.append(f"{own.name}[{quoted(wanted[0])}] = {own.name}[{quoted(key)}].map({told})")
    else:
        part = f"{other.name}[{listed([behind, *wanted])}].drop_duplicates({quoted(behind)})"
        said.before.append(f"{own.name} = {merged(own.name, part, [(key, behind)], 'left')}")
    return own.name


def _grouped(said: Said) -> str:
    """What is summed up in one table by what another tells of its rows."""
    told = having(said, "g")
    if said.has("t"):
        own = frame(said, "t")
    else:
        holders = [one for one in having(said, "v") if one not in told]
        if len(holders) != 1:
            raise UnknownError
        own = holders[0]
    if own in told or (said.has("from") and frame(said, "from") not in told):
        raise UnknownError
    by = said.word("by") if said.has("by") else ""
    told = [one for one in told if reaches(own, one, by)]
    if len(told) != 1 or (by and own.column(by) is None):
        raise UnknownError
    ((key, behind),) = linked(own, told[0], by)
    group = quoted(said.word("g"))
    part = f"{told[0].name}[{listed([behind, said.word('g')])}].drop_duplicates({quoted(behind)})"
    joined = said.free("joined")
    said.before.append(f"{joined} = {merged(own.name, part, [(key, behind)], 'left')}")
    if not said.has("v"):
        return f"{joined}.groupby({group}).size()"
    value = own.column(said.word("v"))
    if value is None or (value.kind != "number" and not value.holds.startswith("numbers")):
        raise UnknownError
    if value.holds.startswith("numbers"):
        number = number_of(f"{joined}[{value.source}]", comma=value.holds == "numbers, decimal comma")
        said.before.append(f"{joined}[{value.source}] = {number}")
    return f"{joined}.groupby({group})[{value.source}].{said.how()}()"


def _with_names(said: Said) -> str:
    """Totals by a key, with what the other table calls it."""
    if said.has("t"):
        own = frame(said, "t")
    else:
        holders = [one for one in having(said, "v") if not said.has("from") or one.name != said.word("from")]
        if len(holders) != 1:
            raise UnknownError
        own = holders[0]
    wanted = [said.marked.value(one) for one in re.findall(r"⟨c\d+⟩", said.found["x"])]
    other = frame(said, "from") if said.has("from") else other_of(said, own, wanted)
    if not wanted:
        wanted = [
            one.name for one in other.columns if one.kind == "text" and re.search(r"name", one.name, re.IGNORECASE)
        ]
    if other.name == own.name or not wanted or len(wanted) > 2 or any(other.column(one) is None for one in wanted):
        raise UnknownError
    ((key, behind),) = linked(own, other)
    if said.has("k") and not words_of(said.word("k")) & (
        words_of(key) | words_of(behind) | words_of(singular(other.name))
    ):
        raise UnknownError
    per = said.free("per_" + re.sub(r"\W+", "_", key).lower())
    if said.has("v"):
        value = own.column(said.word("v"))
        if value is None or value.kind != "number":
            raise UnknownError
        how = said.how()
        made = f"{own.name}.groupby({quoted(key)}, as_index=False)[{value.source}].{how}()"
    else:
        made = f'{own.name}.groupby({quoted(key)}, as_index=False).size().rename(columns={{"size": "number"}})'
    said.before.append(f"{per} = {made}")
    columns = listed(list(dict.fromkeys([behind, *wanted])))
    return merged(per, f"{other.name}[{columns}].drop_duplicates({quoted(behind)})", [(key, behind)], "left")


_PAIR = re.compile(
    r"(⟨c\d+⟩|date|day) (?:(?:=|equals|is|matches|matching|points to|refers to|to|with|in|of) )?(?:⟨t\d+⟩ )?"
    r"(?:(?:=|equals|is|matches|to|and|with) )?(?:(⟨c\d+⟩) )?(?:and |in |of |⟨t\d+⟩ )*"
)


def _joined(said: Said) -> str:
    """Two tables by columns that are called differently."""
    own, other = frame(said, "a"), frame(said, "o")
    text, at = said.found["on"], 0
    keys: list[tuple[str, str]] = []
    if not text:
        keys = linked(own, other)
    while at < len(text):
        found = _PAIR.match(text, at)
        if found is None:
            raise UnknownError
        first = said.marked.value(found[1])
        second = said.marked.value(found[2]) if found[2] else ""
        at = found.end()
        if second and own.column(first) is not None and other.column(second) is not None:
            keys.append((first, second))
        elif second and own.column(second) is not None and other.column(first) is not None:
            keys.append((second, first))
        elif second:  # two keys, one after the other
            keys += [_partner(own, other, first), _partner(own, other, second)]
        else:
            keys.append(_partner(own, other, first))
    if all(one == two for one, two in keys) and not said.has("how") and len(keys) == 1:
        raise UnknownError  # a plain one: the grammar's
    how = {"left": "left", "inner": "inner", "outer": "outer", "right": "right"}.get(said.word("how").lower(), "left")
    joined = said.free(f"{own.name}_{other.name}")
    if how == "left" and not said.has("how"):
        said.says.append(f'All rows of `{own.name}` stay; `how="inner"` keeps those that both have.')
    said.before.append(f"{joined} = {merged(own.name, other.name, keys, how)}")
    return joined


def _partner(own: Variable, other: Variable, said: str) -> tuple[str, str]:
    """A column of each, of which one or both are called so."""
    if own.column(said) is not None and other.column(said) is not None:
        return said, said
    dates = [
        [one.name for one in table.columns if one.kind == "date" or one.holds.startswith("dates")]
        for table in (own, other)
    ]
    if said in ("date", "day", *dates[0], *dates[1]):
        if len(dates[0]) != 1 or len(dates[1]) != 1:
            raise UnknownError
        return dates[0][0], dates[1][0]
    for table, reverse in ((own, False), (other, True)):
        if table.column(said) is not None:
            behind = own if reverse else other
            found = [
                one.name
                for one in behind.columns
                if words_of(one.name) - KEYS == words_of(said) - KEYS and one.kind in ("text", "number")
            ]
            if len(found) == 1:
                return (found[0], said) if reverse else (said, found[0])
    raise UnknownError


def _pointed(said: Said) -> str:
    """The name of the row that another row points to: an employee's manager."""
    points = said.column("m")
    role = words_of(points.name) - KEYS
    named = [one for one in said.by_name.values() if one.kind == "text" and re.search(r"name", one.name, re.IGNORECASE)]
    ids = [
        one for one in said.by_name.values()
        if one.name != points.name and words_of(one.name) & KEYS and one not in named and one.kind == points.kind
    ]  # fmt: skip
    if said.has("e"):
        ids = [one for one in ids if one.name == said.word("e")]
    if len(named) != 1 or len(ids) != 1 or len(role) != 1 or not words_of(points.name) & KEYS:
        raise UnknownError
    known = f"{said.table}.drop_duplicates({ids[0].source}).set_index({ids[0].source})[{named[0].source}]"
    name = said.new(f"{next(iter(role))}_name")
    said.before.append(f"{said.table}[{quoted(name)}] = {said.table}[{points.source}].map({known})")
    return said.table


_BRING = "(add|bring|put|get|attach|look up|include|append|insert)"
_EACH = "[each|every|per]"
_NEVER = (
    "(never|not yet|not ever|did not|has not|have not|has never|have never|had no|had never|did never|do not|does not)"
)
_NONE = (
    "(no|not any|without any|without|with no|that have no|who have no|that has no|who has no|missing in|missing from|not "
    "in|that are not in|that is not in|who are not in|which are not in|not found in|absent from|absent in|never "
    "in|with no matching|without matching|with no corresponding|without corresponding|"
    "that do not belong to any|that not belong to any|that do not match any|that belong to no|that do not belong to anyone in|"
    "that not belong to anyone in|that belong to nobody in)"
)
_WHICH = "[which|what|who|all|find] ({t:a}|{c:k}|{w:k})"
_HOW = "(total|sum|average|mean|avg|median|highest|max|maximum|lowest|min|minimum:HOW)"
_NAMES = "(names|name|names of them|name of each|{cs:x})"

SHAPES = (
    Shape((
        f"[which|what|who|all|find|rows of|rows in|list] {{t:a}} [rows] [have|has|are|had|that have|which have] {_NONE} [any] {{t:o}}",
        (f"[which|what|who|all|find] {{t:a}} [who|that|which] [was|were|is|are|has|have] {_NEVER} [been] ({{w:verb}}|{{c:verb}}) "
         "[anything|something|any|at all|yet]"),
        (f"[which|what|who|all|find] {{t:a}} [who|that|which] {_NEVER} (been in|appear in|appeared in|occur in|show up in|have|"
         f"had|taken|made|placed|got) [any|a|single] {{t:o}}"),
        (f"{_WHICH} [who|that|which] [have|has|had|were|was|are|is|did|do] (not|never|{_NEVER}:WHO) [yet] "
         "[been] [{w:does}] [in|out|up|on|to|for|from] (any|no|a|single|one|for|from|on:WHAT) ({t:o}|{w:o}|{c:o}) [yet|so far|at all]"),
        (f"{_WHICH} [who|that|which] [have|has|had|were|was|are|is|did|do] (not|never|{_NEVER}:WHO) [yet] "
         "[been] {w:does} [in|out|up|on|to|for|from] ({t:o}|{c:o}:WHAT) [yet|so far|at all]"),
        (f"(who|which one|which ones|which people) {_NEVER} (taken|take|had|have|made|make|placed|place|got|get|done|been in|"
         f"appear in) [any|a|single] {{t:o}} [yet|so far|at all]"),
        f"(who|which people) (has|have|had) {_NONE} {{t:o}}",
        ("{t:a} (from|of|by|for) ({c:w}|{t:w}|{w:w}) [that|who|which] [are|is|were] (not in|missing in|missing from|not "
         "found in|not|no) {t:o}"),
        f"which {{c:k}} (has|have|had|are|is) {_NONE} {{t:o}}",
        ("which {c:k} did (i|we|they) ({t:did}|have in {t:did}) (that is|that are|which is|which are|but is|but are) (not "
         "in|missing in|missing from|not found in) {t:o}"),
        "which {c:k} (of|in|from) {t:did} (is|are) (not in|missing in|missing from|not found in) {t:o}",
        "which {c:k} (is|are) in {t:did} but (not in|missing in|missing from) {t:o}",
    ), _absent, "tables"),
    Shape((
        ("(who|which people|everyone who|people who) [was|were|is|are|has|have] (never|not ever|not once:STATE) [been] "
         "({w:verb}|{c:verb})"),
        (f"(who|which people|everyone who|people who) {_NEVER} [been] [{{w:verb}}] [in|out|up|on|for] (any|a|single|one|to "
         f"any) ({{t:o}}|{{w:o}}|{{c:o}})"),
    ), _nobody, "tables"),
    Shape((
        (f"{_BRING} {{cs:x}} (of|per|for) {_EACH} ({{c:k}}|{{t:o}}) [from {{t:o}}] (to|into|onto|in|on|next to) {_EACH} {{t:a}} "
         f"[from {{t:o}}]"),
        f"{_BRING} {{cs:x}} (from|of|in) {{t:o}} (to|into|onto|in|on|for|next to|per) {_EACH} {{t:a}} [(by|on|using|via) {{c:k}}]",
        f"{_BRING} {{cs:x}} (to|into|onto|in|on|next to) {_EACH} {{t:a}} [(from|using|out of) {{t:o}}] [(by|on|using|via) {{c:k}}]",
        f"{_BRING} {{cs:x}} from {{t:o}} to {{t:a}} (by|on|using|via) {{c:k}}",
        f"{_BRING} {{cs:x}} (of|from) {_EACH} ({{t:o}}|{{c:k}})",
        "{cs:x} (of|from) ({t:o}|{c:k}) (per|for|next to|beside|on) [each|every|per] {t:a} [{new:new}]",
        f"{{t:a}} (with|together with|including) {{cs:x}} (of|from) {_EACH} ({{t:o}}|{{c:k}})",
    ), _brought, "tables"),
    Shape((
        f"{_HOW} [of] [{{t:t}}|{{c:part}}] {{c:v}} (per|by|for each|in each|of each) {{c:g}} [(from|of|in) {{t:from}}]",
        f"{_HOW} [of] {{c:v}} (per|by|for each|in each) {{c:g}} (of|from|for) {{c:by}}",
        "[number of|count of|count] {t:t} (per|by|for each|in each|from each) {c:g} (of|from|for) {c:by}",
        "[number of|count of|count] {t:t} (per|by|for each|in each|from each) {c:g} [(from|of) {t:from}]",
    ), _grouped, "tables"),
    Shape((
        (f"{_HOW} [of] [{{t:what}}] {{c:v}} (per|by|for each|of each) ({{c:k}}|{{t:from}}|person|employee|customer) (with|and|"
         f"together with|including|showing) {_NAMES} [(from|of|in|out of) {{t:from}}]"),
        (f"number of {{t:t}} (per|by|for each|of each) ({{c:k}}|{{t:from}}|person|employee|customer) (with|and|together with|"
         f"including|showing) {_NAMES} [(from|of|in|out of) {{t:from}}]"),
    ), _with_names, "tables"),
    Shape((
        ("[(left|inner|outer|right:HOW)] (join|merge|combine|match|link|connect) {t:a} (with|and|to|onto|on) {t:o} [(on|by|via|"
         "using|where|through|matching)] {rest:on}"),
    ), _joined, "tables"),
    Shape((
        ("(merge|join|combine|link|connect|put together) {t:a} (with|and|to) {t:o} (and|with|and with|and then with) "
         "{t:p} [(in|into|to) (one|single|one table)]"),
        "(merge|join|combine|link|connect) all [(three|3)] tables {t:a} {t:o} [and] {t:p}",
    ), _chained, "tables"),
    Shape((
        "[{add:add}] name (of|per) {c:e} {c:m} [{new:new}]",
        "[{add:add}] name (of|per) {c:m} [(of|for) [each|every|per] {c:e}] [{new:new}]",
        ("[add|look up|bring|show|find] {c:m} name [(to|for|of|in|on|per|into) [each|every|per] (row|employee|person|{c:e}|"
         "{t:t})] [{c:m} (points|refers|belongs|is link) to {c:e}] [{new:new}]"),
    ), _pointed),
)  # fmt: skip
"""What is asked of two tables."""
