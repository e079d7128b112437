"""A version of an Iceberg table: a fork of the target's metadata, under a name of its own.

The fork's entry is the version's record. It shares the target's files and adds its own in two
directories that nobody else writes to, so that they can go without a look at any file.
"""

import logging
from collections.abc import Callable
from uuid import uuid4

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    MetastoreError,
    RefusedError,
    StagedVersionIncompleteError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.files import records
from dbt.adapters.ctas_spark.staging.files.publication import new_commit_id
from dbt.adapters.ctas_spark.staging.files.records import LEASE, RECORD_BASE, STATE, RecordState
from dbt.adapters.ctas_spark.staging.iceberg import (
    difference,
    publications,
    removal,
    second_name,
    statement,
)
from dbt.adapters.ctas_spark.staging.iceberg import properties as props
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase, loaded, look
from dbt.adapters.ctas_spark.staging.iceberg.calls import FilesGoneError
from dbt.adapters.ctas_spark.staging.iceberg.changes import change_between, who_changed
from dbt.adapters.ctas_spark.staging.iceberg.creation import metadata_of_creation
from dbt.adapters.ctas_spark.staging.iceberg.figures import figures_of
from dbt.adapters.ctas_spark.staging.iceberg.outcomes import decide
from dbt.adapters.ctas_spark.staging.iceberg.publications import SnapshotMarker
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.iceberg.tables import LoadedTable
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.marker import TARGET, VERSION, Kind
from dbt.adapters.ctas_spark.staging.publish.native_commit import unchanged
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.steps import StepReport

logger = logging.getLogger(__name__)


