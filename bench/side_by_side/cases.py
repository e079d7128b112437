"""What a benchmark builds, and what it keeps of each build."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

THREADS = 4
OURS, ARCHIVED, WARM, NIO, STOCK, FLOOR, DUCKDB, SQLMESH = NAMES = (
    "ctas_spark",
    "ctas_spark, archive",
    "ctas_spark, warm",
    "ctas_spark, warm, NIO",
    "dbt-spark",
    "pyspark",
    "dbt-duckdb",
    "sqlmesh",
)
"""The competitors in the order of tables and plots; others follow."""


class Build(Enum):
    """The builds of one project, in the order in which they follow each other."""

    FIRST = "first build"
    REBUILD = "rebuild"
    TESTS = "build with tests"


@dataclass(frozen=True, slots=True)
class Case:
    """A project: so many models of one row or, with a scale factor, TPC-H's 22 queries."""

    name: str
    models: int = 22
    scale: float = 0


@dataclass(frozen=True, slots=True)
class Times:
    """One process, in seconds.

    ``first_node`` is from the start of the process to the start of its first model, ``models`` from
    there to the end of the last one. ``tenths`` is what a model of each tenth of the run took, in
    the order in which they ended. What a tool does not report is None.
    """

    seconds: float
    first_node: float | None = None
    models: float | None = None
    tenths: Sequence[float] | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One build of one competitor; ``busy`` is the share of all cores that others used just before.

    A build that failed has its last words instead of times.
    """

    round: int
    case: str
    competitor: str
    build: str
    busy: float | None = None
    seconds: float | None = None
    first_node: float | None = None
    models: float | None = None
    tenths: Sequence[float] | None = None
    failed: str | None = None


def samples_of(figures: Mapping[str, Any]) -> list[Sample]:
    """The builds of a file of figures."""
    return [Sample(**one) for one in figures["samples"]]
