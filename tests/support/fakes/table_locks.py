"""A metastore's locks in memory; they end when a test says so."""

import itertools
from dataclasses import dataclass, replace

from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, MetastoreError
from ctas_spark.metastore.client import TableLock
from fakes.calls import Calls


@dataclass(frozen=True, slots=True)
class Held:
    """A lock that is held or waited for."""

    name: TableName
    owner: str
    beaten_ms: int


class FakeLocks(Calls):
    """``locks`` has every living lock by its id; the oldest one of a name is held.

    ``server_ms`` is the server's time, which goes on with every beat.
    """

    def __init__(self) -> None:
        super().__init__()
        self.has_locks = True
        self.locks: dict[int, Held] = {}
        self.server_ms = 0
        self._ids = itertools.count(1)

    def supports_locks(self) -> bool:
        with self.made("supports_locks"):
            return self.has_locks

    def lock(self, name: TableName, owner: str) -> int:
        with self.made("lock"):
            if not self.has_locks:
                raise MetastoreError("Internal error processing lock")
            lock = next(self._ids)
            self.locks[lock] = Held(name, owner, self.server_ms)
            return lock

    def is_granted(self, lock: int) -> bool:
        with self.made("is_granted"):
            asked = self._beaten(lock)
            return lock == min(one for one, held in self.locks.items() if held.name == asked.name)

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        with self.made("locks_on"):
            return tuple(
                TableLock(lock, held.owner, held.beaten_ms)
                for lock, held in self.locks.items()
                if held.name == name
            )

    def heartbeat(self, lock: int) -> None:
        with self.made("heartbeat"):
            self._beaten(lock)

    def unlock(self, lock: int) -> None:
        with self.made("unlock"):
            self.locks.pop(lock, None)

    def expire_locks(self) -> None:
        """End every lock, as a server does with those that nobody beats."""
        self.locks.clear()

    def _beaten(self, lock: int) -> Held:
        if lock not in self.locks:
            raise EntryMissingError(f"lock {lock} has ended")
        self.server_ms += 1
        self.locks[lock] = replace(self.locks[lock], beaten_ms=self.server_ms)
        return self.locks[lock]
