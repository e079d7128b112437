"""The tables of a catalog as SQL shows them, and what SQL tells of a table by its format."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from .. import quoting
from ..clock import SYSTEM_CLOCK, Clock, ReadClock
from ..context import DELTA, TableName
from ..delta.facts import MAINTENANCE
from ..engines.calls import NamespaceMissingError, condition, core_errors, java_class
from ..errors import EntryMissingError, MetastoreError, RefusedError
from ..iceberg import branches
from ..iceberg.facts import EMPTY, STAMPS
from ..iceberg.facts import TableFacts as History
from ..iceberg.refusals import ELSEWHERE
from ..publish.marker import COMMIT
from .base import NOTHING, StatementBase, TableFacts
from .history import facts_of, lines_query
from .shapes import shape_of

Answer = Sequence[Mapping[str, Any]]
Ask = Callable[[str], Answer]
"""Run a statement; its rows by the names of their columns."""

A_VIEW = "a view"
DETAILS = ("# Detailed Table Information", "# Detailed View Information")
UNSUPPORTED = ("UNSUPPORTED_FEATURE", "UnsupportedOperationException")
SHARED = "GC is disabled"
"""What Iceberg says of a purge of a table whose files others may share, as all of Nessie's."""
LATEST_COMMITS = 100
FORMAT = "format"
ICEBERG = "iceberg"


def asking(spark: Any) -> Ask:
    """Ask a session, local or remote."""
    return lambda statement: [row.asDict() for row in spark.sql(statement).collect()]


def of_iceberg(ask: Ask, table: TableName) -> TableFacts | None:
    """What SQL tells of an Iceberg table: each commit is one more file in its metadata log.

    The files' times are compared, too: a hadoop catalog names those of each table alike. The first
    statement fails for a table of another format.
    """
    path = quoting.table(table)
    marked = (
        f"SELECT to_json(max_by(summary, committed_at)) FROM {path}.snapshots "  # noqa: S608 (quoted)
        f"WHERE summary[{quoting.string(COMMIT)}] IS NOT NULL"
    )
    seen = ask(
        "SELECT md5(concat_ws(',', sort_array(collect_list("  # noqa: S608 (quoted)
        "concat(unix_millis(timestamp), ' ', file))))) AS version, "
        f"unix_millis(max(timestamp)) AS written_ms, ({marked}) AS marker "
        f"FROM {path}.metadata_log_entries"
    )[0]
    found = _properties(ask, path)
    if not found.get(FORMAT, "").startswith(ICEBERG):
        return None
    return TableFacts("", str(seen["version"]), found, _marker(seen["marker"]), seen["written_ms"])


def of_delta(ask: Ask, table: TableName) -> TableFacts | None:
    """What SQL tells of a Delta table: each commit is a number in its history.

    DESCRIBE DETAIL also tells the format. No nested column and no time is read: over Thrift the
    former is a text, and the latter has no zone.
    """
    path = quoting.table(table)
    history = ask(f"DESCRIBE HISTORY {path} LIMIT {LATEST_COMMITS}")
    detail = ask(f"DESCRIBE DETAIL {path}")[0]
    if detail[FORMAT] != DELTA:
        return None
    marked = (_marker(row["userMetadata"]) for row in history)
    return TableFacts(
        str(detail["id"]),
        str(history[0]["version"]) if history else "",
        _properties(ask, path),
        next((marker for marker in marked if COMMIT in marker), NOTHING),
        upkeep=frozenset(int(row["version"]) for row in history if row["operation"] in MAINTENANCE),
    )


FORMATS: Mapping[str, Callable[[Ask, TableName], TableFacts | None]] = {
    ICEBERG: of_iceberg,
    DELTA: of_delta,
}
"""What SQL tells of a table past all caches, by format; None if it has another format.

The last commit is read first: what comes in between is a difference, and never hidden.
"""


