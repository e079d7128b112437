"""Earlier versions of an Iceberg table, in its own history: each can be published again.

Iceberg's ``rollback_to_snapshot`` refuses what a replace came after, and ``set_current_snapshot``
keeps the new schema, under which old rows read as nulls. So a branch that begins at the version is
published like a build's, with the version's schema.
"""

from dataclasses import dataclass
from itertools import takewhile

from ..clock import time_text
from ..context import Atomicity, StagingContext
from ..errors import NoSuchVersionError
from ..publish.marker import SnapshotMarker
from ..publish.rollback import OF_A_FORMAT, Restoring
from ..retention.rules import Event, change_of
from ..steps import StepReport
from .base import IcebergBase, look
from .by_branch import ByMetadata, Origin
from .facts import REPLACE, Rules, Snapshot, TableFacts
from .refusals import check_encryption
from .tables import IcebergServices
from .version import IcebergVersion

Published = tuple[SnapshotMarker, Snapshot]
"""A build or rollback that Iceberg's history still has, and what ``main`` showed by it."""


def publications(table: TableFacts) -> tuple[Published, ...]:
    """What this adapter has published as ``main``, newest first; a fence publishes nothing."""
    shown = (table.snapshots.get(one) for one in dict.fromkeys(reversed(table.log)))
    found = ((one.published, one) for one in shown if one is not None)
    return tuple((marker, one) for marker, one in found if marker is not None)


def last_of(table: TableFacts, version: str) -> Published | None:
    """The last state of a version: its snapshot, or what users' own writes made of that since.

    None if it was never published, or if Iceberg has expired it.
    """
    for marker, snapshot in publications(table):
        if marker.version == version:
            return marker, _last_state(table, snapshot)
    return None


def _last_state(table: TableFacts, published: Snapshot) -> Snapshot:
    """From the last time on that it was shown: users' own rollbacks show a snapshot again."""
    last, since = published, len(table.log) - list(table.log)[::-1].index(published.id)
    for later in table.log[since:]:
        if later not in table.snapshots:
            continue
        if published.id not in {one.id for one in table.ancestors(later)}:
            break
        if table.snapshots[later].published is not None:
            break
        last = table.snapshots[later]
    return last


def _is_changed(table: TableFacts, published: Snapshot) -> bool:
    """True if users' statements have changed rows of the version since its publication."""
    last = _last_state(table, published)
    since = takewhile(lambda one: one.id != published.id, table.ancestors(last.id))
    return any(one.marker is None and one.operation != REPLACE for one in since)


def history(table: TableFacts) -> tuple[Event, ...]:
    """Every build and rollback that Iceberg has not expired, newest first."""
    shown = publications(table)
    version = table.marker.version if table.marker else None
    live = next((marker.commit for marker, _ in shown if marker.version == version), None)
    older = (*(snapshot for _, snapshot in shown[1:]), None)
    return tuple(
        _event(table, one, before, live) for one, before in zip(shown, older, strict=False)
    )


def _event(table: TableFacts, one: Published, before: Snapshot | None, live: str | None) -> Event:
    marker, snapshot = one
    columns, counted = table.columns(snapshot.schema_id), snapshot.figures
    return Event(
        version=marker.version,
        commit=marker.commit,
        time=time_text(marker.time_ms),
        kind=marker.kind.value,
        state="live" if marker.commit == live else "kept",
        rows=counted.rows,
        bytes=counted.bytes,
        schema_change=change_of(table.columns(before.schema_id), columns) if before else "",
        changed_in_place=_is_changed(table, snapshot),
    )


@dataclass(frozen=True, slots=True)
class IcebergRestoring(Restoring):
    """The ``Restoring`` of one Iceberg table."""

    none_kept = to_have_one = OF_A_FORMAT

    context: StagingContext
    services: IcebergServices

    def look(self) -> IcebergBase:
        return look(self.services.tables, self.context.target)

    def earlier(self) -> tuple[str, ...]:
        """Those that Iceberg has not expired, and whose schema it has not expired either."""
        base = self.look()
        if base.facts is None:
            return ()
        known = dict.fromkeys(marker.version for marker, _ in publications(base.facts))
        found = {one: last_of(base.facts, one) for one in known if one != base.version}
        return tuple(
            version
            for version, last in found.items()
            if last is not None and base.facts.columns(last[1].schema_id)
        )

    def restored(
        self,
        version: str,
        level: Atomicity,  # noqa: ARG002 (the interface)
        report: StepReport,
    ) -> "RestoredVersion":
        return RestoredVersion(self.context, self.services, report, version)


class RestoredVersion(IcebergVersion):
    """A branch that begins at an earlier version; it runs no job and writes no data."""

    def __init__(
        self, context: StagingContext, services: IcebergServices, report: StepReport, version: str
    ) -> None:
        super().__init__(context, services, report)
        self._restored = version

    def stage_on(self, base: IcebergBase, level: Atomicity) -> None:  # noqa: ARG002 (the interface)
        """Begin the branch.

        Raises:
            NoSuchVersionError: the version has expired.
            AtomicityNotSupportedError: the table is encrypted.
        """
        check_encryption(self._context.target, base.facts.properties if base.facts else {})
        chosen = last_of(base.facts, self._restored) if base.facts else None
        if chosen is None:
            raise NoSuchVersionError(
                f"version {self._restored} is gone: Iceberg has expired its snapshots",
                table=self._context.target,
                left="it is unchanged",
                remedy="choose a version that ctas_history shows as kept",
            )
        marker, last = chosen
        rules = Rules(last.schema_id or 0, marker.spec_id, marker.sort_order_id)
        origin = Origin(last.id, rules, self._restored)
        self._strategy = branch = ByMetadata(self._context, self._services, self.id, base, origin)
        branch.begin()
