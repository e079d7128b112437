"""A remote Hive metastore whose database is MariaDB, both with their default settings."""

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from servers.jars import MYSQL_DRIVER, fetched
from servers.mariadb import Mariadb, running_mariadb
from servers.metastore import Metastore, running_metastore


@contextmanager
def running_metastore_on_mariadb(directory: Path, warehouse: Path) -> Iterator[Metastore]:
    """Run MariaDB and a metastore on it."""
    with (
        running_mariadb(directory) as database,
        running_metastore(directory, warehouse, connected(directory, database)) as server,
    ):
        yield server


def connected(directory: Path, database: Mariadb) -> Mapping[str, str]:
    """The settings of a server on it, whose class path has ``directory``."""
    with zipfile.ZipFile(fetched(MYSQL_DRIVER)) as driver:
        driver.extractall(directory)
    return {
        "javax.jdo.option.ConnectionURL": database.url,
        "javax.jdo.option.ConnectionDriverName": "com.mysql.jdbc.Driver",
        "javax.jdo.option.ConnectionUserName": database.user,
        "javax.jdo.option.ConnectionPassword": database.password,
        "datanucleus.connectionPoolingType": "HikariCP",
    }
