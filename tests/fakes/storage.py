"""A storage in memory whose clock ticks one second with each write."""

from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.storage.client import StoredText


class FakeStorage:
    """``refuses`` makes every call fail, as a full or forbidden disk does."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.modified: dict[str, int] = {}
        self.empty_directories: set[str] = set()
        self.now_ms = 1_700_000_000_000
        self.refuses = False
        self.permissions: dict[str, str] = {}

    def write(self, path: str, text: str) -> int:
        self._refuse(path)
        self.now_ms += 1_000
        self.files[path] = text
        self.modified[path] = self.now_ms
        return self.now_ms

    def read(self, path: str) -> StoredText | None:
        self._refuse(path)
        text = self.files.get(path)
        return None if text is None else StoredText(text, self.modified[path])

    def children(self, directory: str) -> tuple[str, ...]:
        self._refuse(directory)
        inside = [name[len(directory) + 1 :] for name in self.files if _is_in(name, directory)]
        return tuple(sorted({name.split("/")[0] for name in inside}))

    def copy_permissions(self, source: str, directory: str) -> None:
        self._refuse(directory)
        if self.exists(source):
            self.permissions[directory] = source

    def delete(self, path: str) -> None:
        self._refuse(path)
        gone = [name for name in self.files if name == path or _is_in(name, path)]
        for name in gone:
            del self.files[name]
        self.empty_directories.discard(path)

    def exists(self, path: str) -> bool:
        self._refuse(path)
        made = path in self.empty_directories
        return made or any(name == path or _is_in(name, path) for name in self.files)

    def _refuse(self, path: str) -> None:
        if self.refuses:
            raise StorageError(f"no space left for {path}")


def _is_in(name: str, directory: str) -> bool:
    return name.startswith(f"{directory}/")
