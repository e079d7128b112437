"""Delta's Java exceptions as the core's errors: refused by name, or a fate not known."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark.staging.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)

CONFLICTS = frozenset(
    {
        "io.delta.exceptions.DeltaConcurrentModificationException",
        "org.apache.spark.sql.delta.DeltaConcurrentModificationException",
    }
)
"""The parents of every conflict: appends, deletes, metadata, protocol, transactions."""

MISSING = frozenset({"org.apache.spark.sql.catalyst.analysis.NoSuchTableException"})
REFUSED = ("org.apache.spark.sql.delta.", "io.delta.", "java.lang.IllegalArgumentException")


@contextmanager
def core_errors(action: str) -> Iterator[None]:
    """Raise the core's errors; ``action`` completes "could not"."""
    try:
        yield
    except (Py4JError, PySparkException, OSError) as error:
        raise _translated(action, error) from error


def refusal(names: tuple[str, ...]) -> type[MetastoreError]:
    """The error for a Java exception, by the names of its class and that class's parents.

    What Delta raises under a name of its own, or for an argument, has ended in this JVM: a commit
    before it would show in a fresh read. What the storage raises may yet have its effect.
    """
    if CONFLICTS.intersection(names):
        return EntryModifiedError
    if MISSING.intersection(names):
        return EntryMissingError
    return RefusedError if names and names[0].startswith(REFUSED) else MetastoreError


def _translated(action: str, error: Exception) -> MetastoreError:
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    if java is None:
        return MetastoreError(f"could not {action}: {error}")
    names = tuple(_names(java.getClass()))
    text = f"could not {action}: {java.getMessage() or names[0]}"
    return refusal(names)(text)


def _names(java_class: Any) -> Iterator[str]:
    while java_class is not None:
        yield str(java_class.getName())
        java_class = java_class.getSuperclass()
