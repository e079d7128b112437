"""How a version of a native format is published, as logs and run results name it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NativeWay:
    """One commit of the format's own: no reader finds less than a table meanwhile."""

    name: str
    reader_window: str = "none"


SWAP = NativeWay("swap")
CREATE = NativeWay("create")
