"""What every catalog has to do; each function's docstring is a sentence of the contract."""

from contract.behaviours import (
    aborts,
    branches,
    capabilities,
    clean_up,
    conflicts,
    keys,
    level_none,
    partitions,
    publication,
    readers,
    versions,
)
from contract.behaviours.registry import ALL, Behaviour

__all__ = [
    "ALL",
    "Behaviour",
    "aborts",
    "branches",
    "capabilities",
    "clean_up",
    "conflicts",
    "keys",
    "level_none",
    "partitions",
    "publication",
    "readers",
    "versions",
]
