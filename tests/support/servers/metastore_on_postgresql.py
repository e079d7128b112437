"""A remote Hive metastore whose database is PostgreSQL, with a server's default settings."""

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from servers.jars import POSTGRESQL_DRIVER, fetched
from servers.metastore import NO_SETTINGS, Metastore, running_metastore
from servers.postgresql import Postgresql, running_postgresql

ISOLATION = "datanucleus.transactionIsolation"
"""One get_table is several SELECTs on the server: at its default, read-committed, a commit between
two of them gives a client the schema of one version and the location of another."""
REPEATABLE_READ = "repeatable-read"

LOCK_TABLES = Path(__file__).with_name("lock_tables.sql")


@contextmanager
def running_metastore_on_postgresql(
    directory: Path,
    warehouse: Path,
    settings: Mapping[str, str] = NO_SETTINGS,
    *,
    lock_tables: bool = False,
) -> Iterator[Metastore]:
    """Run PostgreSQL and a metastore on it, with ``settings`` besides a server's defaults."""
    with (
        running_postgresql(directory) as database,
        metastore_on(database, directory, warehouse, settings, lock_tables=lock_tables) as server,
    ):
        yield server


@contextmanager
def metastore_on(
    database: Postgresql,
    directory: Path,
    warehouse: Path,
    settings: Mapping[str, str] = NO_SETTINGS,
    *,
    lock_tables: bool = False,
) -> Iterator[Metastore]:
    """Run a metastore on a living server; a second run on it finds the tables of the first.

    ``lock_tables`` makes the tables that Hive's locks need, in a new database.
    """
    directory.mkdir(parents=True, exist_ok=True)
    # The server's class path has its directory, next to Spark's jars.
    with zipfile.ZipFile(fetched(POSTGRESQL_DRIVER)) as driver:
        driver.extractall(directory)
    if lock_tables:
        database.execute(LOCK_TABLES.read_text())
    ours = {**_connection(database), **settings}
    with running_metastore(directory, warehouse, ours) as server:
        yield server


def _connection(database: Postgresql) -> dict[str, str]:
    return {
        "javax.jdo.option.ConnectionURL": database.url,
        "javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver",
        "javax.jdo.option.ConnectionUserName": database.user,
        "javax.jdo.option.ConnectionPassword": database.password,
        "datanucleus.connectionPoolingType": "HikariCP",
    }
