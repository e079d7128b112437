"""The life of a model's job, bound to the life of its staged table (FLIP-218, FLIP-305)."""

from typing import Any, Protocol

from dbt.adapters.ctas_spark.staging.publish.plan import Plan
from dbt.adapters.ctas_spark.staging.publish.staged_table import StagedTable


class JobStatusHook(Protocol):
    """Called as the job that fills a table is created, finishes, fails or is cancelled."""

    def on_created(self) -> Any:
        """The job is about to be started."""

    def on_finished(self) -> None:
        """The job wrote everything."""

    def on_failed(self, cause: BaseException) -> None:
        """The job, or a check of what it wrote, failed."""

    def on_canceled(self) -> None:
        """The job was stopped by the user."""


class StagedTableHook:
    """created -> begin, finished -> commit, failed and cancelled -> abort."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._staged: StagedTable[Any] | None = None

    def on_created(self) -> StagedTable[Any]:
        """Begin; a begin that fails leaves nothing to abort."""
        self._staged = self._plan.begin()
        return self._staged

    def on_finished(self) -> None:
        """Commit."""
        if self._staged is not None:
            self._staged.commit()

    def on_failed(self, cause: BaseException) -> None:
        """Abort because of ``cause``."""
        self._abort(f"failed: {type(cause).__name__}")

    def on_canceled(self) -> None:
        """Abort because the run was cancelled."""
        self._abort("cancelled")

    def _abort(self, reason: str) -> None:
        if self._staged is not None:
            self._staged.abort(reason)
