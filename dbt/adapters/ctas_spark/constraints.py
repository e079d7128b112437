"""A contract's constraints, checked by one scan of the staged version."""

from collections.abc import Iterator, Mapping
from typing import Any

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import ConstraintViolationError


def checks_sql(model: Mapping[str, Any], relation: TableName) -> str | None:
    """A query of one row: for each ``not_null`` and ``check`` the number of rows that break it."""
    checks = list(_checks(model))
    if not checks:
        return None
    columns = ", ".join(
        f"count_if({broken}) AS {quoting.identifier(name)}" for name, broken in checks
    )
    return f"SELECT {columns} FROM {quoting.table(relation)}"  # noqa: S608 (quoted, or the model's)


def assert_none_broken(counts: Mapping[str, int], table: object) -> None:
    """Raise an error that names every constraint with rows that break it."""
    broken = [f"{name} ({int(count):,} rows)" for name, count in counts.items() if count]
    if broken:
        raise ConstraintViolationError(
            f"rows of this version break the contract: {', '.join(broken)}",
            table=table,
            remedy="mend the model, or its constraints",
        )


def _checks(model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and SQL condition of a broken row; a check of NULL holds, as in SQL's standard."""
    for column in model["columns"].values():
        for constraint in column.get("constraints") or ():
            yield from _check(constraint, column["name"])
    for constraint in model.get("constraints") or ():
        for column in constraint.get("columns") or [""]:
            yield from _check(constraint, column)


def _check(constraint: Mapping[str, Any], column: str) -> Iterator[tuple[str, str]]:
    kind = getattr(constraint["type"], "value", constraint["type"])
    if kind == "not_null":
        yield f"not_null {column}", f"{quoting.identifier(column)} IS NULL"
    elif kind == "check":
        expression = constraint["expression"]
        yield constraint.get("name") or f"check {expression}", f"NOT ({expression})"
