"""The catalogs whose runs are killed, and how each is looked at from another process."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import urlparse

from ctas_spark.files.base import PARTITION_HOLDER
from faults.eyes import Eyes, EyesOnFiles
from faults.eyes_on_formats import EyesOnFormat
from faults.inside import Inside, embedded_conf
from faults.numbered import Numbered
from functional.dbt_project import Project
from functional.outside import Outside
from readers.session import SMALL
from readers.tables import Choice, tables_on_postgresql
from servers.metastore import Metastore
from servers.metastore_on_postgresql import metastore_on
from servers.postgresql import running_postgresql

AGE_LOCKS = (
    "UPDATE HIVE_LOCKS SET HL_LAST_HEARTBEAT = HL_LAST_HEARTBEAT - 3600000; "
    # and what a holder noted of itself: half the orphan age later it wakes up no more
    'UPDATE "TABLE_PARAMS" SET "PARAM_VALUE" = regexp_replace("PARAM_VALUE", \':.*\', \':0\') '
    f"WHERE \"PARAM_KEY\" = '{PARTITION_HOLDER}'"
)
URIS = "spark.hadoop.hive.metastore.uris"


@dataclass(frozen=True, slots=True)
class KillPlace:
    """A catalog, and the settings of the sessions that use it.

    ``age_locks`` lets every lock look as if nobody had beaten it for longer than one waits, and for
    longer than its holder may sleep.
    ``place`` is what a model's config says of catalog and format; nothing for tables of files.
    """

    name: str
    directory: Path
    conf: Mapping[str, str]
    age_locks: Callable[[], object]
    place: Mapping[str, str] = field(default_factory=dict)


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


@contextmanager
def of_format(choice: Choice, directory: Path) -> Iterator[KillPlace]:
    """A format's catalog that several processes reach, next to the others in one session."""
    with tables_on_postgresql(choice, directory) as tables:
        place = {key: str(value) for key, value in tables.model.items()}
        conf = {**SMALL, **tables.conf}
        yield KillPlace(choice.value, directory, conf, lambda: None, place)


PLACES: Mapping[str, Callable[[Path], AbstractContextManager[KillPlace]]] = {
    "remote": remote,
    "embedded": embedded,
}
FORMATS: Mapping[str, Callable[[Path], AbstractContextManager[KillPlace]]] = {
    choice.value: partial(of_format, choice) for choice in Choice if choice is not Choice.FILES
}


def looked_at(project: Project, place: Mapping[str, str]) -> Eyes:
    """The project's table as this process sees it, past the product."""
    if place:
        return EyesOnFormat(project, place, project.directory.parents[1])
    warehouse = Path(project.conf["spark.sql.warehouse.dir"])
    if URIS not in project.conf:
        return EyesOnFiles(Numbered(project, Inside(warehouse, project.schema)))
    port = urlparse(project.conf[URIS]).port
    assert port is not None
    return EyesOnFiles(Numbered(project, Outside(Metastore(port, warehouse), project.schema)))
