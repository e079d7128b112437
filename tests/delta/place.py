"""A schema of Delta tables, with what tests do there."""

import json
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.opened import OpenedCatalog, open_catalog
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from dbt.adapters.ctas_spark.staging.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.staged_table import StagedTable

NOTHING: Mapping[str, str] = {}
NOBODYS_PID = 2**22 - 1


@dataclass(frozen=True, slots=True)
class Place:
    """One run's view of a schema and its table ``t``."""

    spark: SparkSession
    schema: str
    opened: OpenedCatalog

    @classmethod
    def new(cls, spark: SparkSession, schema: str) -> "Place":
        """A schema that is empty."""
        spark.sql(f"CREATE SCHEMA {schema}")
        return cls(spark, schema, _opened(spark))

    def another_run(self) -> "Place":
        """The same schema in another invocation."""
        return Place(self.spark, self.schema, _opened(self.spark))

    def close(self) -> None:
        """End the run."""
        self.opened.close()

    @property
    def table(self) -> str:
        """The target, as statements name it."""
        return f"{self.schema}.t"

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """A statement of somebody else's; ``{t}`` is the target."""
        return list(
            map(tuple, self.spark.newSession().sql(statement.format(t=self.table)).collect())
        )

    def context(  # noqa: PLR0913 (what a model may say)
        self,
        *,
        file_format: str = "delta",
        purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE,
        atomicity: Atomicity = Atomicity.AUTO,
        on_conflict: OnConflict = OnConflict.ABORT,
        partition_by: tuple[str, ...] = (),
        clustered_by: tuple[str, ...] = (),
        properties: Mapping[str, str] = NOTHING,
        comment: str | None = None,
    ) -> StagingContext:
        """A publication of the target."""
        return StagingContext(
            TableName(self.schema, "t"),
            f"{self.schema}__ctas",
            purpose=purpose,
            atomicity=atomicity,
            on_conflict=on_conflict,
            layout=TableLayout(
                file_format,
                partition_by,
                clustered_by,
                properties=properties,
                comment=comment,
            ),
        )

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

    def rows(self, source: str = "") -> list[tuple[object, ...]]:
        """What a new session reads of the target, sorted."""
        return sorted(self.sql(f"SELECT * FROM {{t}}{source}"), key=str)

    def columns(self) -> list[str]:
        """The target's columns."""
        return self.spark.newSession().table(self.table).columns

    def properties(self) -> dict[str, str]:
        """The target's properties, but for what Delta says of the protocol."""
        found = {str(row[0]): str(row[1]) for row in self.sql("SHOW TBLPROPERTIES {t}")}
        return {key: value for key, value in found.items() if not key.startswith("delta.min")}

    def detail(self) -> Mapping[str, object]:
        """What Delta says of the target."""
        row = self.spark.newSession().sql(f"DESCRIBE DETAIL {self.table}").first()
        assert row is not None
        return row.asDict()

    def history(self) -> list[tuple[int, object]]:
        """Each commit's number, and who made it: a version of ours, or an operation."""
        rows = self.spark.newSession().sql(f"DESCRIBE HISTORY {self.table}").collect()
        return [(row.version, _marked(row.userMetadata) or row.operation) for row in rows]

    def root(self) -> Path:
        """The target's own directory."""
        return Path(unquote(urlparse(str(self.detail()["location"])).path))

    def stages(self) -> list[str]:
        """The staged tables that lie in the target's directory, with logs of their own."""
        return sorted(path.parent.name for path in self.root().glob("stg_*/_delta_log"))

    def files(self) -> set[str]:
        """Every file in the target's directory, but for Delta's log."""
        found = (path for path in self.root().rglob("*") if path.is_file())
        return {str(path) for path in found if "_delta_log" not in path.parts}

    def records(self) -> list[str]:
        """What is in the staging schema."""
        return [str(row[1]) for row in self.sql(f"SHOW TABLES IN {self.schema}__ctas")]

    def leases(self) -> set[str]:
        """The runs that are alive, or left something."""
        names = (path.name for path in self._leases().iterdir())
        return {name for name in names if not name.startswith(".")}

    def die(self) -> None:
        """End the run as a kill does: its lease stays, and names a process that is gone."""
        self.opened.close()
        self.seem_dead()

    def seem_dead(self) -> None:
        """Let others take the run for dead until it beats again."""
        lease = self.opened.lease
        gone = ProcessIdentity(ProcessIdentity.current().host, NOBODYS_PID, 0.0)
        text = LeaseFile(lease.id, gone, lease.catalog).to_text()
        (self._leases() / lease.id).write_text(text)
        (self._leases() / f".{lease.id}.crc").unlink(missing_ok=True)

    def _leases(self) -> Path:
        rows = self.spark.sql(f"DESCRIBE SCHEMA {self.schema}").collect()
        location = next(row.info_value for row in rows if row.info_name == "Location")
        return Path(urlparse(str(location)).path) / "ctas-spark" / "leases"


def _marked(user_metadata: str | None) -> object:
    found = json.loads(user_metadata) if user_metadata else {}
    return found.get("ctas_spark_version") if isinstance(found, dict) else None


def _opened(spark: SparkSession) -> OpenedCatalog:
    return open_catalog(spark, lambda error: warnings.warn(str(error), stacklevel=1))
