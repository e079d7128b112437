"""Which level a publication gets: what was asked for, against what the catalog reaches."""

from dbt.adapters.ctas_spark.staging.catalogs.protocol import Capabilities
from dbt.adapters.ctas_spark.staging.context import Atomicity, TableName
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError


def resolve(asked: Atomicity, found: Capabilities, target: TableName) -> Atomicity:
    """The level to work at; ``auto`` takes the strongest.

    Raises:
        AtomicityNotSupportedError: the catalog reaches less than was asked for.
    """
    wanted = found.reaches if asked is Atomicity.AUTO else asked
    if wanted.strength > found.reaches.strength:
        raise AtomicityNotSupportedError(
            f"atomicity {asked.value} can't be reached on this {found.catalog} catalog: "
            f"{found.missing}",
            table=target,
            left="it is unchanged; no job was started",
            remedy=found.remedy,
        )
    return wanted
