"""What is in the metastore and the storage, as a client sees it that is not ours."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

import pyarrow.parquet as pq
from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from ctas_spark.metastore.client import VIEW
from servers.metastore import Metastore

STAGING = "__ctas_spark"
STAGING_ID = "ctas_spark_staging_id"


@dataclass(frozen=True, slots=True)
class Outside:
    """A look from outside at one schema."""

    metastore: Metastore
    schema: str

    def entry(self, table: str) -> ttypes.Table:
        """The table's entry as the server holds it."""
        with self._client() as client:
            return client.get_table(self.schema, table)

    def parameters(self, table: str) -> dict[str, str]:
        """The entry's properties."""
        found: dict[str, str] = self.entry(table).parameters
        return found

    def directory(self, table: str) -> Path:
        """Where the entry's data lies."""
        return Path(unquote(urlparse(self.entry(table).sd.location).path))

    def read(self, table: str) -> list[dict[str, object]]:
        """What an engine reads that asks the metastore where a table lies, and for its partitions.

        Columns are those that Hive itself stores; values of partition keys are texts.
        """
        entry = self.entry(table)
        columns = [column.name for column in entry.sd.cols]
        if not entry.partitionKeys:
            return _rows_in(entry.sd.location, columns)
        keys = [key.name for key in entry.partitionKeys]
        with self._client() as client:
            partitions = client.get_partitions(self.schema, table, -1)
        return [
            {**row, **dict(zip(keys, one.values, strict=True))}
            for one in partitions
            for row in _rows_in(one.sd.location, columns)
        ]

    def grant(self, table: str, user: str, privilege: str) -> None:
        """Give a user a privilege on the table, as Hive's own authorization stores it."""
        info = ttypes.PrivilegeGrantInfo(privilege, 0, "admin", ttypes.PrincipalType.USER, False)
        granted = ttypes.HiveObjectPrivilege(
            self._reference(table), user, ttypes.PrincipalType.USER, info
        )
        with self._client() as client:
            assert client.grant_privileges(ttypes.PrivilegeBag([granted]))

    def privileges(self, table: str, user: str) -> list[ttypes.HiveObjectPrivilege]:
        """What the user may do with the table."""
        with self._client() as client:
            found: list[ttypes.HiveObjectPrivilege] = client.list_privileges(
                user, ttypes.PrincipalType.USER, self._reference(table)
            )
            return found

    def tables(self) -> list[str]:
        """All tables and views of the schema."""
        with self._client() as client:
            return sorted(client.get_all_tables(self.schema))

    def every_entry(self) -> dict[str, str]:
        """All schemas of the metastore; tables and functions of those that begin as this one."""
        with self._client() as client:
            schemas = client.get_all_databases()
            found = {schema: str(client.get_database(schema)) for schema in schemas}
            for schema in (one for one in schemas if one.startswith(self.schema)):
                for table in client.get_all_tables(schema):
                    found[f"{schema}.{table}"] = str(client.get_table(schema, table))
                for function in client.get_functions(schema, "*"):
                    found[f"{schema}.{function}()"] = str(client.get_function(schema, function))
        return found

    def records(self) -> list[str]:
        """All entries of the staging schema but the one that holds its id."""
        with self._client() as client:
            found = set(client.get_all_tables(self.schema + STAGING))
            return sorted(found - {STAGING_ID})

    def tombstones(self) -> list[str]:
        """The records that a clean-up made, so that a job that still runs fails on one."""
        with self._client() as client:
            found = [client.get_table(self.schema + STAGING, name) for name in self.records()]
        return [one.tableName for one in found if one.tableType == VIEW]

    def locks(self) -> list[ttypes.ShowLocksResponseElement]:
        """Locks on the schema's tables, on a server that has them."""
        with self._client() as client:
            found = client.show_locks(ttypes.ShowLocksRequest()).locks
            return [lock for lock in found if lock.dbname == self.schema]

    def versions(self) -> list[str]:
        """Version ids that have a directory below the schema's own."""
        root = self.metastore.warehouse / f"{self.schema}.db" / "ctas-spark"
        return sorted(path.name for path in root.glob(f"*/{self.schema}.*/*"))

    def _reference(self, table: str) -> ttypes.HiveObjectRef:
        return ttypes.HiveObjectRef(ttypes.HiveObjectType.TABLE, self.schema, table)

    def _client(self) -> AbstractContextManager[ThriftHiveMetastore.Client]:
        return _Connection(self.metastore.port)


class _Connection:
    """One client for one ``with``.

    Not a generator's: contextlib gives an exception its traceback back, which the errors of
    pymetastore, being immutable, refuse with an error of their own.
    """

    def __init__(self, port: int) -> None:
        self._transport = TBufferedTransport(TSocket("127.0.0.1", port))

    def __enter__(self) -> ThriftHiveMetastore.Client:
        self._transport.open()
        return ThriftHiveMetastore.Client(TBinaryProtocol(self._transport))

    def __exit__(self, *_error: object) -> None:
        self._transport.close()


def _rows_in(location: str, columns: list[str]) -> list[dict[str, object]]:
    found = pq.read_table(Path(unquote(urlparse(location).path)), partitioning=None)
    rows: list[dict[str, object]] = found.select(columns).to_pylist()
    return rows
