"""The adapter: a façade over the core, one delegation for each step that a macro names."""

import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import uuid4

from dbt_common.events.contextvars import get_node_info
from dbt_common.exceptions import CompilationError, DbtRuntimeError

from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.ctas_spark import (
    batches,
    dbt_edge,
    fixtures,
    grants,
    in_place,
    increments,
    model_columns,
    old_rows,
    partition_values,
    python_models,
    seeds,
    snapshots,
    streams,
)
from dbt.adapters.ctas_spark.batches import Batch
from dbt.adapters.ctas_spark.config import OwnConfigs, read_plan
from dbt.adapters.ctas_spark.credentials import SESSION
from dbt.adapters.ctas_spark.dbt_edge import as_dbt_errors, for_macros, logger
from dbt.adapters.ctas_spark.increments import Way
from dbt.adapters.ctas_spark.model_build import ModelBuild, ModelSlot, PublicationResponse, planned
from dbt.adapters.ctas_spark.model_views import ModelViewsAdapter
from dbt.adapters.ctas_spark.node_session import OPERATION, may_change
from dbt.adapters.ctas_spark.project_macros import overridden
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import StagingPurpose
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import ConfigurationError, NotSupportedError
from dbt.adapters.ctas_spark.statements import bare, statements
from dbt.adapters.ctas_spark.summary import Written
from dbt.adapters.spark.impl import SparkConfig

INSTEAD = {"seed": seeds.IN_BATCHES, "snapshot": snapshots.BY_STATEMENT}
"""What is done with a node that can't be published; else it is an incremental model."""
Executed = tuple[AdapterResponse, Any]
NO_STATEMENT = "SELECT 1 WHERE false"
"""What runs for a hook that is nothing but a comment."""


@dataclass
class CtasSparkConfig(OwnConfigs, SparkConfig):
    """The model configs of dbt-spark, and of this adapter."""


