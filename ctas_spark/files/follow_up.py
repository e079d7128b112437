"""What the publishing call leaves for later: Hive's columns, and the metastore's partitions.

Spark's readers are right before, during and after. Until the last call Spark lists the directories
itself. Every step on partitions is made under a lock, looks at the marker again, and adds only the
version's partitions. A holder that was paused, lost its lock and wakes up would change partitions
under the next holder's eyes. So it notes on the target that it is at work, and another's note keeps
the provider off as long as that holder may still wake up.
"""

import logging
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ..clock import ORPHAN_AGE_MS
from ..errors import EntryModifiedError, LockLostError, MetastoreError, StagingError
from ..metastore.client import (
    PLACEHOLDER,
    CallUnansweredError,
    EntryChange,
    Partition,
    TableEntry,
)
from ..publish.locks import CommitLock, HeldCheck
from ..steps import Step
from .base import PARTITION_HOLDER, PARTITION_PROVIDER, PARTITIONS, FileBase, lies_in
from .entries import MOST_ATTEMPTS
from .partition_directories import partitions_in
from .publication import columns_beside_kept_keys
from .reach import PartitionState, is_pending
from .record import name_in
from .table import FileTable

logger = logging.getLogger(__name__)

BY_METASTORE = "catalog"
MAY_WAKE_UP_MS = ORPHAN_AGE_MS // 2


def complete(table: FileTable, found: FileBase) -> FileBase:
    """Fill Hive's columns and track the partitions, where a run died before it did.

    Returns:
        the target after that.
    """
    lacks = lacks_columns(found)
    if lacks:
        fill_columns(table)
    waits = is_pending(found) and table.services.find_partition_lock() is not None
    if waits:
        track_partitions(table)
    return table.look() if lacks or waits else found


def finished(before: FileBase, after: FileBase) -> tuple[str, ...]:
    """What was completed, as sentences."""
    filled = lacks_columns(before) and not lacks_columns(after)
    tracked = is_pending(before) and not is_pending(after)
    return (
        *(("the columns that other engines read are there now",) if filled else ()),
        *(("its partitions are tracked now",) if tracked else ()),
    )


def lacks_columns(base: FileBase) -> bool:
    """True for a table of ours whose second call is still to come."""
    return base.table is not None and base.marker is not None and not base.table.columns


def fill_columns(table: FileTable) -> None:
    """Give Hive the columns of the version that the target shows.

    The call expects the commit id and keeps it: nobody's base changes by it.

    Raises:
        LockLostError, MetastoreError: it was not made, or may not have been.
    """
    for _ in range(MOST_ATTEMPTS):
        now = table.look()
        if now.entry is None or not lacks_columns(now):
            return
        staged = table.metastore.get_table(name_in(table, now.entry.directory_name or ""))
        # Spark's placeholder where the version's record is gone
        columns = (PLACEHOLDER,) if staged is None else columns_beside_kept_keys(staged, now.entry)
        change = EntryChange.of(now.entry, dict(now.entry.parameters), columns)
        with suppress(EntryModifiedError), table.report.within(Step.FILL_COLUMNS):
            table.services.entries.change(table.name, change, now.expectation)
            return


def track_partitions(table: FileTable) -> PartitionState:
    """Drop the partitions of other versions, and track the shown one's own if that is pending.

    What can't be done now is logged and left pending: the next begin does it.
    """
    lock = table.services.find_partition_lock()
    if lock is None:
        return PartitionState.PENDING
    try:
        with lock.held(table.name) as check:
            return Bookkeeping(table, lock, check).run()
    except StagingError as error:
        logger.warning(
            "%s: its partitions are not tracked yet; a later run will do that. Until then, reads "
            "are correct, but SHOW PARTITIONS is refused: %s",
            table.name,
            error.what,
        )
        return PartitionState.PENDING


