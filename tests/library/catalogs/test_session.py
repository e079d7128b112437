"""The catalogs of a session are opened by the models that need them, and by nothing else."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ctas_spark.catalogs import declared, session
from ctas_spark.catalogs.kinds import (
    CATALOG_OF_DATABASES,
    CATALOG_OF_ICEBERG,
)
from ctas_spark.catalogs.levels import HADOOP
from ctas_spark.catalogs.rest import RestCatalog
from ctas_spark.catalogs.session import OTHERS_COUNT, CatalogsWithJvm
from ctas_spark.catalogs.settings import (
    CATALOG_OF_DELTA,
    EXTENSION_OF_DELTA,
    EXTENSIONS,
)
from ctas_spark.context import (
    SESSION_CATALOG,
    Atomicity,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.database.catalog import DatabaseCatalog
from ctas_spark.engines import jvm
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    MetastoreError,
    NoSuchCatalogError,
)
from ctas_spark.publish.catalog import Capabilities, ConflictCheck
from ctas_spark.statement.catalog import StatementCatalog

CATALOG = "spark.sql.catalog."
SETTINGS = {
    f"{CATALOG}rest": CATALOG_OF_ICEBERG,
    f"{CATALOG}rest.type": "rest",
    f"{CATALOG}hadoop": CATALOG_OF_ICEBERG,
    f"{CATALOG}hadoop.type": "hadoop",
    f"{CATALOG}glue": CATALOG_OF_ICEBERG,
    f"{CATALOG}glue.catalog-impl": "org.apache.iceberg.aws.glue.GlueCatalog",
    f"{CATALOG}own": "x.Own",
    f"{CATALOG}pg": CATALOG_OF_DATABASES,
    f"{CATALOG}pg.url": "jdbc:postgresql://h/d",
    f"{CATALOG}spark_catalog": CATALOG_OF_DELTA,
    EXTENSIONS: EXTENSION_OF_DELTA,
}


class OfSpark:
    """What a report takes from a JVM."""

    def versions(self) -> list[str]:
        return ["versions"]

    def metastore(self) -> str:
        return "profile"

    def storage(self, _schema: str) -> list[str]:
        return ["storage"]


class Opened:
    """What was opened, in order; nothing of it needs Spark."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        self.fails = ""
        patch.setattr(jvm, "has_class", lambda *_: True)
        for name in ("HadoopStorage", "SessionEngine", "DeltaTables"):
            patch.setattr(session, name, lambda *_: SimpleNamespace())
        patch.setattr(session, "open_metastore", self._metastore)
        patch.setattr(session, "SessionCatalog", self._files)
        patch.setattr(session, "DeltaCatalog", lambda files, _: (files, "delta"))
        patch.setattr(session, "IcebergTables", self._iceberg)
        patch.setattr(declared, "IcebergTables", self._iceberg)
        patch.setattr(session, "IcebergCatalog", lambda _, kind, **_may: kind)
        patch.setattr(session, "Probe", self._probe)
        patch.setattr(session, "SparkReport", lambda _: OfSpark())

    def _metastore(self, _spark: object) -> Any:
        self.names.append("metastore")
        found = SimpleNamespace(
            close=lambda: self.names.append("closed"), database_location=lambda _name: None
        )
        return SimpleNamespace(metastore=found, locks=None, address="a", description="d")

    def _files(self, *_services: object, **known: object) -> Any:
        self.names.append(f"files, repeatable {known['repeatable_reads']}")
        return "files"

    def _iceberg(self, _spark: object, catalog: str) -> Any:
        if self.fails == catalog:
            raise MetastoreError(f"{catalog} is not Iceberg's")
        self.names.append(catalog)
        return catalog

    def _probe(self, services: Any, *_places: object) -> Any:
        return SimpleNamespace(run=lambda: self.names.append(f"probe of {services.tables}"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Nothing yet."""
    return Opened(monkeypatch)


def catalogs(*declared: str, repeatable_reads: bool = False) -> CatalogsWithJvm:
    """The catalogs of a session with the settings."""
    rows = [SimpleNamespace(key=key, value=value) for key, value in SETTINGS.items()]
    spark = SimpleNamespace(
        version="4.1.4",
        sparkContext=SimpleNamespace(master="local"),
        conf=SimpleNamespace(get=lambda key, default=None: SETTINGS.get(key, default)),
        sql=lambda _: SimpleNamespace(collect=lambda: rows),
    )
    return CatalogsWithJvm(cast("Any", spark), declared, repeatable_reads=repeatable_reads)


def served(run: CatalogsWithJvm, catalog: str, file_format: str | None = None) -> Any:
    """What a model there is given."""
    return run.catalog_for(context(catalog, file_format))


def context(catalog: str, file_format: str | None = None) -> StagingContext:
    """A model there."""
    layout = TableLayout(file_format or "parquet", format_given=file_format is not None)
    return StagingContext(TableName("shop", "t", catalog), "stg", layout=layout)


def test_a_project_on_iceberg_alone_opens_no_metastore(opened: Opened) -> None:
    """Each catalog is opened once; the end of the run has nothing to close."""
    run = catalogs()
    for _ in range(2):
        served(run, "rest")
    run.close()
    assert opened.names == ["rest"]


def test_the_metastore_is_opened_by_the_first_model_of_files_or_of_delta(opened: Opened) -> None:
    """Once for both, with what the profile declares of its reads; the end closes it."""
    run = catalogs(repeatable_reads=True)
    assert served(run, "spark_catalog", "delta") == ("files", "delta")
    assert served(run, "spark_catalog") == "files"
    run.close()
    assert opened.names == ["metastore", "files, repeatable True", "closed"]


ROW = (
    "docs/catalogs.md: Hive without it, in one process | parquet, orc, avro, csv, json, text "
    "| session | isolated | a lock"
)


@pytest.mark.parametrize(
    ("reached", "told"),
    [
        (
            Capabilities("hive", ConflictCheck.NONE, Atomicity.ATOMIC, "it does not compare"),
            "up to atomic, conflict check none: it does not compare",
        ),
        (
            Capabilities("hive", ConflictCheck.LOCK, Atomicity.ATOMIC, "it can run out"),
            "up to atomic, conflict check lock (of the metastore): it can run out",
        ),
        (
            Capabilities("hive", ConflictCheck.LOCK, Atomicity.ISOLATED),
            f"up to isolated, conflict check lock (of this process) ({ROW})",
        ),
    ],
)
def test_dbt_debug_connects_to_the_metastore(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, reached: Capabilities, told: str
) -> None:
    """To say how it is reached, what it reaches, and what an ANALYZE by others does.

    It tries the rights that a build needs.
    """
    staging = SimpleNamespace(try_rights=lambda: opened.names.append("rights"))
    services = SimpleNamespace(roots=SimpleNamespace(staging=staging))
    fake = SimpleNamespace(capabilities=lambda _: reached, services=lambda *_: services)
    monkeypatch.setattr(session, "SessionCatalog", lambda *_, **__: fake)
    monkeypatch.setattr(session, "FORMATS_OF", {})
    assert list(catalogs().report(context(SESSION_CATALOG))) == [
        "versions",
        "catalog: spark_catalog, d (profile)",
        "storage",
        f"atomicity: {told}",
        f"statistics: {OTHERS_COUNT}",
    ]
    assert opened.names == ["metastore", "rights"]


def test_a_metastore_that_is_not_served_does_not_end_the_report(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project of Iceberg tables alone needs none; all else is still told."""

    def refused(_spark: object) -> Any:
        raise AtomicityNotSupportedError("no way to it")

    monkeypatch.setattr(session, "open_metastore", refused)
    monkeypatch.setattr(session, "FORMATS_OF", {})
    told = list(catalogs().report(context(SESSION_CATALOG)))
    not_known = "not known: [ATOMICITY_NOT_SUPPORTED] no way to it"
    assert f"catalog: spark_catalog, {not_known} (profile)" in told
    assert f"atomicity: {not_known}" in told
    assert opened.names == []


def test_a_hadoop_catalog_publishes_by_statement(opened: Opened) -> None:
    """Through SQL alone: none of Iceberg's own classes is called."""
    found = served(catalogs(), "hadoop")
    assert isinstance(found, StatementCatalog)
    assert found._copied is HADOOP  # noqa: SLF001 (asking would make its staging schema)
    assert opened.names == []


def test_a_database_needs_no_class_of_java_and_no_metastore(opened: Opened) -> None:
    """Spark's JDBC catalog is asked in SQL."""
    assert isinstance(served(catalogs(), "pg"), DatabaseCatalog)
    assert opened.names == []


@pytest.mark.parametrize("name", ["glue", "own"])
def test_a_declared_catalog_is_probed_once(opened: Opened, name: str) -> None:
    """Whether its class is Iceberg's, with an implementation of its own, or not."""
    run = catalogs(name)
    assert [served(run, name) for _ in range(2)] == ["declared", "declared"]
    assert opened.names == [name, f"probe of {name}"]


def test_a_declaration_of_what_is_known_needs_no_probe(opened: Opened) -> None:
    """It changes nothing."""
    assert isinstance(served(catalogs("rest"), "rest"), RestCatalog)
    assert opened.names == ["rest"]


def test_a_declared_catalog_that_is_not_icebergs_is_refused(opened: Opened) -> None:
    """With what was seen."""
    opened.fails = "own"
    with pytest.raises(AtomicityNotSupportedError, match="own is not Iceberg's"):
        served(catalogs("own"), "own")


def test_an_undeclared_implementation_is_refused(opened: Opened) -> None:
    """With what to declare."""
    with pytest.raises(AtomicityNotSupportedError, match="GlueCatalog compares and swaps") as known:
        served(catalogs(), "glue")
    assert "iceberg_catalogs: [glue]" in known.value.remedy
    assert opened.names == []


def test_a_declared_catalog_that_spark_does_not_have_is_a_mistake() -> None:
    """Its declaration would never be used."""
    with pytest.raises(NoSuchCatalogError, match="names typo"):
        catalogs("typo")


def test_each_invocation_has_an_id(opened: Opened) -> None:
    """Its own."""
    assert catalogs().run != catalogs().run
    assert opened.names == []
