"""Temporary objects of a Spark session, for PySpark code without dbt; dbt's macros call the same.

A path has one, two or three parts, and what it leaves out is the session's current catalog and
schema. ``session`` is the active one unless it is given.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from .. import quoting, temporary
from ..context import TableName
from ..errors import InvalidArgumentError
from ..temporary import TemporaryKind, expand, parts_of

NOTHING_CREATED = "nothing was created"


def create_temporary_view(
    path: str | TableName, query: str | DataFrame, *, session: SparkSession | None = None
) -> None:
    """Let a query's rows, or a DataFrame's, be read in place of what the path names."""
    spark = _session(session)
    frame = spark.sql(query) if isinstance(query, str) else query
    temporary.of(spark).shadow(_full(path, spark), frame)


def create_temporary_table(
    path: str | TableName,
    file_format: str,
    options: Mapping[str, str],
    columns: str | None = None,
    *,
    session: SparkSession | None = None,
) -> None:
    """Let data that exists be read in place of what the path names; dropping it drops no data.

    Args:
        file_format: a data source of Spark's, such as parquet, csv or jdbc.
        options: those of the data source, such as path.
        columns: names and types as in a CREATE TABLE; without them the data source tells.
    """
    spark = _session(session)
    reader = spark.read.format(file_format).options(**options)
    frame = (reader.schema(columns) if columns else reader).load()
    temporary.of(spark).shadow(_full(path, spark), frame, TemporaryKind.TABLE)


def create_temporary_function(  # noqa: PLR0913 (three kinds of functions)
    path: str | TableName,
    *,
    java_class: str | None = None,
    function: Callable[..., Any] | None = None,
    expression: str | None = None,
    parameters: str = "",
    returns: str = "string",
    session: SparkSession | None = None,
) -> None:
    """Make a function of a class of the JVM's, of a callable, or of a SQL expression.

    A path of one part is a function of the session, which SQL calls by its name. Any other shadows
    a function of a catalog: ``resolve_path`` tells the name to call it by.

    Args:
        parameters: names and types of an expression's parameters, as in ``x int, y int``.
        returns: the type of what a callable or an expression returns.

    Raises:
        InvalidArgumentError: not one of the three was given, or Spark has such a function.
    """
    spark = _session(session)
    objects, full = temporary.of(spark), _full(path, spark)
    is_of_session = isinstance(path, str) and len(parts_of(path)) == 1
    name = full.table if is_of_session else objects.generated(full)
    if sum(one is not None for one in (java_class, function, expression)) != 1:
        raise InvalidArgumentError(
            f"{path}: give one of java_class, function and expression", left=NOTHING_CREATED
        )
    if is_of_session:
        _refuse_built_in(spark, name)
    if function is not None:
        spark.udf.register(name, function, returns)
    else:
        what = (
            f"AS {quoting.string(java_class)}"
            if java_class
            else f"({parameters}) RETURNS {returns} RETURN {expression}"
        )
        spark.sql(f"CREATE OR REPLACE TEMPORARY FUNCTION {quoting.identifier(name)} {what}")
    objects.add_function(full, name)


def drop_temporary_view(path: str | TableName, *, session: SparkSession | None = None) -> bool:
    """Drop a temporary view, and nothing else; False if there is none."""
    return _drop(path, TemporaryKind.VIEW, session)


def drop_temporary_table(path: str | TableName, *, session: SparkSession | None = None) -> bool:
    """Drop a temporary table, and nothing else; its data stays. False if there is none."""
    return _drop(path, TemporaryKind.TABLE, session)


def drop_temporary_function(path: str | TableName, *, session: SparkSession | None = None) -> bool:
    """Drop a temporary function, and nothing else; False if there is none."""
    return _drop(path, TemporaryKind.FUNCTION, session)


def list_temporary_views(*, session: SparkSession | None = None) -> list[str]:
    """The full paths of the session's temporary views."""
    return _listed(TemporaryKind.VIEW, session)


def list_temporary_tables(*, session: SparkSession | None = None) -> list[str]:
    """The full paths of the session's temporary tables."""
    return _listed(TemporaryKind.TABLE, session)


def list_temporary_functions(*, session: SparkSession | None = None) -> list[str]:
    """The full paths of the session's temporary functions."""
    return _listed(TemporaryKind.FUNCTION, session)


def resolve_path(
    path: str | TableName, *, is_function: bool = False, session: SparkSession | None = None
) -> str:
    """The SQL that names what the path means: a temporary object first, or else what is permanent.

    Spark's parser does not know of shadows: in the text of a query, write what this returns.
    """
    spark = _session(session)
    full = _full(path, spark)
    found = temporary.of(spark).name_of(full, is_function=is_function)
    return found or quoting.table(full)


def _session(given: SparkSession | None) -> SparkSession:
    return given or SparkSession.active()


def _full(path: str | TableName, spark: SparkSession) -> TableName:
    if isinstance(path, TableName):
        return path
    return expand(path, spark.catalog.currentCatalog(), spark.catalog.currentDatabase())


def _drop(path: str | TableName, kind: TemporaryKind, session: SparkSession | None) -> bool:
    spark = _session(session)
    return temporary.of(spark).drop(_full(path, spark), kind)


def _listed(kind: TemporaryKind, session: SparkSession | None) -> list[str]:
    found = temporary.of(_session(session)).listed(kind)
    return [f"{one.catalog}.{one.database}.{one.table}" for one in found]


def _refuse_built_in(spark: SparkSession, name: str) -> None:
    """Spark would let a callable take its own function's place, but not give it back."""
    if spark.sql(f"SHOW SYSTEM FUNCTIONS LIKE {quoting.string(name)}").collect():
        raise InvalidArgumentError(
            f"{name} is a function of Spark's, which a temporary one can't shadow",
            left=NOTHING_CREATED,
            remedy="choose another name, or a path of two or three parts",
        )
