"""The relations of any catalog that the session has: how they are listed, found and described."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark import quoting
from ctas_spark.catalogs.kinds import (
    CATALOG_OF_ICEBERG,
    ICEBERG,
    SESSION_OF_ICEBERG,
    implementation_of,
)
from ctas_spark.catalogs.settings import SETTINGS
from ctas_spark.context import SESSION_CATALOG, catalog_of, levels, table_name
from ctas_spark.errors import NoSuchCatalogError
from ctas_spark.statement.tables import details
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.ctas_spark import listed_at_once
from dbt.adapters.ctas_spark.column import CtasSparkColumn, types_query
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.listed_at_once import LISTED_BY_METASTORE, Listed
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.type_changes import in_sql
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
LISTINGS = 10
"""Attempts to list a schema in which others drop tables."""
MOST_NODES = 5
"""Those that an error names."""
NOT_EXTENDED = "SHOW TABLE EXTENDED is not supported"
NO_VIEWS = "does not support views"
NO_WAREHOUSE = "Namespace does not exist:"
"""What Iceberg says of a hadoop catalog in which nothing was made yet."""
NOT_FOUND = "TABLE_OR_VIEW_NOT_FOUND"
ANYTHING = ""
"""Part of the words of every failure."""


class Relations:
    """Relations by their full path."""

    def __init__(self, invocation: Invocation, dbt: Dbt) -> None:
        self._invocation = invocation
        self._dbt = dbt

    def schemas(self, database: str | None) -> list[str]:
        """The schemas of a database, whose name dbt may have quoted."""
        catalog = catalog_of(quoting.unquoted(database or ""))
        self.require_catalog(catalog)
        return self._schemas_in(quoting.identifier(catalog), NO_WAREHOUSE)

    def has_schema(self, database: str | None, schema: str) -> bool:
        """Whether the database has a schema of that name, ignoring case; it may be nested."""
        catalog, (*above, _) = catalog_of(database), levels(catalog_of(database), schema)
        found = (
            self._schemas_in(quoting.namespace(catalog, ".".join(above)), "SCHEMA_NOT_FOUND")
            if above
            else self.schemas(database)
        )
        return schema.lower() in (one.lower() for one in found)

    def listed(self, schema: CtasSparkRelation) -> list[BaseRelation]:
        """The tables, views and functions of a schema; none if it is not there."""
        if schema.in_session_catalog:
            found = self.of_session_catalog(schema)
            return [*found, *self._functions(schema, {str(one.identifier) for one in found})]
        self.require_catalog(catalog_of(schema.database))
        try:
            return [*self.tables(schema), *self._views(schema)]
        except DbtRuntimeError as error:
            if any(known in error.msg for known in SCHEMA_NOT_FOUND_MESSAGES):
                return []
            raise

    def matching(
        self, listed: Sequence[BaseRelation], database: str, schema: str, identifier: str
    ) -> list[BaseRelation]:
        """Those of that name; a catalog that ignores upper case may have stored it in another."""
        names = [(str(one.identifier), one) for one in listed]
        if exact := [one for name, one in names if name == identifier]:
            return exact
        near = [one for name, one in names if name.lower() == identifier.lower()]
        asked = self._named(database, schema, identifier)
        return near[:1] if near and [*self.describe(asked)] else []

    def describe(self, relation: BaseRelation, unless: str = NOT_FOUND) -> Iterable[Any]:
        """The rows of DESCRIBE EXTENDED; none if it fails with the words of ``unless``."""
        return self._rows(DESCRIBE_TABLE_EXTENDED_MACRO_NAME, unless, table_name=relation.render())

    def as_described(self, relation: CtasSparkRelation) -> CtasSparkRelation:
        """The relation with its format: macros that are to add to it go by that."""
        provider = details(self.describe(relation)).get("Provider", "").lower()
        flags = {f"is_{one}": provider == one for one in ("delta", "iceberg", "hudi")}
        return relation.replace(**flags)

    def columns(self, relation: BaseRelation, described: Iterable[Any]) -> list[CtasSparkColumn]:
        """The columns of the rows of DESCRIBE EXTENDED, with types as statements take them."""
        columns = CtasSparkColumn.described(relation, list(described))
        if cut := [one for one in columns if one.is_cut]:
            (row,) = self._dbt.execute(types_query(relation, cut), fetch=True)[1].rows
            for column, kind in zip(cut, row, strict=True):
                column.dtype = str(kind)
        for column in columns:
            column.dtype = in_sql(column.dtype)
        return columns

    def purge_clause(self, relation: CtasSparkRelation) -> str:
        """PURGE for another format's table in Iceberg's session catalog: a DROP leaves its files.

        Of an Iceberg table PURGE would delete files that a DROP leaves, so the format has to be
        known.
        """
        is_foreign = relation.is_table and relation.information and not relation.is_iceberg
        if not is_foreign or not relation.in_session_catalog:
            return ""
        return "purge" if self.has_session_catalog_of_iceberg() else ""

    def has_session_catalog_of_iceberg(self) -> bool:
        """Whether Spark's own catalog is wrapped by Iceberg's."""
        return implementation_of(self._invocation.spark, SESSION_CATALOG) == SESSION_OF_ICEBERG

    def has_catalog(self, catalog: str) -> bool:
        """Whether Spark has a catalog of that name."""
        spark = self._invocation.spark
        return catalog == SESSION_CATALOG or implementation_of(spark, catalog) is not None

    def schema_of(self, relation: BaseRelation) -> str:
        """What a schema is to the project, as the end of a sentence."""
        database, schema = catalog_of(relation.database), str(relation.schema).lower()
        return _nodes_with(
            self._dbt,
            "schema",
            lambda one: catalog_of(one.database) == database and str(one.schema).lower() == schema,
        )

    def require_catalog(self, catalog: str) -> None:
        """Refuse a database that Spark would take for a schema of the session catalog."""
        if self.has_catalog(catalog):
            return
        nodes = _nodes_with(self._dbt, "database", lambda one: catalog_of(one.database) == catalog)
        raise NoSuchCatalogError(
            f"database {catalog!r}: Spark has no catalog of that name{nodes}",
            left="nothing was started",
            remedy=f"configure it by {SETTINGS}{catalog} in spark_conf of the profile, or remove "
            f"database",
        )

    def _schemas_in(self, path: str, unless: str) -> list[str]:
        rows = self._rows(LIST_SCHEMAS_MACRO_NAME, unless, database=path)
        return [str(row[0]).replace("`", "") for row in rows]

    def holds_iceberg(self, catalog: str) -> bool:
        """True if the catalog has no other format."""
        declared: list[str] = self._invocation.credentials.iceberg_catalogs
        found = implementation_of(self._invocation.spark, catalog)
        return found == CATALOG_OF_ICEBERG or catalog in declared

    def of_session_catalog(self, schema: CtasSparkRelation) -> list[BaseRelation]:
        """The session catalog's; a table that is dropped while Spark lists it fails the listing.

        dbt-spark takes the schema for empty then: snapshots and incremental models would begin
        again from nothing, and lose what they hold.
        """
        spark = self._invocation.spark
        for attempt in range(LISTINGS):
            try:
                at_once = listed_at_once.rows(spark, str(schema.schema))
                found = at_once or self._by_metastore(schema) or self._shown(schema)
                return [self._relation(None, one) for one in found]
            except DbtRuntimeError as error:  # noqa: PERF203 (a few attempts)
                if any(known in error.msg for known in SCHEMA_NOT_FOUND_MESSAGES):
                    return []
                if NOT_EXTENDED in error.msg:
                    return [*self.tables(schema), *self._views(schema)]
                is_gone = any(known in error.msg for known in TABLE_OR_VIEW_NOT_FOUND_MESSAGES)
                if not is_gone or attempt == LISTINGS - 1:
                    raise
        raise AssertionError("a listing either returns or raises")

    def _by_metastore(self, schema: CtasSparkRelation) -> list[Listed]:
        """By the metastore that the profile names; none if the server has other tables there."""
        if implementation_of(self._invocation.spark, SESSION_CATALOG) not in LISTED_BY_METASTORE:
            return []
        entries = self._invocation.catalogs.entries_in(str(schema.schema))
        if not entries:
            return []
        asked = {"schema_relation": schema}
        rows = self._dbt.execute_macro(LIST_TABLES_MACRO_NAME, kwargs=asked)
        names = {str(row[1]).lower() for row in rows if not row[2]}
        is_same = names == {entry.name.table for entry in entries}
        return list(map(listed_at_once.of_metastore, entries)) if is_same else []

    def _shown(self, schema: CtasSparkRelation) -> Iterator[Listed]:
        """Those of a schema by SHOW TABLE EXTENDED, without temporary views."""
        is_iceberg = self.holds_iceberg(catalog_of(schema.database))
        asked = {"schema_relation": schema}
        rows = self._dbt.execute_macro(LIST_RELATIONS_MACRO_NAME, kwargs=asked)
        for where, name, temporary, shown in rows:
            if temporary:
                continue
            if is_iceberg:
                yield Listed(where, name, provider=ICEBERG, information=shown)
            else:
                found = listed_at_once.of_statement(where, name, shown)
                yield found or self._described(schema, name)

    def tables(self, schema: CtasSparkRelation) -> list[BaseRelation]:
        """All at once where that works: not in Spark 3.5 (SPARK-33393), nor with a broken table."""
        try:
            found = [*self._shown(schema)]
        except DbtRuntimeError:
            asked = {"schema_relation": schema}
            rows = self._dbt.execute_macro(LIST_TABLES_MACRO_NAME, kwargs=asked)
            found = [self._described(schema, str(row[1])) for row in rows if not row[2]]
        tables = (replace(one, database=str(schema.schema), is_view=False) for one in found)
        return [self._relation(schema.database, one) for one in tables]

    def _functions(self, schema: CtasSparkRelation, taken: set[str]) -> Iterator[BaseRelation]:
        """Those of the session catalog; of a function and a table of one name, the table.

        dbt looks for none in a project that has none, and they are half a second of a cold start.
        """
        if not getattr(self._dbt.get_macro_resolver(), "functions", None):
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

    def _named(
        self, database: str | None, schema: str | None, identifier: str | None, **known: Any
    ) -> CtasSparkRelation:
        """A relation with the quotes that the project asks for."""
        quotes = self._dbt.config.quoting
        return self._dbt.Relation.create(database, schema, identifier, quote_policy=quotes, **known)

    def _rows(self, macro: str, unless: str, **asked: Any) -> Iterable[Any]:
        """A macro's rows; none if it fails with these words."""
        try:
            return cast("Iterable[Any]", self._dbt.execute_macro(macro, kwargs=asked))
        except DbtRuntimeError as error:
            if unless not in error.msg:
                raise
            return ()


def _nodes_with(dbt: Dbt, what: str, is_of: Callable[[Any], bool]) -> str:
    """The nodes of the project that have this database or schema, as the end of a sentence."""
    manifest: Any = dbt.get_macro_resolver()
    names = [one.name for one in (manifest.nodes.values() if manifest else ()) if is_of(one)]
    more = f" and {len(names) - MOST_NODES} more" if len(names) > MOST_NODES else ""
    return f"; it is the {what} of {', '.join(names[:MOST_NODES])}{more}" if names else ""
