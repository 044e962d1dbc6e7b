"""Comparisons within a table: with an average, with the row before, first and last of each group, most with its companions. Pure.

Rules as in ``spans.py``; :func:`condition` is a rule of ``conditions.py``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.query import lexicon
from spark_jupyter.server.engines.query.marked import CS, C, N, T
from spark_jupyter.server.engines.query.model import Change, Condition
from spark_jupyter.server.engines.query.spans import dated, dates_of
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spark_jupyter.server.engines.query.making import Makers
    from spark_jupyter.server.engines.query.spans import Maker

_CENTRE = r"(?P<how>average|mean|median)"
_ABOVE = (
    r"above|over|(?:more|higher|greater|larger|bigger|better|longer|heavier|older|taller|warmer) than|exceed(?:s|ing)?"
)
_BELOW = r"below|under|(?:less|lower|smaller|worse|cheaper|shorter|lighter|younger|colder|fewer) than"
_OWN = r"(?:(?:the|their|its|his|her|that|own|overall|general|total|respective|same)\s+)*"
_GROUP = rf"(?:\s+(?:of|for|in|within|per|by|at)\s+{_OWN}(?:own\s+)?(?P<by>{C}))?"
AVERAGES = (
    (
        rf"(?:\b(?:where|whose|with|having|that|which|who|only|rows|have|has|and|are|is|cost|costs|earn|earns|p"
        rf"aid|rated|sold|took|weigh|weighs|score|scored)\s+)*"
        rf"(?P<c>{C})?\s*(?:(?:is|are|was|were|that|which|who|being|cost|costs|rated|{T})\s+)*(?P<op>{_ABOVE}|{_BELOW})\s+{_OWN}{_CENTRE}"
        rf"(?:\s+(?P<c2>{C})(?!\s*(?:{_ABOVE})))?{_GROUP}"
    ),
    rf"(?P<op>above|below)[- ]+{_CENTRE}\s+(?P<c>{C})(?P<c2>(?!))?{_GROUP}",
)
_SPOKEN = (
    (r"\bcosts?\b|cheap|expensive|\bpaid\b", r"price|cost|fee|fare|amount|rate"), (r"\bearn", r"salary|income|wage|pay|revenue"),
    (r"\brated|better|worse", r"rating|score|stars|grade|mark|points"), (r"long|short", r"duration|length|minutes|hours|time"),
    (r"heav|light|weigh", r"weight|mass|kg"), (r"old|young", r"age"), (r"tall", r"height"), (r"warm|cold|hot", r"temp"),
    (r"\bscore", r"score|points|mark"),
)  # fmt: skip


def condition(found: re.Match[str], columns: Mapping[str, str], value: Mapping[str, str]) -> Condition | None:
    """ "above the average", "more than the mean of their make". ``columns`` are kinds by name, ``value`` what a mark stands for."""
    groups = found.re.groupindex
    said = found["c"] or (found["c2"] if "c2" in groups else None)
    name = value.get(said.strip()) if said else _spoken_of(found.string, columns)
    by = value.get(found["by"]) if found["by"] else None
    if name is None or columns.get(name) != "number" or (by is not None and by == name):
        return None
    how = lexicon.summary(found["how"])
    op = ">" if re.fullmatch(_ABOVE, found["op"], re.IGNORECASE) else "<"
    column = f"{{t}}[{quoted(name)}]"
    centre = f'{{t}}.groupby({quoted(by)})[{quoted(name)}].transform("{how}")' if by else f"{column}.{how}()"
    return Condition(column=name, op=op, values=(centre,))


def _spoken_of(prompt: str, columns: Mapping[str, str]) -> str | None:
    for said, names in _SPOKEN:
        if re.search(said, prompt, re.IGNORECASE):
            found = [one for one, kind in columns.items() if kind == "number" and re.search(names, one, re.IGNORECASE)]
            return found[0] if len(found) == 1 else None
    numbers = [one for one, kind in columns.items() if kind == "number"]
    return numbers[0] if len(numbers) == 1 else None


def _range(found: re.Match[str], makers: Makers) -> Change | None:
    name = makers.marked.value(found["c"])
    column = f"{{t}}[{quoted(name)}]"
    by = makers.marked.value(found["by"]) if found["by"] else None
    if by:
        return Change(
            lines=(f"grouped = {{t}}.groupby({quoted(by)})[{quoted(name)}]",),
            shows="grouped.max() - grouped.min()",
            asks=True,
        )
    return Change(lines=(), shows=f"{column}.max() - {column}.min()", asks=True)


def _step(found: re.Match[str], makers: Makers) -> Change | None:
    name = makers.marked.value(found["c"])
    by = makers.marked.value(found["by"]) if found["by"] else None
    if makers.columns[name].kind != "number":
        return None
    groups = found.re.groupindex
    over = makers.marked.value(found["k"]) if "k" in groups and found["k"] and found["k"].startswith("⟨c") else None
    percent = re.search(r"percent|%|growth|relative", found.string, re.IGNORECASE) is not None
    how = "pct_change() * 100" if percent else "diff()"
    new = f"{name}_change"
    if over and over != by:
        if by:
            return None
        total = f"{{t}}.groupby({quoted(over)})[{quoted(name)}].sum()"
        return Change(lines=(f"totals = {total}",), shows=f"totals.{how}", asks=True, says=f"Of the sums of `{name}`.")
    dates = dates_of(makers)
    lines = [f"{{t}} = {{t}}.sort_values({quoted(dates[0])})"] if len(dates) == 1 else []
    if len(dates) == 1 and makers.columns[dates[0]].kind == "text":
        lines.insert(0, f"{{t}}[{quoted(dates[0])}] = {dated(makers, dates[0])}")
    grouped = f"{{t}}.groupby({quoted(by)})[{quoted(name)}]" if by else f"{{t}}[{quoted(name)}]"
    lines.append(f"{{t}}[{quoted(new)}] = {grouped}.{how}")
    return Change(lines=tuple(lines), columns=(new,), imports=("pd",) if "pd." in lines[0] else ())


def _ends_of_groups(found: re.Match[str], makers: Makers) -> Change | None:
    by = makers.marked.value(found["by"])
    dates = dates_of(makers)
    if makers.columns[by].kind == "number" and len(makers.columns) < 2:
        return None
    lines: list[str] = []
    if len(dates) >= 1:
        day = dates[0]
        if makers.columns[day].kind == "text":
            lines.append(f"{{t}}[{quoted(day)}] = {dated(makers, day)}")
        lines.append(f"ordered = {{t}}.sort_values({quoted(day)})")
    table = "ordered" if lines else "{t}"
    end = "head" if found["end"].lower() in ("first", "earliest", "oldest") else "tail"
    count = makers.marked.value(found["n"]) if found["n"] else "1"
    says = f"By `{dates[0]}`." if lines else "By the order in which the rows stand."
    return Change(
        lines=tuple(lines),
        shows=f"{table}.groupby({quoted(by)}).{end}({count})",
        asks=True,
        says=says,
        imports=("pd",) if lines else (),
    )


def _numbered(found: re.Match[str], makers: Makers) -> Change | None:
    by = makers.marked.value(found["by"])
    order = (
        makers.marked.value(found["o"])
        if found["o"] and found["o"].startswith("⟨c")
        else next(iter(dates_of(makers)), None)
    )
    source = f"{{t}}.sort_values({quoted(order)})" if order else "{t}"
    return makers.column("number", f"{source}.groupby({quoted(by)}).cumcount() + 1")


def _best_by(found: re.Match[str], makers: Makers) -> Change | None:
    """ "best crop on each field by yield", "strongest wind at each site with its date": the row with the most of each group."""
    groups = found.re.groupindex
    by, measure = makers.marked.value(found["k"]), makers.marked.value(found["z"])
    if by == measure or makers.columns[measure].kind != "number":
        return None
    way = found["way"].lower()
    least = re.fullmatch(lexicon.FEW, way) or re.match(
        r"cold|cheap|young|low|small|short|light|slow|worst|weak|thin", way
    )
    what = makers.marked.value(found["y"]) if "y" in groups and found["y"] and found["y"].startswith("⟨c") else None
    more = makers.marked.names(found["more"]) if "more" in groups and found["more"] else []
    shown = list(dict.fromkeys([by, *([what] if what else []), measure, *more]))
    picked = f"[[{', '.join(map(quoted, shown))}]]" if what or more else ""
    known = f"{{t}}.dropna(subset=[{quoted(measure)}])"
    rows = f"{known}.loc[{known}.groupby({quoted(by)})[{quoted(measure)}].idx{'min' if least else 'max'}()]"
    return Change(lines=(), shows=f"{rows}{picked}", asks=True)


def _several(found: re.Match[str], makers: Makers) -> Change | None:
    """ "which item has more than one price": groups with several values."""
    by, name = makers.marked.value(found["k"]), makers.marked.value(found["c"])
    if by == name:
        return None
    return Change(
        lines=(f"counts = {{t}}.groupby({quoted(by)})[{quoted(name)}].nunique()",),
        shows="counts[counts > 1]",
        asks=True,
    )


def _in_all(found: re.Match[str], makers: Makers) -> Change | None:
    """ "crops that were grown in all three seasons": groups that have every value of another column."""
    by, name = makers.marked.value(found["k"]), makers.marked.value(found["c"])
    if by == name:
        return None
    return Change(
        lines=(f"counts = {{t}}.groupby({quoted(by)})[{quoted(name)}].nunique()",),
        shows=f"counts[counts == {{t}}[{quoted(name)}].nunique()].index.tolist()",
        asks=True,
    )


_SHOWS = r"(?:\b(?:show|give|find|list|me|what|which|is|was|are|were|the|calculate|compute|add|a|new|column|with)\s+)*"
_EACH = r"(?:per|by|for|of|in|on|at|from)\s+(?:the\s+|each\s+|every\s+|its\s+)*"
_MOST = rf"\b(?P<way>best|worst|strongest|weakest|\w+est|{lexicon.MANY}|{lexicon.FEW})"
_MORE = (
    rf"(?:[\s,]*(?:(?:together|along)\s+with|with|and|including|plus|on|show(?:ing)?)\s+(?:also\s+)?(?:its|"
    rf"the|their|which|what)?\s*(?P<more>{CS}))?"
)


def _across(found: re.Match[str], makers: Makers) -> Change | None:
    """ "who has the highest total of math and reading": across columns of each row."""
    names = makers.marked.names(found["c"])
    texts = [name for name in names if makers.columns[name].kind == "text" and not makers.columns[name].holds]
    numbers = [name for name in names if makers.columns[name].kind == "number" or name in texts]
    how = lexicon.summary(found["how"])
    if len(set(names)) < 2 or numbers != names:
        return None
    new = "total" if how == "sum" else how
    listed = ", ".join(map(quoted, names))
    least = re.fullmatch(rf"{lexicon.FEW}", found["way"], re.IGNORECASE) is not None
    rows = f"{{t}}[[{listed}]]{'.apply(pd.to_numeric, errors=' + chr(34) + 'coerce' + chr(34) + ')' if texts else ''}"
    return Change(
        lines=(f'{{t}}["{new}"] = {rows}.{how}(axis=1)',),
        imports=("pd",) if texts else (),
        shows=f'{{t}}.{"nsmallest" if least else "nlargest"}(1, "{new}", keep="all")',
        columns=(new,),
        says="A missing value counts for nothing there." if how == "sum" else "",
        asks=True,
    )


RULES: tuple[tuple[str, Maker], ...] = (
    ((rf"\b(?:which|what|who|find|show|the)\s+(?:(?:{C}|{T}|(?!⟨)[a-z]+)\s+)?(?:has|have|had|got|with|scored)\s+"
            rf"(?:the\s+)?(?P<way>{lexicon.MANY}|{lexicon.FEW})\s+"
            rf"(?P<how>total|sum|average|mean)\s+(?:score\s+|points\s+|grade\s+)?(?:of|in|across|over|for)\s+"
            rf"(?:the\s+)?(?P<c>{C}(?:\s*(?:,\s*and|,|and|\+)\s*{C})+)"), _across),
    (
        (rf"{_SHOWS}\b(?:difference|range|distance|gap|span)\s+between\s+(?:the\s+)?(?:highest|largest|biggest|max"
            rf"|maximum|best|lowest|smallest|min|minimum|most\s+expensive|worst)\s+"
        rf"and\s+(?:the\s+)?(?:highest|largest|biggest|max|maximum|best|lowest|smallest|min|minimum|cheapest|wo"
            rf"rst)\s+(?:value\s+of\s+)?(?P<c>{C})(?:\s+{_EACH}(?P<by>{C}))?"),
        _range,
    ),
    ((rf"{_SHOWS}\b(?:highest|max|maximum|largest)\s+(?:minus|-)\s+(?:the\s+)?(?:lowest|min|minimum|smallest)\s"
            rf"+(?P<c>{C})(?:\s+{_EACH}(?P<by>{C}))?"), _range),
    (
        (rf"{_SHOWS}\b(?:percent(?:age)?\s+)?(?:change|difference|growth|increase)s?\s+(?:of|in)\s+(?:the\s+)?(?:t"
            rf"otal\s+)?(?P<c>{C})\s+(?:(?:from|between)\s+one\s+(?P<k>{C}|{T}|(?!⟨)[a-z]+)\s+(?:to|and)\s+the\s+ne"
            rf"xt"
        rf"(?:\s+one)?|(?:to|from|since|compared\s+(?:to|with))\s+the\s+(?:previous|last|preceding)\s*(?:one|ro"
            rf"w|value|{T}|{C}|(?!⟨)[a-z]+)?|(?:between|over)\s+(?:consecutive|successive)\s+[a-z]+)"
        rf"(?:\s+{_EACH}(?P<by>{C}))?(?:\s+in\s+percent)?"),
        _step,
    ),
    (
        (rf"{_SHOWS}\b(?P<end>first|last|latest|earliest|newest|oldest|most\s+recent)\s+(?:(?P<n>{N})\s+)?(?:{T}|"
            rf"{C}|row|rows|entry|entries|record|records)\s+(?:per|of|for|by|from)\s+(?:the\s+|each\s+|every\s+)*(?"
            rf"P<by>{C})"),
        _ends_of_groups,
    ),
    (
        (rf"\bnumber\s+(?:the\s+|all\s+)*(?:{T}|rows)\s+(?:of|per|within|for|in)\s+(?:each\s+|every\s+|the\s+)*("
            rf"?P<by>{C})(?:\s+(?:player|one))?(?:[\s,]*(?:in\s+order\s+of|by|in\s+the\s+order\s+of|sorted\s+by|in"
            rf"\s+sort\s+of)\s+(?:the\s+)?(?P<o>{C}|date|time))?"),
        _numbered,
    ),
    (
        (rf"{_SHOWS}{_MOST}\s+(?P<y>{C}|{T}|(?!⟨)[a-z]+)\s+{_EACH}(?P<k>{C})\s+(?:by|in\s+terms\s+of|according\s"
            rf"+to|measured\s+by|regarding)\s+(?:its\s+|the\s+|their\s+)?(?P<z>{C}){_MORE}"),
        _best_by,
    ),
    ((rf"{_SHOWS}{_MOST}\s+(?P<z>{C})\s+{_EACH}(?P<k>{C})[\s,]*(?:(?:together|along)\s+with|with|including|pl"
            rf"us)\s+(?:its|the|their)?\s*(?P<more>{CS})"), _best_by),
    (rf"{_SHOWS}(?P<way>strongest|weakest|\w+est)\s+(?P<z>{C})\s+{_EACH}(?P<k>{C})(?P<more>(?!))?", _best_by),
    (((rf"{_SHOWS}(?P<k>{C})s?\s+(?:(?:that|which|has|have|had|with|were|sold)\s+)+(?:more\s+than\s+(?:one|1)|"
            rf"several|different|multiple)\s+(?:different\s+|distinct\s+)?(?P<c>{C})s?")), _several),
    (
        (rf"{_SHOWS}(?P<k>{C})s?\s+(?:(?:that|which|who|were|was|are|is|have|has|had|been|did|appears?|occurs?|["
            rf"a-z]+ed|grown|sold|seen|taken|given|bought)\s+)+(?:in|at|on|by)\s+(?:all|every|each)\s+(?:the\s+)?(?"
            rf":two\s+|three\s+|four\s+|five\s+|{N}\s+)?(?P<c>{C})s?"),
        _in_all,
    ),
)  # fmt: skip
