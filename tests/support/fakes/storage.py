"""A storage in memory, with a clock of its own that tests turn on."""

from collections import UserDict, defaultdict
from collections.abc import Collection, Iterator

from ctas_spark.errors import StorageError
from ctas_spark.storage.client import AccessDeniedError, StoredFile
from fakes.clock import FakeClock


class Texts(UserDict[str, str]):
    """Files by path; what lies in a directory is found without a look at the rest."""

    def __init__(self) -> None:
        super().__init__()
        self._inside: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def __setitem__(self, path: str, text: str) -> None:
        super().__setitem__(path, text)
        while "/" in path:
            directory, _, child = path.rpartition("/")
            self._inside[directory][child] = None
            path = directory

    def __delitem__(self, path: str) -> None:
        super().__delitem__(path)
        while "/" in path and path not in self.data and not self._inside.get(path):
            directory, _, child = path.rpartition("/")
            del self._inside[directory][child]
            path = directory

    def below(self, directory: str) -> Iterator[str]:
        """The files in it, at any depth."""
        for child in self.children(directory):
            path = f"{directory}/{child}"
            if path in self.data:
                yield path
            yield from self.below(path)

    def children(self, directory: str) -> tuple[str, ...]:
        """What lies directly in it."""
        return tuple(self._inside.get(directory, ()))


class FakeStorage:
    """``texts`` are the files by path; ``refuses`` makes every call fail, as a full disk does.

    Below ``gone`` every call fails, too, as where a server is no longer there.
    ``permissions`` says of a directory from which one it has them, and this user may not write in
    those that are ``closed``.

    Its clock is ``clock``'s wall clock, ``skew_ms`` later.
    """

    def __init__(self, clock: FakeClock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.skew_ms = 0
        self.texts = Texts()
        self.modified: dict[str, int] = {}
        self.empty_directories: set[str] = set()
        self.refuses = False
        self.gone = ""
        self.permissions: dict[str, str] = {}
        self.closed: set[str] = set()

    @property
    def time_ms(self) -> int:
        """Its time now."""
        return self.clock.wall + self.skew_ms

    def write(self, path: str, text: str) -> None:
        self._refuse(path)
        self.texts[path] = text
        self.modified[path] = self.time_ms

    def create(self, path: str, text: str) -> bool:
        self._refuse(path)
        if path in self.texts:
            return False
        self.write(path, text)
        return True

    def read(self, path: str) -> str | None:
        self._refuse(path)
        return self.texts.get(path)

    def now_ms(self, directory: str) -> int:
        self._refuse(directory)
        return self.time_ms

    def qualified(self, path: str) -> str:
        """The local file system is the default one, and ``nosuch`` is none."""
        if path.startswith("nosuch:"):
            raise StorageError('No FileSystem for scheme "nosuch"')
        return f"file:{path}" if path.startswith("/") else path

    def children(self, directory: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        self._refuse(directory)
        return tuple(sorted({*self.texts.children(directory)} - {*(known or ())}))

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        self._refuse(directory)
        return tuple(
            StoredFile(path, len(self.texts[path]), self.modified[path])
            for path in self.texts.below(directory)
        )

    def modified_ms(self, path: str) -> int | None:
        self._refuse(path)
        inside = [self.modified[one] for one in self._at(path)]
        return max(inside) if inside else (0 if path in self.empty_directories else None)

    def exists(self, path: str) -> bool:
        self._refuse(path)
        return path in self.empty_directories or bool(self._at(path))

    def delete(self, path: str) -> None:
        self._refuse(path)
        for name in self._at(path):
            del self.texts[name]
        self.empty_directories.discard(path)

    def remove_empty(self, directory: str) -> None:
        self._refuse(directory)
        if not self.children(directory):
            self.permissions.pop(directory, None)

    def copy(self, source: str, directory: str) -> None:
        self._refuse(directory)
        for path in [*self.texts.below(source)]:
            self.write(directory + path.removeprefix(source), self.texts[path])

    def copy_permissions(self, source: str, directory: str) -> None:
        self._refuse(directory)
        if self.exists(source):
            self.permissions[directory] = source

    def make_directory(self, directory: str, like: str) -> None:
        self._refuse(directory)
        if directory in self.closed:
            raise AccessDeniedError(f"this user may not write in {directory}")
        self.permissions.setdefault(directory, like)

    def _at(self, path: str) -> list[str]:
        """The file, or those in the directory."""
        return [path] if path in self.texts else [*self.texts.below(path)]

    def _refuse(self, path: str) -> None:
        if self.refuses:
            raise StorageError(f"no space left for {path}")
        if self.gone and path.startswith(self.gone):
            raise StorageError(f"no server answers for {path}")
