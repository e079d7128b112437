"""Which strategy publishes over a base."""

from dbt.adapters.ctas_spark.staging.base import Base
from dbt.adapters.ctas_spark.staging.commits.create import Create
from dbt.adapters.ctas_spark.staging.commits.protocol import CommitStrategy
from dbt.adapters.ctas_spark.staging.commits.swap import Swap
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError


def strategy_for(base: Base, target: TableName, *, conditional: bool) -> CommitStrategy:
    """Create where there was nothing, swap otherwise.

    Raises:
        AtomicityNotSupportedError: the base has nothing that a compare-and-swap could expect.
    """
    if base.entry is None:
        return Create()
    if conditional and base.expectation is None:
        raise AtomicityNotSupportedError(
            "its entry has no transient_lastDdlTime to compare",
            table=target,
            left="it is unchanged; no job was started",
            remedy="ALTER TABLE ... SET TBLPROPERTIES with any property gives it one",
        )
    return Swap(conditional=conditional)
