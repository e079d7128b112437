"""What code without a dbt project says of a table."""

from types import SimpleNamespace
from typing import Any

import pytest

import ctas_spark as package
from ctas_spark import (
    Atomicity,
    ConfigurationError,
    InvalidArgumentError,
    NotSupportedError,
    StagingError,
    errors,
    save_as,
)
from ctas_spark.context import TableName
from ctas_spark.dataframe.session_table import SessionTable, named
from ctas_spark.retention.rules import RetentionRules

CURRENT = SimpleNamespace(currentCatalog=lambda: "spark_catalog", currentDatabase=lambda: "Shop")
SESSION: Any = SimpleNamespace(catalog=CURRENT)


@pytest.mark.parametrize(
    ("path", "table"),
    [
        ("Orders", TableName("shop", "orders")),
        ("market.orders", TableName("market", "orders")),
        ("spark_catalog.market.Orders", TableName("market", "orders")),
        ("prod.Market.`a.b`", TableName("Market", "a.b", "prod")),
        ("prod.eu.market.orders", TableName("eu.market", "orders", "prod")),
        ("`x``y`", TableName("shop", "x`y")),
    ],
)
def test_a_path_is_completed_by_the_session(path: str, table: TableName) -> None:
    """Its parts may be quoted; the session catalog knows lower case only."""
    assert named(SESSION, path) == table


@pytest.mark.parametrize("path", ["", "a b", "a..b", ".a", "a.", "`a", 7])
def test_what_is_no_path_is_refused(path: Any) -> None:
    """With how to write one."""
    with pytest.raises(InvalidArgumentError, match="is not the path of a table"):
        named(SESSION, path)


def test_defaults_are_the_adapters() -> None:
    """Of level, retention, staging schema and clean-up."""
    table = SessionTable.of(SESSION, "orders", {})
    assert table.plan.context.staging_schema == "shop__ctas_spark"
    assert table.plan.context.atomicity is Atomicity.AUTO
    assert table.plan.retention == RetentionRules()
    assert (table.cleans_up, table.repeatable_reads, table.iceberg_catalogs) == (True, False, ())


def test_threads_that_share_their_jobs_are_refused() -> None:
    """As in a run of dbt: an abort could not end its own job and no other."""
    context = SimpleNamespace(_gateway="a gateway whose threads are any of the JVM's")
    conf = SimpleNamespace(get=lambda _name, default: default)
    spark: Any = SimpleNamespace(
        catalog=CURRENT, conf=conf, sparkContext=context, _jsparkSession="Java's"
    )
    with (
        pytest.raises(NotSupportedError, match="PYSPARK_PIN_THREAD is false"),
        SessionTable.of(spark, "orders", {}).opened(),
    ):
        pass


def test_other_names_are_options_of_the_format() -> None:
    """A name that is nearly a setting is an error."""
    given = {"header": True, "versions_to_keep": 3, "metastore_reads": "repeatable"}
    table = SessionTable.of(SESSION, "orders", given, "all of them")
    assert table.plan.context.layout.options == {"header": "true"}
    assert table.plan.context.layout.comment == "all of them"
    assert table.plan.retention.versions_to_keep == 3
    assert table.repeatable_reads
    wrong = {"metastore_read": "repeatable", "clean_up": "no", "iceberg_catalogs": "prod"}
    with pytest.raises(ConfigurationError) as told:
        SessionTable.of(SESSION, "orders", wrong)
    assert told.value.problems == (
        "iceberg_catalogs: 'prod' is not a list of names of catalogs",
        "clean_up: 'no' is not true or false",
        "metastore_read: unknown; did you mean metastore_reads?",
    )


def test_a_server_is_told_which_catalogs_are_icebergs() -> None:
    """Over Spark Connect, too, where a class of the user's own tells nobody."""
    conf = SimpleNamespace(get=lambda *_: "x.Lake")
    nothing = SimpleNamespace(collect=list)
    spark: Any = SimpleNamespace(
        catalog=CURRENT, conf=conf, version="4.1.4", sql=lambda *_: nothing
    )
    declared = SessionTable.of(spark, "lake.shop.orders", {"iceberg_catalogs": ["lake"]})
    with declared.opened() as catalogs:
        catalogs.catalog_for(declared.plan.context)
    unknown = SessionTable.of(spark, "lake.shop.orders", {})
    with unknown.opened() as catalogs, pytest.raises(NotSupportedError):
        catalogs.catalog_for(unknown.plan.context)


def test_what_is_no_dataframe_is_refused() -> None:
    """pandas' frames have to become Spark's first."""
    with pytest.raises(InvalidArgumentError, match=r"and this is builtins\.list"):
        save_as([1], "orders")


def test_the_package_exports_the_public_names_and_every_error() -> None:
    """The same name is the same thing each time, whatever module was imported between."""
    for names in package.PUBLIC.values():
        for name in names:
            assert getattr(package, name) is getattr(package, name)
    tree = [one for name, one in vars(errors).items() if name.endswith("Error")]
    assert all(getattr(package, one.__name__) is one for one in tree)
    assert package.StagingError is StagingError
