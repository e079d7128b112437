"""What Hadoop says of a storage, as far as it needs no JVM."""

from types import SimpleNamespace
from typing import Any

import pytest

from dbt.adapters.ctas_spark.staging.storage.hadoop import HadoopStorage


class Listed(HadoopStorage):
    """Everything is one directory, of the second 7."""

    def __init__(self) -> None:
        """No session."""

    def _locate(self, path: str) -> tuple[Any, Any]:
        found = SimpleNamespace(isDirectory=lambda: True, getModificationTime=lambda: 7_000)
        return path, SimpleNamespace(getFileStatus=lambda _path: found)


@pytest.mark.parametrize(("path", "time"), [("hdfs://node/d", 7_000), ("s3a://bucket/d", None)])
def test_a_directory_has_a_time_where_the_storage_keeps_one(path: str, time: int | None) -> None:
    """S3A says the present time, by which an empty directory would never be old."""
    assert Listed().modified_ms(path) == time
