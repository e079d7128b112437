"""The adapter's methods for views that take something's place, and for what Spark can't create."""

from dbt.adapters.ctas_spark.config import staging_schema_of
from dbt.adapters.ctas_spark.dbt_edge import for_macros
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging.context import StagingContext, TableName
from dbt.adapters.ctas_spark.staging.errors import NotSupportedError
from dbt.adapters.ctas_spark.staging.files.view import refuse_recursion
from dbt.adapters.ctas_spark.statistics import CountingAdapter


class ViewAdapter(CountingAdapter):
    """Spark creates such a view under another name; one call then puts it there."""

    @for_macros
    def staged_view(
        self, relation: CtasSparkRelation, existing: CtasSparkRelation | None
    ) -> CtasSparkRelation | None:
        """The name to create a view by that then takes the place of what exists.

        None if Spark's own statements do: where there is nothing, or a view that can be altered.
        """
        node, docs = self._model.node, self._model.node.config.get("persist_docs") or {}
        if existing is None or not existing.in_session_catalog:
            return None
        if existing.is_view and not (docs.get("relation") or docs.get("columns")):
            return None
        target = relation.full_name
        schema = staging_schema_of(node.config, target, self._credentials.staging_schema)
        self._model.view = self.catalogs.view_change(StagingContext(target, schema))
        if self._model.view is None:
            return None
        name: TableName = self._model.view.staged
        path = name.catalog, name.database, name.table
        return self.Relation.create(*path, type=self.Relation.View)

    @for_macros
    def publish_view(self, staged: CtasSparkRelation) -> None:
        """Let the view that was created as ``staged`` take the model's place, by one call."""
        change = self._model.view
        try:
            self._refuse_recursion(staged, change.table.name)
            change.publish()
        finally:
            change.discard()

    @for_macros
    def drop_tried_view(self, tried: CtasSparkRelation, existing: CtasSparkRelation) -> None:
        """Drop the view that was created to see whether it may take the place of what exists."""
        try:
            self._refuse_recursion(tried, existing.full_name)
        finally:
            self.drop_relation(tried)  # type: ignore[no-untyped-call]  # dbt's own

    def _refuse_recursion(self, view: CtasSparkRelation, target: TableName) -> None:
        asked = f"EXPLAIN EXTENDED SELECT * FROM {view}"  # noqa: S608 (our own name)
        refuse_recursion(target, str(self._handle.spark.sql(asked).take(1)[0][0]))

    @for_macros
    def refuse_materialized_view(self) -> None:
        """dbt's own materialization fails as well, but runs hooks first, and gives no reason."""
        raise NotSupportedError(
            "a materialized view can't be made: Spark's catalogs have none, and its CREATE "
            "MATERIALIZED VIEW is for declarative pipelines alone",
            table=self._model.table,
            left="unchanged; no hook and no job was started",
            remedy="set materialized to table or incremental, which are refreshed by each run of "
            "dbt, or to view",
        )

    @for_macros
    def refuse_overloads(self, function: CtasSparkRelation) -> None:
        """Each would be created by CREATE OR REPLACE, in place of the one before it."""
        raise NotSupportedError(
            "a function can't have overloads: Spark tells functions apart by their names alone",
            table=function.full_name,
            left="unchanged; no hook and no job was started",
            remedy="make a function of another name of each file in overloads",
        )
