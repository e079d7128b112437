"""What a process sees of a Delta or Iceberg table whose last run was killed."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from contract.format_clients import DeltaLog
from contract.spark_place import path_of
from ctas_spark.files.staging_entry import STAGING_ID
from ctas_spark.iceberg.branches import PREFIX
from ctas_spark.publish.marker import VERSION_ID
from faults.eyes import Sight
from faults.numbered import ROWS, TABLE
from faults.surplus import Surplus
from functional.dbt_project import Project

STAGING = "__ctas_spark"
DELTA = "delta"


@dataclass(frozen=True, slots=True)
class EyesOnFormat:
    """A table whose own log says what it holds.

    ``place`` is what its model's config says of catalog and format; ``root`` has all files.
    """

    project: Project
    place: Mapping[str, str]
    root: Path

    def sight(self) -> Sight:
        if TABLE not in self._tables(self.project.schema):
            return Sight(None)
        numbers = [row.v for row in self.project.rows(f"select v from {self._table}")]
        assert len(numbers) == ROWS
        return Sight(numbers[0], tuple(set(numbers)))

    def kept(self) -> frozenset[str]:
        """None by itself: the log names what it keeps, until the format expires it."""
        return frozenset()

    def surplus(self, kept: AbstractSet[str]) -> Surplus:
        """Files, entries and branches of versions that the table's log does not name."""
        directory, log = self._directory_and_log()
        named = {*kept, *VERSION_ID.findall(f"{directory} {log}")}
        paths = [path for path in self._own_paths() if _is_surplus(path, named)]
        # the first version's directory is a Delta table's root, and its record shows that
        records = {f"{TABLE}__{directory.name}"} if self._is_delta else set()
        records.add(STAGING_ID)
        entries = set(self._tables(f"{self.project.schema}{STAGING}"))
        return Surplus(
            paths=tuple(str(path.relative_to(self.root)) for path in paths),
            bytes=sum(path.stat().st_size for path in paths),
            entries=(*sorted(entries - records), *self._branches()),
        )

    def locks(self) -> int:
        """None: Iceberg's hive catalogs take one within their own call, and no kill is in that."""
        return 0

    @property
    def _is_delta(self) -> bool:
        return self.place["file_format"] == DELTA

    @property
    def _table(self) -> str:
        return f"{self.place['database']}.{self.project.schema}.{TABLE}"

    def _tables(self, schema: str) -> list[str]:
        path = f"{self.place['database']}.{schema}"
        database = f"show databases in {self.place['database']} like '{schema}'"
        if not self.project.rows(database):
            return []
        rows = self.project.rows(f"show tables in {path}")
        return [str(row.tableName) for row in rows if not row.isTemporary]

    def _branches(self) -> list[str]:
        if self._is_delta:
            return []
        named = f"name like '{PREFIX}%' order by name"
        rows = self.project.rows(f"select name from {self._table}.refs where {named}")
        return [str(row.name) for row in rows]

    def _own_paths(self) -> Iterator[Path]:
        schemas = {self.project.schema, f"{self.project.schema}{STAGING}"}
        for path in sorted(self.root.rglob("*")):
            if any(part.removesuffix(".db") in schemas for part in path.parts):
                yield path

    def _directory_and_log(self) -> tuple[Path, str]:
        if self._is_delta:
            (detail,) = self.project.rows(f"describe detail {self._table}")
            return path_of(detail.location), DeltaLog.text_of(detail.location)
        newest = "order by timestamp desc limit 1"
        (row,) = self.project.rows(f"select file from {self._table}.metadata_log_entries {newest}")
        metadata = path_of(row.file)
        return metadata.parents[1], metadata.read_text()


def _is_surplus(path: Path, named: AbstractSet[str]) -> bool:
    versions = VERSION_ID.findall(str(path))
    if not path.is_file() or path.suffix == ".crc":
        return False
    return bool(versions and versions[-1] not in named)
