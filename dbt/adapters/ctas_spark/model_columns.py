"""What a model's YAML says about its columns: constraints to check and comments to set."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dbt_common.contracts.constraints import ConstraintType
from dbt_common.events.event_manager_client import get_event_manager
from dbt_common.events.functions import warn_or_error

from ctas_spark import quoting
from ctas_spark.catalogs.kinds import Catalogs
from ctas_spark.context import TableName
from ctas_spark.errors import ConstraintViolationError
from dbt.adapters.base.impl import ConstraintSupport
from dbt.adapters.ctas_spark.dbt_edge import logger, with_names_of_targets
from dbt.adapters.ctas_spark.text_tables import rows_text
from dbt.adapters.events.types import ConstraintNotSupported

CHECKED = (ConstraintType.not_null, ConstraintType.check)
SUPPORT = {
    kind: ConstraintSupport.ENFORCED if kind in CHECKED else ConstraintSupport.NOT_SUPPORTED
    for kind in ConstraintType
}
WRONG_WARNING = "UnsupportedConstraintMaterialization"
"""dbt-core's, of every materialization but ``table`` and ``incremental``; the list is fixed."""
MOST_ROWS, WIDEST_ROW = 5, 200
"""What an error shows of the rows that break a contract: how many, and characters of each."""
MANY_COLUMNS_SINCE = (4, 1)
"""Spark's grammar for ALTER COLUMN."""


def correct_dbt_core() -> None:
    """Keep dbt-core's warning that ``atomic_table`` ignores constraints out of its logs.

    What is ignored of a contract has a warning of its own, by ``warn_of_unchecked``.
    """

    def corrected(logs: Callable[[Any], bool]) -> Callable[[Any], bool]:
        return lambda event: not _is_wrong(event) and logs(event)

    for one in get_event_manager().loggers:
        one.filter = corrected(one.filter)


def _is_wrong(event: Any) -> bool:
    return bool(event.info.name == WRONG_WARNING and event.data.materialized == "atomic_table")


def warn_of_unchecked(node: Any, adapter: str) -> None:
    """dbt's own warning for each type of constraint in an enforced contract that is ignored."""
    if not node.config.contract.enforced:
        return
    columns = (one for column in node.columns.values() for one in column.constraints)
    kinds = {one.type for one in (*columns, *node.constraints) if one.warn_unsupported}
    for kind in sorted(kinds - {*CHECKED}):
        warn_or_error(ConstraintNotSupported(constraint=kind.value, adapter=adapter), node=node)


def checks_sql(model: Mapping[str, Any], relation: str) -> str | None:
    """A query of one row: for each ``not_null`` and ``check`` the number of rows that break it.

    ``relation`` is a name, or a query in brackets, as SQL.
    """
    checks = _checks(model)
    if not checks:
        return None
    columns = ", ".join(
        f"count_if({broken}) AS {quoting.identifier(name)}" for name, broken in checks
    )
    return f"SELECT {columns} FROM {relation}"  # noqa: S608 (quoted, or the model's)


def broken_rows_sql(model: Mapping[str, Any], relation: str, broken: Iterable[str]) -> str:
    """A query of a few rows that break these constraints: which one, and the row as a text."""
    checks = [(name, condition) for name, condition in _checks(model) if name in broken]
    cases = " ".join(f"WHEN {condition} THEN {quoting.string(name)}" for name, condition in checks)
    row = f"left(to_json(struct(*), map('ignoreNullFields', 'false')), {WIDEST_ROW + 1})"
    is_broken = " OR ".join(f"({condition})" for _, condition in checks)
    return f"SELECT CASE {cases} END, {row} FROM {relation} WHERE {is_broken} LIMIT {MOST_ROWS}"  # noqa: S608 (as above)


def violation(
    broken: Mapping[str, int], rows: Iterable[Sequence[str]], table: object
) -> ConstraintViolationError:
    """The error that counts each broken constraint, and shows ``rows`` of ``broken_rows_sql``."""
    counted = ", ".join(f"{name} ({rows_text(int(count))})" for name, count in broken.items())
    shown = (f"\n    - {name}: {_shortened(row)}" for name, row in rows)
    return ConstraintViolationError(
        f"rows of this version break the contract: {counted}{''.join(shown)}",
        table=table,
        remedy="correct the model or its constraints",
    )


