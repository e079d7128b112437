"""What each version of a table holds, so that any mix of two versions is visible.

Version ``v`` names itself in its rows, in its partition values, in the name of its last column and
in a property; column ``n`` changes its type with each version. In a steady layout the columns stay.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ctas_spark.context import (
    Atomicity,
    OnConflict,
    PartitionMetadata,
    StagingContext,
    StagingPurpose,
    TableLayout,
    TableName,
)

Column = tuple[str, str]
TEAM = "team"
DATABASE = "database"
"""The format of a table in a database, which no statement names."""
UNNAMED = "parquet"
"""What stands in a layout whose format is the catalog's."""
NATIVE_FORMATS = ("iceberg", "delta", DATABASE)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the versions of one table are laid out; the formats take turns.

    ``steady``: all versions have the same columns. ``rows_only``: and the same properties.
    """

    name: str
    formats: tuple[str, ...]
    partition_by: tuple[str, ...] = ()
    partition_metadata: PartitionMetadata = PartitionMetadata.AUTO
    steady: bool = False
    rows_only: bool = False

    @property
    def native_format(self) -> str | None:
        """Its format, if tables of that commit by themselves."""
        return self.formats[0] if self.formats[0] in NATIVE_FORMATS else None


LAYOUTS: Mapping[str, Layout] = {
    layout.name: layout
    for layout in (
        Layout("parquet", ("parquet",)),
        Layout("orc", ("orc",)),
        Layout("partitioned", ("parquet",), ("k",)),
        Layout("listed", ("parquet",), ("k",), PartitionMetadata.FILES),
        Layout("tracked", ("parquet",), ("k",), PartitionMetadata.TRACKED),
        Layout("changing", ("parquet", "orc"), ("k",)),
        Layout("iceberg", ("iceberg",)),
        Layout("iceberg_partitioned", ("iceberg",), ("k",)),
        Layout("delta", ("delta",)),
        Layout("delta_partitioned", ("delta",), ("k",)),
        Layout(DATABASE, (DATABASE,), steady=True, rows_only=True),
    )
}


def layouts_of(native_format: str | None) -> tuple[str, ...]:
    """The layouts of a format that commits by itself, the plain one first; or those of files."""
    return tuple(name for name, layout in LAYOUTS.items() if layout.native_format == native_format)


STEADY = Layout("steady", ("parquet",), steady=True)
ROWS = Layout("rows", ("iceberg",), ("k",), steady=True, rows_only=True)
"""Of no matrix: what a behaviour asks for that is about such tables."""
NAMED: Mapping[str, Layout] = {**LAYOUTS, STEADY.name: STEADY, ROWS.name: ROWS}


@dataclass(frozen=True, slots=True)
class Sight:
    """A table as somebody outside sees it: all of this has to be of one version."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    partitions: tuple[str, ...]
    file_format: str | None
    team: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """One version of a table of one layout."""

    number: int
    layout: Layout

    @property
    def file_format(self) -> str:
        """The format of this version's files."""
        return self.layout.formats[self.number % len(self.layout.formats)]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Names and Spark types; partition keys come last."""
        own = ("v", "int"), ("n", self._type_of_n), (self._last_column, "string")
        return (*own, *((key, "string") for key in self.layout.partition_by))

    @property
    def rows(self) -> tuple[tuple[Any, ...], ...]:
        """All rows, sorted."""
        as_n = int if self._type_of_n == "bigint" else str
        return ordered((self.number, as_n(i), str(self.number), *self._keys(i)) for i in self._ids)

    @property
    def partitions(self) -> tuple[str, ...]:
        """The values of the partition key; none of them is another version's."""
        return tuple(sorted({key for i in self._ids for key in self._keys(i)}))

    @property
    def query(self) -> str:
        """The query whose result is this version."""
        key = f", concat('p {self.number}/', id % 2) AS k" if self.layout.partition_by else ""
        return (
            f"SELECT CAST({self.number} AS INT) AS v, CAST(id AS {self._type_of_n}) AS n, "
            f"'{self.number}' AS {self._last_column}{key} FROM range(0, {len(self._ids)}, 1, 1)"
        )

    @property
    def properties(self) -> Mapping[str, str]:
        """The model's own properties."""
        return {} if self.layout.rows_only else {TEAM: f"team {self.number}"}

    @property
    def whole(self) -> Sight:
        """What everybody sees of this version, or nobody anything of it."""
        return Sight(
            self.columns, self.rows, self.partitions, self.file_format, self.properties.get(TEAM)
        )

    @property
    def empty(self) -> Sight:
        """This version without its rows, as level ``none`` shows it before it is filled."""
        return Sight(self.columns, (), (), self.file_format, self.properties.get(TEAM))

    def context(
        self,
        target: TableName,
        staging_schema: str,
        purpose: StagingPurpose,
        level: Atomicity,
        on_conflict: OnConflict = OnConflict.ABORT,
    ) -> StagingContext:
        """What the product is asked to do with this version."""
        given = self.file_format != DATABASE
        layout = TableLayout(
            self.file_format if given else UNNAMED,
            self.layout.partition_by,
            properties=dict(self.properties),
            format_given=given,
        )
        return StagingContext(
            target,
            staging_schema,
            purpose,
            level,
            on_conflict,
            layout,
            partition_metadata=self.layout.partition_metadata,
        )

    @property
    def _type_of_n(self) -> str:
        return "bigint" if self.number % 2 or self.layout.steady else "string"

    @property
    def _last_column(self) -> str:
        return "c" if self.layout.steady else f"c_{self.number}"

    @property
    def _ids(self) -> range:
        return range(3 + self.number)

    def _keys(self, id_: int) -> tuple[str, ...]:
        return (f"p {self.number}/{id_ % 2}",) if self.layout.partition_by else ()


def ordered(rows: Iterable[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    """Rows in one order, whatever their types."""
    return tuple(sorted((tuple(row) for row in rows), key=str))
