"""How a version that is not published is given up, whatever kind of table it was staged for."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The end of one version.

    ``places`` says where its files lie, and is empty before any could be written; ``discard``
    removes them, then the record, and returns what is left.
    """

    target: TableName
    version: str
    places: str
    job: Job
    report: StepReport
    discard: Callable[[], list[str]]

    def run(self, reason: str) -> list[str]:
        """Stop the job and remove what it wrote; what is left behind. Never raises."""
        self.report.give_up()
        try:
            self.report.enter(Step.ABORT)
            left = self._withdraw(reason)
            self.report.leave()
        except Exception:
            logger.exception("abort of %s, version %s, did not finish", self.target, self.version)
            return [f"what was staged in {self.places}"]
        return left

    def remove(self, reason: str) -> list[str]:
        """Delete files and record of a version whose job has ended; what is left of them."""
        left = self.discard()
        logger.info("version %s of %s was withdrawn: %s", self.version, self.target, reason)
        return left

    def _withdraw(self, reason: str) -> list[str]:
        if not self.places:
            return []
        if self.job.stop():
            return self.remove(reason)
        logger.warning(
            "%s: a task of the job still runs, so %s stays; a later run deletes it",
            self.target,
            self.places,
        )
        return [f"{self.places} (a task of the job still runs)"]
