"""A Spark session whose driver is this process's own JVM: its SQL, jobs and counters."""

import logging
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from .. import quoting
from ..context import SESSION_CATALOG, TableName
from . import jvm, plans, sharing
from .borrowed import BORROWED_THREAD
from .protocol import StoppableJob, TableRead, WriteFigures

logger = logging.getLogger(__name__)

LISTENER_MS = 5_000
LATEST_EXECUTIONS = 60
ROWS = "number of output rows"
FILES = "number of written files"
MERGE = re.compile(r"\bmerge\s+into\b", re.IGNORECASE)
POOL = "spark.scheduler.pool"
"""A thread's share of the cores, next to the others', if Spark schedules in FAIR mode."""
ACTIVE = "ACTIVE"
NO_TASK = "no task is running: Spark is planning or finishing it"
AFFECTED = "num_affected_rows"
"""Delta's column of what a MERGE returns; other formats return nothing."""


class SessionEngine:
    """Runs SQL in a session; hands out jobs that can be stopped one by one."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        jvm.note_session(spark)

    @property
    def version(self) -> str:
        return self.spark.version

    def sql(self, statement: str) -> None:
        self.spark.sql(statement)

    def reads(self, file_format: str) -> bool:
        """Ask Spark for the data source; avro's comes in a separate jar."""
        try:
            self.spark.read.format(file_format).schema("c string").load([])
        except AnalysisException as error:
            if "Failed to find" in str(error) or "DATA_SOURCE_NOT_FOUND" in str(error):
                return False
            raise
        return True

    def refresh(self, name: TableName) -> None:
        """Drop the table from the sessions' relation caches, and its cached rows from memory.

        REFRESH TABLE lists every file of the new version, and caches the old one's rows once more
        where its location has changed. In other catalogs it is all that there is; there it fails if
        the table is gone by now, and then there is nothing to forget.
        """
        if name.catalog == SESSION_CATALOG:
            jvm.forget_table(self.spark, self._catalog, name)
            if not self._cache.isEmpty():
                jvm.uncache_table(self.spark, self._cache, name)
            return
        try:
            self.sql(f"REFRESH TABLE {quoting.table(name)}")
        except AnalysisException as error:
            logger.warning("%s was not refreshed in this session: %s", name, error)

    @cached_property
    def _cache(self) -> Any:
        return jvm.shared_state(self.spark).cacheManager()

    @cached_property
    def _catalog(self) -> Any:
        return jvm.session_catalog(self.spark)


