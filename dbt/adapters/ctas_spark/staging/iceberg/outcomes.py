"""What became of a commit on an Iceberg table, decided by its own history."""

from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.iceberg.base import IcebergBase
from dbt.adapters.ctas_spark.staging.iceberg.publications import has_commit
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome


def decide(
    over: IcebergBase, after: IcebergBase, commit: str, failure: MetastoreError | None
) -> Outcome:
    """The outcome, from the target read after the call and from how the call ended.

    An OK proves nothing: a catalog may have taken a commit for none.
    """
    if after.facts is not None and has_commit(after.facts, commit):
        return Outcome.COMMITTED
    if isinstance(failure, RefusedError) or has_left(over, after):
        return Outcome.NOT_COMMITTED
    return Outcome.UNKNOWN


def has_left(over: IcebergBase, after: IcebergBase) -> bool:
    """True if others' commits that we can all see came on top, so that a request of ours is stale.

    A table of another identity, or whose history lost our base, proves nothing.
    """
    if over.facts is None or after.facts is None or over.facts.uuid != after.facts.uuid:
        return False
    known = over.facts.main is None or over.facts.main in after.facts.snapshots
    return known and over.facts.main != after.facts.main
