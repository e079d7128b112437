"""save_as from a client of Spark Connect."""

import pytest
from pyspark import SparkContext

from ctas_spark import AtomicityNotSupportedError, ConcurrentWriteError, history, save_as
from remote.place import ONLY_CONNECT, Place
from servers.remote import ICEBERG


@ONLY_CONNECT
def test_a_dataframe_is_published_from_a_client(place: Place) -> None:
    """As an Iceberg table and as a Delta table, each also by what was read of it."""
    spark, schema = place.server.new_session(), place.project.schema
    for catalog, using in ((ICEBERG, "iceberg"), ("spark_catalog", "delta")):
        spark.sql(f"CREATE SCHEMA {catalog}.{schema}")
        table = f"{catalog}.{schema}.orders"
        first = save_as(spark.range(3), table).using(using).create()
        second = save_as(spark.table(table).where("id > 0"), table).using(using).replace()
        assert sorted(place.rows(f"select id from {table}")) == [(1,), (2,)]
        found = [one.version for one in history(table, spark=spark)]
        assert found[:2] == [second.version, first.version]
    with pytest.raises(AtomicityNotSupportedError, match="over Spark Connect"):
        save_as(spark.range(3), f"spark_catalog.{schema}.files").create()
    assert [one.name for one in spark.catalog.listTables() if one.isTemporary] == []
    spark.stop()
    assert SparkContext._gateway is None  # noqa: SLF001 (no JVM was started here)


@ONLY_CONNECT
def test_a_client_that_loses_a_race_is_told_who_won(place: Place) -> None:
    """Where only rows change, an Iceberg table reaches isolated."""
    spark, schema = place.server.new_session(), place.project.schema
    spark.sql(f"CREATE SCHEMA {ICEBERG}.{schema}")
    table = f"{ICEBERG}.{schema}.orders"
    save_as(spark.range(3), table).create()
    staged = save_as(spark.range(9), table).staged("replace")
    assert staged.__enter__().dataframe.count() == 9
    won = save_as(spark.range(4), table).replace()
    with pytest.raises(ConcurrentWriteError, match=str(won.version)):
        staged.__exit__(None, None, None)
    assert place.rows(f"select count(*) from {table}") == [(4,)]
    spark.stop()
