"""A standalone cluster of two workers, for all tests."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.place import ClusterPlace
from servers.metastore import Metastore
from servers.standalone import Cluster, running_cluster

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A master and two workers; those of one module, because a test may kill one."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, cluster: Cluster, metastore: Metastore) -> ClusterPlace:
    """A project in a schema that no other test has."""
    return ClusterPlace.made(tmp_path, f"cluster_{next(_numbers)}", cluster, metastore)
