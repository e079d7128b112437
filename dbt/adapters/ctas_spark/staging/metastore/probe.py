"""What a server can do, tried on names of our own that leave no trace."""

import secrets
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import EntryModifiedError, MetastoreError
from dbt.adapters.ctas_spark.staging.metastore.client import (
    PROBE,
    EntryChange,
    Expectation,
    MetastoreClient,
    TableLockClient,
)
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry


class LockingClient(MetastoreClient, TableLockClient, Protocol):
    """A metastore that may have locks."""


def scratch_name(database: str) -> TableName:
    """A name that nobody else has."""
    return TableName(database, f"probe__{secrets.token_hex(8)}")


def scratch_entry(name: TableName, raw: object) -> TableEntry:
    """An entry without a directory; ``raw`` is the client's own view of that name."""
    return TableEntry(name, VIEW, None, (), (), 0, {}, raw)


def compares_and_swaps(client: MetastoreClient, scratch: TableEntry) -> bool:
    """Alter a scratch view with a wrong expectation: a server that obeys does not compare."""
    change = EntryChange(scratch.name, scratch, None, {PROBE: "here"})
    client.create_table(change)
    try:
        client.alter_table(change, Expectation(PROBE, "another"))
    except EntryModifiedError:
        return True
    finally:
        client.drop_entry(scratch.name)
    return False


def supports_locks(client: LockingClient) -> bool:
    """Lock a scratch name: a server without lock tables breaks, and answers the next call."""
    try:
        lock = client.lock(scratch_name(PROBE), PROBE)
    except MetastoreError:
        client.databases()
        return False
    client.unlock(lock)
    return True
