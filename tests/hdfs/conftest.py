"""One HDFS, one Spark and its embedded metastore, for all tests here."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from real_places.embedded import metastore, spark_logs
from real_places.hdfs import GROUPS, Hdfs
from servers.hdfs import running_hdfs

__all__ = ["metastore", "spark_logs"]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name node's."""
    directory = tmp_path_factory.mktemp("hdfs") / "server"
    with running_hdfs(directory, {"hadoop.user.group.static.mapping.overrides": GROUPS}) as running:
        yield running


@pytest.fixture
def bare(address: str, metastore: Path, tmp_path: Path) -> Iterator[Hdfs]:
    """A project whose schema has a directory of the group, and is not there yet."""
    place = Hdfs.new(address, metastore, tmp_path, f"shop_{next(_numbers)}")
    yield place
    place.act_as(None)


@pytest.fixture
def place(bare: Hdfs) -> Hdfs:
    """A project whose schema lies in a directory of the group."""
    bare.create_schema()
    return bare
