"""Values in strings: columns, values, files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark_jupyter.completions.offline.kernel_facts import Facts
from spark_jupyter.completions.situation import Situation
from spark_jupyter.source.strings import closers, is_plain, read

_SUBSCRIPT = re.compile(
    r"(?<![\w.])(?P<table>\w+)(?:\.groupby\([^()]*\))?\[(?P<list>\[(?:[^\[\]]*,\s*)?)?[\"'](?P<typed>[^\"']*)\Z"
)
_BY_COLUMN = re.compile(
    r"(?<![\w.])(?P<table>\w+)\.(?:groupby|sort_values|set_index|drop_duplicates|value_counts|explode|nlargest|nsmallest|pop)"
    r"\((?:[^()]*[,\[=(]\s*)?[\"'](?P<typed>[^\"']*)\Z"
)
_AS_KEYWORD = re.compile(
    r"(?<![\w.])(?P<table>\w+)\.(?:dropna|drop|plot(?:\.\w+)?|hist|boxplot|melt|pivot_table|pivot|duplicated|to_csv)\((?:[^()]*,\s*)?"
    r"(?:subset|columns|x|y|c|by|column|values|index|id_vars|value_vars)=(?:\[(?:[^\[\]]*,\s*)?)?[\"'](?P<typed>[^\"']*)\Z"
)
_AS_KEY = re.compile(
    r"(?<![\w.])(?P<table>\w+)(?:\.groupby\([^()]*\))?\.(?:agg|fillna|astype|rename|replace)\("
    r"(?:columns=)?\{(?:[^{}]*,\s*)?[\"'](?P<typed>[^\"']*)\Z"
)
_BY_NAME = (_BY_COLUMN, _AS_KEYWORD, _AS_KEY)
_COMPARED = re.compile(
    r"(?<![\w.])(?P<table>\w+)(?:\[[\"'](?P<column>[^\"']+)[\"']\]|\.(?P<name>\w+))\s*"
    r"(?:[=!]=\s*|\.isin\(\[(?:[^\[\]]*,\s*)?)[\"'](?P<typed>[^\"']*)\Z"
)


def columns(situation: Situation, facts: Facts) -> Iterator[str]:
    """``df["``, ``df.groupby("city")["``, ``df.dropna(subset=["``: a column of the table."""
    line = situation.line_before
    match = next((found for one in (_SUBSCRIPT, *_BY_NAME) if (found := one.search(line))), None)
    if match is None:
        return
    in_list = match.re in _BY_NAME or bool(match["list"])
    already = match[0].replace("'", '"') if in_list else ""
    for column in facts.columns(match["table"]):
        if column.startswith(match["typed"]) and is_plain(column) and f'"{column}"' not in already:
            yield _closed(column[len(match["typed"]) :], situation, goes_on=match.re is _AS_KEY)


def values(situation: Situation, facts: Facts) -> Iterator[str]:
    """``df["city"] == "``: a text that the column holds."""
    match = _COMPARED.search(situation.line_before)
    if match is None or not match["typed"]:
        return
    for text in facts.texts(match["table"], match["column"] or match["name"]):
        if text.startswith(match["typed"]) and is_plain(text):
            yield _closed(text[len(match["typed"]) :], situation)


_FILE = re.compile(r"(?:\bread_\w+|\bopen|\bPath)\([\"'](?P<typed>[^\"'/\\\\]*)\Z")
_READS = re.compile(r"read_(\w+)\(")


def files(situation: Situation, facts: Facts) -> Iterator[str]:
    """``pd.read_csv("``: a file of that kind in the working folder."""
    match = _FILE.search(situation.line_before)
    if match is None:
        return
    ending = _READS.search(match[0])
    for name in facts.files():
        fits = ending is None or name.lower().endswith(_ENDINGS.get(ending[1], f".{ending[1]}"))
        if fits and name.startswith(match["typed"]) and is_plain(name):
            yield _closed(name[len(match["typed"]) :], situation)


_ENDINGS: dict[str, str | tuple[str, ...]] = {
    "csv": (".csv", ".csv.gz"),
    "table": (".txt", ".tsv"),
    "excel": (".xlsx", ".xls"),
}
"""Of the files that ``read_…`` reads, where it is not called so itself."""


def _closed(text: str, situation: Situation, *, goes_on: bool = False) -> str:
    """With the quote and, unless the line ``goes_on``, the brackets that are open and not closed behind the cursor: what Tab takes can
    run."""
    line, after = situation.line_before, situation.line_after
    quote = read(line).string
    if after.startswith(quote):
        return text
    ends = "" if goes_on else closers(line + quote)
    missing = next(count for count in range(len(ends) + 1) if after.startswith(ends[count:]))
    return f"{text}{quote}{ends[:missing]}"
