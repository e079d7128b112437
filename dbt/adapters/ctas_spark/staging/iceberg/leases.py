"""Delete the leases of runs that are over and have no fork left."""

from dbt.adapters.ctas_spark.staging import lease_file
from dbt.adapters.ctas_spark.staging.dead_leases import LEASE_ID
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.lease_file import LeaseState
from dbt.adapters.ctas_spark.staging.records import lease_of, version_of
from dbt.adapters.ctas_spark.staging.retention import RetentionRules
from dbt.adapters.ctas_spark.staging.versions import VERSION_ID


def delete_dead_leases(services: IcebergServices, namespace: str, rules: RetentionRules) -> None:
    """A lease leads from a fork to its run, so it goes after all forks of the namespace.

    Another catalog's stays: its forks can't be seen from here.

    Raises:
        MetastoreError, StorageError: it could not be found out whether a lease may go.
    """
    directory = services.leases(namespace)
    forks = (version_of(name) for name in services.tables.tables(namespace))
    needed = {lease_of(version) for version in forks if VERSION_ID.fullmatch(version)}
    for lease in services.storage.children(directory):
        if not LEASE_ID.fullmatch(lease) or lease in (services.lease.id, *needed):
            continue
        catalog = lease_file.catalog_of(services.storage, directory, lease)
        if catalog == services.lease.catalog and _is_over(services, directory, lease, rules):
            services.storage.delete(f"{directory}/{lease}")


def _is_over(services: IcebergServices, directory: str, lease: str, rules: RetentionRules) -> bool:
    """True if the run has ended for sure, or has been silent for as long as one waits for any."""
    now = services.lease.beat(directory)
    state = lease_file.state_of(services.storage, directory, lease, now)
    if state is not LeaseState.EXPIRED:
        return state is LeaseState.ENDED
    stored = services.storage.read(f"{directory}/{lease}")
    return stored is not None and now - stored.modified_ms >= rules.unknown_after_ms
