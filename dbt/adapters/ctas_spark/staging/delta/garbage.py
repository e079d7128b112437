"""What was staged on a Delta table and never published, and how it goes.

What was published belongs to the table, and expires by Delta's own rules (VACUUM): of that only the
staged table's log and the entries go.
"""

from dataclasses import replace
from functools import cached_property

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta import record as records
from dbt.adapters.ctas_spark.staging.delta import transaction
from dbt.adapters.ctas_spark.staging.delta.base import last_marker
from dbt.adapters.ctas_spark.staging.delta.facts import CommitMarker, publishes
from dbt.adapters.ctas_spark.staging.delta.record import DeltaRecord
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryModifiedError,
    StorageError,
)
from dbt.adapters.ctas_spark.staging.files.record import RecordState
from dbt.adapters.ctas_spark.staging.files.table import Services
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.retention.rules import KnownVersion, Place, Reason
from dbt.adapters.ctas_spark.staging.steps import StepReport
from dbt.adapters.ctas_spark.staging.storage.client import emptied
from dbt.adapters.ctas_spark.staging.version_id import new_commit_id, started_ms

MOST_FENCES = 20


class DeltaGarbage:
    """A ``Garbage`` of the attempts on one Delta table; their records are read once."""

    def __init__(self, context: StagingContext, services: Services, tables: DeltaTables) -> None:
        self._context = context
        self._services = services
        self._tables = tables
        self._report = StepReport(context.target)

    @property
    def target(self) -> TableName:
        """The table whose attempts these are."""
        return self._context.target

    def forget_published(self) -> tuple[str, ...]:
        """Remove what published versions needed while they were staged, whatever their age.

        Returns:
            their ids.

        Raises:
            MetastoreError, StorageError: it could not be found out, or something can't be removed.
        """
        published = [one for one, reason in self._known if reason is Reason.NATIVE]
        for record in published:
            self._forget(record)
        return tuple(one.version for one in published)

    def versions(self) -> tuple[KnownVersion, ...]:
        """Every attempt; those that were published, or may have been, stay."""
        return tuple(
            KnownVersion(
                record.version,
                Place.UNPUBLISHED,
                record.stage,
                is_deleting=record.is_deleting,
                stays=reason,
                handle=record,
            )
            for record, reason in self._known
        )

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:  # noqa: ARG002
        """Delta itself keeps what was published."""
        raise RuntimeError(f"version {version.id} of {self.target} is not superseded")

    def age_ms(self, version: KnownVersion) -> int:
        """Since its start, its record, its newest file: the youngest of them."""
        record, storage = self._record(version), self._services.storage
        now = self._services.now_ms(self._services.roots.root_of(self._context))
        entry = record.entry
        written = [entry.create_time, entry.last_ddl_time or 0] if entry is not None else []
        ages = [now - time for time in (started_ms(version.id), *(1000 * one for one in written))]
        files = storage.files(record.stage)
        if files:
            ages.append(storage.now_ms(record.stage) - max(one.modified_ms for one in files))
        return min(ages)

    def may_land(self, version: KnownVersion) -> bool:
        """True unless Delta is sure to refuse the attempt.

        A transaction over an older version of the log is refused only for the sake of a commit that
        conflicts; one of another that only appends to the table's history (VACUUM) does not.
        """
        return self._table_where_it_may_land(self._record(version)) is not None

    def fence(self) -> None:
        """Commit the same metadata again, at the place of every attempt that may land."""
        for record in (one for one, reason in self._known if reason is None):
            for _ in range(MOST_FENCES):
                table = self._table_where_it_may_land(record)
                if table is None or self._fenced(table):
                    break

    def take(self, version: KnownVersion) -> bool:
        """Its writer reads the record directly before its call, and gives up."""
        record = self._record(version)
        deleting = replace(record, state=RecordState.DELETING)
        try:
            if record.id == records.NO_TABLE:
                records.create(self._services, self._context.staging_schema, deleting)
            else:
                records.move(self._services, self._context, deleting, record)
        except (EntryModifiedError, EntryExistsError):
            return False
        return True

    def reason_shown(self, version: KnownVersion) -> Reason | None:
        """By the table's history, read afresh."""
        reason = self._reason(self._record(version))
        return Reason.LIVE if reason is Reason.NATIVE else reason

    def give_back(self, version: KnownVersion) -> None:
        """It is published after all: its files are the table's."""
        self._forget(self._record(version))

    def delete_files(self, version: KnownVersion) -> bool:
        """Exactly its own directory."""
        return emptied(self._services.storage, self._record(version).stage)

    def delete_record(self, version: KnownVersion) -> None:
        """The staged table's entry, then the record."""
        record = self._record(version)
        for _, _, drop in records.entries(self._services, self._context.staging_schema, record):
            drop()

    @cached_property
    def _known(self) -> tuple[tuple[DeltaRecord, Reason | None], ...]:
        found = records.records_of(self._services, self._context)
        return tuple((one, self._reason(one)) for one in found)

    def _reason(self, record: DeltaRecord) -> Reason | None:
        """``NATIVE`` if the history has its publication, ``FORGOTTEN`` if it can't tell."""
        table = self._table(record)
        since = self._tables.commits_since(table, record.number) if table is not None else ()
        if since is None:
            return Reason.FORGOTTEN
        return Reason.NATIVE if publishes(since, record.version) else None

    def _record(self, version: KnownVersion) -> DeltaRecord:
        if not isinstance(version.handle, DeltaRecord):
            raise TypeError(f"version {version.id} is not of this garbage")
        return version.handle

    def _table(self, record: DeltaRecord) -> LoadedTable | None:
        """The table that it was staged on; None if its directory is gone, or its log begun anew.

        Another's REPLACE TABLE gives the table a new identity and keeps its history.
        """
        found = self._tables.at(record.root)
        return found if found is not None and found.facts.number >= record.number else None

    def _table_where_it_may_land(self, record: DeltaRecord) -> LoadedTable | None:
        table = self._table(record)
        if table is None or table.facts.id != record.id:
            return None
        since = self._tables.commits_since(table, record.number) or ()
        return None if any(commit.refuses_older_attempts for commit in since) else table

    def _fenced(self, table: LoadedTable) -> bool:
        """False if another committed first, so that it is to be looked at again."""
        try:
            transaction.fence(self._tables, table, self._fence_marker(table))
        except EntryModifiedError:
            return False
        return True

    def _fence_marker(self, table: LoadedTable) -> CommitMarker:
        before = last_marker(self._tables, table)
        return CommitMarker(
            commit=new_commit_id(),
            version=before.version if before else "",
            base=before.commit if before else "",
            target=str(self.target),
            level=before.level if before else "",
            kind=Kind.FENCE,
            time_ms=self._services.now_ms(self._services.roots.root_of(self._context)),
        )

    def _forget(self, record: DeltaRecord) -> None:
        schema = self._context.staging_schema
        left = records.remove(self._services, schema, record, self._report, is_published=True)
        if left:
            raise StorageError(f"could not remove {', '.join(left)}")
