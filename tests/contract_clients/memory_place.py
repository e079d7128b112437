"""An in-memory catalog of Spark's next to the session's own, which is Hive."""

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from contract_clients.places import KEYS, unused
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry
from dbt.adapters.ctas_spark.staging.metastore.jvm import scala
from dbt.adapters.ctas_spark.staging.metastore.memory.client import InMemoryMetastore
from fakes.metastore import entry

BLANK = "blank"
TYPES = {VIEW: "VIEW", "EXTERNAL_TABLE": "EXTERNAL", "MANAGED_TABLE": "MANAGED"}


class MemoryPlace:
    """The client, and a hand that makes what is in the catalog by Spark's own classes."""

    database = "shop"
    other_database = "other"

    def __init__(self, spark: SparkSession, warehouse: Path) -> None:
        self._warehouse = warehouse
        self._java = jvm.classes(spark)
        self._catalog = self._java.org.apache.spark.sql.catalyst.catalog
        self._kept = self._catalog.InMemoryCatalog(
            jvm.context(spark).conf(), jvm.hadoop_configuration(spark)
        )
        spark.range(1).createOrReplaceTempView(BLANK)
        identifier = self._java.org.apache.spark.sql.catalyst.TableIdentifier(BLANK)
        session_catalog = jvm.session_catalog(spark)
        self._blank = session_catalog.getTempViewOrPermanentTableMetadata(identifier)
        self._identifier = identifier
        for name in (self.database, self.other_database):
            self._make_database(name)
        self.client = InMemoryMetastore(spark, self._kept)

    def new(self, **changes: object) -> TableEntry:
        made = entry(unused(self), **changes)
        self.directory(made.name).mkdir(parents=True)
        self._kept.createTable(self._described(made), False)
        found = self.client.get_table(made.name)
        assert found is not None
        return found

    def partitioned(self, *values: tuple[str, ...], **changes: object) -> TableEntry:
        made = self.new(partition_keys=KEYS, **changes)
        parts = [self._partition(made.name, at, one) for at, one in enumerate(values)]
        added = scala.sequence(self._java, parts)
        self._kept.createPartitions(made.name.database, made.name.table, added, False)
        return made

    def tables(self) -> list[str]:
        return list(scala.as_tuple(self._java, self._kept.listTables(self.database)))

    def directory(self, name: TableName) -> Path:
        """Where ``new`` puts a table's data."""
        return self._warehouse / "outside" / name.table

    def _make_database(self, name: str) -> None:
        location = (self._warehouse / f"{name}.db").as_uri()
        uri = self._java.java.net.URI(location)
        nothing = scala.mapping(self._java, {})
        self._kept.createDatabase(self._catalog.CatalogDatabase(name, "", uri, nothing), False)

    def _described(self, made: TableEntry) -> Any:
        some = self._java.scala.Option.apply
        columns = [*made.columns, *((key, "string") for key in made.partition_keys)]
        is_view = made.table_type == VIEW
        uri = None if is_view else self._uri(self.directory(made.name))
        return scala.copied(
            self._blank,
            identifier=scala.copied(
                self._identifier, table=made.name.table, database=some(made.name.database)
            ),
            tableType=getattr(self._catalog.CatalogTableType, TYPES[made.table_type])(),
            storage=scala.copied(self._blank.storage(), locationUri=some(uri)),
            schema=self._schema(columns),
            provider=some(None if is_view else "parquet"),
            partitionColumnNames=scala.sequence(self._java, made.partition_keys),
            properties=scala.mapping(self._java, made.parameters),
        )

    def _schema(self, columns: list[tuple[str, str]]) -> Any:
        ddl = ", ".join(f"{name} {kind}" for name, kind in columns)
        return self._java.org.apache.spark.sql.types.StructType.fromDDL(ddl)

    def _partition(self, name: TableName, number: int, values: tuple[str, ...]) -> Any:
        directory = self.directory(name) / str(number)
        directory.mkdir()
        location = self._java.scala.Option.apply(self._uri(directory))
        storage = scala.copied(self._blank.storage(), locationUri=location)
        spec = scala.mapping(self._java, dict(zip(KEYS, values, strict=True)))
        nothing = scala.mapping(self._java, {})
        none = scala.none(self._java)
        return self._catalog.CatalogTablePartition(spec, storage, nothing, 1, 1, none)

    def _uri(self, directory: Path) -> Any:
        return self._java.java.net.URI(directory.as_uri())
