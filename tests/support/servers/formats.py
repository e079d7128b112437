"""One session with both formats: Delta's session catalog, and an Iceberg catalog of each kind."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from servers.delta import delta_session
from servers.iceberg import embedded_metastore, hadoop_catalog, hive_catalog, jdbc_catalog
from servers.iceberg_rest import rest_catalog

LISTS = ("spark.jars", "spark.sql.extensions")


@contextmanager
def both_formats(directory: Path) -> Iterator[Mapping[str, str]]:
    """The settings; ``hive``, ``jdbc``, ``rest`` and ``hadoop`` are Iceberg's, in ``directory``.

    A spark_catalog can be of one class only, and here it is Delta's.
    """
    with rest_catalog("rest", directory / "rest") as rest:
        hive = (embedded_metastore(directory), hive_catalog("hive"))
        hadoop = hadoop_catalog("hadoop", directory)
        yield joined(jdbc_catalog("jdbc", directory), *hive, rest, hadoop, delta_session())


def joined(*settings: Mapping[str, str]) -> dict[str, str]:
    """All settings, the later ones above the earlier; of jars and extensions those of each."""
    found: dict[str, str] = {}
    for name, value in (pair for one in settings for pair in one.items()):
        found[name] = f"{found[name]},{value}" if name in LISTS and name in found else value
    return found
