"""How dbt finds a relation by its name, and what DESCRIBE says of it."""

from collections.abc import Iterable
from typing import Any, cast

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.ctas_spark.column import CtasSparkColumn, types_query
from dbt.adapters.ctas_spark.connections import CtasSparkConnectionManager
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, catalog_of
from dbt.adapters.ctas_spark.staging.statement.tables import details
from dbt.adapters.spark.impl import DESCRIBE_TABLE_EXTENDED_MACRO_NAME, SparkAdapter

NOT_FOUND = "TABLE_OR_VIEW_NOT_FOUND"
ANYTHING = ""
"""Part of the words of every failure."""


class LookupAdapter(SparkAdapter):
    """Relations by their full path."""

    Relation = CtasSparkRelation
    Column = CtasSparkColumn
    ConnectionManager = CtasSparkConnectionManager
    connections: CtasSparkConnectionManager

    def get_relation(
        self, database: str | None, schema: str, identifier: str
    ) -> BaseRelation | None:
        """A table or view: a function of the same name is neither, and nothing replaces it."""
        found = super().get_relation(catalog_of(database), schema, identifier)
        return None if found is not None and found.type == RelationType.Function else found

    def describe(self, relation: BaseRelation, unless: str = NOT_FOUND) -> Iterable[Any]:
        """The rows of DESCRIBE EXTENDED; none if it fails with the words of ``unless``."""
        return self._rows(DESCRIBE_TABLE_EXTENDED_MACRO_NAME, unless, table_name=relation.render())

    @available
    def as_described(self, relation: CtasSparkRelation) -> CtasSparkRelation:
        """The relation with its format: macros that are to add to it go by that."""
        provider = details(self.describe(relation)).get("Provider", "").lower()
        flags = {f"is_{one}": provider == one for one in ("delta", "iceberg", "hudi")}
        return relation.replace(**flags)

    def get_columns_in_relation(self, relation: BaseRelation) -> list[Any]:
        """Those of the whole table, of which ``ref`` may have given a part of the rows."""
        whole = relation.replace(limit=None, event_time_filter=None)
        return cast("list[Any]", super().get_columns_in_relation(whole))

    def parse_describe_extended(self, relation: BaseRelation, raw_rows: Any) -> list[Any]:
        columns = CtasSparkColumn.described(relation, list(raw_rows))
        if cut := [one for one in columns if one.is_cut]:
            (row,) = self.execute(types_query(relation, cut), fetch=True)[1].rows
            for column, kind in zip(cut, row, strict=True):
                column.dtype = str(kind)
        return columns

    def _make_match(
        self, relations_list: list[BaseRelation], database: str, schema: str, identifier: str
    ) -> list[BaseRelation]:
        """Those of that name; a catalog that ignores upper case may have stored it in another."""
        if catalog_of(database) == SESSION_CATALOG:
            return super()._make_match(relations_list, database, schema, identifier)
        names = [(str(one.identifier), one) for one in relations_list]
        if exact := [one for name, one in names if name == identifier]:
            return exact
        near = [one for name, one in names if name.lower() == identifier.lower()]
        asked = self._named(database, schema, identifier)
        return near[:1] if near and [*self.describe(asked, NOT_FOUND)] else []

    def _named(
        self, database: str | None, schema: str | None, identifier: str | None, **told: Any
    ) -> CtasSparkRelation:
        """A relation with the quotes that the project asks for."""
        quotes = self.config.quoting
        return self.Relation.create(database, schema, identifier, quote_policy=quotes, **told)

    def _rows(self, macro: str, unless: str, **asked: Any) -> Iterable[Any]:
        """A macro's rows; none if it fails with these words."""
        try:
            return cast("Iterable[Any]", self.execute_macro(macro, kwargs=asked))
        except DbtRuntimeError as error:
            if unless not in error.msg:
                raise
            return ()
