"""What a table under test holds at each version, so that any mix of two is visible.

Version ``v`` has 1000 + v rows that all name ``v``, in three files. The schema alone
names the version as well: column ``n`` is a BIGINT in odd versions and a STRING in
even ones, and the last column is called ``c_<v>``.
"""

from collections.abc import Sequence
from typing import Any

Column = tuple[str, str]
FILES = 3


class WrongContentError(Exception):
    """What was read is no version; the message begins with the kind of fault."""


def row_count(version: int) -> int:
    """Return how many rows ``version`` has."""
    return 1000 + version


def columns(version: int) -> tuple[Column, ...]:
    """Return names and Spark types of the columns of ``version``."""
    return ("v", "int"), ("n", _type_of_n(version)), (f"c_{version}", "string")


def select_sql(version: int) -> str:
    """Return the query whose result is ``version``; Spark runs it as three tasks."""
    return (
        f"SELECT CAST({version} AS INT) AS v, "
        f"CAST(id AS {_type_of_n(version)}) AS n, "
        f"'{version}' AS c_{version} "
        f"FROM range(0, {row_count(version)}, 1, {FILES})"
    )


def inspect(schema: Sequence[Column], rows: Sequence[Sequence[Any]]) -> int:
    """Return the version that ``schema`` and ``rows`` are, whole.

    Raises:
        WrongContentError: "empty", "mixed: ..." (parts of more than one version, or of
            none) or "partial: ..." (rows are missing).
    """
    if not rows:
        raise WrongContentError("empty")
    version = _only_version(rows)
    _check_schema(version, schema)
    _check_rows(version, rows)
    return version


def _type_of_n(version: int) -> str:
    return "bigint" if version % 2 else "string"


def _only_version(rows: Sequence[Sequence[Any]]) -> int:
    versions = {row[0] for row in rows}
    if len(versions) > 1:
        raise WrongContentError(f"mixed: rows of versions {sorted(map(str, versions))}")
    (version,) = versions
    if not isinstance(version, int):
        raise WrongContentError(f"mixed: rows that name {version!r} as their version")
    return version


def _check_schema(version: int, schema: Sequence[Column]) -> None:
    if tuple(schema) != columns(version):
        raise WrongContentError(f"mixed: rows of version {version} with columns {list(schema)}")


def _check_rows(version: int, rows: Sequence[Sequence[Any]]) -> None:
    as_n = int if version % 2 else str
    expected = {(version, as_n(n), str(version)) for n in range(row_count(version))}
    found = {tuple(row) for row in rows}
    if found - expected or len(rows) > len(expected):
        raise WrongContentError(f"mixed: {len(rows)} rows of version {version}, not all its own")
    if found != expected or len(rows) != len(expected):
        raise WrongContentError(
            f"partial: {len(rows)} of {len(expected)} rows of version {version}"
        )
