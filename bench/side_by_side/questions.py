"""The questions that whole runs answer: a line for each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from side_by_side.cases import (
    ARCHIVED,
    DUCKDB,
    FLOOR,
    NAMES,
    OURS,
    STOCK,
    WARM,
    Build,
    Case,
    Crowd,
)

Size = float
PROBES = 20
"""The models of a run in a crowd."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by default at which sizes; ``minutes`` is one round of that on two cores."""

    name: str
    asks: str
    case: Callable[[Size], Case]
    sizes: Sequence[Size]
    quick: Sequence[Size]
    competitors: Sequence[str]
    builds: Sequence[Build]
    minutes: str


def counted(size: Size, what: str) -> str:
    """A number of things."""
    return f"{size:g} {what}{'' if size == 1 else 's'}"


def _small(size: Size) -> Case:
    return Case(counted(size, "model"), models=int(size))


def _threads(size: Size) -> Case:
    return Case(counted(size, "thread"), models=100, threads=int(size))


def _tpch(size: Size) -> Case:
    return Case(f"{size:g} GB", scale=size)


def _among(crowd: Crowd) -> Callable[[Size], Case]:
    def case(size: Size) -> Case:
        name = counted(size, crowd.value.removesuffix("s"))
        return Case(name, models=PROBES, crowd=crowd, crowd_size=int(size))

    return case


TWICE = (Build.FIRST, Build.REBUILD)
QUESTIONS = {
    one.name: one
    for one in (
        Question(
            "small",
            "many small models: a first build, a rebuild, and a build with two tests a model",
            _small,
            (100, 500),
            (20,),
            NAMES,
            tuple(Build),
            "12 (100 models) + 50 (500 models); 5 for 100 models of ctas_spark, "
            "ctas_spark, archive, dbt-spark and pyspark without tests",
        ),
        Question(
            "start",
            "from the start of the process to the first node",
            _small,
            (1,),
            (1,),
            (OURS, ARCHIVED, WARM, STOCK, FLOOR, DUCKDB),
            TWICE,
            "2.5",
        ),
        Question(
            "threads",
            "100 small models in 1 to 16 threads",
            _threads,
            (1, 2, 4, 8, 16),
            (1, 4),
            (ARCHIVED, STOCK, FLOOR),
            TWICE,
            "18",
        ),
        Question(
            "tpch",
            "TPC-H's 22 queries as models, by scale factor (1: 1 GB)",
            _tpch,
            (1, 5),
            (0.01,),
            (OURS, STOCK, FLOOR, DUCKDB),
            TWICE,
            "8 (1 GB) + 25 (5 GB)",
        ),
        Question(
            "models",
            "projects of 10 to 5,000 models: what the last ones of a run cost",
            _small,
            (10, 100, 1_000, 5_000),
            (10, 50),
            (ARCHIVED, STOCK),
            (Build.FIRST,),
            "10 (to 1,000 models) + 35 (5,000 models)",
        ),
        Question(
            "tables",
            "20 models in a schema with 10 to 5,000 other tables",
            _among(Crowd.TABLES),
            (10, 1_000, 5_000),
            (10, 100),
            (ARCHIVED, STOCK),
            TWICE,
            "4, and once 5 to make the tables",
        ),
        Question(
            "versions",
            "20 models, one of which has 10 to 5,000 versions",
            _among(Crowd.VERSIONS),
            (10, 1_000, 5_000),
            (10, 50),
            (ARCHIVED,),
            TWICE,
            "2, and once 20 to make the versions",
        ),
    )
}
