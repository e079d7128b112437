"""Views that take something's place: created under another name, and then put there by one call."""

from functools import cached_property

from ctas_spark import quoting
from ctas_spark.context import StagingContext, TableName
from ctas_spark.files.view import refuse_recursion
from ctas_spark.options import staging_schema_of
from ctas_spark.publish.marker import CLONE
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.relations import Relations


class Views:
    """How the macros of views create, replace and mark them."""

    def __init__(self, invocation: Invocation, dbt: Dbt, relations: Relations) -> None:
        self._invocation = invocation
        self._dbt = dbt
        self._relations = relations

    def staged(
        self, relation: CtasSparkRelation, existing: CtasSparkRelation | None
    ) -> CtasSparkRelation | None:
        """The name to create a view by that then takes the place of what exists.

        None if Spark's own statements do: where there is nothing, or a view that can be altered.
        """
        state, this = self._invocation.node, self._invocation
        docs = state.node.config.get("persist_docs") or {}
        if existing is None or not existing.in_session_catalog:
            return None
        if existing.is_view and not (docs.get("relation") or docs.get("columns")):
            return None
        target = relation.full_name
        schema = staging_schema_of(state.node.config, target, this.credentials.staging_schema)
        state.view = this.catalogs.view_change(StagingContext(target, schema))
        if state.view is None:
            return None
        name: TableName = state.view.staged
        path = name.catalog, name.database, name.table
        return self._dbt.Relation.create(*path, type=self._dbt.Relation.View)

    def publish(self, staged: CtasSparkRelation) -> None:
        """Let the view that was created as ``staged`` take the model's place, by one call."""
        change = self._invocation.node.view
        try:
            self._refuse_recursion(staged, change.table.name)
            change.publish()
        finally:
            change.discard()

    def drop_tried(self, tried: CtasSparkRelation, existing: CtasSparkRelation) -> None:
        """Drop the view that was created to see whether it may take the place of what exists."""
        try:
            self._refuse_recursion(tried, existing.full_name)
        finally:
            self._dbt.drop_relation(tried)

    def alters(self, existing: CtasSparkRelation | None) -> bool:
        """Whether ALTER VIEW replaces a view's query: one call of the metastore.

        CREATE OR REPLACE VIEW drops the view first. Only Spark's own catalog has ALTER VIEW. A hook
        may have dropped the view since dbt listed it.
        """
        if existing is None or not (existing.is_view and existing.in_session_catalog):
            return False
        if self._relations.has_session_catalog_of_iceberg():
            return False
        return not self._ran_hooks or bool([*self._relations.describe(existing)])

    def clone_mark_sql(self, view: CtasSparkRelation) -> str:
        """The statement by which a seed knows the view for a clone, which it may replace."""
        mark = quoting.properties({CLONE: "true"})
        return f"ALTER VIEW {view} SET TBLPROPERTIES {mark}"

    @property
    def _ran_hooks(self) -> bool:
        """Whether statements of the project's own came before the node's."""
        return bool(self._invocation.node.node.config.pre_hook) or self._has_start_hooks

    @cached_property
    def _has_start_hooks(self) -> bool:
        nodes = self._dbt.get_macro_resolver().nodes.values()
        operations = (one for one in nodes if one.resource_type == "operation")
        return any("on-run-start" in one.tags for one in operations)

    def _refuse_recursion(self, view: CtasSparkRelation, target: TableName) -> None:
        asked = f"EXPLAIN EXTENDED SELECT * FROM {view}"  # noqa: S608 (our own name)
        refuse_recursion(target, str(self._invocation.spark.sql(asked).take(1)[0][0]))
