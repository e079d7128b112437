"""What Hadoop says of a storage, as far as it needs no JVM."""

from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.errors import IllegalArgumentException, UnsupportedOperationException

from ctas_spark.errors import StorageError
from ctas_spark.storage.client import AccessDeniedError
from ctas_spark.storage.hadoop import HadoopStorage, MissingError, asking
from ctas_spark.storage.statuses import parted


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


HDFS_SAYS = """org.apache.hadoop.security.AccessControlException: Permission denied: user=bob
\tat org.apache.hadoop.hdfs.server.namenode.FSPermissionChecker.check(FSPermissionChecker.java:506)
\tat org.apache.hadoop.ipc.Server$Handler.run(Server.java:3213)"""
"""The name node's stack is a part of its words."""


@pytest.mark.parametrize(
    ("said", "kind", "remedy"),
    [
        (HDFS_SAYS, AccessDeniedError, "give the user who runs dbt the right"),
        (
            "java.nio.file.AccessDeniedException: s3a://b/v: delete on s3a://b/v: 403",
            AccessDeniedError,
            "give the user who runs dbt the right",
        ),
        (
            "java.io.FileNotFoundException: /d/f (Permission denied)",
            AccessDeniedError,
            "give the user who runs dbt the right",
        ),
        ("java.io.FileNotFoundException: File does not exist: /d/f", MissingError, "check that"),
        ("x.DSQuotaExceededException: The DiskSpace quota of /d", StorageError, "raise the quota"),
        ("RemoteException(x.SnapshotException): /d has snapshots", StorageError, "the snapshots"),
    ],
)
def test_what_a_file_system_refuses_is_said_by_name(
    said: str, kind: type[StorageError], remedy: str
) -> None:
    """With what to do about it, and without the frames of a server's stack."""
    error = IllegalArgumentException("in Java")
    error.java_exception = SimpleNamespace(toString=lambda: said)  # type: ignore[attr-defined]
    with pytest.raises(StorageError) as caught, asking("delete", "hdfs://node/d"):
        raise error
    assert type(caught.value) is kind
    assert remedy in caught.value.remedy
    assert "\tat " not in caught.value.what


class Vanishing(HadoopStorage):
    """Each listing breaks off; the directory itself may still be there."""

    def __init__(self, *, stays: bool) -> None:
        self._stays = stays

    def _locate(self, path: str) -> tuple[Any, Any]:
        def list_files(*_arguments: Any) -> Any:
            raise MissingError("File hdfs://node/d/k=1 does not exist")

        return path, SimpleNamespace(
            listFiles=list_files, listStatusIterator=list_files, exists=lambda _path: self._stays
        )


def test_a_listing_that_breaks_off_is_not_one_of_an_empty_directory() -> None:
    """Before 3.3.5 Hadoop gives up when a subdirectory vanishes meanwhile."""
    broken, gone = Vanishing(stays=True), Vanishing(stays=False)
    for storage in (broken.files, broken.children):
        with pytest.raises(StorageError, match="changed while it was listed"):
            storage("hdfs://node/d")
    assert not gone.files("hdfs://node/d")
    assert not gone.children("hdfs://node/d")


def test_no_file_is_left_out_of_a_listing_in_silence() -> None:
    """A name that can't be told from two names is an error, and no shorter or longer listing."""
    assert parted("a\0b", 2) == ["a", "b"]
    with pytest.raises(StorageError, match="a listing of 1 files was read as one of 2"):
        parted("a\0b", 1)


@pytest.mark.parametrize(
    "error",
    [
        IllegalArgumentException("Wrong FS: file://./data, expected: file:///"),
        UnsupportedOperationException("this file system has no permissions"),
        Py4JNetworkError("the JVM has ended"),
    ],
)
def test_whatever_a_file_system_throws_is_an_error_of_the_storage(error: Exception) -> None:
    """PySpark has exceptions of its own for some of Java's."""
    refused = pytest.raises(StorageError, match=f"refused to list hdfs://node/d: {error}")
    with refused, asking("list", "hdfs://node/d"):
        raise error
