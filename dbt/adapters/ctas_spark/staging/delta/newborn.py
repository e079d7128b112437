"""Records that a run died before it wrote: the CTAS of a Delta table keeps no property of ours.

Delta's catalog writes TBLPROPERTIES into the table's log and not into its entry, so a record is
marked by a call after its CTAS. A run that dies between the two leaves an entry without a word;
its place and its name say all that a clean-up needs.
"""

import logging

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.files import records
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.directories import VersionRoot
from dbt.adapters.ctas_spark.staging.files.records import STATE, lease_of, record_prefix, version_of
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.files.versions import VERSION_ID
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.retention import lease_file
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState

logger = logging.getLogger(__name__)


def adopt(context: StagingContext, services: Services) -> None:
    """Mark the unmarked records of the target's dead runs, so that a clean-up takes them up.

    Raises:
        MetastoreError, StorageError: it could not be found out which there are.
    """
    table = version_root(services.metastore, context).table
    for name in services.metastore.tables(context.staging_schema, record_prefix(context.target)):
        if not VERSION_ID.fullmatch(version_of(name)):
            continue
        entry = services.metastore.get_table(name)
        root = _root_of(entry)
        if entry is None or root is None or root.table != table or STATE in entry.parameters:
            continue
        if _is_dead(services, root, entry):
            _mark(context, services, root, entry)


def _root_of(entry: TableEntry | None) -> VersionRoot | None:
    """Where the record's version lies, if its place is one of a version; notes have none."""
    if entry is None or entry.directory_name != version_of(entry.name):
        return None
    return VersionRoot.at((entry.location or "").rstrip("/").rpartition("/")[0])


def _is_dead(services: Services, root: VersionRoot, entry: TableEntry) -> bool:
    now = services.lease.beat(root.leases)
    lease = lease_of(version_of(entry.name))
    return lease_file.state_of(services.storage, root.leases, lease, now) is not LeaseState.LIVING


def _mark(
    context: StagingContext, services: Services, root: VersionRoot, entry: TableEntry
) -> None:
    version = version_of(entry.name)
    own = records.record_properties(
        target=context.target,
        version=version,
        base=Base(None),
        lease=lease_of(version),
        root=str(root),
    )
    try:
        marked = {**entry.parameters, **own}
        services.metastore.alter_table(EntryChange(entry.name, entry, entry, marked), None)
    except MetastoreError as error:
        logger.warning("%s stays unmarked for now: %s", entry.name, error)
