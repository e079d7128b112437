"""Delete the leases of runs that are over and have no fork left."""

from dbt.adapters.ctas_spark.staging import lease_file
from dbt.adapters.ctas_spark.staging.dead_leases import LEASE_ID
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.records import lease_of, version_of
from dbt.adapters.ctas_spark.staging.versions import VERSION_ID


def delete_dead_leases(services: IcebergServices, namespace: str) -> None:
    """A lease leads from a fork to its run, so it goes after all forks of the namespace.

    One that is only silent stays: its run may be paused.

    Raises:
        MetastoreError, StorageError: it could not be found out whether a lease may go.
    """
    directory = services.leases(namespace)
    forks = (version_of(name) for name in services.tables.tables(namespace))
    needed = {lease_of(version) for version in forks if VERSION_ID.fullmatch(version)}
    for lease in services.storage.children(directory):
        if not LEASE_ID.fullmatch(lease) or lease in (services.lease.id, *needed):
            continue
        now = services.lease.beat(directory)
        state = lease_file.state_of(services.storage, directory, lease, now)
        if state is LeaseState.ENDED:
            services.storage.delete(f"{directory}/{lease}")