def _shortened(row: str) -> str:
    return row if len(row) <= WIDEST_ROW else f"{row[:WIDEST_ROW]}..."


def _checks(model: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each once; a model's own check may name several columns, and is one all the same."""
    return [*dict.fromkeys(_all_checks(model))]


def _all_checks(model: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and SQL condition of a broken row; a check of NULL holds, as in SQL's standard."""
    for column in model["columns"].values():
        for constraint in column.get("constraints") or ():
            yield from _check(constraint, column["name"])
    for constraint in model.get("constraints") or ():
        for column in constraint.get("columns") or [""]:
            yield from _check(constraint, column)


def _check(constraint: Mapping[str, Any], column: str) -> Iterator[tuple[str, str]]:
    kind = ConstraintType(constraint["type"])
    if kind is ConstraintType.not_null:
        yield f"not_null {column}", f"{quoting.identifier(column)} IS NULL"
    elif kind is ConstraintType.check:
        expression = str(constraint["expression"]).rstrip("; \n")
        yield constraint.get("name") or f"check {expression}", f"NOT ({expression})"


class Comments:
    """Texts by names, as ``descriptions`` gives them, found by the names of a table's columns."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._exact = {quoting.unquoted(key): one for key, one in texts.items() if key[0] == "`"}
        also = {name.lower() for name in self._exact}
        self._in_any_case = {
            key: one for key, one in texts.items() if key[0] != "`" and key not in also
        }
        self.missing = {*self._exact, *self._in_any_case}
        """Names that no column has been found for yet."""

    def find(self, column: str) -> str | None:
        """The text of a column; None if it has none."""
        if column not in self._exact and column.lower() not in self._in_any_case:
            return None
        key = column if column in self._exact else column.lower()
        self.missing.discard(key)
        return self._exact.get(column) or self._in_any_case.get(key)


def comment(catalogs: Catalogs, staged: TableName, texts: Mapping[str, str]) -> None:
    """Comment the columns of a table of files, all by one call.

    ALTER TABLE takes one column at a time there, and each statement writes the whole schema:
    minutes for 500 columns.
    """
    comments = Comments(texts)
    for column in sorted(catalogs.comment(staged, comments.find)):
        table = with_names_of_targets(str(staged))
        logger.warning(f"{table}: Spark can't comment on the partition column {column}")
    _warn_of_missing(staged, comments.missing)


def comment_statement(table: TableName, texts: Mapping[str, str]) -> str:
    """The comments of columns, by name, in any catalog but Spark's own."""
    comments = ", ".join(
        f"{quoting.identifier(column)} COMMENT {quoting.string(text)}"
        for column, text in texts.items()
    )
    return f"ALTER TABLE {quoting.table(table)} ALTER COLUMN {comments}"


def comment_each(spark: Any, staged: TableName, texts: Mapping[str, str]) -> None:
    """Comment the columns of a table whose format keeps its columns.

    That is one commit of the schema; before Spark 4.1, whose grammar takes one column at a
    time, one commit for each column.
    """
    empty = spark.sql(f"SELECT * FROM {quoting.table(staged)} LIMIT 0")  # noqa: S608 (quoted)
    comments = Comments(texts)
    found = ((name, comments.find(str(name))) for name in empty.columns)
    known = [(name, text) for name, text in found if text is not None]
    takes_all = tuple(map(int, spark.version.split(".")[:2])) >= MANY_COLUMNS_SINCE
    at_once = len(known) if takes_all else 1
    for start in range(0, len(known), at_once or 1):
        spark.sql(comment_statement(staged, dict(known[start : start + at_once])))
    _warn_of_missing(staged, comments.missing)


def descriptions(node: Any) -> dict[str, str]:
    """The description of each column of a model that has one, by its name in lower case.

    That of a column with ``quote`` stands there once more, by its exact name in backticks.
    """
    texts = {}
    for one in node.columns.values():
        if one.description:
            texts[str(one.name).lower()] = str(one.description)
            if one.quote:
                texts[quoting.identifier(str(one.name))] = str(one.description)
    return texts


def _warn_of_missing(staged: TableName, missing: set[str]) -> None:
    """Say which descriptions have no column, in dbt's own words."""
    if missing:
        table = with_names_of_targets(str(staged))
        logger.warning(
            f"In relation {table}: The following columns are specified in the schema but are not "
            f"present in the database: {', '.join(sorted(missing))}"
        )
