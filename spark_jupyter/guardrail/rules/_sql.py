"""SQL texts and the calls that run them."""

from __future__ import annotations

import re
from typing import Final

SQL_TEXT: Final = re.compile(
    r"^[\s(]*(?:SELECT\b.*\bFROM\b|SELECT\s*\0|SELECT\s+[\w*(]|INSERT\s+(?:OR\s+\w+\s+)?INTO\b|"
    r"INSERT\s+\0|UPDATE\b.*\bSET\b|UPDATE\s*\0|DELETE\s+FROM\b|REPLACE\s+INTO\b|"
    r"CREATE\s+(?:TEMP\w*\s+|OR\s+REPLACE\s+|UNIQUE\s+)*(?:TABLE|DATABASE|VIEW|INDEX|USER|ROLE|"
    r"SCHEMA|TRIGGER|FUNCTION)\b|DROP\s+(?:TABLE|DATABASE|VIEW|INDEX|USER|SCHEMA|TRIGGER)\b|"
    r"ALTER\s+(?:TABLE|DATABASE|USER|ROLE)\b|TRUNCATE\b|WITH\s+\w+\s+AS\b|MERGE\s+INTO\b|GRANT\s+|"
    r"CALL\s+|EXEC(?:UTE)?\s+|PRAGMA\s+|SHOW\s+|ATTACH\s+|DETACH\s+|EXPLAIN\s+|ANALYZE\s+|LOCK\s+|"
    r"VACUUM\b|USE\s+|DESCRIBE\s+|LOAD\s+DATA\b|COPY\s+)",
    re.IGNORECASE | re.DOTALL,
)
SQL_WORDS: Final = re.compile(
    (
        r"\bSELECT\b.{1,400}\bFROM\b|\bINSERT\s+INTO\b|\bUPDATE\b.{1,200}\bSET\b|\bDELETE\s+FROM\b|"
        r"\bDROP\s+TABLE\b|\bWHERE\b.{1,200}(?:=|LIKE|IN\b)|\bORDER\s+BY\b|\bUNION\s+SELECT\b"
    ),
    re.IGNORECASE | re.DOTALL,
)
RUNNERS: Final = (
    "execute executemany executescript raw execute_sql run_query execute_query exec_driver_sql "
    "read_sql read_sql_query fetchrow fetchval fetchall fetch_all fetch_one fetch prepare mogrify "
    "query sql extra select_by_sql cursor_execute execute_command run_sql sql_query do_query "
    "exec_query execute_select scalar run simple_query RawSQL callproc"
)


STATEMENT: Final = re.compile(
    r"^\s*(?:(?:SELECT\b.+\bFROM|INSERT\s+INTO|REPLACE\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|DROP\s+TABLE)\b.*\0|"
    r"(?i:select\b.+\bfrom\b.*\bwhere\b.*\0|insert\s+into\b.*\bvalues\b.*\0|update\s+\S+\s+set\b.*=.*\0|delete\s+from\b.*\0))",
    re.DOTALL,
)
"""Text with holes that can only be SQL, whoever receives it: "Select one from …" may be a sentence."""


GRAPH: Final = re.compile(r"\s*(?:(?:OPTIONAL\s+)?MATCH|MERGE|CREATE)\s*\(", re.IGNORECASE)
"""Cypher, the query language of graph databases."""


def looks_like_sql(text: str) -> bool:
    """True if a text (with holes) is SQL or Cypher."""
    return (
        GRAPH.match(text) is not None
        or SQL_TEXT.search(text[:2_000]) is not None
        or SQL_WORDS.search(text[:2_000]) is not None
    )
