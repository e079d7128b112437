"""A schema of Delta tables, with what tests do there."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from pyspark.sql import SparkSession

from ctas_spark.context import (
    SESSION_CATALOG,
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableLayout,
)
from formats.run_place import RunPlace, open_run

NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True)
class Place(RunPlace):
    """One run's view of a schema and its table ``t``."""

    @classmethod
    def new(cls, spark: SparkSession, schema: str) -> "Place":
        """A schema that is empty."""
        spark.sql(f"CREATE SCHEMA {schema}")
        return cls(spark, SESSION_CATALOG, schema, open_run(spark))

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
            self.target,
            self.staging_schema,
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

    def rows(self, source: str = "") -> list[tuple[object, ...]]:
        """What a new session reads of the target, sorted."""
        return sorted(self.sql(f"SELECT * FROM {{t}}{source}"), key=str)

    def properties(self) -> dict[str, str]:
        """Without what Delta says of the protocol."""
        found = super().properties()
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


def _marked(user_metadata: str | None) -> object:
    found = json.loads(user_metadata) if user_metadata else {}
    return found.get("ctas_spark_version") if isinstance(found, dict) else None
