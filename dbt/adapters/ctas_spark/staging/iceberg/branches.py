"""Our branches of an Iceberg table: their names, and the statements that fill and read them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .. import quoting
from ..context import Atomicity, TableName
from ..errors import EntryModifiedError
from ..publish.marker import VERSION_ID
from ..publish.version import Reach

PREFIX = "ctas_"
OURS = re.compile(rf"{PREFIX}({VERSION_ID.pattern})(_\d+)?")
"""The names of our branches: the version's id, and the number of a later attempt."""
REACH = Reach(Atomicity.ISOLATED, "fast_forward", conflict_check="cas")

MOST_TRIES = 100

Run = Callable[[str, str], Sequence[Mapping[str, Any]]]
"""Run a statement; what it is for completes "could not" in the error."""


def replace_rows(branch: TableName, query: str, columns: Iterable[str] = ()) -> str:
    """Replace every row, whatever ``partitionOverwriteMode`` the session has.

    The statement fills columns by position, so they are selected by name: what the query reads may
    have changed since its columns were compared with the table's.
    """
    names = ", ".join(map(quoting.identifier, columns))
    rows = f"SELECT {names} FROM (\n{query}\n)" if names else query  # noqa: S608 (quoted)
    return f"INSERT INTO {quoting.table(branch)} REPLACE WHERE true\n{rows}"


def change_branches(change: Callable[[], object]) -> None:
    """Create or drop a branch, again if another's commit came first: it can't be in the way.

    Iceberg itself tries again and never succeeds, because its UpdateSnapshotReferencesOperation
    keeps the metadata that it began with.
    """
    for _ in range(MOST_TRIES - 1):
        try:
            change()
        except EntryModifiedError:
            continue
        return
    change()


def open_files(run: Run, branch: TableName) -> int:
    """Open each file of a branch, as nothing else in SQL tells that one is missing.

    Returns the id of their partition spec; without files it does not matter. MetastoreError if
    one can't be read.
    """
    rows = run(
        f"read the files of {branch.branch}",
        f"SELECT DISTINCT _spec_id AS spec FROM {quoting.table(branch)}",  # noqa: S608 (quoted)
    )
    return max((int(row["spec"]) for row in rows), default=0)
