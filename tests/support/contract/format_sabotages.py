"""Ways to break what formats publish and clean up that the contract has to notice."""

from collections.abc import Iterator

import pytest

from contract.subjects import Subject
from ctas_spark.context import TableName
from ctas_spark.delta import record as records
from ctas_spark.delta import transaction
from ctas_spark.delta.base import DeltaBase, DeltaTable
from ctas_spark.delta.garbage import DeltaGarbage
from ctas_spark.delta.record import DeltaRecord
from ctas_spark.delta.version import DeltaVersion
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.branches import ByBranch
from ctas_spark.iceberg.by_fork import ByFork
from ctas_spark.iceberg.fork import Fork
from ctas_spark.iceberg.garbage import IcebergGarbage
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.metastore.client import EntryChange
from ctas_spark.publish.marker import name_of_record, record_prefix
from ctas_spark.publish.version import Change
from ctas_spark.statement.base import StatementBase, TableFacts
from ctas_spark.statement.by_copy import ByCopy
from ctas_spark.statement.garbage import StatementGarbage
from ctas_spark.statement.version import StatementVersion


def native_drop_and_create(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """For a moment there is no entry of the target's name."""
    publish_iceberg, publish_delta = IcebergVersion.publish, DeltaVersion.publish
    publish_copy = ByCopy.publish

    def of_iceberg(self: IcebergVersion, over: IcebergBase) -> None:
        if over.exists:
            self._services.tables.drop_entry(self._context.target)
        publish_iceberg(self, self.look())

    def of_delta(self: DeltaVersion, over: DeltaBase) -> None:
        publish_delta(self, over)
        target, metastore = self._table.name, self._table.services.metastore
        entry = self._table.entry()
        assert entry is not None
        metastore.drop_entry(target)
        metastore.create_table(EntryChange(target, entry, entry, dict(entry.parameters)))

    def of_a_copy(self: ByCopy, over: StatementBase) -> None:
        if over.exists:
            self._tables.drop(self._context.target)
        publish_copy(self, self._tables.look(self._context.target))

    patch.setattr(ByCopy, "publish", of_a_copy)
    patch.setattr(IcebergVersion, "publish", of_iceberg)
    patch.setattr(DeltaVersion, "publish", of_delta)


def native_no_base_check(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """Whatever another committed since begin is taken for the base."""
    publish_iceberg, publish_delta = IcebergVersion.publish, transaction.publish
    mark_iceberg = IcebergVersion.mark
    patch.setattr(
        IcebergVersion, "mark", lambda self, _over, level: mark_iceberg(self, self.look(), level)
    )
    patch.setattr(IcebergVersion, "publish", lambda self, _over: publish_iceberg(self, self.look()))
    patch.setattr(
        transaction,
        "publish",
        lambda tables, table, *rest: publish_delta(tables, tables.at(table.facts.root), *rest),
    )
    patch.setattr(DeltaVersion, "_check_still", lambda _self, _table: None)
    for version in (IcebergVersion, DeltaVersion, StatementVersion):
        patch.setattr(version, "change", lambda _self, _begun, _now: Change.NONE)


def native_files_are_not_looked_for(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """What is published is not looked at before."""
    patch.setattr(ByFork, "_check_files", lambda _self, _figures: None)
    patch.setattr(ByBranch, "_open_files", lambda _self: 0)
    patch.setattr(DeltaVersion, "_check_whole", lambda _self, _files: None)


def native_foreign_records_are_believed(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes what has the target's name in the staging schema, whoever staged it."""

    def of_iceberg(self: IcebergGarbage) -> Iterator[tuple[TableName, Fork]]:
        prefix = record_prefix(self.target)
        for name in self.services.tables.tables(self.context.staging_schema):
            found = self.services.tables.find(name) if name.table.startswith(prefix) else None
            if found is not None:
                yield name, Fork(name, found)

    def of_delta(table: DeltaTable) -> tuple[DeltaRecord, ...]:
        metastore, schema = table.services.metastore, table.context.staging_schema
        names = metastore.tables(schema, record_prefix(table.name))
        found = map(DeltaRecord.of, map(metastore.get_table, names))
        return tuple(one for one in found if one is not None)

    def of_a_copy(self: StatementGarbage, version: str) -> TableFacts | None:
        return self.tables.find(
            name_of_record(self.context.staging_schema, self.context.target, version)
        )

    patch.setattr(IcebergGarbage, "_forks", of_iceberg)
    patch.setattr(records, "records_of", of_delta)
    patch.setattr(StatementGarbage, "_find", of_a_copy)


def native_nobody_looks_again(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """A clean-up deletes by what it saw of the target before it took the record."""
    for garbage in (IcebergGarbage, DeltaGarbage):
        patch.setattr(garbage, "reason_shown", lambda _self, _version: None)


def native_age_alone_decides(_subject: Subject, patch: pytest.MonkeyPatch) -> None:
    """A clean-up takes what is old, though its writer's commit would be let through."""
    for garbage in (IcebergGarbage, DeltaGarbage):
        patch.setattr(garbage, "may_land", lambda _self, _version: False)
