"""Storage through Hadoop's FileSystem in this JVM: local, HDFS, S3A, whatever it has jars for."""

import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.storage.client import StoredFile

MISSING = "java.io.FileNotFoundException"
CHECKSUMMED = "org.apache.hadoop.fs.ChecksumFileSystem"
CLOCK = ".clock-"
STATUS = re.compile(
    r"FileStatus\{path=(.*?); isDirectory=false; length=(\d+); .*?modification_time=(\d+);"
)
"""What ``FileStatus.toString`` says of a file: one text crosses to Python, and not each status."""


class HadoopStorage:
    """Paths are URIs, or paths on the default file system."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm = jvm.classes(spark)
        self._path = self._jvm.org.apache.hadoop.fs.Path  # looking a class up takes five calls
        self._configuration = jvm.hadoop_configuration(spark)

    def write(self, path: str, text: str) -> None:
        try:
            target, system = self._locate_text(path)
            self._write(target, system, text)
        except (Py4JError, OSError) as error:
            raise _refused("write", path, error) from error

    def read(self, path: str) -> str | None:
        """Read the file whole; FileNotFoundException is the storage's own "no"."""
        try:
            target, system = self._locate_text(path)
            stream = system.open(target)
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()
        except (Py4JError, OSError) as error:
            if _is_missing(error):
                return None
            raise _refused("read", path, error) from error

    def now_ms(self, directory: str) -> int:
        """Write an empty file, look at its time, remove it."""
        path = f"{directory}/{CLOCK}{secrets.token_hex(4)}"
        try:
            target, system = self._locate_text(path)
            self._write(target, system, "")
            now = int(system.getFileStatus(target).getModificationTime())
            system.delete(target, False)
        except (Py4JError, OSError) as error:
            raise _refused("write", path, error) from error
        return now

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        """One recursive listing (flat on object stores), handed over as one text.

        Of local files not Hadoop's, which starts ``ls`` for each of them.
        """
        try:
            target, system = self._locate(directory)
            if system.getUri().getScheme() == "file":
                return tuple(_on_disk(str(target.toUri().getPath())))
            found = system.listFiles(target, True)
            iterators = self._jvm.org.apache.hadoop.util.functional.RemoteIterators
            text = str(iterators.toList(found).toString())
        except (Py4JError, OSError) as error:
            if _is_missing(error):
                return ()
            raise _refused("list", directory, error) from error
        return tuple(
            StoredFile(path, int(length), int(time)) for path, length, time in STATUS.findall(text)
        )

    def modified_ms(self, path: str) -> int | None:
        try:
            target, system = self._locate(path)
            return int(system.getFileStatus(target).getModificationTime())
        except (Py4JError, OSError) as error:
            if _is_missing(error):
                return None
            raise _refused("look at", path, error) from error

    def children(self, directory: str) -> tuple[str, ...]:
        try:
            target, system = self._locate(directory)
            return tuple(str(found.getPath().getName()) for found in system.listStatus(target))
        except (Py4JError, OSError) as error:
            if _is_missing(error):
                return ()
            raise _refused("list", directory, error) from error

    def copy_permissions(self, source: str, directory: str) -> None:
        """Mode bits and group; ACL entries where the source has some."""
        try:
            origin, origin_system = self._locate(source)
            if origin_system.exists(origin):
                target, system = self._locate(directory)
                system.mkdirs(target)
                self._apply(origin_system.getFileStatus(origin), origin_system, target, system)
        except (Py4JError, OSError) as error:
            raise _refused("copy the permissions to", directory, error) from error

    def _apply(self, status: Any, origin_system: Any, target: Any, system: Any) -> None:
        if system.getFileStatus(target).getGroup() != status.getGroup():
            system.setOwner(target, None, status.getGroup())
        system.setPermission(target, status.getPermission())
        if status.hasAcl():
            entries = origin_system.getAclStatus(status.getPath()).getEntries()
            system.modifyAclEntries(target, entries)

    def delete(self, path: str) -> None:
        try:
            target, system = self._locate(path)
            system.delete(target, True)
        except (Py4JError, OSError) as error:
            raise _refused("delete", path, error) from error

    def exists(self, path: str) -> bool:
        try:
            target, system = self._locate(path)
            return bool(system.exists(target))
        except (Py4JError, OSError) as error:
            raise _refused("look at", path, error) from error

    def _write(self, target: Any, system: Any, text: str) -> None:
        stream = system.create(target, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def _locate_text(self, path: str) -> tuple[Any, Any]:
        """Without the checksum that Hadoop keeps beside each local file.

        It is another file: a write that is read meanwhile, or that a kill cuts, leaves a pair that
        does not match, which nobody can read.
        """
        target, system = self._locate(path)
        checksummed = self._jvm.java.lang.Class.forName(CHECKSUMMED).isInstance(system)
        return target, system.getRawFileSystem() if checksummed else system

    def _locate(self, path: str) -> tuple[Any, Any]:
        target = self._path(path)
        return target, target.getFileSystem(self._configuration)


def _on_disk(directory: str) -> Iterator[StoredFile]:
    """As Hadoop lists them: what goes meanwhile, and its checksums, are left out."""
    for parent, _, names in os.walk(directory, onerror=_raise_unless_gone, followlinks=True):
        for name in names:
            path = Path(parent, name)
            try:
                found = path.stat()
            except FileNotFoundError:
                continue
            if not (name.startswith(".") and name.endswith(".crc")):
                yield StoredFile(f"file:{path}", found.st_size, found.st_mtime_ns // 1_000_000)


def _raise_unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _is_missing(error: Exception) -> bool:
    return isinstance(error, Py4JJavaError) and error.java_exception.getClass().getName() == MISSING


def _refused(action: str, path: str, error: Exception) -> StorageError:
    cause = error.java_exception.toString() if isinstance(error, Py4JJavaError) else str(error)
    return StorageError(
        f"the storage refused to {action} {path}: {cause}",
        left="nothing was published",
        remedy="see that the path is writable and not full for the user that runs dbt",
    )