@dataclass(eq=False)
class SessionJob(StoppableJob):
    """A Spark job group, so that no other run's jobs are cancelled with it."""

    _statements: int = field(default=0, init=False)

    def attach(self) -> None:
        self._statements += 1
        context = self.spark.sparkContext
        if self._statements == 1:
            BORROWED_THREAD.take(self.spark)
            shared = sharing.registered()
            shared.mark(self.spark)
            context.setLocalProperty(POOL, shared.pool)
        context.setJobGroup(self.group, self._statement, interruptOnCancel=True)

    def run(self, sql: str) -> Any:
        """Without ``args`` PySpark asks the JVM four times how to make an empty array of them."""
        self.attach()
        return self.spark.sql(sql, args={})

    def cancel(self) -> None:
        """Cancel what runs, and in Spark 4 what the group would still start."""
        context = jvm.context(self.spark)
        if self.spark.sparkContext.version.startswith("3."):
            context.cancelJobGroup(self.group)
        else:
            context.cancelJobGroupAndFutureJobs(self.group)

    def stop(self) -> bool:
        """Cancel, then wait until no task runs: the driver's exception comes before they end.

        A driver that has ended runs no task any more.
        """
        try:
            self.cancel()
            return self._waits_for(self._has_no_task)
        except jvm.FAILURES:
            return self._driver_has_ended()

    def figures(self) -> WriteFigures:
        """Spark's own counters of the group's last write."""
        try:
            return self._last_write()
        except jvm.FAILURES:
            return WriteFigures()

    def reads(self, query: str, table: TableName) -> frozenset[TableRead]:
        return plans.reads(self.spark, query, table)

    def written_by(self, sql: str, frame: Any) -> WriteFigures:
        """Spark's counters; a MERGE also copies rows that it leaves as they are."""
        try:
            return _affected(frame) if MERGE.search(sql) else self._written()
        except jvm.FAILURES:
            return WriteFigures()

    def progress(self) -> str:
        """The tasks of the stages that run, and the rows that were written so far."""
        try:
            return self._progress()
        except jvm.FAILURES:
            return ""

    @property
    def _statement(self) -> str:
        """The description of the last statement's executions and jobs."""
        return f"{self.group} {self._statements}"

    def _written(self) -> WriteFigures:
        context = jvm.context(self.spark)
        context.listenerBus().waitUntilEmpty(LISTENER_MS)
        store = context.statusStore()
        jobs = self._jobs(store)
        return _output(store, jobs) if jobs else WriteFigures()

    def _jobs(self, store: Any) -> list[int]:
        """Those of the last statement."""
        group = self.spark.sparkContext.statusTracker().getJobIdsForGroup(self.group)
        return [job for job in group if _description(store.job(job)) == self._statement]

    def _progress(self) -> str:
        store = jvm.context(self.spark).statusStore()
        of_jobs = (_stages(store, store.job(job)) for job in self._jobs(store))
        stages = [stage for found in of_jobs for stage in found if stage]
        running = [
            f"stage {stage.stageId()}: {stage.numCompleteTasks()} of {stage.numTasks()} tasks"
            for stage in stages
            if str(stage.status()) == ACTIVE
        ]
        rows = sum(int(stage.outputRecords()) for stage in stages)
        written = [f"rows written: {rows:,}"] if rows else []
        return ", ".join([*running, *written] if running else [NO_TASK, *written])

    def _driver_has_ended(self) -> bool:
        try:
            return bool(jvm.context(self.spark).isStopped())
        except jvm.GONE:
            return True

    def _has_no_task(self) -> bool:
        tracker = self.spark.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(self.group)]
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        return not sum(stage.numActiveTasks for stage in stages if stage)

    def _last_write(self) -> WriteFigures:
        """Hooks of the same model write before and after it; they count no files."""
        context = jvm.context(self.spark)
        context.listenerBus().waitUntilEmpty(LISTENER_MS)
        store = jvm.shared_state(self.spark).statusStore()
        oldest = max(0, store.executionsCount() - LATEST_EXECUTIONS)
        newest = store.executionsList(oldest, LATEST_EXECUTIONS)
        for index in reversed(range(newest.size())):
            execution = newest.apply(index)
            if str(execution.description()).rpartition(" ")[0] == self.group:
                counted = _counted(self.spark, store, execution.executionId())
                if FILES in counted:
                    jobs = map(int, jvm.as_json(self.spark, execution.jobs()))
                    written = _output(context.statusStore(), jobs).bytes
                    return WriteFigures(counted.get(ROWS), counted[FILES], written)
        return WriteFigures()


def _counted(spark: SparkSession, store: Any, execution: int) -> dict[str, int]:
    """The sums of the plan's writing node by name; Spark keeps them as "1,000"."""
    texts = jvm.as_json(spark, store.executionMetrics(execution))
    for node in jvm.as_json(spark, store.planGraph(execution).allNodes()):
        metrics = node.get("metrics", ())
        if FILES in (metric["name"] for metric in metrics):
            by_name = {one["name"]: texts.get(str(one["accumulatorId"]), "") for one in metrics}
            found = {name: text.replace(",", "") for name, text in by_name.items()}
            return {name: int(text) for name, text in found.items() if text.isdecimal()}
    return {}


def _output(store: Any, jobs: Iterable[int]) -> WriteFigures:
    """What the writing tasks counted; unknown if their stage was repeated or is forgotten.

    Of more than 1,000 stages Spark forgets some, and those first that a job has skipped.
    """
    rows = written = 0
    for job in map(store.job, jobs):
        stages = _stages(store, job)
        if stages.count(None) > job.numSkippedStages():
            return WriteFigures()
        for stage in filter(None, stages):
            counted = int(stage.outputRecords()), int(stage.outputBytes())
            is_repeated = stage.numFailedTasks() or stage.numKilledTasks() or stage.attemptId()
            if any(counted) and is_repeated:
                return WriteFigures()
            rows, written = rows + counted[0], written + counted[1]
    return WriteFigures(rows=rows, bytes=written)


def _stages(store: Any, job: Any) -> list[Any]:
    numbers = job.stageIds()
    return [_stage(store, int(numbers.apply(index))) for index in range(numbers.size())]


def _stage(store: Any, number: int) -> Any:
    """Its last attempt; None if Spark has forgotten it."""
    with suppress(Py4JJavaError):
        return store.lastStageAttempt(number)
    return None


def _description(job: Any) -> str:
    found = job.description()
    return str(found.get()) if found.isDefined() else ""


def _affected(frame: Any) -> WriteFigures:
    rows = frame.collect()[0][AFFECTED] if AFFECTED in frame.columns else None
    return WriteFigures(rows=rows)
