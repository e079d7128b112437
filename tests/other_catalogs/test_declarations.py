"""A catalog that the user declares to be Iceberg's is believed as far as a probe agrees."""

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ctas_spark.catalogs.levels import HADOOP
from ctas_spark.context import Atomicity
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    MetastoreError,
    NoSuchCatalogError,
    ProbeFailedError,
)
from ctas_spark.iceberg.loaded import LoadedTable
from ctas_spark.publish.catalog import ConflictCheck
from ctas_spark.statement.catalog import with_branches
from formats.run_place import open_run
from other_catalogs.place import Place

_names = iter(range(1_000))


@pytest.fixture
def schema() -> str:
    """A schema that is not there yet."""
    return f"declared_{next(_names)}"


@pytest.fixture
def sound(spark: SparkSession, schema: str) -> Place:
    """A schema in a catalog of Iceberg's whose implementation is not on the list; declared."""
    return Place.new(spark, "sound", schema, open_run(spark, ["sound"]))


def test_a_declared_catalog_reaches_what_icebergs_do(sound: Place) -> None:
    """Once the probe has agreed, which leaves nothing behind."""
    found = sound.staging.capabilities(sound.staging_schema)
    assert (found.catalog, found.reaches) == ("iceberg (declared)", Atomicity.ISOLATED)
    assert found.conflict_check is ConflictCheck.CAS
    assert sound.staged() == []


def test_models_are_published_in_a_declared_catalog(sound: Place) -> None:
    """Created, then replaced with other columns; a rival's commit is refused."""
    sound.publish("SELECT 1 AS old")
    replaced = sound.publish("SELECT 2 AS new")
    assert (replaced.level, sound.rows()) == (Atomicity.ISOLATED, [(2,)])
    staged = sound.stage("SELECT 3 AS new")
    sound.spark.sql(f"INSERT INTO {sound.table} VALUES (7)")
    with pytest.raises(ConcurrentWriteError):
        staged.commit()
    staged.abort("failed")
    assert (sound.rows(), sound.staged()) == ([(2,), (7,)], [])


@pytest.mark.parametrize(
    ("catalog", "saw"),
    [
        ("unchecked", "a commit succeeded although another had come in between"),
        ("memory", "can't be listed by the table's FileIO"),
    ],
)
def test_a_false_declaration_is_refused(
    spark: SparkSession, schema: str, catalog: str, saw: str
) -> None:
    """With what the probe saw; nothing of it is left."""
    there = Place.new(spark, catalog, schema, open_run(spark, [catalog]))
    with pytest.raises(AtomicityNotSupportedError, match=saw) as refused:
        there.begin()
    assert f"remove {catalog} from iceberg_catalogs" in refused.value.remedy
    assert there.staged() == []


def test_a_probe_that_finds_nothing_out_is_an_error_and_no_answer(
    sound: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither "supported" nor "unsupported"; the next model asks again."""

    def lost(*_: object) -> None:
        raise MetastoreError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(LoadedTable, "commit", lost)
        with pytest.raises(ProbeFailedError, match="no answer"):
            sound.begin()
    assert sound.staged() == []
    assert sound.publish("SELECT 1 AS id").level is Atomicity.ISOLATED


def test_a_catalog_that_is_not_icebergs_is_refused_with_what_was_seen(
    spark: SparkSession, schema: str
) -> None:
    """Its tables would not be Iceberg's."""
    there = Place(spark, "derby", schema, open_run(spark, ["derby"]))
    with pytest.raises(AtomicityNotSupportedError, match="names the catalog derby") as refused:
        there.begin()
    assert "remove derby" in refused.value.remedy


def test_a_declaration_of_what_is_known_changes_nothing(spark: SparkSession, schema: str) -> None:
    """What a hadoop catalog reaches is known."""
    there = Place.new(spark, "hadoop", schema, open_run(spark, ["hadoop"]))
    assert there.staging.capabilities(there.staging_schema) == with_branches(HADOOP)


@pytest.mark.parametrize(
    ("catalog", "why", "remedy"),
    [
        ("sound", "Sound compares and swaps", "iceberg_catalogs: [sound]"),
        ("derby", "it is not known", "use PostgreSQL"),
    ],
)
def test_an_undeclared_catalog_is_refused(
    spark: SparkSession, schema: str, catalog: str, why: str, remedy: str
) -> None:
    """auto does not weaken to what nobody knows."""
    there = Place(spark, catalog, schema, open_run(spark))
    with pytest.raises(AtomicityNotSupportedError, match=why) as refused:
        there.begin()
    assert remedy in refused.value.remedy


def test_a_jdbc_catalogs_replace_loses_the_table(spark: SparkSession, schema: str) -> None:
    """Why such a table is not replaced: Spark drops it before the new rows are there."""
    spark.sql(f"CREATE NAMESPACE derby.{schema}")
    spark.sql(f"CREATE TABLE derby.{schema}.t AS SELECT 1 AS id")
    with pytest.raises(PySparkException, match="on purpose"):
        spark.sql(
            f"CREATE OR REPLACE TABLE derby.{schema}.t AS "
            "SELECT CAST(raise_error('on purpose') AS INT) AS id FROM range(1)"
        )
    assert spark.sql(f"SHOW TABLES IN derby.{schema}").collect() == []


def test_a_declared_catalog_that_spark_does_not_have_is_a_mistake(spark: SparkSession) -> None:
    """Its declaration would never be used."""
    with pytest.raises(NoSuchCatalogError, match="names typo, and Spark has no catalog"):
        open_run(spark, ["typo"])
