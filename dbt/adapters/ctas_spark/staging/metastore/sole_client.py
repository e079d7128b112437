"""The client of an embedded metastore in a JVM of this process, which no other process reaches.

Hive writes a table's name into its statement for compare-and-swap, so Derby compiles it for each
call; and Derby runs it by a scan of the parameters of all tables. So the cost of a publication
would grow with the number of tables.
"""

import threading

from ..context import TableName
from ..errors import EntryModifiedError
from .client import EntryChange, Expectation
from .connections import InJvmMetastore

ONE_AT_A_TIME: dict[TableName, threading.Lock] = {}
"""Of all clients of this process: a table's entry is read and changed by one of them."""


class SoleClient(InJvmMetastore):
    """It compares by itself what it is to expect, while it lets no other thread change the entry.

    What Spark itself changes meanwhile, as by a user's ALTER TABLE in this process, no lock holds
    off; it is noticed, as on any metastore, by the comparison of the whole entry before the call.
    """

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        with ONE_AT_A_TIME.setdefault(_as_listed(was), threading.Lock()):  # setdefault is atomic
            if expected is not None:
                self._compare(was, expected)
            super().rename_table(was, change, None)

    def _compare(self, name: TableName, expected: Expectation) -> None:
        """Raise EntryModifiedError if another value is there; an absent table Hive refuses."""
        entry = self.get_table(name)
        if entry is not None and entry.parameters.get(expected.key) != expected.value:
            raise EntryModifiedError(f"could not alter_table({name}): {expected.key} has changed")


def _as_listed(name: TableName) -> TableName:
    return TableName(name.database.lower(), name.table.lower())
