"""The life of a model's job, bound to the life of its staged table (FLIP-218, FLIP-305)."""

from typing import Protocol

from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable


class JobStatusHook(Protocol):
    """Called as the job that fills a table is created, finishes, fails or is cancelled."""

    def on_created(self) -> None:
        """The job is about to be started."""

    def on_finished(self) -> None:
        """The job wrote everything."""

    def on_failed(self, cause: BaseException) -> None:
        """The job, or a check of what it wrote, failed."""

    def on_canceled(self) -> None:
        """The job was stopped by the user."""


class StagedTableHook:
    """created -> begin, finished -> commit, failed and cancelled -> abort."""

    def __init__(self, staged: StagedTable) -> None:
        self._staged = staged

    def on_created(self) -> None:
        """Begin."""
        self._staged.begin()

    def on_finished(self) -> None:
        """Commit."""
        self._staged.commit()

    def on_failed(self, cause: BaseException) -> None:
        """Abort because of ``cause``."""
        self._staged.abort(f"failed: {type(cause).__name__}")

    def on_canceled(self) -> None:
        """Abort because the run was cancelled."""
        self._staged.abort("cancelled")
