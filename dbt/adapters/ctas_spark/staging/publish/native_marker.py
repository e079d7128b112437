"""What every format's own history says of a publication of ours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ctas_spark.staging.publish.marker import (
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


@dataclass(frozen=True, slots=True)
class NativeMarker:
    """The marker of one publication; a format adds what else it has to know.

    ``base`` is the commit id before, or empty; ``time_ms`` the time just before the call.
    """

    commit: str
    version: str
    base: str
    target: str
    level: str
    kind: Kind
    time_ms: int

    def common_values(self) -> dict[str, str]:
        """The fields that every format has, as they are kept."""
        return {
            COMMIT: self.commit,
            VERSION: self.version,
            BASE: self.base,
            TARGET: self.target,
            LEVEL: self.level,
            KIND: self.kind.value,
            TIME: str(self.time_ms),
        }


def common_fields(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every format has; KeyError or ValueError if they are no whole marker."""
    return {
        "commit": str(kept[COMMIT]),
        "version": str(kept[VERSION]),
        "base": str(kept[BASE]),
        "target": str(kept[TARGET]),
        "level": str(kept[LEVEL]),
        "kind": Kind(kept[KIND]),
        "time_ms": int(kept[TIME]),
    }
