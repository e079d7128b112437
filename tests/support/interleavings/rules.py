"""The rules under which an exploration runs, the faults that can be planted, and the promises."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

GRACE = 2
ORPHAN_AGE = 3
"""In ticks of the clock."""
TICK_MS = 1_000
MOST_IN_LINEAGE = 2


class Fault(Enum):
    """One rule of the protocol that is broken on purpose."""

    AGE_ALONE = "a clean-up decides by age alone"
    NOBODY_IS_ASKED = "a clean-up does not ask who shows what it has taken"
    RECORD_NOT_TAKEN = "a rollback does not take the record"
    MAY_LAND_NOT_ASKED = "a clean-up never asks whether a call may still land"
    TARGET_NOT_LAST = "who shows a version is asked of the target first"
    BASE_REPLACED = "a new base replaces the others of a record"
    EXPECTED_NOT_ASKED = "a renamed table that a call expects does not count as showing"
    OLD_PROOF = "what was proven before a fence still counts after it"
    EARLY_NOTE = "that the target is gone is noted with the time before it was read"


class Promise(Enum):
    """What has to hold in every state, or at a deletion."""

    FILES = "no table shows a version whose files are gone"
    LIVE = "no files are deleted while a table shows them"
    GRACE = "no version is deleted within the grace period"
    KEEP = "versions_to_keep newer superseded versions are left"
    KEEP_KNOWN = "the same, of a version that nobody knows to have been published, when it is old"
    OFFERED = "a rollback is offered only what was published"
    GARBAGE = "at rest no more is left than versions_to_keep and what was just superseded"


class Broken(NamedTuple):
    """A promise that did not hold, and how."""

    promise: Promise
    how: str


@dataclass(frozen=True)
class Rules:
    """``ahead``: by how many ticks the metastore's clock is ahead of the storage's.

    A grace period that is up to ``shorter`` ticks too short is accepted.
    """

    keep: int = 1
    fault: Fault | None = None
    ahead: int = 0
    shorter: int = 0
