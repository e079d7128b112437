"""What every catalog has to do; each function's docstring is a sentence of the contract."""

from contract.behaviours import (
    aborts,
    capabilities,
    conflicts,
    formats,
    level_none,
    partitions,
    publication,
    readers,
    renames,
    versions,
)
from contract.behaviours.registry import ALL, Behaviour

__all__ = [
    "ALL",
    "Behaviour",
    "aborts",
    "capabilities",
    "conflicts",
    "formats",
    "level_none",
    "partitions",
    "publication",
    "readers",
    "renames",
    "versions",
]
