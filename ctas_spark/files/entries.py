"""How an entry that is there is changed: only while it still is all that was read of it.

A metastore replaces an entry whole, and compares one property of it at most. What others changed in
the others since it was read (an INSERT's statistics, a clean-up's note) would come back.
"""

from contextlib import nullcontext
from dataclasses import dataclass

from ..context import TableName
from ..errors import EntryMissingError, EntryModifiedError
from ..metastore.client import EntryChange, Expectation, MetastoreClient
from ..publish.locks import CommitLock, HeldCheck

MOST_ATTEMPTS = 10
"""Of a change that is made again from what others have made of the entry meanwhile."""


@dataclass(frozen=True, slots=True)
class EntryWriter:
    """Changes the entries of one metastore.

    ``lock`` keeps out the other writers of a target where the metastore does not compare, and so
    ignores what is expected; it guards the target's records as well.
    """

    metastore: MetastoreClient
    lock: CommitLock

    def change(
        self,
        target: TableName,
        change: EntryChange,
        expected: Expectation | None,
        held: HeldCheck | None = None,
    ) -> None:
        """Replace the entry that ``change`` was made from, read again directly before.

        Args:
            target: whose writers are kept out, where a lock has to do that.
            expected: what the metastore compares, where it does.
            held: the check of the target's lock, if the caller holds it already.

        Raises:
            EntryModifiedError: the entry is another by now, or gone.
            LockLostError, MetastoreError: it was not changed, or may have been.
        """
        read = change.staged
        with self.lock.held(target) if held is None else nullcontext(held) as check:
            if self.metastore.get_table(read.name) != read:
                raise EntryModifiedError(f"{read.name} has changed since it was read")
            check()
            try:
                self.metastore.alter_table(change, expected)
            except EntryMissingError as error:
                raise EntryModifiedError(f"{read.name} is gone") from error
