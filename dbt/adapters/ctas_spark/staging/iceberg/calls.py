"""Iceberg's Java exceptions as the core's errors: refused by name, or a fate not known."""

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)

ICEBERGS = "org.apache.iceberg.exceptions."
REFUSALS: dict[str, type[RefusedError]] = {
    f"{ICEBERGS}CommitFailedException": EntryModifiedError,
    f"{ICEBERGS}AlreadyExistsException": EntryExistsError,
    f"{ICEBERGS}NoSuchTableException": EntryMissingError,
    f"{ICEBERGS}NoSuchNamespaceException": EntryMissingError,
    f"{ICEBERGS}ValidationException": RefusedError,
    f"{ICEBERGS}BadRequestException": RefusedError,
    f"{ICEBERGS}ForbiddenException": RefusedError,
    f"{ICEBERGS}NotAuthorizedException": RefusedError,
}
MISSING_FILE = f"{ICEBERGS}NotFoundException"
NOT_ICEBERGS = f"{ICEBERGS}NoSuchIcebergTableException"


class FilesGoneError(MetastoreError):
    """An entry is there, and the metadata file that it names is not."""


class NotIcebergError(MetastoreError):
    """There is an entry of that name, and it is no Iceberg table."""


@contextmanager
def core_errors(action: str) -> Iterator[None]:
    """Raise the core's errors; ``action`` completes "could not"."""
    try:
        yield
    except (Py4JError, PySparkException, OSError) as error:
        raise _translated(action, error) from error


def _translated(action: str, error: Exception) -> MetastoreError:
    if not isinstance(error, Py4JJavaError):
        return MetastoreError(f"could not {action}: {error}")
    name = str(error.java_exception.getClass().getName())
    text = f"could not {action}: {error.java_exception.getMessage() or name}"
    if name == MISSING_FILE:
        return FilesGoneError(text)
    if name == NOT_ICEBERGS:
        return NotIcebergError(text)
    return REFUSALS.get(name, MetastoreError)(text)
