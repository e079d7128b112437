"""Ways to break the product that the contract has to notice."""

from collections.abc import Callable
from typing import Any

import pytest

from contract.subjects import Subject
from ctas_spark.files import version
from ctas_spark.files.base import PARTITION_PROVIDER
from ctas_spark.files.directories import VersionRoots
from ctas_spark.files.garbage import FileGarbage
from ctas_spark.files.publication import MetastoreCall
from ctas_spark.files.showing import Showing
from ctas_spark.files.version import FileVersion
from ctas_spark.metastore.client import EntryChange
from ctas_spark.publish.marker import COMMIT
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.publish.version import Change

Sabotage = Callable[[Subject, pytest.MonkeyPatch], None]


def drop_and_create(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """The target is dropped, then created again."""

    def alter(self: MetastoreCall) -> None:
        metastore, change = self.table.metastore, self.change()
        metastore.drop_entry(change.target)
        metastore.create_table(change)

    patch.setattr(MetastoreCall, "_alter", alter)


def no_base_check(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Neither is the base compared, nor does the call expect it."""

    def alter(self: MetastoreCall) -> None:
        self.table.metastore.alter_table(self.change(), None)

    patch.setattr(FileVersion, "change", lambda _self, _begun, _now: Change.NONE)
    patch.setattr(MetastoreCall, "_alter", alter)


def stale_partitions(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Spark goes on taking the partitions from the metastore, which has the old version's."""
    change = MetastoreCall.change

    def tracked(self: MetastoreCall) -> EntryChange:
        made = change(self)
        return EntryChange(
            made.target,
            made.staged,
            made.base,
            {**made.parameters, PARTITION_PROVIDER: "catalog"},
            columns=made.columns,
            keeps_partition_keys=made.keeps_partition_keys,
        )

    patch.setattr(MetastoreCall, "change", tracked)


def clean_up_before_the_commit(subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """The old version's files are removed, then the new one is published."""
    commit = StagedTable.commit

    def clean_up_and_commit(self: StagedTable[Any]) -> None:
        if self.base.entry is not None and self.base.entry.location is not None:
            subject.place.remove(self.base.entry.location)
        commit(self)

    patch.setattr(StagedTable, "commit", clean_up_and_commit)


def marker_seeded_at_begin(subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Begin writes a commit id on the target, to have something to compare."""
    prepare = StagedTable.prepare

    def prepare_and_seed(self: StagedTable[Any]) -> None:
        prepare(self)
        if subject.entry() is not None:
            subject.place.others.set_property(subject.table, COMMIT, "seeded")

    patch.setattr(StagedTable, "prepare", prepare_and_seed)


def nobody_counts_the_files(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """What is published is not looked at before."""
    patch.setattr(version, "what_is_wrong", lambda *_facts: "")


def foreign_records_are_believed(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """A clean-up deletes where a record says, whoever wrote it."""
    patch.setattr(VersionRoots, "owns", lambda _self, _root, _target: True)
    patch.setattr(VersionRoots, "may_delete", lambda _self, _root: True)


def age_alone_decides(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes what is old, though its writer's call would be let through."""
    patch.setattr(FileGarbage, "may_land", lambda _self, _version: False)
    patch.setattr(Showing, "_lets_land", lambda *_facts: False)


def nobody_looks_again(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """A clean-up deletes by what it saw of the target before it took the record."""
    patch.setattr(Showing, "of", lambda *_facts: {})
