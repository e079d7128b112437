"""Delete the files of a managed table that a version took over, once nobody needs them.

Dropping a managed table deletes its files; replacing it by a version leaves them, because readers
may be on them. The record of the version remembers where they are. Only the default directory of
the table goes; of every other the log says that it stays.
"""

import logging
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import unquote

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, EntryModifiedError
from dbt.adapters.ctas_spark.staging.files import records, set_aside
from dbt.adapters.ctas_spark.staging.files.directories import FOLDER
from dbt.adapters.ctas_spark.staging.files.records import NOTHING, THERE, TOOK_OVER
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.versions import Place, Version
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.discard import emptied
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX, Marker
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

SEEN = PREFIX + "took_over_seen_ms"
DELETING = "deleting:"
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?")


def remembers(version: Version) -> bool:
    """True if the version was published, and its record remembers such files."""
    published = version.place in (Place.LIVE, Place.SUPERSEDED)
    memory = version.record.parameters.get(TOOK_OVER, NOTHING) if version.record else NOTHING
    return published and memory != NOTHING


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What versions of one target took over; ``storage_time`` in milliseconds."""

    context: StagingContext
    services: Services
    rules: RetentionRules
    storage_time: Callable[[], int]
    report: StepReport
    dry_run: bool = False

    def free(self, versions: Iterable[Version]) -> list[str]:
        """Delete what may go of what the versions remember, or only look; the directories.

        Raises:
            MetastoreError, StorageError: it could not be found out whether something may go.
        """
        found = (one.record for one in versions if one.record is not None and remembers(one))
        freed = (self._freed(record) for record in found)
        return [directory for directory in freed if directory is not None]

    def _freed(self, record: TableEntry) -> str | None:
        memory = record.parameters[TOOK_OVER]
        directory = memory.removeprefix(THERE).removeprefix(DELETING)
        if self._is_set_aside() or not self._is_past_grace(record) or self._lists(directory):
            return None
        if self.dry_run:
            return None if self._reason_to_leave(record, directory) else directory
        if not self._take(record, memory, directory):
            return None
        reason = self._reason_to_leave(record, directory)
        if reason is None:
            with self.report.within(Step.DELETE_FILES):
                if not emptied(self.services.storage, directory):
                    return None
        records.annotate(self.services, record.name, {TOOK_OVER: NOTHING})
        self._say(directory, reason)
        return None if reason else directory

    def _is_past_grace(self, record: TableEntry) -> bool:
        """The grace runs from the first clean-up that knows of the takeover."""
        if self.rules.grace_ms == 0:
            return True
        now, seen = self.storage_time(), record.parameters.get(SEEN)
        if seen is not None:
            return now - int(seen) >= self.rules.grace_ms
        if not self.dry_run:
            records.annotate(self.services, record.name, {SEEN: str(now)})
        return False

    def _is_set_aside(self) -> bool:
        """True while a rename is under way, which may put the old table back."""
        staging_schema = self.context.staging_schema
        metastore = self.services.metastore
        return bool(set_aside.of_target(metastore, self.context.target, staging_schema))

    def _lists(self, directory: str) -> bool:
        """True while the target keeps partitions there, which another clean-up is to forget."""
        keeps = self._locations_of(self.context.target)
        there = any(lies_within(location, directory) for _who, location in keeps)
        return there and self.services.partition_lock is not None

    def _take(self, record: TableEntry, memory: str, directory: str) -> bool:
        """Make the directory ours to delete; False if another has decided of it meanwhile."""
        metastore = self.services.metastore
        with self.services.lock.held(self.context.target):
            now = metastore.get_table(record.name)
            if now is None or now.parameters.get(TOOK_OVER) != memory:
                return False
            expected = Expectation(TOOK_OVER, memory) if self.services.conditional else None
            parameters = {**now.parameters, TOOK_OVER: f"{DELETING}{directory}"}
            try:
                with self.report.within(Step.TAKE_RECORD):
                    metastore.alter_table(EntryChange(now.name, now, now, parameters), expected)
            except (EntryModifiedError, EntryMissingError):
                return False
        return True

    def _reason_to_leave(self, record: TableEntry, directory: str) -> str | None:
        target, metastore = self.context.target, self.services.metastore
        schema = metastore.database_location(target.database)
        if schema is None or not is_same(directory, f"{schema}/{target.table}"):
            return "it is not the directory that Spark gives to a table of that name"
        if FOLDER in self.services.storage.children(directory):
            return f"it holds versions, in {FOLDER}"
        for who, location in self._locations():
            if lies_within(location, directory):
                return f"{who} lies there"
        marker = Marker.of(metastore.get_table(target))
        if marker is None or not marker.lineage.has_version(records.version_of(record.name)):
            return "another table has the name by now"
        return None

    def _locations(self) -> Iterator[tuple[str, str]]:
        """Every place that the metastore names, as far as this user may list it."""
        metastore = self.services.metastore
        for database in metastore.databases():
            yield f"schema {database}", metastore.database_location(database) or ""
            for name in metastore.tables(database):
                yield from self._locations_of(name)

    def _locations_of(self, name: TableName) -> Iterator[tuple[str, str]]:
        entry = self.services.metastore.get_table(name)
        if entry is None:
            return
        yield str(name), entry.location or ""
        if entry.partition_keys:
            with suppress(EntryMissingError):
                for partition in self.services.partitions.partitions(name):
                    yield f"a partition of {name}", partition.location

    def _say(self, directory: str, reason: str | None) -> None:
        target = self.context.target
        if reason is None:
            logger.info("files of the table that %s replaced were deleted: %s", target, directory)
        else:
            logger.warning(
                "%s: files of the table before it stay in %s, because %s; delete them by hand when "
                "nobody needs them",
                target,
                directory,
                reason,
            )


def is_same(one: str, other: str) -> bool:
    """True if both paths are one, by whatever spelling."""
    return bool(_spellings(one) & _spellings(other))


def lies_within(location: str, directory: str) -> bool:
    """True if the location is the directory or below it, by whatever spelling."""
    return any(
        path == above or path.startswith(f"{above}/")
        for path in _spellings(location)
        for above in _spellings(directory)
    )


def _spellings(location: str) -> set[str]:
    """The path without scheme and authority: as it is, and with its escapes read."""
    path = SCHEME.sub("", location)
    return {posixpath.normpath(spelling) for spelling in (path, unquote(path))}
