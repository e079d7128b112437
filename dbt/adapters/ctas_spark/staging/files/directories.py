"""Where the versions of a table lie.

The dash can't occur in a table name of the session catalog, so no plain table's directory
contains ``ctas-spark``.
"""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName

FOLDER = "ctas-spark"
LEASES = "leases"


@dataclass(frozen=True, slots=True)
class VersionRoot:
    """The directory of all versions of one table, and of the leases beside it."""

    parent: str
    table: str

    @classmethod
    def of(
        cls, target: TableName, schema_location: str, location_root: str | None
    ) -> "VersionRoot":
        """Below ``location_root`` if there is one, else below the schema's own directory."""
        parent = (location_root or schema_location).rstrip("/")
        return cls(f"{parent}/{FOLDER}", f"{target.database}.{target.table}".lower())

    @classmethod
    def at(cls, root: str) -> "VersionRoot":
        """The root that a record names."""
        parent, _, table = root.rpartition("/")
        return cls(parent, table)

    def __str__(self) -> str:
        return f"{self.parent}/{self.table}"

    def version(self, version: str) -> str:
        """The directory of one version."""
        return f"{self}/{version}"

    @property
    def leases(self) -> str:
        """The directory of the leases of every run that has versions on this storage."""
        return f"{self.parent}/{LEASES}"
