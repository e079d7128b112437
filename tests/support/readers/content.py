"""What a table under test holds at each version, so that any mix of two is visible.

Version ``v`` has 1000 + v rows that all name ``v``, in three files. The schema alone
names the version as well: column ``n`` is a BIGINT in odd versions and a STRING in
even ones, and the last column but ``p`` is called ``c_<v>``. A table may be partitioned by ``p``,
whose values name the version, too. With ``same``, every version has the schema of the others, and
its rows and partitions alone name it.
"""

from collections.abc import Sequence
from typing import Any

Column = tuple[str, str]
FILES = 3
PARTITION_KEY = "p"
PARTITIONS = 2
SAME = "c"
"""The column that is called so in every version, if all have the same columns."""


class WrongContentError(Exception):
    """What was read is not a version; the message begins with the kind of fault."""


def row_count(version: int) -> int:
    """Return how many rows ``version`` has."""
    return 1000 + version


def columns(version: int, *, same: bool = False) -> tuple[Column, ...]:
    """Return names and Spark types of the columns of ``version``."""
    own = ("v", "int"), ("n", _type_of_n(version, same=same)), (_name(version, same=same), "string")
    return *own, (PARTITION_KEY, "string")


def rows(version: int, *, same: bool = False) -> list[tuple[Any, ...]]:
    """Return the rows of ``version``."""
    as_n = int if _type_of_n(version, same=same) == "bigint" else str
    return [
        (version, as_n(i), str(version), f"{version}/{i % PARTITIONS}")
        for i in range(row_count(version))
    ]


def select_sql(version: int, *, same: bool = False) -> str:
    """Return the query whose result is ``version``; Spark runs it as three tasks."""
    return (
        f"SELECT CAST({version} AS INT) AS v, "
        f"CAST(id AS {_type_of_n(version, same=same)}) AS n, "
        f"'{version}' AS {_name(version, same=same)}, "
        f"concat('{version}/', id % {PARTITIONS}) AS {PARTITION_KEY} "
        f"FROM range(0, {row_count(version)}, 1, {FILES})"
    )


def inspect(schema: Sequence[Column], seen: Sequence[Sequence[Any]]) -> int:
    """Return the version that ``schema`` and the rows ``seen`` are, whole.

    Raises:
        WrongContentError: "empty", "mixed: ..." (parts of more than one version, or of
            none) or "partial: ..." (rows are missing).
    """
    if not seen:
        raise WrongContentError("empty")
    version, same = _only_version(seen), (SAME, "string") in schema
    _check_schema(version, schema, columns(version, same=same))
    _check_rows(version, seen, set(rows(version, same=same)))
    return version


def _type_of_n(version: int, *, same: bool) -> str:
    return "bigint" if same or version % 2 else "string"


def _name(version: int, *, same: bool) -> str:
    return SAME if same else f"c_{version}"


def _only_version(seen: Sequence[Sequence[Any]]) -> int:
    versions = {row[0] for row in seen}
    if len(versions) > 1:
        raise WrongContentError(f"mixed: rows of versions {sorted(map(str, versions))}")
    (version,) = versions
    if not isinstance(version, int):
        raise WrongContentError(f"mixed: rows that name {version!r} as their version")
    return version


def _check_schema(version: int, schema: Sequence[Column], expected: tuple[Column, ...]) -> None:
    if tuple(schema) != expected:
        raise WrongContentError(f"mixed: rows of version {version} with columns {list(schema)}")


def _check_rows(
    version: int, seen: Sequence[Sequence[Any]], expected: set[tuple[Any, ...]]
) -> None:
    found = {tuple(row) for row in seen}
    if found - expected or len(seen) > len(expected):
        raise WrongContentError(f"mixed: {len(seen)} rows of version {version}, not all its own")
    if found != expected or len(seen) != len(expected):
        raise WrongContentError(
            f"partial: {len(seen)} of {len(expected)} rows of version {version}"
        )
