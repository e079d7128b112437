"""What keeps files in use: the tables and partitions that show a version, or lie in a directory.

The target and clones by their marker are read afresh for each version. Tables and partitions that
merely lie in a version (external tables, clones without the marker) are found by a listing of
everything, which is made once for an invocation of ``ctas_vacuum``.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError, MetastoreError
from dbt.adapters.ctas_spark.staging.files.base import PARTITION_PROVIDER, FileBase
from dbt.adapters.ctas_spark.staging.files.follow_up import track_partitions
from dbt.adapters.ctas_spark.staging.files.record import name_in
from dbt.adapters.ctas_spark.staging.files.table import FileTable, NamedPlace
from dbt.adapters.ctas_spark.staging.files.versions import shows
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION
from dbt.adapters.ctas_spark.staging.retention.rules import Reason


def places(metastore: MetastoreClient) -> Iterator[NamedPlace]:
    """Every schema, table and partition that this user may list, with its location.

    Raises:
        MetastoreError: something could not be listed.
    """
    for database in metastore.databases():
        location = metastore.database_location(database) or ""
        yield NamedPlace(f"schema {database}", None, location)
        for name in metastore.tables(database):
            yield from _places_of(metastore, name)


def _places_of(metastore: MetastoreClient, name: TableName) -> Iterator[NamedPlace]:
    entry = metastore.get_table(name)
    if entry is None:
        return
    yield NamedPlace(str(name), name, entry.location or "")
    if entry.partition_keys:
        with suppress(EntryMissingError):
            for one in metastore.partitions(name):
                yield NamedPlace(f"a partition of {name}", name, one.location)


@dataclass(frozen=True, slots=True)
class References:
    """What shows versions of one target; a thorough look compares all locations, too."""

    table: FileTable
    thorough: bool
    dry_run: bool = False

    def reason(self, version: str) -> Reason | None:
        """Why the version may not go, by what the metastore says now.

        Raises:
            MetastoreError: the target could not be read.
        """
        base = self.table.look()
        if shows(base.entry, version):
            return Reason.LIVE
        if self._has_partition(base, version):
            return Reason.REFERENCED
        try:
            found = self._has_clone(base, version) or self._is_location(version)
        except MetastoreError:
            return Reason.UNSEARCHED
        return Reason.REFERENCED if found else None

    def _has_partition(self, base: FileBase, version: str) -> bool:
        """Entries below an older version do not count while Spark lists directories.

        They are dropped under the lock: MSCK REPAIR TABLE would bring them back to life. Without a
        lock nobody ever tracks them.
        """
        if base.entry is None or not self._lists(base, version):
            return False
        if base.version is None or PARTITION_PROVIDER in base.entry.parameters:
            return True
        if self.dry_run or self.table.services.find_partition_lock() is None:
            return False
        track_partitions(self.table)
        return self._lists(base, version)

    def _lists(self, base: FileBase, version: str) -> bool:
        if base.entry is None or not base.entry.partition_keys:
            return False
        with suppress(EntryMissingError):
            kept = self.table.metastore.partitions(base.entry.name)
            return any(version in one.location.split("/") for one in kept)
        return False

    def _has_clone(self, base: FileBase, version: str) -> bool:
        """A target that is gone or foreign may have been renamed into any database."""
        metastore, own = self.table.metastore, name_in(self.table, version)
        everywhere = metastore.databases() if base.version is None else ()
        for database in sorted({self.table.name.database, *everywhere}):
            for name in metastore.tables_with(database, VERSION, version):
                if name != own and metastore.get_table(name) is not None:
                    return True
        return False

    def _is_location(self, version: str) -> bool:
        if not self.thorough:
            return False
        listed = self.table.services.listed
        if not listed:
            listed.extend(list(places(self.table.metastore)))  # all of it, or none
        own = (name_in(self.table, version), self.table.name)
        return any(version in one.location.split("/") and one.name not in own for one in listed)
