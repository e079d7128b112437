"""What a run is asked for, and how far it is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable

from dbt.adapters.ctas_spark.staging.context import (
    OnConflict,
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import BY_MONTH, STAGING_SCHEMA, TARGET_NAME

if TYPE_CHECKING:
    pass


TARGETS = (TARGET_NAME, TableName("shop", "orders__old"))


@dataclass(frozen=True, slots=True)
class Plan:
    """A model; ``months`` are the partitions of its rows, ``schema`` tells schemas apart."""

    target: TableName = TARGETS[0]
    purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE
    on_conflict: OnConflict = OnConflict.ABORT
    months: tuple[str, ...] = ()
    tracked: bool = True
    schema: int = 0

    def __repr__(self) -> str:
        how = f"{self.purpose.value}, {self.on_conflict.value}, tracked={self.tracked}"
        return f"Plan({self.target}, {how}, {self.months}, {self.schema})"

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        """The columns of its rows."""
        return ("id", "bigint"), (f"c{self.schema}", "string")

    @property
    def context(self) -> StagingContext:
        """The same in the product's words."""
        metadata = PartitionMetadata.TRACKED if self.tracked else PartitionMetadata.FILES
        return StagingContext(
            self.target,
            STAGING_SCHEMA,
            self.purpose,
            on_conflict=self.on_conflict,
            layout=BY_MONTH if self.months else TableLayout(),
            partition_metadata=metadata if self.months else PartitionMetadata.AUTO,
        )


@dataclass(slots=True)
class Attempt:
    """One version on its way; ``months`` are its partitions, ``seen`` what the target was."""

    staged: StagedFileTable
    columns: tuple[tuple[str, str], ...]
    months: tuple[str, ...]
    seen: TableEntry | None = None
    is_staged: bool = False
    is_committing: bool = False
    is_settled: bool = False
    touches: int = 0

    @property
    def outcome(self) -> Outcome | None:
        """What the product says of it."""
        return self.staged.outcome


@dataclass(slots=True)
class Doing:
    """What a run does right now; ``rules`` are those of a clean-up."""

    word: str
    attempt: Attempt | None = None
    rules: RetentionRules | None = None
    was_held: bool = False
