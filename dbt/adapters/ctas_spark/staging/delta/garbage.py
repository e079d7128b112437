"""What was staged on a Delta table and never published, and how it goes.

What was published belongs to the table, and expires by Delta's own rules (VACUUM): of that only the
staged table's log and the entries go.
"""

from dataclasses import dataclass, replace

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.delta import record as records
from dbt.adapters.ctas_spark.staging.delta import transaction
from dbt.adapters.ctas_spark.staging.delta.base import last_marker
from dbt.adapters.ctas_spark.staging.delta.facts import CommitMarker, Since, publishes
from dbt.adapters.ctas_spark.staging.delta.record import DeltaRecord
from dbt.adapters.ctas_spark.staging.delta.services import DeltaServices
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, StorageError
from dbt.adapters.ctas_spark.staging.files.record import RecordState
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.retention.rules import KnownVersion, Place, Reason
from dbt.adapters.ctas_spark.staging.steps import StepReport
from dbt.adapters.ctas_spark.staging.storage.removal import emptied
from dbt.adapters.ctas_spark.staging.version_id import new_commit_id, started_ms

MOST_FENCES = 20


@dataclass(frozen=True, slots=True)
class Attempts:
    """The records of one target, by what the history says of their versions.

    ``forgotten``: the history no longer reaches back to where the version began.
    """

    published: tuple[DeltaRecord, ...]
    unpublished: tuple[DeltaRecord, ...]
    forgotten: tuple[DeltaRecord, ...]

    @property
    def kept(self) -> dict[str, Reason]:
        """Why the versions that no clean-up of ours deletes stay."""
        return {one.version: Reason.NATIVE for one in self.published} | {
            one.version: Reason.FORGOTTEN for one in self.forgotten
        }


class DeltaGarbage:
    """The attempts on one target: ``Garbage`` of those that were never published."""

    def __init__(
        self, context: StagingContext, services: DeltaServices, tables: DeltaTables
    ) -> None:
        self._context = context
        self._services = services
        self._tables = tables
        self._report = StepReport(context.target)
        self._unpublished: tuple[DeltaRecord, ...] = ()

    @property
    def target(self) -> TableName:
        """The table whose attempts these are."""
        return self._context.target

    def sorted_out(self, *, dry_run: bool = False) -> Attempts:
        """Look at every attempt; what was published is forgotten, whatever its age.

        Raises:
            MetastoreError, StorageError: it could not be found out, or something can't be removed.
        """
        found = records.records_of(self._services, self._context)
        by_since = [(one, self._since(one)) for one in found]
        attempts = Attempts(
            tuple(one for one, since in by_since if since and publishes(since, one.version)),
            tuple(
                one
                for one, since in by_since
                if since is not None and not publishes(since, one.version)
            ),
            tuple(one for one, since in by_since if since is None),
        )
        self._unpublished = attempts.unpublished
        if not dry_run:
            for one in attempts.published:
                self._forget(one)
        return attempts

    def versions(self) -> tuple[KnownVersion, ...]:
        """Those that ``sorted_out`` has found not to be published."""
        return tuple(
            KnownVersion(
                one.version,
                Place.UNPUBLISHED,
                one.stage,
                is_deleting=one.is_deleting,
                handle=one,
            )
            for one in self._unpublished
        )

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:  # noqa: ARG002
        """No version here was ever published."""
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
        for record in self._unpublished:
            for _ in range(MOST_FENCES):
                table = self._table_where_it_may_land(record)
                if table is None or self._fenced(table):
                    break

    def take(self, version: KnownVersion) -> bool:
        """Its writer reads the record directly before its call, and gives up."""
        record = self._record(version)
        deleting = replace(record, state=RecordState.DELETING)
        try:
            records.move(self._services, self._context, deleting, record)
        except EntryModifiedError:
            return False
        return True

    def reason_shown(self, version: KnownVersion) -> Reason | None:
        """By the table's history, read afresh."""
        since = self._since(self._record(version))
        if since is None:
            return Reason.FORGOTTEN
        return Reason.LIVE if publishes(since, version.id) else None

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

    def _since(self, record: DeltaRecord) -> Since:
        """The commits on top of its base; none where the table is gone."""
        table = self._table(record)
        return self._tables.commits_since(table, record.number) if table is not None else ()

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
        left = records.forget(self._services, self._context.staging_schema, record, self._report)
        if left:
            raise StorageError(f"could not remove {', '.join(left)}")
