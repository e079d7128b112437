"""A table's columns as Spark reads them, out of its entry."""

import json
from collections.abc import Mapping

from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry

SCHEMA = "spark.sql.sources.schema"


def spark_columns(entry: TableEntry) -> dict[str, str]:
    """Type by column name; the metastore's own columns where Spark wrote none.

    Formats that Hive can't read have one made-up column in the metastore, and Spark keeps the
    schema in parameters, in parts where it is long.
    """
    text = entry.parameters.get(SCHEMA) or _in_parts(entry)
    if not text:
        return dict(entry.columns)
    return {field["name"]: _type(field["type"]) for field in json.loads(text)["fields"]}


def change_between(before: TableEntry, after: TableEntry) -> str:
    """What changed: ``+added: type``, ``-removed``, ``name: old -> new``; empty if nothing did."""
    return change_of(spark_columns(before), spark_columns(after))


def change_of(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """The same of columns: type by name."""
    added = [f"+{name}: {kind}" for name, kind in new.items() if name not in old]
    removed = [f"-{name}" for name in old if name not in new]
    changed = [
        f"{name}: {old[name]} -> {kind}"
        for name, kind in new.items()
        if name in old and old[name] != kind
    ]
    return ", ".join([*added, *removed, *changed])


def _in_parts(entry: TableEntry) -> str:
    count = entry.parameters.get(f"{SCHEMA}.numParts", "0")
    parts = [entry.parameters.get(f"{SCHEMA}.part.{number}", "") for number in range(int(count))]
    return "".join(parts)


def _type(kind: object) -> str:
    """A simple type's name; of a nested one, its kind."""
    return kind if isinstance(kind, str) else str(kind["type"])  # type: ignore[index]
