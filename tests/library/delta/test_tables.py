"""What a Java exception's name says of a commit."""

import pytest

from ctas_spark.delta.tables import refusal
from ctas_spark.errors import (
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)

IO_DELTA = "io.delta.exceptions."
PARENT = f"{IO_DELTA}DeltaConcurrentModificationException"


@pytest.mark.parametrize(
    "name",
    [
        "ConcurrentAppendException",
        "ConcurrentDeleteDeleteException",
        "ConcurrentDeleteReadException",
        "ConcurrentTransactionException",
        "ConcurrentWriteException",
        "MetadataChangedException",
        "ProtocolChangedException",
    ],
)
def test_every_conflict_is_a_rivals_commit(name: str) -> None:
    """By its parent, so that a new one is known, too."""
    names = (f"{IO_DELTA}{name}", PARENT, "java.lang.Exception")
    assert refusal(names) is EntryModifiedError


def test_a_table_that_is_gone_is_known_by_name() -> None:
    """Spark's own exception."""
    names = ("org.apache.spark.sql.catalyst.analysis.NoSuchTableException", "java.lang.Exception")
    assert refusal(names) is EntryMissingError


def test_what_delta_refuses_did_nothing() -> None:
    """A commit before it would show in the fresh read that comes first."""
    assert refusal(("org.apache.spark.sql.delta.DeltaAnalysisException",)) is RefusedError


@pytest.mark.parametrize("name", ["java.io.IOException", "java.lang.RuntimeException"])
def test_what_the_storage_raises_proves_nothing(name: str) -> None:
    """The commit's file may be there, or come."""
    assert refusal((name, "java.lang.Throwable")) is MetastoreError
