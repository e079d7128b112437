"""The two-phase commit of a Delta model: which of two ways it goes is begun with what is there.

Over a Delta table a transaction of its own publishes. Where there is none, the version is a whole
Delta table in a directory of its own, and one metastore call publishes it as any table of files.
"""

from collections.abc import Callable, Mapping

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.protocol import CommitWay, StagedTable


class StagedDeltaTable:
    """A ``StagedTable`` that is another from ``begin`` on, if a Delta table is there then.

    ``over_delta`` makes that other one; it returns None where there is no Delta table. ``count``
    says what the job wrote into a staged table.
    """

    def __init__(
        self,
        files: StagedFileTable,
        over_delta: Callable[[str], StagedTable | None],
        count: Callable[[TableName], WriteFigures],
    ) -> None:
        self.figures = WriteFigures()
        self._way: StagedTable = files
        self._over_delta = over_delta
        self._count = count

    @property
    def context(self) -> StagingContext:
        """What was asked for."""
        return self._way.context

    @property
    def target(self) -> TableName:
        """The table to publish."""
        return self._way.target

    @property
    def level(self) -> Atomicity:
        """The level that is kept."""
        return self._way.level

    @property
    def outcome(self) -> Outcome | None:
        """What became of the attempt."""
        return self._way.outcome

    @property
    def version(self) -> str:
        """The version's id, the same on both ways."""
        return self._way.version

    @property
    def strategy(self) -> CommitWay:
        """How it is published."""
        return self._way.strategy

    @property
    def base_version(self) -> str | None:
        """The version of ours that stands in the target since before ``begin``."""
        return self._way.base_version

    @property
    def unchanged(self) -> str:
        """What the target is while nothing was published."""
        return self._way.unchanged

    @property
    def partition_metadata(self) -> str | None:
        """None: the partitions are in Delta's own log."""
        return None

    @property
    def left_behind(self) -> list[str]:
        """What an abort could not remove."""
        return self._way.left_behind

    def begin(self) -> None:
        """Look at the target, go the way that fits, and take it as the base."""
        self._way = self._over_delta(self._way.version) or self._way
        self._way.begin()

    def statement(self, query: str) -> str:
        """The statement that stages the version."""
        return self._way.statement(query)

    def fill_statement(self, query: str) -> str:
        """There is none: level ``none`` is refused before begin."""
        return self._way.fill_statement(query)

    def verify(self) -> TableName:
        """The job has ended; checks run against the entry that this returns."""
        record = self._way.verify()
        self.figures = self._count(record)
        return record

    def commit(self) -> None:
        """Publish the staged version, conditional on the base."""
        self._way.commit()

    def settle(self) -> None:
        """Make this session's own later statements see the version."""
        self._way.settle()

    def note(self, facts: Mapping[str, str]) -> None:
        """Keep facts of the version for the history."""
        self._way.note(facts)

    def abort(self, reason: str) -> None:
        """Stop the job and remove the version. Idempotent; never raises; nothing if decided."""
        self._way.abort(reason)
