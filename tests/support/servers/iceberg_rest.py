"""A REST catalog of Iceberg's, on loopback: the server that Iceberg tests its own client with."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyspark

from servers.jars import ICEBERG_REST_SERVER, SQLITE_DRIVER, fetched, java
from servers.loopback import answers, free_port
from servers.processes import start, stop, wait_for_server

OPEN = "open"
"""The kind of a server that refuses nothing. A kind's warehouse is the directory of its name."""
SOURCE = Path(__file__).parent / "RestCatalogServer.java"


@contextmanager
def rest_catalog(name: str, directory: Path) -> Iterator[Mapping[str, str]]:
    """Run a server that refuses nothing; the settings of the catalog ``name`` that talks to it."""
    with rest_catalogs(directory, {name: OPEN}) as settings:
        yield settings


@contextmanager
def rest_catalogs(directory: Path, kinds: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Run a server for each catalog, all in one JVM; the catalogs' settings.

    A ``strict`` one refuses a table where another lies. One of the kind ``inside`` refuses a table
    outside of its namespace's directory, and metadata outside of its table's. A ``careless`` one
    sends settings by which clients delete old metadata files.
    """
    directory.mkdir(parents=True)
    ports, log = {name: free_port() for name in kinds}, directory / "server.log"
    arguments = [str(directory), *(f"{kind}:{ports[name]}" for name, kind in kinds.items())]
    options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", _class_path()]
    process = start([java(), *options, SOURCE, *arguments], log, cwd=directory)
    try:
        for name, port in ports.items():
            up = f"an answer of the catalog {name} on port {port}"
            wait_for_server(process, partial(answers, port, "/v1/config"), up, log)
        yield {
            key: value
            for name, port in ports.items()
            for key, value in _settings(f"spark.sql.catalog.{name}", port).items()
        }
    finally:
        stop(process)


def _settings(catalog: str, port: int) -> dict[str, str]:
    return {
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "rest",
        f"{catalog}.uri": f"http://127.0.0.1:{port}",
    }


def _class_path() -> str:
    jars = [str(fetched(jar)) for jar in (*ICEBERG_REST_SERVER, SQLITE_DRIVER)]
    return ":".join([*jars, f"{Path(pyspark.__file__).parent}/jars/*"])
