"""A seed's rows as a query: they travel as text in its statement, which every connection takes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from pyspark.errors import PySparkException

from ctas_spark import quoting
from ctas_spark.errors import ConfigurationError, InvalidSeedValueError
from dbt.adapters.ctas_spark import dbt_edge
from dbt.adapters.ctas_spark.column import INTEGERS

MOST_OF_A_VALUE = 100
ROWS_A_TEXT = 1_000
"""So many rows are one literal: Spark parses a few long texts much faster than many short ones."""

SIZED = re.compile(r"\s*(?:var)?char(?:acter)?\s*\(\s*(\d+)\s*\)\s*", re.IGNORECASE)
"""A text's type with its length."""
KNOWN = INTEGERS | {"string", "boolean", "float", "double", "date", "timestamp"}
"""Types that Spark need not be asked for."""
NO_FRACTION = "[.]0*$"
"""What a whole number may end with, for an integer."""
WITHOUT_ZONE = (
    "[+-]?[0-9]{4,}(-[0-9]{1,2}(-[0-9]{1,2}"
    "([T ]([0-9]{1,2}(:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]*)?)?)?)?)?)?)?"
)
"""What a cast to ``timestamp_ntz`` keeps all of; it would drop a zone, and so move the time."""
CORRECT = "correct it, or the type in column_types"
IN_BATCHES = (
    "the seed is dropped, created and filled in batches; until that is done, readers find no "
    "table, or only a part of its rows"
)


@dataclass(frozen=True, slots=True)
class SeedColumn:
    """A column of the table: its name as SQL, and Spark's type, to which its text is cast."""

    name: str
    type: str


def columns(adapter: Any, table: Any, config: Mapping[str, Any]) -> list[SeedColumn]:
    """Those of what dbt has read, with the types and the quotes that the seed's config asks for."""
    types, quoted = config.get("column_types") or {}, config.get("quote_columns")
    return [
        SeedColumn(
            adapter.quote_seed_column(name, quoted),
            types.get(name) or adapter.convert_type(table, number),
        )
        for number, name in enumerate(table.column_names)
    ]


def check_types(seed: str, config: Mapping[str, Any], names: Sequence[str], spark: Any) -> None:
    """Return if Spark knows the types that the seed's config gives to columns.

    A name that the file lacks may be another seed's, for which a folder's config is, too. But one
    in another case is this seed's: dbt has read the column by another type already.

    Raises:
        ConfigurationError: it names each other type, in whose place Spark would show the seed's
            statement, which nobody has written; and each name in another case.
    """
    spelt = {name.lower(): name for name in names}
    asked = config.get("column_types") or {}
    if problems := [
        f"column_types: {name}: the file's column is {spelt[name.lower()]}; write it so"
        for name in asked
        if name.lower() in spelt and name not in names
    ]:
        raise ConfigurationError(seed, problems)
    types = {name: str(kind) for name, kind in (config.get("column_types") or {}).items() if kind}
    refused = {name: _refused(kind, spark) for name, kind in types.items()}
    if problems := [
        f"column_types: {name}: Spark refuses the type {types[name]!r}: {why}"
        for name, why in refused.items()
        if why
    ]:
        raise ConfigurationError(seed, problems)


def _refused(kind: str, spark: Any) -> str:
    """Why Spark has no such type, in its words; empty if it has."""
    if kind.strip().lower() in KNOWN:
        return ""
    try:
        _ = spark.sql(f"SELECT CAST(NULL AS {kind}) AS value").columns
    except PySparkException as error:
        return dbt_edge.message(error).splitlines()[0]
    return ""


def query(columns: Sequence[SeedColumn], rows: Iterable[Sequence[object]]) -> str:
    """Select the rows; ``rows`` holds what dbt has read of the file, None for an empty value.

    Rows that Spark can't read, and values that don't fit a column's type, fail the statement; by
    default Spark would leave them out.
    """
    texts = ", ".join(
        f"({number * ROWS_A_TEXT}, {quoting.string(text)})"
        for number, text in enumerate(_texts(rows))
    )
    selected = ", ".join(
        f"{_value(f'one[{number}]', column)} AS {column.name}"
        for number, column in enumerate(columns)
    )
    read = "from_json(text, 'ARRAY<ARRAY<STRING>>', map('mode', 'FAILFAST'))"
    numbered = f"skipped, posexplode({read}) AS (place, one)"
    each = f"SELECT {numbered} FROM VALUES {texts} AS texts(skipped, text)"  # noqa: S608 (quoted)
    return f"SELECT {selected} FROM ({each})"  # noqa: S608 (quoted, and types of the user's)


def _value(text: str, column: SeedColumn) -> str:
    """A text as the column's type, or an error that says in which row it does not fit."""
    kind = column.type.strip().lower()
    if kind == "string":
        return f"CAST({text} AS {column.type})"
    number = f"regexp_replace(trim({text}), {quoting.string(NO_FRACTION)}, '')"
    value = f"try_cast({number if kind in INTEGERS else text} AS {column.type})"
    if kind == "timestamp_ntz":
        whole = quoting.string(f"^{WITHOUT_ZONE}$")
        value = f"IF(trim({text}) RLIKE {whole}, {value}, NULL)"
    where = quoting.string(f" below the header, column {quoting.unquoted(column.name)}: '")
    wrong = quoting.string(f"' does not fit the type {column.type}; {CORRECT}")
    name = quoting.string(f"[{InvalidSeedValueError.name}] row ")
    shown = f"left({text}, {MOST_OF_A_VALUE})"
    error = f"raise_error(concat({name}, skipped + place + 1, {where}, {shown}, {wrong}))"
    if sized := SIZED.fullmatch(column.type):  # to a cast, these are strings of any length
        return f"IF(char_length({text}) > {sized[1]}, {error}, {value})"
    return f"coalesce({value}, IF({text} IS NULL, NULL, {error}))"


def _texts(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """At least one array of rows: a relation without any is no SQL."""
    found = [[text_of(value) for value in row] for row in rows]
    for first in range(0, max(1, len(found)), ROWS_A_TEXT):
        some = found[first : first + ROWS_A_TEXT]
        yield json.dumps(some, ensure_ascii=False, separators=(",", ":"))


def text_of(value: object) -> str | None:
    """The text from which Spark's CAST makes the value again."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.isoformat() if isinstance(value, date) else str(value)
