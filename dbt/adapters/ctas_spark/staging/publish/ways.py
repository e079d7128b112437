"""How a version is published by a commit that is not ours to make, as logs and results name it."""

from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.publish.protocol import CommitWay


@dataclass(frozen=True, slots=True)
class NativeWay:
    """``reader_window`` is what a reader may meet meanwhile: ``none``, or ``absent``."""

    name: str
    reader_window: str = "none"


SWAP = NativeWay("swap")
CREATE = NativeWay("create")
REPLACE = NativeWay("replace")
"""By a statement that is known to be one commit."""
REPLACE_AS_DECLARED = NativeWay("replace", "absent")
"""By one of which that is only declared: no probe sees a moment within a commit."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How a table is published that is not there, and over one that is."""

    create: CommitWay
    replace: CommitWay


OWN_COMMIT = Ways(CREATE, SWAP)
