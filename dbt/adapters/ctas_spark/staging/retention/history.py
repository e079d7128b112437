"""The publications of a target, newest first, with what is left of their versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone

from dbt.adapters.ctas_spark.staging.context import StagingContext
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.files.records import lease_of
from dbt.adapters.ctas_spark.staging.files.schema import change_between
from dbt.adapters.ctas_spark.staging.files.services import Services
from dbt.adapters.ctas_spark.staging.files.version_root import version_root
from dbt.adapters.ctas_spark.staging.files.versions import Place, Version, versions_of
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX, LineageEntry, Marker

ROWS = PREFIX + "rows"
FILES = PREFIX + "files"
BYTES = PREFIX + "bytes"


@dataclass(frozen=True, slots=True)
class Event:
    """One publication; ``rows`` and ``bytes`` are None where Spark did not count them.

    ``state`` is that of its version: ``live``, ``kept``, ``deleted``, or ``last published`` where a
    table does not show which version it is. ``schema_change`` compares with the publication before,
    as far as both records are there.
    """

    version: str
    time: str
    kind: str
    run: str
    state: str
    rows: int | None
    bytes: int | None
    schema_change: str


def figures_of_a_version(figures: WriteFigures) -> dict[str, str]:
    """What a record keeps of the job's figures."""
    counted = {ROWS: figures.rows, FILES: figures.files, BYTES: figures.bytes}
    return {key: str(value) for key, value in counted.items() if value is not None}


def history(context: StagingContext, services: Services) -> tuple[Event, ...]:
    """Every build and rollback that the lineage still knows.

    Raises:
        MetastoreError, StorageError: it could not be read.
    """
    root = version_root(services.metastore, context)
    marker = Marker.of(services.metastore.get_table(context.target))
    found = versions_of(services, context.target, context.staging_schema, root)
    versions = {version.id: version for version in found}
    entries = marker.lineage.entries if marker else ()
    shown = [entry for entry in entries if not entry.kind.keeps_the_version]
    before: list[LineageEntry | None] = [*shown[1:], None][: len(shown)]
    return tuple(_event(entry, old, versions) for entry, old in zip(shown, before, strict=True))


def _event(
    entry: LineageEntry, before: LineageEntry | None, versions: Mapping[str, Version]
) -> Event:
    record = _record(entry, versions)
    old = _record(before, versions) if before else None
    when = datetime.fromtimestamp(entry.time_ms / 1000, tz=timezone.utc)
    return Event(
        version=entry.version,
        time=f"{when:%Y-%m-%d %H:%M:%S}",
        kind=entry.kind.value,
        run=lease_of(entry.version),
        state=_state(versions.get(entry.version)),
        rows=_number(record, ROWS),
        bytes=_number(record, BYTES),
        schema_change=change_between(old, record) if old and record else "",
    )


def _record(entry: LineageEntry, versions: Mapping[str, Version]) -> TableEntry | None:
    version = versions.get(entry.version)
    return version.record if version else None


def _state(version: Version | None) -> str:
    if version is None:
        return "deleted"
    return "live" if version.place is Place.LIVE else "kept"


def _number(record: TableEntry | None, key: str) -> int | None:
    text = record.parameters.get(key, "") if record else ""
    return int(text) if text.isdecimal() else None
