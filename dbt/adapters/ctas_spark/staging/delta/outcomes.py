"""What became of a Delta target since begin, or of our commit on it: by its own history."""

from dbt.adapters.ctas_spark.staging.context import StagingContext, StagingPurpose
from dbt.adapters.ctas_spark.staging.delta.base import DeltaBase
from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.publish import messages as conflicts
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.publish.version import Change

Since = tuple[CommitFacts, ...] | None
"""The commits on top of a base, newest first; None if the log has not all of them any more."""


def change_between(
    context: StagingContext, begun: DeltaBase, now: DeltaBase, since: Since
) -> Change:
    """What became of the target; ``since`` are the commits after ``begun``.

    A table that was dropped took the staged files along: nothing is left to create it from.
    """
    if not now.exists and context.purpose is StagingPurpose.REPLACE:
        return Change.DROPPED
    if begun.facts is None or now.facts is None or not now.facts.is_same_table(begun.facts):
        return Change.WRITTEN
    if now.facts.is_same_as(begun.facts):
        return Change.NONE
    return Change.FENCED if since and all(map(_is_fence, since)) else Change.WRITTEN


def who_changed(begun: DeltaBase, now: DeltaBase, since: Since) -> str:
    """The version that was committed, or what the history says of the writer."""
    if now.facts is None:
        return now.obstacle or "it was dropped, and the staged version with it"
    same = begun.facts is not None and now.facts.is_same_table(begun.facts)
    if begun.facts is None or (not same and not since):
        return "it was dropped, and created anew"
    if not since:
        return f"its history between commits {begun.facts.number} and {now.facts.number} is gone"
    newest = next((one for one in since if not _is_fence(one)), since[0])
    if newest.marker is not None:
        when = conflicts.moment(newest.marker.time_ms)
        return f"version {newest.marker.version} was committed at {when}"
    when = conflicts.moment(newest.time_ms)
    return f"a writer without our marker committed ({newest.operation}, {newest.number}, {when})"


def decide(
    over: DeltaBase, after: DeltaBase, commit: str, failure: MetastoreError | None, since: Since
) -> Outcome:
    """The outcome, from the target read after the call and from how the call ended.

    Args:
        since: the commits after ``over``; of another table they prove nothing.
    """
    if since and any(one.marker is not None and one.marker.commit == commit for one in since):
        return Outcome.COMMITTED
    if isinstance(failure, RefusedError):
        return Outcome.NOT_COMMITTED
    same = over.facts and after.facts and after.facts.is_same_table(over.facts)
    return Outcome.NOT_COMMITTED if same and since else Outcome.UNKNOWN


def _is_fence(commit: CommitFacts) -> bool:
    return commit.marker is not None and commit.marker.kind is Kind.FENCE
