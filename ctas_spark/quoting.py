"""SQL text from names and values; the only place where SQL is quoted.

Literals are written with backslashes as escapes, which a session has to read so.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from .context import TableName, levels
from .errors import NotSupportedError

QUOTED = re.compile(r"`([^`]|``)*`")
PART = re.compile(r"`(?:[^`]|``)+`|[^`.\s]+")
PATH = re.compile(rf"(?:{PART.pattern})(?:\.(?:{PART.pattern}))*")
LISTED = re.compile(r"(?:`(?:[^`]|``)*`|[^,])+")
KEPT = "spark.sql.parser.escapedStringLiterals"
"""The setting by which a literal keeps its backslashes, as in Spark 1."""
SETS = re.compile(
    rf"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*SET\s+`?{re.escape(KEPT)}`?\s*=\s*`?true",
    re.IGNORECASE,
)


def identifier(name: str) -> str:
    """A name in backticks, as Spark's parser reads it."""
    return "`" + name.replace("`", "``") + "`"


def identifiers(names: Iterable[str]) -> str:
    """Names in backticks, between commas."""
    return ", ".join(identifier(name) for name in names)


def parts(path: str) -> tuple[str, ...]:
    """The parts of a path that a user wrote, without their backticks; none if it is no path."""
    return tuple(map(unquoted, PART.findall(path))) if PATH.fullmatch(path) else ()


def unquoted(text: str) -> str:
    """The name that a user wrote with or without backticks around it."""
    name = text.strip()
    if QUOTED.fullmatch(name):
        return name[1:-1].replace("``", "`")
    return name


def names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """The names of a list, or of a text, where a comma outside backticks separates them."""
    if isinstance(value, str):
        return tuple(unquoted(name) for name in LISTED.findall(value) if name.strip())
    return tuple(unquoted(name) for name in value or ())


def table(name: TableName) -> str:
    """A table's path in backticks, each part by itself."""
    return ".".join(identifier(part) for part in name.parts)


def namespace(catalog: str, name: str) -> str:
    """A namespace's path in backticks, each level by itself."""
    return ".".join(map(identifier, (catalog, *levels(catalog, name))))


def string(value: str) -> str:
    """A string literal.

    ``${`` is written with an escape, because Spark replaces variables in the text of a
    statement before it parses it.
    """
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
    return f"'{escaped}'"


def properties(values: Mapping[str, str]) -> str:
    """A parenthesized list of ``'key' = 'value'``."""
    return "(" + ", ".join(f"{string(k)} = {string(v)}" for k, v in values.items()) + ")"


def sparks_texts(values: Mapping[str, object]) -> dict[str, str]:
    """A mapping's values in Spark's spelling, without those that are null: they are not set."""
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in values.items()
        if value is not None
    }


def literal(value: object) -> str:
    """A literal for a Python value.

    Raises:
        TypeError: the value's type has no literal here.
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return str(value)
    if isinstance(value, datetime | date):
        return string(value.isoformat(" ") if isinstance(value, datetime) else value.isoformat())
    if isinstance(value, str):
        return string(value)
    raise TypeError(f"no SQL literal for {type(value).__name__}")


SQL_TYPES = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}
"""SQL's names for types that Spark's API and Iceberg call otherwise."""


def sql_type(kind: str) -> str:
    """A column's type as SQL has it; nested types stay as they are."""
    return SQL_TYPES.get(kind, kind)


def require_escapes(spark: Any, left: str = "nothing was started") -> None:
    """Return if the session takes backslashes for escapes; ``left`` is what an error leaves.

    Raises:
        NotSupportedError: comments, properties and the rows of seeds would be other texts.
    """
    if str(spark.conf.get(KEPT, "false")).lower() == "true":
        raise _refused(left)


def refuse_to_keep(sql: str) -> None:
    """Refuse a statement after which the session would no longer do so."""
    if SETS.match(sql):
        raise _refused("the statement was not run")


def _refused(left: str) -> NotSupportedError:
    return NotSupportedError(
        f"{KEPT} is true: comments, properties and seeds would silently get wrong texts",
        left=left,
        remedy=r"remove the setting, and write a regular expression as r'\d' instead",
    )
