"""A Delta target at one moment."""

from dataclasses import dataclass
from itertools import islice

from dbt.adapters.ctas_spark.staging.context import DELTA, TableName
from dbt.adapters.ctas_spark.staging.delta.facts import TableFacts
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.marker import Marker
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry

PROVIDER = "spark.sql.sources.provider"
LOOKED_BACK = 100
"""How many commits a build reads to name versions of ours, which only messages need."""


@dataclass(frozen=True, slots=True)
class DeltaBase:
    """The table, or what is there instead of one, or nothing.

    ``version``, ``level`` and ``commit`` are those of the last publication of ours: by the table's
    history, or by its entry, where it was created by us and not published again.
    """

    table: LoadedTable | None
    obstacle: str = ""
    version: str | None = None
    level: str | None = None
    commit: str = ""

    @property
    def exists(self) -> bool:
        """True if the name is taken."""
        return self.table is not None or bool(self.obstacle)

    @property
    def facts(self) -> TableFacts | None:
        """What its log says."""
        return self.table.facts if self.table else None

    def __str__(self) -> str:
        return f"{DELTA}:{self.facts.id}:{self.facts.number}" if self.facts else "absent"


def is_delta(entry: TableEntry | None) -> bool:
    """True for the entry of a Delta table."""
    return entry is not None and entry.parameters.get(PROVIDER, "").lower() == DELTA


def look(tables: DeltaTables, metastore: MetastoreClient, name: TableName) -> DeltaBase:
    """Read the target afresh.

    Raises:
        MetastoreError: it could not be found out what is there.
    """
    entry = metastore.get_table(name)
    if entry is None:
        return DeltaBase(None)
    if not is_delta(entry):
        kind = "a view" if entry.is_view else "a table that is not Delta's"
        return DeltaBase(None, kind)
    table = tables.find(name)
    if table is None:
        return DeltaBase(None)
    ours = last_marker(tables, table)
    if ours is not None:
        return DeltaBase(table, "", ours.version or None, ours.level or None, ours.commit)
    created = Marker.of(entry)
    if created is None:
        return DeltaBase(table)
    return DeltaBase(table, "", created.version, created.level, created.commit)


def last_marker(tables: DeltaTables, table: LoadedTable) -> CommitMarker | None:
    """The newest marker in the table's history; a fence's names the version that it left."""
    newest = islice(tables.commits(table), LOOKED_BACK)
    return next((commit.marker for commit in newest if commit.marker is not None), None)
