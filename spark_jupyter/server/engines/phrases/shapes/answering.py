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


def _spread(said: Said) -> str:
    """Several summaries of each group."""
    of, group = said.numeric("x"), said.column("g")
    hows = [HOWS.get(said.found[one].strip().lower(), "") for one in ("how", "and", "third") if said.has(one)]
    known = {"mean", "median", "std", "min", "max", "sum", "sem", "var"}
    if len(set(hows)) < 2 or not set(hows) <= known or of == group or group.kind == "date":
        raise UnknownError
    return f"{said.of(of)}.groupby({said.table}[{quoted(group.name)}]).agg([{', '.join(map(quoted, dict.fromkeys(hows)))}])"


def _split(said: Said) -> str:
    """A summary for those that are something and those that are not."""
    of, group = said.numeric("x"), said.column("g")
    how = HOWS.get(said.found["how"].strip().lower(), "")
    if said.word("g") != said.word("h") or how not in ("mean", "median", "sum", "min", "max", "std"):
        raise UnknownError
    if of == group or group.kind not in ("bool", "number") or group.dtype.startswith("float"):
        raise UnknownError
    return f"{said.of(of)}.groupby({said.table}[{quoted(group.name)}]).{how}()"


def _of_both(said: Said) -> str:
    """A summary for two values of a column."""
    of, how = said.numeric("x"), HOWS.get(said.found["how"].strip().lower(), "")
    held = [said.marked.holders.get(said.found[one].strip(), ()) for one in "ab"]
    shared = [one for one in held[0] if one in held[1]]
    if len(shared) != 1 or how not in ("mean", "median", "sum", "max", "min"):
        raise UnknownError
    rows, values = said.free("both"), f"[{quoted(said.word('a'))}, {quoted(said.word('b'))}]"
    said.before.append(f"{rows} = {said.table}[{said.table}[{quoted(shared[0])}].isin({values})]")
    return f"{said.of(of, rows)}.groupby({rows}[{quoted(shared[0])}]).{how}()"


def _boxes(said: Said) -> str:
    of, group = said.numeric("x"), said.column("g")
    if said.word("g") != said.word("h") or of == group or group.kind not in ("bool", "number") or of.holds:
        raise UnknownError
    return f"{said.table}.boxplot(column={quoted(of.name)}, by={quoted(group.name)})\nplt.show()"


def _per_group(said: Said) -> str:
    """An interval of the mean, or a test of normality, of each group."""
    of, group = said.numeric("x"), said.column("g")
    if of == group or group.kind == "date" or group.dtype.startswith("float"):
        raise UnknownError
    groups = f"{said.of(of)}.groupby({said.table}[{quoted(group.name)}])"
    if said.has("normal"):
        said.says.append("A small p-value, below 0.05 say, speaks against a normal distribution.")
        return f'for name, values in {groups}:\n    print(name, "p =", stats.shapiro(values.dropna()).pvalue)'
    share = float(said.number("p") or 95) / 100
    if not 0.5 <= share < 1:
        raise UnknownError
    return (
        f"for name, values in {groups}:\n    known = values.dropna()\n"
        f"    low, high = stats.t.interval({share:g}, len(known) - 1, loc=known.mean(), scale=known.sem())\n"
        '    print(name, "mean:", known.mean(), "interval:", low, high)'
    )


def _scaled(said: Said) -> str:
    name = said.free("numbers")
    columns = [one.name for one in said.by_name.values() if one.kind == "number" and not one.holds]
    if not columns:
        raise UnknownError
    said.before.append(f'{name} = {said.table}.select_dtypes("number").columns')
    values = f"{said.table}[{name}]"
    how = "std" if said.has("z") else "range"
    made = f"({values} - {values}.min()) / ({values}.max() - {values}.min())"
    made = f"({values} - {values}.mean()) / {values}.std()" if how == "std" else made
    copy = said.free("scaled")
    return f"{copy} = {said.table}.copy()\n{copy}[{name}] = {made}\n{copy}"


_SUMMARY = "average|mean|avg|median|standard deviation|std|sd|minimum|min|maximum|max|total|sum|standard error|sem"
_PER = "(per|by|for each|of each|for every|in each)"
_EACH = "(per|by|for each|in each|of each|for every|in every|for|within each)"
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
        f"({_SUMMARY}:HOW) [of] {{c:x}} {_PER} {{c:g}} (with|and|plus|together with|including) [own] ({_SUMMARY}:AND)",
        f"({_SUMMARY}:HOW) and ({_SUMMARY}:AND) [of] {{c:x}} {_PER} {{c:g}}",
        f"({_SUMMARY}:HOW) ({_SUMMARY}:AND) and ({_SUMMARY}:THIRD) [of] {{c:x}} {_PER} {{c:g}}",
    ), _spread),
    Shape((
        f"({_SUMMARY}:HOW) [of] {{c:x}} (of|for|when|in|by) {{c:g}} (vs|versus|and|compared to|vs.|or|against) (not|non|non -) {{c:h}}",
    ), _split),
    Shape((f"{_HOW} [of] {{c:x}} (of|for|in) {{v:a}} (and|vs|versus|compared to) {{v:b}} [{{t:t}}|{{w:w}}]",), _of_both),
    Shape((
        "(box plot|boxplot|box plots) of {c:x} (for|by|of|split by) {c:g} (vs|versus|and|or|against) (not|non|non -) {c:h}",
    ), _boxes),
    Shape((
        f"[{{n:p}} (%|percent)] (confidence interval|confidence intervals|ci) (of|for) [mean|average] [of] {{c:x}} {_EACH} {{c:g}} [group]",
        (f"(normality test|shapiro|shapiro-wilk|test for normality|test of normality:NORMAL) [test] (of|for|on) {{c:x}} {_EACH} "
        f"{{c:g}} [group|groups]"),
        f"is {{c:x}} (normally distributed|normal:NORMAL) {_EACH} {{c:g}} [group|groups]",
        f"test {{c:x}} for (normality:NORMAL) {_EACH} {{c:g}} [group|groups]",
    ), _per_group),
    Shape((
        ("(scale|normalise|normalize|rescale|min-max scale) all [numeric|number] (columns|numbers|numeric columns) [of {t:t}] "
        "[to|between|into] "
        "[range] [{n:a} (to|and|-) {n:b}] [range]"),
        "(standardise|standardize|z-score|z score:Z) all [numeric|number] (columns|numbers) [of {t:t}]",
    ), _scaled),
    Shape((
        f"[add|make|create] [new] [column] [(called|named) {{w:name}}] [with|of|containing|that has] {_Z} (of|for) {{c:x}}",
        f"[add|make|create] {_Z} (of|for) {{c:x}} [as (new|column|new column)]",
    ), _standard),
)  # fmt: skip
"""What is asked."""
