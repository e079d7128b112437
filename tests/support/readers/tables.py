"""Where the table under test lies: its format, and a catalog that several processes reach."""

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from ctas_spark import quoting
from ctas_spark.context import SESSION_CATALOG, TableName
from real_places.shared import Place
from servers.delta import delta_session
from servers.formats import joined
from servers.iceberg import NEW_TYPES, hadoop_catalog, hive_catalog, jdbc_catalog, session_catalog
from servers.iceberg_rest import rest_catalog
from servers.jars import DELTA, ICEBERG
from servers.metastore import NO_SETTINGS, Metastore
from servers.metastore_on_mariadb import running_metastore_on_mariadb
from servers.metastore_on_postgresql import running_metastore_on_postgresql
from servers.other_hive import CLIENT_OF_HIVE_4, running_hive
from servers.remote import server_of_files

# Every second version of a table of files has another format.
ALTERNATING = "{{ 'orc' if (var('v') | int) // 2 % 2 else 'parquet' }}"


MARIADB, HIVE_3, HIVE_4 = METASTORES = ("mariadb", "hive-3", "hive-4")
OTHER_HIVES = {HIVE_3: "3.1.3", HIVE_4: "4.0.1"}


class Choice(str, Enum):
    """A format; for Iceberg, a kind of catalog, too."""

    FILES = "files"
    ICEBERG_HIVE = "iceberg-hive"
    ICEBERG_JDBC = "iceberg-jdbc"
    ICEBERG_REST = "iceberg-rest"
    ICEBERG_SESSION = "iceberg-session"
    ICEBERG_HADOOP = "iceberg-hadoop"
    DELTA = "delta"


# The catalog and the format.
PLACES = {
    Choice.ICEBERG_HIVE: ("hive", "iceberg"),
    Choice.ICEBERG_JDBC: ("jdbc", "iceberg"),
    Choice.ICEBERG_HADOOP: ("hadoop", "iceberg"),
    Choice.DELTA: (SESSION_CATALOG, "delta"),
}


@dataclass(frozen=True, slots=True)
class SharedTables:
    """What a session needs for the tables, and where they are in it.

    ``file_format`` is None for tables of files, of whichever format. ``profile`` is what a profile
    says besides the session's settings. ``submits``: spark-submit is given these, and starts dbt.
    ``hive`` is the metastore's version, if it is not Spark's own.
    """

    conf: Mapping[str, str]
    catalog: str = SESSION_CATALOG
    file_format: str | None = None
    profile: Mapping[str, object] = field(default_factory=dict)
    submits: bool = False
    hive: str | None = None

    @property
    def model(self) -> Mapping[str, object]:
        """What a dbt model's config says of place and format."""
        return {"database": self.catalog, "file_format": self.file_format or ALTERNATING}

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of each format's jar that the session has, and of another Hive."""
        jars = self.conf.get("spark.jars", "")
        formats = {jar.artifact: jar.version for jar in (ICEBERG, DELTA) if jar.file in jars}
        return formats | ({"hive metastore": self.hive} if self.hive else {})

    @property
    def spark_json(self) -> str:
        """The settings, for a child's command line."""
        return json.dumps(dict(self.conf))

    def name(self, schema: str, table: str) -> str:
        """The table's path, as statements name it."""
        return quoting.table(TableName(schema, table, self.catalog))


@contextmanager
def shared_tables(choice: Choice, metastore: Metastore, directory: Path) -> Iterator[SharedTables]:
    """Settings for ``choice``; a catalog's own files and server, if it has any, in ``directory``.

    All formats are in one session: ``spark_catalog`` is Delta's, next to Iceberg's catalogs.
    ``ICEBERG_SESSION`` alone has no Delta: ``spark_catalog`` can be of one of the two.
    """
    catalogs = directory / "catalogs"
    catalogs.mkdir(parents=True)
    conf = metastore.spark_conf()
    beside = (jdbc_catalog("jdbc", catalogs), hive_catalog("hive"))
    if choice is Choice.FILES:
        yield SharedTables(conf)
    elif choice is Choice.ICEBERG_SESSION:
        session = joined(conf, *beside, session_catalog())
        yield SharedTables(session, file_format="iceberg")
    elif choice is Choice.ICEBERG_REST:
        with rest_catalog("rest", catalogs / "rest") as rest:
            session = joined(conf, *beside, rest, delta_session())
            yield SharedTables(session, "rest", "iceberg")
    else:
        hadoop = hadoop_catalog("hadoop", catalogs)
        session = joined(conf, *beside, hadoop, delta_session())
        yield SharedTables(session, *PLACES[choice])


@contextmanager
def tables_on_postgresql(
    choice: Choice, directory: Path, settings: Mapping[str, str] = NO_SETTINGS
) -> Iterator[SharedTables]:
    """The same on a metastore of their own, on PostgreSQL; it has ``settings``.

    Iceberg's own commits on it need a setting that is no default.

    Iceberg's hive catalogs take the metastore's locks, as they do by default; of files, none are
    asked for, and so their partitions are not tracked.
    """
    locks = choice is not Choice.FILES
    on_hive = choice in (Choice.ICEBERG_HIVE, Choice.ICEBERG_SESSION)
    needed = {**(NEW_TYPES if on_hive else NO_SETTINGS), **settings}
    with (
        running_metastore_on_postgresql(
            directory / "metastore", directory / "warehouse", needed, lock_tables=locks
        ) as server,
        shared_tables(choice, server, directory) as tables,
    ):
        yield tables


@contextmanager
def tables_on(metastore: str, directory: Path) -> Iterator[SharedTables]:
    """Tables of files on a metastore of their own; Hive's other servers are on Derby.

    Server and database have their default settings.
    """
    home, warehouse = directory / "metastore", directory / "warehouse"
    if metastore == MARIADB:
        running = running_metastore_on_mariadb(home, warehouse)
    else:
        running = running_hive(OTHER_HIVES[metastore], home, warehouse)
    with running as server:
        client = CLIENT_OF_HIVE_4 if metastore == HIVE_4 else NO_SETTINGS
        hive = OTHER_HIVES.get(metastore)
        yield SharedTables({**server.spark_conf(), **client}, hive=hive)


@contextmanager
def tables_over(method: str, directory: Path) -> Iterator[SharedTables]:
    """Tables of files that dbt writes over a server, by one of the profile's methods.

    Server and metastore have their default settings.
    """
    with server_of_files(directory) as (server, metastore):
        profile = {**server.profile(method), "metastore": metastore.uri}
        beside = {**profile, "server_side_parameters": {}}
        yield SharedTables(metastore.spark_conf(), profile=beside)


@contextmanager
def tables_at(running: AbstractContextManager[Place]) -> Iterator[SharedTables]:
    """Tables of files at a place; each session there is a small one."""
    with running as place:
        profile: dict[str, object] = {"server_side_parameters": {}} if place.submits else {}
        yield SharedTables(place.of_one_task, profile=profile, submits=place.submits)
