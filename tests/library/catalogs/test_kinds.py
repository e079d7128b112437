"""Catalog and format decide who serves a table, and what does not match is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from ctas_spark.catalogs import settings
from ctas_spark.catalogs.kinds import (
    CATALOG_OF_ICEBERG,
    SESSION_OF_ICEBERG,
    Kind,
    choose,
)
from ctas_spark.catalogs.settings import (
    EXTENSION_OF_DELTA,
    IcebergKind,
    SessionFacts,
    iceberg_kind,
)
from ctas_spark.context import (
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.errors import AtomicityNotSupportedError, StagingError
from servers.jars import ICEBERG as ICEBERG_JAR

DELTAS = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
JDBC = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
PAIMONS = "org.apache.paimon.spark.SparkCatalog"
ALL = SessionFacts("4.1.4", EXTENSION_OF_DELTA, has_iceberg=True, has_delta=True)


def context(catalog: str, file_format: str | None) -> StagingContext:
    """A table of a format, or of none that was named."""
    layout = TableLayout(file_format or "parquet", format_given=file_format is not None)
    return StagingContext(TableName("db", "t", catalog), "staging", layout=layout)


@pytest.mark.parametrize(
    ("catalog", "file_format", "implementation", "kind"),
    [
        ("spark_catalog", None, None, Kind.FILES),
        ("spark_catalog", "orc", DELTAS, Kind.FILES),
        ("spark_catalog", None, SESSION_OF_ICEBERG, Kind.FILES),
        ("spark_catalog", "iceberg", SESSION_OF_ICEBERG, Kind.ICEBERG),
        ("ice", "iceberg", CATALOG_OF_ICEBERG, Kind.ICEBERG),
        ("ice", None, CATALOG_OF_ICEBERG, Kind.ICEBERG),
        ("spark_catalog", "delta", DELTAS, Kind.DELTA),
        ("pg", None, JDBC, Kind.DATABASE),
    ],
)
def test_class_and_format_decide(
    catalog: str, file_format: str | None, implementation: str | None, kind: Kind
) -> None:
    """A format that was not named is the catalog's own."""
    asked = context(catalog, file_format)
    assert choose(asked, implementation, ALL) is kind


@pytest.mark.parametrize(
    ("catalog", "file_format", "implementation", "remedies"),
    [
        ("spark_catalog", "iceberg", None, [SESSION_OF_ICEBERG, CATALOG_OF_ICEBERG]),
        ("spark_catalog", "iceberg", DELTAS, ["database: <name>", CATALOG_OF_ICEBERG]),
        ("spark_catalog", "delta", None, [f"spark.sql.catalog.spark_catalog: {DELTAS}"]),
        ("spark_catalog", "delta", SESSION_OF_ICEBERG, [DELTAS]),
        ("ice", "delta", CATALOG_OF_ICEBERG, ["remove database"]),
        ("ice", "parquet", CATALOG_OF_ICEBERG, ["remove file_format"]),
        ("ice", None, None, ["configure it by spark.sql.catalog.ice"]),
        ("x", "iceberg", "x.Other", ["iceberg_catalogs: [x]", CATALOG_OF_ICEBERG]),
        ("x", "delta", "x.Other", ["iceberg_catalogs: [x]", "use spark_catalog"]),
        ("x", None, "x.Other", ["iceberg_catalogs: [x]", "a probe", "use spark_catalog"]),
    ],
)
def test_what_does_not_match_is_refused_with_what_would(
    catalog: str, file_format: str | None, implementation: str | None, remedies: list[str]
) -> None:
    """Before any job."""
    asked = context(catalog, file_format)
    with pytest.raises(AtomicityNotSupportedError) as refused:
        choose(asked, implementation, ALL)
    assert all(remedy in refused.value.remedy for remedy in remedies), refused.value.remedy


def hadoop(warehouse: str) -> dict[str, str]:
    """The options of a hadoop catalog."""
    return {"type": "hadoop", "warehouse": warehouse}


def test_delta_does_not_take_icebergs_session_catalog() -> None:
    """With Iceberg's class in its place, spark_catalog's own would lose its tables."""
    asked = context("spark_catalog", "iceberg")
    with pytest.raises(AtomicityNotSupportedError) as refused:
        choose(asked, DELTAS, ALL)
    assert SESSION_OF_ICEBERG not in refused.value.remedy


