"""Previews: each node becomes a temporary view that shadows its table, and nothing is written."""

from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

from click import get_current_context
from dbt_common.events.contextvars import get_node_info
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.invocation import get_invocation_id
from pyspark.errors import AnalysisException

from ctas_spark import quoting
from ctas_spark.context import TableName
from ctas_spark.engines import commands, jvm
from ctas_spark.errors import NotSupportedError, StagingError
from ctas_spark.options import read_plan
from dbt.adapters.ctas_spark import (
    batches,
    dbt_edge,
    increments,
    old_rows,
    python_models,
    streams,
)
from dbt.adapters.ctas_spark.batches import Batch
from dbt.adapters.ctas_spark.credentials import SESSION
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.incremental import SNAPSHOT, Incremental
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.node_session import OPERATION
from dbt.adapters.ctas_spark.node_state import Addition
from dbt.adapters.ctas_spark.preview import (
    NOTHING_STARTED,
    Columns,
    NodePreview,
    Previewed,
    PreviewResponse,
    PreviewSettings,
    note_invocation,
    refuse_to_build_what_was_previewed,
    summary,
    was_preview,
)
from dbt.adapters.ctas_spark.relation import TEMPORARY, CtasSparkRelation, InputLimit
from dbt.adapters.ctas_spark.statements import runs_a_program
from dbt.adapters.ctas_spark.temporary_objects import TemporaryObjects

RETRY = "retry"
LEFT_OUT = "SELECT 1 AS left_out WHERE false"
"""What runs in place of a hook that writes."""
NEW_ROWS_ALONE = "the preview shows the new rows alone"
NOT_FOUND = "_NOT_FOUND"
"""The end of Spark's conditions for a table, a schema and a catalog that are not there."""


def asked_for(config: Any) -> PreviewSettings:
    """What this invocation asks for; a preview stays one when it is retried.

    Raises:
        DbtRuntimeError: it can't be previewed, or would build what was previewed.
    """
    try:
        asked = PreviewSettings.read(getattr(config, "cli_vars", {}))  # dbt debug has none
        if asked.enabled and config.credentials.method != SESSION:
            raise NotSupportedError(
                f"method: {config.credentials.method} has no previews: a server's temporary "
                "views would be seen by its other users, or by one connection alone",
                left=NOTHING_STARTED,
                remedy="use a target with method: session, which reads the same metastore",
            )
        if getattr(config, "project_root", None) is not None:  # dbt debug has none
            _compare_with_retried(asked, Path(config.project_root), config.target_path)
    except StagingError as error:
        raise DbtRuntimeError(str(error)) from error
    return asked


def _compare_with_retried(asked: PreviewSettings, root: Path, target: str) -> None:
    command = get_current_context(silent=True)
    if asked.enabled:
        note_invocation(root / target, get_invocation_id())
    elif command is not None and command.info_name == RETRY:
        state = command.params.get("state")
        if was_preview(root / state if state else root / target):
            raise refuse_to_build_what_was_previewed()


