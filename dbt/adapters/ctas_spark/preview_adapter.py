"""The adapter's methods for previews: each node becomes a temporary view, and no table."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import reduce
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any

from click import get_current_context
from dbt_common.events.contextvars import get_node_info
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.invocation import get_invocation_id
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.ctas_spark import (
    dbt_edge,
    increments,
    old_rows,
    operations,
    python_models,
    snapshots,
    streams,
)
from dbt.adapters.ctas_spark.config import read_plan
from dbt.adapters.ctas_spark.credentials import SESSION
from dbt.adapters.ctas_spark.dbt_edge import for_macros, logger
from dbt.adapters.ctas_spark.increments import Way
from dbt.adapters.ctas_spark.node_session import OPERATION
from dbt.adapters.ctas_spark.preview import (
    NOTHING_STARTED,
    Columns,
    Previewed,
    PreviewResponse,
    PreviewSettings,
    note_invocation,
    refuse_to_build_what_was_previewed,
    summary,
    was_preview,
)
from dbt.adapters.ctas_spark.relation import TEMPORARY, CtasSparkRelation, InputLimit
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines import commands, jvm
from dbt.adapters.ctas_spark.staging.errors import (
    ConfigurationError,
    NotSupportedError,
    StagingError,
)
from dbt.adapters.ctas_spark.statements import runs_a_program
from dbt.adapters.ctas_spark.temporary_adapter import TemporaryAdapter

RETRY = "retry"
LEFT_OUT = "SELECT 1 AS left_out WHERE false"
"""What runs in place of a hook that writes."""
NEW_ROWS_ALONE = "the preview shows the new rows alone: {} is a strategy of the project's own"
NOT_FOUND = "_NOT_FOUND"
"""The end of Spark's conditions for a table, a schema and a catalog that are not there."""


class _Here(threading.local):
    """What is known of the node that a thread previews."""

    in_hook: bool = False
    adds: bool = False
    """Whether its rows are added to those of its table."""
    added: str | None = None
    """The view of the rows that an incremental model would write."""
    after: Columns
    """The columns of the node's view."""


