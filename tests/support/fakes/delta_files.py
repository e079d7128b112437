"""The session catalog of files that Delta's is given, and where its versions would lie."""

from collections.abc import Callable, Collection
from typing import Any

from ctas_spark.context import (
    Atomicity,
    StagingContext,
    TableName,
)
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.files.catalog import SessionCatalog
from ctas_spark.files.directories import VersionRoots
from ctas_spark.files.table import Services
from ctas_spark.publish.catalog import Capabilities, ConflictCheck, Deletion
from ctas_spark.publish.rollback import RolledBack
from ctas_spark.publish.version import Version
from ctas_spark.retention.rules import Event, RetentionRules, Sweep
from ctas_spark.steps import StepReport


class OneRoot(VersionRoots):
    """Where versions of files would lie."""

    def __init__(self) -> None:
        """Nothing is read for it."""

    def root_of(self, context: StagingContext) -> str:
        return f"file:/warehouse/{context.target.database}.db/ctas-spark/x/{context.target.table}"


class FakeFiles(SessionCatalog):
    """The session catalog of files; ``opened`` are the levels that it was asked for."""

    def __init__(self, services: Services, reaches: Atomicity) -> None:
        self.opened: list[Atomicity] = []
        self._of_all = services
        self._metastore = services.metastore
        self._reaches = reaches

    def capabilities(self, staging_schema: str) -> Capabilities:  # noqa: ARG002 (one for all)
        return Capabilities("hive", ConflictCheck.CAS, self._reaches)

    def services(
        self,
        staging_schema: str,  # noqa: ARG002 (one for all)
        target: TableName | None = None,  # noqa: ARG002 (one for all)
    ) -> Services:
        return self._of_all

    def open_version(
        self,
        context: StagingContext,
        level: Atomicity,
        report: StepReport,
        count: Callable[[str], WriteFigures] | None = None,
    ) -> Version[Any]:
        self.opened.append(level)
        raise NotImplementedError(context, report, count)

    def begin_clean_up(
        self,
        context: StagingContext,  # noqa: ARG002 (one target)
        rules: RetentionRules,  # noqa: ARG002 (nothing to clean)
        *,
        dry_run: bool = False,  # noqa: ARG002 (nothing to clean)
    ) -> Deletion:
        return Sweep

    def abandoned(
        self,
        context: StagingContext,  # noqa: ARG002 (none of files)
        known: Collection[TableName],  # noqa: ARG002 (none of files)
    ) -> tuple[TableName, ...]:
        return ()

    def begin_clean_up_abandoned(
        self,
        context: StagingContext,  # noqa: ARG002 (none of files)
        rules: RetentionRules,  # noqa: ARG002 (none of files)
        *,
        dry_run: bool = False,  # noqa: ARG002 (none of files)
    ) -> Deletion:
        return Sweep

    def recover(self, context: StagingContext) -> tuple[str, ...]:  # noqa: ARG002 (one target)
        return ()

    def history(self, context: StagingContext) -> tuple[Event, ...]:  # noqa: ARG002 (one target)
        return ()

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        raise NotImplementedError(context, to)
