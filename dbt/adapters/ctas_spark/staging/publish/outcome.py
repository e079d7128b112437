"""What became of a commit call, decided by a fresh read and never by "the call raised"."""

from enum import Enum

from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)

BY_RIVALS = (EntryModifiedError, EntryExistsError, EntryMissingError)


class Outcome(str, Enum):
    """The fate of one publication; KEPT means that none was asked for."""

    COMMITTED = "committed"
    NOT_COMMITTED = "not_committed"
    UNKNOWN = "unknown"
    KEPT = "kept"


def decide(failure: MetastoreError | None, *, shows_ours: bool, can_not_land: bool) -> Outcome:
    """The outcome, from what a read after the call shows and from how the call ended.

    COMMITTED is decided first, after a refusal too: a retry in client or server turns a success
    into "conflict" or "exists" (Iceberg's ``checkCommitStatus`` does the same).

    Args:
        shows_ours: our commit is the target's marker, or in its lineage.
        can_not_land: the target has left our base by others' commits that can all be seen, so
            that a request of ours that is still under way is refused.
    """
    if shows_ours:
        return Outcome.COMMITTED
    if isinstance(failure, RefusedError) or can_not_land:
        return Outcome.NOT_COMMITTED
    return Outcome.UNKNOWN


def is_by_rival(failure: MetastoreError | None) -> bool:
    """True if a call did nothing because another's came first.

    Without a failure that is known from the target itself, which has left our base.
    """
    return not isinstance(failure, RefusedError) or isinstance(failure, BY_RIVALS)
