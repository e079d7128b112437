"""Storage through Hadoop's FileSystem in this JVM: local, HDFS, S3A, whatever it has jars for."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from ..engines import jvm
from ..errors import StorageError
from . import disk
from .client import StoredFile

NO_DIRECTORY_TIMES = ("s3a:", "s3:", "s3n:")
"""Of a directory there, Hadoop says the present time."""
MISSING = "java.io.FileNotFoundException"
CHECKSUMMED = "org.apache.hadoop.fs.ChecksumFileSystem"
CLOCK = ".clock-"
FUNCTIONS = "org.apache.hadoop.util.functional"


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

    def read(self, path: str) -> str | None:
        """Read the file whole; FileNotFoundException is the storage's own "no"."""
        with suppress(MissingError), asking("read", path):
            target, system = self._locate_text(path)
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
                    left="nothing was published",
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

    def children(self, directory: str) -> tuple[str, ...]:
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
            theirs, ours = disk.path_of(source), disk.path_of(directory)
            if theirs and ours:
                disk.copy_permissions(theirs, ours)
            else:
                self._copy_permissions(source, directory)

    def _copy_permissions(self, source: str, directory: str) -> None:
        origin, origin_system = self._locate(source)
        if origin_system.exists(origin):
            target, system = self._locate(directory)
            system.mkdirs(target)
            self._apply(origin_system.getFileStatus(origin), origin_system, target, system)

    def _apply(self, status: Any, origin_system: Any, target: Any, system: Any) -> None:
        system.setPermission(target, status.getPermission())
        if system.getFileStatus(target).getGroup() != status.getGroup():
            system.setOwner(target, None, status.getGroup())
        if status.hasAcl():
            entries = origin_system.getAclStatus(status.getPath()).getEntries()
            system.modifyAclEntries(target, entries)

    def delete(self, path: str) -> None:
        with asking("delete", path):
            target, system = self._locate(path)
            system.delete(target, True)

    def exists(self, path: str) -> bool:
        with asking("look at", path):
            if local := disk.path_of(path):
                return local.exists()
            target, system = self._locate(path)
            return bool(system.exists(target))

    def _write(self, target: Any, system: Any, text: str) -> None:
        stream = system.create(target, True)
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
        cause = str(error) if thrown is None else thrown.toString()
        is_missing = thrown is not None and MISSING in cause
        kind = MissingError if is_missing else StorageError
        what = f"the storage refused to {action} {path}: {cause}"
        remedy = "check that the user who runs dbt may write there, and that it is not full"
        raise kind(what, left="nothing was published", remedy=remedy) from error


class Statuses:
    """Reads Hadoop's statuses of many files in a few calls of the JVM, however many there are.

    Each getter is mapped over the whole list there, and its values cross over as one text. Their
    ``toString`` would be one call less, but says nothing of the file on some file systems (viewfs).
    """

    def __init__(self, packages: Any) -> None:
        self._packages = packages

    def paths(self, listed: Any) -> tuple[str, ...]:
        """The path of each status of an iterator of Hadoop's."""
        statuses = self._iterators.toList(listed)
        return tuple(self._texts(statuses, self._path))

    def files(self, listed: Any) -> tuple[tuple[str, int, int], ...]:
        """Path, bytes and time of each status of an iterator of Hadoop's."""
        statuses = self._iterators.toList(listed)
        paths = self._texts(statuses, self._path)
        lengths = map(int, self._texts(statuses, self._length))
        times = map(int, self._texts(statuses, self._time))
        return tuple(zip(paths, lengths, times, strict=True))

    def _texts(self, statuses: Any, getter: Any) -> Sequence[str]:
        size = int(statuses.size())
        if not size:
            return ()
        every = self._iterators.remoteIteratorFromIterable(statuses)
        values = self._iterators.toList(self._iterators.mappingRemoteIterator(every, getter))
        return parted(str(self._of("java.lang.String").join(jvm.SEPARATOR, values)), size)

    @cached_property
    def _path(self) -> Any:
        return self._getter("getPath", self._class("org.apache.hadoop.fs.Path"))

    @cached_property
    def _length(self) -> Any:
        return self._getter("getLen", self._of("java.lang.Long").TYPE)

    @cached_property
    def _time(self) -> Any:
        return self._getter("getModificationTime", self._of("java.lang.Long").TYPE)

    def _getter(self, name: str, returns: Any) -> Any:
        """A function of Hadoop's that gives what the getter returns, as a text."""
        handles, of_type = self._of("java.lang.invoke.MethodHandles"), self._type_of
        anything, text = self._class("java.lang.Object"), self._class("java.lang.String")
        status, public = self._class("org.apache.hadoop.fs.FileStatus"), handles.publicLookup()
        get = public.findVirtual(status, name, of_type(returns))
        as_text = public.findStatic(text, "valueOf", of_type(text, anything))
        boxed = get.asType(get.type().changeReturnType(anything))
        return self._of("java.lang.invoke.MethodHandleProxies").asInterfaceInstance(
            self._class(f"{FUNCTIONS}.FunctionRaisingIOE"),
            handles.filterReturnValue(boxed, as_text),
        )

    @property
    def _type_of(self) -> Any:
        return self._of("java.lang.invoke.MethodType.methodType")

    @property
    def _iterators(self) -> Any:
        return self._of(f"{FUNCTIONS}.RemoteIterators")

    def _class(self, name: str) -> Any:
        return self._of("java.lang.Class").forName(name)

    def _of(self, path: str) -> Any:
        return jvm.member(self._packages, path)


def parted(text: str, size: int) -> Sequence[str]:
    """The values of a text; StorageError if they are not that many, for none may be left out."""
    values = text.split(jvm.SEPARATOR)
    if len(values) != size:
        raise StorageError(
            f"a listing of {size} files was read as one of {len(values)}: a name has a character "
            "that separates names",
            left="nothing was published",
            remedy="rename the file whose name has a NUL character",
        )
    return values
