"""What dbt's suite has written for PostgreSQL, as Spark takes it: statements, and project files.

Nothing that a test asserts is changed here.
"""

import re
from pathlib import Path
from typing import Any

import sqlparse
import yaml
from pyspark.sql import SparkSession

TYPES = (
    (r"\btimestamp without time zone\b", "timestamp"),
    (r"\btimestamptz\b", "timestamp"),
    (r"\bdouble precision\b", "double"),
    (r"\b(?:text|json)\b", "string"),
    (r"\bcharacter varying\b", "string"),
)
QUOTED = re.compile(r'"(\w+)"')
STRINGS = re.compile(r"('(?:[^']|'')*')")
POLICY = "spark.sql.storeAssignmentPolicy"
CREATE = re.compile(r"^create table (?!if)(?:(?! as\b).)*\)$", re.IGNORECASE | re.DOTALL)
ADD_WITH_DEFAULT = re.compile(
    r"(?P<alter>alter table (?P<table>\S+)\s+add column (?P<column>\w+) .*?)\s+"
    r"default (?P<value>.*)",
    re.IGNORECASE | re.DOTALL,
)
JINJA = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
IN_FILES = re.compile(
    rf"(?P<kept>{JINJA}|'(?:[^'\n{{]|\{{(?![{{%#]))*')|"
    r'"(?P<name>\w+)"|::\s*(?P<type>'
    r"timestamp without time zone|timestamptz|double precision|text|json)\b",
    re.DOTALL,
)
TEXT_IN_YAML = re.compile(r":( *)([\"']?)text\2$", re.MULTILINE | re.IGNORECASE)
STATEMENTS = (
    (r"^vacuum ", "refresh table "),
    (r"\bset session time zone\b", "set time zone"),
    (r"\bcurrent_setting\('timezone'\)", "current_timezone()"),
)
UNORDERED = re.compile(r"(select id, test_scd_id, test_valid_to from) (\S+snapshot_actual)")
AS_INSERTED = (
    r"\1 (select *, row_number() over (partition by id order by test_valid_from) as nth from \2) "
    "order by nth, id"
)
"""A test of snapshots takes rows by their number: PostgreSQL returns them as they were inserted."""
FORMAT_OF = ("models", "seeds", "snapshots")


def translated(sql: str, file_format: str = "") -> list[str]:
    """Each statement by itself, with Spark's types and quotes; texts stay as they are.

    A table that is made from a list of columns has the format.
    """
    parts = sqlparse.split(sqlparse.format(sql, strip_comments=True))
    statements = [_translated(one) for one in parts if one.strip(" \n;")]
    return [each for one in statements for each in _in_format(one, file_format)]


def run(sql: str, file_format: str = "") -> Any:
    """Run them; PostgreSQL reads a text as a timestamp where a column is one."""
    spark = SparkSession.builder.getOrCreate()
    before, frame = spark.conf.get(POLICY), None
    spark.conf.set(POLICY, "LEGACY")
    try:
        for statement in translated(sql, file_format):
            frame = spark.sql(statement)
    finally:
        spark.conf.set(POLICY, str(before))
    return frame


def fetched(sql: str, fetch: str, file_format: str = "") -> Any:
    """Run them for a test, which wants ``one`` row of the last, ``all`` of them, or none."""
    frame = run(sql, file_format)
    rows = frame.collect() if fetch in {"one", "all"} else None
    return rows[0] if rows and fetch == "one" else rows


def contents(text: str, path: Path, file_format: str = "") -> str:
    """A file of a project as it is to be written."""
    if path.name == "dbt_project.yml":
        return _project(text, file_format)
    if path.suffix in (".yml", ".yaml"):
        return TEXT_IN_YAML.sub(r":\1string", text)
    return in_jinja(text) if path.suffix == ".sql" else text


def in_jinja(text: str) -> str:
    """SQL with Jinja: casts, names in quotes, and statements that Spark has another name for."""
    text = IN_FILES.sub(_in_file, text)
    if re.search(r"\bcreate table\b", text, re.IGNORECASE):
        text = re.sub(r"\btext\b", "string", text, flags=re.IGNORECASE)
    for pattern, instead in STATEMENTS:
        text = re.sub(pattern, instead, text)
    return text


def _in_file(found: re.Match[str]) -> str:
    if found["name"]:
        return f"`{found['name']}`"
    return f"::{_in_types(found['type'])}" if found["type"] else str(found["kept"])


def _project(text: str, file_format: str) -> str:
    config = _walked(yaml.safe_load(text))
    for kind in FORMAT_OF if file_format else ():
        config[kind] = {"+file_format": file_format, **(config.get(kind) or {})}
    return str(yaml.safe_dump(config))


def _walked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _walked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_walked(one) for one in value]
    if isinstance(value, str):
        return "string" if value.lower() == "text" else in_jinja(value)
    return value


def _in_format(statement: str, file_format: str) -> list[str]:
    if file_format and CREATE.match(statement):
        return [f"{statement} using {file_format}"]
    if found := ADD_WITH_DEFAULT.fullmatch(statement):
        column, value = found["column"], found["value"]
        filled = f"update {found['table']} set {column} = {value}"
        return [found["alter"], *([] if value.lower() == "null" else [filled])]
    if file_format:
        made = r"^(create table (?:if not exists )?\S+)(\s+as\b)"
        return [re.sub(made, rf"\1 using {file_format}\2", statement, flags=re.IGNORECASE)]
    return [statement]


def _in_types(sql: str) -> str:
    for pattern, instead in TYPES:
        sql = re.sub(pattern, instead, sql, flags=re.IGNORECASE)
    return sql


def _translated(statement: str) -> str:
    parts = STRINGS.split(statement.strip().rstrip(";").rstrip())
    for number in range(0, len(parts), 2):
        parts[number] = QUOTED.sub(r"`\1`", _in_types(parts[number]))
    for number in range(1, len(parts), 2):
        inside = parts[number][1:-1].replace("''", "\\'")
        parts[number] = f"'{inside}'"
    return UNORDERED.sub(AS_INSERTED, "".join(parts))
