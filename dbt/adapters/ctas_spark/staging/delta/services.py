"""What a Delta table is staged and published with; the session catalog of files hands it in."""

from collections.abc import Callable
from typing import Any, Protocol

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities
from dbt.adapters.ctas_spark.staging.clock import Clock
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Statements, WriteFigures
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.locks import CommitLock
from dbt.adapters.ctas_spark.staging.publish.version import Version
from dbt.adapters.ctas_spark.staging.retention.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.retention.rules import Event, RetentionRules, Sweep
from dbt.adapters.ctas_spark.staging.steps import StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Storage

CountFiles = Callable[[str], WriteFigures]
"""What a job wrote into a directory, by the log of the format that it wrote there."""


class Roots(Protocol):
    """Where the session catalog keeps the versions of tables of files."""

    def root_of(self, context: StagingContext) -> str:
        """The directory for the versions of the context's target."""


class DeltaServices(Protocol):
    """``conditional`` says that the metastore compares and swaps; else ``lock`` guards records."""

    @property
    def metastore(self) -> MetastoreClient:
        """Where entries and records are."""

    @property
    def storage(self) -> Storage:
        """The file systems."""

    @property
    def engine(self) -> Statements:
        """The session that later statements run in."""

    @property
    def lock(self) -> CommitLock:
        """What guards a change of a record."""

    @property
    def conditional(self) -> bool:
        """True if the metastore compares and swaps."""

    @property
    def clock(self) -> Clock:
        """This machine's clocks."""

    @property
    def roots(self) -> Roots:
        """Where versions of tables of files lie."""

    def now_ms(self, root: str) -> int:
        """The time of the storage that such a directory lies on, in milliseconds."""


class FileTables(Protocol):
    """The session catalog's tables of files.

    What stands in the place of a new Delta table is replaced by one metastore call, as any table of
    files is: the version is a whole Delta table in a directory of its own.
    """

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What one metastore call reaches."""

    def services(self, staging_schema: str) -> DeltaServices:
        """What versions are staged and published with."""

    def open_version(
        self,
        context: StagingContext,
        level: Atomicity,
        report: StepReport,
        count: CountFiles | None = None,
    ) -> Version[Any]:
        """One attempt to publish a table of files; ``count`` knows better than the engine."""

    def remember(self, context: StagingContext, version: str, figures: WriteFigures) -> None:
        """Keep the figures of a published version of files."""

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete the versions of files that nobody needs."""

    def recover(self, context: StagingContext) -> tuple[str, ...]:
        """Finish what crashes left half done of the entry; what was done, as sentences."""

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """The publications that the entry's lineage knows."""

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Publish an earlier version of files by one metastore call."""
