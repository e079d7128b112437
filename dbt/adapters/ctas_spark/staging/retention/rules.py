"""Which versions may go: decided from lineage, leases and rules, before any deletion."""

from dataclasses import dataclass
from enum import Enum

from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.records import ATTEMPT_OVER, STATE, RecordState
from dbt.adapters.ctas_spark.staging.files.versions import Place, Version
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseState


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """How long versions stay; times in milliseconds of the storage's clock.

    ``versions_to_keep`` counts superseded ones. ``grace_ms`` runs from the successor's commit.
    ``unknown_after_ms`` is how long a creation whose fate nobody knows is waited for.
    """

    versions_to_keep: int = 1
    grace_ms: int = 3_600_000
    unknown_after_ms: int = 86_400_000


class Reason(str, Enum):
    """Why a version stays."""

    LIVE = "it is the table"
    KEPT = "it is kept for a rollback"
    GRACE = "readers that resolved it may still finish"
    RUNNING = "its run is alive"
    MAY_LAND = "its run died in a call that may still land"
    REFERENCED = "a table still shows it"
    OWNED = "another took it meanwhile"
    FOREIGN = "it has no record here and its run is over: it may be another catalog's"
    UNFENCED = "its writer may wake up, and the table has nothing by which to refuse it"
    FULL = "its directory fills again while it is deleted"
    FORGOTTEN = "the table's history no longer reaches back to where it began"
    NATIVE = "its snapshots are the format's own to expire"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found out of one version.

    ``rank`` counts the superseded versions that are newer; ``unseen_ms`` is how long ago a clean-up
    first found it superseded, or without an owner. ``foreign`` says that a run on another catalog
    made it.
    """

    version: Version
    rank: int
    lease: LeaseState
    now_ms: int
    unseen_ms: int
    foreign: bool = False


def reason_to_stay(seen: Seen, rules: RetentionRules, *, fences: bool) -> Reason | None:
    """Why the version is not to be deleted now; None if it may be, once its writer is fenced.

    Args:
        fences: a fence stands here; where it does not, every attempt may land for a while.
    """
    version = seen.version
    if version.place is Place.LIVE:
        return Reason.LIVE
    if version.place is Place.SUPERSEDED:
        return _superseded(seen, rules, fences=fences)
    return _unpublished(seen, rules, fences=fences)


def may_create(version: Version) -> bool:
    """True if its last attempt was a creation, which no fence can stop."""
    if version.record is None:
        return False
    committing = version.record.parameters.get(STATE, "").startswith(RecordState.COMMITTING.value)
    absent = version.record.parameters.get(ATTEMPT_OVER) == str(Base(None))
    return committing and absent


def can_still_land(version: Version, target: TableEntry | None) -> bool:
    """True if an attempt of the version may expect what the target shows now."""
    unpublished = version.place in (Place.UNPUBLISHED, Place.FORGOTTEN)
    return target is not None and (unpublished or version.attempt is not None)


def _superseded(seen: Seen, rules: RetentionRules, *, fences: bool) -> Reason | None:
    if seen.rank < rules.versions_to_keep:
        return Reason.KEPT
    if _age(seen) < rules.grace_ms:
        return Reason.GRACE
    return _under_way(seen, rules, fences=fences) if seen.version.attempt else None


def _under_way(seen: Seen, rules: RetentionRules, *, fences: bool) -> Reason | None:
    """Why an attempt is to be waited for; None if a fence stops it."""
    if seen.lease is LeaseState.LIVING:
        return Reason.RUNNING
    unstoppable = may_create(seen.version) or not fences
    resolved = seen.lease is LeaseState.GIVEN_BACK
    waits = unstoppable and not resolved and seen.unseen_ms < rules.unknown_after_ms
    return Reason.MAY_LAND if waits else None


def _unpublished(seen: Seen, rules: RetentionRules, *, fences: bool) -> Reason | None:
    if seen.version.record is None and seen.lease is not LeaseState.LIVING:
        # nothing can have been published; a run of ours gives its lease back after its last record
        resolved = seen.lease is LeaseState.GIVEN_BACK
        return Reason.FOREIGN if resolved or seen.foreign else None
    under_way = _under_way(seen, rules, fences=fences)
    if under_way is not None:
        return under_way
    if seen.version.place is Place.FORGOTTEN and _age(seen) < rules.grace_ms:
        return Reason.GRACE
    return None


def _age(seen: Seen) -> int:
    """Time without readers that could have resolved it anew."""
    version = seen.version
    if version.superseded and (version.place is Place.FORGOTTEN or version.attempt):
        return seen.now_ms - version.superseded.time_ms
    return seen.unseen_ms
