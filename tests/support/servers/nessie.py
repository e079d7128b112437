"""A Nessie server on loopback, and Iceberg's catalog that talks to it."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from servers.iceberg import EXTENSIONS
from servers.jars import ICEBERG, NESSIE_SERVER, fetched
from servers.loopback import answers, free_port
from servers.processes import start, stop, wait_for_server

JAVA = "NESSIE_JAVA"


@contextmanager
def nessie_catalog(name: str, directory: Path) -> Iterator[Mapping[str, str]]:
    """Run the server, which forgets all at its end; the settings of the catalog ``name``."""
    java = os.environ.get(JAVA)
    if not java:
        raise RuntimeError(f"Nessie's server needs Java 21 or later: name its bin/java in {JAVA}")
    ports, log = (free_port(), free_port()), directory / "nessie.log"
    options = {
        "quarkus.http.host": "127.0.0.1",
        "quarkus.http.port": ports[0],
        "quarkus.management.host": "127.0.0.1",
        "quarkus.management.port": ports[1],
        "nessie.version.store.type": "IN_MEMORY",
    }
    defined = [f"-D{key}={value}" for key, value in options.items()]
    jar = str(fetched(NESSIE_SERVER))
    process = start([java, "-Xmx300m", *defined, "-jar", jar], log, cwd=directory)
    try:
        up = f"an answer of Nessie on port {ports[0]}"
        wait_for_server(process, lambda: answers(ports[0], "/api/v2/config"), up, log)
        catalog = f"spark.sql.catalog.{name}"
        yield {
            "spark.jars": str(fetched(ICEBERG)),
            "spark.sql.extensions": EXTENSIONS,
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.catalog-impl": "org.apache.iceberg.nessie.NessieCatalog",
            f"{catalog}.uri": f"http://127.0.0.1:{ports[0]}/api/v2",
            f"{catalog}.ref": "main",
            f"{catalog}.warehouse": str(directory / name),
        }
    finally:
        stop(process)
