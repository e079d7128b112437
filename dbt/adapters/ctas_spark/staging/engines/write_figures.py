"""What a job wrote, from the counters that Spark kept while it ran; no data is read for it."""

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures

LISTENER_MS = 5_000
LATEST_EXECUTIONS = 60
ROWS = "number of output rows"
FILES = "number of written files"


def write_figures(spark: SparkSession, group: str) -> WriteFigures:
    """The figures of the last write in a job group; unknown ones are None."""
    try:
        return _read(spark, group)
    except Py4JError:
        return WriteFigures()


def _read(spark: SparkSession, group: str) -> WriteFigures:
    context = jvm.context(spark)
    context.listenerBus().waitUntilEmpty(LISTENER_MS)
    counters = _counters(spark, group)
    return WriteFigures(
        rows=counters.get(ROWS), files=counters.get(FILES), bytes=_bytes(context, spark, group)
    )


def _counters(spark: SparkSession, group: str) -> dict[str, int]:
    """The counters of the newest execution of the group that wrote files."""
    store = jvm.shared_state(spark).statusStore()
    count = store.executionsCount()
    executions = store.executionsList(max(0, count - LATEST_EXECUTIONS), LATEST_EXECUTIONS)
    for index in reversed(range(executions.size())):
        execution = executions.apply(index)
        if execution.description() == group:
            found = _values(store, execution)
            if FILES in found:
                return found
    return {}


def _values(store: Any, execution: Any) -> dict[str, int]:
    """Sums by name; the first of a name is the writing node's, which is the plan's root."""
    texts = store.executionMetrics(execution.executionId())
    metrics = execution.metrics()
    found: dict[str, int] = {}
    for index in range(metrics.size()):
        metric = metrics.apply(index)
        text = texts.get(metric.accumulatorId())
        if metric.metricType() == "sum" and text.isDefined():
            digits = str(text.get()).replace(",", "")
            if digits.isdecimal():
                found.setdefault(metric.name(), int(digits))
    return found


def _bytes(context: Any, spark: SparkSession, group: str) -> int | None:
    """Bytes by the writing tasks; None after a failed task, whose bytes count too."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job for stage in job.stageIds}
    data = [context.statusStore().lastStageAttempt(stage) for stage in stages]
    if any(stage.numFailedTasks() or stage.numKilledTasks() for stage in data):
        return None
    return sum(int(stage.outputBytes()) for stage in data)
