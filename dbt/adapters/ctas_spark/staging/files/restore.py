"""Which versions of a table of files can be published again, and the attempt that does so."""

from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext
from dbt.adapters.ctas_spark.staging.files.base import FileBase, look
from dbt.adapters.ctas_spark.staging.files.record import Record
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version import FileVersion
from dbt.adapters.ctas_spark.staging.files.versions import Found, find, versions_of
from dbt.adapters.ctas_spark.staging.retention.rules import KnownVersion, Place
from dbt.adapters.ctas_spark.staging.steps import StepReport


@dataclass(frozen=True, slots=True)
class FileRestoring:
    """A ``Restoring`` of tables of files: a version's record is its schema, too."""

    context: StagingContext
    services: Services
    _kept: dict[str, Record] = field(default_factory=dict)

    def look(self) -> FileBase:
        """The target as it is now."""
        return look(self.services.metastore, self.context.target)

    def earlier(self) -> tuple[str, ...]:
        """Superseded versions whose record and directory are there, newest first."""
        self._kept.update(self._whole())
        return tuple(self._kept)

    def restored(self, version: str, level: Atomicity, report: StepReport) -> FileVersion:
        """The attempt; it takes the record that was found before by compare-and-swap."""
        return FileVersion(self.context, self.services, level, report, restored=self._kept[version])

    def _whole(self) -> dict[str, Record]:
        found = find(self.context, self.services)
        by_id = {one.id: one for one in found}
        known = versions_of(self.context, self.services, found)
        kept = (by_id[one.id] for one in known if _is_kept(one))
        return {
            one.id: one.record for one in kept if one.record is not None and self._has_table(one)
        }

    def _has_table(self, found: Found) -> bool:
        """False for a record that a clean-up made: it has no columns."""
        entry = found.record.entry if found.record else None
        is_table = entry is not None and not entry.is_view
        return is_table and self.services.storage.exists(found.directory)


def _is_kept(known: KnownVersion) -> bool:
    return known.place is Place.SUPERSEDED and not known.is_deleting
