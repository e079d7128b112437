"""What a user declares of a catalog is believed as far as a probe agrees."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.protocol import ConflictCheck
from dbt.adapters.ctas_spark.staging.catalogs.statement_kinds import HADOOP, of_list
from dbt.adapters.ctas_spark.staging.context import Atomicity
from dbt.adapters.ctas_spark.staging.engines.session import SessionEngine
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    MetastoreError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.statement.tables import CatalogTables
from formats.run_place import open_run
from other_catalogs.place import Place

_names = iter(range(1_000))


@pytest.fixture
def schema() -> str:
    """A schema that is not there yet."""
    return f"declared_{next(_names)}"


def place(
    spark: SparkSession, catalog: str, schema: str, directory: Path, **declared: Atomicity
) -> Place:
    """A schema of a catalog of which that is declared."""
    return Place.new(spark, catalog, schema, directory, open_run(spark, declared))


@pytest.mark.parametrize(
    ("catalog", "declared", "check", "window", "needs_jvm"),
    [
        ("last_wins", Atomicity.ATOMIC, ConflictCheck.NONE, "absent", False),
        ("isolated", Atomicity.ATOMIC, ConflictCheck.NONE, "absent", False),
        ("isolated", Atomicity.ISOLATED, ConflictCheck.CAS, "none", True),
    ],
)
def test_a_true_declaration_is_reached(  # noqa: PLR0913, PLR0917 (a case)
    spark: SparkSession,
    schema: str,
    tmp_path: Path,
    catalog: str,
    declared: Atomicity,
    check: ConflictCheck,
    window: str,
    needs_jvm: bool,  # noqa: FBT001 (a case)
) -> None:
    """No more and no less than it says; the probe leaves nothing behind."""
    there = place(spark, catalog, schema, tmp_path, **{catalog: declared})
    found = there.staging.capabilities(there.staging_schema)
    assert (found.reaches, found.conflict_check) == (declared, check)
    assert (found.replaces_by.reader_window, found.needs_jvm) == (window, needs_jvm)
    assert (found.missing == "") is (declared is Atomicity.ISOLATED)
    there.close()
    assert there.staged() == []
    assert not any(path.name[0] != "." for path in there.lease_directory().iterdir())


@pytest.mark.parametrize(
    ("catalog", "declared", "saw", "remedy"),
    [
        ("hadoop", Atomicity.ISOLATED, "commitStagedChanges succeeded over an INSERT", "remove"),
        ("last_wins", Atomicity.ISOLATED, "succeeded over an INSERT", "last_wins: atomic"),
        ("eager", Atomicity.ATOMIC, "a replace whose data failed there was no table", "remove"),
        ("derby", Atomicity.ATOMIC, "no StagingTableCatalog", "remove derby"),
    ],
)
def test_a_false_declaration_is_refused(  # noqa: PLR0913, PLR0917 (a case)
    spark: SparkSession,
    schema: str,
    tmp_path: Path,
    catalog: str,
    declared: Atomicity,
    saw: str,
    remedy: str,
) -> None:
    """With what the probe saw, and what to declare instead."""
    if catalog == "derby":
        there = Place(spark, catalog, schema, open_run(spark, {catalog: declared}), tmp_path)
    else:
        there = place(spark, catalog, schema, tmp_path, **{catalog: declared})
    with pytest.raises(AtomicityNotSupportedError, match=saw) as refused:
        there.begin()
    assert remedy in refused.value.remedy
    there.close()
    if catalog != "derby":
        assert there.staged() == []


def test_a_declaration_of_what_is_known_needs_no_probe(
    spark: SparkSession, schema: str, tmp_path: Path
) -> None:
    """A hadoop catalog's level is on the list, because this suite ran it."""
    there = place(spark, "hadoop", schema, tmp_path, hadoop=Atomicity.ATOMIC)
    assert there.staging.capabilities(there.staging_schema) == of_list(HADOOP)


@pytest.mark.parametrize(
    ("catalog", "why"), [("last_wins", "nobody has tried"), ("derby", "Spark drops the table")]
)
def test_an_undeclared_catalog_is_refused(
    spark: SparkSession, schema: str, tmp_path: Path, catalog: str, why: str
) -> None:
    """auto does not weaken to what nobody knows."""
    there = Place(spark, catalog, schema, open_run(spark, {}), tmp_path)
    with pytest.raises(AtomicityNotSupportedError, match=why):
        there.begin()


def test_a_jdbc_catalogs_replace_loses_the_table(spark: SparkSession, schema: str) -> None:
    """Why it is refused: Spark drops it before the new rows are there."""
    spark.sql(f"CREATE NAMESPACE derby.{schema}")
    spark.sql(f"CREATE TABLE derby.{schema}.t AS SELECT 1 AS id")
    with pytest.raises(PySparkException, match="on purpose"):
        spark.sql(
            f"CREATE OR REPLACE TABLE derby.{schema}.t AS "
            "SELECT CAST(raise_error('on purpose') AS INT) AS id FROM range(1)"
        )
    assert spark.sql(f"SHOW TABLES IN derby.{schema}").collect() == []


def test_a_probe_is_made_once_for_a_run(
    spark: SparkSession, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later models know its result."""
    there = place(spark, "last_wins", schema, tmp_path, last_wins=Atomicity.ATOMIC)
    first = there.staging.capabilities(there.staging_schema)

    def refused(_: SessionEngine, statement: str) -> None:
        raise AssertionError(f"another statement: {statement}")

    monkeypatch.setattr(SessionEngine, "sql", refused)
    assert there.staging.capabilities(there.staging_schema) is first


def test_a_probe_that_finds_nothing_out_is_an_error_and_no_answer(
    spark: SparkSession, schema: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither "supported" nor "unsupported"; the next run asks again."""
    there = place(spark, "last_wins", schema, tmp_path, last_wins=Atomicity.ATOMIC)

    def lost(*_: object) -> Mapping[str, str]:
        raise MetastoreError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(CatalogTables, "rows", lost)
        with pytest.raises(StagingError, match=r"could not find out.*no answer") as failed:
            there.begin()
    assert not isinstance(failed.value, AtomicityNotSupportedError)
    assert there.staged() == []
    assert there.publish("SELECT 1 AS id").level is Atomicity.ATOMIC


def test_a_declared_catalog_that_spark_has_not_is_a_mistake(spark: SparkSession) -> None:
    """Its declaration would never be used."""
    with pytest.raises(StagingError, match="names typo, and Spark has no catalog of that name"):
        open_run(spark, {"typo": Atomicity.ATOMIC})
