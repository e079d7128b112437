"""What a schema's listing in a few calls says, next to SHOW TABLE EXTENDED."""

import pytest
from pyspark.sql import SparkSession

from ctas_spark.engines import jvm
from dbt.adapters.ctas_spark import listed_at_once
from functional.outside import Outside

SPOOF = "a\nTable: b\nType: VIEW\nProvider: delta\nTable Properties: [table_type=ICEBERG]"


def test_a_listing_says_what_the_statement_says(
    spark: SparkSession, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of tables and views, in calls for two at a time; it leaves out temporary views, and comments.

    What each of them is comes from its entry: no comment or property changes that.
    """
    schema = outside.schema
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    spark.sql(f"CREATE TABLE {schema}.Orders (n INT, p INT) USING parquet PARTITIONED BY (p)")
    spark.sql(f"CREATE TABLE {schema}.lines (n STRUCT<a: INT>) USING orc COMMENT '{SPOOF}'")
    spark.sql(f"CREATE TABLE {schema}.hive_s (n INT) USING hive TBLPROPERTIES ('a' = '{SPOOF}')")
    spark.sql(f"CREATE VIEW {schema}.recent COMMENT '{SPOOF}' AS SELECT 1 AS n")
    spark.range(1).createOrReplaceTempView("of_this_session")
    monkeypatch.setattr(jvm, "ASKED_AT_ONCE", 2)
    found = {one.name: one for one in listed_at_once.rows(spark, schema)}
    shown = spark.sql(f"SHOW TABLE EXTENDED IN {schema} LIKE '*'").collect()
    spark.catalog.dropTempView("of_this_session")
    kinds = {name: (one.is_view, one.provider) for name, one in found.items()}
    assert kinds == {
        "orders": (False, "parquet"),
        "lines": (False, "orc"),
        "hive_s": (False, "hive"),
        "recent": (True, ""),
    }
    texts = {row[1]: row[3].replace(f"Comment: {SPOOF}\n", "") for row in shown if not row[2]}
    assert {name: one.information.strip() for name, one in found.items()} == {
        name: text.strip() for name, text in texts.items()
    }
    for row in shown:
        told = listed_at_once.of_statement(row[0], row[1], row[3]) if not row[2] else None
        assert told is None or (told.is_view, told.provider) == kinds[told.name]


def test_a_table_that_is_dropped_meanwhile_is_left_to_the_statement(
    spark: SparkSession, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listing that leaves out what is there would let incremental models begin anew."""
    schema = outside.schema
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    for name in ("kept", "dropped"):
        spark.sql(f"CREATE TABLE {schema}.{name} (n INT) USING parquet")
    assert len(listed_at_once.rows(spark, schema)) == 2
    catalog = jvm.session_catalog(spark)

    class DropsOne:
        """The session's catalog, where a table goes after the names were listed."""

        def listTables(self, *asked: object) -> object:  # noqa: N802 (Spark's name)
            names = catalog.listTables(*asked)
            spark.sql(f"DROP TABLE {schema}.dropped")
            return names

        def getTablesByName(self, names: object) -> object:  # noqa: N802 (Spark's name)
            return catalog.getTablesByName(names)

    monkeypatch.setattr(jvm, "session_catalog", lambda _: DropsOne())
    assert listed_at_once.rows(spark, schema) == []


def test_a_schema_that_is_not_there_is_left_to_the_statement(spark: SparkSession) -> None:
    """Its error says so, to those who ask; here it is not told from an empty one."""
    assert listed_at_once.rows(spark, "no_such_schema") == []
