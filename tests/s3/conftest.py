"""One stand-in for S3, one Spark and its embedded metastore, for all tests here."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from real_places.embedded import metastore, spark_logs
from real_places.s3 import OnS3
from servers.s3 import S3, running_s3

__all__ = ["metastore", "spark_logs"]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    """It keeps all in memory."""
    with running_s3(tmp_path_factory.mktemp("s3") / "server") as running:
        yield running


@pytest.fixture
def place(server: S3, metastore: Path, tmp_path: Path) -> OnS3:
    """A project in a schema of its own."""
    return OnS3.new(server, metastore, tmp_path, f"shop_{next(_numbers)}")
