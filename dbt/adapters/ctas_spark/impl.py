"""The adapter: a façade over the core, one delegation for each step that a macro names."""

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.context import SpawnContext
from typing import Any, cast

from dbt.adapters.__about__ import version as base_version
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import AdapterTrackingRelationInfo, BaseRelation
from dbt.adapters.contracts.connection import AdapterRequiredConfig, AdapterResponse
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.ctas_spark import dbt_edge, model_columns, operations, seeds, statistics
from dbt.adapters.ctas_spark.__version__ import version
from dbt.adapters.ctas_spark.any_catalog import AnyCatalogAdapter
from dbt.adapters.ctas_spark.config import CtasSparkConfig, read_plan, staging_schema_of
from dbt.adapters.ctas_spark.connections import SessionHandle
from dbt.adapters.ctas_spark.dbt_edge import as_dbt_errors, for_macros, logger
from dbt.adapters.ctas_spark.end_of_run import Published, look_after
from dbt.adapters.ctas_spark.methods import METHODS
from dbt.adapters.ctas_spark.model_build import ModelBuild, ModelSlot, PublicationResponse, planned
from dbt.adapters.ctas_spark.relation import CtasSparkRelation, table_name
from dbt.adapters.ctas_spark.staging.catalogs.kinds import Catalogs
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import NotSupportedError
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION_ID
from dbt.adapters.ctas_spark.summary import Written, summary


