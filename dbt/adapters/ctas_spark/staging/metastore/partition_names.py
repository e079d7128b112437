"""The names by which Hive calls partitions: ``day=2026-11-21/path=a%2Fb``."""

from collections.abc import Iterable
from urllib.parse import unquote

from dbt.adapters.ctas_spark.staging.metastore.partitions import Partition


def values_of(name: str) -> tuple[str, ...]:
    """The values in a partition's name; Hive escapes single characters of ASCII, as in a URL."""
    return tuple(unquote(part.partition("=")[2]) for part in name.split("/"))


def named(names: Iterable[str], partitions: Iterable[Partition]) -> tuple[str, ...]:
    """Those of a server's own names that belong to these partitions: it alone knows its escapes."""
    values = {partition.values for partition in partitions}
    return tuple(name for name in names if values_of(name) in values)