class CtasSparkAdapter(ModelViewsAdapter):
    """dbt-spark, with tables that are staged and then published by one call."""

    AdapterSpecificConfigs = CtasSparkConfig

    CONSTRAINT_SUPPORT = model_columns.SUPPORT

    @as_dbt_errors
    def pre_model_hook(self, config: Any) -> ModelSlot:
        self._model.enter(config.model)
        if self._model.session is not None and may_change(config.model):
            self._model.session.part(self._handle)
        with self._announcer.refusing(self._model):
            grants.check(self._model, self)
        return self._model

    def post_model_hook(self, config: Any, context: ModelSlot) -> None:  # noqa: ARG002 (dbt's shape)
        """Note what was written, and abort what an error or a cancel left undecided.

        dbt calls this in a ``finally``.
        """
        if context.written is not None:
            seconds = time.monotonic() - context.began
            self._written.append(replace(context.written, seconds=seconds))
        cause = sys.exc_info()[1] or context.failure_unseen()
        try:
            self._end(context, cause)
        finally:
            self._drop_views(context.temporary_views)
        self._announcer.ended(context, cause, canceled=self.connections.is_canceled_here)

    def _end(self, context: ModelSlot, cause: BaseException | None) -> None:
        build = context.build
        dbt_edge.forget_hudi(cause)
        if cause is None:
            return
        canceled = self.connections.is_canceled_here
        if build is not None:
            told = (build.on_canceled if canceled else build.on_failed)(cause)
            dbt_edge.add_to(cause, told)
            if cause is context.unseen:  # dbt has printed the batch's error already
                logger.warning(f"{context.table}: {told}")
        if canceled:  # dbt prints no message of a model that it has cancelled
            logger.info(build.holds if build else f"{context.table}: {dbt_edge.CUT_OFF}")

    @for_macros
    def plan_staged_table(self, relation: CtasSparkRelation, full_refresh: bool) -> None:  # noqa: FBT001 (Jinja)
        """Validate the model's configuration and decide its level; no job is started."""
        self._plan(relation, full_refresh=full_refresh)

    @for_macros
    def plan_if_possible(self, relation: CtasSparkRelation, full_refresh: bool) -> bool:  # noqa: FBT001 (Jinja)
        """The same; False if it can't be published, and did not ask for a level."""
        try:
            self._plan(relation, full_refresh=full_refresh)
        except NotSupportedError as error:
            node = self._model.node
            if node.config.get("atomicity") is not None or node.language == "python":
                raise
            instead = INSTEAD.get(node.resource_type, increments.DROPPED)
            logger.info(f"{relation.full_name}: {instead}: {error.what}")
            self._announcer.created(self._model)
            return False
        return True

    @for_macros
    def plan_increment(
        self,
        relation: CtasSparkRelation,
        existing: CtasSparkRelation | None,
        full_refresh: bool,  # noqa: FBT001 (Jinja)
        macros: dict[str, Any],
    ) -> str:
        """Validate an incremental model's configuration, and decide how it writes."""
        config = self._model.node.config
        by = increments.way(existing, config, full_refresh=full_refresh)
        table = increments.written(relation, existing, by)
        wrong = increments.of_strategy(config, table, by, macros)
        return self._plan_way(relation, existing, by, wrong)

    @for_macros
    def plan_snapshot(self, relation: CtasSparkRelation, existing: CtasSparkRelation | None) -> str:
        """The same for a snapshot."""
        config, by = self._model.node.config, snapshots.way(existing)
        table = increments.written(relation, existing, by)
        return self._plan_way(relation, existing, by, increments.of_no_statement(config, table, by))

    def _plan_way(
        self,
        relation: CtasSparkRelation,
        existing: CtasSparkRelation | None,
        by: Way,
        wrong: Iterable[str] = (),
    ) -> str:
        node = self._model.node
        self._model.creates, self._model.adds = existing is None, by is Way.WITH_OLD_ROWS
        table = increments.written(relation, existing, by)
        self._check_added(relation.full_name, table, by, wrong)
        self._model.problems_of_stream = [*streams.problems(node.config, table, by)]
        if by is Way.WITH_OLD_ROWS:
            self._plan(relation, full_refresh=False)
        if by is Way.IN_PLACE:
            self._model.level = increments.level_in_place(table)
            self._announcer.created(self._model)
        return by.value

    @for_macros
    def increment_query(self, existing: CtasSparkRelation, rows: CtasSparkRelation) -> str:
        """Select what the table is to hold: rows of its own, and those of the view ``rows``."""
        node, sides = self._model.node, (self._side(existing), self._side(rows))
        if node.config.get("on_schema_change") == in_place.FAIL:
            in_place.compared(existing, in_place.FAIL, *sides).refuse_any()
        return old_rows.with_new(node.unique_id, node.config, *sides, Batch.of(node))

    @for_macros
    def increment_in_place(
        self, existing: CtasSparkRelation, rows: CtasSparkRelation
    ) -> in_place.Increment:
        """Check the rows of the view ``rows`` against the table, before it changes."""
        node, sides = self._model.node, (self._side(existing), self._side(rows))
        strategy, batch = increments.strategy_of(node.config), Batch.of(node)
        if strategy == increments.MERGE:
            old_rows.check_key(node.unique_id, node.config, *sides)
        found = in_place.compared(
            existing,
            node.config.get("on_schema_change"),
            *sides,
            properties=self._properties_to_alter(existing),
            has_contract=node.config.contract.enforced,
        )
        planned = in_place.planned(node.unique_id, found, *sides)
        if strategy != increments.MICROBATCH or batch is None:
            return planned
        batch.check(node.unique_id, ("the table", sides[0]), ("the model's rows", sides[1]))
        replaced = self._replaced_partitions(existing, batch)
        self._check_partitions(f"SELECT * FROM {rows}", batch, replaced)  # noqa: S608 (a view of ours)
        return planned.for_batch(batch, replaced)

    @for_macros
    def check_first_batch(self, query: str) -> None:
        """Check the query that creates an incremental model's table, if that is by a batch."""
        node, batch = self._model.node, Batch.of(self._model.node)
        if batch is not None and increments.strategy_of(node.config) == increments.MICROBATCH:
            self._check_partitions(query, batch, batches.overwritten(node.config, batch))

    def _check_partitions(self, query: str, batch: Batch, partition_by: Any) -> None:
        """Return unless the query's partitions are known to have rows of several batches."""
        columns = batches.columns_of(partition_by)
        if not columns or self._credentials.method != SESSION:
            return
        known = query, batch.event_time, columns, batch.edges
        found = partition_values.at_each(self._handle.spark, *known)
        if found and (found[0] == found[1] or found[2] == found[3]):
            problem = f"partition_by: {batch.sharing(columns)}"
            raise ConfigurationError(self._model.node.unique_id, [problem])

    def _replaced_partitions(self, existing: CtasSparkRelation, batch: Batch) -> Any:
        """The partitions of a batch that may hold other batches' rows, too."""
        partition_by = self._model.node.config.get("partition_by")
        if existing.is_delta:  # which replaces rows
            return None
        is_safe = existing.is_iceberg and batches.is_within(
            partition_by, batch.event_time, batch.size
        )
        return None if is_safe else partition_by

    def _properties_to_alter(self, existing: CtasSparkRelation) -> dict[str, str]:
        """Those by which Delta allows changes of columns, if the model may ask for them."""
        if self._model.node.config.get("on_schema_change") != old_rows.SYNC:
            return {}
        if not existing.is_delta:
            return {}
        rows = self.execute(f"SHOW TBLPROPERTIES {existing}", fetch=True)[1].rows
        return {str(key): str(value) for key, value in rows}

    @for_macros
    def increment_statement(
        self, planned: in_place.Increment, existing: CtasSparkRelation, source: CtasSparkRelation
    ) -> str | None:
        """The statement that adds the view ``source``; None if a macro has it."""
        node, batch = self._model.node, Batch.of(self._model.node)
        strategy = increments.strategy_of(node.config)
        if strategy == increments.MERGE and not [*overridden(self, ("get_merge_sql",))]:
            return planned.merge(node.unique_id, node.config, str(source))
        if strategy == increments.MICROBATCH and existing.is_delta and batch is not None:
            return planned.replaced(batch, str(source), self._side(existing)[1])
        return None

    @for_macros
    def snapshot_changes(
        self,
        existing: CtasSparkRelation,
        rows: CtasSparkRelation,
        names: dict[str, str],
        strategy: dict[str, Any],
        sql: dict[str, str],
    ) -> snapshots.Changes:
        """What the rows of the view ``rows`` do to a snapshot's records, to be selected.

        ``names`` are dbt's columns, and ``strategy`` and ``sql`` what its macros say.
        """
        node, meta = self._model.node, snapshots.named(names)
        of = snapshots.Strategy.of(strategy, node.config, **sql)
        old, new = self._side(existing), self._side(rows)
        columns = snapshots.columns_of(node.unique_id, meta, existing, old, new)
        return snapshots.Changes(of, meta, old, new[0], columns)

    @for_macros
    def columns_to_check(
        self, columns: list[Any], existing: CtasSparkRelation | None
    ) -> tuple[bool, list[str]]:
        """Which columns a snapshot's check compares; and whether the table lacks one of them."""
        snapshots.refuse_maps(self._model.node.unique_id, columns)
        known = None if existing is None else self._side(existing)[1]
        return snapshots.checked(columns, known)

    @available
    def quoted_names(self, names: list[str]) -> str:
        """Columns that a user named with or without backticks, between commas."""
        return quoting.identifiers(map(quoting.unquoted, names))

    @for_macros
    def forget_cached(self, table: CtasSparkRelation) -> None:
        """Let this session's next statements find the table where it is now."""
        self.catalogs.forget_cached(table.full_name)

    @for_macros
    def run_sql_header(self, header: str | None) -> None:
        """Run a model's own statements before it."""
        for statement in statements(header or ""):
            self.execute(statement)

    @for_macros
    def statements_of(self, hook: str) -> list[str]:
        """The statements of a hook, each by itself."""
        return statements(hook)

    def execute(
        self,
        sql: str,
        auto_begin: bool = False,  # noqa: FBT001, FBT002 (dbt's own signature)
        fetch: bool = False,  # noqa: FBT001, FBT002 (dbt's own signature)
        limit: int | None = None,
    ) -> Executed:
        """Run a statement; of a hook of the run, each of its statements."""
        if not fetch and get_node_info().get("resource_type") == OPERATION:
            *before, sql = statements(sql) or [NO_STATEMENT]
            for one in before:
                self._executed(one, auto_begin, fetch, limit)
        return self._executed(sql, auto_begin, fetch, limit)

    def _executed(self, sql: str, *others: Any) -> Executed:
        with self._true_statistics(sql):
            return cast("Executed", super().execute(sql, *others))

    @for_macros
    def fixture_row(
        self, row: dict[str, Any], types: dict[str, str], fixture: str
    ) -> dict[str, str]:
        """The values of a unit test's row as SQL, by the names of their columns in lower case."""
        given = {name.lower(): value for name, value in row.items()}
        if unknown := next((name for name in given if name not in types), None):
            raise CompilationError(
                f"Invalid column name: '{unknown}' in unit test fixture for {fixture}.\n"
                f"Accepted columns for {fixture} are: {[*types]}"
            )
        try:
            return {name: fixtures.value_of(one, types[name], name) for name, one in given.items()}
        except ValueError as error:
            raise CompilationError(f"unit test fixture for {fixture}: {error}") from error

    @available
    def bare(self, sql: str) -> str:
        """A query without the semicolon at its end, which ends a statement and no subquery."""
        return bare(sql) if ";" in sql else sql

    @available
    def has_strategy(self, name: str) -> bool:
        """Whether the strategy is one of the adapter's, and not of the project."""
        return name in increments.STRATEGIES

    @for_macros
    def strategy_sql(self, context: Any, arguments: dict[str, Any]) -> str:
        """The statement of the project's own strategy, from its ``get_incremental_NAME_sql``."""
        named = increments.strategy_of(self._model.node.config)
        return str(self.get_incremental_strategy_macro(context, named)(arguments))

    @for_macros
    def seed_query(self, rows: Any, config: Any) -> str:
        """Select the rows that dbt has read from the seed's file, with the types that it found."""
        return seeds.query(seeds.columns(self, rows, config), rows.rows)

    def _plan(self, relation: CtasSparkRelation, *, full_refresh: bool) -> None:
        node = self._model.node
        model_columns.warn_of_unchecked(node, self.type())
        self.warn_of_unused_macros()
        if node.language == "python":
            python_models.check(node.config, self._handle.spark)
        plan = read_plan(
            node.unique_id,
            node.config,
            node.description,
            relation.full_name,
            self._credentials.staging_schema,
            column_comments=model_columns.descriptions(node),
            full_refresh=full_refresh,
        )
        if self._model.creates and not full_refresh:  # else what was added to it would be lost
            plan = replace(plan, context=replace(plan.context, purpose=StagingPurpose.CREATE))
        opened = self.catalogs
        # Spark 4 cancels whatever a group starts after it was cancelled: each batch has its own
        group = f"{node.unique_id} {opened.run} {uuid4().hex[:8]}"
        job = self._handle.new_job(group, plan.abort_timeout_seconds)
        catalog, adds = opened.catalog_for(plan.context), self._model.adds
        self._model.begin = planned(catalog, plan, job, adds=adds)

    @for_macros
    def begin_staged_table(self) -> bool:
        """Look at the target; False if the model is to keep it as it is."""
        self._model.build = self._model.begin()
        self._announcer.created(self._model)
        return self._build.staged.outcome is None

    @for_macros
    def staged_table_sql(self, query: str) -> str:
        return self._build.staged.statement(bare(query) if ";" in query else query)

    @for_macros
    def verify_staged_table(self) -> CtasSparkRelation:
        """The staged version as a relation, for checks before it is published."""
        record = self._build.staged.verify()
        path = record.catalog, record.database, record.table
        return self.Relation.create(*path, type=self.Relation.Table, branch=record.branch)

    @for_macros
    def constraint_checks_sql(self, model: dict[str, Any], table: CtasSparkRelation) -> str | None:
        return model_columns.checks_sql(model, table.render())

    @for_macros
    def assert_no_violations(
        self, counts: Any, model: dict[str, Any], table: CtasSparkRelation
    ) -> None:
        """Fail the model if the one row of ``constraint_checks_sql`` counts broken rows."""
        found = dict(zip(counts.column_names, counts.rows[0], strict=True))
        if broken := {name: count for name, count in found.items() if count}:
            sql, rows = model_columns.broken_rows_sql(model, table.render(), broken), ()
            with suppress(DbtRuntimeError):  # the error stands without them
                rows = self.execute(sql, fetch=True)[1].rows
            raise model_columns.violation(broken, rows, self._model.table)

    @for_macros
    def comment_columns(self, staged: CtasSparkRelation) -> None:
        """Comment the staged version's columns, unless it is a branch, which has its comments."""
        table, build = staged.full_name, self._build.staged
        texts = build.context.layout.column_comments
        if not texts or table.branch:
            return
        if build.keeps_own_columns:
            model_columns.comment_each(self._handle.spark, table, texts)
        else:
            model_columns.comment(self.catalogs, table, texts)

    @for_macros
    def commit_staged_table(self) -> bool:
        """Publish the version; False if another's table is kept instead."""
        return self._handle.decide(self._build.on_finished)

    @for_macros
    def fill_in_place_sql(self, query: str) -> str | None:
        """The INSERT that fills the published version at atomicity ``none``; else None."""
        return self._build.staged.fill_statement(query)

    @for_macros
    def settle_staged_table(self) -> None:
        published, level = self._build.settle(), self._build.staged.level
        self._published.append(published)
        self._model.written = Written.by(
            self._model.node, published.figures, version=published.version, level=level
        )

    @for_macros
    def publication_response(self) -> PublicationResponse:
        return self._build.response()

    @available
    def list_written(self, response: AdapterResponse) -> None:
        """List a table that is not staged, with what its main statement has written."""
        self._model.counts = False
        size = getattr(response, "bytes", None)
        figures = WriteFigures(rows=response.rows_affected, bytes=size)
        self._model.written = Written.by(self._model.node, figures, level=self._model.level)

    @available
    def list_seed(self, rows: int) -> None:
        """List the seed that has been loaded."""
        self._model.written = Written.by(self._model.node, WriteFigures(rows=rows))

    @property
    def _build(self) -> ModelBuild:
        return cast("ModelBuild", self._model.build)
