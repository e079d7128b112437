"""A catalog that is declared to be Iceberg's is believed as far as a probe agrees."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark.errors import PySparkException

from ctas_spark.catalogs import declared
from ctas_spark.catalogs.declared import Probe, load
from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import TableName
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    EntryModifiedError,
    MetastoreError,
    NoSuchSchemaError,
    ProbeFailedError,
    StorageError,
)
from ctas_spark.iceberg.tables import IcebergServices, IcebergTables
from ctas_spark.publish.marker import new_version_id
from fakes.clock import FakeClock

TARGET = TableName("shop", "orders", "glue")
CONFLICT = EntryModifiedError("it moved")
OTHERWISE = PySparkException("disk full")


@dataclass
class FakeIceberg:
    """One table's snapshots and ``main``; ``faults`` say what the catalog does wrong."""

    faults: tuple[str, ...] = ()
    name: str = "glue"
    shown: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    snapshots: int = 0
    main: int = 0
    commits: int = 0

    def has_namespace(self, namespace: str) -> bool:
        return namespace not in self.faults

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        return tuple(TableName(namespace, name, self.name) for name in self.shown)

    def find(self, name: TableName | None) -> Any:
        main, commits = self.main, self.commits
        table = name.table if name else self.shown[-1]
        if table not in self.shown:
            return None
        return SimpleNamespace(
            facts=SimpleNamespace(main=main, location=f"s3://lake/{table}"),
            storage=self,
            append_nothing=self.append,
            builder=lambda: FakeBuilder(main),
            commit=lambda made: self._commit(commits, made),
        )

    def append(self, _summary: object) -> Any:
        """A snapshot, and the table with it."""
        if "no answer" in self.faults:
            raise PySparkException("no answer")
        self.snapshots += 1
        self.main = self.snapshots
        self.commits += 1
        return self.find(None)

    def sql(self, statement: str) -> None:
        name = statement.split("`")[5]
        if statement.startswith("CREATE"):
            self.shown.append(name)
        elif not {"keeps", "purges nothing"} & {*self.faults}:
            self.shown.remove(name)
        else:
            raise OTHERWISE

    def drop_entry(self, name: TableName) -> None:
        if "keeps" in self.faults:
            raise MetastoreError("no")
        self.shown.remove(name.table)

    def delete(self, path: str) -> None:
        """A directory, with what is in it."""
        self.deleted.append(path)

    def files(self, directory: str) -> tuple[str, ...]:
        """As the table's FileIO lists them."""
        if "no scheme" in self.faults:
            raise StorageError("No FileSystem for scheme s3")
        return () if "own storage" in self.faults else (f"{directory}/v1.metadata.json",)

    def refresh(self, name: TableName) -> None:
        """It has no caches."""

    def _commit(self, over: int, made: int) -> None:
        is_stale = over != self.commits
        if is_stale and "refuses too late" in self.faults:
            self.main = made
        if is_stale and "checks nothing" not in self.faults:
            raise OTHERWISE if "fails otherwise" in self.faults else CONFLICT
        self.main = made
        self.commits += 1


@dataclass
class FakeBuilder:
    """Metadata with another main."""

    main: int

    def setBranchSnapshot(self, snapshot: int, _branch: str) -> "FakeBuilder":  # noqa: N802
        return FakeBuilder(snapshot)

    def build(self) -> int:
        return self.main


def probe(catalog: FakeIceberg) -> None:
    """What is done before the first model of a declared catalog."""
    tables = cast("IcebergTables", catalog)
    Probe(IcebergServices(tables, cast("Any", catalog), FakeClock()), "stg", TARGET).run()


def test_a_schema_that_does_not_exist_gets_no_staging_schema() -> None:
    """A misspelt name leaves nothing in the catalog."""
    catalog = FakeIceberg(("shop", "stg"))
    with pytest.raises(NoSuchSchemaError, match="schema shop does not exist"):
        probe(catalog)
    assert catalog.shown == []


def test_a_catalog_that_refuses_a_commit_over_anothers_is_believed() -> None:
    """The scratch table is gone again."""
    catalog = FakeIceberg()
    probe(catalog)
    assert (catalog.shown, catalog.snapshots) == ([], 3)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("checks nothing", "a commit succeeded although another had come in between"),
        ("refuses too late", "was refused, but changed the table all the same"),
        ("own storage", "can't be listed by the table's FileIO"),
        ("no scheme", "No FileSystem for scheme s3"),
    ],
)
def test_what_it_does_otherwise_is_said(fault: str, said: str) -> None:
    """With what to remove from the profile."""
    catalog = FakeIceberg((fault,))
    with pytest.raises(AtomicityNotSupportedError, match=said) as refused:
        probe(catalog)
    assert "remove glue from iceberg_catalogs" in refused.value.remedy
    assert catalog.shown == []


@pytest.mark.parametrize("fault", ["no answer", "fails otherwise"])
def test_what_can_not_be_found_out_is_an_error_and_no_answer(fault: str) -> None:
    """Nothing is left behind."""
    catalog = FakeIceberg((fault,))
    with pytest.raises(ProbeFailedError):
        probe(catalog)
    assert catalog.shown == []


def test_a_catalog_that_purges_nothing_keeps_no_scratch_table() -> None:
    """The entry goes, and the directory, whose name says that it is the scratch table's alone."""
    catalog = FakeIceberg(("purges nothing",))
    probe(catalog)
    assert (catalog.shown, len(catalog.deleted)) == ([], 1)


def test_a_scratch_table_that_can_not_be_dropped_fails_no_model() -> None:
    """A later probe drops it, once it is old."""
    catalog = FakeIceberg(("keeps",))
    probe(catalog)
    assert len(catalog.shown) == 1


@pytest.mark.parametrize("faults", [(), ("purges nothing",)])
def test_a_probe_drops_what_a_killed_one_left(faults: tuple[str, ...]) -> None:
    """Once it is older than any probe takes; what is not a probe's stays."""
    now = FakeClock().wall_ms()
    old, young = (
        f"ctas_spark_probe__{new_version_id(now - age)}" for age in (2 * ORPHAN_AGE_MS, 0)
    )
    others = [young, "ctas_spark_probe__mine", f"t__{new_version_id(0)}"]
    catalog = FakeIceberg(faults, shown=[old, *others])
    probe(catalog)
    assert catalog.shown == others


def test_a_catalog_that_iceberg_does_not_know_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its class is not Iceberg's, or it does not answer."""

    def fail(*_: object) -> None:
        raise MetastoreError("x.Other is not Iceberg's")

    monkeypatch.setattr(declared, "IcebergTables", fail)
    with pytest.raises(AtomicityNotSupportedError, match=r"names the catalog glue.*x\.Other"):
        load(cast("Any", None), "glue")
