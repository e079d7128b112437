"""The branches that attempts have left in an Iceberg target.

A branch is a name: without it main shows what it showed. So age alone decides, published or not,
and a writer that is alive all the same finds its branch gone, and publishes nothing.
"""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.retention.rules import KnownVersion, Place, Reason
from dbt.adapters.ctas_spark.staging.statement.branch_version import drop_branch
from dbt.adapters.ctas_spark.staging.statement.seen import lines_now
from dbt.adapters.ctas_spark.staging.statement.tables import SqlTables
from dbt.adapters.ctas_spark.staging.version_id import started_ms


@dataclass(frozen=True, slots=True)
class BranchGarbage:
    """A ``Garbage``; the handle of a version is its branch's name and last write, in ms."""

    target: TableName
    tables: SqlTables

    def versions(self) -> tuple[KnownVersion, ...]:
        """Every branch by the name of a version; a table of another format has none."""
        tables = self.tables
        if tables.find(self.target) is None:
            return ()
        lines = lines_now(tables, self.target)
        heads = ((name, version, lines.head(name)) for name, version in lines.ours.items())
        return tuple(
            KnownVersion(
                version,
                Place.UNPUBLISHED,
                f"the branch {name} of {self.target}",
                handle=(name, head.time_ms if head else 0),
            )
            for name, version, head in heads
        )

    def superseded_for_ms(self, version: KnownVersion, *, note: bool) -> int:  # noqa: ARG002
        """No branch is a version that was published: main is."""
        return 0

    def age_ms(self, version: KnownVersion) -> int:
        """By its id's start and its last snapshot."""
        _, written = _branch_of(version)
        return self.tables.driver.now_ms() - max(started_ms(version.id), written)

    def may_land(self, version: KnownVersion) -> bool:  # noqa: ARG002 (of none)
        """False: its writer would find the branch gone, and publish nothing."""
        return False

    def fence(self) -> None:
        """Nothing has to be kept from landing."""

    def take(self, version: KnownVersion) -> bool:
        """Look once more: the drop itself takes it."""
        name, _ = _branch_of(version)
        return name in lines_now(self.tables, self.target).branches

    def reason_shown(self, version: KnownVersion) -> Reason | None:  # noqa: ARG002 (of none)
        """What main shows, it shows without the branch."""
        return None

    def give_back(self, version: KnownVersion) -> None:
        """Nothing was taken from the target."""

    def delete_files(self, version: KnownVersion) -> bool:  # noqa: ARG002 (Iceberg's own)
        """They go when Iceberg expires the snapshots that nothing shows any more."""
        return True

    def delete_record(self, version: KnownVersion) -> None:
        """Drop the branch."""
        name, _ = _branch_of(version)
        drop_branch(self.tables, self.target, name)


def _branch_of(version: KnownVersion) -> tuple[str, int]:
    if not isinstance(version.handle, tuple):
        raise TypeError(f"{version.id} has no branch")
    name, written = version.handle
    return str(name), int(written)
