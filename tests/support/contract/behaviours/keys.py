"""Partition keys and types that no metastore changes by itself are published by one call, too."""

import pytest

from contract.behaviours.registry import (
    ATOMIC,
    FILES,
    REPLACING,
    TRACKED,
    WHOLE,
    Layouts,
    behaviour,
)
from contract.contents import LAYOUTS, Layout
from contract.subjects import Subject, changes
from ctas_spark.errors import ConcurrentWriteError, NotSupportedError


@behaviour(REPLACING, levels=WHOLE, layouts=Layouts.UNTRACKED)
def changes_partition_keys_in_one_step(subject: Subject) -> None:
    """A reader sees the old version with its keys, then the new one with others, and no mix."""
    old = subject.in_layout(_other_keys(subject)).published(1).content.whole
    ours = subject.ready(2)
    with subject.moments() as seen:
        ours.finish()
    assert changes(seen) == [old, ours.content.whole]
    assert subject.sight() == ours.content.whole


@behaviour(REPLACING, levels=WHOLE, layouts=Layouts.TURNS, tables=FILES)
def changes_types_in_one_step(subject: Subject) -> None:
    """Types that a server refuses at old positions change in one step, too.

    Other engines' columns are there at the end.
    """
    old = subject.published(2).content.whole
    ours = subject.ready(3)
    with subject.moments() as seen:
        ours.finish()
    assert changes(seen) == [old, ours.content.whole]
    found = file_columns(subject)
    assert found == ("v", "n", "c_3")


@behaviour(REPLACING, levels=WHOLE, layouts=Layouts.UNTRACKED, tables=FILES)
def takes_over_a_plain_table_of_other_keys(subject: Subject) -> None:
    """A managed table's data stays where it is when a version of other keys replaces it."""
    other = _other_keys(subject)
    subject.place.others.plain(subject.table, other.name, 1)
    before = subject.existing().directory
    old, files = subject.in_layout(other).sight(), subject.place.files(before)
    ours = subject.ready(2)
    with subject.moments() as seen:
        ours.finish()
    assert changes(seen) == [old, ours.content.whole]
    assert subject.place.files(before) == files


@behaviour(REPLACING, levels=WHOLE, layouts=Layouts.ONE, tables=FILES)
def publishes_other_keys_over_no_rival(subject: Subject) -> None:
    """A rival's commit before the call is a conflict, and stays."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.in_layout(_other_keys(subject)).ready(2)
    subject.place.others.commit(theirs)
    with pytest.raises(ConcurrentWriteError, match=theirs):
        ours.finish()
    ours.staged.abort("conflict")
    assert subject.sight() == subject.content(3).whole
    assert subject.left_of(ours) == []


@behaviour(REPLACING, levels=ATOMIC, layouts=Layouts.ONE, tables=TRACKED)
def refuses_other_keys_where_partitions_are_tracked(subject: Subject) -> None:
    """With tracked partitions other keys are refused before the job, and the ways out are named."""
    subject.published(1)
    before, records = subject.existing(), subject.place.records()
    with pytest.raises(NotSupportedError, match=r"files.*drop the table first"):
        subject.in_layout(LAYOUTS["tracked"]).begun(2)
    assert subject.existing() == before
    assert subject.place.records() == records


def file_columns(subject: Subject) -> tuple[str, ...]:
    """The columns that other engines read."""
    return subject.existing().hive_columns


def _other_keys(subject: Subject) -> Layout:
    """A layout of the claim's whose keys differ from the subject's."""
    native = subject.place.claim.native_format
    plain, partitioned = (native, f"{native}_partitioned") if native else ("parquet", "partitioned")
    return LAYOUTS[plain if subject.layout.partition_by else partitioned]
