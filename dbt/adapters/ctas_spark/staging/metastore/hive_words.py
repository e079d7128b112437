"""A Hive metastore's own words: its filters, name patterns, names of partitions and refusals."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    ColumnsRefusedError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from dbt.adapters.ctas_spark.staging.metastore.client import Partition

PARAMETER = "hive_filter_field_params__"

MODIFIED = "The table has been modified"
NO_SUCH_TABLE = "table not found"
NOWHERE_TO_ADD = "because database or table"
TAKEN = "already exists"
INCOMPATIBLE = "types incompatible with the existing columns"
EXISTS = ("AlreadyExistsException",)
MISSING = ("NoSuchObjectException", "UnknownDBException", "NoSuchLockException")
REFUSED = ("InvalidOperationException", "InvalidObjectException", "InvalidInputException")


def parameter_is(parameter: str, value: str) -> str:
    """The filter for tables of which ``parameter`` is ``value``.

    Raises:
        ValueError: Hive's filters have no words for it. Their names are letters, digits and
            underscores, and a quote in a literal can't be escaped.
    """
    quote = "'" if '"' in value else '"'
    if quote in value or not re.fullmatch(r"\w+", parameter, re.ASCII):
        raise ValueError(f"a metastore can't be asked for {parameter} = {value!r}")
    return f"{PARAMETER}{parameter} = {quote}{value}{quote}"


def begins_with(prefix: str) -> str:
    """The pattern for names that begin so, or for all where a character could be special."""
    return f"{prefix}*" if re.fullmatch(r"\w*", prefix, re.ASCII) else "*"


def tables_named(database: str, names: Iterable[str], prefix: str = "") -> tuple[TableName, ...]:
    """The names that do begin so: Hive's are of lower case, and its patterns ignore it."""
    return tuple(TableName(database, one) for one in names if one.startswith(prefix.lower()))


def values_in(partition_name: str) -> tuple[str, ...]:
    """The values in a name such as ``day=2026-11-21/path=a%2Fb``.

    Hive escapes single characters of ASCII, as in a URL.
    """
    return tuple(unquote(part.partition("=")[2]) for part in partition_name.split("/"))


def names_of(partitions: Iterable[Partition], names: Iterable[str]) -> tuple[str, ...]:
    """Those of a server's own names that belong to these partitions: it alone knows its escapes."""
    values = {partition.values for partition in partitions}
    return tuple(name for name in names if values_in(name) in values)


def error(kind: str, text: str) -> MetastoreError:
    """The error for an exception of class ``kind``: what is no refusal may have had its effect."""
    if MODIFIED in text:
        return EntryModifiedError(text)
    if INCOMPATIBLE in text:
        return ColumnsRefusedError(text)
    if kind in EXISTS:
        return EntryExistsError(text)
    if kind in MISSING or text.endswith(NO_SUCH_TABLE) or NOWHERE_TO_ADD in text:
        return EntryMissingError(text)
    if kind in REFUSED:
        return EntryExistsError(text) if text.endswith(TAKEN) else RefusedError(text)
    return MetastoreError(text)
