"""The locks that a metastore keeps of its tables (Hive's ``lock``, ``check_lock``, ``unlock``)."""

from dataclasses import dataclass
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName

AGENT = "dbt-ctas-spark"
"""Who locks, as ``SHOW LOCKS`` says it beside the owner."""


@dataclass(frozen=True, slots=True)
class TableLock:
    """A lock as the server shows it; ``beaten_ms`` is the server's time of its last beat."""

    id: int
    owner: str
    beaten_ms: int


class TableLockClient(Protocol):
    """Exclusive locks, which some servers end when nobody beats them (``hive.txn.timeout``).

    Every call raises MetastoreError, or EntryMissingError for a lock that the server has ended.
    """

    def supports_locks(self) -> bool:
        """True if the server has its lock tables; tried on a scratch name and released again.

        A server without them answers "Internal error processing lock" or closes the connection:
        that is a "no". A server that can't be reached is an error.
        """

    def lock(self, name: TableName, owner: str) -> int:
        """Ask for the exclusive lock; the lock's id, whether it is granted yet or waits."""

    def is_granted(self, lock: int) -> bool:
        """True once the lock is held; it beats a waiting lock as well."""

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        """Every lock on the table, held or waited for."""

    def heartbeat(self, lock: int) -> None:
        """Keep a held lock alive; EntryMissingError when the server ended it."""

    def unlock(self, lock: int) -> None:
        """Release the lock or stop waiting; no error when it has ended."""
