"""Publish any Iceberg table: stage a fork of the target, then replay its difference on it.

A table that is not there yet is staged as one of its own, which is registered under its name.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from ..context import Atomicity, StagingContext, TableName
from ..engines.protocol import WriteFigures
from ..errors import EntryMissingError, MetastoreError, RefusedError, StagingError
from ..publish import messages
from ..publish.marker import BASE, TARGET, VERSION, PublicationKind, name_of_record
from ..publish.version import Reach, before_the_call
from ..steps import StepReport
from . import base as bases
from . import difference, limits
from . import fork as forks
from .base import IcebergBase
from .creation import Creation, fork_to_publish, metadata_of_creation
from .facts import TableFacts
from .fork import Fork, ForkDirectories
from .loaded import LoadedTable
from .tables import IcebergServices

logger = logging.getLogger(__name__)


class ByFork:
    """The calls of an ``IcebergVersion`` by fork; ``begun`` is the base that begin saw."""

    def __init__(
        self,
        context: StagingContext,
        services: IcebergServices,
        report: StepReport,
        version: str,
        begun: IcebergBase,
    ) -> None:
        self._context = context
        self._services = services
        self._tables = services.tables
        self._report = report
        self._version = version
        self._begun = begun
        self._recorded = ""
        self._directories: ForkDirectories | None = None
        self._location = ""
        self._made = begun.table
        self._fork: LoadedTable | None = None
        self._commits: list[str] = []

    @property
    def record(self) -> TableName:
        """The fork's own name."""
        return name_of_record(self._context.staging_schema, self._context.target, self._version)

    @property
    def places(self) -> str:
        """The entry and the two directories, once there can be some."""
        directories = self._directories
        if directories is None:
            return ""
        return f"the entry {self.record}, {directories.data} and {directories.metadata}"

    def reach(self, over: IcebergBase) -> Reach:
        """One commit of metadata, whatever it changes."""
        return Reach(Atomicity.ISOLATED, "swap" if over.exists else "create")

    def make(self) -> None:
        """Fork the base; for a table that is not there, make an empty one at its future place.

        AtomicityNotSupportedError if the catalog has made something else of it: the CTAS is the
        next commit on it.
        """
        if self._directories is not None:
            return
        asked, base = self._context.layout.properties, self._begun
        known = {**base.facts.properties, **asked} if base.facts else dict(asked)
        self._recorded = str(base)
        self._location = base.facts.location if base.facts else self._new_location()
        self._directories = ForkDirectories.below(self._location, known, self._version)
        said = {TARGET: str(self._context.target), VERSION: self._version, BASE: self._recorded}
        own = {**self._directories.properties, forks.STATE: forks.STAGED, **said}
        try:
            if base.table is None:
                own |= {k: v for k, v in asked.items() if k == forks.FORMAT_VERSION}
                self._made = forks.make_empty_fork(self._tables, self.record, self._location, own)
            else:
                self._made = forks.make_fork(self._tables, self.record, base.table, own)
        except RefusedError as error:
            raise limits.no_second_name(self._context.target, error) from error
        self._check_apart(self._made)

    def statement(self, query: str) -> str:
        self.make()
        if self._directories is None:
            raise RuntimeError(f"{self._context.target} has no fork")
        layout = self._context.layout
        return forks.replace_fork_as(self.record, layout, self._directories, query)

    def check_staged(self) -> WriteFigures:
        """What the fork's own snapshot counts; StagedVersionIncompleteError if not all is there."""
        facts, begun = self.fork().facts, self._begun.facts
        if facts.main is None or (begun is not None and facts.main == begun.main):
            raise self._not_whole(f"the job wrote nothing to {self.record}")
        figures = facts.snapshots[facts.main].figures
        self._check_files(figures)
        return figures

    def rebase(self, over: IcebergBase) -> None:
        """Write it to the fork, then read whether a clean-up was there first.

        A clean-up writes ``deleting``, then reads the base: one of the two sees the other.
        """
        self._commit(self.fork().with_properties, {BASE: str(over)})
        self._recorded = str(over)

    def mark(self, over: IcebergBase, level: Atomicity) -> str:
        """Put the marker on the fork's last snapshot, numbered above all of ``over``'s."""
        if self._recorded != str(over):
            self.rebase(over)
        lowest = over.facts.last_sequence_number if over.facts else 0
        marker = over.next_marker(
            self.fork().facts.rules,
            PublicationKind.BUILD,
            self._services.clock.wall_ms(),
            version=self._version,
            target=str(self._context.target),
            level=level.value,
            fork=self._version,
        )
        self._commits.append(marker.commit)
        while True:
            facts = self._commit(self.fork().append_nothing, marker.to_summary())
            if facts.format_version == 1 or facts.last_sequence_number > lowest:
                return marker.commit

    def publish(self, over: IcebergBase) -> None:
        """Replay the fork's difference on the target, or register it as the target.

        No comparison stops a creation whose version was swept, so it looks at the fork again.
        """
        if over.table is None:
            with before_the_call():
                self._fork = fork_to_publish(self._tables, self.record)
        fork = self.fork()
        before = over.facts or self._begun.facts
        properties = forks.published_properties(
            fork.facts.properties,
            before.properties if before else limits.given_to_new(self._tables.settings),
            self._context.layout.properties,
        )
        if over.table is None:
            self._create(fork, properties, over)
            return
        with before_the_call():
            metadata = difference.replayed(over.table, fork, self._begun.facts, properties)
        over.table.commit(metadata)

    def settle(self, report: StepReport) -> list[str]:
        """Remove the entry, and what only the fork needed."""
        return forks.forget(self._tables, Fork(self.record, self.fork()), report)

    def discard(self, report: StepReport) -> list[str]:
        """Remove both directories, then the entry; never those of what the target shows."""
        if self._directories is None:
            return []
        try:
            target = bases.look(self._tables, self._context.target).facts
        except MetastoreError as error:
            logger.warning(
                "%s stays, because the target can't be read: %s", self.places, error.what
            )
            return [self.places]
        if target is not None and any(target.has_commit(one) for one in self._commits):
            return self.settle(report)
        made = self._fork or self._made  # without any, no file was written
        left = forks.discard(self._directories, made.storage, report) if made else []
        return left or forks.drop_entry(self._tables, self.record, report)

    def fork(self) -> LoadedTable:
        """The fork as its job, or this attempt's last commit on it, has left it.

        An error if somebody removed it, or if no commit on it is safe.
        """
        if self._fork is None:
            found = self._tables.find(self.record)
            if found is None:
                raise self._gone()
            self._check_apart(found)
            self._fork = found
        return self._fork

    def _commit(
        self, commit: Callable[[Mapping[str, str]], LoadedTable], values: Mapping[str, str]
    ) -> TableFacts:
        """Commit on the fork; ConcurrentWriteError if a clean-up has taken it by then."""
        try:
            self._fork = commit(values)
        except EntryMissingError as gone:
            raise self._gone() from gone
        if Fork(self.record, self._fork).is_deleting:
            raise messages.swept(self._context.target, self._unchanged)
        return self._fork.facts

    def _check_apart(self, fork: LoadedTable) -> None:
        if Fork(self.record, fork).directories is None:
            raise limits.not_apart(self._context.target, self.record, self._unchanged)

    def _check_files(self, figures: WriteFigures) -> None:
        """One listing: all files of a build are its own; an earlier version's lie elsewhere."""
        if self._directories is None or figures.files is None:
            return
        listed = self.fork().storage.files(self._directories.data)
        if len(listed) < figures.files or sum(f.bytes for f in listed) < (figures.bytes or 0):
            if self._tables.find(self.record) is None:
                raise self._gone()
            place = self._directories.data
            raise self._not_whole(f"{len(listed)} of its {figures.files} files are in {place}")

    def _gone(self) -> StagingError:
        return messages.record_gone(self._context.target, self.record, self._unchanged)

    def _not_whole(self, what: str) -> StagingError:
        return messages.files_gone(self._context.target, what, self._unchanged)

    @property
    def _unchanged(self) -> str:
        return messages.unchanged(self._begun)

    def _new_location(self) -> str:
        """Of a name that has an entry, a catalog does not say the place."""
        root, target = self._context.layout.location_root, self._context.target
        if root:
            return f"{root.rstrip('/')}/{target.database}/{target.table}"
        free = replace(target, table=self.record.table) if self._begun.is_clone else target
        location = self._tables.location_of_new(free)
        return location.replace(f"/{free.table}", f"/{target.table}")

    def _create(self, fork: LoadedTable, properties: dict[str, str], over: IcebergBase) -> None:
        begun, target, commit = self._begun.facts, self._context.target, self._commits[-1]
        text = metadata_of_creation(fork.facts, self._version, begun, self._location, properties)
        creation = Creation(
            self._tables, self._report, self.record, target, commit, drops_view=over.is_clone
        )
        self._fork = creation.make(fork, text)
