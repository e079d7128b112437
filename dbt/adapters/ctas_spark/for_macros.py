"""What the macros find at ``adapter``, besides what every adapter of dbt's has."""

from typing import Any

from dbt_common.exceptions import CompilationError

from ctas_spark import quoting
from dbt.adapters.base.meta import AdapterMeta, available, available_property
from dbt.adapters.ctas_spark import fixtures, seeds
from dbt.adapters.ctas_spark.components import Components
from dbt.adapters.ctas_spark.dbt_edge import Offered, for_macros
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.statements import bare, statements

LISTAGG_SINCE = 4


class _Component(available_property):
    """One of the adapter's components, by its name there; ``says`` is what macros find in it."""

    def __init__(self, says: str) -> None:
        super().__init__(self._offered)
        self.__doc__ = says

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def _offered(self, adapter: "ForMacros") -> Offered:
        return Offered(getattr(adapter._components, self._name), adapter.hide_secrets)  # noqa: SLF001 (its own)


class ForMacros(metaclass=AdapterMeta):
    """The components by their names, and a few texts that any macro may need."""

    execute: Any
    hide_secrets: Any
    _components: Components

    publication = _Component("The steps of a node that is published.")
    incremental = _Component("The steps of an incremental model.")
    snapshots = _Component("The steps of a snapshot.")
    rows = _Component("The temporary view of a model's rows.")
    run_record = _Component("What is listed under the last node.")
    views = _Component("Views that take something's place.")
    previews = _Component("The steps of a node that is previewed.")
    temporary_objects = _Component("What shadows permanent objects.")
    relations = _Component("What is known of relations.")
    table_docs = _Component("Comments of tables.")
    refusals = _Component("What Spark has nothing for.")
    run_operations = _Component("What ``dbt run-operation`` prints.")

    @available
    def is_preview(self) -> bool:
        """Whether this invocation is a preview."""
        return self._components.invocation.preview.enabled

    @for_macros
    def named_catalog(self, node: Any) -> str | None:
        """The Spark catalog of a node with ``catalog_name``, by the project's catalogs.yml."""
        return self._components.catalogs_file.catalog_of(node)

    @for_macros
    def forget_cached(self, table: CtasSparkRelation) -> None:
        """Let this session's next statements find the table where it is now.

        Iceberg's catalogs remember tables by themselves, also in the place of Spark's own.
        """
        if table.is_iceberg:
            self.execute(f"REFRESH TABLE {table}")
            return
        self._components.invocation.catalogs.forget_cached(table.full_name)

    @available.parse(lambda *_: True)
    def has_listagg(self) -> bool:
        """Whether this Spark has LISTAGG; a project is parsed without one."""
        version = str(self._components.invocation.spark.version)
        return int(version.partition(".")[0]) >= LISTAGG_SINCE

    @classmethod
    def quote(cls, identifier: str) -> str:
        """A name in backticks, those in it included."""
        return quoting.identifier(identifier)

    @available
    def literal(self, text: str) -> str:
        """A text as SQL."""
        return quoting.string(text)

    @available
    def quoted_names(self, names: list[str]) -> str:
        """Columns that a user named with or without backticks, between commas."""
        return quoting.identifiers(map(quoting.unquoted, names))

    @available
    def bare(self, sql: str) -> str:
        """A query without the semicolon at its end, which ends a statement and no subquery."""
        return bare(sql) if ";" in sql else sql

    @for_macros
    def statements_of(self, text: str | None) -> list[str]:
        """The statements of a hook or a header, each by itself."""
        return statements(text or "")

    @for_macros
    def seed_query(self, rows: Any, config: Any) -> str:
        """Select the rows that dbt has read from the seed's file, with the types that it found."""
        invocation = self._components.invocation
        node, spark = invocation.node.node.unique_id, invocation.spark
        seeds.check_types(node, config, rows.column_names, spark)
        return seeds.query(seeds.columns(self, rows, config), rows.rows)

    @for_macros
    def fixture_row(
        self, row: dict[str, Any], types: dict[str, str], fixture: str
    ) -> dict[str, str]:
        """The values of a unit test's row as SQL, by the names of their columns in lower case."""
        given = {name.lower(): value for name, value in row.items()}
        if unknown := next((name for name in given if name not in types), None):
            raise CompilationError(
                f"Invalid column name: '{unknown}' in unit test fixture for {fixture}.\n"
                f"Accepted columns for {fixture} are: {[*types]}"
            )
        try:
            return {name: fixtures.value_of(one, types[name], name) for name, one in given.items()}
        except ValueError as error:
            raise CompilationError(f"unit test fixture for {fixture}: {error}") from error
