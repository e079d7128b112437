"""A kind of catalog on which tables can be staged (FLIP-305 ``SupportsStaging``)."""

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.files.rollback import RolledBack
from dbt.adapters.ctas_spark.staging.files.sweeper import Sweep
from dbt.adapters.ctas_spark.staging.publish.protocol import CommitWay, StagedTable
from dbt.adapters.ctas_spark.staging.publish.ways import SWAP
from dbt.adapters.ctas_spark.staging.retention.history import Event
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import StepObserver


class ConflictCheck(str, Enum):
    """How a rival's commit is noticed."""

    CAS = "cas"
    LOCK = "lock"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a catalog was found to be and to reach.

    ``missing`` says what keeps it from ``isolated``, and ``remedy`` what would make that work.
    ``replaces_by`` is how a table that is there is published at the level that it reaches, with
    what a reader may meet meanwhile. ``needs_jvm`` says that the commit is made through the
    driver's JVM; one that is a statement, or a call over Thrift, needs none.
    """

    catalog: str
    conflict_check: ConflictCheck
    reaches: Atomicity
    missing: str = ""
    remedy: str = ""
    replaces_by: CommitWay = SWAP
    needs_jvm: bool = True


class StagingCatalog(Protocol):
    """One implementation for each kind of catalog."""

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What this catalog reaches; probed once, with ``staging_schema`` as the place to try."""

    def apply_staging(
        self, context: StagingContext, job: Job, observers: tuple[StepObserver, ...] = ()
    ) -> StagedTable:
        """A staged table for the context; AtomicityNotSupportedError if its level is not reached.

        No job is started and nothing about the target is read or written yet.
        """

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete the target's versions that nobody needs any more, by ``rules``."""

    def recover(self, context: StagingContext, rules: RetentionRules) -> tuple[str, ...]:
        """Finish or revert what crashes left half done; what was done, as sentences."""

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """The target's publications, newest first."""

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Publish version ``to`` again, or the one before the live one: one commit."""
