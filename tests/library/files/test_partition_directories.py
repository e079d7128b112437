"""The partitions that directories are: their values, their places, and what lies in them."""

import pytest

from ctas_spark.files.partition_directories import partitions_in
from fakes.storage import FakeStorage

VERSION = "file:/w/shop.db/orders/20261130t040000x1"


@pytest.fixture
def storage() -> FakeStorage:
    """Nothing yet."""
    return FakeStorage()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k=2026-11-30", "2026-11-30"),
        ("k=a%2Fb", "a/b"),
        ("k=x%3Dy", "x=y"),
        ("k=100%25", "100%"),
        ("k= a b ", " a b "),
        ("k=größer", "größer"),
        ("k=_x", "_x"),
        ("k=__HIVE_DEFAULT_PARTITION__", "__HIVE_DEFAULT_PARTITION__"),
        ("K=a", "a"),
    ],
)
def test_a_value_is_that_of_its_directory(storage: FakeStorage, name: str, value: str) -> None:
    """Unescaped, while the location keeps the name that the directory has."""
    storage.write(f"{VERSION}/{name}/part-0.parquet", "rows")
    (found,) = partitions_in(storage, f"{VERSION}/", ("k",))
    assert (found.values, found.location) == ((value,), f"{VERSION}/{name}")


def test_files_and_bytes_are_those_of_the_partition(storage: FakeStorage) -> None:
    """Of each combination of values; what readers do not see counts for nothing."""
    for path in ("a=1/b=x/part-0", "a=1/b=x/part-1", "a=1/b=y/part-0", "a=1/b=x/_temporary/part"):
        storage.write(f"{VERSION}/{path}", "rows")
    found = {one.values: one.parameters for one in partitions_in(storage, VERSION, ("a", "b"))}
    assert found == {
        ("1", "x"): {"numFiles": "2", "totalSize": "8"},
        ("1", "y"): {"numFiles": "1", "totalSize": "4"},
    }


@pytest.mark.parametrize("path", ["part-0", "a=1/part-0", "b=1/a=2/part-0", "a=1/c=2/part-0"])
def test_other_directories_are_no_partitions(storage: FakeStorage, path: str) -> None:
    """Spark finds no partition in them, either."""
    storage.write(f"{VERSION}/{path}", "rows")
    assert partitions_in(storage, VERSION, ("a", "b")) == ()
