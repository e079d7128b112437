"""What a query's columns are at an instant, by the expressions in the plan that Spark optimizes."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from ctas_spark import quoting
from ctas_spark.engines import jvm

LISTS = {"Project": "projectList", "Aggregate": "aggregateExpressions"}
"""Where the plans have their columns that compute some."""
UNITS = {
    "timestamp": timedelta(microseconds=1),
    "timestamp_ntz": timedelta(microseconds=1),
    "date": timedelta(days=1),
}
"""What Spark counts from 1970 on, in a value of each type."""
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
LITERAL = "org.apache.spark.sql.catalyst.expressions.Literal.create"


def at_each(
    spark: Any, query: str, event_time: str, values: Sequence[str], instants: Sequence[datetime]
) -> list[tuple[str, ...]] | None:
    """What ``values``, as SQL, are in a row whose ``event_time`` is one of the instants.

    No job is started.

    Returns:
        None if anything else has a part in one of them, or if nobody can tell.
    """
    try:
        return _at_each(spark, query, [quoting.identifier(event_time), *values], instants)
    except jvm.FAILURES:
        return None


def _at_each(
    spark: Any, query: str, values: list[str], instants: Sequence[datetime]
) -> list[tuple[str, ...]] | None:
    named = ", ".join(f"{one} AS c{number}" for number, one in enumerate(values))
    selected = spark.sql(f"SELECT {named} FROM ({query}\n)")  # noqa: S608 (quoted)
    plan = selected._jdf.queryExecution().optimizedPlan()  # noqa: SLF001 (PySpark has no other way)
    listed = LISTS.get(_kind(plan))
    if listed is None:
        return None
    time, *computed = map(_computed, jvm.each(getattr(plan, listed)()))
    unit = UNITS.get(str(time.dataType().typeName()))
    if unit is None or time.foldable() or all(one.foldable() for one in computed):
        return None
    packages = jvm.classes(spark)
    literal = jvm.member(packages, LITERAL)
    moments = [literal((one - EPOCH) // unit, time.dataType()) for one in instants]
    found = [[_with(packages, one, time, moment) for one in computed] for moment in moments]
    if not all(one.foldable() for row in found for one in row):
        return None
    return [tuple(str(one.eval(None)) for one in row) for row in found]


def _kind(of: Any) -> str:
    return str(of.getClass().getSimpleName())


def _computed(column: Any) -> Any:
    return column.child() if _kind(column) == "Alias" else column


def _with(packages: Any, expression: Any, known: Any, value: Any) -> Any:
    """The expression with a value in place of the known one, wherever that is in it."""
    if expression.semanticEquals(known):
        return value
    children = [*jvm.each(expression.children())]
    if not children:
        return expression
    others = [_with(packages, one, known, value) for one in children]
    return expression.withNewChildren(jvm.sequence(packages, others))
