"""Which strategy publishes over a base."""

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError
from dbt.adapters.ctas_spark.staging.files import base_checks
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.commits.create import Create
from dbt.adapters.ctas_spark.staging.files.commits.protocol import CommitStrategy
from dbt.adapters.ctas_spark.staging.files.commits.rename import Rename
from dbt.adapters.ctas_spark.staging.files.commits.swap import Swap
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.set_aside import SetAside


def strategy_for(
    context: StagingContext,
    version: str,
    base: Base,
    services: Services,
    *,
    refused: bool = False,
) -> CommitStrategy:
    """Create where there was nothing, swap where one call can do it, else rename.

    Args:
        refused: the metastore refused to change the columns in a swap.

    Raises:
        AtomicityNotSupportedError: the base has nothing that a compare-and-swap could expect, or
            ``isolated`` was asked for by name and only a rename is left.
    """
    if base.entry is None:
        return Create()
    conditional = services.conditional
    if conditional and base.expectation is None:
        raise AtomicityNotSupportedError(
            "its entry has no transient_lastDdlTime to compare",
            table=context.target,
            left="it is unchanged; no job was started",
            remedy="ALTER TABLE ... SET TBLPROPERTIES with any property gives it one",
        )
    if refused or base_checks.other_partition_keys(context, base):
        lease = services.lease.id
        aside = SetAside.of(context.target, context.staging_schema, version, lease)
        return Rename(aside, conditional=conditional)
    return Swap(conditional=conditional)
