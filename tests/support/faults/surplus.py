"""What storage and metastore hold of a schema besides the versions that they should."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from ctas_spark.files.directories import FILE
from functional.outside import Outside

UNFINISHED = "_temporary"


@dataclass(frozen=True, slots=True)
class Surplus:
    """What lies there besides the versions that should; ``missing`` should be there, too."""

    paths: tuple[str, ...] = ()
    bytes: int = 0
    entries: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def version_parent(outside: Outside) -> Path:
    """Where the versions of the schema lie."""
    return outside.metastore.warehouse / f"{outside.schema}.db" / "ctas-spark"


def surplus(outside: Outside, versions: Mapping[str, AbstractSet[str]]) -> Surplus:
    """What there is besides these tables with these versions.

    A record that a clean-up made for a version without one stays for the orphan age, alone.
    """
    root = version_parent(outside)
    paths = list(_foreign(outside, root, versions))
    records = {f"{table}__{version}" for table in versions for version in versions[table]}
    should = versions.keys() | records
    entries = {*outside.tables(), *outside.records()} - {*outside.tombstones()}
    return Surplus(
        paths=tuple(str(path.relative_to(root)) for path in paths),
        bytes=sum(path.stat().st_size for path in paths if path.is_file()),
        entries=tuple(sorted(entries - should)),
        missing=tuple(sorted(should - entries)),
    )


def _foreign(
    outside: Outside, root: Path, versions: Mapping[str, AbstractSet[str]]
) -> Iterator[Path]:
    """Everything but finished files of these versions, and the directories they lie in."""
    tables = {table: outside.directory(table).parent for table in versions}
    wanted = {tables[table] / version for table in versions for version in versions[table]}
    trees = {directory.parent for directory in tables.values()}
    places = {*trees, *(tree / FILE for tree in trees), *tables.values()}
    for path in sorted(root.rglob("*")):
        inside = wanted & {path, *path.parents}
        if path not in places and (not inside or UNFINISHED in path.parts):
            yield path
