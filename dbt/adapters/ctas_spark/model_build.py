"""One model's way from its plan to its outcome; dbt's hooks carry it from call to call."""

import logging
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.response import PublicationResponse
from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities, StagingCatalog
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.delta.staged_delta_table import StagedDeltaTable
from dbt.adapters.ctas_spark.staging.engines.protocol import StoppableJob, WriteFigures
from dbt.adapters.ctas_spark.staging.engines.session import write_figures
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.publish.job_status import JobStatusHook, StagedTableHook
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.publish.staged_native_table import StagedNativeTable
from dbt.adapters.ctas_spark.staging.retention.history import figures_of_a_version
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step
from dbt.adapters.ctas_spark.step_timer import StepTimer

logger = logging.getLogger(__name__)

IN_PLACE = "in_place"
NATIVE = (StagedNativeTable, StagedDeltaTable)


@dataclass(slots=True)
class ModelBuild:
    """A staged table with what is known around it."""

    staged: StagedTable
    hook: JobStatusHook
    job: StoppableJob
    capabilities: Capabilities
    timer: StepTimer
    figures: WriteFigures
    catalog: StagingCatalog
    retention: RetentionRules

    @classmethod
    def planned(
        cls,
        catalog: StagingCatalog,
        context: StagingContext,
        job: StoppableJob,
        retention: RetentionRules,
    ) -> "ModelBuild":
        """A build that has its level and has done nothing yet."""
        timer = StepTimer()
        staged = catalog.apply_staging(context, job, (timer,))
        capabilities = catalog.capabilities(context.staging_schema)
        return cls(
            staged=staged,
            hook=StagedTableHook(staged),
            job=job,
            capabilities=capabilities,
            timer=timer,
            figures=WriteFigures(),
            catalog=catalog,
            retention=retention,
        )

    def begin(self) -> bool:
        """Begin; False if what exists is kept."""
        self.hook.on_created()
        return self.staged.outcome is not Outcome.KEPT

    def commit(self) -> bool:
        """Commit; False if what another created meanwhile is kept."""
        self.hook.on_finished()
        return self.staged.outcome is Outcome.COMMITTED

    def fill_statement(self, query: str) -> str | None:
        """The INSERT of level ``none``."""
        if self._in_place:
            return self.staged.fill_statement(query)
        return None

    def settle(self, spark: SparkSession) -> None:
        """After the commit: refresh, take the figures before a hook writes something else, tidy."""
        self.staged.settle()
        self.figures = self._figures(spark)
        self.staged.note(figures_of_a_version(self.figures))
        self._clean_up()

    def fail(self, cause: BaseException, *, canceled: bool) -> None:
        """The model ended with an error or was cancelled."""
        if canceled:
            self.hook.on_canceled()
        else:
            self.hook.on_failed(cause)

    def failure(self, cause: BaseException) -> str:
        """What a failed model is told besides its error: outcome, version, state of the table."""
        staged = self.staged
        if staged.outcome is Outcome.COMMITTED:
            return self._failed_after_commit()
        if staged.outcome is Outcome.UNKNOWN:
            return f"outcome: unknown; version {staged.version} and its base were both left"
        reason = cause.__cause__
        told = isinstance(reason, StagingError) and bool(reason.left)
        state = "" if told else f"; {staged.target}: {staged.unchanged}"
        if not staged.left_behind:
            return f"outcome: not_committed; version {staged.version} was discarded{state}"
        left = f"still there: {', '.join(staged.left_behind)}; a later run deletes it"
        return f"outcome: not_committed; version {staged.version} was not published{state}; {left}"

    def response(self) -> PublicationResponse:
        """The ``adapter_response``, whose message ends the model's console line."""
        outcome = self.staged.outcome or Outcome.UNKNOWN
        published = self._publication() if outcome is Outcome.COMMITTED else {}
        return PublicationResponse(
            _message=self._message(outcome),
            code=outcome.value,
            outcome=outcome.value,
            atomicity=self.staged.level.value,
            reader_window="mixed" if self._in_place else self.staged.strategy.reader_window,
            conflict_check=self.capabilities.conflict_check.value,
            staging_purpose=self.staged.context.purpose.value,
            stage_seconds=self.timer.seconds(Step.STAGE),
            commit_seconds=self.timer.seconds(Step.COMMIT),
            **published,
        )

    def _clean_up(self) -> None:
        """Free what the rules let go; a failure is said, and left to the next run."""
        context = self.staged.context
        try:
            freed = self.catalog.clean_up(context, self.retention).freed
        except StagingError as error:
            logger.warning("%s: old versions stay for now: %s", context.target, error.what)
            return
        if freed:
            logger.info("%s: %d old versions were deleted", context.target, len(freed))

    def _figures(self, spark: SparkSession) -> WriteFigures:
        """Spark's own counts do not know what a format's own writer writes."""
        if isinstance(self.staged, NATIVE):
            return self.staged.figures
        return write_figures(spark, self.job.group)

    @property
    def is_native(self) -> bool:
        """True if the table's format keeps its columns itself."""
        return isinstance(self.staged, NATIVE)

    @property
    def _in_place(self) -> bool:
        return self.staged.level is Atomicity.NONE

    def _publication(self) -> dict[str, Any]:
        staged = self.staged
        return {
            "commit_strategy": IN_PLACE if self._in_place else staged.strategy.name,
            "version": staged.version,
            "base_version": staged.base_version,
            "partition_metadata": staged.partition_metadata,
            "rows_affected": self.figures.rows,
            "files": self.figures.files,
            "bytes": self.figures.bytes,
        }

    def _message(self, outcome: Outcome) -> str:
        if outcome is Outcome.KEPT:
            return "kept: the table exists"
        rows = f", {self.figures.rows:,} rows" if self.figures.rows is not None else ""
        return f"published {self.staged.version}{rows}"

    def _failed_after_commit(self) -> str:
        what = f"{self.staged.target}: published as {self.staged.version} before the error"
        if self._in_place:
            return f"{what}; at atomicity none it keeps what was written until then"
        return f"{what}, and stays so: what failed came after the commit"


@dataclass(slots=True)
class ModelSlot:
    """One model, from dbt's pre_model_hook to its post_model_hook."""

    config: Any
    build: ModelBuild | None = None
