"""The one metastore call that publishes a version, conditional on the base."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    ColumnsRefusedError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.files import publication
from dbt.adapters.ctas_spark.staging.files.base import FileBase
from dbt.adapters.ctas_spark.staging.files.publication import columns_beside_kept_keys
from dbt.adapters.ctas_spark.staging.files.reach import PartitionState
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState
from dbt.adapters.ctas_spark.staging.files.table import FileTable
from dbt.adapters.ctas_spark.staging.metastore.client import (
    PLACEHOLDER,
    Column,
    EntryChange,
    Expectation,
    TableEntry,
)
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, Marker
from dbt.adapters.ctas_spark.staging.publish.version import SweptError
from dbt.adapters.ctas_spark.staging.steps import Step

logger = logging.getLogger(__name__)

KEEPS_OLD_COLUMNS = (
    "%s: the metastore refuses to change the columns' types, and to have none "
    "(hive.metastore.disallow.incompatible.col.type.changes): Spark reads the new columns, and "
    "other engines see the old ones"
)
LONGEST_WAIT_SECONDS = 3.0
POLL_SECONDS = 0.1
MOST_ATTEMPTS = 10


def lacks_columns(base: FileBase) -> bool:
    """True for a table of ours whose second call is still to come."""
    return base.table is not None and base.marker is not None and not base.table.columns


def fill_columns(table: FileTable) -> bool:
    """Give Hive the columns of the version that the target shows; True if this call did.

    It expects the commit id and keeps it: nobody's base changes by it.

    Raises:
        MetastoreError: it was not made, or may not have been.
    """
    for _ in range(MOST_ATTEMPTS):
        now = table.look()
        if not lacks_columns(now) or now.entry is None:
            return False
        change = EntryChange.of(now.entry, dict(now.entry.parameters), _columns(table, now))
        try:
            with table.report.within(Step.FILL_COLUMNS):
                table.alter(change, now)
        except EntryModifiedError:
            continue
        return True
    return False


def _columns(table: FileTable, now: FileBase) -> tuple[Column, ...]:
    """Those of the version's record; Spark's placeholder where that is gone."""
    if now.entry is None or now.version is None:
        return (PLACEHOLDER,)
    staged = table.metastore.get_table(table.record_name(now.version))
    return (PLACEHOLDER,) if staged is None else columns_beside_kept_keys(staged, now.entry)


def wait_out(base: FileBase, staged: TableEntry, now_ms: Callable[[], int]) -> None:
    """Return once the second that the call expects is over.

    Over a base without our marker the call expects a time, kept in whole seconds. A rival's commit
    moves that time on; an INSERT right after it sets it to "now" again. Were "now" still the
    second that we expect, our call would be let through over the rival's version.

    Args:
        staged: its time is the metastore's at the end of the job: nearly always that is enough.
        now_ms: the storage's time.
    """
    expected = base.entry.last_ddl_time if base.entry else None
    if expected is None or base.marker is not None or (staged.last_ddl_time or 0) > expected:
        return
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while now_ms() // 1000 <= expected + 1 and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)


@dataclass(slots=True)
class MetastoreCall:
    """A publication over one base; ``columns`` are put in the staged ones' place, for Hive to read.

    A server that refuses new types at old positions is asked again with no columns, which a second
    call then fills, and at last with the base's. ``is_unchecked``: a table was created, and whether
    a clean-up took its version before could not be found out.
    """

    table: FileTable
    staged: TableEntry
    base: FileBase
    marker: Marker
    partitions: PartitionState
    columns: tuple[Column, ...] | None = None
    is_unchecked: bool = False

    @property
    def fills_columns_later(self) -> bool:
        """True if the entry has no columns until a second call."""
        return self.columns == ()

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
        try:
            self._alter()
        except ColumnsRefusedError:
            self.columns = ()
            self._alter_without_columns()

    def _alter_without_columns(self) -> None:
        try:
            self._alter()
        except ColumnsRefusedError:
            logger.warning(KEEPS_OLD_COLUMNS, self.table.name)
            self.columns = self.base.table.described_columns if self.base.table else None
            self._alter()

    def _alter(self) -> None:
        self.table.alter(self._change(), self.base)

    def _change(self) -> EntryChange:
        return publication.change(
            staged=self.staged,
            base=self.base,
            target=self.table.name,
            marker=self.marker,
            partitions=self.partitions,
            columns=self.columns,
            of_model=self.table.context.layout.properties,
        )

    def _create(self) -> None:
        """No compare-and-swap stops a creation: whatever became of it, our record is read again.

        Where a clean-up has taken that, the entry is taken back; what others published on top
        stays. A call whose answer was lost may still come, and is not said to have had no effect.
        """
        self.is_unchecked = True
        failure = self._creation_failure()
        try:
            is_swept = self._is_swept()
        except MetastoreError as error:
            raise failure or error from error
        self.is_unchecked = is_swept
        took_back = is_swept and self._took_back()
        if is_swept and (took_back or failure is None):
            raise SweptError("a clean-up took the version before it was published")
        if failure is not None:
            raise failure

    def _creation_failure(self) -> MetastoreError | None:
        try:
            self.table.metastore.create_table(self._change())
        except MetastoreError as error:
            return error
        return None

    def _is_swept(self) -> bool:
        record = Record.of(self.table.metastore.get_table(self.staged.name))
        return record is None or record.state is RecordState.DELETING

    def _took_back(self) -> bool:
        """Rename it away and drop it there; False if the target is not what we created."""
        metastore, target = self.table.metastore, self.table.name
        now = metastore.get_table(target)
        if now is None or now.parameters.get(COMMIT) != self.marker.commit:
            return False
        with self.table.report.within(Step.TAKE_BACK):
            aside = TableName(self.staged.name.database, f"{self.staged.name.table}__back")
            change = EntryChange(aside, now, now, dict(now.parameters))
            ours = Expectation(COMMIT, self.marker.commit)
            with suppress(EntryModifiedError, EntryMissingError):
                metastore.rename_table(target, change, ours)
            metastore.drop_entry(aside)
        return True
