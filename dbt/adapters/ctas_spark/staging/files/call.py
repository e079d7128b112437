"""The one metastore call that publishes a version, conditional on the base."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import (
    ColumnsRefusedError,
    EntryMissingError,
    EntryModifiedError,
)
from dbt.adapters.ctas_spark.staging.files import publication
from dbt.adapters.ctas_spark.staging.files.base import FileBase
from dbt.adapters.ctas_spark.staging.files.partition_state import PartitionState
from dbt.adapters.ctas_spark.staging.files.record import Record, RecordState
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import (
    EntryChange,
    Expectation,
    HiveColumns,
)
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, Marker
from dbt.adapters.ctas_spark.staging.publish.version import SweptError
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)

KEEPS_OLD_COLUMNS = (
    "%s: the metastore refuses to change the columns' types, and to have none "
    "(hive.metastore.disallow.incompatible.col.type.changes): Spark reads the new columns, and "
    "other engines see the old ones"
)
LONGEST_WAIT_SECONDS = 3.0
POLL_SECONDS = 0.1


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
    """A publication over one base; ``columns`` are those that Hive reads after the call.

    A server that refuses new types at old positions is asked again with no columns, which a second
    call then fills, and at last with the base's.
    """

    context: StagingContext
    services: Services
    staged: TableEntry
    base: FileBase
    marker: Marker
    partitions: PartitionState
    report: StepReport
    columns: HiveColumns = HiveColumns.STAGED

    @property
    def fills_columns_later(self) -> bool:
        """True if the entry has no columns until a second call."""
        return self.columns is HiveColumns.NONE

    def make(self) -> None:
        """Create the entry, or replace the whole of it.

        Raises:
            RefusedError: the metastore refused the call by name; it had no effect.
            SweptError: a clean-up took the version while its creation slept.
            MetastoreError: the call failed, and may or may not have had its effect.
        """
        if self.base.entry is None:
            self.services.metastore.create_table(self._change())
            self._take_back_if_swept()
            return
        try:
            self._alter()
        except ColumnsRefusedError:
            self.columns = HiveColumns.NONE
            self._alter_without_columns()

    def _alter_without_columns(self) -> None:
        try:
            self._alter()
        except ColumnsRefusedError:
            logger.warning(KEEPS_OLD_COLUMNS, self.context.target)
            self.columns = HiveColumns.BASE
            self._alter()

    def _alter(self) -> None:
        expected = self.base.expectation if self.services.conditional else None
        self.services.metastore.alter_table(self._change(), expected)

    def _change(self) -> EntryChange:
        return publication.change(
            staged=self.staged,
            base=self.base,
            target=self.context.target,
            marker=self.marker,
            partitions=self.partitions,
            hive_columns=self.columns,
            of_model=self.context.layout.properties,
        )

    def _take_back_if_swept(self) -> None:
        """No compare-and-swap stops a creation: a clean-up may have taken its record meanwhile.

        What others have published on top stays.
        """
        metastore = self.services.metastore
        record = Record.of(metastore.get_table(self.staged.name))
        if record is not None and record.state is not RecordState.DELETING:
            return
        target, now = self.context.target, metastore.get_table(self.context.target)
        with self.report.within(Step.TAKE_BACK):
            if now is not None and now.parameters.get(COMMIT) == self.marker.commit:
                aside = TableName(self.staged.name.database, f"{self.staged.name.table}__back")
                change = EntryChange(aside, now, now, dict(now.parameters))
                ours = Expectation(COMMIT, self.marker.commit)
                with suppress(EntryModifiedError, EntryMissingError):
                    metastore.rename_table(target, change, ours)
                metastore.drop_entry(aside)
        raise SweptError("a clean-up took the version before it was published")
