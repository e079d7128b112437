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
)

Size = float


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


def _tpch(size: Size) -> Case:
    return Case(f"{size:g} GB", scale=size)


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
    )
}
