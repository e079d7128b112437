"""The marker of a publication in a Delta table's history: the commit's own user metadata."""

import json
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging.marker import (
    BASE,
    COMMIT,
    LEVEL,
    PREFIX,
    TARGET,
    VERSION,
    Kind,
)

KIND = PREFIX + "kind"
TIME = PREFIX + "time_ms"
ROWS = PREFIX + "rows"
BYTES = PREFIX + "bytes"


@dataclass(frozen=True, slots=True)
class CommitMarker:
    """What one commit says of the publication that it is.

    ``base`` is the commit id before, or empty; ``time_ms`` the storage's time just before the call.
    ``rows`` and ``bytes`` are what was staged, None where the files' statistics do not say it.
    """

    commit: str
    version: str
    base: str
    target: str
    level: str
    kind: Kind
    time_ms: int
    rows: int | None = None
    bytes: int | None = None

    def to_text(self) -> str:
        """One line of JSON, which DESCRIBE HISTORY shows."""
        return json.dumps(
            {
                COMMIT: self.commit,
                VERSION: self.version,
                BASE: self.base,
                TARGET: self.target,
                LEVEL: self.level,
                KIND: self.kind.value,
                TIME: self.time_ms,
                ROWS: self.rows,
                BYTES: self.bytes,
            }
        )

    @classmethod
    def parse(cls, text: str | None) -> "CommitMarker | None":
        """The marker in a commit's user metadata; None if that is a user's own, or nothing."""
        try:
            read: Any = json.loads(text or "")
            return cls(
                commit=str(read[COMMIT]),
                version=str(read[VERSION]),
                base=str(read[BASE]),
                target=str(read[TARGET]),
                level=str(read[LEVEL]),
                kind=Kind(read[KIND]),
                time_ms=int(read[TIME]),
                rows=read[ROWS],
                bytes=read[BYTES],
            )
        except (KeyError, TypeError, ValueError):
            return None
