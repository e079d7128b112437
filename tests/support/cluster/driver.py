"""A Python file for spark-submit that calls dbt, and notes what was said and what Spark did.

    driver.py REPORT COMMAND...

Each command is one invocation of dbt, as a JSON list.
"""

import json
import sys
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from ctas_spark.engines import jvm


def invoked(command: list[str]) -> dict[str, Any]:
    """Whether an invocation succeeded, and every line that it logged."""
    lines: list[str] = []
    runner = dbtRunner(callbacks=[lambda event: lines.append(str(event.info.msg))])  # type: ignore[attr-defined]  # protobuf
    outcome = runner.invoke(command)
    return {"success": outcome.success, "log": "\n".join(lines)}


def main() -> None:
    """Run the commands one after the other in the Spark of this process."""
    report, *commands = sys.argv[1:]
    runs = [invoked(json.loads(command)) for command in commands]
    spark = SparkSession.active()
    executors = jvm.context(spark).statusStore().executorList(False)
    found = {
        "runs": runs,
        "conf": dict(spark.sparkContext.getConf().getAll()),
        "ansi": spark.conf.get("spark.sql.ansi.enabled"),
        "executors": {
            one["id"]: {"completed": one["completedTasks"]} for one in jvm.as_json(spark, executors)
        },
    }
    Path(report).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
