"""Somebody who follows no protocol, and does things to a table with a client of their own."""

from dataclasses import dataclass

from contract_clients.server_place import direct
from faults.numbered import TABLE, Numbered


@dataclass(frozen=True, slots=True)
class Someone:
    """What they do is done to the metastore's entry alone."""

    numbered: Numbered

    def drop(self) -> None:
        """Drop the table; its data stays, because it is external."""
        with direct(self.numbered.outside.metastore) as hand:
            hand.drop_table(self._schema, TABLE, False)

    def rename(self, name: str) -> None:
        """Rename the table."""
        entry = self.numbered.outside.entry(TABLE)
        entry.tableName = name
        with direct(self.numbered.outside.metastore) as hand:
            hand.alter_table(self._schema, TABLE, entry)

    def alter(self) -> None:
        """Set a property."""
        entry = self.numbered.outside.entry(TABLE)
        entry.parameters["owner_of_the_data"] = "someone"
        with direct(self.numbered.outside.metastore) as hand:
            hand.alter_table(self._schema, TABLE, entry)

    def clone(self, name: str) -> None:
        """Create another table with the same location and properties, as SHOW CREATE TABLE has."""
        entry = self.numbered.outside.entry(TABLE)
        entry.tableName = name
        with direct(self.numbered.outside.metastore) as hand:
            hand.create_table(entry)

    @property
    def _schema(self) -> str:
        return self.numbered.outside.schema
