"""Tables that are made of their own rows, while others write to them."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from ctas_spark import ConcurrentWriteError, TableWriter, create_table, save_as
from ctas_spark.context import TableName
from ctas_spark.engines import plans
from ctas_spark.engines.session import SessionEngine

ROWS = "SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t (id, part)"
INSERT, COUNT = "INSERT INTO {} VALUES (3, 'a')", "ANALYZE TABLE {} COMPUTE STATISTICS"
AS_MANY = "INSERT OVERWRITE {} SELECT * FROM VALUES (7, 'a'), (8, 'b') AS t (id, part)"
COUNT_ALL = "spark.sql.statistics.size.autoUpdate.enabled"


def ids(spark: SparkSession, table: str) -> list[int]:
    """What a new session reads."""
    return sorted(row.id for row in spark.newSession().table(table).collect())


def writer(frame: DataFrame, table: str, part: str) -> TableWriter:
    """A publication, partitioned or not."""
    made = save_as(frame, table)
    return made.partitionedBy(part) if part else made


def published_elsewhere(spark: SparkSession, table: str) -> None:
    """By another process, of which no session here knows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SessionEngine, "refresh", lambda *_named: None)
        save_as(spark.newSession().range(100, 101), table).replace()


def remembered(spark: SparkSession, schema: str) -> str:
    """A table that the session has read before another process published it anew."""
    table = f"{schema}.remembered"
    save_as(spark.range(1), table).create()
    assert spark.table(table).count() == 1
    published_elsewhere(spark, table)
    assert [row.id for row in spark.table(table).collect()] == [0]
    return table


def test_a_query_reads_its_own_table_as_it_is_at_begin(spark: SparkSession, schema: str) -> None:
    """Whatever the session has remembered of it: the other's commit is not lost."""
    table = remembered(spark, schema)
    query = f"SELECT id FROM {table} UNION ALL SELECT 7L"
    create_table(table, {"staging_purpose": "replace"}, query, spark=spark)
    assert ids(spark, table) == [7, 100]


def test_a_dataframe_of_an_older_version_is_refused(spark: SparkSession, schema: str) -> None:
    """Made again it is right; and by its path an old version is read on purpose."""
    table = remembered(spark, schema)
    old = spark.table(table).inputFiles()
    with pytest.raises(ConcurrentWriteError, match="make the DataFrame again"):
        save_as(spark.table(table).union(spark.range(7, 8)), table).replace()
    assert ids(spark, table) == [100]
    save_as(spark.table(table).union(spark.range(7, 8)), table).replace()
    assert ids(spark, table) == [7, 100]
    save_as(spark.read.parquet(*old), table).replace()
    assert ids(spark, table) == [0]


def test_a_dataframe_that_lacks_another_writers_rows_is_refused(
    spark: SparkSession, schema: str
) -> None:
    """It keeps the list of files that it was made of; an INSERT adds to them in place."""
    table = f"{schema}.listed"
    save_as(spark.range(1), table).create()
    frame = spark.table(table).union(spark.range(7, 8))
    spark.newSession().sql(f"INSERT INTO {table} VALUES (100)")
    with pytest.raises(ConcurrentWriteError, match="make the DataFrame again"):
        save_as(frame, table).replace()
    assert ids(spark, table) == [0, 100]


def test_every_session_that_publishes_sees_what_another_has_published(
    spark: SparkSession, schema: str
) -> None:
    """Each remembers the location of what it has read, until a commit in the process."""
    table, other = f"{schema}.seen", spark.newSession()
    save_as(spark.range(1), table).create()
    save_as(other.range(2), table).replace()
    assert spark.table(table).count() == 2
    save_as(spark.range(3), table).replace()
    assert other.table(table).count() == 3


WRITES: list[tuple[str, list[str]]] = [
    ("false", [INSERT]),
    ("true", [INSERT]),
    ("false", [AS_MANY]),
    ("true", [AS_MANY]),
    ("false", [AS_MANY, COUNT]),
]
"""Whether Spark counts after each, and the statements."""


def streams(spark: SparkSession, table: str, directory: Path) -> list[int]:
    """A stream into the table, which counts nothing; what the table holds then."""
    spark.sql("SELECT 3 AS id, 'a' AS part").write.mode("overwrite").parquet(f"{directory}/from")
    stream = spark.readStream.schema("id int, part string").parquet(f"{directory}/from")
    sink = stream.writeStream.option("checkpointLocation", f"{directory}/{table}")
    if "part=" in spark.table(table).inputFiles()[0]:
        sink = sink.partitionBy("part")
    sink.trigger(availableNow=True).toTable(table).awaitTermination()
    return ids(spark, table)


def writes(spark: SparkSession, table: str, counts: str, statements: list[str]) -> list[int]:
    """Statements in a session of their own; what the table holds then."""
    spark.conf.set(COUNT_ALL, counts)
    for statement in statements:
        spark.sql(statement.format(table))
    return ids(spark, table)


ANALYZE = ("", " NOSCAN", " FOR ALL COLUMNS")


