"""Another invocation, step by step, as a test tells it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from contract.contents import NAMED, Content
from ctas_spark.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    StagingPurpose,
    TableName,
)
from ctas_spark.publish.staged_table import StagedTable


def named(table: str) -> TableName:
    """The table that a statement names so."""
    *catalog, database, name = table.split(".")
    return TableName(database, name, *catalog)


class OtherRun(ABC):
    """Publications of another invocation, known by their versions until they are settled."""

    def __init__(self, staging_schema: str) -> None:
        self._staging_schema = staging_schema
        self._prepared: dict[str, tuple[StagedTable[Any], Content]] = {}

    @abstractmethod
    def begin(self, context: StagingContext) -> StagedTable[Any]:
        """A staged table of that invocation."""

    @abstractmethod
    def stage(self, staged: StagedTable[Any], content: Content) -> None:
        """Run its CTAS."""

    @abstractmethod
    def fill(self, staged: StagedTable[Any], content: Content) -> None:
        """Fill what was published at atomicity none."""

    def prepare(self, table: str, asked: Sequence[str], layout: str, number: int) -> str:
        content = Content(number, NAMED[layout])
        purpose, level, on_conflict = asked
        context = content.context(
            named(table),
            self._staging_schema,
            StagingPurpose(purpose),
            Atomicity(level),
            OnConflict(on_conflict),
        )
        staged = self.begin(context)
        self.stage(staged, content)
        staged.verify()
        self._prepared[staged.version] = staged, content
        return staged.version

    def commit(self, version: str) -> None:
        self.publish(version)
        self.settle(version)

    def publish(self, version: str) -> None:
        staged, content = self._prepared[version]
        staged.commit()
        if staged.level is Atomicity.NONE:
            self.fill(staged, content)

    def settle(self, version: str) -> None:
        staged, _ = self._prepared.pop(version)
        staged.settle()