@dataclass(slots=True)
class Bookkeeping:
    """The partitions of the version that one target shows, while its lock is held.

    ``check`` raises LockLostError when the lock is not held any more. ``may_land``: a call's answer
    was lost, so that the server may still make it.
    """

    table: FileTable
    lock: CommitLock
    check: HeldCheck
    may_land: bool = False

    def run(self) -> PartitionState:
        """Take turns until the entry stands still, noted as at work where the lock can run out."""
        if not self.lock.can_run_out:
            return self._turns()
        if not self._noted():
            return PartitionState.PENDING
        try:
            state = self._turns()
        except LockLostError:
            raise  # the note stays: nobody may rely on what we do from here on
        except StagingError:
            if not self.may_land:
                self._end_note()
            raise
        self._end_note()
        return state

    def _noted(self) -> bool:
        """Note that we are at work; False while another that noted so may still wake up."""
        for _ in range(MOST_ATTEMPTS):
            shown = self._shown()
            if shown is None or self._is_held(shown):
                return False
            note = f"{secrets.token_hex(4)}:{_now_ms(self.table, shown)}"
            if self._changed(shown, {**shown.parameters, PARTITION_HOLDER: note}):
                return True
        return False

    def _is_held(self, shown: TableEntry) -> bool:
        """True while the holder of an earlier lock may still wake up."""
        now = _now_ms(self.table, shown)
        began = shown.parameters.get(PARTITION_HOLDER, "").partition(":")[2]
        if not began.isdecimal() or now - int(began) >= MAY_WAKE_UP_MS:
            return False
        logger.warning(
            "%s: its partitions stay untracked for now, because a run whose lock ended may still "
            "change them; reads are correct, but SHOW PARTITIONS is refused",
            self.table.name,
        )
        return True

    def _turns(self) -> PartitionState:
        for _ in range(MOST_ATTEMPTS):
            state = self._turn()
            if state is not None:
                return state
        logger.warning(
            "%s: its entry kept changing, so its partitions are not tracked yet",
            self.table.name,
        )
        return PartitionState.PENDING

    def _turn(self) -> PartitionState | None:
        """What is reached, or None if the entry changed meanwhile."""
        before = self._shown()
        if before is None:
            return PartitionState.PENDING
        version = before.directory_name or ""
        wanted = PartitionState(before.parameters.get(PARTITIONS, PartitionState.FILES.value))
        if wanted is PartitionState.TRACKED:
            return wanted
        known = self.table.metastore.partitions(self.table.name)
        others = [one for one in known if not lies_in(one.location, version)]
        own: tuple[Partition, ...] = ()
        if wanted is not PartitionState.FILES:
            with self.table.report.within(Step.ADD_PARTITIONS):
                own = self._show(before, known, others)
        kept = {one.values for one in own}
        with self.table.report.within(Step.DROP_PARTITIONS):
            self._drop([one for one in others if one.values not in kept])
        if wanted is PartitionState.FILES:
            return wanted
        tracked = {PARTITION_PROVIDER: BY_METASTORE, PARTITIONS: PartitionState.TRACKED.value}
        with self.table.report.within(Step.TRACK_PARTITIONS):
            is_tracked = self._changed(before, {**_without_note(before), **tracked})
        return PartitionState.TRACKED if is_tracked else None

    def _shown(self) -> TableEntry | None:
        """The target's entry while it shows a version of ours."""
        found = self.table.look()
        return found.entry if found.marker is not None else None

    def _show(
        self, shown: TableEntry, known: Sequence[Partition], others: Sequence[Partition]
    ) -> tuple[Partition, ...]:
        """Let the metastore have the version's partitions, in the places of others where it can.

        They are those of the directories: an INSERT since the job may have made more. None of the
        others goes before the version's are there, so that other engines never find fewer.
        """
        own = partitions_in(self.table.services.storage, shown.location or "", shown.partition_keys)
        there, elsewhere = ({one.values for one in some} for some in (known, others))
        self.check()
        with self._landing():
            self.table.metastore.alter_partitions(
                shown, [one for one in own if one.values in elsewhere]
            )
            self.table.metastore.add_partitions(
                shown, [one for one in own if one.values not in there]
            )
        return own

    def _drop(self, partitions: Sequence[Partition]) -> None:
        self.check()
        if partitions:
            with self._landing():
                self.table.metastore.drop_partitions(self.table.name, partitions)

    @contextmanager
    def _landing(self) -> Iterator[None]:
        """Around a call that changes partitions."""
        try:
            yield
        except CallUnansweredError as error:
            self.may_land = True  # the note, and not the lock, keeps others off
            raise MetastoreError(error.what) from error

    def _end_note(self) -> None:
        """Take our note off; no call where tracking took it off."""
        for _ in range(MOST_ATTEMPTS):
            shown = self._shown()
            if shown is None or PARTITION_HOLDER not in shown.parameters:
                return
            if self._changed(shown, _without_note(shown)):
                return

    def _changed(self, read: TableEntry, parameters: dict[str, str]) -> bool:
        """Change the target's properties, whose commit id stays; False if it is another by now."""
        change, expected = EntryChange.of(read, parameters), FileBase(read).expectation
        with suppress(EntryModifiedError):
            self.table.services.entries.change(self.table.name, change, expected, self.check)
            return True
        return False


def _without_note(shown: TableEntry) -> dict[str, str]:
    return {key: value for key, value in shown.parameters.items() if key != PARTITION_HOLDER}


def drop_stale_partitions(table: FileTable, found: FileBase, grace_ms: int) -> None:
    """Drop the entries of partitions that no reader needs any more, where there is a lock.

    A table whose directories are listed may have been published over one whose partitions were
    tracked; sessions that resolved the old one still ask for its partitions, until ``grace_ms``
    after the publication. MSCK REPAIR TABLE would bring the entries back to life. Hive keeps its
    partition keys, and so old partitions, under a version without partitions, too.
    """
    if found.entry is None or found.marker is None or not found.entry.partition_keys:
        return
    listed = PartitionState.FILES.value
    if found.entry.parameters.get(PARTITIONS, listed) != listed:
        return
    now = _now_ms(table, found.entry)
    is_due = now - found.landed_ms(now) >= grace_ms
    if is_due and table.metastore.partitions(table.name):
        track_partitions(table)


def _now_ms(table: FileTable, shown: TableEntry) -> int:
    """The time of the storage that the shown version lies on."""
    return table.services.now_ms((shown.location or "").rstrip("/").rpartition("/")[0])
