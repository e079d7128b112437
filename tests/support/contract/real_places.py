"""The real catalogs under test, each started when it is first asked for."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from pyspark.sql import SparkSession

from contract.database_place import postgresql as database
from contract.format_place import delta, iceberg
from contract.hive_place import embedded, hive_3, hive_4, mariadb, postgresql, remote
from contract.places import Place
from contract.server_place import over_connect, over_thrift
from readers.session import small_session
from servers.database import driver
from servers.formats import both_formats, joined
from servers.iceberg import hive_catalogs, jdbc_catalog

OF_FILES: Mapping[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "hive_remote": remote,
    "hive_over_connect": over_connect,
    "hive_over_thrift": over_thrift,
    "hive_postgresql": postgresql,
    "hive_mariadb": mariadb,
    "hive_3": hive_3,
    "hive_4": hive_4,
    "hive_embedded": embedded,
}
ON_HIVE = ("iceberg_session", "iceberg_hive")
"""Iceberg's commits on a Hive metastore need a setting of it that is no default."""
DELTA, DATABASE = "delta", "postgresql"


class RealPlaces:
    """Places by their names; all end with ``open_places``.

    One JVM has one metastore, and a session has one ``spark_catalog``: Iceberg's catalogs on Hive
    share a session, and the other formats another, with the database.
    """

    def __init__(self, directory: Path, open_places: ExitStack) -> None:
        self._directory = directory
        self._open_places = open_places
        self._places: dict[str, Place] = {}
        self._both: SparkSession | None = None
        self._on_hive: SparkSession | None = None

    def __getitem__(self, name: str) -> Place:
        if name not in self._places:
            self._refuse_second_metastore(name)
            self._places[name] = self._open_places.enter_context(self._opened(name))
        return self._places[name]

    def _refuse_second_metastore(self, name: str) -> None:
        """What Spark's static settings would do in silence: the first one's are used."""
        other = next(iter(self._places), name)
        if _session_of(name) != _session_of(other):
            raise ValueError(f"{name} needs a process of its own: this one has opened {other}")

    def _opened(self, name: str) -> AbstractContextManager[Place]:
        directory = self._directory / name
        if name in OF_FILES:
            return OF_FILES[name](directory)
        return self._on_a_metastore(name) if name in ON_HIVE else self._of_both_formats(name)

    def _on_a_metastore(self, name: str) -> AbstractContextManager[Place]:
        directory = self._directory / "on_hive"
        if self._on_hive is None:
            directory.mkdir(parents=True)
            settings = joined(jdbc_catalog("jdbc", directory), hive_catalogs(directory))
            self._on_hive = self._session(settings)
        return iceberg(name, self._on_hive, directory)

    def _of_both_formats(self, name: str) -> AbstractContextManager[Place]:
        directory = self._directory / "formats"
        if self._both is None:
            settings = self._open_places.enter_context(both_formats(directory))
            self._both = self._session(joined(settings, driver()))
        if name == DATABASE:
            return database(self._both, self._directory / name)
        if name == DELTA:
            return delta(self._both, directory)
        return iceberg(name, self._both, directory)

    def _session(self, settings: Mapping[str, str]) -> SparkSession:
        spark = small_session(settings)
        self._open_places.callback(spark.stop)
        return spark


def _session_of(name: str) -> str:
    if name in OF_FILES:
        return name
    return "on_hive" if name in ON_HIVE else "formats"
