"""What may happen to one call of a run, and to which call."""

from dataclasses import dataclass
from enum import Enum

CHANGES = frozenset(
    {
        "add_partitions",
        "alter_partitions",
        "alter_table",
        "create_table",
        "delete",
        "drop_entry",
        "drop_partitions",
        "rename_table",
    }
)
"""The calls of which another process sees the effect."""

LATE = CHANGES - {"add_partitions", "alter_partitions", "drop_partitions"}
"""The calls that may land late. Of partitions none does: the protocol has no answer to that."""


class Fate(Enum):
    """How a call ends; ``LATE``: its effect comes after its client's error or end."""

    DIES_BEFORE = "the process ends before the call"
    DIES_AFTER = "the process ends after the call"
    DIES_LATE = "the process ends during the call, which lands later"
    LOST_BEFORE = "an error, and no effect"
    LOST_AFTER = "an error, after the effect"
    LOST_LATE = "an error, and the call lands later"
    HELD_BEFORE = "the call is slow"
    HELD_AFTER = "the answer is slow"
    SLEEPS_BEFORE = "the process is suspended before the call"
    SLEEPS_AFTER = "the process is suspended after the call"

    @property
    def kills(self) -> bool:
        """True if the process ends."""
        return self in (Fate.DIES_BEFORE, Fate.DIES_AFTER, Fate.DIES_LATE)

    @property
    def comes_before(self) -> bool:
        """True if it happens before the effect."""
        return self in (
            Fate.DIES_BEFORE,
            Fate.LOST_BEFORE,
            Fate.HELD_BEFORE,
            Fate.SLEEPS_BEFORE,
        )

    @property
    def lands_late(self) -> bool:
        """True if the effect is postponed."""
        return self in (Fate.DIES_LATE, Fate.LOST_LATE)

    @property
    def holds(self) -> bool:
        """True if the run stands there until it is let go on."""
        return self in HOLDS

    @property
    def sleeps(self) -> bool:
        """True if the whole process stands still, its heartbeat too."""
        return self in (Fate.SLEEPS_BEFORE, Fate.SLEEPS_AFTER)


HOLDS = (Fate.HELD_BEFORE, Fate.HELD_AFTER, Fate.SLEEPS_BEFORE, Fate.SLEEPS_AFTER)


@dataclass(frozen=True, slots=True)
class Fault:
    """``fate`` meets the call that comes after ``skipped`` others; of those that change something.

    With ``reads_too`` every call counts.
    """

    fate: Fate
    skipped: int
    reads_too: bool = False

    def concerns(self, call: str) -> bool:
        """True if the call counts."""
        return self.reads_too or call in CHANGES
