"""What became of a commit by statement."""

from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import Change
from dbt.adapters.ctas_spark.staging.statement.base import StatementBase, change_between


def decide(
    over: StatementBase,
    after: StatementBase,
    commit: str,
    failure: MetastoreError | None,
    *,
    conditional: bool,
) -> Outcome:
    """The outcome, from the target read after the call and from how the call ended.

    Args:
        conditional: the catalog refuses a commit over another's: once the base has left, nothing
            of ours can land any more.
    """
    if after.has_commit(commit):
        return Outcome.COMMITTED
    if isinstance(failure, RefusedError):
        return Outcome.NOT_COMMITTED
    if conditional and failure is not None and change_between(over, after) is not Change.NONE:
        return Outcome.NOT_COMMITTED
    return Outcome.UNKNOWN
