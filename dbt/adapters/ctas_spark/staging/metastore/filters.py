"""What is asked of a metastore's tables: Hive's filters and name patterns."""

import re
from collections.abc import Iterable

from dbt.adapters.ctas_spark.staging.context import TableName

PARAMETER = "hive_filter_field_params__"


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


def named(database: str, names: Iterable[str], prefix: str = "") -> tuple[TableName, ...]:
    """The names that do begin so: Hive's are of lower case, and its patterns ignore it."""
    return tuple(TableName(database, one) for one in names if one.startswith(prefix.lower()))
