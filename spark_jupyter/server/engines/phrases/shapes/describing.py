"""What a table is like: an overview, how much is missing, rows with gaps. Pure."""

from __future__ import annotations

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

_DETAIL = (
    "(columns|column names|types|dtypes|data types|datatypes|missing values|missing|gaps|nulls|nans|rows|"
    "row count|size|shape|number of rows"
    "|its columns|number of missing values|column types|types of columns|nan|non-null counts)"
)
_DETAILS = f"[with|including|i.e|namely|showing] {_DETAIL} [and] [{_DETAIL}] [and] [{_DETAIL}] [and] [{_DETAIL}]"
_MISSING = "(missing|empty|nan|null|na|blank|not there|nans|unknown)"
_SHARE = "(percentage|percent|share|proportion|fraction|part|%)"


def _overview(said: Said) -> str:
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError
    said.before.append(f"print({said.table}.shape)")
    parts = {"type": ".dtypes", "missing": ".isna().sum()", "distinct": ".nunique()"}
    made = ", ".join(f'"{name}": {said.table}{call}' for name, call in parts.items())
    return f"pd.DataFrame({{{made}}})"


def _types(said: Said) -> str:
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError
    return f"{said.table}.dtypes"


def _contents(said: Said) -> str:
    column = said.column("x")
    name = f"{said.table}[{quoted(column.name)}]"
    return f"{name}.describe()" if column.kind in ("number", "date") else f"{name}.value_counts(dropna=False)"


def _statistics(said: Said) -> str:
    found = said.columns("xs")
    if any(one.kind != "number" for one in found):
        raise UnknownError
    return f"{said.table}[[{', '.join(quoted(one.name) for one in found)}]].describe()"


def _repeated(said: Said) -> str:
    return f"{said.table}[{said.table}.duplicated({quoted(said.column('x').name)}, keep=False)]"


def _without_repeated(said: Said) -> str:
    last = said.has("keep") and said.found["keep"].strip().lower() == "last"
    some = ", ".join([*([quoted(said.column("x").name)] if said.has("x") else []), *(['keep="last"'] if last else [])])
    before = said.free("before")
    said.before += [
        f"{before} = len({said.table})",
        f"{said.table} = {said.table}.drop_duplicates({some})",
        f'print({before} - len({said.table}), "rows removed")',
    ]
    return said.table


def _missing_share(said: Said) -> str:
    return f"100 * {said.table}[{quoted(said.column('x').name)}].isna().mean()"


def _missing_shares(said: Said) -> str:
    return f"(100 * {said.table}.isna().mean())"


def _rows_with_gaps(said: Said) -> str:
    _of_rows(said)
    return f"{said.table}[{said.table}.isna().any(axis=1)]"


def _count_with_gaps(said: Said) -> str:
    _of_rows(said)
    said.says.append("Counted are the rows with a gap in any column.")
    return f"int({said.table}.isna().any(axis=1).sum())"


def _whole_rows(said: Said) -> str:
    _of_rows(said)
    return f"{said.table}.dropna()"


def _of_rows(said: Said) -> None:
    """What is counted must be rows: the table itself, or the column that names them."""
    if said.has("c") and said.column("c").name != next(iter(said.by_name)):
        raise UnknownError
    if said.has("t") and said.word("t") != said.table:
        raise UnknownError


_TYPES = "(type|types|dtype|dtypes|data type|data types|datatypes|kind of data)"
_PER = "(each|every|per)"
_ROWS = "(rows|lines|records|entries|{t:t}|{c:c})"
_ANY = "(at least one|any|one or more|some|single)"
_WHAT = "(score|value|values|scores|entry|cell|field|column|columns|result|entries|measurement|mark|reading)"

