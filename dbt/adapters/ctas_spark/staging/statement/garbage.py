"""What attempts have left staged in a catalog that publishes by statement.

A publication copies the rows of what was staged, so nothing published ever needs it, and age alone
decides: a writer that is alive all the same finds its staged table gone, and publishes nothing.
"""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.retention.rules import KnownVersion, Place, Reason
from dbt.adapters.ctas_spark.staging.statement.base import TableFacts
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables
from dbt.adapters.ctas_spark.staging.statement.version import (
    STAGED_AS,
    STAGED_FOR,
    staged_name,
)
from dbt.adapters.ctas_spark.staging.version_id import VERSION_ID, started_ms


@dataclass(frozen=True, slots=True)
class StatementGarbage:
    """A ``Garbage``: the staged tables of one target, whoever made them."""

    context: StagingContext
    tables: SqlTables

    @property
    def target(self) -> TableName:
        return self.context.target

    def versions(self) -> tuple[KnownVersion, ...]:
        """Every table that says of itself that it was staged for the target under this name."""
        schema = self.context.staging_schema
        if not self.tables.has_namespace(schema):
            return ()
        names = (name.table for name in self.tables.tables(schema))
        ids = (name.rpartition("__")[2] for name in names if self._is_named_for(name))
        found = ((version, self._find(version)) for version in ids)
        return tuple(
            KnownVersion(
                version,
                Place.UNPUBLISHED,
                str(staged_name(self.context, version)),
                handle=facts.written_ms,
            )
            for version, facts in found
            if facts is not None
        )

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:  # noqa: ARG002
        """No staged table was ever published."""
        return 0

    def age_ms(self, version: KnownVersion) -> int:
        """By its id's start and, where SQL tells it, by the time of its last commit."""
        written = version.handle if isinstance(version.handle, int) else 0
        return self.tables.driver.now_ms() - max(started_ms(version.id), written)

    def may_land(self, version: KnownVersion) -> bool:  # noqa: ARG002 (of none)
        """False: its writer would find the staged table gone, and publish nothing."""
        return False

    def fence(self) -> None:
        """Nothing has to be kept from landing."""

    def take(self, version: KnownVersion) -> bool:
        """Look at it once more: the drop itself takes it."""
        return self._find(version.id) is not None

    def reason_shown(self, version: KnownVersion) -> Reason | None:  # noqa: ARG002 (of none)
        """No target shows a staged table: it has a copy."""
        return None

    def give_back(self, version: KnownVersion) -> None:
        """Nothing was taken from the target."""

    def delete_files(self, version: KnownVersion) -> bool:  # noqa: ARG002 (with the record)
        """They go with the table."""
        return True

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the staged table, with its files where the catalog can."""
        self.tables.drop(staged_name(self.context, version.id))

    def _is_named_for(self, table: str) -> bool:
        version = table.rpartition("__")[2]
        named = table == staged_name(self.context, version).table
        return named and VERSION_ID.fullmatch(version) is not None

    def _find(self, version: str) -> TableFacts | None:
        """The staged table, if it is what its name says; forks of Iceberg's are named alike."""
        facts = self.tables.find(staged_name(self.context, version))
        own = {STAGED_FOR: str(self.context.target), STAGED_AS: version}
        return facts if facts is not None and own.items() <= facts.properties.items() else None
