"""An HDFS of one name node and one data node on loopback."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

from servers.jars import HDFS_CLUSTER, all_fetched, java
from servers.metastore import write_hive_site
from servers.processes import start, stop, wait_for_server

PROGRAM = Path(__file__).with_name("Hdfs.java")
OPTIONS = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")


@contextmanager
def running_hdfs(directory: Path, settings: Mapping[str, str]) -> Iterator[str]:
    """Its address. Who starts it is its superuser; it believes each user's name.

    ``key`` is the name of a key for encryption zones.
    """
    directory.mkdir(parents=True)
    keys = {"hadoop.security.key.provider.path": f"jceks://file{directory}/keys.jceks"}
    write_hive_site(directory, {**keys, **settings}, "core-site.xml")
    address, log = directory / "address", directory / "hdfs.log"
    jars = [*map(str, all_fetched(HDFS_CLUSTER)), f"{Path(pyspark.__file__).parent}/jars/*"]
    command = [java(), *OPTIONS, "-cp", ":".join([str(directory), *jars]), str(PROGRAM)]
    arguments = [str(directory / "files"), str(address)]
    process = start([*command, *arguments], log, reads_stdin=True, cwd=directory)
    try:
        wait_for_server(process, address.exists, "the address of HDFS", log)
        yield address.read_text()
    finally:
        stop(process)
