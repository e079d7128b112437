"""What publications need of a metastore's tables: a few calls, the same for every client."""

from dataclasses import dataclass
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry

PROBE = "ctas_spark_probe"
"""The property of a scratch entry on which compare-and-swap is tried."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The precondition of a conditional call: a parameter and the value it must have.

    Source: HIVE-26882 (``expected_parameter_key``, ``expected_parameter_value``).
    """

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One new state of an entry: the fields of ``staged`` under another name.

    Owner, creation time and privileges come from ``base``, where there is one; with
    ``columns_of_base`` the columns that other engines read stay the base's, too (Spark reads its
    own schema from the parameters).
    """

    target: TableName
    staged: TableEntry
    base: TableEntry | None
    parameters: dict[str, str]
    columns_of_base: bool = False

    @property
    def keeps_columns(self) -> bool:
        """True if ``columns_of_base`` can be followed: a view's columns are no table's."""
        return self.columns_of_base and self.base is not None and not self.base.is_view


class MetastoreClient(Protocol):
    """A metastore. Every call raises MetastoreError, or RefusedError when it was refused."""

    def get_table(self, name: TableName) -> TableEntry | None:
        """The entry, or None when the metastore says that there is none."""

    def database_location(self, database: str) -> str | None:
        """The URI of the database's directory, or None when there is no such database."""

    def create_table(self, change: EntryChange) -> None:
        """Create the entry; EntryExistsError when it is there."""

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """Replace the whole entry in one call; EntryModifiedError when ``expected`` is not met."""

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        """The same for an entry that was called ``was``: EntryExistsError if the name is taken.

        The entry is external, or it becomes so by an earlier call: a managed one's data would move.
        """

    def drop_entry(self, name: TableName) -> None:
        """Remove the entry and leave its data; no error when there is none."""

    def drop_column_statistics(self, name: TableName) -> None:
        """Remove what the metastore keeps of the columns' values; no error when it has none."""

    def databases(self) -> tuple[str, ...]:
        """The databases that this user may list."""

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        """The tables and views whose name begins with ``prefix``; none without the database."""

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        """The tables and views of which ``parameter`` is ``value``."""

    def scratch_entry(self, name: TableName) -> TableEntry:
        """A view of that name which is nowhere yet: an entry without a directory, to create."""

    def compares_and_swaps(self, database: str) -> bool:
        """True if the server honours an Expectation; tried on a scratch entry in ``database``."""
