"""What is compared: a line for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from servers.jars import BARE_LOCAL_FILES, Jar
from side_by_side.cases import ARCHIVED, DUCKDB, FLOOR, NIO, OURS, SQLMESH, STOCK, WARM
from side_by_side.tools import Dbt, Pyspark, Sqlmesh, Tool

READ_PARQUET = "read_parquet('{}')"


@dataclass(frozen=True, slots=True)
class Competitor:
    """A tool with its settings.

    ``archive``: it finds an archive of Spark's classes. ``jar``: its Spark finds these classes.
    ``before`` and ``after`` are commands of its environment, run in the project's directory around
    all builds, which nobody measures: they start and stop what a run finds ready.
    """

    name: str
    tool: Tool
    archive: bool = False
    jar: Jar | None = None
    before: Sequence[str] = ()
    after: Sequence[str] = ()


SESSION = {"type": "spark", "method": "session", "host": "NA"}
FILES_BY_NIO = {
    "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem"
}
WARM_SPARK = ("dbt", "run-operation", "ctas_warm_spark")
NO_WARM_SPARK = (*WARM_SPARK, "--args", "{stop: true}")

COMPETITORS = (
    Competitor(OURS, Dbt({"type": "ctas_spark"})),
    Competitor(ARCHIVED, Dbt({"type": "ctas_spark"}), archive=True),
    Competitor(WARM, Dbt({"type": "ctas_spark"}), before=WARM_SPARK, after=NO_WARM_SPARK),
    Competitor(
        NIO,
        Dbt({"type": "ctas_spark", "spark_conf": FILES_BY_NIO}),
        jar=BARE_LOCAL_FILES,
        before=WARM_SPARK,
        after=NO_WARM_SPARK,
    ),
    Competitor(STOCK, Dbt(SESSION)),
    Competitor(FLOOR, Pyspark()),
    Competitor(DUCKDB, Dbt({"type": "duckdb", "path": "bench.db"}, DUCKDB, READ_PARQUET)),
    Competitor(SQLMESH, Sqlmesh()),
)
