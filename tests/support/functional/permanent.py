"""Everything permanent in a metastore of the tests: each entry, and each file below it."""

from collections.abc import Mapping
from dataclasses import dataclass

from functional.outside import Outside
from servers.metastore import Metastore


@dataclass(frozen=True, slots=True)
class Permanent:
    """The entries of all schemas as the server holds them; sizes and times of files by path."""

    entries: Mapping[str, str]
    files: Mapping[str, tuple[int, int]]


def everything(metastore: Metastore) -> Permanent:
    """What there is now."""
    found = (path for path in metastore.warehouse.rglob("*") if path.is_file())
    stats = {str(path): path.stat() for path in found}
    files = {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}
    return Permanent(Outside(metastore, "").every_entry(), files)
