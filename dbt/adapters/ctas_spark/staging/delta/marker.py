"""The marker of a publication in a Delta table's history: the commit's own user metadata."""

import json
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging.publish.marker import PREFIX
from dbt.adapters.ctas_spark.staging.publish.native_marker import NativeMarker, common_fields

ROWS = PREFIX + "rows"
BYTES = PREFIX + "bytes"


@dataclass(frozen=True, slots=True)
class CommitMarker(NativeMarker):
    """What one commit says of the publication that it is.

    ``rows`` and ``bytes`` are what was staged, None where the files' statistics do not say it.
    """

    rows: int | None = None
    bytes: int | None = None

    def to_text(self) -> str:
        """One line of JSON, which DESCRIBE HISTORY shows."""
        return json.dumps({**self.common_values(), ROWS: self.rows, BYTES: self.bytes})

    @classmethod
    def parse(cls, text: str | None) -> "CommitMarker | None":
        """The marker in a commit's user metadata; None if that is a user's own, or nothing."""
        try:
            read: Any = json.loads(text or "")
            return cls(**common_fields(read), rows=read[ROWS], bytes=read[BYTES])
        except (KeyError, TypeError, ValueError):
            return None
