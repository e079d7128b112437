"""The one metastore call that publishes a version over its base: every field of the new entry."""

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from ..context import DELTA, Atomicity, TableName
from ..engines.protocol import UNKNOWN, WriteFigures
from ..errors import ColumnsRefusedError, EntryMissingError, EntryModifiedError, MetastoreError
from ..metastore.client import PLACEHOLDER, Column, EntryChange, Expectation, TableEntry
from ..publish.marker import (
    COMMIT,
    PREFIX,
    Lineage,
    LineageEntry,
    Marker,
    PublicationKind,
    new_commit_id,
    order_of,
)
from ..publish.version import SweptError
from ..steps import Step
from .base import (
    COLUMN_STATISTICS,
    LAST_DDL_TIME,
    OF_THE_METASTORE,
    PARTITION_HOLDER,
    PARTITION_PROVIDER,
    PARTITIONS,
    FileBase,
)
from .reach import PartitionState
from .record import Record, taken_back
from .staging_entry import STAGING_SCHEMA
from .statistics import recounted, statistics
from .table import FileTable

logger = logging.getLogger(__name__)

NEVER_CARRIED = OF_THE_METASTORE | frozenset(
    {
        COLUMN_STATISTICS,
        "comment",
        "EXTERNAL",
        "storage_handler",
        "transactional",
        "transactional_properties",
        "skip.header.line.count",
        "discover.partitions",
        "external.table.purge",
        "TRANSLATED_TO_EXTERNAL",
    }
)
PREFIXES_NEVER_CARRIED = (PREFIX, "spark.sql.", "transient_", "view.", "parquet.", "orc.", "avro.")
OF_THE_MODEL = PREFIX + "model_properties"
"""The names of the properties that the model set: the next one need not set them again."""
KEEPS_OLD_COLUMNS = (
    "%s: the metastore refuses to change the columns' types, and to have none "
    "(hive.metastore.disallow.incompatible.col.type.changes): Spark reads the new columns, and "
    "other engines see the old ones"
)
LONGEST_WAIT_SECONDS = 3.0


def wait_out(base: FileBase, staged: TableEntry) -> bool:
    """Return once the second that the call expects is over; True if that had to be waited for.

    Over a base without our marker the call expects a time, kept in whole seconds. A rival's commit
    moves that time on; an INSERT right after it sets it to "now" again. Were "now" still the
    second that we expect, our call would be let through over the rival's version. So would it over
    what was written in that second after the base was read: who has waited looks once more.

    Args:
        staged: its time is the metastore's at the end of the job: nearly always that is enough.
    """
    expected = base.entry.last_ddl_time if base.entry else None
    if expected is None or base.marker is not None:
        return False
    still = expected + 1 - (staged.last_ddl_time or 0)
    if still > 0:
        time.sleep(min(still, LONGEST_WAIT_SECONDS))
    return still > 0


def marker_over(  # noqa: PLR0913 (each is one fact of the marker)
    base: FileBase,
    target: TableName,
    version: str,
    level: Atomicity,
    kind: PublicationKind,
    *,
    now_ms: int,
    written: WriteFigures = UNKNOWN,
) -> Marker:
    """The marker of the next publication over ``base``.

    Args:
        now_ms: the storage's time just before the commit call.
        written: what the version holds.
    """
    before = base.marker
    order_ms = max(now_ms, order_of(before.commit) + 1) if before else now_ms
    commit = new_commit_id(order_ms, version)
    lineage = before.lineage if before else Lineage()
    entry = LineageEntry(commit, kind, figures=written)
    return Marker(
        commit=commit,
        version=version,
        base=before.commit if before else "",
        target=str(target),
        level=level.value,
        lineage=lineage.followed_by(entry, base.landed_ms(now_ms)),
        life=before.life if before else commit,
    )


