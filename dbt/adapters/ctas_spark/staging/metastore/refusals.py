"""What a metastore's answer means, by the server's own words; the same for every client."""

from dbt.adapters.ctas_spark.staging.errors import (
    ColumnsRefusedError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)

MODIFIED = "The table has been modified"
NO_SUCH_TABLE = "table not found"
NOWHERE_TO_ADD = "because database or table"
TAKEN = "already exists"
INCOMPATIBLE = "types incompatible with the existing columns"
EXISTS = ("AlreadyExistsException",)
MISSING = ("NoSuchObjectException", "UnknownDBException", "NoSuchLockException")
REFUSED = ("InvalidOperationException", "InvalidObjectException", "InvalidInputException")


def named(kind: str, text: str) -> MetastoreError:
    """The error for an exception of class ``kind``: what is no refusal may have had its effect."""
    if MODIFIED in text:
        return EntryModifiedError(text)
    if INCOMPATIBLE in text:
        return ColumnsRefusedError(text)
    if kind in EXISTS:
        return EntryExistsError(text)
    if kind in MISSING or text.endswith(NO_SUCH_TABLE) or NOWHERE_TO_ADD in text:
        return EntryMissingError(text)
    if kind in REFUSED:
        return EntryExistsError(text) if text.endswith(TAKEN) else RefusedError(text)
    return MetastoreError(text)
