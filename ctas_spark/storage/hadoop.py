"""Storage through Hadoop's FileSystem in this JVM: local, HDFS, S3A, whatever it has jars for."""

import logging
import re
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from pyspark.sql import SparkSession

from ..engines import jvm
from ..errors import StorageError, without_frames
from . import disk
from .client import AccessDeniedError, StoredFile, data_files
from .statuses import Statuses

NO_DIRECTORY_TIMES = ("s3a:", "s3:", "s3n:")
"""Of a directory there, Hadoop says the present time."""
MISSING = "java.io.FileNotFoundException"
DENIED = re.compile(r"AccessControlException|AccessDeniedException|\(Permission denied\)$")
"""What Hadoop, an object store's client and Java say; Java calls a file that it may not read one
that it has not found."""
FULL = re.compile(r"\w+QuotaExceededException: ")
SNAPSHOTS = "SnapshotException"
ONE_WINNER = "fs.option.create.conditional.overwrite"
"""S3A then asks the store to create nothing over what another has created meanwhile."""
HAS_PERMISSIONS = "fs.capability.paths.permissions"
CHECKSUMMED = "org.apache.hadoop.fs.ChecksumFileSystem"
CLOCK = ".clock-"


logger = logging.getLogger(__name__)


class MissingError(StorageError):
    """There is nothing at the path."""


