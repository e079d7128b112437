"""The adapter's methods for temporary objects, which shadow permanent ones until a run ends."""

from collections.abc import Mapping
from multiprocessing.context import SpawnContext
from typing import Any

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.ctas_spark import temporary as api
from dbt.adapters.ctas_spark.dbt_edge import as_dbt_errors, for_macros
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging import temporary
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import NotSupportedError, ShadowedError
from dbt.adapters.ctas_spark.staging.temporary import Kind, expand
from dbt.adapters.ctas_spark.views import ViewAdapter


class TemporaryAdapter(ViewAdapter):
    """What a path leaves out is the profile's database and the model's schema."""

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._kept = temporary.everything()

    @for_macros
    def shadow(self, relation: CtasSparkRelation) -> None:
        """Let the last statement's rows be read in place of the relation's, in this run."""
        temporary.of(self._handle.of_run).shadow(relation.full_name, self._handle.frame)

    @for_macros
    def shadow_function(self, relation: CtasSparkRelation) -> None:
        """Let a temporary function, which the next statement creates, be called in its place."""
        objects, path = temporary.of(self._handle.of_run), relation.full_name
        objects.add_function(path, objects.generated(path))

    @for_macros
    def define_rows(self, query: str) -> None:
        """Make a query the last statement, without computing it."""
        self.add_query(query)

    @for_macros
    def create_temporary_view(self, path: str, query: str) -> None:
        self.add_query(query)
        temporary.of(self._handle.of_run).shadow(self._expanded(path), self._handle.frame)

    @for_macros
    def create_temporary_table(
        self,
        path: str,
        file_format: str,
        options: Mapping[str, str],
        columns: str | None = None,
    ) -> None:
        spark = self._handle.of_run
        api.create_temporary_table(
            self._expanded(path), file_format, options, columns, session=spark
        )

    @for_macros
    def create_temporary_function(self, path: str, **function: Any) -> None:
        full = path if len(temporary.parts_of(path)) == 1 else self._expanded(path)
        api.create_temporary_function(full, session=self._handle.of_run, **function)

    @for_macros
    def drop_temporary_view(self, path: str) -> bool:
        return temporary.of(self._handle.of_run).drop(self._expanded(path), Kind.VIEW)

    @for_macros
    def drop_temporary_table(self, path: str) -> bool:
        return temporary.of(self._handle.of_run).drop(self._expanded(path), Kind.TABLE)

    @for_macros
    def drop_temporary_function(self, path: str) -> bool:
        if len(temporary.parts_of(path)) == 1:
            return api.drop_temporary_function(path, session=self._handle.of_run)
        return temporary.of(self._handle.of_run).drop(self._expanded(path), Kind.FUNCTION)

    @for_macros
    def list_temporary_views(self) -> list[str]:
        return api.list_temporary_views(session=self._handle.of_run)

    @for_macros
    def list_temporary_tables(self) -> list[str]:
        return api.list_temporary_tables(session=self._handle.of_run)

    @for_macros
    def list_temporary_functions(self) -> list[str]:
        return api.list_temporary_functions(session=self._handle.of_run)

    @for_macros
    def resolve_path(self, path: str, is_function: bool = False) -> str:  # noqa: FBT001, FBT002 (Jinja)
        """The SQL that names what the path means: a temporary object first."""
        full = self._expanded(path)
        return api.resolve_path(full, is_function=is_function, session=self._handle.of_run)

    @for_macros
    def refuse_temporary_table(self) -> None:
        raise NotSupportedError(
            "there is no temporary table of a query's rows: temporary tables are of data that "
            "exists",
            table=self._model.table,
            left="unchanged; no hook and no job was started",
            remedy="set materialized to temporary_view",
        )

    @as_dbt_errors
    def drop_relation(self, relation: BaseRelation) -> None:
        """Drop what is permanent; a name that a temporary object shadows is ambiguous."""
        if isinstance(relation, CtasSparkRelation) and relation.shadow:
            raise ShadowedError(
                f"{relation.full_name} can't be dropped: a temporary object of this session "
                "shadows it",
                left="both are unchanged",
                remedy="drop that first, by adapter.drop_temporary_view, _table or _function",
            )
        super().drop_relation(relation)  # type: ignore[no-untyped-call]  # dbt's own

    def cleanup_connections(self) -> None:
        """The invocation ends, and with it the temporary objects that it has made."""
        try:
            temporary.clear(self._kept)
        finally:
            super().cleanup_connections()

    def _expanded(self, path: str) -> TableName:
        schema = getattr(self._model.node, "schema", None) or self._credentials.schema
        return expand(path, self._credentials.database, schema)
