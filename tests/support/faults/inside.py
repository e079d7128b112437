"""The same look at a metastore that lives in this process's JVM, where no other client gets to."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pyspark.sql import SparkSession

from ctas_spark.engines import jvm
from functional.outside import Outside
from servers.metastore import Metastore

NO_PORT = 0


def embedded_conf(database: Path, warehouse: Path) -> dict[str, str]:
    """Return the settings of a session with a metastore of its own, on Derby."""
    url = f"jdbc:derby:;databaseName={database};create=true"
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.javax.jdo.option.ConnectionURL": url,
        "spark.sql.warehouse.dir": str(warehouse),
    }


class Inside(Outside):
    """A look by a Hive client of its own, past Spark and past the product."""

    def __init__(self, warehouse: Path, schema: str) -> None:
        super().__init__(Metastore(NO_PORT, warehouse), schema)

    def locks(self) -> list[Any]:
        """None: the product locks with its own process's means here."""
        return []

    @contextmanager
    def _client(self) -> Iterator[Any]:
        spark = SparkSession.active()
        conf = jvm.shared_state(spark).externalCatalog().unwrapped().client().conf()
        client = jvm.classes(spark).org.apache.hadoop.hive.metastore.HiveMetaStoreClient(conf)
        try:
            yield _AsOverThrift(client)
        finally:
            client.close()


class _AsOverThrift:
    """The calls that a look needs, under their names on the wire."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def get_table(self, database: str, table: str) -> SimpleNamespace:
        found = self._client.getTable(database, table)
        place = SimpleNamespace(location=found.getSd().getLocation())
        return SimpleNamespace(
            tableName=table,
            tableType=found.getTableType(),
            parameters=dict(found.getParameters()),
            sd=place,
        )

    def get_all_tables(self, database: str) -> list[str]:
        return list(self._client.getAllTables(database))
