"""An Iceberg target at one moment."""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import RefusedError
from dbt.adapters.ctas_spark.staging.iceberg.calls import NotIcebergError
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.publications import live
from dbt.adapters.ctas_spark.staging.iceberg.tables import IcebergTables, LoadedTable

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class IcebergBase:
    """The table, or what is there instead of one, or nothing."""

    table: LoadedTable | None
    obstacle: str = ""

    @property
    def exists(self) -> bool:
        """True if the name is taken."""
        return self.table is not None or bool(self.obstacle)

    @property
    def facts(self) -> TableFacts | None:
        """What its metadata says."""
        return self.table.facts if self.table else None

    @property
    def version(self) -> str | None:
        """The version of ours that it comes from."""
        found = live(self.facts) if self.facts else None
        return found.marker.version or None if found else None

    @property
    def level(self) -> str | None:
        """The level of the publication that it comes from."""
        found = live(self.facts) if self.facts else None
        return found.marker.level or None if found else None

    @property
    def commit(self) -> str:
        """The commit id that it comes from, or empty."""
        found = live(self.facts) if self.facts else None
        return found.marker.commit if found else ""

    def __str__(self) -> str:
        if self.facts is None:
            return ABSENT
        return f"{self.facts.uuid} {self.facts.main} {self.facts.metadata_location}"


def look(tables: IcebergTables, name: TableName) -> IcebergBase:
    """Read the target afresh.

    Raises:
        MetastoreError: it could not be found out what is there.
    """
    try:
        table = tables.find(name)
    except NotIcebergError:
        return IcebergBase(None, "a table or view that is not Iceberg's")
    if table is None and tables.has_view(name):
        return IcebergBase(None, "a view")
    return IcebergBase(table)


def loaded(base: IcebergBase) -> LoadedTable:
    """The table of a base that is one."""
    if base.table is None:
        raise RefusedError("there is no table to commit to")
    return base.table
