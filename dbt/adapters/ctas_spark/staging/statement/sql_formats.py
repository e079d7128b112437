"""What SQL tells of a table, by its format: its identity, its last commit, our marker."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.publish.marker import COMMIT
from dbt.adapters.ctas_spark.staging.statement.client import NOTHING, TableFacts
from dbt.adapters.ctas_spark.staging.statement.sql import Ask

LATEST_COMMITS = 100
FORMAT = "format"


class SqlFormat(Protocol):
    """A table format whose tables SQL can describe."""

    @property
    def name(self) -> str:
        """As USING names it."""

    def facts(self, ask: Ask, table: TableName) -> TableFacts | None:
        """What is seen of a table, past caches; None if it is of another format.

        The last commit is read first: what comes in between is a difference, and never hidden.
        """


@dataclass(frozen=True, slots=True)
class IcebergBySql:
    """Each commit of Iceberg's, a snapshot or not, is one more file in the table's metadata log."""

    name: str = "iceberg"

    def facts(self, ask: Ask, table: TableName) -> TableFacts | None:
        """Two statements, the first of which fails for a table of another format."""
        path = quoting.table(table)
        marked = (
            f"SELECT to_json(max_by(summary, committed_at)) FROM {path}.snapshots "  # noqa: S608 (quoted)
            f"WHERE summary[{quoting.string(COMMIT)}] IS NOT NULL"
        )
        seen = ask(
            "SELECT md5(concat_ws(',', sort_array(collect_list(file)))) AS version, "  # noqa: S608 (quoted)
            f"({marked}) AS marker FROM {path}.metadata_log_entries"
        )[0]
        found = _properties(ask, path)
        if not found.get(FORMAT, "").startswith(self.name):
            return None
        return TableFacts("", str(seen["version"]), "", (), found, _marker(seen["marker"]))


@dataclass(frozen=True, slots=True)
class DeltaBySql:
    """Each commit of Delta's is a number in the table's history."""

    name: str = "delta"

    def facts(self, ask: Ask, table: TableName) -> TableFacts | None:
        """Three statements; the second also tells a table of another format.

        Of its columns none that is nested is taken apart: over Thrift that is a text.
        """
        path = quoting.table(table)
        history = ask(f"DESCRIBE HISTORY {path} LIMIT {LATEST_COMMITS}")
        detail = ask(f"DESCRIBE DETAIL {path}")[0]
        if detail[FORMAT] != self.name:
            return None
        marked = (_marker(row["userMetadata"]) for row in history)
        return TableFacts(
            str(detail["id"]),
            str(history[0]["version"]) if history else "",
            "",
            (str(detail["partitionColumns"]),),
            _properties(ask, path),
            next((marker for marker in marked if COMMIT in marker), NOTHING),
        )


def _properties(ask: Ask, path: str) -> dict[str, str]:
    return {str(row["key"]): str(row["value"]) for row in ask(f"SHOW TBLPROPERTIES {path}")}


def _marker(said: str | None) -> Mapping[str, Any]:
    """What a commit of ours says of itself, in JSON; empty if it says nothing of the kind."""
    try:
        found = json.loads(said or "{}")
    except ValueError:
        return NOTHING
    return found if isinstance(found, dict) else NOTHING
