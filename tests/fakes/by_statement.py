"""A catalog in memory that stages, with faults that real ones have."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, MetastoreError
from dbt.adapters.ctas_spark.staging.publish.namespaces import leases_of
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.statement import probe
from dbt.adapters.ctas_spark.staging.statement.client import TableFacts
from dbt.adapters.ctas_spark.staging.statement.services import StatementServices
from dbt.adapters.ctas_spark.staging.statement.staged_change import Stage
from dbt.adapters.ctas_spark.staging.statement.tables import CatalogTables
from fakes.storage import FakeStorage

Rows = tuple[tuple[object, ...], ...]
ROWS: Mapping[str, Rows] = {
    probe.OLD: probe.OLD_ROWS,
    probe.NEW: probe.NEW_ROWS,
    probe.THEIRS: (("theirs",), (3,)),
}


@dataclass
class FakeCatalog:
    """``faults`` say what it does wrong; ``checks`` that a commit over another's is refused."""

    faults: tuple[str, ...] = ()
    checks: bool = False
    stages: bool = True
    name: str = "lake"
    implementation: str = "x.Lake"
    shown: dict[TableName, tuple[Rows, TableFacts]] = field(default_factory=dict)
    commits: int = 0
    aborts: int = 0

    def find(self, name: TableName) -> TableFacts | None:
        found = self.shown.get(name)
        return found[1] if found else None

    def exists(self, name: TableName) -> bool:
        return name in self.shown

    def obstacle(self, name: TableName) -> str:
        return "a view" if "views" in self.faults and name not in self.shown else ""

    def rows(self, name: TableName) -> Rows | None:
        if "no answer" in self.faults:
            raise MetastoreError("no answer")
        found = self.shown.get(name)
        return found[0] if found else None

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        return tuple(name for name in self.shown if name.database == namespace)

    def namespace_location(self, namespace: str) -> str:
        return f"/lake/{namespace}"

    def drop(self, name: TableName) -> None:
        self.shown.pop(name, None)

    def show(self, name: TableName, rows: Rows, own: Mapping[str, str]) -> None:
        """Commit."""
        self.commits += 1
        version = "" if "no versions" in self.faults else str(self.commits)
        properties = {} if "no properties" in self.faults else own
        self.shown[name] = (rows, TableFacts("", version, "", (), properties))

    def stage(
        self, how: Stage, name: TableName, query: str, like: object, own: Mapping[str, str]
    ) -> "FakeChange":
        if "does not stage" in self.faults:
            raise MetastoreError(f"no {how.value} like {like}")
        return FakeChange(self, name, ROWS.get(query, probe.NEW_ROWS), own, self.find(name))


@dataclass
class FakeChange:
    """A change that is staged in it."""

    catalog: FakeCatalog
    name: TableName
    rows: Rows
    own: Mapping[str, str]
    seen: TableFacts | None

    def write(self) -> None:
        if "does not write" in self.catalog.faults:
            raise MetastoreError("disk full")
        if "shows early" in self.catalog.faults:
            self.catalog.show(self.name, self.rows, self.own)

    def commit(self) -> None:
        if self.catalog.checks and self.catalog.find(self.name) != self.seen:
            if "refuses too late" in self.catalog.faults:
                self.catalog.drop(self.name)
            raise MetastoreError("another has changed it")
        if "commit is lost" in self.catalog.faults:
            raise MetastoreError("no answer")
        rows = self.rows[:1] if "loses rows" in self.catalog.faults else self.rows
        self.catalog.show(self.name, rows, self.own)

    def abort(self) -> None:
        self.catalog.aborts += 1
        if "abort deletes" in self.catalog.faults:
            self.catalog.drop(self.name)


@dataclass
class FakeEngine:
    """Runs the statements of a probe."""

    catalog: FakeCatalog
    own: dict[str, str] = field(default_factory=dict)

    def sql(self, statement: str) -> None:
        verb, _, _ = statement.partition(" ")
        shown = self.catalog.shown
        name = next((one for one in shown if f"`{one.table}`" in statement), None)
        query = statement.rsplit("AS\n", maxsplit=1)[-1]
        if verb == "CREATE":
            self._create(statement, query)
            return
        if name is None:
            raise EntryMissingError(statement)
        if verb == "INSERT":
            rows, facts = self.catalog.shown[name]
            self.catalog.show(name, (*rows, (3,)), facts.properties)
        elif verb == "DROP":
            self.catalog.drop(name)
        elif query == probe.FAILS:
            self._fail(name)
        else:
            self.catalog.show(name, ROWS[query], self.own)

    def refresh(self, name: TableName) -> None:
        """It has no caches."""

    def reads(self, file_format: str) -> bool:
        return bool(file_format)

    def _create(self, statement: str, query: str) -> None:
        path = [part.strip("`") for part in statement.split()[2].split(".")]
        pairs = [one.split("' = '") for one in statement.split("TBLPROPERTIES ('")[1].split("', '")]
        self.own = {key: value.split("'")[0] for key, value in pairs}
        self.catalog.show(TableName(path[1], path[2], path[0]), ROWS[query], self.own)

    def _fail(self, name: TableName) -> None:
        faults = self.catalog.faults
        if "truncates" in faults:
            rows, facts = self.catalog.shown[name]
            self.catalog.shown[name] = (rows[:1], replace(facts))
        if "drops first" in faults:
            self.catalog.drop(name)
        if "fails otherwise" in faults:
            raise PySparkException("disk full")
        if "ignores failures" not in faults:
            raise PySparkException(f"job aborted: {probe.BROKEN}")


def services(catalog: FakeCatalog) -> StatementServices:
    """What the product works with, over the fake."""
    storage = FakeStorage()
    tables = cast("CatalogTables", catalog)
    leases_in = partial(leases_of, tables)
    return StatementServices(
        tables, storage, FakeEngine(catalog), Lease(storage), leases_in, staging=tables
    )
