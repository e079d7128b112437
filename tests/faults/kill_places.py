"""The catalogs whose runs are killed, and how each is looked at from another process."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlparse

from faults.inside import Inside, embedded_conf
from faults.numbered import Numbered
from functional.dbt_project import Project
from functional.outside import Outside
from readers.session import SMALL
from servers.metastore import Metastore
from servers.metastore_on_postgresql import metastore_on
from servers.postgresql import running_postgresql

AGE_LOCKS = "UPDATE HIVE_LOCKS SET HL_LAST_HEARTBEAT = HL_LAST_HEARTBEAT - 3600000"
URIS = "spark.hadoop.hive.metastore.uris"


@dataclass(frozen=True, slots=True)
class KillPlace:
    """A catalog, and the settings of the sessions that use it.

    ``age_locks`` lets every lock look as if nobody had beaten it for longer than one waits.
    """

    name: str
    directory: Path
    conf: Mapping[str, str]
    age_locks: Callable[[], object]


@contextmanager
def remote(directory: Path) -> Iterator[KillPlace]:
    """A server on PostgreSQL with lock tables, which tracked partitions need."""
    place, warehouse = directory / "server", directory / "warehouse"
    with (
        running_postgresql(place) as database,
        metastore_on(database, place, warehouse, lock_tables=True) as server,
    ):
        conf = {**SMALL, **server.spark_conf()}
        yield KillPlace("hive remote", directory, conf, partial(database.execute, AGE_LOCKS))


@contextmanager
def embedded(directory: Path) -> Iterator[KillPlace]:
    """Derby, in the JVM of the one process that uses it."""
    conf = embedded_conf(directory / "metastore_db", directory / "warehouse")
    yield KillPlace("hive embedded", directory, {**SMALL, **conf}, lambda: None)


PLACES: Mapping[str, Callable[[Path], AbstractContextManager[KillPlace]]] = {
    "remote": remote,
    "embedded": embedded,
}


def looked_at(project: Project) -> Numbered:
    """The project's table as this process sees it, past the product."""
    warehouse = Path(project.conf["spark.sql.warehouse.dir"])
    if URIS not in project.conf:
        return Numbered(project, Inside(warehouse, project.schema))
    port = urlparse(project.conf[URIS]).port
    assert port is not None
    return Numbered(project, Outside(Metastore(port, warehouse), project.schema))
