"""Remove files and entries one after another, and say what is still there."""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.errors import StagingError, StorageError
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Storage

logger = logging.getLogger(__name__)

MOST_DELETES = 5

Removal = tuple[Step, str, Callable[[], None]]
"""The step that it is, what it removes, and the call that does."""


def still_there(report: StepReport, *removals: Removal) -> list[str]:
    """Remove one thing after another; what could not be, in words. Never raises."""
    return [what for step, what, remove in removals if not _done(report, step, what, remove)]


def emptied(storage: Storage, directory: str) -> bool:
    """Delete, look, delete again: a late file of a job may have come between."""
    for _ in range(MOST_DELETES):
        storage.delete(directory)
        if not storage.exists(directory):
            return True
    return False


def empty(storage: Storage, directory: str) -> None:
    """Delete a directory; StorageError if it fills again and again."""
    if not emptied(storage, directory):
        raise StorageError(f"{directory} fills again after each of {MOST_DELETES} deletes")


def _done(report: StepReport, step: Step, what: str, remove: Callable[[], None]) -> bool:
    try:
        with report.within(step):
            remove()
    except StagingError as error:
        logger.warning("could not remove %s: %s", what, error)
        return False
    return True