def test_a_declared_catalog_is_icebergs() -> None:
    """Whatever its class, and of its format alone; what spark_catalog is, its class says."""
    declared = replace(ALL, declared=frozenset({"x", "spark_catalog"}))
    assert choose(context("x", None), "x.Other", declared) is Kind.ICEBERG
    assert choose(context("x", "iceberg"), "x.Other", declared) is Kind.ICEBERG
    for file_format in ("parquet", "delta"):
        with pytest.raises(AtomicityNotSupportedError):
            choose(context("x", file_format), "x.Other", declared)
    with pytest.raises(AtomicityNotSupportedError, match="not configured"):
        choose(context("x", None), None, declared)
    assert choose(context("spark_catalog", None), None, declared) is Kind.FILES


@pytest.mark.parametrize(
    ("implementation", "why"),
    [(PAIMONS, "truncates the live table"), ("x.Y", "was not tested")],
)
def test_any_other_catalog_is_refused_with_what_is_known_of_it(
    implementation: str, why: str
) -> None:
    """By its class; auto does not weaken to what nobody knows."""
    with pytest.raises(AtomicityNotSupportedError, match=why):
        choose(context("x", None), implementation, ALL)


def test_a_missing_jar_is_named() -> None:
    """By the version of Spark; where there is none yet, which PySpark to install and its jar."""
    asked = context("spark_catalog", "iceberg")
    with pytest.raises(StagingError) as refused:
        choose(asked, None, replace(ALL, has_iceberg=False))
    tested = f"{ICEBERG_JAR.group}:{ICEBERG_JAR.artifact}:{ICEBERG_JAR.version}"
    assert tested in refused.value.remedy
    assert refused.value.remedy.startswith("in a dbt profile, add formats: [iceberg]; or set ")
    for name in ("iceberg", "delta"):
        with pytest.raises(StagingError) as refused:
            choose(context("spark_catalog", name), None, replace(ALL, has_delta=False))
        assert refused.value.remedy.startswith(f"in a dbt profile, add formats: [{name}]; or ")
    remedy = settings.jar_remedy(settings.ICEBERG_JARS, "4.2.1")
    assert "no jar for Spark 4.2 was tested" in remedy
    assert "pip install 'pyspark==4.1.*'" in remedy
    assert settings.ICEBERG_JARS["4.1"] in remedy


def test_the_page_names_the_same_jars() -> None:
    """docs/iceberg.md."""
    page = (Path(__file__).parents[3] / "docs" / "iceberg.md").read_text()
    assert all(f"`{coordinates}`" in page for coordinates in settings.ICEBERG_JARS.values())


def test_the_runtime_of_each_spark_is_built_for_it() -> None:
    """A runtime of another minor starts, and fails in the middle of a job."""
    for minor, coordinates in settings.ICEBERG_JARS.items():
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
    assert iceberg_kind(options) is kind


@pytest.mark.parametrize(
    "options",
    [
        {"type": "hadoop"},
        {"catalog-impl": "org.apache.iceberg.hadoop.HadoopCatalog"},
        {"type": "glue"},
        {"catalog-impl": "x.Mine", "type": "hive"},
        {"type": "declared"},
    ],
)
def test_kinds_that_are_not_known_to_compare_and_swap_stage_no_fork(
    options: dict[str, str],
) -> None:
    """They publish by statement, or after a probe, if at all."""
    assert iceberg_kind(options) is None


@pytest.mark.parametrize(
    ("version", "extensions", "options", "has"),
    [
        ("4.1.4", f"{EXTENSION_OF_DELTA},org.iceberg.IcebergSparkSessionExtensions", {}, True),
        ("3.5.7", "org.iceberg.IcebergSparkSessionExtensions", {}, False),
        ("4.1.4", EXTENSION_OF_DELTA, {}, False),
        ("4.1.4", "IcebergSparkSessionExtensions", hadoop("hdfs://name/w"), True),
        ("4.1.4", "IcebergSparkSessionExtensions", hadoop("file:///w"), True),
        ("4.1.4", "IcebergSparkSessionExtensions", hadoop("s3a://bucket/w"), False),
        ("4.1.4", "IcebergSparkSessionExtensions", hadoop("/w"), False),
    ],
)
def test_branches_take_spark_4_icebergs_extensions_and_a_commit_that_is_refused(
    version: str,
    extensions: str,
    options: dict[str, str],
    has: bool,  # noqa: FBT001 (a case)
) -> None:
    """INSERT takes options there, ALTER TABLE has branches; no object store refuses a rename."""
    facts = replace(ALL, version=version, extensions=extensions)
    assert settings.publishes_by_branch(options, facts) is has