SHAPES = (
    Shape((
        f"[quick|short|brief|general] (overview|summary|description|profile) (of|over|for|about) {{t:t}} {_DETAILS}",
        "[quick|short|brief|general] (overview|profile) (of|over|for|about) {t:t}",
        ("(columns|column names) [and] (types|dtypes|data types|datatypes) [and] (missing values|missing|gaps|"
         "nulls|nans) [of|in|for] {t:t}"),
        ("(columns|column names) [and] (types|dtypes|data types|datatypes) [and] [their] (missing values|"
         "missing|gaps|nulls|nans) [per column]"),
        ("[which|what] (columns|column names|columns and types) [does|do] {t:t} [has|have] [and] [which|what] "
         "[their|of] (types|type|dtypes|dtype) "
        "[are they|do they have] and number of [values] (missing|are missing)"),
    ), _overview),
    Shape((
        f"[what|which] {_TYPES} (does|do|has|have|of|are|for|is) [{_PER}|all] (column|columns) [have|has] [(of|in) {{t:t}}]",
        f"{_TYPES} (of|in) {{t:t}} [columns]",
    ), _types),
    Shape((
        "what (does|do) {c:x} (contain|hold|look like|have in it|consist of)",
        "(what is|what's|whats) in {c:x}",
    ), _contents),
    Shape((
        "[basic|summary|descriptive|simple|some|usual] (statistics|stats) (of|for|about|on) {cs:xs}",
    ), _statistics),
    Shape((
        "(duplicated|duplicate|repeated|double) {c:x} [values|entries]",
        "rows (with|that have) (duplicated|duplicate|repeated|same) {c:x}",
        "(which|what) {c:x} (appear|appears|occur|occurs|are|is there) (more than once|twice|duplicated|several times)",
    ), _repeated),
    Shape((
        ("(remove|drop|delete) [all|exact] (duplicates|duplicate rows|duplicated rows|double rows) and (tell|say|print|show|count) [me] "
        "[how many|number of|count] [rows] [were|was|are|i] [removed|dropped|deleted|lost]"),
        ("(remove|drop|delete) (duplicates|duplicate rows|duplicated rows) (by|of|on|in|based on|with same) {c:x} [and] [keep|keeping] "
        "[(first|last:KEEP)] [one|row|entry|of them]"),
        "(remove|drop|delete) (duplicate|duplicated|repeated) {c:x} [and] [keep|keeping] [(first|last:KEEP)] [one|row|entry]",
        "keep only (first|last:KEEP) row (per|of each|for each|of every|for every) {c:x}",
    ), _without_repeated),
    Shape((
        f"[what|which] {_SHARE} of {{c:x}} [values|entries|data|rows] (is|are) {_MISSING}",
        f"{_SHARE} of {_MISSING} [values|entries|rows] (in|of|for) {{c:x}}",
        f"(how much|total) of {{c:x}} [data] (is|are) {_MISSING}",
        f"(in|for) what {_SHARE} of [rows|cases|{{t:t}}] is {{c:x}} {_MISSING}",
        f"[what|which] {_SHARE} of rows (has|have) [no|missing] {{c:x}} [{_MISSING}]",
    ), _missing_share),
    Shape((
        f"{_SHARE} of {_MISSING} [values|data|entries] (per|by|in each|in every|for each|for every|of each|of every) column [of {{t:t}}]",
        f"{_MISSING} [values] (per|by|in each|for each) column (in|as) (percent|%|percentage|percentages)",
    ), _missing_shares),
    Shape((
        f"[which] {_ROWS} [that] (with|having|have|contain|containing|miss|lack|missing) {_ANY} [{_MISSING}] {_WHAT}",
        f"[which] {_ROWS} [that] (with|having|have|contain|containing) [{_ANY}] (missing|empty|null|nan) (values|value|entries|cells)",
        f"[which] {_ROWS} [that] (with|having|have|contain|containing) [{_ANY}] (gap|gaps|nans|nulls)",
    ), _rows_with_gaps),
    Shape((
        f"number of {_ROWS} (with|having|have|contain|containing|miss|misses|lack|missing) {_ANY} [{_MISSING}] {_WHAT}",
        f"number of {_ROWS} (with|having|have|contain|containing) [{_ANY}] (missing|empty|null|nan) (values|value|entries|cells)",
        f"number of {_ROWS} (are|is) incomplete",
        f"number of {_ROWS} (with|having|have|contain|containing) [{_ANY}] (gap|gaps|nans|nulls)",
    ), _count_with_gaps),
    Shape((
        f"[only] complete {_ROWS}",
        f"[only] {_ROWS} (without|that have no|with no|having no) [any] (missing|empty|null|nan) (values|value|entries|cells)",
        f"[only] {_ROWS} (without|that have no|with no|having no) [any] (gap|gaps|nans|nulls)",
    ), _whole_rows),
)  # fmt: skip
"""What is asked about a whole table."""
