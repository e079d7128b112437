"""What one metastore call over a base keeps of the promise to readers and to other writers."""

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.files.base import SCHEMA, FileBase
from dbt.adapters.ctas_spark.staging.files.partition_state import PartitionPlan, PartitionState
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.metastore.client import PROVIDER, TableEntry
from dbt.adapters.ctas_spark.staging.publish.version import Reach

CREATE = "create"
SWAP = "swap"
IN_PLACE = "in_place"

BY_TRACKED = (
    "a session that resolved the table before asks the metastore for its partitions, and gets the "
    "new version's with the old schema"
)
BY_MIXED_READS = (
    "schema, format or partition columns change, and one read of this remote metastore may mix "
    "two versions: the schema of one with the directory of the other"
)
NO_CHECK = "the metastore neither compares and swaps nor has locks, so the last writer wins"
ATOMIC = "set atomicity: auto"
DECLARE = (
    "set metastore_reads: repeatable in the profile, if the metastore's database answers so "
    "(datanucleus.transactionIsolation=repeatable-read on the server); or atomicity: auto"
)


def over(
    context: StagingContext,
    services: Services,
    base: FileBase,
    partitions: PartitionPlan,
    staged: TableEntry | None,
) -> Reach:
    """The reach of a publication.

    Args:
        staged: the staged entry, once it is there.

    Raises:
        AtomicityNotSupportedError: the base has nothing that a compare-and-swap could expect.
    """
    if base.entry is None:
        return Reach(services.reaches, CREATE, missing=NO_CHECK, remedy=ATOMIC)
    if services.conditional and base.expectation is None:
        raise AtomicityNotSupportedError(
            "its entry has no transient_lastDdlTime to compare",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="ALTER TABLE ... SET TBLPROPERTIES with any property gives it one",
        )
    if partitions.state is not PartitionState.FILES:
        return _atomic("mixed", BY_TRACKED, "set partition_metadata: files", partitions.warning)
    if services.mixes_reads and _changes_shape(context, base.entry, staged):
        return _atomic("mixed", BY_MIXED_READS, DECLARE, partitions.warning)
    return Reach(
        services.reaches, SWAP, missing=NO_CHECK, remedy=ATOMIC, warning=partitions.warning
    )


def has_left(base: FileBase, after: FileBase) -> bool:
    """True if the marker moved on from our base by others' commits that we can all see.

    Our request, if it is still under way, is then refused: the value that it expects is gone.
    """
    marker = after.marker
    if marker is None or base.entry is None:
        return False
    if base.marker is None:
        return marker.number == len(marker.lineage.entries)  # nothing was cut from the list
    return marker.commit != base.marker.commit and base.marker.commit in marker.lineage


def _atomic(window: str, missing: str, remedy: str, warning: str) -> Reach:
    return Reach(Atomicity.ATOMIC, SWAP, window, missing, remedy, warning)


def _changes_shape(context: StagingContext, base: TableEntry, staged: TableEntry | None) -> bool:
    """True if a read that mixes both versions would not be one of them."""
    wanted = tuple(key.lower() for key in context.layout.partition_keys)
    if base.is_view or tuple(key.lower() for key in base.partition_columns) != wanted:
        return True
    provider = base.parameters.get(PROVIDER, "").lower()
    if provider != context.layout.file_format.lower():
        return True
    return staged is not None and _shape(base) != _shape(staged)


def _shape(entry: TableEntry) -> dict[str, str]:
    """All that Spark reads the schema from."""
    return {key: value for key, value in entry.parameters.items() if key.startswith(SCHEMA)}
