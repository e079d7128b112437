"""Incremental models: how one writes, and what it adds, checked before the table changes."""

from collections.abc import Container
from functools import partial
from typing import Any

from ctas_spark import quoting
from ctas_spark.errors import ConfigurationError
from ctas_spark.iceberg.refusals import ELSEWHERE, check_wap
from dbt.adapters.ctas_spark import (
    batches,
    in_place,
    increments,
    old_rows,
    own_partitions,
    partition_values,
    snapshots,
    streams,
)
from dbt.adapters.ctas_spark.batches import Batch
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.increments import WriteMode
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.model_rows import ModelRows
from dbt.adapters.ctas_spark.node_session import CHANGE
from dbt.adapters.ctas_spark.node_state import Addition
from dbt.adapters.ctas_spark.project_macros import overridden
from dbt.adapters.ctas_spark.publication import Publication
from dbt.adapters.ctas_spark.publication_events import HookDispatcher
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

SNAPSHOT = "snapshot"
"""dbt's materialization of such a node."""
INSERTING = (increments.APPEND, *increments.BY_PARTITION)
INSERTS = (
    *("dbt_spark_get_incremental_sql", "get_insert_into_sql", "get_insert_overwrite_sql"),
    "partition_cols",
)
"""dbt-spark's macros that make an INSERT."""
OF_ONE_BATCH = (
    "on a server, what a pre-hook sets, uses or creates in Spark's session holds for the first "
    "batch only; write it into sql_header, which comes before every batch"
)


