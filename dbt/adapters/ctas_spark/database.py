"""dbt's databases: each is a Spark catalog, and every path is full before it is used (FLIP-64)."""

from dbt.adapters.ctas_spark.staging.context import SESSION_CATALOG, TableName


def catalog_of(database: str | None) -> str:
    """The catalog that a database names; none is the session's, as in Spark's own SQL."""
    if not database or database.lower() == SESSION_CATALOG:
        return SESSION_CATALOG
    return database


def setting(catalog: str) -> str:
    """The setting of Spark's that configures a catalog."""
    return f"spark.sql.catalog.{catalog}"


def table_name(database: str | None, schema: str, identifier: str) -> TableName:
    """A table's full path; the session catalog knows names in lower case only."""
    catalog = catalog_of(database)
    if catalog == SESSION_CATALOG:
        return TableName(schema.lower(), identifier.lower())
    return TableName(schema, identifier, catalog)
