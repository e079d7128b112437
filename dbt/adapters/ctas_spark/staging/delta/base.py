"""A Delta target at one moment."""

from dataclasses import dataclass
from itertools import islice

from dbt.adapters.ctas_spark.staging.context import DELTA, TableName
from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts, TableFacts
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.tables import DeltaTables, LoadedTable
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Marker

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
    return _base(tables, table, entry) if table else DeltaBase(None)


def _base(tables: DeltaTables, table: LoadedTable, entry: TableEntry) -> DeltaBase:
    newest = _newest_word(tables, table)
    if newest is not None and newest.marker is not None:
        ours = newest.marker
        return DeltaBase(table, "", ours.version or None, ours.level or None, ours.commit)
    created = Marker.of(entry)
    if newest is not None or created is None:
        return DeltaBase(table)
    return DeltaBase(table, "", created.version, created.level, created.commit)


def last_marker(tables: DeltaTables, table: LoadedTable) -> CommitMarker | None:
    """The marker of the version that the table shows; a fence's names the one that it left."""
    newest = _newest_word(tables, table)
    return newest.marker if newest else None


def _newest_word(tables: DeltaTables, table: LoadedTable) -> CommitFacts | None:
    """The newest commit that says whose version the table shows: ours, or another's replace."""
    newest = islice(tables.commits(table), LOOKED_BACK)
    return next((one for one in newest if one.marker or one.ends_our_version), None)