class Incremental:
    """What the macros of an incremental model call, and those of snapshots to plan."""

    def __init__(
        self,
        invocation: Invocation,
        dbt: Dbt,
        dispatcher: HookDispatcher,
        rows: ModelRows,
        publication: Publication,
    ) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._dispatcher = dispatcher
        self._rows = rows
        self._publication = publication
        self._partitioned: set[str] = set()

    def plan(
        self,
        relation: CtasSparkRelation,
        existing: CtasSparkRelation | None,
        full_refresh: bool,  # noqa: FBT001 (Jinja)
        macros: dict[str, Any],
    ) -> str:
        """Validate an incremental model's or a snapshot's configuration; how it writes."""
        state = self._invocation.node
        by, table = self.decide(relation, existing, macros, full_refresh=full_refresh)
        state.addition = Addition(
            with_old_rows=by is WriteMode.WITH_OLD_ROWS,
            creates=existing is None,
            level=increments.level_in_place(table) if by is WriteMode.IN_PLACE else None,
            stream_problems=[*streams.problems(state.node.config, table, by)],
        )
        self._warn_of_hooks_of_one_batch()
        if by is WriteMode.WITH_OLD_ROWS:
            self._publication.plan(relation, full_refresh=False)
        if by is WriteMode.IN_PLACE:
            self._check_writes_go_there(table)
            self._check_partitioning(table)
            if increments.overwrites_partitions(state.node.config, table):
                self._invocation.catalogs.check_partitions_overwritten(table.full_name)
            self._dispatcher.created(state)
        return by.value

    def decide(
        self,
        relation: CtasSparkRelation,
        existing: CtasSparkRelation | None,
        macros: Container[str],
        *,
        full_refresh: bool,
    ) -> tuple[WriteMode, CtasSparkRelation]:
        """How an incremental model or a snapshot writes, and to which table; it may do so."""
        node = self._invocation.node.node
        is_snapshot = node.config.materialized == SNAPSHOT
        by = (
            snapshots.write_mode(existing)
            if is_snapshot
            else increments.write_mode(existing, node.config, full_refresh=full_refresh)
        )
        table = increments.written(relation, existing, by)
        wrong = (
            increments.of_no_statement(node.config, table, by)
            if is_snapshot
            else increments.of_strategy(node.config, table, by, macros)
        )
        self._invocation.catalogs.check_added_to(relation.full_name)
        if problems := increments.problems(node.config, table, by, wrong):
            raise ConfigurationError(node.unique_id, problems)
        return by, table

    def has_strategy(self, name: str) -> bool:
        """Whether the strategy is one of the adapter's, and not of the project."""
        return name in increments.STRATEGIES

    def query_with_old_rows(self, existing: CtasSparkRelation, rows: CtasSparkRelation) -> str:
        """Select what the table is to hold: rows of its own, and those of the view ``rows``."""
        node, sides = self._invocation.node.node, (self._side(existing), self._side(rows))
        if node.config.get("on_schema_change") == in_place.FAIL:
            in_place.compared(existing, in_place.FAIL, *sides).refuse_any()
        return old_rows.with_new(node.unique_id, node.config, *sides, Batch.of(node))

    def increment(self, existing: CtasSparkRelation, rows: CtasSparkRelation) -> in_place.Increment:
        """Check the rows of the view ``rows`` against the table, before it changes."""
        node, sides = self._invocation.node.node, (self._side(existing), self._side(rows))
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
        of_files = increments.is_of_files(existing)
        query = f"SELECT * FROM {rows}"  # noqa: S608 (a view of ours)
        self._check_partitions(query, batch, replaced, are_directories=of_files)
        return planned.for_batch(batch, replaced, are_directories=of_files)

    def query_of_created(self, query: str) -> str:
        """The query that creates an incremental model's table; one of a batch is checked."""
        node = self._invocation.node.node
        batch = Batch.of(node)
        if batch is None or increments.strategy_of(node.config) != increments.MICROBATCH:
            return query
        of_files = not increments.asks_for_native(node.config)
        replaced = batches.overwritten(node.config, batch)
        self._check_partitions(query, batch, replaced, are_directories=of_files)
        asked = f"SELECT * FROM ({query}\n) WHERE FALSE"  # noqa: S608 (the model's own)
        columns = {one.name: one.dtype for one in self._dbt.get_column_schema_from_query(asked)}
        batch.check(node.unique_id, ("the model's rows", ("", columns)))
        return batch.only(query, columns)

    def statement(
        self, planned: in_place.Increment, existing: CtasSparkRelation, source: CtasSparkRelation
    ) -> str | None:
        """The statement that adds the view ``source``; None if a macro has it."""
        node = self._invocation.node.node
        strategy, batch = increments.strategy_of(node.config), Batch.of(node)
        if strategy == increments.MERGE and not self._has_own("get_merge_sql"):
            return planned.merge(node.unique_id, node.config, str(source))
        if strategy == increments.MICROBATCH and existing.is_delta and batch is not None:
            return planned.replaced(batch, str(source), self._side(existing)[1])
        if strategy in INSERTING and not planned.alterations and not self._has_own(*INSERTS):
            return planned.insert(str(source), self._overwritten(existing, strategy))
        return None

    def statement_of_project(self, context: Any, arguments: dict[str, Any]) -> str:
        """The statement of the project's own strategy, from its ``get_incremental_NAME_sql``."""
        named = increments.strategy_of(self._invocation.node.node.config)
        return str(self._dbt.get_incremental_strategy_macro(context, named)(arguments))

    def _has_own(self, *macros: str) -> bool:
        """Whether the project has one of dbt-spark's macros in its own way."""
        return bool([*overridden(self._dbt, macros)])

    def _overwritten(self, existing: CtasSparkRelation, strategy: str) -> list[str] | None:
        """The columns whose partitions an INSERT replaces; Iceberg's has no clause for them."""
        if strategy not in increments.BY_PARTITION:
            return None
        partition_by = self._invocation.node.node.config.get("partition_by")
        return [] if existing.is_iceberg else batches.columns_of(partition_by)

    def _side(self, relation: CtasSparkRelation) -> batches.Side:
        return self._rows.side(relation)

    def _check_partitions(
        self, query: str, batch: Batch, partition_by: Any, *, are_directories: bool
    ) -> None:
        """Return unless the query's partitions are known to have rows of several batches."""
        columns = batches.columns_of(partition_by)
        if not columns or not self._invocation.is_in_session:
            return
        of = batches.text_of if are_directories else str
        parts = [of(quoting.identifier(one)) for one in columns]
        known = query, batch.event_time, parts, batch.edges
        found = partition_values.at_each(self._invocation.spark, *known)
        if found and (found[0] == found[1] or found[2] == found[3]):
            problem = f"partition_by: {batch.sharing(columns)}"
            raise ConfigurationError(self._invocation.node.node.unique_id, [problem])

    def _warn_of_hooks_of_one_batch(self) -> None:
        """dbt runs pre-hooks before the first batch only, and what nodes set there is set back."""
        if self._invocation.is_in_session:
            return
        node = self._invocation.node.node
        hooks = getattr(node.config, "pre_hook", ()) if Batch.of(node) is not None else ()
        if any(CHANGE.match(one.sql) for one in hooks):
            logger.warning(f"{node.unique_id}: {OF_ONE_BATCH}")

    def _check_partitioning(self, table: CtasSparkRelation) -> None:
        """Return unless other partitions would be replaced than the model means.

        Asked once for all batches of a model.

        Raises:
            ConfigurationError: they are not the same.
        """
        node, spark = self._invocation.node.node, self._invocation.spark
        if node.unique_id in self._partitioned:
            return
        strategy = increments.strategy_of(node.config)
        asked = batches.listed(node.config.get("partition_by"))
        problem, ask = "", partial(self._dbt.execute, fetch=True)

        def rows(sql: str) -> Any:
            return ask(sql)[1].rows

        if table.is_iceberg and strategy in increments.BY_PARTITION and asked:
            here = spark if self._invocation.is_in_session else None
            problem = own_partitions.problem(rows, table, asked, here)
        if table.is_delta and strategy == increments.INSERT_OVERWRITE and asked:
            problem = own_partitions.problem_of_delta(rows, table, batches.columns_of(asked))
        if problem:
            raise ConfigurationError(node.unique_id, [problem])
        self._partitioned.add(node.unique_id)

    def _check_writes_go_there(self, table: CtasSparkRelation) -> None:
        """AtomicityNotSupportedError if Iceberg would write the rows where nobody reads them."""
        if not table.is_iceberg:
            return
        conf = self._invocation.spark.conf
        elsewhere = next((name for name in ELSEWHERE if conf.get(name, None)), "")
        if elsewhere:
            shown = self._dbt.execute(f"SHOW TBLPROPERTIES {table}", fetch=True)[1].rows
            check_wap(table.full_name, {str(key): str(one) for key, one in shown}, elsewhere)

    def _replaced_partitions(self, existing: CtasSparkRelation, batch: Batch) -> Any:
        """The partitions of a batch that may hold other batches' rows, too."""
        partition_by = self._invocation.node.node.config.get("partition_by")
        if existing.is_delta:  # which replaces rows
            return None
        is_safe = existing.is_iceberg and batches.is_within(
            partition_by, batch.event_time, batch.size
        )
        return None if is_safe else partition_by

    def _properties_to_alter(self, existing: CtasSparkRelation) -> dict[str, str]:
        """Those by which Delta allows changes of columns, if the model may ask for them."""
        config = self._invocation.node.node.config
        if config.get("on_schema_change") != old_rows.SYNC or not existing.is_delta:
            return {}
        rows = self._dbt.execute(f"SHOW TBLPROPERTIES {existing}", fetch=True)[1].rows
        return {str(key): str(value) for key, value in rows}
