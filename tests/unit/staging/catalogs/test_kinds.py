"""Catalog and format decide who serves a table, and what does not match is refused."""

from pathlib import Path

import pytest

from dbt.adapters.ctas_spark.staging.catalogs.iceberg_kinds import IcebergKind, kind_of
from dbt.adapters.ctas_spark.staging.catalogs.kinds import (
    CATALOG_OF_ICEBERG,
    SESSION_OF_ICEBERG,
    Kind,
    choose,
)
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableLayout, TableName
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, StagingError
from dbt.adapters.ctas_spark.staging.iceberg import jars
from servers.jars import ICEBERG as ICEBERG_JAR


def context(catalog: str, file_format: str | None) -> StagingContext:
    """A table of a format, or of none that was named."""
    layout = TableLayout(file_format or "parquet", format_given=file_format is not None)
    return StagingContext(TableName("db", "t", catalog), "staging", layout=layout)


@pytest.mark.parametrize(
    ("catalog", "file_format", "implementation", "kind"),
    [
        ("spark_catalog", None, None, Kind.FILES),
        ("spark_catalog", "orc", "org.apache.spark.sql.delta.catalog.DeltaCatalog", Kind.FILES),
        ("spark_catalog", None, SESSION_OF_ICEBERG, Kind.FILES),
        ("spark_catalog", "iceberg", SESSION_OF_ICEBERG, Kind.ICEBERG),
        ("ice", "iceberg", CATALOG_OF_ICEBERG, Kind.ICEBERG),
        ("ice", None, CATALOG_OF_ICEBERG, Kind.ICEBERG),
    ],
)
def test_class_and_format_decide(
    catalog: str, file_format: str | None, implementation: str | None, kind: Kind
) -> None:
    """A format that was not named is the catalog's own."""
    asked = context(catalog, file_format)
    assert choose(asked, implementation, "4.1.0", has_iceberg=True) is kind


@pytest.mark.parametrize(
    ("catalog", "file_format", "implementation", "remedy"),
    [
        ("spark_catalog", "iceberg", None, SESSION_OF_ICEBERG),
        ("spark_catalog", "iceberg", "x.DeltaCatalog", SESSION_OF_ICEBERG),
        ("ice", "parquet", CATALOG_OF_ICEBERG, "remove file_format"),
        ("ice", None, None, CATALOG_OF_ICEBERG),
        ("ice", "iceberg", "x.Other", CATALOG_OF_ICEBERG),
    ],
)
def test_what_does_not_match_is_refused_with_what_would(
    catalog: str, file_format: str | None, implementation: str | None, remedy: str
) -> None:
    """Before any job."""
    asked = context(catalog, file_format)
    with pytest.raises(AtomicityNotSupportedError) as refused:
        choose(asked, implementation, "4.1.0", has_iceberg=True)
    assert remedy in refused.value.remedy


def test_a_missing_jar_is_named() -> None:
    """By the version of Spark; where there is none yet, that is said."""
    asked = context("spark_catalog", "iceberg")
    with pytest.raises(StagingError) as refused:
        choose(asked, None, "4.1.4", has_iceberg=False)
    tested = f"{ICEBERG_JAR.group}:{ICEBERG_JAR.artifact}:{ICEBERG_JAR.version}"
    assert tested in refused.value.remedy
    assert "no runtime for Spark 4.2" in jars.remedy("4.2.1")


def test_the_page_names_the_same_jars() -> None:
    """docs/iceberg.md."""
    page = (Path(__file__).parents[4] / "docs" / "iceberg.md").read_text()
    assert all(f"`{coordinates}`" in page for coordinates in jars.NEWEST.values())


def test_the_runtime_of_each_spark_is_built_for_it() -> None:
    """A runtime of another minor starts, and fails in the middle of a job."""
    for minor, coordinates in jars.NEWEST.items():
        scala = "2.12" if minor.startswith("3.") else "2.13"
        assert f":iceberg-spark-runtime-{minor}_{scala}:" in coordinates


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, IcebergKind.HIVE),
        ({"type": "rest"}, IcebergKind.REST),
        ({"catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog"}, IcebergKind.JDBC),
    ],
)
def test_kinds_that_compare_and_swap_are_let_in(options: dict[str, str], kind: IcebergKind) -> None:
    """Hive is Iceberg's own default."""
    assert kind_of("ice", options) is kind


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"type": "hadoop"}, "a rival's DROP"),
        ({"catalog-impl": "org.apache.iceberg.hadoop.HadoopCatalog"}, "a rival's DROP"),
        ({"type": "glue"}, "not known"),
        ({"catalog-impl": "x.Mine", "type": "hive"}, "not known"),
        (
            {"table-override.write.metadata.delete-after-commit.enabled": "TRUE"},
            "shares the table's metadata files",
        ),
    ],
)
def test_kinds_that_hold_less_are_refused_with_the_reason(
    options: dict[str, str], why: str
) -> None:
    """And with those that hold it."""
    with pytest.raises(AtomicityNotSupportedError, match=why):
        kind_of("ice", options)
