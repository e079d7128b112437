"""Which tables a session without a JVM serves, and what the others are told."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ctas_spark.catalogs.kinds import (
    CATALOG_OF_DATABASES,
    CATALOG_OF_ICEBERG,
    REACH_NOTHING,
    SESSION_OF_ICEBERG,
)
from ctas_spark.catalogs.server import CatalogsWithoutJvm
from ctas_spark.catalogs.server_metastore import MetastoreAddress
from ctas_spark.catalogs.settings import (
    CATALOG_OF_DELTA,
    EXTENSION_OF_DELTA,
    EXTENSION_OF_ICEBERG,
    EXTENSIONS,
)
from ctas_spark.context import (
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.engines.thrift.results import ServerError
from ctas_spark.errors import MetastoreNotReachedError, StagingError
from ctas_spark.statement.catalog import StatementCatalog

CATALOG = "spark.sql.catalog."
DELTA = {
    f"{CATALOG}spark_catalog": CATALOG_OF_DELTA,
    EXTENSIONS: EXTENSION_OF_DELTA,
}
ICE = {f"{CATALOG}ice": CATALOG_OF_ICEBERG, f"{CATALOG}ice.type": "rest"}
PG = {f"{CATALOG}pg": CATALOG_OF_DATABASES, f"{CATALOG}pg.url": "jdbc:postgresql://h/d"}


def catalogs(settings: dict[str, str], *declared: str) -> CatalogsWithoutJvm:
    """The catalogs of a server with the settings; touching its JVM fails."""
    rows = [SimpleNamespace(key=key, value=value) for key, value in settings.items()]
    session = SimpleNamespace(
        version="4.1.4",
        conf=SimpleNamespace(get=settings.get),
        sql=lambda _: SimpleNamespace(collect=lambda: rows),
    )
    return CatalogsWithoutJvm(cast("Any", session), "Thrift", declared)


def context(catalog: str, file_format: str | None = None) -> StagingContext:
    """A model there."""
    layout = TableLayout(file_format or "parquet", format_given=file_format is not None)
    return StagingContext(TableName("shop", "t", catalog), "shop__x", layout=layout)


@pytest.mark.parametrize(
    ("settings", "catalog", "file_format"),
    [
        (ICE, "ice", None),
        (ICE, "ice", "iceberg"),
        ({**ICE, f"{CATALOG}ice.type": "hadoop"}, "ice", None),
        ({f"{CATALOG}spark_catalog": SESSION_OF_ICEBERG}, "spark_catalog", "iceberg"),
        (DELTA, "spark_catalog", "delta"),
        (PG, "pg", None),
    ],
)
def test_a_format_with_a_replace_of_its_own_is_served(
    settings: dict[str, str], catalog: str, file_format: str | None
) -> None:
    """Once for a run."""
    opened = catalogs(settings)
    served = opened.catalog_for(context(catalog, file_format))
    assert opened.catalog_for(context(catalog, file_format)) is served
    opened.close()


@pytest.mark.parametrize(
    "settings", [{**ICE, f"{CATALOG}ice.type": "glue"}, {f"{CATALOG}ice": "x.Lake"}]
)
def test_a_catalog_that_is_declared_is_served(settings: dict[str, str]) -> None:
    """Like those that are known; over a server no probe checks it."""
    assert isinstance(catalogs(settings, "ice").catalog_for(context("ice")), StatementCatalog)


@pytest.mark.parametrize("implementation", [CATALOG_OF_DATABASES, *REACH_NOTHING])
def test_a_catalog_that_is_known_for_another_one_is_refused_if_declared(
    implementation: str,
) -> None:
    """The declaration is false: it is no catalog of Iceberg's."""
    with pytest.raises(StagingError, match="nothing is known"):
        catalogs({f"{CATALOG}ice": implementation}, "ice").catalog_for(context("ice"))


