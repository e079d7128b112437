"""Everything permanent of a project: each entry in its schemas, and each file of the warehouse."""

from collections.abc import Mapping
from dataclasses import dataclass

from functional.outside import Outside
from servers.metastore import Metastore


@dataclass(frozen=True, slots=True)
class Permanent:
    """The entries as the server holds them; sizes and times of files by path."""

    entries: Mapping[str, str]
    files: Mapping[str, tuple[int, int]]


def everything(metastore: Metastore, schema: str) -> Permanent:
    """What there is now; of other schemas than the project's, that they are there."""
    found = (path for path in metastore.warehouse.rglob("*") if path.is_file())
    stats = {str(path): path.stat() for path in found}
    files = {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}
    return Permanent(Outside(metastore, schema).every_entry(), files)
