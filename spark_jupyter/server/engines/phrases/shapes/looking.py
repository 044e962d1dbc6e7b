"""What people look at first in a table: its columns and memory, whether classes are balanced, outliers, gaps and why. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from spark_jupyter.server.engines.namespace import Column

_TARGETS = ("target", "label", "labels", "class", "classes", "y", "outcome")


def _of_table(said: Said) -> str:
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError
    return said.table


def _memory(said: Said) -> str:
    table = _of_table(said)
    if said.has("each"):
        return f"{table}.memory_usage(deep=True)"
    said.says.append("In bytes, with what the texts take.")
    return f"{table}.memory_usage(deep=True).sum()"


def _columns(said: Said) -> str:
    return f"list({_of_table(said)}.columns)"


def _type(said: Said) -> str:
    return f"{said.table}[{quoted(said.column('c').name)}].dtype"


def _missing(said: Said) -> str:
    return f"int({said.table}[{quoted(said.column('c').name)}].isna().sum())"


def _occurring(said: Said) -> str:
    """The different values, and how often each is there."""
    _of_table(said)
    column = f"{said.table}[{quoted(_classes(said).name)}]"
    if said.has("number"):
        said.before.append(f'print({column}.nunique(), "different values")')
    return f"{column}.value_counts()"


def _classes(said: Said) -> Column:
    found = said.column("c")
    if found.dtype.startswith("float") or found.kind == "date":
        raise UnknownError
    return found


def _balanced(said: Said) -> str:
    """How many rows of each class there are, and how large a part."""
    if said.has("c"):
        column = _classes(said)
    else:
        found = [one for name, one in said.by_name.items() if name.lower() in _TARGETS]
        if len(found) != 1:
            raise UnknownError
        column = found[0]
    counts = said.free("counts")
    said.before.append(f"{counts} = {said.table}[{quoted(column.name)}].value_counts()")
    said.says.append("Balanced means that all parts are about the same.")
    return f'pd.DataFrame({{"rows": {counts}, "percent": 100 * {counts} / {counts}.sum()}})'


def _outside(said: Said) -> tuple[str, str]:
    """The column with its numbers, and the mask of those that are outliers."""
    name = f"{said.table}[{said.ready('c')}]"
    said.before += [
        f"low, high = {name}.quantile([0.25, 0.75])",
        f"outliers = ({name} < low - 1.5 * (high - low)) | ({name} > high + 1.5 * (high - low))",
    ]
    said.says.append("Outliers are what lies more than 1.5 times the interquartile range beyond the quartiles.")
    return name, "outliers"


def _outliers(said: Said) -> str:
    _, mask = _outside(said)
    return f"int({mask}.sum())" if said.has("number") else f"{said.table}[{mask}]"


def _outliers_of_all(said: Said) -> str:
    table, numbers = _of_table(said), said.free("numbers")
    if not any(one.kind == "number" and not one.holds for one in said.by_name.values()):
        raise UnknownError
    said.before += [
        f'{numbers} = {table}.select_dtypes("number")',
        f"low, high = {numbers}.quantile(0.25), {numbers}.quantile(0.75)",
    ]
    said.says.append("Counted is what lies more than 1.5 times the interquartile range beyond the quartiles.")
    return f"(({numbers} < low - 1.5 * (high - low)) | ({numbers} > high + 1.5 * (high - low))).sum()"


def _why_missing(said: Said) -> str:
    """The rows without a value, so that one sees what they have in common."""
    column = said.column("c")
    name = f"{said.table}[{quoted(column.name)}]"
    said.says.append(
        f"`{column.name}` is NaN where the data holds nothing for it: nothing was entered or read there, or an earlier step found no "
        "match. Here are how many rows that are, and which."
    )
    said.before.append(f'print({name}.isna().sum(), "of", len({said.table}), "rows have no", {quoted(column.name)})')
    return f"{said.table}[{name}.isna()]"


def _far(said: Said) -> str:
    """Without the rows that are so many standard deviations from the mean."""
    name, number = f"{said.table}[{said.ready('c')}]", said.number("n")
    said.before += [
        f"distance = ({name} - {name}.mean()).abs() / {name}.std()",
        f"{said.table} = {said.table}[~(distance > {number})]",
    ]
    return said.table


def _mode(said: Said) -> str:
    column = said.column("c")
    return f"{said.table}[{quoted(column.name)}].mode()"


def _end_and_when(said: Said) -> str:
    """The row that has the most or the least, so that all the rest of it is told too."""
    column = said.numeric("c")
    if column.holds or (said.has("g") and said.column("g") == column):
        raise UnknownError
    end = f"{said.table}.loc[[{said.table}[{quoted(column.name)}].idx{said.first('sup')}()]]"
    return f"{end}[[{quoted(said.column('g').name)}, {quoted(column.name)}]]" if said.has("g") else end


def _first_beyond(said: Said) -> str:
    """Where along a column of numbers or dates another goes beyond a limit for the first time."""
    along, column = said.column("c"), said.numeric("y")
    if along == column or along.holds or column.holds or along.kind not in ("number", "date"):
        raise UnknownError
    sign = "<" if said.found["sign"].strip().lower() in ("below", "under") else ">"
    rows = said.free("beyond")
    said.before.append(f"{rows} = {said.table}[{said.table}[{quoted(column.name)}] {sign} {said.number('n')}]")
    return f"{rows}[{quoted(along.name)}].min()"


_APPEAR = "(appear|appears|occur|occurs|come up|comes up|show up|shows up|happen|happens|is there|exist|exists)"
_COUNTS = f"(counts|count|frequency|frequencies|number|number of [they|each] {_APPEAR}|number of each|number of rows)"
_SOME = "[of|in|for] [some|many|so many|certain|a few] [rows|cases|{t:t}|of them|{w:w}]"
_NAN = "(missing|nan|empty|null|nans|none|na|nulls|blank)"
_ROWS = "[rows|measurements|values|data points|points|entries|records|observations|readings|cases|{t:t}|{c:r}]"
_IN = "[(in|of|for) [column] {t:t}]"
_OUTLIERS = "(outliers|outlier|extreme values|anomalies)"
_BY = "[(with|using|by|via|based on) (iqr|iqr rule|iqr method|interquartile range|quartiles|box plot rule|boxplot rule|1.5 iqr rule)]"


def _drawn(said: Said) -> str:
    """Rows at random."""
    said.says.append("With a `random_state` the same rows come every time.")
    return f"{said.word('t')}.sample({said.number('n')}, random_state=0)"


SHAPES = (
    Shape((
        "[show|pick|draw|take|get|give me] {num:n} random rows (of|from|in) {t:t}",
    ), _drawn),
    Shape((
        ("(how much memory|total memory|total ram|how much ram|number of bytes|number of mb) (does|do|is) {t:t} "
         "(use|take|need|using|taking|occupy|take up|using up)"),
        "(memory usage|memory use|memory size|memory consumption|memory footprint|memory) (of|by|for) {t:t} [in (memory|bytes|ram)]",
        "how (big|large) is {t:t} in (memory|ram|bytes)",
        f"(memory usage|memory use|memory) (per|of each|of every|by|for each:EACH) column {_IN}",
    ), _memory),
    Shape((
        "(what|which) (columns|column names|fields|variables) (does|do|are in|are there in) {t:t} [have|has|contain]",
        "(column names|columns|names of columns|list of columns|header) (of|in) {t:t}",
        "(list|name|show|print) [all] (column names|columns|names of columns) [(of|in) {t:t}]",
    ), _columns),
    Shape((
        f"(what|which) (dtype|data type|datatype|type) (is|does|has) {{c:c}} [have|of] {_IN}",
        f"(dtype|data type|datatype|type) of {{c:c}} {_IN}",
    ), _type),
    Shape((
        f"(number of|how many|count) {_NAN} [values|entries|rows|ones] (are|is) [there] (in|for) {{c:c}} {_IN}",
        f"(number of|how many|count) {_NAN} [values|entries|ones] (in|of|for) {{c:c}} {_IN}",
        f"(number of|how many|count) {_NAN} {{c:c}} [values|entries] [are there|are] {_IN}",
        f"(number of|how many|count) {{c:c}} [values|entries] are {_NAN} {_IN}",
        f"(number of|how many|count) (values|entries|rows|cells) (in|of) {{c:c}} are {_NAN} {_IN}",
    ), _missing),
    Shape((
        (f"(number of|how many|count:NUMBER) (unique|different|distinct) {{c:c}} [values] [are|do] [there|we have] {_IN} and (number "
         f"of|how often|how many) [times] [do|does|of] [each|every|they|each one|each of them] [one|of them] [{_APPEAR}|are there]"),
        f"how often (does|do|did) [each|every] {{c:c}} [value] {_APPEAR} {_IN}",
        f"number of (does|do|did) [each|every] {{c:c}} [value] {_APPEAR} {_IN}",
        f"(unique|different|distinct) {{c:c}} [values] {_IN} (and|with) [their|its] {_COUNTS}",
        f"(unique|different|distinct) values (of|in) {{c:c}} {_IN} (and|with) [their|its] {_COUNTS}",
        f"(value counts|frequency table|frequencies|counts|value_counts|frequency) (of|for|in) {{c:c}} [values|column] {_IN}",
    ), _occurring),
    Shape((
        "(is|are) {c:c} (balanced|imbalanced|unbalanced|evenly distributed|equally distributed) [classes|values|or not|or imbalanced]",
        ("(is|are) [{t:t}|dataset|data|classes|target|it|data set] (balanced|imbalanced|unbalanced) [(with respect to|regarding|in|in "
         "terms of|by|for|according to|across|over|between|wrt) {c:c}] [classes|values|or not]"),
        "(is|are) [class|classes|categories|values] (of|in) {c:c} (balanced|imbalanced|unbalanced|evenly distributed)",
        "how (balanced|imbalanced|unbalanced) (is|are) {c:c} [classes|values]",
        ("how (balanced|imbalanced|unbalanced) (is|are) [{t:t}|dataset|data|classes|target] [(with respect to|regarding|in|in terms "
         "of|by) {c:c}]"),
        "(class|label|target) (balance|distribution|imbalance|frequencies|counts) [(of|in|for) {c:c}]",
        "(check|see|check if|check whether) (class|label|target) (balance|imbalance) [(of|in|for) {c:c}]",
        "(check if|check whether|whether|if) {c:c} is (balanced|imbalanced|unbalanced)",
        "(balance|class balance) of {c:c} [classes|values]",
    ), _balanced),
    Shape((
        f"(number of|how many|count:NUMBER) {_OUTLIERS} (does|do|has|have|are there in|are in|is in|in|of) {{c:c}} [have|has] {_BY}",
        f"(number of|how many|count:NUMBER) {_ROWS} (are|is) {_OUTLIERS} (in|by|for|regarding) {{c:c}} {_BY}",
        (f"[(which|what|find|detect|identify)] {_ROWS} [that] (are|is) {_OUTLIERS} (in|by|for|regarding|with respect to|in terms of) "
         f"{{c:c}} {_BY}"),
        f"(find|detect|identify|check for|look for) [all|any] {_OUTLIERS} (in|of|for) {{c:c}} {_BY}",
        f"{{c:c}} {_OUTLIERS} {_BY}",
    ), _outliers),
    Shape((
        (f"[(find|detect|identify|check for|count|number of|how many)] [all|any] {_OUTLIERS} (in|of|for|are there in|per) "
         "(all|each|every|all numeric|each numeric|per numeric|per|numeric|all of) (columns|column|numeric columns|numeric column) "
         f"{_IN} {_BY}"),
        f"(which|what) columns (have|contain) {_OUTLIERS} {_BY}",
    ), _outliers_of_all),
    Shape((
        (f"why (is|are|do|does|did) [I|we|there|it] [get|have|see|has|got|show|shows] [a|some|so many|so much] {_NAN} "
         f"[values|entries|rows] (in|for|of) {{c:c}} [column] {_SOME}"),
        f"why (is|are) {{c:c}} {_NAN} {_SOME}",
        f"why (does|do) {{c:c}} (have|contain|show) [some|so many|any] {_NAN} [values|entries]",
        f"where (do|does|are) [the] {_NAN} [values] (in|of) {{c:c}} [coming|come] from",
    ), _why_missing),
    Shape((
        ("(remove|drop|delete|exclude|filter out|get rid of) [all] [rows|outliers|values|measurements|points|entries] "
         "[where|with|in|whose] {c:c} [is|are|lies|that are] (more than|over|beyond|further than|farther than) {num:n} (standard "
         "deviations|standard deviation|std|sd|sigma|stds) [away] from mean"),
    ), _far),
    Shape(("mode of {c:c} [column|values]",), _mode),
    Shape((
        ("{sup:sup} {c:c} and (when|where|at what time|on which day|who|which row) [was|is|did] [it|that] [happen|occur] "
         "[reached|measured]"),
        "{sup:sup} {c:c} and (at|in|on|for) (which|what) {c:g} [was|is|did] [it|that] [happen|occur]",
        "when (was|is) {c:c} [at] {sup:sup} and (how high|how low|how much|what was it|what value)",
    ), _end_and_when),
    Shape((
        ("(at|in|on|after) (which|what) {c:c} (does|did|do|is|was) {c:y} [first] (fall|drop|go|rise|climb|get|sink|be|become) [first] "
         "(below|above|under|over:SIGN) {n:n} [for first time|first]"),
        "first {c:c} (where|when|at which|with) {c:y} (is|falls|drops|goes|rises|gets|was) (below|above|under|over:SIGN) {n:n}",
    ), _first_beyond),
)  # fmt: skip
"""What is asked on first sight."""
