"""The heartbeat of a living run: one small file on each storage that it writes versions to."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone

from dbt.adapters.ctas_spark.staging.errors import StorageError
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity
from dbt.adapters.ctas_spark.staging.storage.client import TextStore

HEARTBEAT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class StorageClock:
    """The storage's time in milliseconds: what a heartbeat of one's own is written at."""

    lease: "Lease"
    directory: str

    def __call__(self) -> int:
        """Beat, and read the time."""
        return self.lease.beat(self.directory)


def new_lease_id(letter: str = "x") -> str:
    """An id that sorts by time for people; nothing else may depend on its order.

    Args:
        letter: tells apart runs that keep their leases in different places.
    """
    return f"{datetime.now(timezone.utc):%Y%m%dt%H%M%S}{letter}{secrets.token_hex(4)}"


class Lease:
    """Says to others that this run's versions have a living owner.

    It is on a storage before the first directory is made there, beats until ``close``, and stays
    behind if a version of the run is unresolved. ``catalog`` names where the run keeps its records:
    two catalogs may share a storage.
    """

    def __init__(
        self,
        storage: TextStore,
        on_missed_beat: Callable[[StorageError], None] | None = None,
        catalog: str = "",
        name: str | None = None,
    ) -> None:
        self.id = name or new_lease_id()
        self.catalog = catalog
        self._text = LeaseFile(self.id, ProcessIdentity.current(), catalog).to_text()
        self._storage = storage
        self._on_missed_beat = on_missed_beat
        self._lock = threading.Lock()
        self._directories: set[str] = set()
        self._versions = 0
        self._unresolved: set[str] = set()
        self._closed = threading.Event()
        self._heart: threading.Thread | None = None

    def new_version(self) -> str:
        """A version id of this run: it begins with the lease's id, so that it leads back here."""
        with self._lock:
            self._versions += 1
            version = f"{self.id}_{self._versions:04d}"
            self._unresolved.add(version)
        return version

    def resolved(self, version: str) -> None:
        """The version is published, or nothing of it is left."""
        with self._lock:
            self._unresolved.discard(version)

    def beat(self, directory: str) -> int:
        """Write the lease into ``directory``; return the storage's time in milliseconds."""
        now = self._storage.write(self._path(directory), self._text)
        with self._lock:
            self._directories.add(directory)
            self._start_heart()
        return now

    def close(self) -> None:
        """Stop beating; remove the lease, unless a version of the run is unresolved."""
        self._closed.set()
        if self._heart is not None:
            self._heart.join()
        if not self._unresolved:
            for directory in self._directories:
                self._storage.delete(self._path(directory))

    def _path(self, directory: str) -> str:
        return f"{directory}/{self.id}"

    def _start_heart(self) -> None:
        if self._heart is None:
            self._heart = threading.Thread(target=self._beat_on, name="ctas-lease", daemon=True)
            self._heart.start()

    def _beat_on(self) -> None:
        while not self._closed.wait(HEARTBEAT_SECONDS):
            for directory in tuple(self._directories):
                self._beat_once(directory)

    def _beat_once(self, directory: str) -> None:
        try:
            self._storage.write(self._path(directory), self._text)
        except StorageError as error:
            if self._on_missed_beat is not None:
                self._on_missed_beat(error)