class HadoopStorage:
    """Paths are URIs, or paths on the default file system."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm = jvm.classes(spark)
        self._path = jvm.member(self._jvm, "org.apache.hadoop.fs.Path")
        self._configuration = jvm.hadoop_configuration(spark)
        self._statuses = Statuses(self._jvm)

    def write(self, path: str, text: str) -> None:
        with asking("write", path):
            self._write(*self._locate_text(path), text)

    def create(self, path: str, text: str) -> bool:
        """An object store creates it when it is closed, and only then knows that there is one."""
        with asking("write", path):
            if local := disk.path_of(path):
                return disk.create(local, text)
            target, system = self._locate_text(path)
            builder = system.createFile(target).create().recursive().overwrite(False)
            try:
                self._fill(builder.opt(ONE_WINNER, True).build(), text)
            except jvm.FAILURES:
                if system.exists(target):
                    return False
                raise
        return True

    def read(self, path: str) -> str | None:
        """Read the file whole; FileNotFoundException is the storage's own "no".

        Written over a server it is a directory with the text, maybe twice.
        """
        with suppress(MissingError), asking("read", path):
            target, system = self._locate_text(path)
            if system.getFileStatus(target).isDirectory():
                parts = [self.read(one.path) for one in data_files(self.files(path), path)]
                return "\n".join(sorted({part.strip() for part in parts if part})) or None
            stream = system.open(target)
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()
        return None

    def now_ms(self, directory: str) -> int:
        """Write an empty file, look at its time, remove it."""
        path = f"{directory}/{CLOCK}{secrets.token_hex(4)}"
        with asking("write", path):
            target, system = self._locate_text(path)
            self._write(target, system, "")
            now = int(system.getFileStatus(target).getModificationTime())
        with asking("delete", path):
            system.delete(target, False)
        return now

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        """One recursive listing (flat on object stores)."""
        found: tuple[tuple[str, int, int], ...] = ()
        with self._listing(directory):
            if local := disk.path_of(directory):
                return tuple(disk.files(local))
            target, system = self._locate(directory)
            listed = system.listFiles(target, True)
            found = self._statuses.files(listed)
        return tuple(StoredFile(*one) for one in found)

    @contextmanager
    def _listing(self, directory: str) -> Iterator[None]:
        """Without the directory nothing is listed; what vanishes below it breaks a listing off."""
        try:
            with asking("list", directory):
                yield
        except MissingError as error:
            if self.exists(directory):
                raise StorageError(
                    f"{directory} changed while it was listed: {error.what}",
                    remedy="run it again",
                ) from error

    def qualified(self, path: str) -> str:
        if disk.path_of(path):
            return path
        with asking("look for", path):
            target, system = self._locate(path)
            return str(system.makeQualified(target))

    def modified_ms(self, path: str) -> int | None:
        with suppress(MissingError), asking("look at", path):
            target, system = self._locate(path)
            found = system.getFileStatus(target)
            if found.isDirectory() and path.startswith(NO_DIRECTORY_TIMES):
                return None
            return int(found.getModificationTime())
        return None

    def children(self, directory: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        names = self._children(directory)
        return tuple(one for one in names if one not in known) if known else names

    def _children(self, directory: str) -> tuple[str, ...]:
        paths: tuple[str, ...] = ()
        with self._listing(directory):
            if local := disk.path_of(directory):
                return tuple(disk.children(local))
            target, system = self._locate(directory)
            listed = system.listStatusIterator(target)
            paths = self._statuses.paths(listed)
        return tuple(path.rpartition("/")[2] for path in paths)

    def copy(self, source: str, directory: str) -> None:
        """By Hadoop itself, which also writes the checksums that its local files have."""
        with asking("copy to", directory):
            origin, target = self._locate(source), self._locate(directory)
            copy = self._jvm.org.apache.hadoop.fs.FileUtil.copy
            target[1].mkdirs(target[0].getParent())
            copy(origin[1], origin[0], target[1], target[0], False, self._configuration)

    def copy_permissions(self, source: str, directory: str) -> None:
        """Mode bits and group; ACL entries where the source has some."""
        with asking("copy the permissions to", directory):
            self._make_like(source, directory)

    def make_directory(self, directory: str, like: str) -> None:
        with asking("write in", directory):
            local = disk.path_of(directory)
            if not (local or self._has_permissions(directory)):
                return
            is_writable = disk.may_write(local) if local else self._may_write(directory)
        if is_writable is False:
            raise AccessDeniedError(f"this user may not write in {directory}")
        if is_writable is None:
            self._make(directory, like)

    def _make(self, directory: str, like: str) -> None:
        """Another run may be faster, and then it gives the permissions."""
        try:
            with asking("create", directory):
                self._make_like(like, directory)
        except StorageError as error:
            if not self.exists(directory):
                raise
            logger.warning("%s keeps the permissions that it got: %s", directory, error.what)

    def _make_like(self, source: str, directory: str) -> None:
        theirs, ours = disk.path_of(source), disk.path_of(directory)
        if theirs and ours:
            disk.copy_permissions(theirs, ours)
        elif self._has_permissions(directory):
            self._copy_permissions(source, directory)

    def _may_write(self, directory: str) -> bool | None:
        """Asked of the file system, which knows the user's groups; None without the directory."""
        target, system = self._locate(directory)
        action = self._jvm.org.apache.hadoop.fs.permission.FsAction.WRITE_EXECUTE
        try:
            with asking("write in", directory):
                if not system.exists(target):  # an exception of Java's takes 50 ms to cross over
                    return None
                system.access(target, action)
        except MissingError:
            return None
        except AccessDeniedError:
            return False
        return True

    def _has_permissions(self, path: str) -> bool:
        """Known without a call to the storage; an object store has none, or only pretends to."""
        target, system = self._locate(path)
        return bool(system.hasPathCapability(target, HAS_PERMISSIONS))

    def _copy_permissions(self, source: str, directory: str) -> None:
        origin, origin_system = self._locate(source)
        if not origin_system.exists(origin):
            return
        status = origin_system.getFileStatus(origin)
        target, system = self._locate(directory)
        system.mkdirs(target)
        if self._apply(status, origin_system, target, system):
            for below in self._directories_below(directory):
                self._apply(status, origin_system, self._path(below), system)

    def _directories_below(self, directory: str) -> list[str]:
        """Those in which files lie, and those between; one job has made them all."""
        inside = (one.path.rpartition("/")[0] for one in self.files(directory))
        top = directory.rstrip("/").count("/")
        parts = (one.split("/") for one in inside)
        return sorted({"/".join(one[:n]) for one in parts for n in range(top + 2, len(one) + 1)})

    def _apply(self, status: Any, origin_system: Any, target: Any, system: Any) -> bool:
        """Change what differs, as HDFS logs each change; True if the mode did."""
        found = system.getFileStatus(target)
        has_mode = found.getPermission().equals(status.getPermission())
        if not has_mode:
            system.setPermission(target, status.getPermission())
        if found.getGroup() != status.getGroup():
            system.setOwner(target, None, status.getGroup())
        if status.hasAcl():
            entries = origin_system.getAclStatus(status.getPath()).getEntries()
            system.modifyAclEntries(target, entries)
        return not has_mode

    def delete(self, path: str) -> None:
        """On an object store with the uploads that a killed job has begun, and not completed."""
        with asking("delete", path):
            target, system = self._locate(path)
            system.delete(target, True)
            if path.startswith(NO_DIRECTORY_TIMES):
                self._end_uploads(target, system)

    def remove_empty(self, directory: str) -> None:
        if self.children(directory):
            return
        with suppress(MissingError), asking("delete", directory):
            target, system = self._locate(directory)
            system.delete(target, False)

    def _end_uploads(self, target: Any, system: Any) -> None:
        """No listing shows them, and each is paid for until somebody ends it."""
        uploader = system.createMultipartUploader(target).build()
        try:
            ended = int(uploader.abortUploadsUnderPath(target).get())
        finally:
            uploader.close()
        if ended > 0:
            logger.info("%d unfinished uploads below %s were ended", ended, target)

    def exists(self, path: str) -> bool:
        with asking("look at", path):
            if local := disk.path_of(path):
                return local.exists()
            target, system = self._locate(path)
            return bool(system.exists(target))

    def _write(self, target: Any, system: Any, text: str) -> None:
        self._fill(system.create(target, True), text)

    def _fill(self, stream: Any, text: str) -> None:
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def _locate_text(self, path: str) -> tuple[Any, Any]:
        """Without the checksum file that Hadoop keeps next to each local file.

        A write that a kill cuts, or that is read meanwhile, leaves a pair that does not match and
        that nobody can read.
        """
        target, system = self._locate(path)
        checksummed = self._jvm.java.lang.Class.forName(CHECKSUMMED).isInstance(system)
        return target, system.getRawFileSystem() if checksummed else system

    def _locate(self, path: str) -> tuple[Any, Any]:
        target = self._path(path)
        return target, target.getFileSystem(self._configuration)


