"""A REST catalog of Iceberg's, on loopback: the server that Iceberg tests its own client with."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from servers.jars import ICEBERG_REST_SERVER, SQLITE_DRIVER, fetched, java
from servers.loopback import answers, free_port
from servers.processes import start, stop, tail, wait_until

SOURCE = Path(__file__).parent / "RestCatalogServer.java"
STARTS_WITHIN_SECONDS = 300.0


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
        wait_until(
            lambda: process.poll() is not None or answers(port, "/v1/config"),
            STARTS_WITHIN_SECONDS,
            f"an answer of the catalog on port {port}, log in {log}",
        )
        if process.poll() is not None:
            raise RuntimeError(f"The catalog's server has ended:\n{tail(log)}")
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
