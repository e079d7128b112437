"""What SQL tells of a catalog's tables; no answer is never "there is none"."""

import json

import pytest
from pyspark.errors import PySparkException

from ctas_spark.context import TableName
from ctas_spark.delta.facts import MAINTENANCE
from ctas_spark.errors import MetastoreError, NotSupportedError
from ctas_spark.statement.tables import (
    SqlTables,
)
from fakes.commits import commit, marker
from fakes.sql_catalog import FakeSqlCatalog, named

NAME = TableName("shop", "t", "ice")
PATH = "`ice`.`shop`.`t`"
NATIVE = {
    "ctas_spark_commit": "c2",
    "ctas_spark_level": "isolated",
    "ctas_spark_target": "ice.shop.t",
    "ctas_spark_time_ms": "2000",
}


def there(file_format: str, lineage_ms: int = 1_000) -> tuple[FakeSqlCatalog, SqlTables]:
    """A catalog with a table of the format: ours, and later published natively."""
    catalog = FakeSqlCatalog()
    ours = marker(str(NAME), commit(lineage_ms, "v1"), level="atomic")
    catalog.shown[PATH] = {**ours.to_parameters(), "format": f"{file_format}/parquet"}
    catalog.answers["SELECT md5"] = [
        {"version": "m1", "written_ms": 5_000, "marker": json.dumps(NATIVE)}
    ]
    catalog.answers["DESCRIBE HISTORY"] = [
        {"version": 7, "userMetadata": "a user's own", "operation": "OPTIMIZE"},
        {"version": 6, "userMetadata": json.dumps(NATIVE), "operation": "WRITE"},
    ]
    catalog.answers["DESCRIBE DETAIL"] = [
        {"format": "delta", "id": "i1", "partitionColumns": ["day"]}
    ]
    return catalog, SqlTables(catalog.ask, "ice", file_format)


@pytest.mark.parametrize(("file_format", "version"), [("iceberg", " m1"), ("delta", "i1 7")])
def test_a_table_is_what_its_last_commit_says(file_format: str, version: str) -> None:
    """And its properties, with our marker; caches are refreshed before it is read."""
    catalog, tables = there(file_format)
    found = tables.look(NAME)
    assert (found.commit, str(found)) == (commit(1_000, "v1"), version.strip())
    assert catalog.statements[0] == f"REFRESH TABLE {PATH}"


@pytest.mark.parametrize("file_format", ["iceberg", "delta"])
@pytest.mark.parametrize(("lineage_ms", "level"), [(1_000, "isolated"), (3_000, "atomic")])
def test_the_later_publication_decides_the_level(
    file_format: str, lineage_ms: int, level: str
) -> None:
    """That of a statement is in the properties, that of a session in the format's own history."""
    _, tables = there(file_format, lineage_ms)
    assert tables.look(NAME).level == level


@pytest.mark.parametrize("operation", sorted(MAINTENANCE))
def test_a_delta_tables_upkeep_is_told_by_its_operation(operation: str) -> None:
    """As in a session."""
    catalog, tables = there("delta")
    catalog.answers["DESCRIBE HISTORY"][0]["operation"] = operation
    facts = tables.look(NAME).facts
    assert facts is not None
    assert facts.upkeep == {7}


def test_a_table_that_is_gone_is_none() -> None:
    """Spark names that."""
    tables = SqlTables(FakeSqlCatalog().ask, "ice", "iceberg")
    assert not tables.look(NAME).exists
    assert not tables.exists(NAME)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("# Detailed View Information", ""), ("View Catalog and Namespace", "ice")], "a view"),
        ([("# Detailed Table Information", ""), ("Type", "VIEW")], "a view"),
        (
            [("# Detailed Table Information", ""), ("Provider", "parquet")],
            "a table of the format parquet",
        ),
    ],
)
def test_something_else_in_its_place_is_named(rows: list[tuple[str, str]], said: str) -> None:
    """By what DESCRIBE says of it."""
    catalog = FakeSqlCatalog()
    catalog.described[PATH] = [{"col_name": name, "data_type": text} for name, text in rows]
    found = SqlTables(catalog.ask, "ice", "iceberg").look(NAME)
    assert (found.facts, found.obstacle) == (None, said)


def test_a_column_named_like_the_heading_misleads_nobody() -> None:
    """The last heading counts."""
    catalog = FakeSqlCatalog()
    heading = "# Detailed Table Information"
    rows = [(heading, "string"), ("Type", "VIEW"), (heading, ""), ("Provider", "orc")]
    catalog.described[PATH] = [{"col_name": name, "data_type": text} for name, text in rows]
    tables = SqlTables(catalog.ask, "ice", "iceberg")
    assert tables.obstacle(NAME) == "a table of the format orc"


def test_no_answer_is_an_error() -> None:
    """Whatever is asked."""
    catalog, tables = there("iceberg")
    catalog.failure = named("SOMETHING")
    for ask in (tables.find, tables.exists, tables.obstacle, tables.drop):
        with pytest.raises(MetastoreError):
            ask(NAME)
    with pytest.raises(MetastoreError):
        tables.tables("shop")
    with pytest.raises(MetastoreError):
        tables.has_namespace("shop")


def test_a_table_is_dropped_where_the_catalog_purges_none() -> None:
    """Nessie's tables share files: its own garbage collector removes them."""
    catalog, tables = there("iceberg")

    def told(statement: str) -> None:
        if statement.endswith("PURGE"):
            raise PySparkException("Cannot purge table: GC is disabled")

    catalog.before = told
    catalog.write(PATH, "rows", {})
    tables.drop(NAME)
    assert catalog.shown == {}


def test_temporary_views_are_in_no_namespace() -> None:
    """SHOW TABLES lists them everywhere."""
    _, tables = there("iceberg")
    assert tables.tables("shop") == (NAME,)


def test_a_table_of_a_newer_release_is_not_touched() -> None:
    """Its marker says what it is; a clone's marker counts as none."""
    catalog, tables = there("iceberg")
    catalog.shown[PATH]["ctas_spark_format"] = "2"
    with pytest.raises(NotSupportedError, match="a newer release"):
        tables.look(NAME)
    catalog.shown[PATH]["ctas_spark_target"] = "ice.shop.original"
    assert tables.look(NAME).exists


def test_the_time_is_the_drivers() -> None:
    """That of a server, where Spark is on one."""
    catalog, tables = there("iceberg")
    assert tables.driver.now_ms() == catalog.clock.wall
