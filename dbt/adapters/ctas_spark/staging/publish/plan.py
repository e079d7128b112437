"""What is decided before the target is looked at: the level to aim at, and the kind of table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging.clock import SYSTEM_CLOCK, Clock
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.publish import purposes
from dbt.adapters.ctas_spark.staging.publish.staged_table import StagedTable
from dbt.adapters.ctas_spark.staging.publish.version import Version
from dbt.adapters.ctas_spark.staging.steps import Step, StepObserver, StepReport

OpenVersion = Callable[[Atomicity, StepReport], Version[Any]]
"""Open one attempt at a level; the kind may look at what stands in the target's place."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One publication, validated; nothing about the target was read or written yet.

    ``level`` is what the catalog reaches of what the model asks for.
    """

    context: StagingContext
    level: Atomicity
    job: Job
    open_version: OpenVersion
    clock: Clock = SYSTEM_CLOCK
    observers: tuple[StepObserver, ...] = ()

    def begin(self) -> StagedTable[Any]:
        """Look at the target and take it as the base; what a crash left half done is mended first.

        The outcome is decided already where the purpose keeps what exists.

        Raises:
            TableAlreadyExistsError, NoSuchTableError: the purpose does not fit what exists.
            AtomicityNotSupportedError: the level can't be kept over what exists.
        """
        report = StepReport(self.context.target, self.observers)
        report.enter(Step.BEGIN)
        version = self.open_version(self.level, report)
        base = version.mend(version.look())
        purposes.check_base(self.context, base)
        staged = StagedTable(self.context, self.level, version, base, self.job, report, self.clock)
        try:
            staged.prepare()
        except BaseException as error:
            staged.abort(f"failed before its job: {type(error).__name__}")
            raise
        return staged
