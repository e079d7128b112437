"""One run's view of a schema and its table ``t``, in a catalog that is not of files."""

import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pyspark.sql import SparkSession
from typing_extensions import Self

from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.catalogs.session import OpenedCatalog, open_catalog
from dbt.adapters.ctas_spark.staging.context import (
    SESSION_CATALOG,
    Atomicity,
    StagingContext,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity

NOTHING: Mapping[str, Atomicity] = {}
NOBODYS_PID = 2**22 - 1

Own = TypeVar("Own", bound="RunPlace")


def open_run(spark: SparkSession, declared: Mapping[str, Atomicity] = NOTHING) -> OpenedCatalog:
    """The product's catalogs in a new invocation."""
    return open_catalog(spark, lambda error: warnings.warn(str(error), stacklevel=1), declared)


@dataclass(frozen=True)
class RunPlace(ABC):
    """What tests do in a schema, whatever the format; ``opened`` is the run's."""

    spark: SparkSession
    catalog: str
    schema: str
    opened: OpenedCatalog

    @abstractmethod
    def context(self) -> StagingContext:
        """A publication of the target."""

    @abstractmethod
    def lease_directory(self) -> Path:
        """Where runs say that they are alive."""

    def open_another(self) -> OpenedCatalog:
        """The catalogs of one more invocation."""
        return open_run(self.spark)

    def another_run(self) -> Self:
        """The same schema in another invocation."""
        return replace(self, opened=self.open_another())

    def close(self) -> None:
        """End the run."""
        self.opened.close()

    @property
    def target(self) -> TableName:
        """The target."""
        return TableName(self.schema, "t", self.catalog)

    @property
    def table(self) -> str:
        """The target, as statements name it."""
        return str(self.target)

    @property
    def staging_schema(self) -> str:
        """Where versions have their records."""
        return f"{self.schema}__ctas"

    @property
    def staging(self) -> StagingCatalog:
        """The catalog that serves the target."""
        return self.opened.catalog_for(self.context())

    def begin(self, context: StagingContext | None = None) -> StagedTable:
        """A staged table that has begun."""
        asked = context or self.context()
        job = SessionJob(self.spark, f"job of {self.schema}", threading.Event())
        staged = self.opened.catalog_for(asked).apply_staging(asked, job)
        staged.begin()
        return staged

    def stage(self, query: str, context: StagingContext | None = None) -> StagedTable:
        """A staged table that was filled and verified."""
        staged = self.begin(context)
        self.spark.sql(staged.statement(query))
        staged.verify()
        return staged

    def publish(self, query: str, context: StagingContext | None = None) -> StagedTable:
        """A staged table that was committed."""
        staged = self.stage(query, context)
        staged.commit()
        staged.settle()
        return staged

    def columns(self) -> list[str]:
        """The target's columns."""
        return self.spark.newSession().table(self.table).columns

    def properties(self) -> dict[str, str]:
        """The target's properties."""
        found = self.spark.sql(f"SHOW TBLPROPERTIES {self.table}").collect()
        return {row.key: row.value for row in found}

    def staged(self) -> list[str]:
        """What is in the staging schema."""
        path = self.staging_schema
        if self.catalog != SESSION_CATALOG:
            path = f"{self.catalog}.{path}"
        found = self.spark.sql(f"SHOW TABLES IN {path}").collect()
        return [str(row.tableName) for row in found if not row.isTemporary]

    def leases(self) -> set[str]:
        """The runs that are alive, or left something."""
        names = (path.name for path in self.lease_directory().iterdir())
        return {name for name in names if not name.startswith(".")}

    def die(self) -> None:
        """End the run as a kill does: its lease stays, and names a process that is gone."""
        own = self._own_leases()
        self.opened.close()
        self._write_as_dead(own)

    def seem_dead(self) -> None:
        """Let others take the run for dead until it beats again."""
        self._write_as_dead(self._own_leases())

    def _own_leases(self) -> list[Lease]:
        """Those of the run that lie beside the target's versions."""
        leases = self.leases()
        opened = [self.opened.lease, *self.opened.others.leases]
        return [lease for lease in opened if lease.id in leases]

    def _write_as_dead(self, leases: list[Lease]) -> None:
        gone = ProcessIdentity(ProcessIdentity.current().host, NOBODYS_PID, 0.0)
        for lease in leases:
            path = self.lease_directory() / lease.id
            path.write_text(LeaseFile(lease.id, gone, lease.catalog).to_text())
            path.with_name(f".{lease.id}.crc").unlink(missing_ok=True)
