"""What a metastore's answer means, by the server's own words; the same for every client."""

from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)

MODIFIED = "The table has been modified"
NO_SUCH_TABLE = "table not found"
EXISTS = ("AlreadyExistsException",)
MISSING = ("NoSuchObjectException", "UnknownDBException")
REFUSED = ("InvalidOperationException", "InvalidObjectException")


def named(kind: str, text: str) -> MetastoreError:
    """The error for an exception of class ``kind``: what is no refusal may have had its effect."""
    if MODIFIED in text:
        return EntryModifiedError(text)
    if kind in EXISTS:
        return EntryExistsError(text)
    if kind in MISSING or text.endswith(NO_SUCH_TABLE):
        return EntryMissingError(text)
    if kind in REFUSED:
        return RefusedError(text)
    return MetastoreError(text)