@dataclass(slots=True)
class MetastoreCall:
    """A publication over one base; Hive is given ``columns`` instead of the staged ones.

    A server that refuses new types at old positions is asked again with no columns (an empty
    tuple), which a second call then fills, and at last with the base's. ``is_unchecked``: a table
    was created, and whether a clean-up took its version before could not be found out.
    """

    table: FileTable
    staged: TableEntry
    base: FileBase
    marker: Marker
    partitions: PartitionState
    columns: tuple[Column, ...] | None = None
    is_unchecked: bool = False

    def make(self) -> None:
        """Create the entry, or replace the whole of it.

        Raises:
            RefusedError: the metastore refused the call by name; it had no effect.
            SweptError: a clean-up took the version while its creation slept.
            MetastoreError: the call failed, and may or may not have had its effect.
        """
        if self.base.entry is None:
            self._create()
            return
        for self.columns in (None, ()):
            with suppress(ColumnsRefusedError):
                self._alter()
                return
        logger.warning(KEEPS_OLD_COLUMNS, self.table.name)
        self.columns = self.base.table.described_columns if self.base.table else None
        self._alter()

    def change(self) -> EntryChange:
        """The target's new entry: the staged version over the base."""
        base, of_model = self.base.entry, self.table.context.layout.properties
        written = self.marker.lineage.figures_of(self.marker.version)
        own = _own(self.staged)
        if self.marker.lineage.entries[0].kind is PublicationKind.ROLLBACK:
            own = recounted(own, UNKNOWN if self.staged.provider == DELTA else written)
        parameters = {**_carried(base), **own, **self.marker.to_parameters()}
        if base is not None and self.base.marker is None:
            parameters |= moved_on(base, order_of(self.marker.commit))
        parameters[STAGING_SCHEMA] = self.table.context.staging_schema
        if of_model:
            parameters[OF_THE_MODEL] = ",".join(sorted(of_model))
        if self.staged.partition_columns:
            parameters[PARTITIONS] = self.partitions.value
            parameters |= statistics(written)
        columns, keeps_keys = self.columns, self.base.changes_keys(self.staged.partition_keys)
        if keeps_keys and columns is None:
            columns = columns_beside_kept_keys(self.staged, base)
        return EntryChange(
            self.table.name,
            self.staged,
            base,
            parameters,
            columns=columns,
            keeps_partition_keys=keeps_keys,
        )

    def _alter(self) -> None:
        """The caller has compared the rest of the base, and holds the lock of writers."""
        self.table.metastore.alter_table(self.change(), self.base.expectation)

    def _create(self) -> None:
        """No compare-and-swap stops a creation: whatever became of it, our record is read again.

        Where a clean-up has taken that, the entry is taken back; what others published on top
        stays. A call whose answer was lost may still come, and is not said to have had no effect.
        """
        self.is_unchecked, failure = True, None
        try:
            self.table.metastore.create_table(self.change())
        except MetastoreError as error:
            failure = error
        try:
            is_swept = self._is_swept()
        except MetastoreError as error:
            raise failure or error from error
        self.is_unchecked = is_swept
        took_back = is_swept and self._took_back()
        if is_swept and (took_back or failure is None):
            raise SweptError("a clean-up deleted the version before it was published")
        if failure is not None:
            raise failure

    def _is_swept(self) -> bool:
        record = Record.of(self.table.metastore.get_table(self.staged.name))
        return record is None or record.is_deleting

    def _took_back(self) -> bool:
        """Rename it away and drop it there; False if the target is not what we created."""
        metastore, target = self.table.metastore, self.table.name
        now = metastore.get_table(target)
        if now is None or now.parameters.get(COMMIT) != self.marker.commit:
            return False
        with self.table.report.within(Step.TAKE_BACK):
            aside = taken_back(self.staged.name)
            change = EntryChange(aside, now, now, dict(now.parameters))
            ours = Expectation(COMMIT, self.marker.commit)
            with suppress(EntryModifiedError, EntryMissingError):
                metastore.rename_table(target, change, ours)
            metastore.drop_entry(aside)
        return True


def fenced(base: FileBase, now_ms: int) -> EntryChange | None:
    """The target's entry under a fresh commit id; None where there is no table.

    A target without our marker gets no id: the time that an attempt expects on it moves on. With
    our marker the server writes the time at which the fence lands.

    Args:
        now_ms: the storage's time just before the call.
    """
    entry, before = base.entry, base.marker
    if entry is None:
        return None
    if before is None:
        return EntryChange.of(entry, {**entry.parameters, **moved_on(entry, now_ms)})
    level, kind = Atomicity(before.level), PublicationKind.FENCE
    marker = marker_over(base, entry.name, before.version, level, kind, now_ms=now_ms)
    parameters = {**entry.parameters, **marker.to_parameters()}
    parameters.pop(LAST_DDL_TIME, None)
    return EntryChange.of(entry, parameters)


def columns_beside_kept_keys(staged: TableEntry, base: TableEntry | None) -> tuple[Column, ...]:
    """Hive's columns without the names of kept partition keys; Spark's own one if none is left."""
    kept = base.partition_keys if base is not None else ()
    left = tuple(one for one in staged.described_columns if one[0].lower() not in kept)
    return left or (PLACEHOLDER,)


def _own(staged: TableEntry) -> dict[str, str]:
    """The staged properties.

    ``spark.sql.partitionProvider`` is left out: Spark then lists the version's own directories
    instead of the metastore's partitions, which still point at the old version's.
    """
    return {
        key: value
        for key, value in staged.parameters.items()
        if not key.startswith(PREFIX) and key not in (PARTITION_PROVIDER, LAST_DDL_TIME)
    }


def _carried(base: TableEntry | None) -> dict[str, str]:
    """The base's properties that outlive a replace: those that others have set on a table."""
    if base is None or base.is_view:
        return {}
    of_last_model = base.parameters.get(OF_THE_MODEL, "").split(",")
    found = set_by_users(base.parameters)
    carried = {key: value for key, value in found.items() if key not in of_last_model}
    holder = base.parameters.get(PARTITION_HOLDER)
    return carried if holder is None else {**carried, PARTITION_HOLDER: holder}


def set_by_users(parameters: Mapping[str, str]) -> dict[str, str]:
    """The properties that neither we, Spark nor the format has set."""
    return {
        key: value
        for key, value in parameters.items()
        if key not in NEVER_CARRIED and not key.startswith(PREFIXES_NEVER_CARRIED)
    }


def moved_on(entry: TableEntry | None, now_ms: int) -> dict[str, str]:
    """A time later than the entry's, so that a compare-and-swap on that one is used up."""
    before = entry.last_ddl_time if entry is not None else None
    return {LAST_DDL_TIME: str(max(now_ms // 1000, (before or 0) + 1))}
