"""What a run is asked for, and how far it is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctas_spark.context import (
    OnConflict,
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from ctas_spark.files.base import SCHEMA
from ctas_spark.metastore.client import (
    PARTITION_COLUMN,
    PARTITION_COLUMN_COUNT,
    PROVIDER,
    TableEntry,
)
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from fakes.world import BY_MONTH, STAGING_SCHEMA, TARGET_NAME, version_of

TARGETS = (TARGET_NAME, TableName("shop", "orders__old"))
OTHER_SCHEMA = "shop__elsewhere"
STAGING_SCHEMAS = (STAGING_SCHEMA, OTHER_SCHEMA)
"""Both publish the same targets; each knows nothing of the other's versions."""

Columns = tuple[tuple[str, str], ...]


def spark_schema(columns: Columns, keys: tuple[str, ...] = ()) -> dict[str, str]:
    """The parameters that Spark reads a table's schema from."""
    fields = [{"name": name, "type": kind} for name, kind in columns]
    partitioned = {f"{PARTITION_COLUMN}{at}": key for at, key in enumerate(keys)}
    count = {PARTITION_COLUMN_COUNT: str(len(keys))} if keys else {}
    text = json.dumps({"fields": fields})
    return {PROVIDER: "parquet", SCHEMA: text, **count, **partitioned}


def columns_of(parameters: Mapping[str, str]) -> Columns:
    """The columns that Spark reads."""
    return tuple((one["name"], one["type"]) for one in json.loads(parameters[SCHEMA])["fields"])


@dataclass(frozen=True, slots=True)
class Plan:
    """A model; ``months`` are the partitions of its rows, ``schema`` tells schemas apart.

    ``reads`` says that it reads its own table.
    """

    target: TableName = TARGETS[0]
    purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE
    on_conflict: OnConflict = OnConflict.ABORT
    months: tuple[str, ...] = ()
    tracked: bool = True
    schema: int = 0
    staging_schema: str = STAGING_SCHEMA
    reads: bool = False

    def __repr__(self) -> str:
        how = f"{self.purpose.value}, {self.on_conflict.value}, tracked={self.tracked}"
        how += f", reads={self.reads}"
        return f"Plan({self.target}, {how}, {self.months}, {self.schema}, {self.staging_schema})"

    @property
    def columns(self) -> Columns:
        """The columns of its rows; a server by default refuses to make a string a number again."""
        return ("id", "string" if self.schema == 1 else "bigint"), (f"c{self.schema}", "string")

    @property
    def context(self) -> StagingContext:
        """The same in the product's words."""
        metadata = PartitionMetadata.TRACKED if self.tracked else PartitionMetadata.FILES
        return StagingContext(
            self.target,
            self.staging_schema,
            self.purpose,
            on_conflict=self.on_conflict,
            layout=BY_MONTH if self.months else TableLayout(),
            partition_metadata=metadata if self.months else PartitionMetadata.AUTO,
        )


@dataclass(slots=True)
class Attempt:
    """One version on its way; ``months`` are its partitions, ``seen`` what the target was.

    ``began_ms`` is a time by the clock that nobody sets. ``inserts`` counts those that came before
    its job read the target, and is None if that does not read it.
    """

    staged: StagedTable[Any]
    columns: Columns
    months: tuple[str, ...]
    began_ms: int
    seen: TableEntry | None
    inserts: int | None = None
    is_staged: bool = False
    is_committing: bool = False
    is_settled: bool = False
    touches: int = 0

    @property
    def outcome(self) -> Outcome | None:
        """What the product says of it."""
        return self.staged.outcome

    @property
    def directory(self) -> str:
        """Where its files lie."""
        return str(version_of(self.staged).directory)

    @property
    def record(self) -> TableName:
        """The entry of its version."""
        name: TableName = version_of(self.staged).record
        return name


@dataclass(slots=True)
class Doing:
    """What a run does right now; ``rules`` are those of a clean-up, in one staging schema."""

    word: str
    attempt: Attempt | None = None
    rules: RetentionRules | None = None
    staging_schema: str = ""
    was_held: bool = False
