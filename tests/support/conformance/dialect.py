"""SQL that dbt's suite has written for PostgreSQL, as Spark runs it."""

import re
from typing import Any

import sqlparse

TYPES = (
    (r"\btimestamp without time zone\b", "timestamp"),
    (r"\btext\b", "string"),
    (r"\bcharacter varying\b", "string"),
)
QUOTED = re.compile(r'"(\w+)"')
STRINGS = re.compile(r"('(?:[^']|'')*')")
POLICY = "spark.sql.storeAssignmentPolicy"


def translated(sql: str) -> list[str]:
    """Each statement by itself, with Spark's types and quotes; texts stay as they are."""
    return [_translated(one) for one in sqlparse.split(sql) if one.strip(" \n;")]


def run(cursor: Any, sql: str) -> None:
    """Run them; PostgreSQL reads a text as a timestamp where a column is one."""
    for statement in translated(sql):
        before = cursor.spark.conf.get(POLICY)
        cursor.spark.conf.set(POLICY, "LEGACY")
        try:
            cursor.execute(statement)
        finally:
            cursor.spark.conf.set(POLICY, before)


def _translated(statement: str) -> str:
    parts = STRINGS.split(statement.strip().rstrip(";"))
    for number in range(0, len(parts), 2):
        for pattern, instead in TYPES:
            parts[number] = re.sub(pattern, instead, parts[number], flags=re.IGNORECASE)
        parts[number] = QUOTED.sub(r"`\1`", parts[number])
    for number in range(1, len(parts), 2):
        inside = parts[number][1:-1].replace("''", "\\'")
        parts[number] = f"'{inside}'"
    return "".join(parts)
