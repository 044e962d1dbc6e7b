"""Questions about a table that are answered by one value or by a few rows: is an average above a limit, which of two has more, how many
lack something and which, what types the columns have. Pure.
"""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.amounts import HOWS
from spark_jupyter.server.engines.phrases.shapes.holding import SIGN, sign
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_LESS = ("lower", "smaller", "less", "fewer", "cheaper", "shorter", "lighter", "worse", "younger")


def _is_above(said: Said) -> str:
    how = HOWS.get(said.found["how"].strip().lower(), "")
    if how not in ("mean", "median", "max", "min", "sum", "std"):
        raise UnknownError
    of = f"{said.of(said.numeric('x'))}.{how}()"
    said.before.append(f"print({of})")
    return f"bool({of} {sign(said.found['sign'])} {said.number('n')})"


def _of_two(said: Said) -> str:
    """Which of two groups has more of something."""
    of, group = said.numeric("x"), said.column("g")
    held = [said.marked.holders.get(said.found[one].strip(), ()) for one in "ab"]
    if any(group.name not in one for one in held) or group == of:
        raise UnknownError
    how = HOWS.get(said.found["how"].strip().lower(), "") if said.has("how") else "mean"
    if how not in ("mean", "median", "sum", "max", "min"):
        raise UnknownError
    if not said.has("how"):
        said.says.append(f"I took the mean of `{of.name}`.")
    chosen = f"{said.table}[{quoted(group.name)}].isin([{quoted(said.word('a'))}, {quoted(said.word('b'))}])"
    rows = said.free("both")
    said.before.append(f"{rows} = {said.table}[{chosen}]")
    rises = "True" if said.found["more"].strip().lower() in _LESS else "False"
    return f"{said.of(of, rows)}.groupby({rows}[{quoted(group.name)}]).{how}().sort_values(ascending={rises})"


def _lacking(said: Said) -> str:
    """How many rows have none, and which."""
    column, name = said.column("x"), said.free("missing")
    said.before += [
        f"{name} = {said.table}[{said.table}[{quoted(column.name)}].isna()]",
        f"print(len({name}))",
    ]
    return name


def _types(said: Said) -> str:
    if said.has("y") and said.marked.said.get(said.found["y"].strip(), "").lower() not in ("type", "types"):
        raise UnknownError
    return f"{said.table}.dtypes"


def _standard(said: Said) -> str:
    """A new column with z-scores."""
    of = said.numeric("x")
    name = said.word("name") if said.has("name") else f"{of.name}_z"
    if name in said.by_name:
        raise UnknownError
    values = said.of(of)
    return f"{said.table}[{quoted(name)}] = ({values} - {values}.mean()) / {values}.std()\n{said.table}"


_MORE = (
    "(higher|greater|larger|bigger|better|more|longer|lower|smaller|less|fewer|cheaper|shorter|lighter|heavier|worse|older|younger|most|highest"
    "|best:MORE)"
)
_HOW = "(average|mean|avg|median|total|sum|maximum|max|minimum|min:HOW)"
_ALL = "(number of|number|count)"
_Z = "(z-score|z-scores|z score|z scores|zscore|zscores|z - score|z - scores|standard score|standard scores)"

SHAPES = (
    Shape((
        f"(is|are|was|were) {_HOW} [of] {{c:x}} [of|in] [{{t:t}}] {SIGN} {{n:n}}",
        f"(is|are|was|were) {_HOW} [of] {{c:x}} {SIGN} {{n:n}} [in {{t:t}}]",
    ), _is_above),
    Shape((
        f"which {{c:g}} (has|have|had|gets|got|shows|is|are) {_MORE} [{_HOW}] {{c:x}} {{v:a}} or {{v:b}}",
        f"which {{c:g}} (has|have|had|gets|got) [{_HOW}] {_MORE} {{c:x}} {{v:a}} or {{v:b}}",
    ), _of_two),
    Shape((
        (f"{_ALL} [of] {{t:t}} (have no|have missing|have empty|without|with no|lack|miss|are missing|with missing|with empty|have "
        f"nan in|do not have"
        "|don't have|without any) {c:x} [count|value|entry|values|data|number] and which [ones|of them|are they|are those|rows] "
        "[are] [they|those|it]"),
        f"{_ALL} [of] {{c:x}} [values] (are|is) (missing|empty|nan|null) and (which|where|in which rows) [ones|are they|rows]",
        ("which {t:t} (have no|are missing|lack|do not have|don't have|have missing) {c:x} [count|value|entry|number] and number "
        "of [are there|are they]"),
    ), _lacking),
    Shape((
        ("(what|which) ({c:y}|types|data types|dtypes|type|data type) (do|does|are|has|have|is) columns [of|in] [{t:t}] "
        "[have|has|in {t:s}]"),
        ("(what|which) ({c:y}|types|data types|dtypes|type|data type) (do|does|are|has|have|is) [per|each] (column|columns) "
        "(of|in) [{t:t}] [have|has]"),
        ("[what|which] (types|data types|dtypes|datatypes|type|data type) [of|for] [per|each|all] [column|columns] "
        "[(of|in|does|do) {t:t}] [have|has]"),
    ), _types),
    Shape((
        f"[add|make|create] [new] [column] [(called|named) {{w:name}}] [with|of|containing|that has] {_Z} (of|for) {{c:x}}",
        f"[add|make|create] {_Z} (of|for) {{c:x}} [as (new|column|new column)]",
    ), _standard),
)  # fmt: skip
"""What is asked."""
