"""Remove a version that was never published: its files, then its record."""

import logging
from collections.abc import Callable

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.services import Services

logger = logging.getLogger(__name__)


def discard(services: Services, record: TableName, directory: str) -> list[str]:
    """Delete the version; return what is still there, as sentences. Never raises.

    The caller knows that no task writes into ``directory`` any more and that the target does not
    hold the version.
    """
    attempts: list[tuple[str, Callable[[], None]]] = [
        (f"directory {directory}", lambda: _delete(services, directory)),
        (f"record {record}", lambda: services.metastore.drop_entry(record)),
    ]
    return [what for what, remove in attempts if not _done(what, remove)]


def _delete(services: Services, directory: str) -> None:
    """List, delete, list again: a late file of the job may have come between."""
    while services.storage.exists(directory):
        services.storage.delete(directory)


def _done(what: str, remove: Callable[[], None]) -> bool:
    try:
        remove()
    except StagingError as error:
        logger.warning("could not remove %s: %s", what, error)
        return False
    return True