class CtasSparkAdapter(AnyCatalogAdapter):
    """dbt-spark, with tables that are staged and then published by one call."""

    AdapterSpecificConfigs = CtasSparkConfig

    CONSTRAINT_SUPPORT = model_columns.SUPPORT

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        dbt_edge.log_to_dbt()
        model_columns.correct_dbt_core()
        self._model = self.connections.model
        self._guard = threading.Lock()
        self._opened: Catalogs | None = None
        self._published: list[Published] = []
        self._written: list[Written] = []
        self._models: dict[TableName, RelationConfig] = {}
        self.hide_secrets = self._credentials.hide_secrets

    def pre_model_hook(self, config: Any) -> ModelSlot:
        self._model.enter(config.model)
        return self._model

    def post_model_hook(self, config: Any, context: ModelSlot) -> None:  # noqa: ARG002 (dbt's shape)
        """Note what was written, and abort what an error or a cancel left undecided.

        dbt calls this in a ``finally``.
        """
        if context.written is not None:
            seconds = time.monotonic() - context.began
            self._written.append(replace(context.written, seconds=seconds))
        cause, build = sys.exc_info()[1], context.build
        dbt_edge.forget_hudi(cause)
        if cause is None:
            return
        canceled = self.connections.is_canceled_here
        if build is not None:
            told = (build.on_canceled if canceled else build.on_failed)(cause)
            dbt_edge.add_to(cause, told)
        if canceled:  # dbt prints no message of a model that it has cancelled
            node = context.node
            target = table_name(node.database, node.schema, node.alias)
            logger.info(build.holds if build else f"{target}: {dbt_edge.CUT_OFF}")

    @for_macros
    def plan_staged_table(self, relation: CtasSparkRelation, full_refresh: bool) -> None:  # noqa: FBT001 (Jinja)
        """Validate the model's configuration and decide its level; no job is started."""
        self._plan(relation, full_refresh=full_refresh)

    @for_macros
    def plan_staged_seed(self, relation: CtasSparkRelation, full_refresh: bool) -> bool:  # noqa: FBT001 (Jinja)
        """The same for a seed; False if it can't be published, and did not ask for a level."""
        try:
            self._plan(relation, full_refresh=full_refresh)
        except NotSupportedError as error:
            if self._model.node.config.get("atomicity") is not None:
                raise
            logger.info(f"{relation.full_name}: {seeds.IN_BATCHES}: {error.what}")
            return False
        return True

    @for_macros
    def seed_query(self, rows: Any, config: Any) -> str:
        """Select the rows that dbt has read of the seed's file, as the types that it found."""
        return seeds.query(seeds.columns(self, rows, config), rows.rows)

    def _plan(self, relation: CtasSparkRelation, *, full_refresh: bool) -> None:
        node = self._model.node
        model_columns.warn_of_unchecked(node, self.type())
        plan = read_plan(
            node.unique_id,
            node.config,
            node.description,
            relation.full_name,
            self._credentials.staging_schema,
            column_comments=model_columns.descriptions(node),
            full_refresh=full_refresh,
        )
        opened = self._catalogs()
        group = f"{node.unique_id} {opened.run}"
        job = self._handle.new_job(group, plan.abort_timeout_seconds)
        self._model.begin = planned(opened.catalog_for(plan.context), plan, job)

    @for_macros
    def begin_staged_table(self) -> bool:
        """Look at the target; False if the model is to keep it as it is."""
        self._model.build = self._model.begin()
        return self._build.staged.outcome is None

    @for_macros
    def staged_table_sql(self, query: str) -> str:
        return self._build.staged.statement(query)

    @for_macros
    def verify_staged_table(self) -> CtasSparkRelation:
        """The staged version as a relation, for checks before it is published."""
        record = self._build.staged.verify()
        path = record.catalog, record.database, record.table
        return self.Relation.create(*path, type=self.Relation.Table, branch=record.branch)

    @for_macros
    def constraint_checks_sql(self, model: dict[str, Any], table: CtasSparkRelation) -> str | None:
        return model_columns.checks_sql(model, table.full_name)

    @for_macros
    def assert_no_violations(self, counts: Any) -> None:
        """Fail the model if the one row of ``constraint_checks_sql`` counts broken rows."""
        found = dict(zip(counts.column_names, counts.rows[0], strict=True))
        model_columns.assert_none_broken(found, self._build.staged.target)

    @for_macros
    def comment_columns(self, staged: CtasSparkRelation) -> None:
        """Comment the staged version's columns, unless it is a branch, which has its comments."""
        table, build = staged.full_name, self._build.staged
        texts = build.context.layout.column_comments
        if texts and not table.branch:
            own = build.keeps_own_columns
            comment = model_columns.comment_each if own else model_columns.comment
            comment(self._handle.spark, table, texts)

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
        size = getattr(response, "bytes", None)
        figures = WriteFigures(rows=response.rows_affected, bytes=size)
        self._model.written = Written.by(self._model.node, figures)

    @available
    def list_seed(self, rows: int) -> None:
        """List the seed that has been loaded."""
        self._model.written = Written.by(self._model.node, WriteFigures(rows=rows))

    @for_macros
    def operation_text(self, name: str, graph: dict[str, Any], arguments: dict[str, Any]) -> str:
        project = operations.Project(
            graph, self._credentials.staging_schema, lambda one: self._catalogs().catalog_for(one)
        )
        told: str = self.hide_secrets(operations.run(name, project, arguments))
        return told

    @for_macros
    def archive_classes(self, arguments: dict[str, Any]) -> str:
        return operations.archive_classes(arguments, logger.info)

    @as_dbt_errors
    def debug_query(self) -> None:
        """``dbt debug``: start Spark, then say what was found and which level it reaches."""
        self.execute("select 1 as id")
        self.require_catalog(self._credentials.database)
        target = TableName(self._credentials.schema, "any", self._credentials.database)
        staging_schema = staging_schema_of({}, target, self._credentials.staging_schema)
        for line in self._catalogs().report(StagingContext(target, staging_schema)):
            logger.info(f"  {self.hide_secrets(line)}")

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> Any:
        """The columns and statistics of every relation in the project's schemas, for dbt's docs."""
        nodes = list(relation_configs)
        self._models = {
            table_name(one.database, one.schema, one.identifier): one
            for one in nodes
            if one.resource_type in operations.RESOURCES
        }
        return super().get_catalog(nodes, used_schemas)

    def _get_columns_for_catalog(self, relation: BaseRelation) -> Iterator[dict[str, Any]]:
        columns = super()._get_columns_for_catalog(relation)
        table = cast("CtasSparkRelation", relation).full_name
        version = statistics.version_shown(cast("CtasSparkRelation", relation).information)
        if table not in self._models or not VERSION_ID.fullmatch(version):
            return columns
        config: Any = self._models[table].config
        staging_schema = staging_schema_of(config, table, self._credentials.staging_schema)
        figures = self._catalogs().figures(table, version, staging_schema)
        return (statistics.with_figures(column, version, figures) for column in columns)

    @contextmanager
    def connection_named(
        self, name: str, query_header_context: Any = None, *others: Any, **named: Any
    ) -> Iterator[None]:
        """The same; outside of a model, Ctrl-C ends it with an error of dbt's.

        The context is the node: ``dbt show`` names it here, and calls no hook.
        """
        self.connections.model.node = query_header_context
        try:
            with super().connection_named(name, query_header_context, *others, **named):
                yield
        except KeyboardInterrupt as stop:
            if query_header_context is not None:
                raise
            raise dbt_edge.run_stopped() from stop

    def cleanup_connections(self) -> None:
        """The invocation ends: look after old versions, then close catalogs and connections."""
        with self._guard:
            opened, self._opened = self._opened, None
        published, self._published = self._published, []
        written, self._written = self._written, []
        canceled = self.connections.was_canceled
        try:
            if written and self._credentials.publications_table:
                dbt_edge.say(summary(written))
            look_after(published, logger.info, interrupted=canceled)
        finally:
            if opened is not None:
                opened.close()
            super().cleanup_connections()
            METHODS[self._credentials.method].close()
        stop = sys.exc_info()[1]  # dbt calls this in a finally
        if canceled and isinstance(stop, KeyboardInterrupt):
            raise dbt_edge.run_stopped() from stop

    @classmethod
    def get_adapter_run_info(cls, config: RelationConfig) -> AdapterTrackingRelationInfo:
        """Name this adapter: dbt derives a wrong module from the name of the class."""
        return AdapterTrackingRelationInfo(  # type: ignore[abstract]  # dbt instantiates it so
            adapter_name="ctas_spark",
            base_adapter_version=base_version,
            adapter_version=version,
            model_adapter_details=cls._get_adapter_specific_run_info(config),
        )

    @property
    def _credentials(self) -> Any:
        return self.config.credentials

    @property
    def _handle(self) -> SessionHandle:
        return cast("SessionHandle", self.connections.get_thread_connection().handle)

    @property
    def _build(self) -> ModelBuild:
        return cast("ModelBuild", self._model.build)

    def _catalogs(self) -> Catalogs:
        """The invocation's catalogs, opened by the first model that needs them."""
        spark = self._handle.spark
        with self._guard:
            if self._opened is None:
                method = METHODS[self._credentials.method]
                self._opened = method.open_catalogs(spark, self._credentials)
            return self._opened