class IcebergVersion:
    """A ``NativeVersion`` of Iceberg.

    ``published_as`` is the version that readers get with it: a rollback's is an earlier one.
    """

    def __init__(
        self,
        context: StagingContext,
        services: IcebergServices,
        tend: Callable[[], object],
        *,
        kind: Kind = Kind.BUILD,
        published_as: str | None = None,
    ) -> None:
        self.id = services.lease.new_version()
        self._context = context
        self._services = services
        self._tables = services.tables
        self._sweep = tend
        self._kind = kind
        self._published_as = published_as or self.id
        self._begun = IcebergBase(None)
        self._directories: props.ForkDirectories | None = None
        self._location = ""
        self._commits: list[str] = []

    @property
    def record(self) -> TableName:
        """The fork's own name."""
        name = records.record_name(self._context.staging_schema, self._context.target, self.id)
        return TableName(name.database, name.table, self._context.target.catalog)

    @property
    def places(self) -> str:
        """The entry, and the two directories."""
        if self._directories is None:
            return f"the entry {self.record}"
        directories = self._directories
        return f"the entry {self.record}, {directories.data} and {directories.metadata}"

    def tend(self) -> None:
        """Remove the forks of dead runs; what fails is said and left to later runs."""
        try:
            self._sweep()
        except StagingError as error:
            logger.warning("%s: forks of earlier runs stay: %s", self._context.target, error.what)

    def look(self) -> IcebergBase:
        """The target as it is now."""
        return look(self._tables, self._context.target)

    def stage_on(self, base: IcebergBase) -> None:
        """Fork the base; for a table that is not there, make an empty one at its future place."""
        self._begun = base
        self._services.lease.beat(self._services.leases(self._context.staging_schema))
        asked = self._context.layout.properties
        known = {**base.facts.properties, **asked} if base.facts else dict(asked)
        self._refuse_other_places(known)
        location = base.facts.location if base.facts else self._new_location()
        directories = props.ForkDirectories.below(location, known, self.id)
        own = {**props.of_a_fork(directories), **self._record_properties()}
        self._directories, self._location = directories, location
        if base.facts is None:
            version = {k: v for k, v in asked.items() if k == props.FORMAT_VERSION}
            second_name.create(self._tables, self.record, location, {**version, **own})
        else:
            self._fork(loaded(base), own, directories.metadata)

    def statement(self, query: str) -> str:
        """The statement that fills the fork."""
        layout = self._context.layout
        properties = props.of_the_statement(layout.properties)
        return statement.replace_fork_as(self.record, layout, properties, query)

    def check_staged(self) -> WriteFigures:
        """What the fork's snapshot counts; StagedVersionIncompleteError if it has none."""
        fork = self.fork()
        if fork.facts.main is None or fork.facts.main == self._begun_main:
            raise StagedVersionIncompleteError(
                f"the job has left nothing in {self.record}",
                table=self._context.target,
                left=unchanged(self._begun),
                remedy=conflicts.AGAIN,
            )
        return figures_of(fork.facts.snapshots[fork.facts.main])

    def mark(self, over: IcebergBase, level: Atomicity) -> str:
        """Put the marker on the fork's last snapshot, numbered above all of ``over``'s."""
        fork = self.fork()
        lowest = over.facts.last_sequence_number if over.facts else 0
        marker = self._marker(fork, over, level)
        self._commits.append(marker.commit)
        while True:
            fork.append_nothing(marker.to_summary())
            fork = self.fork()
            if fork.facts.properties.get(STATE) == RecordState.DELETING.value:
                raise conflicts.swept(self._context.target, unchanged(self._begun))
            numbered = fork.facts.format_version > 1
            if not numbered or fork.facts.last_sequence_number > lowest:
                return marker.commit

    def publish(self, over: IcebergBase) -> None:
        """Replay the fork's difference on the target, or register it as the target."""
        fork = self.fork()
        if not over.exists:
            self._create(fork)
            return
        before = over.facts.properties if over.facts else {}
        asked = self._context.layout.properties
        metadata = difference.replayed(
            self._tables.packages,
            loaded(over),
            fork,
            self._begun.facts,
            props.published(fork.facts.properties, before, asked),
        )
        difference.commit(loaded(over), metadata)

    def change(self, begun: IcebergBase, now: IcebergBase) -> Change:
        """What became of the target."""
        return change_between(begun, now)

    def who(self, begun: IcebergBase, now: IcebergBase) -> str:
        """Who changed it, and when."""
        return who_changed(begun, now)

    def decide(
        self, over: IcebergBase, after: IcebergBase, commit: str, failure: MetastoreError | None
    ) -> Outcome:
        """By the target's own history."""
        return decide(over, after, commit, failure)

    def refresh(self) -> None:
        """Forget what Iceberg's and Spark's caches hold of the target."""
        self._tables.forget_cached(self._context.target)
        self._services.engine.refresh(self._context.target)

    def forget(self, report: StepReport) -> list[str]:
        """Remove the entry, and the metadata files that only the fork needed."""
        return removal.forget(self._services, self.record, report)

    def discard(self, report: StepReport) -> list[str]:
        """Remove both directories, then the entry; never those of what the target shows."""
        if self._directories is None:
            return []
        target = self.look().facts
        if target is not None and any(publications.has_commit(target, c) for c in self._commits):
            return self.forget(report)
        return removal.discard(self._services, self.record, self._directories, report)

    def fork(self) -> LoadedTable:
        """The fork as it is now.

        Raises:
            StagingError: somebody removed it.
        """
        found = self._tables.find(self.record)
        if found is None:
            raise conflicts.record_gone(self._context.target, self.record, unchanged(self._begun))
        return found

    @property
    def _begun_main(self) -> int | None:
        return self._begun.facts.main if self._begun.facts else None

    def _new_location(self) -> str:
        root = self._context.layout.location_root
        if root is not None:
            return f"{root.rstrip('/')}/{self._context.target.table}"
        return self._tables.location_of_new(self._context.target)

    def _refuse_other_places(self, known: dict[str, str]) -> None:
        provider = known.get(props.LOCATION_PROVIDER)
        if provider is not None:
            raise AtomicityNotSupportedError(
                f"{props.LOCATION_PROVIDER} is {provider}: where a staged version's files lie "
                "would not be known, and so not what an abort may delete",
                table=self._context.target,
                left="it is unchanged; no job was started",
                remedy=f"remove the property; {props.DATA_PATH} moves data elsewhere, too",
            )

    def _record_properties(self) -> dict[str, str]:
        return {
            STATE: RecordState.STAGED.value,
            TARGET: str(self._context.target),
            VERSION: self.id,
            RECORD_BASE: str(self._begun),
            LEASE: self._services.lease.id,
        }

    def _fork(self, base: LoadedTable, own: dict[str, str], folder: str) -> None:
        try:
            second_name.give(self._tables, self.record, base, own, folder)
        except RefusedError as error:
            raise AtomicityNotSupportedError(
                f"the catalog refuses a second name for the table's metadata, on which a version "
                f"is staged, and a copy of it elsewhere: {error}",
                table=self._context.target,
                left="it is unchanged; no job was started",
                remedy="allow the session's user to register tables in the staging schema",
            ) from error

    def _marker(self, fork: LoadedTable, over: IcebergBase, level: Atomicity) -> SnapshotMarker:
        return SnapshotMarker(
            commit=new_commit_id(),
            version=self._published_as,
            base=over.commit,
            target=str(self._context.target),
            level=level.value,
            kind=self._kind,
            time_ms=self._services.clock(self._context.staging_schema)(),
            spec_id=int(fork.facts.document["default-spec-id"]),
            sort_order_id=int(fork.facts.document["default-sort-order-id"]),
            fork=self.id,
        )

    def _create(self, fork: LoadedTable) -> None:
        begun = self._begun.facts
        own = fork.facts.snapshots.keys() - (begun.snapshots.keys() if begun else set())
        asked = self._context.layout.properties
        text = metadata_of_creation(
            fork.facts,
            props.published(fork.facts.properties, begun.properties if begun else {}, asked),
            own=frozenset(own),
            uuid=str(uuid4()) if begun else fork.facts.uuid,
            location=self._location,
        )
        folder = fork.facts.properties[props.METADATA_PATH]
        path = f"{folder}/00000-{self._commits[-1]}.metadata.json"
        self._tables.write_metadata(text, fork, path)
        second_name.register_in_place_of(
            self._tables, self.record, fork, self._context.target, path
        )
        if self._was_swept():
            self._tables.drop_entry(self._context.target)
            raise RefusedError("a clean-up took the version meanwhile; its new entry was removed")

    def _was_swept(self) -> bool:
        """True if the record was taken while the creation slept: no fence stops a creation."""
        try:
            fork = self._tables.find(self.record)
        except FilesGoneError:
            return True
        return fork is None or fork.facts.properties.get(STATE) == RecordState.DELETING.value
