"""Partitions follow the version, whoever keeps them."""

import pytest

from contract.behaviours.registry import (
    ATOMIC,
    DEFAULT,
    FILES,
    REPLACING,
    TRACKED,
    UNLOCKED,
    WHOLE,
    Layouts,
    behaviour,
)
from contract.contents import Sight, ordered
from contract.places import UnreadableError, tracks
from contract.subjects import Attempt, Subject
from ctas_spark.context import OnConflict
from ctas_spark.files.base import PARTITION_HOLDER
from ctas_spark.steps import Step, observe

P = Layouts.PARTITIONED


@behaviour(REPLACING, levels=WHOLE, layouts=P, tables=FILES)
def shows_the_partitions_of_the_version_alone(subject: Subject) -> None:
    """SHOW PARTITIONS has exactly the last version's where they are tracked, else it is refused."""
    subject.published(1)
    ours = subject.ready(2).finish()
    _shows(subject, ours, tracked=subject.tracked)


@behaviour(REPLACING, levels=WHOLE, layouts=P, tables=FILES)
def moves_the_partitions_that_stay(subject: Subject) -> None:
    """Those of the old version's values lead to the new version, and no reader needs the old."""
    subject.published(1)
    ours = subject.published(1)
    swept = subject.clean_up()
    assert len(swept.freed) == 1
    _shows(subject, ours, tracked=subject.tracked)


@behaviour(DEFAULT, levels=WHOLE, layouts=P, tables=FILES)
def takes_the_partitions_of_a_plain_table_away(subject: Subject) -> None:
    """Nothing is left of the partitions of a table that was taken over."""
    subject.place.others.plain(subject.table, subject.layout.name, 1)
    ours = subject.ready(2).finish()
    tracked = tracks(subject.place.claim, subject.level, subject.layout, over_tracked=True)
    _shows(subject, ours, tracked=tracked)


@behaviour(DEFAULT, levels=WHOLE, layouts=P)
def takes_an_insert_right_after(subject: Subject) -> None:
    """Rows inserted right after the publication are read with the version's own."""
    ours = subject.published(1)
    subject.place.others.insert(subject.table, subject.layout.name, 1)
    sight = subject.sight()
    assert sight is not None
    assert sight.rows == ordered([*ours.content.rows, *ours.content.rows])


# Without a lock the old entries stay, and docs/configuration.md warns of MSCK REPAIR.
@behaviour(DEFAULT, levels=WHOLE, layouts=P, tables=TRACKED)
def is_repaired_right_after(subject: Subject) -> None:
    """MSCK REPAIR TABLE right after a publication brings back nothing of an older version."""
    subject.published(1)
    ours = subject.published(2)
    subject.place.others.repair(subject.table)
    assert subject.sight() == ours.content.whole


@behaviour(DEFAULT, levels=WHOLE, checks=UNLOCKED, layouts=P, tables=FILES)
def leaves_no_mix_to_a_rival(subject: Subject) -> None:
    """A rival that publishes at any moment of the bookkeeping has its own partitions alone."""
    subject.published(1)
    theirs = subject.rival(3, OnConflict.OVERWRITE)
    ours = subject.ready(2)
    ours.staged.commit()
    seen: list[Sight | None] = []

    def commit_theirs(call: str) -> None:
        if call == "after drop_partitions" and not seen:
            subject.place.others.publish(theirs)
            seen.append(subject.sight())

    with subject.around_calls(commit_theirs):
        ours.staged.settle()
    if not seen:
        subject.place.others.publish(theirs)
    assert subject.sight() == subject.content(3).whole
    subject.place.others.settle(theirs)
    assert subject.sight() == subject.content(3).whole
    assert set(seen) <= {subject.content(3).whole}


class CrashError(Exception):
    """The process ended here."""


class Crash:
    """Ends the process as a step begins."""

    def __init__(self, step: Step) -> None:
        self._step = step

    def entered(self, step: Step, target: object) -> None:  # noqa: ARG002 (the seam's shape)
        if step is self._step:
            raise CrashError

    def left(self, step: Step, target: object) -> None:
        """Nothing."""


@behaviour(DEFAULT, levels=ATOMIC, layouts=P, tables=TRACKED)
def repairs_what_a_crash_left(subject: Subject) -> None:
    """Whichever step of the bookkeeping a crash falls into, the next begin finishes it.

    Where a lock can run out, it does so once nobody that lost one can wake up any more.
    """
    subject.published(1)
    steps = (Step.DROP_PARTITIONS, Step.ADD_PARTITIONS, Step.TRACK_PARTITIONS)
    for number, step in enumerate(steps if subject.tracked else (), start=2):
        ours = subject.ready(number)
        ours.staged.commit()
        with observe(Crash(step)), pytest.raises(CrashError):
            ours.staged.settle()
        assert subject.sight() == ours.content.whole
        subject.place.grow_old()
        after = subject.begun(number + 1)
        after.staged.abort("it only had to begin")
        waits = PARTITION_HOLDER in subject.existing().parameters
        _shows(subject, ours, tracked=subject.tracked and not waits)
        if waits:  # nor does the next one begin its bookkeeping, for a day and a half
            assert not subject.place.orphan_age_ms, "its clock was turned on"
            return


def _shows(subject: Subject, ours: Attempt, *, tracked: bool) -> None:
    if tracked:
        shown = subject.place.others.show_partitions(subject.table)
        assert len(shown) == len(ours.content.partitions)
        assert all(f"p {ours.content.number}" in partition for partition in shown)
    else:
        with pytest.raises(UnreadableError):
            subject.place.others.show_partitions(subject.table)
    assert subject.sight() == ours.content.whole