@pytest.mark.parametrize("implementation", REACH_NOTHING)
def test_a_catalog_that_reaches_nothing_is_refused(implementation: str) -> None:
    """Undeclared as well."""
    with pytest.raises(StagingError, match="nothing is known"):
        catalogs({f"{CATALOG}ice": implementation}).catalog_for(context("ice"))


def test_rows_are_added_to_no_table_in_a_database() -> None:
    """Those of an incremental model would come in several transactions."""
    with pytest.raises(StagingError, match="a transaction of its own"):
        catalogs(PG).check_added_to(TableName("app", "t", "pg"))
    catalogs(ICE).check_added_to(TableName("shop", "t", "ice"))


@pytest.mark.parametrize(
    ("settings", "catalog", "file_format", "what", "remedy"),
    [
        ({}, "spark_catalog", None, "a table of parquet files", "file_format: iceberg or delta"),
        (DELTA, "spark_catalog", "orc", "a table of orc files", "method: session"),
        ({}, "spark_catalog", "delta", "no Delta catalog", "where the server is started"),
        ({}, "spark_catalog", "iceberg", "not Iceberg's", "where the server is started"),
        (
            {**ICE, f"{CATALOG}ice.type": "glue"},
            "ice",
            None,
            "whether glue swaps",
            "hive, jdbc, rest or hadoop",
        ),
        (
            {**ICE, f"{CATALOG}ice.type": "glue"},
            "ice",
            None,
            "whether glue swaps",
            "iceberg_catalogs: [ice]",
        ),
        ({f"{CATALOG}lake": "x.Lake"}, "lake", None, "a probe of it", "method: session"),
        ({f"{CATALOG}lake": "x.Lake"}, "lake", None, "a probe of it", "iceberg_catalogs: [lake]"),
    ],
)
def test_what_needs_the_jvm_is_refused(
    settings: dict[str, str], catalog: str, file_format: str | None, what: str, remedy: str
) -> None:
    """With what would work."""
    with pytest.raises(StagingError, match=re.escape(what)) as refused:
        catalogs(settings).catalog_for(context(catalog, file_format))
    assert remedy in refused.value.remedy


@pytest.mark.parametrize("version", ["3.3.2", "2.4.8.7.1"])
def test_files_over_a_server_that_is_too_old_are_refused(version: str) -> None:
    """Before the metastore is looked for, and before any job; from 3.5 on they are served."""
    nobody = MetastoreAddress("thrift://127.0.0.1:1", "me")
    spark = SimpleNamespace(version=version)
    with pytest.raises(StagingError, match=rf"runs Spark {version}, and tables of files need 3\.5"):
        CatalogsWithoutJvm(cast("Any", spark), "Thrift", metastore=nobody).catalog  # noqa: B018
    spark.version = "3.5.0-amzn-1"
    with pytest.raises(MetastoreNotReachedError):
        CatalogsWithoutJvm(cast("Any", spark), "Thrift", metastore=nobody).catalog  # noqa: B018


@pytest.mark.parametrize(
    ("extensions", "says", "lacks"),
    [
        ("", "INVALID_STATEMENT_OR_CLAUSE", True),
        (f"{EXTENSION_OF_DELTA}, {EXTENSION_OF_ICEBERG}", "INVALID_STATEMENT_OR_CLAUSE", True),
        ("org.example.Grants", "INVALID_STATEMENT_OR_CLAUSE", False),
        ("", "PARSE_SYNTAX_ERROR", False),
    ],
)
def test_a_server_lacks_grants_if_its_own_parser_refuses_the_word(
    extensions: str, says: str, *, lacks: bool
) -> None:
    """A parser that knows GRANT misses the rest of it; one of an extension may try Spark's, too."""
    sent = []

    def refuse(statement: str) -> None:
        sent.append(statement)
        raise ServerError("refused", says)

    conf = SimpleNamespace(get={EXTENSIONS: extensions}.get)
    spark = SimpleNamespace(version="4.1.4", conf=conf, sql=refuse)
    assert CatalogsWithoutJvm(cast("Any", spark), "Thrift").lacks_grants is lacks
    assert set(sent) <= {"GRANT"}
