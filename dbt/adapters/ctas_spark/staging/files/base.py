"""What ``begin`` saw of the target: the one thing the commit is valid against."""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.metastore.client import Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT, Marker

LAST_DDL_TIME = "transient_lastDdlTime"
COMMIT_BASE = "commit:"
"""How a base with our marker is written down; its commit id follows."""


@dataclass(frozen=True, slots=True)
class Base:
    """The target's entry at one moment, or the fact that there was none."""

    entry: TableEntry | None

    @property
    def marker(self) -> Marker | None:
        """Our marker on it, unless there is none or a foreign one."""
        return Marker.of(self.entry)

    @property
    def version(self) -> str | None:
        """The version id that the base shows, if it is one of ours."""
        return self.marker.version if self.marker else None

    @property
    def expectation(self) -> Expectation | None:
        """What a compare-and-swap against this base expects; None if nothing can be expected."""
        if self.marker is not None:
            return Expectation(COMMIT, self.marker.commit)
        if self.entry is not None and self.entry.last_ddl_time is not None:
            return Expectation(LAST_DDL_TIME, str(self.entry.last_ddl_time))
        return None

    @property
    def managed_directory(self) -> str | None:
        """Where a user's managed table has its files; None if the base is no such table."""
        if self.entry is None or self.marker is not None or not self.entry.is_managed:
            return None
        return self.entry.location

    def __str__(self) -> str:
        if self.entry is None:
            return "absent"
        if self.marker is not None:
            return f"{COMMIT_BASE}{self.marker.commit}"
        return f"ddl:{self.entry.last_ddl_time}:{self.entry.create_time}:{self.entry.location}"

    def is_still(self, entry: TableEntry | None) -> bool:
        """True if ``entry`` is what begin saw: location, columns, type and all parameters."""
        return self.entry == entry
