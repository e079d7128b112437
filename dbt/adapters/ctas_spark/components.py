"""The components of one adapter, each made with what it needs."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from ctas_spark.hooks import Column
from dbt.adapters.ctas_spark.catalogs_file import CatalogsFile
from dbt.adapters.ctas_spark.connections import CtasSparkConnectionManager
from dbt.adapters.ctas_spark.docs_catalog import DocsCatalog
from dbt.adapters.ctas_spark.freshness import Freshness
from dbt.adapters.ctas_spark.incremental import Incremental
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.methods import METHODS
from dbt.adapters.ctas_spark.model_rows import ModelRows
from dbt.adapters.ctas_spark.nodes import Nodes
from dbt.adapters.ctas_spark.previews import Previews, asked_for
from dbt.adapters.ctas_spark.publication import Publication
from dbt.adapters.ctas_spark.publication_events import HookDispatcher, hooks_of
from dbt.adapters.ctas_spark.refusals import Refusals
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.relations import Relations
from dbt.adapters.ctas_spark.run_operations import RunOperations
from dbt.adapters.ctas_spark.run_record import RunRecord
from dbt.adapters.ctas_spark.snapshots import Snapshots
from dbt.adapters.ctas_spark.table_docs import TableDocs
from dbt.adapters.ctas_spark.temporary_objects import TemporaryObjects
from dbt.adapters.ctas_spark.views import Views


@dataclass(frozen=True, slots=True)
class Components:
    """Made once for an invocation, and closed at its end."""

    invocation: Invocation
    catalogs_file: CatalogsFile
    relations: Relations
    docs_catalog: DocsCatalog
    freshness: Freshness
    table_docs: TableDocs
    dispatcher: HookDispatcher
    run_record: RunRecord
    rows: ModelRows
    nodes: Nodes
    publication: Publication
    incremental: Incremental
    snapshots: Snapshots
    temporary_objects: TemporaryObjects
    views: Views
    previews: Previews
    refusals: Refusals
    run_operations: RunOperations

    @classmethod
    def of(
        cls,
        dbt: Any,
        connections: CtasSparkConnectionManager,
        shown: Callable[[CtasSparkRelation], Iterable[dict[str, Any]]],
    ) -> "Components":
        """Those of dbt's adapter; ``shown`` are the rows of dbt-spark's catalog of a relation."""
        config = dbt.config
        invocation = Invocation(connections, config.credentials, asked_for(config))
        hooks = hooks_of(config.credentials, getattr(config, "project_root", None))
        dispatcher = HookDispatcher(
            hooks,
            invocation.hide_secrets,
            dbt.get_macro_resolver,  # it is dbt's manifest
            lambda node: _columns_written(dbt, node),
        )
        relations = Relations(invocation, dbt)
        record = RunRecord(invocation, relations)
        rows = ModelRows(invocation, dbt)
        publication = Publication(invocation, dbt, dispatcher, record)
        incremental = Incremental(invocation, dbt, dispatcher, rows, publication)
        temporary = TemporaryObjects(invocation, dbt)
        previews = Previews(invocation, dbt, incremental, temporary)
        if invocation.preview.enabled:
            connections.instead = previews.instead_of
            dispatcher.mute()
        return cls(
            invocation=invocation,
            catalogs_file=CatalogsFile(config),
            relations=relations,
            docs_catalog=DocsCatalog(invocation, relations, shown),
            freshness=Freshness(invocation, dbt, relations),
            table_docs=TableDocs(dbt, relations),
            dispatcher=dispatcher,
            run_record=record,
            rows=rows,
            nodes=Nodes(invocation, dbt, dispatcher, record, rows),
            publication=publication,
            incremental=incremental,
            snapshots=Snapshots(invocation, rows),
            temporary_objects=temporary,
            views=Views(invocation, dbt, relations),
            previews=previews,
            refusals=Refusals(invocation),
            run_operations=RunOperations(invocation),
        )

    def close(self, close_connections: Callable[[], None], *, canceled: bool) -> None:
        """The invocation ends: say what it did, look after old versions, close what was opened."""
        steps = (
            self.previews.close,
            self.temporary_objects.clear,
            self.dispatcher.report,
            lambda: self.run_record.close(canceled=canceled),
            self.invocation.close,
            close_connections,
            METHODS[self.invocation.credentials.method].close,
        )
        with ExitStack() as stack:
            for step in reversed(steps):
                stack.callback(step)


def _columns_written(dbt: Dbt, node: Any) -> tuple[Column, ...]:
    """The columns of a node's table after its publication; none if they can't be read."""
    relation = dbt.Relation.create_from(dbt.config, node)
    relation = relation.quote(database=True, schema=True, identifier=True)
    with suppress(Exception):  # they are for users' hooks alone
        found = dbt.get_column_schema_from_query(f"select * from {relation} limit 0")  # noqa: S608 (dbt's own name)
        return tuple(Column(one.name, one.dtype) for one in found)
    return ()