@pytest.mark.parametrize("part", ["", "part"])
def test_rows_that_others_write_meanwhile_are_not_lost(
    spark: SparkSession, schema: str, tmp_path: Path, part: str
) -> None:
    """Each kind of INSERT is a conflict for what holds the rows of before, and no ANALYZE is."""
    table = f"{schema}.meanwhile{part}"
    writer(spark.sql(ROWS), table, part).create()
    acts = [partial(writes, counts=counts, statements=told) for counts, told in WRITES]
    for act in (*acts, partial(streams, directory=tmp_path)):
        others = spark.newSession()
        spark.catalog.refreshTable(table)
        old_rows = writer(spark.table(table), table, part).on_conflict("overwrite")
        with pytest.raises(ConcurrentWriteError, match="data files"), old_rows.staged():
            left = act(others, table)
        assert ids(spark, table) == left
    spark.catalog.refreshTable(table)
    for how in ANALYZE:
        with writer(spark.table(table), table, part).staged() as staged:
            spark.newSession().sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS{how}")
        assert staged.publication.version in spark.table(table).inputFiles()[0]


def test_rows_in_a_partition_outside_the_table_are_not_lost(
    spark: SparkSession, schema: str, tmp_path: Path
) -> None:
    """Only the metastore knows where it lies."""
    table = f"{schema}.scattered"
    spark.sql(
        f"CREATE TABLE {table} (id int, part string) USING parquet PARTITIONED BY (part) "
        f"LOCATION '{tmp_path}/main'"
    )
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a')")
    spark.sql(f"ALTER TABLE {table} ADD PARTITION (part = 'b') LOCATION '{tmp_path}/elsewhere'")
    with (
        pytest.raises(ConcurrentWriteError, match="data files"),
        writer(spark.table(table), table, "part").staged(),
    ):
        spark.newSession().sql(f"INSERT INTO {table} VALUES (9, 'b')")
    assert ids(spark, table) == [1, 9]


def test_a_plan_tells_which_tables_it_reads(spark: SparkSession, schema: str) -> None:
    """Through views, subqueries and common table expressions; a name alone proves nothing."""
    spark.sql(f"CREATE TABLE {schema}.own USING parquet AS SELECT 1 AS id")
    spark.sql(f"CREATE TABLE {schema}.own_too USING parquet AS SELECT 1 AS id")
    spark.sql(f"CREATE VIEW {schema}.over AS SELECT id FROM {schema}.own")
    spark.sql(f"SELECT max(id) AS id FROM {schema}.over").createOrReplaceTempView("temporary")
    table = TableName(schema, "own")
    reading = (
        "SELECT * FROM OWN",
        f"SELECT * FROM {schema}.over",
        "SELECT 1 WHERE 1 IN (SELECT id FROM own)",
        "SELECT (SELECT id FROM temporary) AS id",
        "WITH own_too AS (SELECT * FROM own) SELECT * FROM own_too",
        "SELECT a.id FROM own a JOIN own b ON a.id = b.id",
    )
    found = [plans.reads(spark, query, table) for query in reading]
    assert found == [found[0]] * len(reading)
    (read,) = found[0]
    assert read.location.endswith("/own")
    assert len(read.files) == 1
    directory = read.location.removeprefix("file:")
    for query in (
        "SELECT * FROM own_too",
        f"SELECT '{schema}.own' AS text",
        f"SELECT * FROM parquet.`{directory}`",
        "SELECT * FROM no_such_table",
        "SELECT of nothing",
        "DROP TABLE own_too",
    ):
        assert plans.reads(spark, query, table) == frozenset(), query
    assert spark.table("own_too").count() == 1


def test_a_plan_whose_text_is_cut_tells_as_much(spark: SparkSession, schema: str) -> None:
    """Spark cuts it at a length that users set, and the tables stand at its end."""
    spark.sql(f"CREATE TABLE {schema}.own USING parquet AS SELECT 1 AS id")
    session = spark.newSession()
    session.conf.set("spark.sql.maxPlanStringLength", "60")
    (read,) = plans.reads(session, f"SELECT * FROM {schema}.own", TableName(schema, "own"))
    assert read.location.endswith("/own")


def size(spark: SparkSession, table: str) -> int:
    """Spark's own estimate."""
    plan: Any = spark.newSession().table(table)._jdf.queryExecution().optimizedPlan()  # noqa: SLF001 (the plan)
    return int(str(plan.stats().sizeInBytes()))


@pytest.mark.parametrize("part", ["", "part"])
def test_spark_joins_a_published_table_like_a_plain_one(
    spark: SparkSession, schema: str, part: str
) -> None:
    """It broadcasts what is small, and by its own estimate nothing that is not."""
    rows = spark.range(30_000).selectExpr(
        "id", "sha2(cast(id AS string), 256) AS text", "id % 2 AS part"
    )
    save_as(spark.range(200_000), f"{schema}.fact").create()
    session = spark.newSession()
    session.conf.set("spark.sql.autoBroadcastJoinThreshold", "200KB")
    for name, frame, join in (
        ("large", rows, "SortMergeJoin"),
        ("small", rows.limit(100), "Broadcast"),
    ):
        ours, plain = f"{schema}.{name}{part}", f"{schema}.{name}_plain{part}"
        written = writer(frame, ours, part).create()
        (frame.write.partitionBy(part) if part else frame.write).saveAsTable(plain)
        spark.sql(f"ANALYZE TABLE {plain} COMPUTE STATISTICS")
        assert abs(size(spark, ours) - int(written.bytes or 0)) <= 0.1 * int(written.bytes or 0)
        for table in (ours, plain):
            query = f"EXPLAIN SELECT count(*) FROM {schema}.fact f JOIN {table} t ON f.id = t.id"
            assert join in session.sql(query).collect()[0][0], table
