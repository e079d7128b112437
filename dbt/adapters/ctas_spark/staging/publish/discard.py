"""Remove a version that was never published: its files, then its record."""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import StagingError, StorageError
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport
from dbt.adapters.ctas_spark.staging.storage.client import Storage

logger = logging.getLogger(__name__)

MOST_DELETES = 5


def discard(services: Services, record: TableName, directory: str, report: StepReport) -> list[str]:
    """Delete the version; return what is still there, as sentences. Never raises.

    The caller knows that no task writes into ``directory`` any more and that the target does not
    hold the version.
    """
    return still_there(
        report,
        (Step.DELETE_FILES, f"directory {directory}", lambda: empty(services.storage, directory)),
        (Step.DELETE_RECORD, f"record {record}", lambda: services.metastore.drop_entry(record)),
    )


Removal = tuple[Step, str, Callable[[], None]]
"""The step that it is, what it removes, and the call that does."""


def still_there(report: StepReport, *removals: Removal) -> list[str]:
    """Remove one thing after another; what could not be, in words. Never raises."""
    return [what for step, what, remove in removals if not _done(report, step, what, remove)]


def emptied(storage: Storage, directory: str) -> bool:
    """Delete, look, delete again: a late file of the job may have come between."""
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