class PreviewAdapter(TemporaryAdapter):
    """In a preview each node becomes a temporary view that shadows its table."""

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._preview = self._asked()
        self._previewed: dict[TableName, Previewed] = {}
        self._befores: dict[TableName, Columns | None] = {}
        self._batches: dict[TableName, list[Any]] = {}
        self._sessions: set[Any] = set()
        self._here = _Here()
        InputLimit.rows = self._preview.limit
        if self._preview.enabled:
            self.connections.instead = self._instead
            self._announcer.mute()

    def _asked(self) -> PreviewSettings:
        try:
            asked = PreviewSettings.read(getattr(self.config, "cli_vars", {}))  # dbt debug has none
            if asked.enabled and self._credentials.method != SESSION:
                raise NotSupportedError(
                    f"method: {self._credentials.method} has no previews: a server's temporary "
                    "views would be seen by its other users, or by one connection alone",
                    left=NOTHING_STARTED,
                    remedy="use a target with method: session, which reads the same metastore",
                )
            self._compare_with_retried(asked)
        except StagingError as error:
            raise DbtRuntimeError(str(error)) from error
        return asked

    def _compare_with_retried(self, asked: PreviewSettings) -> None:
        """A preview stays one when it is retried."""
        root = getattr(self.config, "project_root", None)
        if root is None:  # dbt debug has none
            return
        target, command = Path(root, self.config.target_path), get_current_context(silent=True)
        if asked.enabled:
            note_invocation(target, get_invocation_id())
        elif command is not None and command.info_name == RETRY:
            state = command.params.get("state")
            if was_preview(Path(root, state) if state else target):
                raise refuse_to_build_what_was_previewed()

    @available
    def is_preview(self) -> bool:
        """Whether this invocation is a preview."""
        return self._preview.enabled

    def create_schema(self, relation: BaseRelation) -> None:
        """Create a schema; a preview needs none."""
        if not self._preview.enabled:
            super().create_schema(relation)

    def drop_relation(self, relation: BaseRelation) -> None:
        """Drop a relation; in a preview dbt's own intermediate ones are temporary views."""
        if not (self._preview.enabled and TEMPORARY in str(relation.identifier)):
            super().drop_relation(relation)

    @for_macros
    def operation_text(self, name: str, graph: dict[str, Any], arguments: dict[str, Any]) -> str:
        if self._preview.enabled and name != operations.HISTORY:
            raise NotSupportedError(
                f"{name} writes, and this is a preview",
                left=NOTHING_STARTED,
                remedy="run it without ctas_preview, and without CTAS_PREVIEW in the environment",
            )
        return super().operation_text(name, graph, arguments)

    @for_macros
    def begin_preview(
        self,
        relation: CtasSparkRelation,
        existing: CtasSparkRelation | None,
        full_refresh: bool,  # noqa: FBT001 (Jinja)
        macros: dict[str, Any],
    ) -> bool:
        """Check the node's configuration as a build does; True if its table is added to."""
        node, path = self._model.node, relation.full_name
        self._here.in_hook, self._here.added = False, None
        self._sessions.add(self._handle.of_run)
        if path not in self._befores:  # the second batch of a model would find its shadow
            self._befores[path] = existing and self._columns_of(path)
        if node.language == "python":
            python_models.check(node.config, self._handle.spark)
        if node.config.materialized != "view":
            schema = self._credentials.staging_schema
            read_plan(node.unique_id, node.config, node.description, path, schema)
        if node.config.materialized == "snapshot":
            by = snapshots.way(existing)
            table = increments.written(relation, existing, by)
            self._check_added(path, table, by, increments.of_no_statement(node.config, table, by))
        if node.config.materialized != "incremental":
            return False
        by = increments.way(existing, node.config, full_refresh=full_refresh)
        table = increments.written(relation, existing, by)
        self._check_added(path, table, by, increments.of_strategy(node.config, table, by, macros))
        told = streams.problems(node.config, table, by)
        self._model.problems_of_stream = [*told]
        is_table = self._befores[path] is not None and existing is not None and existing.is_table
        self._here.adds = is_table and not full_refresh
        return node.batch is not None or self._here.adds

    @for_macros
    def leave_out_writes(self, yes: bool) -> None:  # noqa: FBT001 (Jinja)
        """From now on, in this thread: hooks run, but not what they write."""
        self._here.in_hook = yes

    @for_macros
    def previewed_increment(self, relation: CtasSparkRelation, rows: CtasSparkRelation) -> str:
        """Select what an incremental model's table would hold, with the rows of the view."""
        node, path = self._model.node, relation.full_name
        name, frame = str(rows), self._handle.spark.table(str(rows))
        if node.batch is not None:
            name, frame = self._with_earlier_batches(path, f"{rows.identifier}_of_batches", frame)
        self._here.added = name
        strategy, before = increments.strategy_of(node.config), self._befores[path]
        if self._here.adds and before is not None and strategy in increments.STRATEGIES:
            old, new = (quoting.table(path), before), (name, _columns(frame))
            return old_rows.with_new(node.unique_id, node.config, old, new)
        if self._here.adds:
            logger.warning(f"{path}: {NEW_ROWS_ALONE.format(strategy)}")
        return f"SELECT * FROM {name}"  # noqa: S608 (quoted)

    def _check_added(
        self, path: TableName, table: CtasSparkRelation, by: Way, wrong: Iterable[str]
    ) -> None:
        """Return if rows can be added as the configuration says, of which ``wrong`` is known."""
        self.catalogs.check_added_to(path)
        node = self._model.node
        if problems := increments.problems(node.config, table, by, wrong):
            raise ConfigurationError(node.unique_id, problems)

    def _with_earlier_batches(self, path: TableName, view: str, batch: Any) -> tuple[str, Any]:
        """A view of all rows of a microbatch model so far: its name as SQL, and its rows."""
        batches = self._batches.setdefault(path, [])
        batches.append(batch)
        together = reduce(lambda one, other: one.unionByName(other), batches)
        together.createOrReplaceTempView(quoting.identifier(view))
        return quoting.identifier(view), together

    @for_macros
    def shadow(self, relation: CtasSparkRelation) -> None:
        self._here.after = _columns(self._handle.frame)
        super().shadow(relation)

    @for_macros
    def note_preview(self, relation: CtasSparkRelation) -> PreviewResponse:
        """Note what the node's table would become, and count its rows on request."""
        node, path, counted = self._model.node, relation.full_name, None
        if self._preview.rows:
            of = self._here.added or str(relation)
            found = self.execute(f"SELECT count(*) FROM {of}", fetch=True)[1]  # noqa: S608 (quoted)
            counted = int(found.rows[0][0])
        made = Previewed(node.name, str(path), self._befores[path], self._here.after, counted)
        self._previewed[path] = made
        return made.response()

    def _columns_of(self, path: TableName) -> Columns | None:
        """The columns of the permanent table or view; None if it has gone meanwhile."""
        try:
            return _columns(self._handle.spark.table(quoting.table(path)))
        except AnalysisException as error:
            if NOT_FOUND in str(error):
                return None
            raise

    def _instead(self, spark: Any, sql: str) -> str:
        """The statement, or nothing in place of one that a hook writes with."""
        is_hook = self._here.in_hook or get_node_info().get("resource_type") == OPERATION
        if runs_a_program(sql) and not is_hook:
            raise commands.refused(sql)
        if not is_hook:
            commands.refuse_changes(spark, sql)
        elif runs_a_program(sql) or commands.changes_more_than_session(spark, sql):
            logger.info(f"left out of the preview, a hook: {commands.abridged(sql)}")
            return LEFT_OUT
        return sql

    def cleanup_connections(self) -> None:
        """The invocation ends, and says what the tables would become."""
        previewed, self._previewed = list(self._previewed.values()), {}
        try:
            if previewed:
                dbt_edge.say(summary(previewed))
        finally:
            with suppress(Py4JError, OSError):  # a Spark that has ended has none
                for spark in self._sessions:
                    jvm.drop_views(spark, f"*{TEMPORARY}*")
            self._befores, self._batches, self._sessions = {}, {}, set()
            super().cleanup_connections()


def _columns(frame: Any) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in frame.schema.fields}
