"""The contract on tables of a database behind Spark's JDBC catalog."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from contract.contents import DATABASE, NAMED, Content
from contract.entry_clients import PROVIDER
from contract.places import Entry, Run
from contract.rivals import Elsewhere, in_a_thread
from contract.spark_place import ANOTHER_SCHEMA, SCHEMA, STAGING, SparkPlace
from ctas_spark.context import TableName
from ctas_spark.database.by_rename import RenamedVersion
from ctas_spark.database.tables import Database
from ctas_spark.engines import jvm
from ctas_spark.publish.marker import VERSION_ID
from ctas_spark.publish.staged_table import StagedTable
from servers.database import CATALOG, catalog
from servers.postgresql import Postgresql, running_postgresql


@dataclass(frozen=True, slots=True)
class DatabaseClient:
    """Asks the database itself, without Spark."""

    server: Postgresql

    def entry(self, target: TableName) -> Entry | None:
        """Its number and its kind; other fields a table in a database has not."""
        found = self.server.execute(
            "SELECT row_to_json(c) FROM (SELECT oid::int, relkind FROM pg_class "
            f"WHERE oid = to_regclass('{target.database}.{target.table}')) AS c"
        )
        if not found.strip():
            return None
        one = json.loads(found)
        return Entry({PROVIDER: DATABASE}, "", one["relkind"] == "v", 0, None, one)

    def tables(self, schema: str) -> list[str]:
        """All that is listed."""
        asked = f"SELECT tablename FROM pg_tables WHERE schemaname = '{schema}'"
        return self.server.execute(asked).split()

    def close(self) -> None:
        """Each question has a connection of its own."""


@dataclass(frozen=True, slots=True)
class BesideDatabase(Elsewhere):
    """Others; what Spark does not do in a database, they do without it."""

    server: Postgresql

    def plain(self, table: str, layout: str, number: int) -> None:
        content = Content(number, NAMED[layout])
        columns = "(v INT, n BIGINT, c TEXT)"
        rows = ", ".join(str(tuple(row)) for row in content.rows)
        name = table.partition(".")[2]
        self.server.execute(f"CREATE TABLE {name} {columns}; INSERT INTO {name} VALUES {rows}")

    def view(self, table: str) -> None:
        self.server.execute(f"CREATE VIEW {table.partition('.')[2]} AS SELECT 1 AS id")


class DatabasePlace(SparkPlace):
    """What is staged lies next to the target; there are no files."""

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def files(self, directory: str) -> Mapping[str, object]:  # noqa: ARG002 (of none)
        return {}

    def files_of(self, staged: StagedTable[Any]) -> list[str]:  # noqa: ARG002 (of none)
        return []

    def records(self) -> list[str]:
        return [name for name in self._client.tables(SCHEMA) if VERSION_ID.search(name)]

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        return [name for name in self.records() if name.startswith(f"{live.target.table}__")]

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:  # noqa: ARG002 (of all runs)
        return [(RenamedVersion, "publish"), (Database, "drop")]

    def forget(self, target: TableName) -> None:
        if self.entry(target) is not None:
            self.others.drop(str(target))


@contextmanager
def postgresql(spark: SparkSession, directory: Path) -> Iterator[DatabasePlace]:
    """A server with an empty database, in a session that has its driver."""
    with running_postgresql(directory) as server:
        shared = jvm.shared_state(spark).conf()  # of all later sessions
        for key, value in catalog(server).items():
            shared.set(key, value)
            spark.conf.set(key, value)
        server.execute(f"CREATE SCHEMA {SCHEMA}; CREATE SCHEMA {ANOTHER_SCHEMA}")
        with in_a_thread(spark, STAGING) as others:
            beside = BesideDatabase(others.hand_over, server)
            client = DatabaseClient(server)
            yield DatabasePlace("postgresql", spark, directory, beside, client, CATALOG)
