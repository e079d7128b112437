"""A REST catalog of Iceberg's, on loopback: the server that Iceberg tests its own client with."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from servers.jars import ICEBERG_REST_SERVER, SQLITE_DRIVER, fetched, java
from servers.loopback import answers, free_port
from servers.processes import start, stop, wait_for_server

SOURCE = Path(__file__).parent / "RestCatalogServer.java"


@contextmanager
def rest_catalog(
    name: str, directory: Path, *, strict: bool = False
) -> Iterator[Mapping[str, str]]:
    """Run the server; the settings of the catalog ``name`` that talks to it.

    A ``strict`` one refuses to register a table where another lies.
    """
    directory.mkdir(parents=True)
    port, log = free_port(), directory / "server.log"
    database = f"jdbc:sqlite:{directory / 'tables.sqlite'}"
    arguments = [str(port), database, str(directory / "warehouse"), *["strict"] * strict]
    options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", _class_path()]
    process = start([java(), *options, SOURCE, *arguments], log, cwd=directory)
    try:
        up = f"an answer of the catalog on port {port}"
        wait_for_server(process, lambda: answers(port, "/v1/config"), up, log)
        catalog = f"spark.sql.catalog.{name}"
        yield {
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.type": "rest",
            f"{catalog}.uri": f"http://127.0.0.1:{port}",
        }
    finally:
        stop(process)


def _class_path() -> str:
    jars = [str(fetched(jar)) for jar in (*ICEBERG_REST_SERVER, SQLITE_DRIVER)]
    return ":".join([*jars, f"{Path(pyspark.__file__).parent}/jars/*"])
