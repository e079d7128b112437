"""One invocation of dbt: its catalogs, its run-operations, and what follows at its end."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from multiprocessing.context import SpawnContext
from typing import Any, cast

from dbt.adapters.__about__ import version as base_version
from dbt.adapters.base.relation import AdapterTrackingRelationInfo
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.ctas_spark import dbt_edge, model_columns, operations, project_macros, warm_spark
from dbt.adapters.ctas_spark.__version__ import version
from dbt.adapters.ctas_spark.any_catalog import AnyCatalogAdapter
from dbt.adapters.ctas_spark.catalogs_file import SparkCatalog, spark_catalogs
from dbt.adapters.ctas_spark.config import staging_schema_of
from dbt.adapters.ctas_spark.connections import SessionHandle
from dbt.adapters.ctas_spark.dbt_edge import as_dbt_errors, for_macros, logger
from dbt.adapters.ctas_spark.end_of_run import Published, look_after
from dbt.adapters.ctas_spark.methods import METHODS, start_ahead
from dbt.adapters.ctas_spark.node_session import NodeSession
from dbt.adapters.ctas_spark.publication_events import Announcer, hooks_of
from dbt.adapters.ctas_spark.staging.catalogs.kinds import Catalogs
from dbt.adapters.ctas_spark.staging.catalogs.protocol import StagingCatalog
from dbt.adapters.ctas_spark.staging.context import StagingContext, table_name
from dbt.adapters.ctas_spark.staging.errors import NoSuchCatalogError
from dbt.adapters.ctas_spark.staging.hooks import Column
from dbt.adapters.ctas_spark.summary import Written, summary


class InvocationAdapter(AnyCatalogAdapter):
    """What is opened once for all models of a run, and looked after when they have ended."""

    CATALOG_INTEGRATIONS = (SparkCatalog,)

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        dbt_edge.log_to_dbt()
        model_columns.correct_dbt_core()
        self._model = self.connections.model
        self._guard = threading.Lock()
        self._told_of_macros = False
        self._opened: Catalogs | None = None
        self._published: list[Published] = []
        self._written: list[Written] = []
        self.hide_secrets = self._credentials.hide_secrets
        self._announcer = Announcer(
            hooks_of(self._credentials, getattr(config, "project_root", None)),
            self.hide_secrets,
            self.get_macro_resolver,  # it is dbt's manifest
            self._columns_written,
        )
        start_ahead(self._credentials)

    @for_macros
    def operation_text(self, name: str, graph: dict[str, Any], arguments: dict[str, Any]) -> str:
        def catalog_for(context: StagingContext) -> StagingCatalog:
            return self.catalogs.catalog_for(context)  # starts Spark, once the arguments are right

        project = operations.Project(graph, self._credentials.staging_schema, catalog_for)
        told: str = self.hide_secrets(operations.run(name, project, arguments))
        return told

    @for_macros
    def archive_classes(self, arguments: dict[str, Any]) -> str:
        return operations.archive_classes(arguments, logger.info)

    @for_macros
    def warm_spark(self, arguments: dict[str, Any]) -> str:
        return warm_spark.run(arguments, self._credentials, logger.info)

    @for_macros
    def named_catalog(self, node: Any) -> str | None:
        """The Spark catalog of a node with ``catalog_name``, by the project's catalogs.yml."""
        name = node.config.get("catalog_name") if node and node.config else None
        if name is None or name in self._spark_catalogs:
            return self._spark_catalogs[name] if name else None
        raise NoSuchCatalogError(
            f"catalog_name {name} of {node.name} is not in catalogs.yml of the project",
            left="nothing was started",
            remedy=f"it has: {', '.join(self._spark_catalogs) or 'nothing'}",
        )

    def warn_of_unused_macros(self) -> None:
        """Once in an invocation, and only if it stages a table."""
        with self._guard:
            is_told, self._told_of_macros = self._told_of_macros, True
        if not is_told:
            project_macros.warn_of_unused(self)

    @cached_property
    def _spark_catalogs(self) -> dict[str, str]:
        return spark_catalogs(self.config)

    @as_dbt_errors
    def debug_query(self) -> None:
        """``dbt debug``: start Spark, then say what was found and which level it reaches."""
        self.execute("select 1 as id")
        self.require_catalog(self._credentials.database)
        target = table_name(self._credentials.database, self._credentials.schema, "any")
        staging_schema = staging_schema_of({}, target, self._credentials.staging_schema)
        for line in self.catalogs.report(StagingContext(target, staging_schema)):
            logger.info(f"  {self.hide_secrets(line)}")

    @contextmanager
    def connection_named(
        self, name: str, query_header_context: Any = None, *others: Any, **named: Any
    ) -> Iterator[None]:
        """The same; outside of a model, Ctrl-C ends it with an error of dbt's.

        The context is the node: ``dbt show`` names it here, and calls no hook.
        """
        model, around = self.connections.model, self.connections.model.session
        model.node, model.session = query_header_context, NodeSession(query_header_context)
        try:
            with super().connection_named(name, query_header_context, *others, **named):
                try:
                    yield
                finally:
                    model.session.end()
        except KeyboardInterrupt as stop:
            if query_header_context is not None:
                raise
            raise dbt_edge.run_stopped() from stop
        finally:
            model.session = around

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

    def _columns_written(self, node: Any) -> tuple[Column, ...]:
        """Those of a node's table after its publication; none if they can't be read."""
        relation = self.Relation.create_from(self.config, node).quote(
            database=True, schema=True, identifier=True
        )
        with suppress(Exception):  # they are for users' hooks alone
            found = self.get_column_schema_from_query(f"select * from {relation} limit 0")  # noqa: S608 (dbt's own name)
            return tuple(Column(one.name, one.dtype) for one in found)
        return ()

    @property
    def _credentials(self) -> Any:
        return self.config.credentials

    @property
    def _handle(self) -> SessionHandle:
        return cast("SessionHandle", self.connections.get_thread_connection().handle)

    @property
    def catalogs(self) -> Catalogs:
        """The invocation's catalogs, opened by the first model that needs them.

        A node with a session of its own has them look there.
        """
        spark, session = self._handle.of_run, self._model.session
        with self._guard:
            if self._opened is None:
                method = METHODS[self._credentials.method]
                self._opened = method.open_catalogs(spark, self._credentials)
            opened = self._opened
        return session.catalogs(opened) if session is not None else opened
