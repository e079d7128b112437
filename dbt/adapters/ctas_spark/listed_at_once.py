"""What the tables and views of a schema are: by the catalog's own entries, or by what Spark shows.

A comment can hold any line of what Spark shows of a table, so no line below one counts.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from ctas_spark.catalogs.kinds import (
    ICEBERG,
    SESSION_OF_ICEBERG,
    implementation_of,
)
from ctas_spark.catalogs.settings import CATALOG_OF_DELTA
from ctas_spark.context import SESSION_CATALOG
from ctas_spark.engines import jvm
from ctas_spark.files.base import TOTAL_ROWS, TOTAL_SIZE
from ctas_spark.files.schema import columns_of
from ctas_spark.metastore.client import PROVIDER as PROVIDED_BY
from ctas_spark.metastore.client import TableEntry
from ctas_spark.publish.marker import CLONE

LISTED_BY_METASTORE = (None, CATALOG_OF_DELTA, SESSION_OF_ICEBERG)
"""Session catalogs that ask the metastore when the statement runs; others may list otherwise."""
VIEW = "VIEW"
HIVE = "hive"
"""What Spark calls the provider of an Iceberg table in the session catalog."""
HEAD = re.compile(
    r"\A(?:Catalog: .*\n)?Database: .*\nTable: .*\n(?:(?!Type: ).*\n)*"
    r"Type: (?P<type>.*)\n?(?:Provider: (?P<provider>.*)\n?)?"
)
"""The first lines of a table or view in the session catalog; its comment comes later."""
PROPERTIES = "\nTable Properties: ["
OF_ICEBERG = re.compile(r"(?:\[|, )table_type=iceberg(?:, |\]\n|\]\Z)", re.IGNORECASE)
PROVIDER = re.compile(r"^Provider: (.*)$", re.MULTILINE)
COMMENTED = re.compile(r"^Comment: ", re.MULTILINE)
SCHEMA = "\nSchema: root\n"


@dataclass(frozen=True, slots=True)
class Listed:
    """A table or view; ``information`` is what Spark shows of it, for dbt's docs."""

    database: str
    name: str
    is_view: bool = False
    provider: str = ""
    information: str = ""
    is_clone: bool = False

    @property
    def known(self) -> dict[str, Any]:
        """What a relation knows of it."""
        formats = {f"is_{one}": self.provider == one for one in ("delta", "hudi", "iceberg")}
        return {**formats, "is_clone": self.is_clone, "information": self.information}


def rows(spark: Any, database: str) -> list[Listed]:
    """Those of a schema of the session catalog, in a few calls of the metastore.

    SHOW TABLE EXTENDED asks for one table after the other: of 5,000 tables, 5,000 times.

    Returns:
        Nothing where the statement has to be run, or is to fail.
    """
    if not jvm.is_local(spark):
        return []
    if implementation_of(spark, SESSION_CATALOG) not in LISTED_BY_METASTORE:
        return []
    try:
        return [of_entry(*one) for one in jvm.described_tables(spark, database)]
    except (Py4JError, PySparkException):
        return []


def of_entry(entry: Mapping[str, Any], shown: str) -> Listed:
    """By the catalog's entry; ``shown`` is the same as Spark prints it."""
    path, provider = entry["identifier"], str(entry["provider"] or "").lower()
    is_iceberg = str(entry["properties"].get("table_type")).lower() == ICEBERG
    return Listed(
        path["database"],
        path["table"],
        entry["tableType"]["name"] == VIEW,
        ICEBERG if is_iceberg else provider,
        shown.replace(f"\nComment: {entry['comment']}\n", "\n", 1) if entry["comment"] else shown,
        CLONE in entry["properties"],
    )


def of_metastore(entry: TableEntry) -> Listed:
    """By the metastore's own entry."""
    is_iceberg = entry.parameters.get("table_type", "").lower() == ICEBERG
    provider = entry.parameters.get(PROVIDED_BY, "" if entry.is_view else HIVE).lower()
    return Listed(
        entry.name.database,
        entry.name.table,
        entry.is_view,
        ICEBERG if is_iceberg else provider,
        "\n".join(_shown(entry, provider)) + "\n",
        CLONE in entry.parameters,
    )


def _shown(entry: TableEntry, provider: str) -> Iterator[str]:
    """What Spark shows, as far as dbt's docs read it."""
    kind = VIEW if entry.is_view else "MANAGED" if entry.is_managed else "EXTERNAL"
    yield f"Database: {entry.name.database}"
    yield f"Table: {entry.name.table}"
    yield f"Owner: {entry.owner}"
    yield f"Type: {kind}"
    if provider:
        yield f"Provider: {provider}"
    size = entry.parameters.get(TOTAL_SIZE) or entry.parameters.get("totalSize")
    rows = entry.parameters.get(TOTAL_ROWS)
    if size:
        yield f"Statistics: {size} bytes" + (f", {rows} rows" if rows else "")
    if entry.location:
        yield f"Location: {entry.location}"
    yield "Schema: root"
    for name, column in columns_of(entry).items():
        yield f" |-- {name}: {column} (nullable = true)"


def of_statement(database: str, name: str, shown: str) -> Listed | None:
    """By what SHOW TABLE EXTENDED shows; None if a comment or a property may have said it."""
    if found := HEAD.match(shown):
        provider = (found["provider"] or "").lower()
        if provider == HIVE and OF_ICEBERG.search(shown):
            if shown.count(PROPERTIES) > 1:
                return None
            is_iceberg = OF_ICEBERG.search("[" + shown.partition(PROPERTIES)[2])
            provider = ICEBERG if is_iceberg else provider
        return Listed(database, name, found["type"] == VIEW, provider, shown)
    providers = PROVIDER.findall(shown)
    if providers and COMMENTED.search(shown):
        return None
    return Listed(database, name, provider=(providers or [""])[0].lower(), information=shown)


def of_description(database: str, name: str, details: Mapping[str, str]) -> Listed:
    """By what DESCRIBE says, in cells, below its last heading."""
    shown = "\n".join(f"{label}: {value}" for label, value in details.items() if label != "Comment")
    is_view, provider = details.get("Type") == VIEW, details.get("Provider", "").lower()
    return Listed(database, name, is_view, provider, shown)


def without_texts(shown: str) -> str:
    """Owner, statistics and columns, without what a comment or a property may say of them."""
    above, schema, columns = shown.rpartition(SCHEMA)
    owners = [one for one in above.splitlines() if one.startswith("Owner: ")]
    statistics = [one for one in above.splitlines() if one.startswith("Statistics: ")]
    return "\n".join((*owners[:1], *statistics[-1:])) + schema + columns
