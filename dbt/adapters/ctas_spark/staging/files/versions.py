"""Every version of a target that there still is, and what each of them is to the target."""

import re
from dataclasses import dataclass
from enum import Enum

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.base import COMMIT_BASE
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.records import (
    RECORD_BASE,
    ROOT,
    STATE,
    RecordState,
    record_prefix,
    version_of,
)
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import (
    MOST_ENTRIES,
    TARGET,
    Lineage,
    LineageEntry,
    Marker,
)

VERSION_ID = re.compile(r"\d{8}t\d{6}x[0-9a-f]{8}_\d{4,}")


class Place(Enum):
    """Where a version stands; the order of versions is the lineage, never ids or clocks."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    UNPUBLISHED = "unpublished"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, slots=True)
class Version:
    """One version: its record, its root, its place.

    ``record`` is None where the CTAS has not made it; ``superseded`` is the successor's commit, or
    a later one. ``attempt`` is the commit id of an attempt on the record that the lineage does not
    have: a rollback's, where the version is superseded. ``FORGOTTEN``: the lineage knows nothing of
    it any more.
    """

    id: str
    root: VersionRoot
    record: TableEntry | None
    place: Place
    superseded: LineageEntry | None = None
    attempt: str | None = None

    @property
    def directory(self) -> str:
        """Where its files are."""
        return self.root.version(self.id)

    def has_landed(self, lineage: Lineage) -> bool:
        """True if what was not in the lineage before is there by now."""
        if self.place is Place.SUPERSEDED:
            return self.attempt is not None and self.attempt in lineage
        return lineage.has_version(self.id)


def versions_of(
    services: Services, target: TableName, staging_schema: str, root: VersionRoot
) -> tuple[Version, ...]:
    """The versions of ``target`` by record and by directory; those in the lineage newest first.

    Args:
        root: where versions lie by the present configuration; records name other roots.
    """
    marker = Marker.of(services.metastore.get_table(target))
    records = _records(services, target, staging_schema)
    roots = {str(root): root} | {
        r.parameters[ROOT]: VersionRoot.at(r.parameters[ROOT]) for r in records.values()
    }
    found: dict[str, tuple[VersionRoot, TableEntry | None]] = {
        version: (roots[record.parameters[ROOT]], record) for version, record in records.items()
    }
    for place in roots.values():
        for name in services.storage.children(str(place)):
            if VERSION_ID.fullmatch(name):
                found.setdefault(name, (place, None))
    versions = [_placed(version, *where, marker) for version, where in found.items()]
    order = _order(marker)
    return tuple(sorted(versions, key=lambda one: (order.get(one.id, len(order)), one.id)))


def _records(services: Services, target: TableName, staging_schema: str) -> dict[str, TableEntry]:
    names = services.metastore.tables(staging_schema, record_prefix(target))
    entries = [services.metastore.get_table(name) for name in names]
    return {
        version_of(entry.name): entry
        for entry in entries
        if entry and entry.parameters.get(TARGET) == str(target) and ROOT in entry.parameters
    }


def _placed(
    version: str, root: VersionRoot, record: TableEntry | None, marker: Marker | None
) -> Version:
    if marker is None:
        return Version(version, root, record, Place.FORGOTTEN)
    if marker.version == version:
        return Version(version, root, record, Place.LIVE)
    successor = _successor(version, marker.lineage)
    if successor is not None:
        attempt = _attempt(record, marker.lineage)
        return Version(version, root, record, Place.SUPERSEDED, successor, attempt)
    if len(marker.lineage.entries) < MOST_ENTRIES:
        place = Place.UNPUBLISHED if _would_show(record, marker.lineage) else Place.FORGOTTEN
        return Version(version, root, record, place)
    oldest = marker.lineage.entries[-1]
    return Version(version, root, record, Place.FORGOTTEN, oldest)


def _would_show(record: TableEntry | None, lineage: Lineage) -> bool:
    """True if the version's publication would stand in the list, had there been one.

    A list that began anew after a drop says nothing of versions that began before it.
    """
    base = record.parameters.get(RECORD_BASE, "") if record else ""
    return record is None or base.removeprefix(COMMIT_BASE) in lineage


def _attempt(record: TableEntry | None, lineage: Lineage) -> str | None:
    state, _, attempt = (record.parameters.get(STATE, "") if record else "").partition(":")
    if state != RecordState.COMMITTING.value or attempt in lineage:
        return None
    return attempt


def _successor(version: str, lineage: Lineage) -> LineageEntry | None:
    """What followed the last publication of the version."""
    successor = None
    for entry in lineage.entries:
        if entry.version == version:
            return successor
        successor = entry
    return None


def _order(marker: Marker | None) -> dict[str, int]:
    order: dict[str, int] = {}
    for entry in marker.lineage.entries if marker else ():
        order.setdefault(entry.version, len(order))
    return order
