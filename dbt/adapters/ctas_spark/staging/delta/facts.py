"""What a Delta table's log says of it at one version, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker

REPLACES = ("CREATE OR REPLACE TABLE", "REPLACE TABLE", "RESTORE")


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """One commit of the log; ``operation`` and ``time_ms`` as the writer noted them."""

    number: int
    operation: str
    time_ms: int
    marker: CommitMarker | None

    @property
    def ends_our_version(self) -> bool:
        """True for another's replace or restore: what it left is no version of ours any more."""
        return self.marker is None and self.operation.startswith(REPLACES)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table at one version of its log.

    ``root`` is the URI of its directory; ``metadata`` and ``protocol`` are the actions' fields.
    """

    root: str
    number: int
    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The table's identity: a table that is dropped and created anew gets another."""
        return str(self.metadata["id"])

    @property
    def configuration(self) -> Mapping[str, str]:
        """Its properties, the format's own among them."""
        found: Mapping[str, str] = self.metadata.get("configuration") or {}
        return found

    @property
    def features(self) -> frozenset[str]:
        """The features that its protocol names; older protocols name none."""
        reader = self.protocol.get("readerFeatures") or ()
        return frozenset(reader) | frozenset(self.protocol.get("writerFeatures") or ())

    def is_same_as(self, other: "TableFacts") -> bool:
        """True if nobody has committed between the two."""
        return self.is_same_table(other) and self.number == other.number

    def is_same_table(self, other: "TableFacts") -> bool:
        """True if it is the same table, be it at another version."""
        return self.id == other.id and self.root == other.root
