"""SQL put together from values that somebody else may have written."""

from __future__ import annotations

import re
from typing import Final

from spark_jupyter.guardrail.rule import Call, Hit, Rule, on
from spark_jupyter.guardrail.rules._sql import GRAPH, RUNNERS, STATEMENT, looks_like_sql
from spark_jupyter.guardrail.taint_state import State, named, only_parameters
from spark_jupyter.guardrail.taint_values import Danger, Trust, Value, words

_GENERAL: Final = words("query run sql fetch prepare scalar raw extra fetchall execute")


_RUNS_ANY: Final = words("execute executemany executescript raw read_sql read_sql_query")
_KNOWN: Final = words(RUNNERS)
_VALUE_PLACE: Final = re.compile(r"(?:=\s*|[<>]\s*|\bLIKE\s+|\bLIMIT\s+|\bIN\s*\(\s*|'%?)['\"]?\0", re.IGNORECASE)
"""Place of a value in a query. A query that has its values as parameters, and only a table's or column's name put in, is as well made as
it can be where the name is the program's own."""
_ONLY_NAMES: Final = re.compile(
    r"(?:[^\0'=<>]|\b(?:FROM|TABLE|INTO|UPDATE|JOIN|EXISTS|table_info\()\s*[\"`\[]?\0[\"`\]]?)*", re.IGNORECASE
)
"""Queries that only insert names of tables, such as those from a schema."""
_NAMES: Final = words(
    "table tablename column columnname col field fieldname order orderby sort sortby schema database view"
)
_NAMED: Final = "The name of a table or a column is put into this SQL: whoever gives it can rewrite the query."


def _check(call: Call, state: State) -> Hit | None:
    statement = call.argument(0, "query", "sql", "statement", "operation", "stmt", "query_string", "where", "raw_query")
    if call.tail in ("callproc",):
        return None
    if call.tail == "extra":
        statement = call.argument(-1, "where") if call.given(-1, "where") else statement
        items = statement.items
        statement = items[0] if isinstance(items, list) and items else statement
    flows = state.dangerous(statement, Danger.SQL, Trust.ENVIRONMENT)
    certain = state.certain(statement, Danger.SQL)
    if statement.is_constant or (statement.safe and not certain) or state.checked(statement, Danger.SQL):
        return None
    if statement.is_built:
        text = statement.text or ""
        if not looks_like_sql(text) and not (call.tail in ("execute", "executescript", "raw", "extra") and certain):
            return None
        if not certain and len(call.args) + len(call.kwargs) > 1 and not _VALUE_PLACE.search(text):
            return Hit(call.node, severity="warn", message=_NAMED) if named(flows, _NAMES) else None
        if not flows and not certain and _ONLY_NAMES.fullmatch(text):
            return None
        return Hit(call.node, severity="block" if certain or flows else "warn", cwe=943 if GRAPH.match(text) else None)
    if (
        certain
        and (call.tail not in _GENERAL or call.tail in ("execute", "raw"))
        and "session.execute" not in call.name
    ):
        return Hit(call.node, flows=certain) if _is_text(statement) else None
    if flows and only_parameters(flows) and call.tail in _RUNS_ANY:
        return Hit(call.node, flows=flows)  # the hit waits for a call that gives a text with values in it
    return None


_TELLS: Final = words(
    "print format join append extend add write info debug warning warn error exception critical log len str repr dedent text strip "
    "format_map encode startswith endswith setdefault get put Markdown display code markdown subheader"
)
"""Calls that only show, change or keep a text."""


_SHOWN: Final = words("help description label title message prompt text content body doc name caption placeholder")
"""Keywords of texts that are shown."""


def _given(call: Call, state: State) -> Hit | None:
    """Find built SQL that goes to a function that no rule knows: a store, a helper, a new driver."""
    if call.tail in _KNOWN or call.tail in _TELLS or call.tail.endswith(("Error", "Exception")):
        return None
    if call.tail in state.context.functions:
        return None  # what it does with the text is looked at
    for value in (*call.args, *[value for key, value in call.kwargs.items() if key not in _SHOWN]):
        foreign = value.is_built and state.dangerous(value, Danger.SQL, Trust.ENVIRONMENT)
        if foreign and STATEMENT.match((value.text or "")[:2_000]):
            return Hit(call.node, severity="warn")
    return None


def _is_text(value: Value) -> bool:
    return not value.name.endswith(("select()", "insert()", "update()", "delete()", "where()", "values()", "filter()"))


def _text(call: Call, state: State) -> Hit | None:
    statement = call.argument(0, "text")
    if statement.safe or state.checked(statement, Danger.SQL):
        return None
    certain = state.certain(statement, Danger.SQL)
    part = bool(certain) and call.name.startswith("sqlalchemy.")  # a condition: filter(text("name = '" + name + "'"))
    if certain and not statement.is_built and call.name.startswith("sqlalchemy."):
        # at a console a whole query may be typed
        remote = tuple(flow for flow in certain if flow[0].trust == Trust.REMOTE)
        return Hit(call.node, flows=remote) if remote else None
    if not statement.flows and _ONLY_NAMES.fullmatch(statement.text or ""):
        return None
    if statement.is_built and (part or looks_like_sql(statement.text or "")):
        return Hit(call.node, severity="block" if certain or state.dangerous(statement, Danger.SQL) else "warn")
    return None


RULE: Final = Rule(
    id="sql-injection",
    cwe=89,
    severity="block",
    local=True,
    message="This SQL is put together from text and values: whoever controls a value can rewrite the query.",
    remedy='Pass values as parameters: cursor.execute("SELECT * FROM t WHERE name = ?", (name,)).',
    bad=(
        "def named(name):\n    return store.exec(f\"SELECT * FROM t WHERE n = '{name}'\")",
        'def put(table, row):\n    cursor.execute("INSERT INTO %s VALUES (?, ?)" % table, row)',
        (
            "class Dao:\n    def all(self, sql):\n        return self.db.execute(sql).fetchall()\n"
            '    def named(self, name):\n        return self.all("SELECT * FROM t WHERE n = \'" + name + "\'")'
        ),
    ),
    good=(
        (
            "class Dao:\n    def all(self, sql, values):\n        return self.db.execute(sql, values).fetchall()\n"
            '    def named(self, name):\n        return self.all("SELECT * FROM t WHERE n = ?", (name,))'
        ),
        (
            'import re\ndef count(table):\n    if not re.fullmatch("[a-z_]+", table):\n        raise ValueError(table)\n'
            '    cursor.execute(f"SELECT count(*) FROM {table}")'
        ),
        (
            'from enum import Enum\nclass Sort(str, Enum):\n    name = "name"\n@app.get("/")\ndef all(sort: Sort):\n'
            '    return db.execute(f"SELECT * FROM t ORDER BY {sort.value}").fetchall()'
        ),
    ),
    built=lambda value: value.is_built and not value.safe and looks_like_sql(value.text or ""),
    methods={**on(RUNNERS, _check), "text": _text},
    given=_given,
)
