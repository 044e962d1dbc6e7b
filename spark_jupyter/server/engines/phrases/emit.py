"""Expressions as code: of pandas, and of polars. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from spark_jupyter.server.engines.namespace import Column
from spark_jupyter.server.engines.phrases.model import Expr
from spark_jupyter.server.engines.rewrite import quoted

_INFIX = {
    "mul": "*",
    "div": "/",
    "add": "+",
    "sub": "-",
    "gt": ">",
    "ge": ">=",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "and": "&",
    "or": "|",
    "floor": "//",
    "pow": "**",
}
_BINDS = {
    "**": 5,
    "*": 4,
    "/": 4,
    "//": 4,
    "+": 3,
    "-": 3,
    ">": 1,
    ">=": 1,
    "<": 1,
    "<=": 1,
    "==": 1,
    "!=": 1,
    "&": 2,
    "|": 2,
}
_PANDAS: dict[str, str] = {
    "isna": "{0}.isna()", "notna": "{0}.notna()", "isin": "{0}.isin([{*}])", "between": "{0}.between({1}, {2})",
    "contains": "{0}.str.contains({1}, case=False, na=False, regex=False)", "matches": "{0}.str.contains({1}, case=False, na=False)",
    "starts": "{0}.str.startswith({1}, na=False)", "ends": "{0}.str.endswith({1}, na=False)", "strlen": "{0}.str.len()",
    "words": "{0}.str.split().str.len()", "spanned": "{0} / {1}", "mean": "{0}.mean()",
    "median": "{0}.median()", "max": "{0}.max()", "whole days": "{0}.dt.days", "abs": "{0}.abs()", "rank": "{0}.rank()",
}  # fmt: skip
_POLARS: dict[str, str] = {
    "isna": "{0}.is_null()", "notna": "{0}.is_not_null()", "isin": "{0}.is_in([{*}])", "between": "{0}.is_between({1}, {2})",
    "contains": "{0}.str.to_lowercase().str.contains({1}.lower(), literal=True)", "matches": '{0}.str.contains("(?i)" + {1})',
    "starts": "{0}.str.starts_with({1})", "ends": "{0}.str.ends_with({1})", "strlen": "{0}.str.len_chars()", "abs": "{0}.abs()",
}  # fmt: skip
_PARTS = {
    "hour": "hour",
    "month": "month",
    "year": "year",
    "weekday": "day_name()",
    "dayofweek": "day_of_week",
    "quarter": "quarter",
    "dom": "day",
    "date": "normalize()",
}


class UnknownError(Exception):
    """The dialect has no words for it here."""


class Emitter:
    """Writes expressions about the columns of one table."""

    def __init__(self, columns: Mapping[str, Column], *, polars: bool) -> None:
        self.columns, self.polars = columns, polars
        self.folds = False
        """Whether texts are compared without capitals."""

    def source(self, one: Expr, table: str) -> str:
        """The expression, over the rows that are called ``table``. Raises :class:`UnknownError`."""
        return self._text(one, table)[0]

    def _text(self, one: Expr, table: str) -> tuple[str, int]:
        if one.op == "lit":
            return str(one.args[0]), 9
        if one.op == "col":
            return self._column(str(one.args[0]), table), 9
        if one.op in ("eq", "ne", "isin") and (same := self._spelt_alike(one, table)) is not None:
            return same
        if one.op in _INFIX:
            return self._infix(one, table)
        if one.op == "not":
            return f"~({self._text(_expr(one.args[0]), table)[0]})", 6
        if one.op in ("part", "period"):
            return self._dated(one, table), 9
        return (self._special(one, table) or self._called(one, table)), 9

    def _spelt_alike(self, one: Expr, table: str) -> tuple[str, int] | None:
        """Values that a column has in several spellings are compared without capitals and spaces around."""
        column, *values = one.args
        known = self.columns.get(str(column.args[0])) if isinstance(column, Expr) and column.op == "col" else None
        if known is not None and known.truth and len(values) == 1 and " or " in known.holds:
            return self._truly(one, known, table)
        if known is None or self.polars or known.kind != "text":
            return None
        said = [str(_expr(arg).args[0]).strip("\"'") for arg in values if _expr(arg).op == "lit"]
        plain = [text.strip().lower() for text in said]
        alike = [value for value in known.values if value.strip().lower() in plain]
        plainly = len(alike) <= len(said) and all(text == text.strip() for text in said)
        if len(said) != len(values) or (plainly and not self.folds):
            return None
        folded = f"{self._column(known.name, table)}.str.strip().str.lower()"
        if one.op == "isin":
            return f"{folded}.isin([{', '.join(map(quoted, plain))}])", 9
        return f"{folded} {'==' if one.op == 'eq' else '!='} {quoted(plain[0])}", _BINDS["=="]

    def told_apart(self, key: Expr) -> Expr:
        """What rows are grouped by: yes or no, where a column says them in several ways."""
        known = self.columns.get(str(key.args[0])) if key.op == "col" else None
        if known is None or known.truth is None or " or " not in known.holds:
            return key
        return Expr("eq", (key, Expr("lit", (quoted(known.truth[0]),))))

    def _truly(self, one: Expr, known: Column, table: str) -> tuple[str, int]:
        """Yes or no of a column that says them in several ways."""
        if self.polars:
            raise UnknownError
        said = str(_expr(one.args[1]).args[0]).strip("\"'").strip().lower()
        spelt = [list(dict.fromkeys(way.strip().lower() for way in ways)) for ways in known.spellings]
        meant = next((ways for ways in spelt if said in ways), [said])
        text = f"{self._column(known.name, table)}.str.strip().str.lower().isin([{', '.join(map(quoted, meant))}])"
        return (f"~{text}", 6) if one.op == "ne" else (text, 9)

    def _special(self, one: Expr, table: str) -> str:
        """What has a form of its own; empty where it is a plain call."""
        if one.op == "rowmean":
            parts = [self._text(_expr(arg), table)[0] for arg in one.args]
            if self.polars:
                return f"pl.mean_horizontal({', '.join(parts)})"
            return f"{table}[[{', '.join(quoted(str(_expr(arg).args[0])) for arg in one.args)}]].mean(axis=1)"
        if one.op == "rows":  # a template about the table
            if self.polars:
                raise UnknownError
            return str(one.args[0]).replace("{t}", table)
        if one.op == "call":  # pandas only: a template
            if self.polars:
                raise UnknownError
            return str(one.args[0]).replace("{0}", self._atom(_expr(one.args[1]), table))
        return ""

    def _called(self, one: Expr, table: str) -> str:
        template = (_POLARS if self.polars else _PANDAS).get(one.op)
        if template is None:
            raise UnknownError
        parts = [self._atom(_expr(arg), table) for arg in one.args]
        text = template.replace("{*}", ", ".join(parts[1:]))
        for number, part in enumerate(parts):
            text = text.replace(f"{{{number}}}", part)
        return text

    def _atom(self, one: Expr, table: str) -> str:
        text, binds = self._text(one, table)
        return text if binds >= 9 else f"({text})"

    def _infix(self, one: Expr, table: str) -> tuple[str, int]:
        sign = _INFIX[one.op]
        own = _BINDS[sign]
        parts = []
        for number, arg in enumerate(one.args):
            text, binds = self._text(_expr(arg), table)
            tight = binds > own or (binds == own and number == 0 and sign not in ("==", "!=", ">", "<", ">=", "<="))
            tight = tight and not (sign in "&|" and binds < 6)
            parts.append(text if tight else f"({text})")
        return f" {sign} ".join(parts), own

    def _column(self, name: str, table: str) -> str:
        known = self.columns.get(name)
        if self.polars:
            return f"pl.col({quoted(name)})"
        if known is not None and known.holds == "index":
            return f"{table}.index"
        return f"{table}[{quoted(name)}]"

    def _dated(self, one: Expr, table: str) -> str:
        column, part = _expr(one.args[0]), str(one.args[1])
        name = str(column.args[0])
        known = self.columns.get(name)
        whole = self._column(name, table)
        if self.polars:
            if part in ("M", "D", "Y", "W", "Q") and one.op == "period":
                return f'{whole}.dt.truncate("1{ {"M": "mo", "D": "d", "Y": "y", "W": "w", "Q": "q"}[part] }")'
            if part in ("hour", "month", "year", "quarter"):
                return f"{whole}.dt.{part}()"
            raise UnknownError
        dates = whole if known is not None and known.holds == "index" else f"{whole}.dt"
        if one.op == "period":
            return f'{dates}.to_period("{part}")' if part != "D" else f"{dates}.normalize()"
        return f"{dates}.{_PARTS[part]}"


def _expr(arg: Expr | str) -> Expr:
    assert isinstance(arg, Expr)
    return arg
