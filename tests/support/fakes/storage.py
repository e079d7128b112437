"""A storage in memory, with a clock of its own that tests turn on."""

from collections.abc import Collection

from ctas_spark.errors import StorageError
from ctas_spark.storage.client import AccessDeniedError, StoredFile
from fakes.clock import FakeClock


class FakeStorage:
    """``texts`` are the files by path; ``refuses`` makes every call fail, as a full disk does.

    ``permissions`` says of a directory from which one it has them, and this user may not write in
    those that are ``closed``.

    Its clock is ``clock``'s wall clock, ``skew_ms`` later.
    """

    def __init__(self, clock: FakeClock | None = None) -> None:
        self.clock = clock or FakeClock()
        self.skew_ms = 0
        self.texts: dict[str, str] = {}
        self.modified: dict[str, int] = {}
        self.empty_directories: set[str] = set()
        self.refuses = False
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
        inside = [name[len(directory) + 1 :] for name in self.texts if _is_in(name, directory)]
        return tuple(sorted({name.split("/")[0] for name in inside} - {*(known or ())}))

    def files(self, directory: str) -> tuple[StoredFile, ...]:
        self._refuse(directory)
        return tuple(
            StoredFile(path, len(text), self.modified[path])
            for path, text in self.texts.items()
            if _is_in(path, directory)
        )

    def modified_ms(self, path: str) -> int | None:
        self._refuse(path)
        inside = [self.modified[one] for one in self.texts if one == path or _is_in(one, path)]
        return max(inside) if inside else (0 if path in self.empty_directories else None)

    def exists(self, path: str) -> bool:
        self._refuse(path)
        made = path in self.empty_directories
        return made or any(name == path or _is_in(name, path) for name in self.texts)

    def delete(self, path: str) -> None:
        self._refuse(path)
        gone = [name for name in self.texts if name == path or _is_in(name, path)]
        for name in gone:
            del self.texts[name]
        self.empty_directories.discard(path)

    def remove_empty(self, directory: str) -> None:
        self._refuse(directory)
        if not self.children(directory):
            self.permissions.pop(directory, None)

    def copy(self, source: str, directory: str) -> None:
        self._refuse(directory)
        for path in [one for one in self.texts if _is_in(one, source)]:
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

    def _refuse(self, path: str) -> None:
        if self.refuses:
            raise StorageError(f"no space left for {path}")


def _is_in(name: str, directory: str) -> bool:
    return name.startswith(f"{directory}/")
