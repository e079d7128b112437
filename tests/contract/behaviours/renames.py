"""Partition keys that change are more than one call."""

import pytest

from contract.behaviours.registry import ATOMIC, FILES, ISOLATED, REPLACING, Layouts, behaviour
from contract.contents import LAYOUTS
from contract.subjects import Subject
from dbt.adapters.ctas_spark.staging.errors import AtomicityNotSupportedError, ConcurrentWriteError
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome


@behaviour(REPLACING, levels=ATOMIC, layouts=Layouts.ONE, tables=FILES)
def changes_partition_keys_by_rename(subject: Subject) -> None:
    """Readers see the old version, no table, or the new one, and nothing is left set aside."""
    old = subject.published(1).content.whole
    partitioned = subject.in_layout(LAYOUTS["partitioned"])
    ours = partitioned.ready(2)
    with partitioned.moments() as seen:
        ours.finish()
    assert ours.staged.outcome is Outcome.COMMITTED
    assert ours.staged.strategy.name == "rename"
    assert set(seen) == {old, None, ours.content.whole}
    assert partitioned.sight() == ours.content.whole
    assert [name for name in subject.place.records() if "aside" in name] == []


@behaviour(REPLACING, levels=ATOMIC, layouts=Layouts.ONE, tables=FILES)
def changes_partition_keys_back(subject: Subject) -> None:
    """A partitioned table becomes one without partitions, and is read as such."""
    partitioned = subject.in_layout(LAYOUTS["partitioned"])
    partitioned.published(1)
    ours = subject.published(2)
    assert subject.sight() == ours.content.whole


@behaviour(REPLACING, levels=ATOMIC, layouts=Layouts.ONE, tables=FILES)
def takes_over_a_plain_table_of_other_keys(subject: Subject) -> None:
    """A managed table's data stays where it is when its entry is set aside."""
    subject.place.others.plain(subject.table, "parquet", 1)
    before = subject.existing().directory
    files = subject.place.files(before)
    partitioned = subject.in_layout(LAYOUTS["partitioned"])
    ours = partitioned.ready(2).finish()
    assert partitioned.sight() == ours.content.whole
    assert subject.place.files(before) == files


@behaviour(REPLACING, levels=ATOMIC, layouts=Layouts.ONE, tables=FILES)
def renames_no_rival_away(subject: Subject) -> None:
    """A rival's commit before the rename is a conflict, and stays."""
    subject.published(1)
    theirs = subject.rival(3)
    ours = subject.in_layout(LAYOUTS["partitioned"]).ready(2)
    subject.place.others.commit(theirs)
    with pytest.raises(ConcurrentWriteError, match=theirs):
        ours.finish()
    ours.staged.abort("conflict")
    assert subject.sight() == subject.content(3).whole
    assert subject.left_of(ours) == []


@behaviour(REPLACING, levels=ISOLATED, layouts=Layouts.ONE, tables=FILES)
def refuses_other_partition_keys_at_isolated(subject: Subject) -> None:
    """isolated by name is refused before the job, with that reason."""
    subject.published(1)
    before = subject.existing()
    ours = subject.in_layout(LAYOUTS["partitioned"]).attempt(2)
    with pytest.raises(AtomicityNotSupportedError, match="partition keys change"):
        ours.staged.begin()
    ours.staged.abort("refused")
    assert subject.existing() == before
