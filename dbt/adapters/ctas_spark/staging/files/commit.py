"""The commit calls of one staged version, until one of them is decided."""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import Atomicity, HiveColumns, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.errors import (
    ColumnsRefusedError,
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.files import publication, records
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.commits.choice import strategy_for
from dbt.adapters.ctas_spark.staging.files.locks import HeldCheck
from dbt.adapters.ctas_spark.staging.files.publication import PartitionState, Publication
from dbt.adapters.ctas_spark.staging.files.rebase import rebase
from dbt.adapters.ctas_spark.staging.files.records import STATE, RecordState
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.takeover import wait_out
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish import outcome
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, Kind
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.steps import StepReport

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 100


class Commit:
    """Publishes one version over the base that begin saw, or over what the purpose allows instead.

    ``outcome`` is None until it is decided; ``base``, ``strategy`` and ``level`` are those of the
    last attempt. ``storage_time`` returns the storage's time in milliseconds. A rollback takes the
    version's record, which is in ``record_state``, before it publishes: a clean-up may want it.
    """

    def __init__(  # noqa: PLR0913 (each is one fact of the staged version)
        self,
        context: StagingContext,
        services: Services,
        job: Job,
        *,
        version: str,
        level: Atomicity,
        base: Base,
        partitions: PartitionState,
        storage_time: Callable[[], int],
        report: StepReport,
        kind: Kind = Kind.BUILD,
        record_state: str = RecordState.STAGED.value,
    ) -> None:
        self.context = context
        self.outcome: Outcome | None = None
        self._services = services
        self._job = job
        self._version = version
        self._asked_level = level
        self._begun_on = base
        self.partitions = partitions
        self._storage_time = storage_time
        self._report = report
        self._kind = kind
        self._record_state = record_state
        self._columns_refused = False
        self._columns_of_base = False
        self._take(base)

    def run(self, staged: TableEntry) -> None:
        """Try until the fate of one call is known.

        Raises:
            ConcurrentWriteError, TableAlreadyExistsError, NoSuchTableError: refused.
            CommitStateUnknownError: the call's fate can't be told.
            JobCanceledError: the run was cancelled before the call.
            AtomicityNotSupportedError: ``isolated`` by name, and only a rename would do.
            StagingError: the metastore refused the new entry itself.
        """
        with self._services.lock.held(self.context.target) as check:
            for _ in range(MOST_ATTEMPTS):
                base = self._base_now()
                if base is None:
                    self.outcome = Outcome.KEPT
                    return
                self._attempt(staged, base, check)
                if self.outcome is not None:
                    return
        raise conflicts.never_alone(self.context.target, MOST_ATTEMPTS)

    def _take(self, base: Base) -> None:
        self.base = base
        self.strategy = strategy_for(
            self.context,
            self._version,
            base,
            self._services,
            refused=self._columns_refused,
        )
        weaker = self._asked_level.strength > self.strategy.reaches.strength
        self.level = self.strategy.reaches if weaker else self._asked_level

    def _base_now(self) -> Base | None:
        """The base of the next attempt; None if theirs is to be kept."""
        now = self._services.metastore.get_table(self.context.target)
        begun_on = self._begun_on
        return begun_on if begun_on.is_still(now) else rebase(self.context, begun_on, now)

    def _attempt(self, staged: TableEntry, base: Base, check: HeldCheck) -> None:
        """One commit call; the outcome stays None if another attempt is to be made."""
        again = self._record_state != RecordState.STAGED.value or self._kind is Kind.ROLLBACK
        self._take(base)
        fenceable = self.strategy.fenceable and base is self._begun_on and not again
        wait_out(base, staged, self._storage_time)
        ours = self._publication(staged, base)
        if self._job.canceled:
            raise conflicts.canceled(self.context.target, conflicts.unchanged(base))
        if not fenceable:
            self._move_record(staged, ours.marker.commit)
        check()
        self._judge(ours, self._call(ours))
        if self.outcome is Outcome.COMMITTED and not self.strategy.fenceable:
            self._check_not_swept(ours)

    def _publication(self, staged: TableEntry, base: Base) -> Publication:
        return publication.build(
            target=self.context.target,
            staged=staged,
            base=base,
            version=self._version,
            level=self.level,
            now=self._storage_time(),
            partitions=self.partitions,
            columns_of_base=self._columns_of_base,
            kind=self._kind,
        )

    def _move_record(self, staged: TableEntry, attempt: str) -> None:
        # a rename ends in a creation, which expects nothing that a fence could change
        over = self.base if self.strategy.fenceable else Base(None)
        again = self._kind is Kind.ROLLBACK
        try:
            self._record_state = records.mark_committing(
                self._services,
                staged,
                attempt,
                over,
                was=self._record_state,
                took_over=None if again else records.memory_of(self.base),
            )
        except EntryModifiedError as error:
            raise conflicts.swept(self.context.target, conflicts.unchanged(self.base)) from error

    def _check_not_swept(self, ours: Publication) -> None:
        """A sweeper may have taken the record while a creation slept: then nothing stays of it.

        Where the target moved on from ours, it was published, and swept as superseded.
        """
        metastore = self._services.metastore
        record = metastore.get_table(ours.staged.name)
        if record is not None and record.parameters.get(STATE) != RecordState.DELETING.value:
            return
        target = metastore.get_table(self.context.target)
        if target is None or target.parameters.get(COMMIT) != ours.marker.commit:
            return
        metastore.drop_entry(self.context.target)
        self.outcome = Outcome.NOT_COMMITTED
        raise conflicts.swept(self.context.target, conflicts.unchanged(self.base))

    def _call(self, ours: Publication) -> MetastoreError | None:
        """The failure of the call, if any; until it is judged it may land, whatever ended it."""
        self.outcome = Outcome.UNKNOWN
        try:
            self.strategy.publish(self._services.metastore, ours, self._report)
        except MetastoreError as error:
            return error
        return None

    def _judge(self, ours: Publication, failure: MetastoreError | None) -> None:
        target = self.context.target
        try:
            after = self._services.metastore.get_table(target)
        except MetastoreError as error:
            raise conflicts.unknown(target, self._version, failure or error) from error
        decided = outcome.decide(after, ours, failure)
        self.outcome = None if decided is Outcome.NOT_COMMITTED else decided
        if decided is Outcome.UNKNOWN:
            raise conflicts.unknown(target, self._version, failure) from failure
        if decided is Outcome.NOT_COMMITTED and not conflicts.by_rival(failure):
            self._other_way(failure)

    def _other_way(self, failure: MetastoreError | None) -> None:
        """A metastore that refuses new column types may take the version in another way."""
        if not isinstance(failure, ColumnsRefusedError) or self._columns_refused:
            raise conflicts.refused_entry(
                self.context.target, conflicts.unchanged(self.base), failure
            )
        if self.context.hive_columns is HiveColumns.KEEP_OLD and not self._columns_of_base:
            self._columns_of_base = True
            logger.warning(conflicts.KEEPS_OLD_COLUMNS, self.context.target)
        elif self.context.atomicity is Atomicity.ISOLATED:
            raise conflicts.refused_columns(self.context.target, self.base, failure)
        else:
            self._columns_refused = True
            logger.warning(conflicts.RENAMES_FOR_COLUMNS, self.context.target)
