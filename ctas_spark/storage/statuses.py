"""Hadoop's statuses of files, read in few calls of the JVM."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ..engines import jvm
from ..errors import StorageError

FUNCTIONS = "org.apache.hadoop.util.functional"


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
            remedy="rename the file whose name has a NUL character",
        )
    return values
