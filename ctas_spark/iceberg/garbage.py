"""The forks of an Iceberg target that runs have left: which may go, and how one goes.

What was published belongs to Iceberg's own history, and Iceberg expires it.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from ..context import StagingContext, TableName, named_in
from ..errors import EntryMissingError, MetastoreError
from ..publish.marker import (
    TARGET,
    VERSION_ID,
    PublicationKind,
    is_record_of,
    name_of_record,
    started_ms,
    version_named,
)
from ..retention.clean_up import Garbage
from ..retention.rules import KnownVersion, Place, Reason
from ..steps import StepReport
from ..storage.client import emptied
from . import fork as forks
from .base import IcebergBase, look
from .facts import TableFacts
from .fork import DELETING, Fork
from .loaded import FilesGoneError, NotIcebergError
from .tables import IcebergServices, IcebergTables

logger = logging.getLogger(__name__)


def forked(tables: IcebergTables, staging_schema: str) -> Iterator[TableName]:
    """The targets of the forks in a staging schema, as far as these say whose they are."""
    for name in tables.tables(staging_schema) if tables.has_namespace(staging_schema) else ():
        if VERSION_ID.fullmatch(version_named(name)) is None:
            continue
        with suppress(FilesGoneError, NotIcebergError):
            fork = tables.find(name)
            said = fork.facts.properties.get(TARGET, "") if fork is not None else ""
            target = named_in(name.catalog, said)
            if target is not None and is_record_of(name, target):
                yield target


@dataclass(frozen=True, slots=True)
class IcebergGarbage(Garbage):
    """The ``Garbage`` of one Iceberg target.

    The handle of a version is its fork; None for an entry whose metadata file is gone.
    """

    context: StagingContext
    services: IcebergServices
    report: StepReport

    @property
    def target(self) -> TableName:
        return self.context.target

    def forget_published(self) -> tuple[str, ...]:
        """Remove the entries of forks that were published, whatever their age; what was done.

        Their runs ended between the commit and its settling, or are about to do it themselves. A
        creation's writer, which looks for its record, finds its files without one.
        """
        target = self._look().facts
        published = [fork for _, fork in self._forks() if fork is not None and fork.is_in(target)]
        return tuple(
            f"the entry {fork.record} of a published version was removed"
            for fork in published
            if not forks.forget(self.services.tables, fork, self.report)
        )

    def versions(self) -> tuple[KnownVersion, ...]:
        """Every fork that the target's history does not show."""
        target = self._look().facts
        return tuple(
            self._known(record, fork, target)
            for record, fork in self._forks()
            if fork is None or not fork.is_in(target)
        )

    def age_ms(self, version: KnownVersion) -> int:
        """By the clock of the storage that its files lie on; by its id alone where none is found.

        That they are not there may be because this machine does not see the storage.
        """
        if version.handle is None:
            return self.services.clock.wall_ms() - started_ms(version.id)
        fork = _fork_of(version)
        directories = fork.directories
        youngest = max(started_ms(version.id), int(fork.facts.document["last-updated-ms"]))
        if directories is None:
            return self.services.clock.wall_ms() - youngest
        storage = fork.table.storage
        files = (*storage.files(directories.data), *storage.files(directories.metadata))
        youngest = max([youngest, *(file.modified_ms for file in files)])
        return storage.now_ms(directories.metadata) - youngest

    def may_land(self, version: KnownVersion) -> bool:
        """True if the target shows the base that its record names.

        A creation may not: once its record is in ``deleting``, its writer takes its entry back.
        """
        if version.handle is None:
            return False
        return _fork_of(version).may_land_on(self._look().facts)

    def fence(self) -> None:
        """Commit a snapshot of the same files: a commit over the one before is refused."""
        base = self._look()
        if base.table is not None:
            marker = base.next_marker(
                base.table.facts.rules,
                PublicationKind.FENCE,
                self.services.clock.wall_ms(),
                version=base.version or "",
                target=str(self.target),
                level=base.level or "",
                fork="",
            )
            with suppress(EntryMissingError):  # dropped just now: there is nothing to land on
                base.table.append_nothing(marker.to_summary())

    def take(self, version: KnownVersion) -> bool:
        """Write ``deleting``, then read whether its writer has moved on meanwhile.

        A writer writes its base or its attempt, then reads the state: one of the two sees the
        other.
        """
        if version.handle is None:
            return True
        fork = _fork_of(version)
        if fork.directories is None:
            return True
        table = self.services.tables.find(fork.record)
        if table is None:
            return False
        taken = Fork(fork.record, table.with_properties({forks.STATE: DELETING}))
        return (taken.expected, taken.attempts) == (fork.expected, fork.attempts)

    def shown(self, versions: Sequence[KnownVersion]) -> dict[str, Reason]:
        """By the target's history; where that is another table's, by every table there is.

        Its marker may have expired, so the manifests of every snapshot decide, those of tags and
        branches among them. They are proof enough, as for Iceberg's own removal of orphans: its
        call can't land any more, and a later snapshot takes files from a kept one only. A gap in
        the history proves nothing more, and would keep a killed run's files forever.
        """
        reasons = {one.id: self._reason_shown(one) for one in versions}
        return {one: reason for one, reason in reasons.items() if reason is not None}

    def give_back(self, version: KnownVersion) -> None:
        """It landed, here or under another name: only its entry goes."""
        forks.forget(self.services.tables, _fork_of(version), self.report)

    def delete_files(self, version: KnownVersion) -> bool:
        """Both of its directories."""
        fork = _fork_of(version) if version.handle is not None else None
        directories = fork.directories if fork is not None else None
        if fork is None or directories is None:
            return True
        storage = fork.table.storage
        return emptied(storage, directories.data) and emptied(storage, directories.metadata)

    def delete_record(self, version: KnownVersion) -> None:
        record = name_of_record(self.context.staging_schema, self.target, version.id)
        self.services.tables.drop_entry(record)

    def _reason_shown(self, version: KnownVersion) -> Reason | None:
        if version.handle is None:
            return None
        fork = _fork_of(version)
        target = self._look().facts
        if fork.is_in(target):
            return Reason.LIVE
        if not fork.attempts:
            return None
        if target is not None and self.services.tables.shows_files_of(self.target, fork.version):
            return Reason.NEEDED
        expected = fork.expected
        if target is not None and expected is not None and target.uuid == expected.uuid:
            return None
        return self._reason_elsewhere(fork)

    def _look(self) -> IcebergBase:
        return look(self.services.tables, self.target)

    def _forks(self) -> Iterator[tuple[TableName, Fork | None]]:
        """Every entry by the name of a fork of the target; None where its metadata is gone."""
        for name in self.services.tables.tables(self.context.staging_schema):
            if not is_record_of(name, self.target):
                continue
            try:
                found = self.services.tables.find(name)
            except FilesGoneError:
                yield name, None
                continue
            except NotIcebergError:
                continue
            ours = str(self.target)  # a fork that was only registered does not say whose it is
            if found is not None and found.facts.properties.get(TARGET, ours) == ours:
                yield name, Fork(name, found)

    def _known(
        self, record: TableName, fork: Fork | None, target: TableFacts | None
    ) -> KnownVersion:
        directories = fork.directories if fork else None
        return KnownVersion(
            id=version_named(record),
            place=Place.UNPUBLISHED,
            directory=directories.data if directories else str(record),
            # ``deleting`` alone proves nothing of a rebuild: its call may be on its way
            is_deleting=fork is not None and fork.is_deleting and not fork.may_land_on(target),
            handle=fork,
        )

    def _reason_elsewhere(self, fork: Fork) -> Reason | None:
        """The target may have been renamed since: any table that we may list is looked at."""
        try:
            found = (self._reason_under(fork, name, table) for name, table in self._others())
            return next((reason for reason in found if reason is not None), None)
        except MetastoreError as error:
            logger.warning("%s stays: %s", fork.record, error.what)
            return Reason.UNSEARCHED

    def _reason_under(self, fork: Fork, name: TableName, table: TableFacts) -> Reason | None:
        if fork.is_in(table):
            return Reason.REFERENCED
        if table.uuid not in fork.uuids:
            return None
        if fork.may_land_on(table):
            return Reason.MAY_LAND
        return Reason.NEEDED if self.services.tables.shows_files_of(name, fork.version) else None

    def _others(self) -> Iterator[tuple[TableName, TableFacts]]:
        staging = self.context.staging_schema.lower()  # as a Hive metastore lists it
        for name in self.services.tables.all_tables():
            if name.database.lower() == staging or name == self.target:
                continue
            try:
                found = self.services.tables.find(name)
            except NotIcebergError:
                continue
            if found is not None:
                yield name, found.facts


def _fork_of(version: KnownVersion) -> Fork:
    return cast("Fork", version.handle)
