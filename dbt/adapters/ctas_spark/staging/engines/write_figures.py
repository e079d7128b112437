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
    except (Py4JError, OSError):
        return WriteFigures()


def _read(spark: SparkSession, group: str) -> WriteFigures:
    context = jvm.context(spark)
    context.listenerBus().waitUntilEmpty(LISTENER_MS)
    counters = _counters(spark, group)
    return WriteFigures(
        rows=counters.get(ROWS), files=counters.get(FILES), bytes=_bytes(context, spark, group)
    )


def _counters(spark: SparkSession, group: str) -> dict[str, int]:
    """The counters of the newest write of the group."""
    store = jvm.shared_state(spark).statusStore()
    count = store.executionsCount()
    newest = store.executionsList(max(0, count - LATEST_EXECUTIONS), LATEST_EXECUTIONS)
    for execution in reversed(_items(newest)):
        if execution.description() == group:
            for node in _items(store.planGraph(execution.executionId()).allNodes()):
                counted = _sums(node, store.executionMetrics(execution.executionId()))
                if FILES in counted:
                    return counted
    return {}


def _sums(node: Any, texts: Any) -> dict[str, int]:
    """The sums that one node of a plan counted, by name; Spark keeps them as "1,000"."""
    found = {}
    for metric in _items(node.metrics()):
        text = texts.get(metric.accumulatorId())
        if metric.metricType() == "sum" and text.isDefined():
            found[metric.name()] = int(text.get().replace(",", ""))
    return found


def _items(sequence: Any) -> list[Any]:
    """A Scala Seq as a list."""
    return [sequence.apply(index) for index in range(sequence.size())]


def _bytes(context: Any, spark: SparkSession, group: str) -> int | None:
    """Bytes by the writing tasks; None after a failed task, whose bytes count too."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job for stage in job.stageIds}
    data = [context.statusStore().lastStageAttempt(stage) for stage in stages]
    if any(stage.numFailedTasks() or stage.numKilledTasks() for stage in data):
        return None
    return sum(int(stage.outputBytes()) for stage in data)