class Previews:
    """What the macros of a previewed node call."""

    def __init__(
        self,
        invocation: Invocation,
        dbt: Dbt,
        incremental: Incremental,
        temporary: TemporaryObjects,
    ) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._incremental = incremental
        self._temporary = temporary
        self._previewed: dict[TableName, Previewed] = {}
        self._befores: dict[TableName, Columns | None] = {}
        self._batches: dict[TableName, list[Any]] = {}
        self._times: dict[TableName, Batch] = {}
        self._sessions: set[Any] = set()
        InputLimit.rows = invocation.preview.limit

    def begin(
        self,
        relation: CtasSparkRelation,
        existing: CtasSparkRelation | None,
        full_refresh: bool,  # noqa: FBT001 (Jinja)
        macros: dict[str, Any],
    ) -> bool:
        """Check the node's configuration as a build does; True if its table is added to."""
        this, state, path = self._invocation, self._invocation.node, relation.full_name
        node, state.preview = state.node, NodePreview()
        self._sessions.add(this.handle.of_run)
        if path not in self._befores:  # the second batch of a model would find its shadow
            self._befores[path] = existing and self._columns_of(path)
        if node.language == "python":
            python_models.check(node.config, this.spark)
        if node.config.materialized != "view":
            schema = this.credentials.staging_schema
            read_plan(node.unique_id, node.config, node.description, path, schema)
        if node.config.materialized not in ("incremental", SNAPSHOT):
            return False
        by, table = self._incremental.decide(relation, existing, macros, full_refresh=full_refresh)
        if node.config.materialized == SNAPSHOT:
            return False
        state.addition = Addition(stream_problems=[*streams.problems(node.config, table, by)])
        is_table = self._befores[path] is not None and existing is not None and existing.is_table
        state.preview.adds = is_table and not full_refresh
        return node.batch is not None or state.preview.adds

    def leave_out_writes(self, yes: bool) -> None:  # noqa: FBT001 (Jinja)
        """From now on, in this thread: hooks run, but not what they write."""
        self._invocation.node.preview.in_hook = yes

    def increment(self, relation: CtasSparkRelation, rows: CtasSparkRelation) -> str:
        """Select what an incremental model's table would hold, with the rows of the view."""
        state, path = self._invocation.node, relation.full_name
        node, preview = state.node, state.preview
        name, frame = str(rows), self._invocation.spark.table(str(rows))
        if node.batch is not None:
            name, frame = self._with_earlier_batches(path, f"{rows.identifier}_of_batches", frame)
        preview.added = name
        strategy, before = increments.strategy_of(node.config), self._befores[path]
        why_not = _why_rows_are_shown_alone(strategy, node.config)
        if preview.adds and before is not None and not why_not:
            old, new = (quoting.table(path), before), (name, _columns(frame))
            batch = self._with_earlier(path, Batch.of(node))
            return old_rows.with_new(node.unique_id, node.config, old, new, batch)
        if preview.adds:
            logger.warning(f"{path}: {NEW_ROWS_ALONE}: {why_not}")
        return f"SELECT * FROM {name}"  # noqa: S608 (quoted)

    def _with_earlier_batches(self, path: TableName, view: str, batch: Any) -> tuple[str, Any]:
        """A view of all rows of a microbatch model so far: its name as SQL, and its rows."""
        frames = self._batches.setdefault(path, [])
        frames.append(batch)
        together = reduce(lambda one, other: one.unionByName(other), frames)
        together.createOrReplaceTempView(quoting.identifier(view))
        return quoting.identifier(view), together

    def _with_earlier(self, path: TableName, batch: Batch | None) -> Batch | None:
        """The time of all of a model's batches so far, as one; a run's follow each other."""
        if batch is None:
            return None
        before = self._times.get(path, batch)
        start, end = min(before.start, batch.start), max(before.end, batch.end)
        self._times[path] = together = replace(batch, start=start, end=end)
        return together

    def shadow(self, relation: CtasSparkRelation) -> None:
        """Let the last statement's rows be read in place of the relation's."""
        self._invocation.node.preview.after = _columns(self._invocation.handle.frame)
        self._temporary.shadow(relation)

    def note(self, relation: CtasSparkRelation) -> PreviewResponse:
        """Note what the node's table would become, and count its rows on request."""
        state, path, counted = self._invocation.node, relation.full_name, None
        if self._invocation.preview.rows:
            of = state.preview.added or str(relation)
            found = self._dbt.execute(f"SELECT count(*) FROM {of}", fetch=True)[1]  # noqa: S608 (quoted)
            counted = int(found.rows[0][0])
        before, after = self._befores[path], state.preview.after
        made = Previewed(state.node.name, str(path), before, after, counted)
        self._previewed[path] = made
        return made.response()

    def instead_of(self, spark: Any, sql: str) -> str:
        """The statement, or nothing in place of one that a hook writes with."""
        in_hook = self._invocation.node.preview.in_hook
        is_hook = in_hook or get_node_info().get("resource_type") == OPERATION
        if runs_a_program(sql) and not is_hook:
            raise commands.refused(sql)
        if not is_hook:
            commands.refuse_changes(spark, sql)
        elif runs_a_program(sql) or commands.changes_more_than_session(spark, sql):
            logger.info(f"left out of the preview, a hook: {commands.abridged(sql)}")
            return LEFT_OUT
        return sql

    def close(self) -> None:
        """The invocation ends, and says what the tables would become."""
        previewed, self._previewed = list(self._previewed.values()), {}
        try:
            if previewed:
                dbt_edge.say(summary(previewed))
        finally:
            with suppress(*jvm.FAILURES):  # a Spark that has ended has none
                for spark in self._sessions:
                    jvm.drop_views(spark, f"*{TEMPORARY}*")
            self._befores, self._batches, self._sessions = {}, {}, set()

    def _columns_of(self, path: TableName) -> Columns | None:
        """The columns of the permanent table or view; None if it has gone meanwhile."""
        try:
            return _columns(self._invocation.spark.table(quoting.table(path)))
        except AnalysisException as error:
            if NOT_FOUND in str(error):
                return None
            raise


def _columns(frame: Any) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}


def _why_rows_are_shown_alone(strategy: str, config: Any) -> str:
    """What keeps the preview from showing what the table would hold; empty if nothing does."""
    if strategy not in increments.STRATEGIES:
        return f"{strategy} is a strategy of the project's own"
    parts = batches.listed(config.get("partition_by"))
    if strategy == increments.INSERT_OVERWRITE and any(map(batches.TRANSFORM.fullmatch, parts)):
        return f"which partitions {', '.join(parts)} has is known to Iceberg alone"
    return ""