@contextmanager
def asking(action: str, path: str) -> Iterator[None]:
    """Raise StorageError for whatever fails in a block that does ``action`` to ``path``."""
    try:
        yield
    except jvm.FAILURES as error:
        thrown = jvm.java_exception(error)
        cause = without_frames(_said(error) if thrown is None else thrown.toString()).strip()
        kind = _kind(error, cause, is_java=thrown is not None)
        what = f"the storage refused to {action} {path}: {cause}"
        raise kind(what, remedy=_remedy(kind, cause)) from error


def _said(error: Exception) -> str:
    """Python's words for a local file, without the number of the error."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror}: {error.filename}"
    return str(error)


def _kind(error: Exception, cause: str, *, is_java: bool) -> type[StorageError]:
    if isinstance(error, PermissionError) or DENIED.search(cause):
        return AccessDeniedError
    return MissingError if is_java and MISSING in cause else StorageError


def _remedy(kind: type[StorageError], cause: str) -> str:
    if kind is AccessDeniedError:
        return "give the user who runs dbt the right to do that"
    if FULL.search(cause):
        return "raise the quota of that directory (hdfs dfsadmin -setSpaceQuota or -setQuota)"
    if SNAPSHOTS in cause:
        return "delete the snapshots of that directory (hdfs dfs -deleteSnapshot), or let it be"
    return "check that the user who runs dbt may write there, and that it is not full"
