"""One table's entry in a metastore, as it was at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.context import TableName

VIEW = "VIRTUAL_VIEW"
MANAGED = "MANAGED_TABLE"


@dataclass(frozen=True, slots=True)
class TableEntry:
    """What the metastore holds of a table.

    ``location`` is the serde's ``path`` where there is one: a metastore without the jars of an
    object store keeps a placeholder in ``sd.location``. ``raw`` is the client's own object,
    which loses nothing; it takes no part in comparisons.
    """

    name: TableName
    table_type: str
    location: str | None
    columns: tuple[tuple[str, str], ...]
    partition_keys: tuple[str, ...]
    create_time: int
    parameters: Mapping[str, str]
    raw: object = field(compare=False, repr=False)

    @property
    def is_view(self) -> bool:
        """True for a view, which has no data of its own."""
        return self.table_type == VIEW

    @property
    def is_managed(self) -> bool:
        """True for a table whose data goes with it when it is dropped, and moves when renamed."""
        return self.table_type == MANAGED

    @property
    def last_ddl_time(self) -> int | None:
        """Seconds since the epoch, by the metastore's clock; None where it is not kept."""
        value = self.parameters.get("transient_lastDdlTime")
        return int(value) if value and value.isdecimal() else None

    @property
    def directory_name(self) -> str | None:
        """The last component of the location."""
        return self.location.rstrip("/").rsplit("/", 1)[-1] if self.location else None