class SqlTables:
    """The tables of one catalog and one format; each look is new, past all caches.

    ``sql`` raises what the session does; every other call raises MetastoreError or one of its
    subclasses: "could not find out" is never None. ``driver`` is the clock of the session's
    driver, which may be a server. With ``has_branches`` a rebuild of an Iceberg table that changes
    rows only can be published by branch. ``are_icebergs`` is the tables' format.
    """

    def __init__(
        self,
        ask: Ask,
        catalog: str,
        file_format: str,
        clock: Clock = SYSTEM_CLOCK,
        *,
        has_branches: bool = False,
    ) -> None:
        self.name = catalog
        self.clock = clock
        self.driver = ReadClock(self._now_ms, clock)
        self.has_branches = has_branches
        self.are_icebergs = file_format == ICEBERG
        self._ask = ask
        self._format = file_format

    def sql(self, statement: str) -> None:
        self._ask(statement)

    def run(self, action: str, statement: str) -> Answer:
        """Run a statement; ``action`` completes "could not" in the error."""
        with core_errors(action):
            return self._ask(statement)

    def refresh(self, name: TableName) -> None:
        """Drop the table from this session's caches; other sessions of a server keep theirs."""
        self.run(f"look for {name}", f"REFRESH TABLE {quoting.table(name)}")

    def look(self, name: TableName) -> StatementBase:
        """What has the name now; NotSupportedError if a newer release has published it.

        The history is read before the shape, and each fresh: what comes in between is a difference,
        and never hidden.
        """
        found = self._look(name)
        if found.facts is None or not self.has_branches:
            return found
        try:
            lines = self.lines(name)
            statement = f"SHOW CREATE TABLE {quoting.table(name)}"
            (said,) = self.run(f"read the columns of {name}", statement)
        except EntryMissingError:
            return self._look(name)
        return replace(found, lines=lines, shape=shape_of(str(said["createtab_stmt"])))

    def lines(self, name: TableName) -> History:
        """An Iceberg table's history now; an empty one without a table."""
        try:
            return facts_of(self.run(f"read the history of {name}", lines_query(name)))
        except EntryMissingError:
            return EMPTY
        except RefusedError:  # spark_catalog has other words for a table that is gone
            if self.exists(name):
                raise
            return EMPTY

    def history(self, name: TableName) -> History:
        """As ``lines``, but empty for a table of another format, too."""
        return self.lines(name) if self.find(name) is not None else EMPTY

    def drop_branch(self, name: TableName, branch: str) -> None:
        """Drop a branch, if it is there; its snapshots go when Iceberg expires them."""
        path = quoting.table(name)
        statement = f"ALTER TABLE {path} DROP BRANCH IF EXISTS {quoting.identifier(branch)}"
        action = f"drop the branch {branch} of {name}"
        try:
            branches.change_branches(partial(self.run, action, statement))
        except EntryMissingError:  # the table is gone, and its branches with it
            return

    def find(self, name: TableName) -> TableFacts | None:
        """The table as it is now; None if no table of the format has the name."""
        try:
            self.refresh(name)
            with core_errors(f"read {name}"):
                return FORMATS[self._format](self._ask, name)
        except (EntryMissingError, NamespaceMissingError):
            return None
        except MetastoreError:
            if self.obstacle(name) or not self.exists(name):
                return None
            raise

    def exists(self, name: TableName) -> bool:
        """True if there is a table, of whatever format."""
        try:
            self.refresh(name)
        except (EntryMissingError, NamespaceMissingError):
            return False
        return True

    def obstacle(self, name: TableName) -> str:
        """A view, or a table of another format; empty if neither is there."""
        try:
            rows = self.run(f"look at {name}", f"DESCRIBE TABLE EXTENDED {quoting.table(name)}")
        except (EntryMissingError, NamespaceMissingError):
            return ""
        said = details(rows)
        if "View Catalog and Namespace" in said or said.get("Type") == "VIEW":
            return A_VIEW
        provider = said.get("Provider", "unknown").lower()
        return "" if provider == self._format else f"a table of the format {provider}"

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        """The tables of a namespace, without temporary views."""
        statement = f"SHOW TABLES IN {self._path(namespace)}"
        rows = self.run(f"list the tables of {namespace}", statement)
        return tuple(
            TableName(namespace, str(row["tableName"]), self.name)
            for row in rows
            if not row["isTemporary"]
        )

    def has_namespace(self, namespace: str) -> bool:
        action = f"look for the namespace {namespace}"
        try:
            self.run(action, f"DESCRIBE NAMESPACE {self._path(namespace)}")
        except NamespaceMissingError:
            return False
        return True

    def drop(self, name: TableName) -> None:
        """Drop a table of ours, with its files where the catalog can; never a target."""
        statement = f"DROP TABLE {quoting.table(name)}"
        with core_errors(f"drop {name}"):
            try:
                self._ask(f"{statement} PURGE")
            except Exception as error:
                known = {condition(error).split(".")[0], java_class(error)} & {*UNSUPPORTED}
                if not known and SHARED not in str(error):
                    raise
                self._ask(statement)

    def writes_elsewhere(self) -> str:
        """The setting by which the session's writes to an Iceberg table in WAP mode go elsewhere.

        A setting that is not there is shown as ``<undefined>``.
        """
        for name in ELSEWHERE:
            (row,) = self.run(f"read {name}", f"SET {quoting.identifier(name)}")
            if not str(row["value"]).startswith("<"):
                return name
        return ""

    def _now_ms(self) -> int:
        (row,) = self.run("ask for the time", "SELECT unix_millis(current_timestamp()) AS now")
        return int(row["now"])

    def _look(self, name: TableName) -> StatementBase:
        facts = self.find(name)
        found = StatementBase(name, facts, "" if facts is not None else self.obstacle(name))
        found.check_marker()
        return found

    def _path(self, namespace: str) -> str:
        return quoting.namespace(self.name, namespace)


def details(rows: Iterable[Any]) -> dict[str, str]:
    """What DESCRIBE says below the last heading of details: a column may have that name, too."""
    described = [(str(row["col_name"]), str(row["data_type"])) for row in rows]
    start = max(
        (at for at, (name, _) in enumerate(described) if name in DETAILS), default=len(described)
    )
    return dict(described[start + 1 :])


def _properties(ask: Ask, path: str) -> dict[str, str]:
    found = {str(row["key"]): str(row["value"]) for row in ask(f"SHOW TBLPROPERTIES {path}")}
    return {key: value for key, value in found.items() if key not in STAMPS}


def _marker(said: str | None) -> Mapping[str, Any]:
    """The marker that a commit of ours has as JSON; empty if the text is something else."""
    try:
        found = json.loads(said or "{}")
    except ValueError:
        return NOTHING
    return found if isinstance(found, dict) else NOTHING
