"""The names by which Hive calls partitions."""

import pytest

from dbt.adapters.ctas_spark.staging.metastore import partition_names
from dbt.adapters.ctas_spark.staging.metastore.partitions import Partition


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("day=2026-11-21", ("2026-11-21",)),
        ("day=a b/country=größer", ("a b", "größer")),
        ("day=a%2Fb/country=k%3Dv%25", ("a/b", "k=v%")),
        ("day=%252F", ("%2F",)),
        ("a%3Db=c", ("c",)),
        ("day=__HIVE_DEFAULT_PARTITION__", ("__HIVE_DEFAULT_PARTITION__",)),
    ],
)
def test_values_are_read_from_a_name(name: str, values: tuple[str, ...]) -> None:
    """Every value of a name is read, with its escaped characters."""
    assert partition_names.values_of(name) == values


def test_names_are_found_by_values() -> None:
    """The server's own names of these partitions are taken; what it does not have is left out."""
    asked = [Partition((value,), "file:/w", raw=None) for value in ("a/b", "missing")]
    assert partition_names.named(["day=a%2fb", "day=c"], asked) == ("day=a%2fb",)
