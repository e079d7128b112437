"""save_as: DataFrames published by the adapter's own commit."""

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions

from ctas_spark import (
    Atomicity,
    ConcurrentWriteError,
    ConfigurationError,
    NoSuchSchemaError,
    NoSuchTableError,
    NotSupportedError,
    Outcome,
    TableAlreadyExistsError,
    create_table,
    history,
    save_as,
    vacuum,
)
from functional.outside import Outside

GROUP = "spark.jobGroup.id"


def ids(spark: SparkSession, table: str) -> list[int]:
    """What a new session reads."""
    return sorted(row.id for row in spark.newSession().table(table).collect())


def audit_badly(spark: SparkSession, table: str) -> None:
    """Readers have the old version meanwhile; the audit itself fails."""
    with save_as(spark.range(3), table).staged() as staged:
        assert ids(spark, table) == [0]
        staged.dataframe.limit(1 // 0)


def test_each_purpose_does_what_its_name_says(spark: SparkSession, schema: str) -> None:
    """To a table that is there, and to one that is not; an error advises another of them."""
    table = f"{schema}.orders"
    with pytest.raises(NoSuchTableError, match=r"create it first, or call create_or_replace\(\)"):
        save_as(spark.range(1), table).replace()
    first = save_as(spark.range(2), table).create()
    instead = r"call create_or_replace\(\) or create_if_not_exists\(\)"
    with pytest.raises(TableAlreadyExistsError, match=instead):
        save_as(spark.range(9), table).create()
    kept = save_as(spark.range(9), table).create_if_not_exists()
    assert (kept.outcome, kept.version, kept.rows) == (Outcome.KEPT, None, None)
    assert ids(spark, table) == [0, 1]
    second = save_as(spark.range(3), table).replace()
    third = save_as(spark.range(4), table).create_or_replace()
    assert (first.base, second.base, third.base) == (None, first.version, second.version)
    assert ids(spark, table) == [0, 1, 2, 3]
    assert [one.version for one in history(table)] == [
        third.version,
        second.version,
        first.version,
    ]


@pytest.mark.looks_at_every_table
def test_the_session_catalog_is_found_from_another_current_one(
    spark: SparkSession, schema: str
) -> None:
    """Staged, published, looked up and freed, all in spark_catalog."""
    session = spark.newSession()
    there = "spark.sql.catalog.elsewhere"
    session.conf.set(there, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    session.conf.set(f"{there}.url", "jdbc:derby:memory:elsewhere;create=true")
    session.conf.set(f"{there}.driver", "org.apache.derby.jdbc.EmbeddedDriver")
    session.sql("USE elsewhere")
    table = f"spark_catalog.{schema}.parted"
    for count in (1, 2, 3):
        writer = save_as(session.range(count).selectExpr("id", "id AS k"), table).partitionedBy("k")
        writer.comment("some").create_or_replace()
    assert ids(spark, f"{schema}.parted") == [0, 1, 2]
    swept = vacuum(table, older_than=0, spark=session)
    assert (len(swept.freed), len(swept.kept)) == (1, 2)


def test_a_cached_dataframe_stays_cached(spark: SparkSession, schema: str) -> None:
    """Two tables of one cached DataFrame have the same rows, even if its query gives others."""
    frame = spark.range(3).selectExpr("uuid() AS id").cache()
    frame.count()
    for table in ("orders", "copy"):
        save_as(frame, f"{schema}.{table}").create()
    assert ids(spark, f"{schema}.orders") == ids(spark, f"{schema}.copy")
    frame.unpersist()


def test_the_outcome_says_what_was_published_and_how(spark: SparkSession, schema: str) -> None:
    """Level, reader window, conflict check, rows, bytes, files and seconds."""
    done = save_as(spark.range(5), f"{schema}.orders").atomicity("isolated").create()
    assert (done.table, done.outcome) == (f"{schema}.orders", Outcome.COMMITTED)
    assert (done.atomicity, done.reader_window) == (Atomicity.ISOLATED, "none")
    assert (done.conflict_check, done.strategy) == ("cas", "create")
    assert (done.rows, done.files) == (5, 1)
    assert done.bytes
    assert done.seconds >= (done.stage_seconds or 0) + (done.commit_seconds or 0) > 0


def test_the_words_of_write_to_lay_the_table_out(
    spark: SparkSession, schema: str, outside: Outside
) -> None:
    """Format, partitions, buckets, properties, comment and the format's own options."""
    frame = (
        spark.range(6).withColumn("k", functions.col("id") % 2).withColumn("v", functions.lit("x"))
    )
    writer = save_as(frame, "laid_out").using("orc").partitionedBy(functions.col("k"))
    writer.clusterBy("id").option("buckets", 2).tableProperty("team", "shop")
    writer.comment("all of them").option("compression", "zlib").create()
    told = spark.sql(f"DESCRIBE TABLE EXTENDED {schema}.laid_out").collect()
    shown = {row.col_name: row.data_type for row in told}
    assert (shown["Provider"], shown["Comment"]) == ("orc", "all of them")
    assert (shown["Num Buckets"], shown["Bucket Columns"]) == ("2", "[`id`]")
    assert outside.parameters("laid_out")["team"] == "shop"
    written = [path.name for path in outside.directory("laid_out").rglob("*.orc")]
    assert all(name.endswith(".zlib.orc") for name in written)
    assert spark.table(f"{schema}.laid_out").where("k = 1").count() == 3


def test_a_table_is_replaced_by_what_was_read_of_it(spark: SparkSession, schema: str) -> None:
    """In place of a path of two parts, the session completes one of one part."""
    save_as(spark.range(5), "`Orders`").create()
    save_as(spark.table("orders").where("id > 2"), "orders").replace()
    assert ids(spark, f"{schema}.orders") == [3, 4]


def test_a_lost_race_names_the_winner(spark: SparkSession, schema: str, outside: Outside) -> None:
    """Theirs stays, and nothing of ours; with on_conflict: overwrite ours is published."""
    table = f"{schema}.orders"
    save_as(spark.range(1), table).create()
    staged = save_as(spark.range(9), table).staged("replace")
    staged.__enter__()
    assert staged.dataframe.count() == 9
    won = save_as(spark.range(3), table).replace()
    with pytest.raises(ConcurrentWriteError) as lost:
        staged.__exit__(None, None, None)
    assert str(won.version) in str(lost.value)
    assert ids(spark, table) == [0, 1, 2]
    assert len(outside.versions()) == len(outside.records()) == 2
    with save_as(spark.range(4), table).on_conflict("overwrite").staged() as staged:
        won = save_as(spark.range(3), table).replace()
    assert staged.publication.base == won.version
    assert ids(spark, table) == [0, 1, 2, 3]


def temporary_views(spark: SparkSession) -> list[str]:
    """Other tests in this process leave some of dbt's."""
    return [one.name for one in spark.catalog.listTables() if one.isTemporary]


@pytest.mark.parametrize("fails", ["in the job", "in the block"])
def test_an_exception_leaves_the_old_version_and_nothing_else(
    spark: SparkSession, schema: str, outside: Outside, fails: str
) -> None:
    """Not in the storage, not in the metastore, and not in the session."""
    table = f"{schema}.orders"
    save_as(spark.range(1), table).create()
    before = outside.entry("orders"), outside.versions(), outside.records()
    if fails == "in the job":
        broken = spark.range(3).withColumn("x", functions.raise_error(functions.lit("no more")))
        with pytest.raises(PySparkException, match="no more"):
            save_as(broken, table).create_or_replace()
    else:
        with pytest.raises(ZeroDivisionError):
            audit_badly(spark, table)
    assert (outside.entry("orders"), outside.versions(), outside.records()) == before
    assert not [one for one in temporary_views(spark) if one.startswith("ctas_spark")]


def test_what_is_staged_can_be_audited(spark: SparkSession, schema: str) -> None:
    """The end of the block publishes it; a table that is kept is shown itself."""
    table = f"{schema}.orders"
    with save_as(spark.range(3), table).staged() as staged:
        assert staged.dataframe.count() == 3
        assert not spark.catalog.tableExists(table)
    assert staged.publication.rows == 3
    with save_as(spark.range(9), table).staged("create_if_not_exists") as staged:
        assert staged.dataframe.count() == 3
    assert staged.publication.outcome is Outcome.KEPT


def test_at_level_none_rows_are_written_in_place(spark: SparkSession, schema: str) -> None:
    """So that there is nothing to audit before."""
    done = save_as(spark.range(3), "orders").atomicity("none").create()
    assert (done.reader_window, done.strategy) == ("mixed", "in_place")
    assert ids(spark, f"{schema}.orders") == [0, 1, 2]
    with pytest.raises(NotSupportedError, match=r"(?s)nothing is staged.*call atomicity\(\) with"):
        save_as(spark.range(3), "orders").atomicity("none").staged()


def test_old_versions_go_by_the_rules_of_the_call(
    spark: SparkSession, schema: str, outside: Outside
) -> None:
    """At its end, unless it says otherwise; rows and bytes stay in the history."""
    for count in (1, 2):
        writer = save_as(spark.range(count), "orders").option("versions_to_keep", 0)
        writer.option("grace_period", 0).option("clean_up", False).create_or_replace()
    assert len(outside.versions()) == 2
    save_as(spark.range(3), "orders").option("versions_to_keep", 0).option(
        "grace_period", 0
    ).replace()
    assert len(outside.versions()) == 1
    assert next((one.state, one.rows) for one in history(f"{schema}.orders")) == ("live", 3)


def test_create_table_takes_a_query_and_options(spark: SparkSession, schema: str) -> None:
    """As FLIP-218 has it; it replaces nothing unless it is told to."""
    done = create_table("numbers", {"file_format": "json", "versions_to_keep": 2}, "select 1 as id")
    assert done.rows == 1
    with pytest.raises(TableAlreadyExistsError):
        create_table(f"{schema}.numbers", {}, "select 2 as id")
    create_table("numbers", {"staging_purpose": "replace"}, "select 3 as id")
    assert ids(spark, f"{schema}.numbers") == [3]


def test_every_problem_is_told_before_any_job(spark: SparkSession, schema: str) -> None:
    """Those of the options, and those of the table, by the adapter's own rules."""
    writer = save_as(spark.range(1), "orders").using("hudi").option("grace_period", "long")
    writer.option("version_to_keep", 1)
    writer.tableProperty("ctas_spark_x", 1).partitionedBy("a${b}").atomicity("high")
    with pytest.raises(ConfigurationError) as wrong:
        writer.create()
    assert [said.partition(":")[0] for said in wrong.value.problems] == [
        "version_to_keep",
        "atomicity",
        "grace_period",
        "file_format",
        "tblproperties",
        "partition_by",
    ]
    assert wrong.value.problems[0].endswith("did you mean versions_to_keep?")
    with pytest.raises(NoSuchSchemaError, match="schema misspelt does not exist"):
        save_as(spark.range(1), "misspelt.orders").create()
    assert not [row for row in spark.sql("show schemas").collect() if "misspelt" in row.namespace]
    assert not spark.catalog.tableExists(f"{schema}.orders")


def test_a_stream_is_refused(spark: SparkSession, schema: str) -> None:
    """Its batches can be published one by one."""
    stream = spark.readStream.format("rate").load()
    with pytest.raises(NotSupportedError, match="foreachBatch"):
        save_as(stream, "orders").create()
    assert not spark.catalog.tableExists(f"{schema}.orders")


def test_the_callers_own_jobs_are_not_touched(spark: SparkSession, schema: str) -> None:
    """Neither the group that it has set, nor what runs in it."""
    spark.sparkContext.setJobGroup("mine", "my own work")
    save_as(spark.range(1), f"{schema}.orders").create()
    assert spark.sparkContext.getLocalProperty(GROUP) == "mine"
    spark.sparkContext.setLocalProperty(GROUP, None)  # type: ignore[arg-type]  # removes it
