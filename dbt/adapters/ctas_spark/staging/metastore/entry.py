"""One table's entry in a metastore, as it was at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.context import TableName

VIEW = "VIRTUAL_VIEW"
MANAGED = "MANAGED_TABLE"
PROVIDER = "spark.sql.sources.provider"
PARTITION_COLUMN = "spark.sql.sources.schema.partCol."
PARTITION_COLUMN_COUNT = "spark.sql.sources.schema.numPartCols"

Column = tuple[str, str] | tuple[str, str, str]
"""Name and type, and a comment where there is one."""
PLACEHOLDER: Column = ("col", "array<string>", "from deserializer")
"""What Spark puts into ``sd.cols`` of a table whose columns Hive can't read."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """What the metastore holds of a table.

    ``location`` is the serde's ``path`` where there is one: a metastore without the jars of an
    object store keeps a placeholder in ``sd.location``. ``columns`` and ``partition_keys`` are
    Hive's own. ``comments`` are those of ``columns``, by name. ``raw`` is the client's own object,
    which loses nothing. The last two take no part in comparisons.
    """

    name: TableName
    table_type: str
    location: str | None
    columns: tuple[tuple[str, str], ...]
    partition_keys: tuple[str, ...]
    create_time: int
    parameters: Mapping[str, str]
    raw: object = field(compare=False, repr=False)
    comments: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_view(self) -> bool:
        """True for a view, which has no data of its own."""
        return self.table_type == VIEW

    @property
    def is_managed(self) -> bool:
        """True for a table whose data goes with it when it is dropped, and moves when renamed."""
        return self.table_type == MANAGED

    @property
    def described_columns(self) -> tuple[Column, ...]:
        """Hive's columns with their comments, as a change can carry them."""
        return tuple(
            (name, kind, self.comments[name]) if name in self.comments else (name, kind)
            for name, kind in self.columns
        )

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The columns by which Spark takes the table to be partitioned.

        A data source table has them in its parameters, and may have other Hive keys beside them.
        Any other table has Hive's.
        """
        count = self.parameters.get(PARTITION_COLUMN_COUNT)
        if count is None:
            return () if PROVIDER in self.parameters else self.partition_keys
        return tuple(self.parameters[f"{PARTITION_COLUMN}{at}"] for at in range(int(count)))

    @property
    def last_ddl_time(self) -> int | None:
        """Seconds since the epoch, by the metastore's clock; None where it is not kept."""
        value = self.parameters.get("transient_lastDdlTime")
        return int(value) if value and value.isdecimal() else None

    @property
    def directory_name(self) -> str | None:
        """The last component of the location."""
        return self.location.rstrip("/").rsplit("/", 1)[-1] if self.location else None
