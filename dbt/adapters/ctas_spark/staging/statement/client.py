"""What a publication by statement needs to know of a catalog's tables, however they are reached."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName

NOTHING: Mapping[str, str] = MappingProxyType({})
A_VIEW = "a view"


@dataclass(frozen=True, slots=True)
class TableFacts:
    """All that can be seen of a table at one moment.

    ``id`` and ``version`` are empty where the catalog does not say them, or Spark does not ask:
    then a commit that changes rows alone can't be seen. ``in_history`` is the marker of the newest
    publication that the format's own history tells of: empty where that was not looked at, and no
    part of a comparison, as a history expires.
    """

    id: str
    version: str
    columns: str
    partitioning: tuple[str, ...]
    properties: Mapping[str, str]
    in_history: Mapping[str, str] = field(default_factory=lambda: NOTHING, compare=False)


class TableClient(Protocol):
    """The tables of one catalog; every call looks anew, past all caches.

    Each call raises MetastoreError or one of its subclasses; "could not find out" is never None.
    """

    name: str

    def find(self, name: TableName) -> TableFacts | None:
        """The table as it is now; None if there is none that this client serves."""

    def exists(self, name: TableName) -> bool:
        """True if the name is taken by a table."""

    def obstacle(self, name: TableName) -> str:
        """What is in the place of a table that ``find`` does not see; empty if nothing is."""

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        """The tables of a namespace."""

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""

    def drop(self, name: TableName) -> None:
        """Drop a table of ours, with its files where the catalog can; never a target."""
