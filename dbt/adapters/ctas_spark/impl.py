"""The adapter: dbt-spark's, whose methods hand on to components that each have one idea."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from multiprocessing.context import SpawnContext
from typing import Any, cast

from dbt_common.contracts.metadata import CatalogTable
from dbt_common.events.contextvars import get_node_info
from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.context import (
    SESSION_CATALOG,
    StagingContext,
    catalog_of,
    table_name,
)
from ctas_spark.errors import NotSupportedError
from ctas_spark.options import OwnConfigs, staging_schema_of
from dbt.adapters.__about__ import version as base_version
from dbt.adapters.base.impl import BaseAdapter
from dbt.adapters.base.relation import AdapterTrackingRelationInfo, BaseRelation
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.contracts.relation import RelationConfig, RelationType
from dbt.adapters.ctas_spark import dbt_edge, model_columns
from dbt.adapters.ctas_spark.__version__ import version
from dbt.adapters.ctas_spark.catalogs_file import SparkCatalog
from dbt.adapters.ctas_spark.column import CtasSparkColumn
from dbt.adapters.ctas_spark.components import Components
from dbt.adapters.ctas_spark.connections import CtasSparkConnectionManager
from dbt.adapters.ctas_spark.dbt_edge import as_dbt_errors, logger
from dbt.adapters.ctas_spark.for_macros import ForMacros
from dbt.adapters.ctas_spark.invocation import Executed
from dbt.adapters.ctas_spark.methods import start_ahead
from dbt.adapters.ctas_spark.node_session import OPERATION, NodeSession
from dbt.adapters.ctas_spark.node_state import NodeState
from dbt.adapters.ctas_spark.relation import TEMPORARY, CtasSparkRelation
from dbt.adapters.ctas_spark.statements import statements, tidy
from dbt.adapters.ctas_spark.temporary_objects import refuse_shadowed
from dbt.adapters.spark.impl import SparkAdapter, SparkConfig

TESTS = ("test", "unit_test")
NO_STATEMENT = "SELECT 1 WHERE false"
"""What runs for a hook that is nothing but a comment."""


@dataclass
class CtasSparkConfig(OwnConfigs, SparkConfig):
    """The model configs of dbt-spark, and of this adapter."""


class CtasSparkAdapter(ForMacros, SparkAdapter):
    """dbt-spark, with tables that are staged and then published by one call."""

    Relation = CtasSparkRelation
    Column = CtasSparkColumn
    ConnectionManager = CtasSparkConnectionManager
    AdapterSpecificConfigs = CtasSparkConfig
    CATALOG_INTEGRATIONS = (SparkCatalog,)
    CONSTRAINT_SUPPORT = model_columns.SUPPORT
    _capabilities = CapabilityDict(
        {
            Capability.TableLastModifiedMetadata: CapabilitySupport(Support.Full),
            Capability.GetCatalogForSingleRelation: CapabilitySupport(Support.Full),
        }
    )

    connections: CtasSparkConnectionManager

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        dbt_edge.log_to_dbt()
        model_columns.correct_dbt_core()
        credentials: Any = config.credentials
        self.hide_secrets = credentials.hide_secrets
        shown = super()._get_columns_for_catalog
        self._components = Components.of(self, self.connections, shown)
        start_ahead(credentials)

    @contextmanager
    def connection_named(
        self, name: str, query_header_context: Any = None, *others: Any, **named: Any
    ) -> Iterator[None]:
        """dbt's own, with a state for the node; outside a model, Ctrl-C ends it with dbt's error.

        The context is the node: ``dbt show`` names it here, and calls no hook.
        """
        running = self.connections.running
        batches = self._components.invocation.batches
        around, session = running.state, NodeSession(query_header_context, batches)
        running.state = NodeState(query_header_context, session)
        try:
            with super().connection_named(name, query_header_context, *others, **named):
                try:
                    with dbt_edge.dbt_errors(self.hide_secrets):  # else with its Java stack
                        yield
                finally:
                    session.end()
        except KeyboardInterrupt as stop:
            if query_header_context is not None:
                raise
            raise dbt_edge.run_stopped() from stop
        finally:
            running.state = around

    @as_dbt_errors
    def pre_model_hook(self, config: Any) -> NodeState:
        return self._components.nodes.begin(config.model)

    def post_model_hook(self, config: Any, context: NodeState) -> None:  # noqa: ARG002 (dbt's shape)
        """The node has ended; dbt calls this in a ``finally``."""
        self._components.nodes.end(context, sys.exc_info()[1])

    def execute(
        self,
        sql: str,
        auto_begin: bool = False,  # noqa: FBT001, FBT002 (dbt's own signature)
        fetch: bool = False,  # noqa: FBT001, FBT002 (dbt's own signature)
        limit: int | None = None,
    ) -> Executed:
        """Run a statement; of a hook of the run, and of a test with a header, each of theirs."""
        together, kind = [sql], get_node_info().get("resource_type")
        if kind in TESTS or (kind == OPERATION and not fetch):
            together = statements(tidy(sql)) or [NO_STATEMENT]
        for one in together:
            with self._components.invocation.true_statistics(one):
                executed = super().execute(one, auto_begin, fetch, limit)
        return cast("Executed", executed)

    def cleanup_connections(self) -> None:
        """The invocation ends."""
        canceled = self.connections.was_canceled
        self._components.close(super().cleanup_connections, canceled=canceled)
        stop = sys.exc_info()[1]  # dbt calls this in a finally
        if canceled and isinstance(stop, KeyboardInterrupt):
            raise dbt_edge.run_stopped() from stop

    @as_dbt_errors
    def debug_query(self) -> None:
        """``dbt debug``: start Spark, then say what was found and which level it reaches."""
        credentials: Any = self.config.credentials
        self.execute("select 1 as id")
        self._components.relations.require_catalog(credentials.database)
        target = table_name(credentials.database, credentials.schema, "any")
        staging_schema = staging_schema_of({}, target, credentials.staging_schema)
        context = StagingContext(target, staging_schema)
        for line in self._components.invocation.catalogs.report(context):
            logger.info(f"  {self.hide_secrets(line)}")

    @as_dbt_errors
    def list_schemas(self, database: str | None) -> list[str]:
        return self._components.relations.schemas(database)

    def create_schema(self, relation: BaseRelation) -> None:
        """Another run may make it at the same moment: Hive 4 fails one of the two."""
        try:
            super().create_schema(relation)
        except DbtRuntimeError as error:
            with suppress(DbtRuntimeError):
                if self.check_schema_exists(relation.database, str(relation.schema)):
                    return
            named = self._components.relations.schema_of(relation)
            dbt_edge.add_to(error, f"schema {relation.schema} could not be created{named}")
            raise

    @as_dbt_errors
    def check_schema_exists(self, database: str | None, schema: str) -> bool:
        return self._components.relations.has_schema(database, schema)

    @as_dbt_errors
    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        return self._components.relations.listed(cast("CtasSparkRelation", schema_relation))

    def get_relation(
        self, database: str | None, schema: str, identifier: str
    ) -> BaseRelation | None:
        """A table or view: a function of the same name is neither, and nothing replaces it."""
        found = super().get_relation(catalog_of(database), schema, identifier)
        return None if found is not None and found.type == RelationType.Function else found

    def _make_match(
        self, relations_list: list[BaseRelation], database: str, schema: str, identifier: str
    ) -> list[BaseRelation]:
        if catalog_of(database) == SESSION_CATALOG:
            return super()._make_match(relations_list, database, schema, identifier)
        return self._components.relations.matching(relations_list, database, schema, identifier)

    def _get_cache_schemas(self, relation_configs: Iterable[RelationConfig]) -> set[BaseRelation]:
        """Those of catalogs that there are: dbt asks for nodes that are not selected, too.

        Of a node that is selected, dbt lists the schemas, which refuses the database.
        """
        known = self._components.relations.has_catalog
        found = super()._get_cache_schemas(relation_configs)
        return {one for one in found if known(catalog_of(one.database))}

    def get_columns_in_relation(self, relation: BaseRelation) -> list[Any]:
        """Those of the whole table, of which ``ref`` may have given a part of the rows."""
        whole = relation.replace(limit=None, event_time_filter=None)
        return cast("list[Any]", super().get_columns_in_relation(whole))

    def parse_describe_extended(self, relation: BaseRelation, raw_rows: Any) -> list[Any]:
        return self._components.relations.columns(relation, raw_rows)

    def assert_valid_snapshot_target_given_strategy(
        self, relation: BaseRelation, column_names: dict[str, str], strategy: Any
    ) -> None:
        """Find the columns in any case; dbt does not find that of deletions with a capital."""
        lowered = {key: name and name.lower() for key, name in column_names.items()}
        super().assert_valid_snapshot_target_given_strategy(relation, lowered, strategy)

    def drop_schema(self, relation: BaseRelation) -> None:
        """Drop a schema and what is in it; Iceberg's catalogs take no CASCADE."""
        schema = cast("CtasSparkRelation", relation.without_identifier())
        if not schema.in_session_catalog:
            for inside in self.list_relations_without_caching(schema):
                self.drop_relation(inside)
        super().drop_schema(relation)

    @as_dbt_errors
    def drop_relation(self, relation: BaseRelation) -> None:
        """Drop what is permanent; in a preview dbt's own intermediate ones are temporary views."""
        if self.is_preview() and TEMPORARY in str(relation.identifier):
            return
        refuse_shadowed(relation)
        super().drop_relation(relation)  # type: ignore[no-untyped-call]  # dbt's own

    @as_dbt_errors
    def rename_relation(self, from_relation: BaseRelation, to_relation: BaseRelation) -> None:
        if from_relation.database != to_relation.database:
            raise NotSupportedError(
                f"{from_relation} can't be renamed to {to_relation}: Spark can't move a table "
                f"between catalogs",
                left="it is unchanged",
                remedy="drop one of them, or give the model another alias",
            )
        super().rename_relation(from_relation, to_relation)  # type: ignore[no-untyped-call]  # dbt's own

    get_catalog = BaseAdapter.get_catalog
    """The columns and statistics of every relation in the project's schemas, for dbt's docs.

    dbt-spark's own takes the schemas of one database only.
    """

    def get_catalog_for_single_relation(self, relation: BaseRelation) -> CatalogTable | None:
        """The columns and statistics of one relation; None if it is not there."""
        asked = cast("CtasSparkRelation", relation).full_name
        listed = self.list_relations_without_caching(relation.without_identifier())
        for one in cast("list[CtasSparkRelation]", listed):
            if one.full_name == asked:
                return self._components.docs_catalog.table(one)
        return None

    def _get_catalog_schemas(self, relation_configs: Iterable[RelationConfig]) -> Any:
        """Each schema by itself, as dbt-spark reads them: of the same database, too."""
        nodes = list(relation_configs)
        self._components.docs_catalog.expect(nodes)
        relations = self._get_catalog_relations(nodes)
        return {self.Relation.create(one.database, one.schema): {one.schema} for one in relations}

    def _get_columns_for_catalog(self, relation: BaseRelation) -> Iterable[dict[str, Any]]:
        return self._components.docs_catalog.rows(cast("CtasSparkRelation", relation))

    @as_dbt_errors
    def calculate_freshness_from_metadata(
        self, source: BaseRelation, *_others: Any, **_named: Any
    ) -> tuple[None, Any]:
        written = self._components.freshness.last_written(source)
        return None, self._create_freshness_response(written, datetime.now(timezone.utc))

    @classmethod
    def get_adapter_run_info(cls, config: RelationConfig) -> AdapterTrackingRelationInfo:
        """Name this adapter: dbt derives a wrong module from the name of the class."""
        return AdapterTrackingRelationInfo(  # type: ignore[abstract]  # dbt instantiates it so
            adapter_name="ctas_spark",
            base_adapter_version=base_version,
            adapter_version=version,
            model_adapter_details=cls._get_adapter_specific_run_info(config),
        )
