"""The records of another run, and what they tell of it."""

from dbt.adapters.ctas_spark.staging.files.records import ATTEMPT_BY, LEASE, leases_of, version_of
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.storage.client import Storage


def records_of_run(metastore: MetastoreClient, lease: str) -> dict[str, TableEntry]:
    """The records by version of what the run made, or published as a rollback does.

    They are looked for everywhere: each model may have a staging schema of its own.
    """
    names = [
        name
        for database in metastore.databases()
        for key in (LEASE, ATTEMPT_BY)
        for name in metastore.tables_with(database, key, lease)
    ]
    entries = [metastore.get_table(name) for name in names]
    return {version_of(entry.name): entry for entry in entries if entry is not None}


def is_over(metastore: MetastoreClient, storage: Storage, ours: Lease, lease: str) -> bool:
    """True if the run that holds ``lease`` will do nothing more; only its records lead to it.

    Raises:
        MetastoreError, StorageError: it could not be found out.
    """
    records = records_of_run(metastore, lease).values()
    directories = {directory for directory in map(leases_of, records) if directory}
    states = [
        lease_file.state_of(storage, directory, lease, ours.beat(directory))
        for directory in directories
    ]
    return bool(states) and all(state.is_over for state in states)
