"""dbt-spark's adapter, in any catalog that the session has."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.base.impl import BaseAdapter
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import RelationConfig, RelationType
from dbt.adapters.ctas_spark import listed_at_once, model_columns, table_docs
from dbt.adapters.ctas_spark.config import FORMATS
from dbt.adapters.ctas_spark.dbt_edge import as_dbt_errors
from dbt.adapters.ctas_spark.listed_at_once import Listed
from dbt.adapters.ctas_spark.lookup import ANYTHING, NOT_FOUND, LookupAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.catalogs.kinds import (
    CATALOG_OF_ICEBERG,
    ICEBERG,
    SESSION_OF_ICEBERG,
    implementation_of,
)
from dbt.adapters.ctas_spark.staging.catalogs.settings import SETTINGS
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, catalog_of, levels, table_name
from dbt.adapters.ctas_spark.staging.errors import NoSuchCatalogError, NotSupportedError
from dbt.adapters.ctas_spark.staging.statement.tables import details
from dbt.adapters.spark.impl import (
    DESCRIBE_TABLE_EXTENDED_MACRO_NAME,
    LIST_RELATIONS_MACRO_NAME,
    LIST_SCHEMAS_MACRO_NAME,
    SCHEMA_NOT_FOUND_MESSAGES,
    TABLE_OR_VIEW_NOT_FOUND_MESSAGES,
)

LIST_FUNCTIONS_MACRO_NAME = "ctas_list_functions_without_caching"
LIST_TABLES_MACRO_NAME = "ctas_list_tables_without_caching"
LIST_VIEWS_MACRO_NAME = "ctas_list_views_without_caching"
LISTAGG_SINCE = 4
LISTINGS = 10
"""Attempts to list a schema in which others drop tables."""
MOST_NODES = 5
"""Those that an error names."""
NOT_EXTENDED = "SHOW TABLE EXTENDED is not supported"
NO_VIEWS = "does not support views"
NO_WAREHOUSE = "Namespace does not exist:"
"""What Iceberg says of a hadoop catalog in which nothing was made yet."""


class AnyCatalogAdapter(LookupAdapter):
    """Lists and changes relations by their full path."""

    def list_schemas(self, database: str | None) -> list[str]:
        """The schemas of a database, whose name dbt may have quoted."""
        catalog = catalog_of(quoting.unquoted(database or ""))
        self.require_catalog(catalog)
        return self._schemas_in(quoting.identifier(catalog), NO_WAREHOUSE)

    def check_schema_exists(self, database: str | None, schema: str) -> bool:
        """Whether the database has a schema of that name, ignoring case; it may be nested."""
        catalog, (*above, _) = catalog_of(database), levels(catalog_of(database), schema)
        found = (
            self._schemas_in(quoting.namespace(catalog, ".".join(above)), "SCHEMA_NOT_FOUND")
            if above
            else self.list_schemas(database)
        )
        return schema.lower() in (one.lower() for one in found)

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        schema = cast("CtasSparkRelation", schema_relation)
        if schema.in_session_catalog:
            found = self._listed(schema)
            return [*found, *self._functions(schema, {str(one.identifier) for one in found})]
        self.require_catalog(catalog_of(schema.database))
        try:
            return [*self._tables(schema), *self._views(schema)]
        except DbtRuntimeError as error:
            if any(known in error.msg for known in SCHEMA_NOT_FOUND_MESSAGES):
                return []
            raise

    def drop_schema(self, relation: BaseRelation) -> None:
        """Drop a schema and what is in it; Iceberg's catalogs take no CASCADE."""
        schema = cast("CtasSparkRelation", relation.without_identifier())
        if not schema.in_session_catalog:
            for inside in self.list_relations_without_caching(schema):
                self.drop_relation(inside)  # type: ignore[no-untyped-call]  # dbt's own
        super().drop_schema(relation)

    @available
    def purge_clause(self, relation: CtasSparkRelation) -> str:
        """PURGE for another format's table in Iceberg's session catalog: a DROP leaves its files.

        Of an Iceberg table PURGE would delete files that a DROP leaves, so the format has to be
        known.
        """
        is_foreign = relation.is_table and relation.information and not relation.is_iceberg
        if not is_foreign or not relation.in_session_catalog:
            return ""
        return "purge" if self._in_session_catalog_of_iceberg() else ""

    @available
    def alters_view(self, existing: CtasSparkRelation | None) -> bool:
        """Whether ALTER VIEW replaces a view's query: one call of the metastore.

        CREATE OR REPLACE VIEW drops the view first. Only Spark's own catalog has ALTER VIEW. A hook
        may have dropped the view since dbt listed it.
        """
        if existing is None or not (existing.is_view and existing.in_session_catalog):
            return False
        if self._in_session_catalog_of_iceberg():
            return False
        return not self._ran_hooks or bool([*self.describe(existing, NOT_FOUND)])

    @property
    def _ran_hooks(self) -> bool:
        """Whether statements of the project's own came before the node's."""
        return bool(self.connections.model.node.config.pre_hook) or self._has_start_hooks

    @cached_property
    def _has_start_hooks(self) -> bool:
        manifest: Any = self.get_macro_resolver()
        operations = (one for one in manifest.nodes.values() if one.resource_type == "operation")
        return any("on-run-start" in one.tags for one in operations)

    def _in_session_catalog_of_iceberg(self) -> bool:
        spark = self.connections.get_thread_connection().handle.spark
        return implementation_of(spark, SESSION_CATALOG) == SESSION_OF_ICEBERG

    @available
    def clone_mark_sql(self, view: CtasSparkRelation) -> str:
        """The statement by which a seed knows the view for a clone, which it may replace."""
        mark = quoting.properties({listed_at_once.CLONE: "true"})
        return f"ALTER VIEW {view} SET TBLPROPERTIES {mark}"

    @available
    def count_writes(self, table: CtasSparkRelation, file_format: str | None) -> None:
        """Count what this model's statements write, if its format is one whose writers count."""
        known = file_format in FORMATS
        if file_format is None:
            known = table.in_session_catalog or self._holds_iceberg(str(table.database))
        self.connections.model.counts = known

    @as_dbt_errors
    def rename_relation(self, from_relation: BaseRelation, to_relation: BaseRelation) -> None:
        if from_relation.database != to_relation.database:
            raise NotSupportedError(
                f"{from_relation} can't be renamed to {to_relation}: Spark moves nothing between "
                "catalogs",
                left="it is unchanged",
                remedy="drop one of them, or give the model another alias",
            )
        super().rename_relation(from_relation, to_relation)  # type: ignore[no-untyped-call]  # dbt's own

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> Any:
        """The columns of every relation in the project's schemas, for ``dbt docs generate``."""
        return BaseAdapter.get_catalog(self, relation_configs, used_schemas)

    @available.parse(lambda *_: True)
    def has_listagg(self) -> bool:
        """Whether this Spark has LISTAGG; a project is parsed without one."""
        spark = self.connections.get_thread_connection().handle.spark
        return int(str(spark.version).partition(".")[0]) >= LISTAGG_SINCE

    @classmethod
    def quote(cls, identifier: str) -> str:
        """A name in backticks, those in it included."""
        return quoting.identifier(identifier)

    @available
    def literal(self, text: str) -> str:
        """A text as SQL."""
        return quoting.string(text)

    @available
    def column_comment_sql(self, relation: CtasSparkRelation, column: str, text: str) -> str:
        """The statement that comments one column."""
        return model_columns.comment_statement(relation.full_name, {column: text})

    @available
    def persist_table_docs(
        self,
        table: CtasSparkRelation,
        description: str | None,
        columns: Mapping[str, Mapping[str, Any]] | None,
    ) -> None:
        """Change those comments of a table that are not what its model says."""
        found = table_docs.Described.of(self.describe(table))
        for statement in table_docs.alterations(str(table), found, description, columns):
            self.execute(statement)

    def _get_cache_schemas(self, relation_configs: Iterable[RelationConfig]) -> set[BaseRelation]:
        """Those of catalogs that there are: dbt asks for nodes that are not selected, too.

        Of a node that is selected, dbt lists the schemas, which refuses the database.
        """
        found = super()._get_cache_schemas(relation_configs)
        return {one for one in found if self._has_catalog(catalog_of(one.database))}

    def _has_catalog(self, catalog: str) -> bool:
        spark = self.connections.get_thread_connection().handle.spark
        return catalog == SESSION_CATALOG or implementation_of(spark, catalog) is not None

    def _nodes_in(self, catalog: str) -> str:
        """The nodes of the project with this database, as the end of a sentence."""
        manifest: Any = self.get_macro_resolver()
        nodes = manifest.nodes.values() if manifest else ()
        names = [one.name for one in nodes if catalog_of(one.database) == catalog]
        more = f" and {len(names) - MOST_NODES} more" if len(names) > MOST_NODES else ""
        return f"; it is the database of {', '.join(names[:MOST_NODES])}{more}" if names else ""

    @as_dbt_errors
    def require_catalog(self, catalog: str) -> None:
        """Refuse a database that Spark would take for a schema of the session catalog."""
        if self._has_catalog(catalog):
            return
        raise NoSuchCatalogError(
            f"database {catalog!r}: Spark has no catalog of that name{self._nodes_in(catalog)}",
            left="nothing was started",
            remedy=f"configure it by {SETTINGS}{catalog} in spark_conf of the profile, or leave "
            "database out",
        )

    def _schemas_in(self, path: str, unless: str) -> list[str]:
        rows = self._rows(LIST_SCHEMAS_MACRO_NAME, unless, database=path)
        return [str(row[0]).replace("`", "") for row in rows]

    def _holds_iceberg(self, catalog: str) -> bool:
        """True if the catalog has no other format."""
        spark = self.connections.get_thread_connection().handle.spark
        declared: list[str] = self.config.credentials.iceberg_catalogs
        return implementation_of(spark, catalog) == CATALOG_OF_ICEBERG or catalog in declared

    def _listed(self, schema: CtasSparkRelation) -> list[BaseRelation]:
        """The session catalog's; a table that is dropped while Spark lists it fails the listing.

        dbt-spark takes the schema for empty then: snapshots and incremental models would begin
        anew, and lose what they hold.
        """
        spark = self.connections.get_thread_connection().handle.spark
        for attempt in range(LISTINGS):
            try:
                found = listed_at_once.rows(spark, str(schema.schema)) or self._shown(schema)
                return [self._relation(None, one) for one in found]
            except DbtRuntimeError as error:  # noqa: PERF203 (a few attempts)
                if any(known in error.msg for known in SCHEMA_NOT_FOUND_MESSAGES):
                    return []
                if NOT_EXTENDED in error.msg:
                    return [*self._tables(schema), *self._views(schema)]
                is_gone = any(known in error.msg for known in TABLE_OR_VIEW_NOT_FOUND_MESSAGES)
                if not is_gone or attempt == LISTINGS - 1:
                    raise
        raise AssertionError("a listing either returns or raises")

    def _shown(self, schema: CtasSparkRelation) -> Iterator[Listed]:
        """Those of a schema by SHOW TABLE EXTENDED, without temporary views."""
        is_iceberg = self._holds_iceberg(catalog_of(schema.database))
        asked = {"schema_relation": schema}
        rows = self.execute_macro(LIST_RELATIONS_MACRO_NAME, kwargs=asked)
        for where, name, temporary, shown in rows:
            if temporary:
                continue
            if is_iceberg:
                yield Listed(where, name, provider=ICEBERG, information=shown)
            else:
                found = listed_at_once.of_statement(where, name, shown)
                yield found or self._described(schema, name)

    def _tables(self, schema: CtasSparkRelation) -> list[BaseRelation]:
        """All at once where that works: not in Spark 3.5 (SPARK-33393), nor with a broken table."""
        try:
            found = [*self._shown(schema)]
        except DbtRuntimeError:
            asked = {"schema_relation": schema}
            rows = self.execute_macro(LIST_TABLES_MACRO_NAME, kwargs=asked)
            found = [self._described(schema, str(row[1])) for row in rows if not row[2]]
        tables = (replace(one, database=str(schema.schema), is_view=False) for one in found)
        return [self._relation(schema.database, one) for one in tables]

    def _functions(self, schema: CtasSparkRelation, taken: set[str]) -> Iterator[BaseRelation]:
        """Those of the session catalog; of a function and a table of one name, the table.

        dbt looks for none in a project that has none, and they are half a second of a cold start.
        """
        if not getattr(self.get_macro_resolver(), "functions", None):
            return
        for row in self._rows(
            LIST_FUNCTIONS_MACRO_NAME, "SCHEMA_NOT_FOUND", schema_relation=schema
        ):
            name = str(row[0]).rpartition(".")[2]
            if name not in taken and "." in str(row[0]):
                path = schema.database, schema.schema, name
                yield self._named(*path, type=RelationType.Function)

    def _described(self, schema: CtasSparkRelation, table: str) -> Listed:
        """What DESCRIBE says; nothing of a broken table."""
        name = quoting.table(table_name(schema.database, str(schema.schema), table))
        rows = self._rows(DESCRIBE_TABLE_EXTENDED_MACRO_NAME, ANYTHING, table_name=name)
        return listed_at_once.of_description(str(schema.schema), table, details(rows))

    def _views(self, schema: CtasSparkRelation) -> list[BaseRelation]:
        """Only the session catalog lists its views among its tables."""
        rows = self._rows(LIST_VIEWS_MACRO_NAME, NO_VIEWS, schema_relation=schema)
        views = (
            Listed(str(schema.schema), str(row[1]), is_view=True) for row in rows if not row[2]
        )
        return [self._relation(schema.database, one) for one in views]

    def _relation(self, catalog: str | None, found: Listed) -> CtasSparkRelation:
        kind = RelationType.View if found.is_view else RelationType.Table
        path = catalog, found.database, found.name
        return self._named(*path, type=kind, **found.known)

    def parse_columns_from_information(self, relation: BaseRelation) -> list[Any]:
        """The columns that Spark shows; a comment or a property may look like more of them."""
        shown = cast("CtasSparkRelation", relation).information or ""
        trusted = relation.replace(information=listed_at_once.without_texts(shown))
        return super().parse_columns_from_information(trusted)

    def _get_catalog_schemas(self, relation_configs: Iterable[RelationConfig]) -> Any:
        """Each schema by itself, as dbt-spark reads them: of the same database, too."""
        relations = self._get_catalog_relations(relation_configs)
        return {self.Relation.create(one.database, one.schema): {one.schema} for one in relations}

    def _get_columns_for_catalog(self, relation: BaseRelation) -> Iterator[dict[str, Any]]:
        if relation.type == RelationType.Function:
            return
        for column in super()._get_columns_for_catalog(relation):
            kind = quoting.sql_type(column["column_type"])
            yield {**column, "column_type": kind, "table_database": relation.database}
