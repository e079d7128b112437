"""Five ways to break the product that the contract has to notice."""

from collections.abc import Callable

import pytest

from contract.subjects import Subject
from dbt.adapters.ctas_spark.staging.files import publication
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.commits.swap import Swap
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT
from dbt.adapters.ctas_spark.staging.steps import StepReport

Sabotage = Callable[[Subject, pytest.MonkeyPatch], None]


def drop_and_create(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """The target is dropped, then created anew."""

    def publish(
        _self: Swap, metastore: MetastoreClient, ours: Publication, _report: StepReport
    ) -> None:
        metastore.drop_entry(ours.change.target)
        metastore.create_table(ours.change)

    patch.setattr(Swap, "publish", publish)


def no_base_check(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Neither is the base compared, nor does the call expect it."""

    def publish(
        _self: Swap, metastore: MetastoreClient, ours: Publication, _report: StepReport
    ) -> None:
        metastore.alter_table(ours.change, None)

    patch.setattr(Base, "is_still", lambda _self, _entry: True)
    patch.setattr(Swap, "publish", publish)


def stale_partitions(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Spark goes on taking the partitions from the metastore, which has the old version's."""
    build = publication.build

    def tracked(**facts: object) -> Publication:
        ours = build(**facts)  # type: ignore[arg-type]
        ours.change.parameters[publication.PARTITION_PROVIDER] = "catalog"
        return ours

    patch.setattr(publication, "build", tracked)


def clean_up_before_the_commit(subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """The old version's files are removed, then the new one is published."""
    commit = StagedFileTable.commit

    def clean_up_and_commit(self: StagedFileTable) -> None:
        if self.base.entry is not None and self.base.entry.location is not None:
            subject.place.remove(self.base.entry.location)
        commit(self)

    patch.setattr(StagedFileTable, "commit", clean_up_and_commit)


def marker_seeded_at_begin(subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Begin writes a commit id on the target, to have something to compare."""
    begin = StagedFileTable.begin

    def begin_and_seed(self: StagedFileTable) -> None:
        begin(self)
        entry = self.base.entry
        if entry is not None:
            seeded = {**entry.parameters, COMMIT: "seeded"}
            subject.run.metastore.alter_table(EntryChange(self.target, entry, entry, seeded), None)

    patch.setattr(StagedFileTable, "begin", begin_and_seed)
