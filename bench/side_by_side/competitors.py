"""What is compared: a line for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from side_by_side.cases import ARCHIVED, DUCKDB, FLOOR, OURS, QUICK, SQLMESH, STOCK, WARM
from side_by_side.tools import Dbt, Pyspark, Sqlmesh, Tool

READ_PARQUET = "read_parquet('{}')"


@dataclass(frozen=True, slots=True)
class Competitor:
    """A tool with its settings.

    ``archive``: it finds an archive of Spark's classes. ``before`` and ``after`` are commands of
    its environment, run in the project's directory around all builds, which nobody measures: they
    start and stop what a run finds ready.
    """

    name: str
    tool: Tool
    archive: bool = False
    before: Sequence[str] = ()
    after: Sequence[str] = ()


SESSION = {"type": "spark", "method": "session", "host": "NA"}
QUICK_COMPILER = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
WARM_SPARK = ("dbt", "run-operation", "ctas_warm_spark")

COMPETITORS = (
    Competitor(OURS, Dbt({"type": "ctas_spark"})),
    Competitor(ARCHIVED, Dbt({"type": "ctas_spark"}), archive=True),
    Competitor(QUICK, Dbt({"type": "ctas_spark", "spark_conf": QUICK_COMPILER}), archive=True),
    Competitor(
        WARM,
        Dbt({"type": "ctas_spark"}),
        before=WARM_SPARK,
        after=(*WARM_SPARK, "--args", "{stop: true}"),
    ),
    Competitor(STOCK, Dbt(SESSION)),
    Competitor(FLOOR, Pyspark()),
    Competitor(DUCKDB, Dbt({"type": "duckdb", "path": "bench.db"}, DUCKDB, READ_PARQUET)),
    Competitor(SQLMESH, Sqlmesh()),
)
